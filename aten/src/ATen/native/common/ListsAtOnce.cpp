// Which operators on lists go to a device's kernels: see Note [Lists at once].

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/common/ForeachLists.h>
#include <ATen/native/common/ListsAtOnce.h>
#include <ATen/native/common/StructuredOutputs.h>

namespace at::native {
namespace {

struct NamedOp {
  const char* target;
  ForeachOp op;
};
// Targets of the entries in native_functions.yaml.
constexpr NamedOp kOps[] = {
    {"abs", ForeachOp::abs},
    {"exp", ForeachOp::exp},
    {"neg", ForeachOp::neg},
    {"reciprocal", ForeachOp::reciprocal},
    {"sign", ForeachOp::sign},
    {"sqrt", ForeachOp::sqrt},
    {"add.Tensor", ForeachOp::add},
    {"sub.Tensor", ForeachOp::sub},
    {"mul.Tensor", ForeachOp::mul},
    {"div.Tensor", ForeachOp::div},
    {"clamp_min", ForeachOp::max},
    {"clamp_min.Tensor", ForeachOp::max},
    {"clamp_max", ForeachOp::min},
    {"clamp_max.Tensor", ForeachOp::min},
    {"pow.Tensor_Scalar", ForeachOp::pow},
    {"pow.Tensor_Tensor", ForeachOp::pow},
    {"pow.Scalar", ForeachOp::pow_of},
    {"addcmul", ForeachOp::addcmul},
    {"addcdiv", ForeachOp::addcdiv},
    {"lerp.Scalar", ForeachOp::lerp},
    {"lerp.Tensor", ForeachOp::lerp},
};
const NamedOp* find(std::string_view target) {
  for (const NamedOp& named : kOps)
    if (target == named.target) return &named;
  return nullptr;
}

bool is_simple(const Scalar& s) {
  if (s.isComplex() || s.isBoolean()) return false;
  const double value = s.toDouble();  // kernels compute in float or double
  return !(std::abs(value) > std::numeric_limits<float>::max()) || std::isinf(value);
}

bool same_layout(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.strides() == b.strides();
}

// A tensor that counts as one number for all elements of `self`, of whose type it becomes.
bool is_number_beside(const Tensor& t, const Tensor& self) {
  return t.dim() == 0 && self.dim() != 0 &&
         (t.scalar_type() == self.scalar_type() || t.scalar_type() == kFloat ||
          t.scalar_type() == kDouble);
}

struct Range {
  const char *begin, *end;
};
Range memory_of(const Tensor& t) {
  const char* begin = static_cast<const char*>(t.data_ptr());
  return {begin, begin + t.nbytes()};
}

}  // namespace

bool fits_lists(const Tensor& t, c10::Device device, bool changes) {
  if (!t.defined() || t.device() != device) return false;
  const c10::impl::LocalState& tls = c10::impl::tls_local_state;
  DispatchKeySet keys((impl::keys_of(t) | tls.included) & ~tls.effective_excluded);
  if (!changes) {
    keys = keys.without(c10::Functionality::ADInplaceOrView);
    // Views carry it in case that they are changed.
    if (!t.requires_grad()) keys = keys.without(c10::Functionality::AutogradFunctionality);
  }
  return keys.highestPriorityTypeId() == DispatchKey::CUDA && t.is_non_overlapping_and_dense();
}

bool may_change_at_once(TensorList changed, ArrayRef<TensorList> read) {
  std::vector<Range> written;
  written.reserve(changed.size());
  for (const Tensor& t : changed) {
    if (t.unsafeGetTensorImpl()->is_inference() && !c10::impl::tls_local_state.inference)
      return false;
    if (t.numel() != 0) written.push_back(memory_of(t));
  }
  std::sort(written.begin(), written.end(), [](Range a, Range b) { return a.begin < b.begin; });
  for (size_t i = 1; i < written.size(); ++i)
    if (written[i].begin < written[i - 1].end) return false;
  for (const TensorList& list : read) {
    for (size_t i = 0; i < list.size(); ++i) {
      const Range r = memory_of(list[i]);
      // An element may be read where it is written.
      if (r.begin == r.end || (i < changed.size() && list[i].is_same(changed[i]))) continue;
      auto next = std::lower_bound(written.begin(), written.end(), r.end,
                                   [](Range w, const char* end) { return w.begin < end; });
      if (next != written.begin() && (next - 1)->end > r.begin) return false;
    }
  }
  return true;
}

void mark_changed(TensorList changed) {
  for (const Tensor& t : changed) t.unsafeGetTensorImpl()->bump_version();
}

bool foreach_on_cuda(const char* target, std::initializer_list<TensorList> lists,
                     ArrayRef<Scalar> scalars, std::vector<Tensor>* results) {
  const NamedOp* named = find(target);
  if (!named || !foreach_stub.CUDA) return false;
  const TensorList self = *lists.begin();
  ForeachCall call{named->op, self, self, {}, {}, false, false, scalars};
  if (lists.size() > 1) call.second = lists.begin()[1];
  if (lists.size() > 2) call.third = lists.begin()[2];
  if (scalars.size() > 1 && scalars.size() != self.size()) return false;
  for (const TensorList& list : lists)
    if (list.size() != self.size()) return false;
  for (const Scalar& s : scalars)
    if (!is_simple(s)) return false;

  // Only the last list may be one of numbers.
  const Device device = self[0].device();
  const bool product = call.op == ForeachOp::addcmul || call.op == ForeachOp::addcdiv;
  bool* numbers = product                                           ? nullptr
                  : lists.size() == 2 && call.op != ForeachOp::lerp ? &call.second_is_number
                  : lists.size() == 3                               ? &call.third_is_number
                                                                    : nullptr;
  if (numbers) *numbers = is_number_beside(lists.begin()[lists.size() - 1][0], self[0]);
  for (size_t k = 0; k < lists.size(); ++k) {
    const bool of_numbers = numbers && *numbers && k + 1 == lists.size();
    for (size_t i = 0; i < self.size(); ++i) {
      const Tensor& t = lists.begin()[k][i];
      if (!fits_lists(t, device, !results && k == 0) || !isFloatingType(t.scalar_type()))
        return false;
      if (of_numbers ? !is_number_beside(t, self[i]) ||
                           t.scalar_type() != lists.begin()[k][0].scalar_type()
                     : !same_layout(t, self[i]))
        return false;
    }
  }
  for (const Tensor& t : self)
    if (elementSize(t.scalar_type()) < 2) return false;  // float8 has no arithmetic

  if (results) {
    results->reserve(self.size());
    for (const Tensor& t : self)
      results->push_back(empty_strided_tensor(t.sizes(), t.strides(), t.scalar_type(), device));
    call.outputs = *results;
  } else {
    const TensorList read[] = {call.second, call.third};
    if (!may_change_at_once(self, read)) return false;
    mark_changed(self);
  }
  foreach_stub.CUDA(call);
  return true;
}

}  // namespace at::native
