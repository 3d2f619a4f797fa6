// Properties of tensors as operators.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_debug_has_internal_overlap_native.h>
#include <ATen/ops/_has_compatible_shallow_copy_type_native.h>
#include <ATen/ops/_has_same_storage_numel_native.h>
#include <ATen/ops/_version_native.h>
#include <ATen/ops/dim_native.h>
#include <ATen/ops/element_size_native.h>
#include <ATen/ops/is_complex_native.h>
#include <ATen/ops/is_contiguous_native.h>
#include <ATen/ops/is_distributed_native.h>
#include <ATen/ops/is_floating_point_native.h>
#include <ATen/ops/is_inference_native.h>
#include <ATen/ops/is_leaf_native.h>
#include <ATen/ops/is_non_overlapping_and_dense_native.h>
#include <ATen/ops/is_pinned_native.h>
#include <ATen/ops/is_same_size_native.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/is_signed_native.h>
#include <ATen/ops/is_strides_like_format_native.h>
#include <ATen/ops/numel_native.h>
#include <ATen/ops/result_type_native.h>
#include <ATen/ops/retains_grad_native.h>
#include <ATen/ops/size_native.h>
#include <ATen/ops/storage_offset_native.h>
#include <ATen/ops/stride_native.h>
#include <ATen/ops/sym_numel_native.h>
#include <ATen/ops/sym_size_native.h>
#include <ATen/ops/sym_storage_offset_native.h>
#include <ATen/ops/sym_stride_native.h>

namespace at::native {

bool is_complex(const Tensor& self) { return self.is_complex(); }
bool is_floating_point(const Tensor& self) { return self.is_floating_point(); }
bool is_signed(const Tensor& self) { return isSignedType(self.scalar_type()); }
bool is_inference(const Tensor& self) { return self.is_inference(); }
bool is_leaf(const Tensor& self) { return self.is_leaf(); }
bool is_distributed(const Tensor&) { return false; }
bool is_non_overlapping_and_dense(const Tensor& self) {
  return self.is_non_overlapping_and_dense();
}
bool retains_grad(const Tensor& self) { return self.retains_grad(); }
int64_t numel(const Tensor& self) { return self.numel(); }
int64_t element_size(const Tensor& self) { return static_cast<int64_t>(self.itemsize()); }
int64_t storage_offset(const Tensor& self) { return self.storage_offset(); }
int64_t _version(const Tensor& self) { return static_cast<int64_t>(self._version()); }

bool is_contiguous(const Tensor& self) { return self.is_contiguous(); }
bool is_contiguous(const Tensor& self, MemoryFormat memory_format) {
  return self.is_contiguous(memory_format);
}
bool is_strides_like_format(const Tensor& self, MemoryFormat memory_format) {
  return self.unsafeGetTensorImpl()->is_strides_like(memory_format);
}
bool is_same_size(const Tensor& self, const Tensor& other) { return self.sizes() == other.sizes(); }
bool is_set_to(const Tensor& self, const Tensor& tensor) {
  return self.storage().is_alias_of(tensor.storage()) &&
         self.storage_offset() == tensor.storage_offset() && self.sizes() == tensor.sizes() &&
         self.strides() == tensor.strides();
}
// There is no device that reads pinned memory.
bool is_pinned(const Tensor&, std::optional<Device>) { return false; }

std::vector<int64_t> stride(const Tensor& self) { return self.strides().vec(); }
int64_t stride(const Tensor& self, int64_t dim) {
  return self.stride(maybe_wrap_dim(dim, self.dim(), "stride"));
}
int64_t size(const Tensor& self, int64_t dim) {
  return self.size(maybe_wrap_dim(dim, self.dim(), "size"));
}

// The same as operators of recorded graphs, where sizes may be symbols.
int64_t dim(const Tensor& self) { return self.dim(); }
std::vector<int64_t> sym_size(const Tensor& self) { return self.sizes().vec(); }
int64_t sym_size(const Tensor& self, int64_t dim) { return native::size(self, dim); }
std::vector<int64_t> sym_stride(const Tensor& self) { return self.strides().vec(); }
int64_t sym_stride(const Tensor& self, int64_t dim) { return native::stride(self, dim); }
int64_t sym_numel(const Tensor& self) { return self.numel(); }
int64_t sym_storage_offset(const Tensor& self) { return self.storage_offset(); }

// 0: no two elements share memory. 1: some do. 2: it would take too long to say.
int64_t _debug_has_internal_overlap(const Tensor& self) {
  if (self.is_non_overlapping_and_dense()) return 0;
  return has_internal_overlap(*self.unsafeGetTensorImpl()) ? 1 : 2;
}
bool _has_same_storage_numel(const Tensor& self, const Tensor& other) {
  return self.storage().nbytes() / self.itemsize() == other.storage().nbytes() / other.itemsize();
}
bool _has_compatible_shallow_copy_type(const Tensor& self, const Tensor& from) {
  return self.layout() == from.layout();
}

ScalarType result_type(const Tensor& tensor, const Tensor& other) {
  ResultTypeState state;
  state.add(*tensor.unsafeGetTensorImpl());
  state.add(*other.unsafeGetTensorImpl());
  return state.result();
}
ScalarType result_type(const Tensor& tensor, const Scalar& other) {
  ResultTypeState state;
  state.add(*tensor.unsafeGetTensorImpl());
  state.add(other);
  return state.result();
}
ScalarType result_type(const Scalar& scalar, const Tensor& tensor) {
  return native::result_type(tensor, scalar);
}

}  // namespace at::native
