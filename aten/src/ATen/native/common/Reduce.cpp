// Arguments of reductions: dimensions, sizes and types.

#include <ATen/native/common/Reduce.h>

#include <ATen/native/common/ViewUtils.h>

namespace at::native {

uint64_t reduce_mask(OptionalIntArrayRef dims, int64_t rank, const char* op) {
  if (dims && !dims->empty()) {
    const uint64_t bits = dim_bits(*dims, rank, op);
    return rank == 0 ? 0 : bits;
  }
  TORCH_CHECK(rank <= 64, op, ": only tensors with up to 64 dims are supported, got ", rank);
  return rank == 64 ? ~uint64_t(0) : (uint64_t(1) << rank) - 1;
}

DimVector reduced_sizes(IntArrayRef sizes, uint64_t mask, bool keepdim) {
  DimVector result;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!(mask >> d & 1)) {
      result.push_back(sizes[d]);
    } else if (keepdim) {
      result.push_back(1);
    }
  }
  return result;
}

ScalarType reduce_compute_type(ScalarType dtype) {
  if (isIntegralType(dtype, true)) return kLong;
  if (isReducedFloatingType(dtype)) return kFloat;
  return dtype == kComplexHalf ? kComplexFloat : dtype;
}

}  // namespace at::native
