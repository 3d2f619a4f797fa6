#pragma once
// Memory that a function of NVIDIA's libraries asks for, on the device and on the host.

#include <memory>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>

namespace at::native {

// Calls run(device_memory, bytes, host_memory, bytes) with as much memory as size(&bytes, &bytes)
// asks for.
template <typename Size, typename Run>
void with_workspaces(Device device, const Size& size, const Run& run) {
  size_t on_device = 0, on_host = 0;
  size(&on_device, &on_host);
  Tensor memory = empty_tensor({static_cast<int64_t>(on_device)}, kByte, device);
  std::unique_ptr<char[]> host(new char[on_host + 1]);
  run(memory.data_ptr(), on_device, static_cast<void*>(host.get()), on_host);
}

}  // namespace at::native
