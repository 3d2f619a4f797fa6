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

enum class NumberKind : uint8_t { integer, real, complex, other };
NumberKind kind_of(ScalarType type) {
  if (type == kInt || type == kLong) return NumberKind::integer;
  if (type == kComplexFloat || type == kComplexDouble) return NumberKind::complex;
  // 8-bit floats have no arithmetic.
  if (isFloatingType(type) && elementSize(type) > 1) return NumberKind::real;
  return NumberKind::other;
}

// Kernels compute in float or double.
bool fits_float(double value) {
  return !(std::abs(value) > std::numeric_limits<float>::max()) || std::isinf(value);
}
// Of numbers for each tensor, kernels get the real parts.
bool is_simple(const Scalar& s, NumberKind kind, bool is_shared) {
  if (s.isBoolean()) return false;
  if (!s.isComplex()) return fits_float(s.toDouble());
  const auto value = s.toComplexDouble();
  return kind == NumberKind::complex && is_shared && fits_float(value.real()) &&
         fits_float(value.imag());
}
bool fits_integer(const Scalar& s, ScalarType type) {
  if (!s.isIntegral(false)) return false;
  const double value = s.toDouble(), limit = type == kLong ? 0x1p63 : 0x1p31;
  return value >= -limit && value < limit;
}

// The type of results, or nothing where kernels do not compute them.
using ResultType = std::optional<ScalarType>;
ResultType complex_result(ForeachOp op, ScalarType type) {
  switch (op) {
    case ForeachOp::abs:
      return toRealValueType(type);
    case ForeachOp::sign:
    case ForeachOp::max:
    case ForeachOp::min:
    case ForeachOp::pow:
    case ForeachOp::pow_of:
      return std::nullopt;
    default:
      return type;
  }
}
// has_factor: the scalars are a factor of lists.
ResultType integer_result(ForeachOp op, ScalarType type, ArrayRef<Scalar> scalars,
                          bool has_factor) {
  auto all = [&](auto&& f) { return std::all_of(scalars.begin(), scalars.end(), f); };
  const bool fit = all([&](const Scalar& s) { return fits_integer(s, type); });
  const ResultType floats =
      get_default_dtype() == kFloat ? ResultType(kFloat) : ResultType(std::nullopt);
  switch (op) {
    case ForeachOp::abs:
    case ForeachOp::neg:
    case ForeachOp::sign:
      return type;
    case ForeachOp::exp:
    case ForeachOp::reciprocal:
    case ForeachOp::sqrt:
    case ForeachOp::div:
      return floats;
    case ForeachOp::add:
    case ForeachOp::sub:
    case ForeachOp::mul:
    case ForeachOp::max:
    case ForeachOp::min:
      if (fit) return type;
      return !has_factor && all([](const Scalar& s) { return s.isFloatingPoint(); }) ? floats
                                                                                     : std::nullopt;
    case ForeachOp::addcmul:
      return fit ? ResultType(type) : std::nullopt;
    default:  // powers of integers have rules of their own; addcdiv and lerp raise
      return std::nullopt;
  }
}

// A tensor that counts as one number for all elements of `self`, of whose type it becomes.
bool is_number_beside(const Tensor& t, const Tensor& self) {
  const ScalarType type = t.scalar_type();
  if (t.dim() != 0 || self.dim() == 0) return false;
  if (type == self.scalar_type()) return true;
  if (kind_of(self.scalar_type()) == NumberKind::integer) return type == kLong;
  return type == kFloat || type == kDouble;
}

struct Range {
  const char *begin, *end;
};
Range memory_of(const Tensor& t) {
  const char* begin = static_cast<const char*>(t.data_ptr());
  return {begin, begin + t.nbytes()};
}

}  // namespace

bool same_layout(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.strides() == b.strides();
}

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
  if (scalars.size() > 1 && scalars.size() != self.size()) return false;
  for (const TensorList& list : lists)
    if (list.size() != self.size()) return false;
  const NumberKind kind = kind_of(self[0].scalar_type());
  if (kind == NumberKind::other) return false;
  for (const Scalar& s : scalars)
    if (!is_simple(s, kind, scalars.size() == 1)) return false;

  // Only the last list may be one of numbers.
  const ForeachOp op = named->op;
  ForeachCall call{op, self, self, {}, {}, {}, scalars};
  const bool product = op == ForeachOp::addcmul || op == ForeachOp::addcdiv;
  const bool may_have_numbers =
      lists.size() == 3 ? !product : lists.size() == 2 && op != ForeachOp::lerp;
  if (may_have_numbers && is_number_beside(lists.begin()[lists.size() - 1][0], self[0]))
    call.numbers = lists.begin()[lists.size() - 1];
  const size_t full = lists.size() - (call.numbers.empty() ? 0 : 1);
  if (full > 1) call.second = lists.begin()[1];
  if (full > 2) call.third = lists.begin()[2];

  const Device device = self[0].device();
  for (size_t k = 0; k < lists.size(); ++k) {
    for (size_t i = 0; i < self.size(); ++i) {
      const Tensor& t = lists.begin()[k][i];
      if (!fits_lists(t, device, !results && k == 0)) return false;
      if (k < full) {
        if (!same_layout(t, self[i]) || kind_of(t.scalar_type()) != kind) return false;
      } else if (!is_number_beside(t, self[i]) ||
                 t.scalar_type() != call.numbers[0].scalar_type()) {
        return false;
      }
    }
  }
  auto result_type = [&](ScalarType type) -> ResultType {
    switch (kind) {
      case NumberKind::integer:
        return integer_result(op, type, scalars, lists.size() > 1);
      case NumberKind::complex:
        return complex_result(op, type);
      default:
        return type;
    }
  };
  for (const Tensor& t : self) {
    const ResultType type = result_type(t.scalar_type());
    // Kernels write results of another type beside their operands alone.
    if (!type || (!results && *type != t.scalar_type())) return false;
  }

  if (results) {
    results->reserve(self.size());
    for (const Tensor& t : self)
      results->push_back(
          empty_strided_tensor(t.sizes(), t.strides(), *result_type(t.scalar_type()), device));
    call.outputs = *results;
  } else {
    const TensorList read[] = {call.second, call.third, call.numbers};
    if (!may_change_at_once(self, read)) return false;
    mark_changed(self);
  }
  foreach_stub.CUDA(call);
  return true;
}

}  // namespace at::native
