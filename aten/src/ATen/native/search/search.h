#pragma once
// The kernels of searchsorted, bincount and histc. All tensors are contiguous.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

struct IntegerBounds {
  int64_t min, max;
};

// boundaries: [lines, n], or one line for all if lines == 1; values: [lines, each]. Both are
// double, float or long. out: int or long, the positions of the first boundaries that are not less
// than the values (or, with right, are greater). NaN sorts after everything.
DECLARE_DISPATCH(void (*)(const Tensor& boundaries, const Tensor& values, int64_t lines, bool right,
                          const Tensor& out),
                 search_stub);

// The smallest and the largest of some integers.
DECLARE_DISPATCH(IntegerBounds (*)(const Tensor& x), integer_bounds_stub);
// out[x] += weight, for all x, which are integers within range. `out` is zero before and has the
// type of the weights, or is long if these are undefined.
DECLARE_DISPATCH(void (*)(const Tensor& x, const Tensor& weights, const Tensor& out),
                 bincount_stub);

// Counts the numbers from `low` to `high` in cells of equal width; `out`, of the type of x (float
// or double), is zero before.
DECLARE_DISPATCH(void (*)(const Tensor& x, double low, double high, const Tensor& out), histc_stub);

}  // namespace at::native
