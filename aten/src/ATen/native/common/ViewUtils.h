#pragma once
// Views: tensors that show the memory of another one.

#include <ATen/core/Tensor.h>

namespace at::native {

// A view of self's storage. The caller answers for it that no element lies outside of what self can
// reach.
//
// It remembers its base (never itself a view), so that changes of either reach the history of both;
// not so for tensors of inference mode, which have no history.
Tensor alias_with_sizes_and_strides(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                                    int64_t storage_offset);
// The same for dense row-major strides.
Tensor alias_contiguous(const Tensor& self, IntArrayRef sizes);

// Throws outside of inference mode: a tensor of it is about to be changed.
void check_inference_mode();

// How many elements sizes that a tensor has, or some of them, stand for.
inline int64_t product(IntArrayRef sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

// Replaces a -1 in a shape by what the number of elements leaves for it, and checks the shape
// against it.
DimVector infer_size(IntArrayRef shape, int64_t numel);
// The strides that show elements of these sizes and strides in another shape of as many elements;
// false where that takes a copy.
bool strides_of_view(IntArrayRef sizes, IntArrayRef strides, IntArrayRef shape, DimVector& result);

// Throws unless every element of the geometry lies in the tensor's storage.
void check_in_storage(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                      int64_t storage_offset, size_t itemsize, const char* op);

// Dimensions, wrapped, as bits; throws where one comes twice. At most 64 dimensions.
uint64_t dim_bits(IntArrayRef dims, int64_t rank, const char* op);

// start and end of a slice, brought into [0, size] with start <= end.
struct SliceRange {
  int64_t start, end;
};
SliceRange slice_range(int64_t size, std::optional<int64_t> start, std::optional<int64_t> end);

}  // namespace at::native
