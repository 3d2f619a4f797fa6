// repeat_interleave(repeats): the size of the result depends on the values.

#include <algorithm>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/repeat_interleave_native.h>

namespace at::native {

// The indices 0, 0, 1, 1, 1, ...: each appears as often as its entry in `repeats`.
Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat, got ",
              repeats.dim(), " dimensions");
  TORCH_CHECK_NOT_IMPLEMENTED(repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
                              "\"repeat_interleave_cpu\" not implemented for '",
                              toString(repeats.scalar_type()), "': repeats are Long or Int");
  Tensor counts = repeats.scalar_type() == kInt ? at::_to_copy(repeats, TensorOptions(kLong))
                                                : at::contiguous(repeats);
  const int64_t* n = static_cast<const int64_t*>(counts.data_ptr());
  int64_t total = 0;
  for (int64_t k = 0; k < counts.numel(); ++k) {
    TORCH_CHECK(n[k] >= 0, "repeats can not be negative, got ", n[k]);
    TORCH_CHECK(!__builtin_add_overflow(total, n[k], &total),
                "repeat_interleave: the size of the result overflows");
  }
  TORCH_CHECK(!output_size || *output_size == total,
              "repeat_interleave: allocated size does not match required size: output_size is ",
              output_size.value_or(0), ", the repeats sum to ", total);
  Tensor result = empty_tensor({total}, repeats.scalar_type());
  Tensor longs = repeats.scalar_type() == kLong ? result : empty_tensor({total}, kLong);
  int64_t* to = static_cast<int64_t*>(longs.data_ptr());
  for (int64_t k = 0; k < counts.numel(); ++k) {
    std::fill(to, to + n[k], k);
    to += n[k];
  }
  if (!longs.is_same(result)) at::_ops::copy_::call(result, longs, false);
  return result;
}

}  // namespace at::native
