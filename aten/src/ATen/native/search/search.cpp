// searchsorted and bucketize: checks and types.

#include <ATen/native/search/search.h>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/item.h>
#include <ATen/ops/searchsorted_native.h>

namespace at::native {
namespace {

// The type that boundaries and values have in common; they are rounded to it.
ScalarType common_type(const Tensor& a, const Tensor& b) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !a.is_complex() && !b.is_complex() && a.scalar_type() != kBool && b.scalar_type() != kBool,
      "\"searchsorted_out_cpu\" not implemented for '", toString(a.scalar_type()), "' and '",
      toString(b.scalar_type()), "'");
  return result_type({a, b});
}

// The type that kernels compare; it has all numbers of the common type.
ScalarType compared_type(ScalarType common) {
  if (isFloatingType(common)) return elementSize(common) == 1 ? kFloat : common;
  const bool is_unsigned = common == kUInt16 || common == kUInt32 || common == kUInt64;
  return is_unsigned ? kLong : common;
}

Tensor dense_as(const Tensor& t, ScalarType common) {
  Tensor x = t;
  for (ScalarType type : {common, compared_type(common)})
    if (x.scalar_type() != type) x = at::_to_copy(x, type);
  return at::contiguous(x);
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
  const char* const op = "torch.searchsorted(): ";
  if (side) {
    TORCH_CHECK(*side == "left" || *side == "right", op,
                "side can only be 'left' or 'right' but got ", *side);
    TORCH_CHECK(!right || *side == "right", op,
                "side and right can't be set to opposites, got side of ", *side,
                " while right was True");
    right = *side == "right";
  }
  // A number is a tensor of the CPU.
  const Tensor values = self.unsafeGetTensorImpl()->is_wrapped_number()
                            ? on_device(self, sorted_sequence.device())
                            : self;
  check_same_device("torch.searchsorted()",
                    {&sorted_sequence, &values, sorter ? &*sorter : &values});
  int64_t n = sorted_sequence.dim();
  bool one = n == 1;
  TORCH_CHECK(n > 0, op, "boundaries tensor should have positive dimension, but got 0 dimension");
  if (!one) {
    bool match = self.dim() == n;
    for (int64_t d = 0; match && d + 1 < n; ++d)
      match = self.sizes()[d] == sorted_sequence.sizes()[d];
    TORCH_CHECK(match, op,
                "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
                "tensor and input value tensor must match, but we got boundaries tensor ",
                sorted_sequence.sizes(), " and input value tensor ", self.sizes());
  }
  Tensor boundaries = sorted_sequence;
  if (sorter && sorter->defined()) {
    TORCH_CHECK(sorter->scalar_type() == kLong, op,
                "sorter must be a tensor of long dtype but got dtype ",
                toString(sorter->scalar_type()));
    TORCH_CHECK(sorter->sizes() == sorted_sequence.sizes(), op,
                "boundary and sorter must have the same size, but got boundary tensor ",
                sorted_sequence.sizes(), " and got sorter tensor ", sorter->sizes());
    if (sorter->numel()) {
      auto range = at::aminmax(*sorter);
      TORCH_CHECK(at::item(std::get<0>(range)).toLong() >= 0 &&
                      at::item(std::get<1>(range)).toLong() < sorter->sizes().back(),
                  op, "sorter index out of range");
    }
    boundaries = at::gather(sorted_sequence, -1, *sorter);
  }
  Tensor out = empty_tensor(self.sizes(), out_int32 ? kInt : kLong, boundaries.device());
  int64_t lines = 1;
  if (!one) {
    for (int64_t d = 0; d + 1 < n; ++d) lines *= self.sizes()[d];
  }
  if (out.numel() == 0) return out;
  const ScalarType type = common_type(boundaries, values);
  search_stub(out.device().type(), dense_as(boundaries, type), dense_as(values, type), lines, right,
              out);
  return out;
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  TORCH_CHECK(boundaries.dim() == 1,
              "bucketize: boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(),
              ")");
  return searchsorted(boundaries, self, out_int32, right, std::nullopt, std::nullopt);
}

}  // namespace at::native
