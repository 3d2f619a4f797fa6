#pragma once
// Device memory from functions of a program's own library, in place of the caching allocator.

#include <functional>

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

// What a program's library has: `extern "C" void* f(ssize_t size, int device, cudaStream_t
// stream)`, and `extern "C" void f(void* address, ssize_t size, int device, cudaStream_t stream)`.
using AllocFunction = void* (*)(ssize_t, int, cudaStream_t);
using FreeFunction = void (*)(void*, ssize_t, int, cudaStream_t);

class C10_API PluggableAllocator final : public Allocator {
 public:
  PluggableAllocator(AllocFunction alloc, FreeFunction free) : alloc_(alloc), free_(free) {}
  DataPtr allocate(size_t bytes) override;
  // The two functions, with the device as the current one. Null if there is no memory.
  void* take(size_t bytes, DeviceIndex device, cudaStream_t stream) const;
  void give_back(void* address, size_t bytes, DeviceIndex device, cudaStream_t stream) const;

 private:
  AllocFunction alloc_;
  FreeFunction free_;
};

// New tensors get their memory from it. Throws if the process has used device memory already.
C10_API void change_current_allocator(PluggableAllocator* allocator);
C10_API bool has_pluggable_allocator();

}  // namespace c10::cuda
