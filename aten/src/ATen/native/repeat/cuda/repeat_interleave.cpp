// repeat_interleave(repeats) on CUDA devices: the size of the result depends on the values.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_assert_async.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/item.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/min.h>
#include <ATen/ops/repeat_interleave_native.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/select.h>

namespace at::native {

// The indices 0, 0, 1, 1, 1, ...: element i of the result is how many runs end at i or before.
Tensor repeat_interleave_cuda(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat, got ",
              repeats.dim(), " dimensions");
  TORCH_CHECK_NOT_IMPLEMENTED(repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
                              "\"repeat_interleave_cuda\" not implemented for '",
                              toString(repeats.scalar_type()), "': repeats are Long or Int");
  const int64_t n = repeats.numel();
  int64_t total = 0;
  Tensor ends;
  if (n > 0 && output_size) {
    // Nothing waits: what is wrong ends the kernel of the assertion.
    total = *output_size;
    TORCH_CHECK(total >= 0, "repeat_interleave: output_size can not be negative, got ", total);
    ends = at::cumsum(repeats, 0);
    const Tensor fits = at::eq(at::select(ends, 0, n - 1), Scalar(total));
    at::_assert_async(at::logical_and(fits, at::ge(at::min(repeats), Scalar(0))));
  } else if (n > 0) {
    const auto [min, max] = at::aminmax(repeats);
    const int64_t smallest = at::item(min).toLong(), largest = at::item(max).toLong();
    TORCH_CHECK(smallest >= 0, "repeats can not be negative, got ", smallest);
    TORCH_CHECK(largest <= INT64_MAX / n, "repeat_interleave: the size of the result overflows");
    ends = at::cumsum(repeats, 0);
    total = at::item(at::select(ends, 0, n - 1)).toLong();
  }
  TORCH_CHECK(!output_size || *output_size == total,
              "repeat_interleave: allocated size does not match required size: output_size is ",
              output_size.value_or(0), ", the repeats sum to ", total);
  if (total == 0) return empty_tensor({0}, repeats.scalar_type(), repeats.device());
  return at::searchsorted(ends, at::arange(total, ends.options()), repeats.scalar_type() == kInt,
                          true);
}

}  // namespace at::native
