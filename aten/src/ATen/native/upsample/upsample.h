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
  // Most elements of the input are read by no element of the result.
  bool reads_few() const { return 2 * out * taps <= in; }
};

// Both tensors are dense and of one type: [outer, in, inner] to [outer, out, inner], float or
// double; any type if the table copies.
DECLARE_DISPATCH(void (*)(const ResampleTable&, const Tensor& from, const Tensor& to, int64_t outer,
                          int64_t inner),
                 resample_stub);
// The transpose: sums [outer, out, inner] to [outer, in, inner], float or double. The CPU's kernel
// also sums half types to float, unless the table reads few.
DECLARE_DISPATCH(void (*)(const ResampleTable&, const Tensor& from, const Tensor& to, int64_t outer,
                          int64_t inner),
                 resample_backward_stub);

// out[n, c, i, j, ...] = x[n, c] at the offset places[0][i] + places[1][j] + ..., for the CPU and
// few elements.
DECLARE_DISPATCH(void (*)(const Tensor& x, const Tensor& out,
                          const std::vector<std::vector<int64_t>>& places),
                 copy_few_stub);

}  // namespace at::native
