#pragma once
// The kernels of unique and related operators.

#include <optional>
#include <tuple>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// The distinct values, for each element the number of its value, and the counts of the values. The
// last two are empty if they are not requested.
using UniqueResult = std::tuple<Tensor, Tensor, Tensor>;

// Runs of equal elements in the contiguous vector `values`; NaN differs from every value. `order`
// gives the elements' indices in `self` (undefined: they are unchanged).
DECLARE_DISPATCH(UniqueResult (*)(const Tensor& self, const Tensor& values, const Tensor& order,
                                  bool return_inverse, bool return_counts),
                 unique_runs_stub);

// The distinct elements of a contiguous tensor if these are integers of few values: the CPU only.
DECLARE_DISPATCH(std::optional<UniqueResult> (*)(const Tensor& self, bool return_inverse,
                                                 bool return_counts),
                 unique_few_stub);

// The distinct rows of a contiguous matrix that is not empty, in lexicographical order, or as they
// follow each other; their numbers are returned.
DECLARE_DISPATCH(UniqueResult (*)(const Tensor& rows, bool consecutive, bool return_inverse,
                                  bool return_counts),
                 unique_rows_stub);

}  // namespace at::native
