#pragma once
// TensorBase: a handle to a TensorImpl, with everything about a tensor that is not an operator.
// at::Tensor (core/Tensor.h) adds the operators as methods.

#include <optional>

#include <c10/core/GradMode.h>
#include <c10/core/Scalar.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/TensorOptions.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/Exception.h>

namespace at {

using namespace c10;  // at:: uses c10's names throughout, as users' code does.

class TensorBase {
 public:
  TensorBase() = default;
  explicit TensorBase(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_.defined(); }
  void reset() { impl_.reset(); }
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  const intrusive_ptr<TensorImpl>& getIntrusivePtr() const { return impl_; }
  TensorImpl* unsafeReleaseTensorImpl() { return impl_.release(); }
  bool is_same(const TensorBase& o) const { return impl_ == o.impl_; }
  uint32_t use_count() const { return impl_.use_count(); }

  int64_t dim() const { return impl_->dim(); }
  int64_t ndimension() const { return impl_->dim(); }
  int64_t numel() const { return impl_->numel(); }
  IntArrayRef sizes() const { return impl_->sizes(); }
  IntArrayRef strides() const { return impl_->strides(); }
  int64_t size(int64_t d) const {
    return impl_->sizes()[wrap_existing_dim(d, impl_->dim(), "size")];
  }
  int64_t stride(int64_t d) const {
    return impl_->strides()[wrap_existing_dim(d, impl_->dim(), "stride")];
  }
  int64_t storage_offset() const { return impl_->storage_offset(); }
  bool is_contiguous(MemoryFormat f = MemoryFormat::Contiguous) const {
    return impl_->is_contiguous(f);
  }
  bool is_non_overlapping_and_dense() const { return impl_->is_non_overlapping_and_dense(); }
  MemoryFormat suggest_memory_format() const;

  ScalarType scalar_type() const { return impl_->dtype(); }
  ScalarType dtype() const { return impl_->dtype(); }
  size_t itemsize() const { return impl_->itemsize(); }
  size_t element_size() const { return impl_->itemsize(); }
  size_t nbytes() const { return impl_->numel() * impl_->itemsize(); }
  Device device() const { return impl_->device(); }
  Layout layout() const { return impl_->layout(); }
  bool is_cpu() const { return impl_->device_type() == kCPU; }
  bool is_cuda() const { return impl_->device_type() == kCUDA; }
  bool is_meta() const { return impl_->device_type() == kMeta; }
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_complex() const { return isComplexType(scalar_type()); }
  bool is_signed() const { return isSignedType(scalar_type()); }
  bool is_inference() const { return impl_->is_inference(); }
  bool is_conj() const { return impl_->is_conj(); }
  bool is_neg() const { return impl_->is_neg(); }
  DispatchKeySet key_set() const { return impl_->key_set(); }
  TensorOptions options() const {
    return TensorOptions(scalar_type()).device(device()).layout(layout());
  }

  const Storage& storage() const { return impl_->storage(); }
  bool is_alias_of(const TensorBase& o) const {
    return impl_->storage().is_alias_of(o.impl_->storage());
  }
  // The first element. Checks neither the type nor that memory exists (a meta tensor has none).
  void* data_ptr() const { return impl_->data(); }
  const void* const_data_ptr() const { return impl_->data(); }
  void* mutable_data_ptr() const { return impl_->data(); }
  // The same, after checking that the type is T.
  template <typename T>
  T* data_ptr() const {
    check_type(CppTypeToScalarType<std::remove_const_t<T>>::value);
    return static_cast<T*>(impl_->data());
  }
  template <typename T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }

  // Autograd's interface; torch/csrc/autograd implements it.
  bool requires_grad() const;
  bool is_leaf() const;
  bool retains_grad() const;
  uint32_t _version() const { return impl_->version(); }
  bool is_view() const { return impl_->view_base() != nullptr; }

 private:
  void check_type(ScalarType expected) const {
    if (C10_UNLIKELY(expected != scalar_type())) fail_type(expected);
  }
  [[noreturn]] void fail_type(ScalarType expected) const;

 protected:
  intrusive_ptr<TensorImpl> impl_;
};

}  // namespace at
