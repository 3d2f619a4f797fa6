// resize_ and set_: change a tensor's sizes or its storage.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/factories/uninitialized.h>
#include <ATen/ops/resize__native.h>
#include <ATen/ops/resize_as__native.h>
#include <ATen/ops/set__native.h>

namespace at::native {
namespace {

// Sets sizes and strides, growing the tensor's storage if it is too small.
void reshape_storage(const Tensor& self, IntArrayRef size, IntArrayRef stride, int64_t offset,
                     const char* op) {
  TensorImpl* impl = self.unsafeGetTensorImpl();
  checked_numel(size, op);
  for (int64_t s : stride) {
    TORCH_CHECK(s >= 0, op, ": strides must not be negative, got size=", size,
                " and stride=", stride);
  }
  size_t needed = checked_nbytes(size, stride, offset, impl->itemsize(), op);
  maybe_resize_storage(impl, needed);
  impl->set_storage_offset(offset);
  impl->set_sizes_and_strides(size, stride);
}

void set_storage(const Tensor& self, const Storage& source, const char* op) {
  TORCH_CHECK(source && source.device() == self.device(), op, ": expected a storage on device ",
              self.device(), ", got one on ", source.device());
  TensorImpl* impl = self.unsafeGetTensorImpl();
  // The tensor no longer shares its base's memory.
  if (!impl->storage().is_alias_of(source)) impl->drop_view_base();
  impl->set_storage(source);
}

}  // namespace

Tensor& resize_(Tensor& self, IntArrayRef size, std::optional<MemoryFormat> memory_format) {
  TORCH_CHECK(!self.requires_grad(), "resize_: cannot resize variables that require grad");
  TORCH_CHECK(memory_format.value_or(MemoryFormat::Contiguous) != MemoryFormat::Preserve,
              "resize_: unsupported memory format preserve_format");
  if (self.sizes() == size && !memory_format) return self;
  checked_numel(size, "resize_");
  const size_t bytes_before = self.storage() ? self.storage().nbytes() : 0;
  if (memory_format && *memory_format != MemoryFormat::Contiguous) {
    reshape_storage(self, size, strides_for(size, *memory_format), self.storage_offset(),
                    "resize_");
  } else {
    resize_contiguous(self, size, "resize_");
  }
  define_values_from(self, bytes_before);
  return self;
}

Tensor& resize_as_(Tensor& self, const Tensor& the_template,
                   std::optional<MemoryFormat> memory_format) {
  resize_(self, the_template.sizes(), std::nullopt);
  if (memory_format) {
    MemoryFormat format = *memory_format == MemoryFormat::Preserve
                              ? the_template.suggest_memory_format()
                              : *memory_format;
    reshape_storage(self, self.sizes().vec(), strides_for(self.sizes(), format),
                    self.storage_offset(), "resize_as_");
  }
  return self;
}

Tensor& set_(Tensor& self, Storage source, int64_t storage_offset, IntArrayRef size,
             IntArrayRef stride) {
  TORCH_CHECK(storage_offset >= 0, "set_: Tensor: invalid storage offset ", storage_offset);
  TORCH_CHECK(stride.empty() || stride.size() == size.size(), "set_: unequal size length (",
              size.size(), ") and stride length (", stride.size(), ")");
  checked_numel(size, "set_");
  DimVector sizes(size), strides = stride.empty() ? contiguous_strides(size) : DimVector(stride);
  // Nothing is changed before all checks have passed.
  for (int64_t s : strides)
    TORCH_CHECK(s >= 0, "set_: strides must not be negative, got size=", size,
                " and stride=", stride);
  size_t needed = checked_nbytes(sizes, strides, storage_offset, self.itemsize(), "set_");
  TORCH_CHECK(source && (needed <= source.nbytes() || source.unsafeGetStorageImpl()->resizable()),
              "set_: size=", size, ", stride and storage offset ", storage_offset, " need ", needed,
              " bytes, but the storage has ", source.nbytes(),
              ": Trying to resize storage that is not resizable");
  set_storage(self, source, "set_");
  reshape_storage(self, sizes, strides, storage_offset, "set_");
  return self;
}

Tensor& set_(Tensor& self, Storage source) {
  TORCH_CHECK(source, "set_: the storage is undefined");
  int64_t n = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return set_(self, source, 0, {n}, {});
}

static void check_type(const Tensor& self, const Tensor& source) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "set_: Could not set tensor of type ",
              toString(source.scalar_type()), " to a tensor of type ",
              toString(self.scalar_type()));
}

Tensor& set_(Tensor& self, const Tensor& source, int64_t storage_offset, IntArrayRef size,
             IntArrayRef stride) {
  check_type(self, source);
  return set_(self, source.storage(), storage_offset, size, stride);
}

Tensor& set_(Tensor& self, const Tensor& source) {
  check_type(self, source);
  if (self.is_same(source)) return self;
  set_storage(self, source.storage(), "set_");
  reshape_storage(self, source.sizes(), source.strides(), source.storage_offset(), "set_");
  return self;
}

Tensor& set_(Tensor& self) {
  Tensor nothing = empty_tensor({0}, self.scalar_type(), self.device());
  return set_(self, nothing.storage(), 0, {0}, {});
}

}  // namespace at::native
