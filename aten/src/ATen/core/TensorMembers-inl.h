#pragma once
// The definitions of TensorMembers.inc and of Tensor's C++ operators. Part of the generated
// TensorMethods.cpp.

#include <ATen/TensorIndexing.h>
#include <ATen/core/Tensor.h>

#include <vector>

#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_not.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/remainder.h>

namespace at {

void Tensor::check_dims_for_accessor(size_t requested) const {
  TORCH_CHECK(dim() == static_cast<int64_t>(requested), "TensorAccessor expected ", requested,
              " dims but tensor has ", dim());
}

Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
  return indexing::get_item(*this, indices);
}
Tensor Tensor::index(std::initializer_list<indexing::TensorIndex> indices) const {
  return indexing::get_item(*this, indices);
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value) {
  indexing::set_item(*this, indices, value);
  return *this;
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) {
  indexing::set_item(*this, indices, value);
  return *this;
}
Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices,
                           const Tensor& value) {
  return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
}
Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices,
                           const Scalar& value) {
  return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
}
Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices,
                           const Tensor& value, bool accumulate) {
  indexing::set_item(*this, indices, value, accumulate);
  return *this;
}
Tensor Tensor::operator[](int64_t index) const {
  return indexing::get_item(*this, indexing::TensorIndex(index));
}
Tensor Tensor::operator[](const Tensor& index) const {
  return indexing::get_item(*this, indexing::TensorIndex(index));
}
Tensor Tensor::operator[](const Scalar& index) const {
  TORCH_CHECK_INDEX(index.isIntegral(/*include_bool=*/false),
                    "Can only index tensors with integral scalars, got ", index);
  return (*this)[index.toLong()];
}

Tensor& Tensor::operator=(const Tensor& value) && { return copy_(value); }
Tensor& Tensor::operator=(Tensor&& value) && { return copy_(value); }
Tensor& Tensor::operator=(const Scalar& value) && { return fill_(value); }

Tensor Tensor::to(const TensorOptions& o, bool non_blocking, bool copy,
                  std::optional<MemoryFormat> memory_format) const {
  TORCH_CHECK(!o.requires_grad(), "to: options with requires_grad make no sense here");
  return to(o.dtype_opt(), o.layout_opt(), o.device_opt(), o.pinned_memory_opt(), non_blocking,
            copy, memory_format ? memory_format : o.memory_format_opt());
}

static Tensor with_grad(Tensor made, const TensorOptions& o) {
  if (o.requires_grad()) made.set_requires_grad(true);
  return made;
}
Tensor Tensor::new_empty(IntArrayRef size, const TensorOptions& o) const {
  return with_grad(
      new_empty(size, o.dtype_opt(), o.layout_opt(), o.device_opt(), o.pinned_memory_opt()), o);
}
Tensor Tensor::new_zeros(IntArrayRef size, const TensorOptions& o) const {
  return with_grad(
      new_zeros(size, o.dtype_opt(), o.layout_opt(), o.device_opt(), o.pinned_memory_opt()), o);
}
Tensor Tensor::new_ones(IntArrayRef size, const TensorOptions& o) const {
  return with_grad(
      new_ones(size, o.dtype_opt(), o.layout_opt(), o.device_opt(), o.pinned_memory_opt()), o);
}
Tensor Tensor::new_full(IntArrayRef size, const Scalar& value, const TensorOptions& o) const {
  return with_grad(
      new_full(size, value, o.dtype_opt(), o.layout_opt(), o.device_opt(), o.pinned_memory_opt()),
      o);
}

Tensor& Tensor::operator+=(const Tensor& o) { return add_(o); }
Tensor& Tensor::operator+=(const Scalar& o) { return add_(o); }
Tensor& Tensor::operator-=(const Tensor& o) { return sub_(o); }
Tensor& Tensor::operator-=(const Scalar& o) { return sub_(o); }
Tensor& Tensor::operator*=(const Tensor& o) { return mul_(o); }
Tensor& Tensor::operator*=(const Scalar& o) { return mul_(o); }
Tensor& Tensor::operator/=(const Tensor& o) { return div_(o); }
Tensor& Tensor::operator/=(const Scalar& o) { return div_(o); }
Tensor& Tensor::operator&=(const Tensor& o) { return bitwise_and_(o); }
Tensor& Tensor::operator|=(const Tensor& o) { return bitwise_or_(o); }
Tensor& Tensor::operator^=(const Tensor& o) { return bitwise_xor_(o); }
Tensor Tensor::operator~() const { return at::bitwise_not(*this); }
Tensor Tensor::operator!() const { return at::logical_not(*this); }

Tensor operator==(const Tensor& a, const Tensor& b) { return at::eq(a, b); }
Tensor operator==(const Tensor& a, const Scalar& b) { return at::eq(a, b); }
Tensor operator!=(const Tensor& a, const Tensor& b) { return at::ne(a, b); }
Tensor operator!=(const Tensor& a, const Scalar& b) { return at::ne(a, b); }
Tensor operator<(const Tensor& a, const Tensor& b) { return at::lt(a, b); }
Tensor operator<(const Tensor& a, const Scalar& b) { return at::lt(a, b); }
Tensor operator<=(const Tensor& a, const Tensor& b) { return at::le(a, b); }
Tensor operator<=(const Tensor& a, const Scalar& b) { return at::le(a, b); }
Tensor operator>(const Tensor& a, const Tensor& b) { return at::gt(a, b); }
Tensor operator>(const Tensor& a, const Scalar& b) { return at::gt(a, b); }
Tensor operator>=(const Tensor& a, const Tensor& b) { return at::ge(a, b); }
Tensor operator>=(const Tensor& a, const Scalar& b) { return at::ge(a, b); }
Tensor operator==(const Scalar& a, const Tensor& b) { return at::eq(b, a); }
Tensor operator!=(const Scalar& a, const Tensor& b) { return at::ne(b, a); }
Tensor operator<(const Scalar& a, const Tensor& b) { return at::gt(b, a); }
Tensor operator<=(const Scalar& a, const Tensor& b) { return at::ge(b, a); }
Tensor operator>(const Scalar& a, const Tensor& b) { return at::lt(b, a); }
Tensor operator>=(const Scalar& a, const Tensor& b) { return at::le(b, a); }
Tensor operator%(const Tensor& a, const Tensor& b) { return at::remainder(a, b); }
Tensor operator%(const Tensor& a, const Scalar& b) { return at::remainder(a, b); }
Tensor operator&(const Tensor& a, const Tensor& b) { return at::bitwise_and(a, b); }
Tensor operator&(const Tensor& a, const Scalar& b) { return at::bitwise_and(a, b); }
Tensor operator|(const Tensor& a, const Tensor& b) { return at::bitwise_or(a, b); }
Tensor operator|(const Tensor& a, const Scalar& b) { return at::bitwise_or(a, b); }
Tensor operator^(const Tensor& a, const Tensor& b) { return at::bitwise_xor(a, b); }
Tensor operator^(const Tensor& a, const Scalar& b) { return at::bitwise_xor(a, b); }

}  // namespace at
