#pragma once
// Views: tensors that share the memory of another one.

#include <optional>

#include <ATen/core/Tensor.h>

namespace at::native {

// Creates a view of self's storage. The caller must ensure that no element lies outside of what
// self can reach.
//
// The view records its base (never itself a view), so that changes of either reach the history of
// both; except for tensors of inference mode, which have no history.
Tensor alias_with_sizes_and_strides(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                                    int64_t storage_offset);
// The same with contiguous strides.
Tensor alias_contiguous(const Tensor& self, IntArrayRef sizes);

// Sizes with a 1 for each dimension that repeats its element, as those of an expanded tensor do;
// nothing if no dimension does.
inline std::optional<DimVector> distinct_sizes(IntArrayRef sizes, IntArrayRef strides) {
  std::optional<DimVector> distinct;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] != 0 || sizes[d] <= 1) continue;
    if (!distinct) distinct.emplace(sizes);
    (*distinct)[d] = 1;
  }
  return distinct;
}

// Throws if an inference tensor is about to be changed outside of inference mode.
void check_inference_mode();

// The number of elements for these sizes, which are a tensor's sizes or some of them.
inline int64_t product(IntArrayRef sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

// Replaces a -1 in a shape by the size inferred from the number of elements, and checks the
// shape.
DimVector infer_size(IntArrayRef shape, int64_t numel);
// The strides that view elements of these sizes and strides in another shape with as many elements;
// false if that requires a copy.
bool strides_of_view(IntArrayRef sizes, IntArrayRef strides, IntArrayRef shape, DimVector& result);

// Throws unless every element of the geometry lies in the tensor's storage.
void check_in_storage(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                      int64_t storage_offset, size_t itemsize, const char* op);

// Dimensions as a bit mask, wrapped; throws if one occurs twice. At most 64 dimensions.
uint64_t dim_bits(IntArrayRef dims, int64_t rank, const char* op);

// Clamps start and end of a slice to [0, size] with start <= end.
struct SliceRange {
  int64_t start, end;
};
SliceRange slice_range(int64_t size, std::optional<int64_t> start, std::optional<int64_t> end);

}  // namespace at::native
