#pragma once
// Interpolation along one dimension at a time: every mode is a table of input elements and
// weights.

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/upsample/rule.h>

namespace at::native {

// Element o of the result is the sum of weight[o * taps + k] * input[index[o * taps + k]].
struct ResampleTable : upsample::ResampleRule {
  // Computed by fill(), for kernels that read them.
  mutable std::vector<int64_t> index;
  mutable std::vector<double> weight;
  void fill() const;
  // Lines of so many elements are computed without a table, which takes longer to make than to use;
  // where positions are floats.
  bool has_long_lines() const {
    return out >= 1024 && in <= (1 << 24) && out <= INT32_MAX / 2 && index.empty() &&
           (copies() || (mode == upsample::Mode::linear && in_float));
  }
  // Most elements of the input are read by no element of the result.
  bool reads_few() const { return 2 * out * taps <= in; }
};

// Whether [outer, in, inner] are few lines without a table.
inline bool are_long_lines(const ResampleTable& t, int64_t outer, int64_t inner) {
  return inner == 1 && outer <= 64 && t.has_long_lines();
}

// Both tensors are dense and of one type: [outer, in, inner] to [outer, out, inner], float or
// double; any type if the table copies.
DECLARE_DISPATCH(void (*)(const ResampleTable&, const Tensor& from, const Tensor& to, int64_t outer,
                          int64_t inner),
                 resample_stub);
// Two dimensions at once, from [outer, rows.in, columns.in, inner] to [outer, rows.out,
// columns.out, inner], by tables that both copy or both do not. For the CPU.
DECLARE_DISPATCH(void (*)(const ResampleTable& rows, const ResampleTable& columns,
                          const Tensor& from, const Tensor& to, int64_t outer, int64_t inner),
                 resample_planes_stub);
// The transpose: sums [outer, out, inner] to [outer, in, inner], float or double. The CPU's kernel
// also sums half types to float, unless the table reads few.
DECLARE_DISPATCH(void (*)(const ResampleTable&, const Tensor& from, const Tensor& to, int64_t outer,
                          int64_t inner),
                 resample_backward_stub);

// The taps of results of few elements, along one dimension: element o is the sum of
// weight[o * taps + k] * x[place[o * taps + k]], where places are offsets.
struct FewTaps {
  int64_t taps;
  std::vector<int64_t> place;
  std::vector<double> weight;
};
// Both are for the CPU, and take one FewTaps for each dimension after the channels. Copies have one
// tap, and no weights; sums of half types and bytes are those of floats.
DECLARE_DISPATCH(void (*)(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims),
                 copy_few_stub);
DECLARE_DISPATCH(void (*)(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims),
                 sum_few_stub);

}  // namespace at::native
