#pragma once
// Ways of order_kernel (sort_kernel.cpp) that have files of their own. The arguments are
// order_stub's.

#include <ATen/core/TensorBase.h>
#include <ATen/native/sort/sort.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The operator, in errors.
inline const char* name_of(OrderKind kind) {
  switch (kind) {
    case OrderKind::sort:
      return "sort";
    case OrderKind::topk:
      return "topk_cpu";
    case OrderKind::kth:
      return "kthvalue_cpu";
    case OrderKind::mode:
      return "mode_cpu";
    default:
      return "median_cpu";
  }
}

// kthvalue, median and nanmedian.
void select_lines(const OrderRequest& request, const Tensor& in, const Tensor& values,
                  const Tensor& indices, int64_t dim);

// sort, median, nanmedian and mode, of integers of few values. Returns false, and does nothing, if
// there may be many values.
bool count_lines(const OrderRequest& request, const Tensor& in, const Tensor& values,
                 const Tensor& indices, int64_t dim);

}  // namespace CPU_CAPABILITY
}  // namespace at::native
