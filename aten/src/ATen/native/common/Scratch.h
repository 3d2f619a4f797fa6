#pragma once
// Memory that a kernel needs while it runs.

#include <type_traits>

#include <c10/core/CPUAllocator.h>

namespace at::native {

// n elements without values. They come from the caching allocator: malloc gives large buffers back
// to the system, and the next call waits for each of their pages again.
template <typename T>
class Scratch {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit Scratch(int64_t n)
      : data_(c10::GetCPUAllocator()->allocate(sizeof(T) * static_cast<size_t>(n))) {}
  T* get() const { return static_cast<T*>(data_.get()); }
  T& operator[](int64_t i) const { return get()[i]; }

 private:
  c10::DataPtr data_;
};

}  // namespace at::native
