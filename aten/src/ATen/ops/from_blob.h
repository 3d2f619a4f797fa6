#pragma once
// from_blob: a tensor over memory with another owner.
//
//   float data[6];
//   at::Tensor x = at::from_blob(data, {2, 3});                            // data outlives x
//   at::Tensor y = at::from_blob(p, {n}, [](void* p) { free(p); }, at::kInt);  // y owns p
//
// Nothing is copied. Throws for negative sizes and strides.

#include <functional>

#include <ATen/core/Tensor.h>

namespace at {

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {},
                 std::optional<Device> target_device = std::nullopt);
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const TensorOptions& options = {});
// `deleter(data)` is called when the last tensor that uses the memory is gone.
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options = {},
                 std::optional<Device> target_device = std::nullopt);
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options = {},
                 std::optional<Device> target_device = std::nullopt);
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset,
                 const std::function<void(void*)>& deleter, const TensorOptions& options = {},
                 std::optional<Device> target_device = std::nullopt);

}  // namespace at
