// resize and set: what their in-place forms make of a copy.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/resize__ops.h>
#include <ATen/ops/resize_as__ops.h>
#include <ATen/ops/resize_as_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set__ops.h>
#include <ATen/ops/set_native.h>

namespace at::native {

static Tensor copied(const Tensor& self) { return at::clone(at::detach(self)); }

Tensor resize(const Tensor& self, IntArrayRef size, std::optional<MemoryFormat> memory_format) {
  Tensor result = copied(self);
  return _ops::resize_::call(result, size, memory_format);
}

Tensor resize_as(const Tensor& self, const Tensor& the_template,
                 std::optional<MemoryFormat> memory_format) {
  Tensor result = copied(self);
  return _ops::resize_as_::call(result, the_template, memory_format);
}

Tensor set(const Tensor& self, Storage source) {
  Tensor result = copied(self);
  return _ops::set__source_Storage::call(result, std::move(source));
}

Tensor set(const Tensor& self, Storage source, int64_t storage_offset, IntArrayRef size,
           IntArrayRef stride) {
  Tensor result = copied(self);
  return _ops::set__source_Storage_storage_offset::call(result, std::move(source), storage_offset,
                                                        size, stride);
}

Tensor set(const Tensor& self, const Tensor& source) {
  Tensor result = copied(self);
  return _ops::set__source_Tensor::call(result, source);
}

Tensor set(const Tensor& self) {
  Tensor result = copied(self);
  return _ops::set_::call(result);
}

}  // namespace at::native
