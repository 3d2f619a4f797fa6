// clone, contiguous, to, type_as, item and other conversions of a tensor.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/factories/factories.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_pin_memory.h>
#include <ATen/ops/_pin_memory_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_to_copy_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/clone_native.h>
#include <ATen/ops/contiguous_native.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/detach_native.h>
#include <ATen/ops/is_nonzero_native.h>
#include <ATen/ops/item_native.h>
#include <ATen/ops/pin_memory_native.h>
#include <ATen/ops/to_native.h>
#include <ATen/ops/type_as_native.h>
#include <c10/core/impl/PinnedMemory.h>

namespace at::native {

static Tensor copy_in_format(const Tensor& self, MemoryFormat format, ScalarType dtype,
                             Device device, std::optional<bool> pin_memory = std::nullopt,
                             bool non_blocking = false) {
  DimVector strides = strides_in_format(self, format);
  Tensor result = strides.empty() ? empty_tensor(self.sizes(), dtype, device)
                                  : empty_strided_tensor(self.sizes(), strides, dtype, device);
  result = in_pinned_memory("to", std::move(result), pin_memory);
  at::native::copy_(result, self, non_blocking);
  return result;
}

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  return copy_in_format(self, memory_format.value_or(MemoryFormat::Preserve), self.scalar_type(),
                        self.device());
}

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  TORCH_CHECK(memory_format != MemoryFormat::Preserve,
              "contiguous: preserve memory format is unsupported by the contiguous operator");
  if (self.is_contiguous(memory_format)) return self;
  return at::clone(self, memory_format);
}

static const c10::impl::PinnedMemory* pinned_memory_for(const Tensor& self,
                                                        std::optional<Device> device) {
  TORCH_CHECK(self.device().is_cpu(), "cannot pin '", self.toString(),
              "': only dense CPU tensors can be pinned");
  TORCH_CHECK(!device || !device->is_cpu(), "pin_memory(): the CPU is no accelerator");
  const auto* pinned =
      c10::impl::pinned_memory(device ? std::optional(device->type()) : std::nullopt);
  TORCH_CHECK(pinned, "pin_memory(): there is no accelerator that memory could be pinned for");
  return pinned;
}

Tensor _pin_memory(const Tensor& self, std::optional<Device> device) {
  const auto* pinned = pinned_memory_for(self, device);
  Tensor result = empty_strided_tensor(self.sizes(), self.strides(), self.scalar_type());
  result.unsafeGetTensorImpl()->set_storage(
      Storage::allocate(result.storage().nbytes(), pinned->allocator()));
  at::native::copy_(result, self, false);
  return result;
}

Tensor pin_memory(const Tensor& self, std::optional<Device> device) {
  return pinned_memory_for(self, device)->contains(self.storage().data())
             ? self
             : at::_pin_memory(self, device);
}

Tensor _to_copy(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking,
                std::optional<MemoryFormat> memory_format) {
  check_factory_options("to", layout);
  return copy_in_format(self, memory_format.value_or(MemoryFormat::Preserve),
                        dtype.value_or(self.scalar_type()), device.value_or(self.device()),
                        pin_memory, non_blocking);
}

// --- to -----------------------------------------------------------------------------------------

Tensor to(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
          std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking,
          bool copy, std::optional<MemoryFormat> memory_format) {
  MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  bool same = (!dtype || *dtype == self.scalar_type()) && (!layout || *layout == self.layout()) &&
              (!device || *device == self.device() ||
               (device->type() == self.device().type() && !device->has_index())) &&
              (format == MemoryFormat::Preserve || self.suggest_memory_format() == format);
  if (same && !copy) return self;
  return at::_to_copy(self, dtype, layout, device, pin_memory, non_blocking, memory_format);
}

Tensor to(const Tensor& self, Device device, ScalarType dtype, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  return to(self, dtype, std::nullopt, device, std::nullopt, non_blocking, copy, memory_format);
}

Tensor to(const Tensor& self, ScalarType dtype, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  return to(self, dtype, std::nullopt, std::nullopt, std::nullopt, non_blocking, copy,
            memory_format);
}

Tensor to(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  return to(self, other.scalar_type(), other.layout(), other.device(), std::nullopt, non_blocking,
            copy, memory_format);
}

Tensor type_as(const Tensor& self, const Tensor& other) {
  return to(self, other, false, false, std::nullopt);
}

// --- single values ------------------------------------------------------------------------------

Scalar item(const Tensor& self) {
  TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(),
              " elements cannot be converted to Scalar");
  const bool batched =
      self.key_set().has(c10::Functionality::FuncTorchBatched);  // has its own error
  TORCH_CHECK(has_values(self) || batched, "Tensor.item() cannot be called on meta tensors");
  return at::_local_scalar_dense(self);
}

bool is_nonzero(const Tensor& self) {
  int64_t n = self.numel();
  TORCH_CHECK(n != 0, "Boolean value of Tensor with no values is ambiguous");
  TORCH_CHECK(n == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return !item(self).equal(0);
}

// --- the same memory without history ------------------------------------------------------------

Tensor detach(const Tensor& self) { return Tensor(self.unsafeGetTensorImpl()->shallow_copy()); }

}  // namespace at::native
