// Tensors over memory that the caller owns.

#include <ATen/ops/from_blob.h>

#include <memory>

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

namespace at {

namespace {

using Deleter = std::function<void(void*)>;

// The offset of the end of the last element, in bytes.
size_t bytes_reached(IntArrayRef sizes, IntArrayRef strides, int64_t offset, size_t itemsize) {
  checked_numel(sizes, "from_blob");
  int64_t last = offset, reach, elements = 1;
  bool fits = true;
  for (size_t d = 0; d < sizes.size(); ++d) {
    TORCH_CHECK(strides[d] >= 0, "from_blob: negative strides are not supported, got ", strides);
    elements = sizes[d] == 0 ? 0 : elements;
    fits = fits && !__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  if (elements == 0) return 0;
  fits = fits && !__builtin_add_overflow(last, int64_t(1), &last) &&
         !__builtin_mul_overflow(last, static_cast<int64_t>(itemsize), &last);
  TORCH_CHECK(fits, "from_blob: Storage size calculation overflowed with sizes=", sizes,
              " and strides=", strides);
  return static_cast<size_t>(last);
}

Tensor over(void* data, IntArrayRef sizes, IntArrayRef strides, int64_t offset,
            const Deleter& deleter, const TensorOptions& options, std::optional<Device> device) {
  Device where = device.value_or(options.device());
  TORCH_CHECK(where.is_cpu() && options.device().is_cpu(),
              "from_blob: memory of the CPU is expected, got device ", where);
  TORCH_CHECK(options.layout() == kStrided, "from_blob: only strided tensors lie over memory, got ",
              options.layout());
  TORCH_CHECK(sizes.size() == strides.size(), "from_blob: dimensionality of sizes (", sizes.size(),
              ") must match dimensionality of strides (", strides.size(), ")");
  TORCH_CHECK(offset >= 0, "from_blob: the storage offset must not be negative, got ", offset);
  size_t bytes = bytes_reached(sizes, strides, offset, elementSize(options.dtype()));
  TORCH_CHECK(data || bytes == 0, "from_blob: a null pointer cannot hold a tensor of sizes ",
              sizes);

  struct Owner {
    Deleter deleter;
    void* data;
  };
  Storage storage = deleter ? Storage::from_blob(data, bytes, new Owner{deleter, data},
                                                 [](void* context) {
    std::unique_ptr<Owner> owner(static_cast<Owner*>(context));
    owner->deleter(owner->data);
  }, kCPU)
                            : Storage::from_blob(data, bytes, nullptr, nullptr, kCPU);
  auto impl =
      make_intrusive<TensorImpl>(std::move(storage), DispatchKey::CPU, options.dtype(), kCPU);
  impl->set_sizes_and_strides(sizes, strides);
  impl->set_storage_offset(offset);
  Tensor result(std::move(impl));
  if (options.requires_grad()) result.set_requires_grad(true);
  return result;
}

DimVector dense(IntArrayRef sizes) {
  checked_numel(sizes, "from_blob");
  return contiguous_strides(sizes);
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options,
                 std::optional<Device> device) {
  return over(data, sizes, dense(sizes), 0, nullptr, options, device);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return over(data, sizes, strides, 0, nullptr, options, std::nullopt);
}
Tensor from_blob(void* data, IntArrayRef sizes, const Deleter& deleter,
                 const TensorOptions& options, std::optional<Device> device) {
  return over(data, sizes, dense(sizes), 0, deleter, options, device);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const Deleter& deleter,
                 const TensorOptions& options, std::optional<Device> device) {
  return over(data, sizes, strides, 0, deleter, options, device);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset,
                 const Deleter& deleter, const TensorOptions& options,
                 std::optional<Device> device) {
  return over(data, sizes, strides, storage_offset, deleter, options, device);
}

}  // namespace at
