#pragma once
// The kernel of histograms.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Throws unless there is a bin in each dimension, and their edges can be counted.
void check_bins(IntArrayRef bins);

// Adds the weights (undefined: 1) of the rows of `points`, (count, dimensions), to the cells of
// hist that they fall into. The last cell of a dimension includes its right edge. Everything is
// dense.
DECLARE_DISPATCH(void (*)(const Tensor& points, TensorList edges, bool equal_widths,
                          const Tensor& weight, const Tensor& hist),
                 histogram_stub);

}  // namespace at::native
