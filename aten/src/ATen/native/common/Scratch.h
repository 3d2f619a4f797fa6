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

// One block of such memory, of which arrays are taken one after the other.
class ScratchArrays {
 public:
  explicit ScratchArrays(int64_t bytes) : memory_(bytes), next_(memory_.get()) {}

  template <typename T>
  T* take(int64_t n) {
    T* array = reinterpret_cast<T*>(next_);
    next_ += n * static_cast<int64_t>(sizeof(T));
    return array;
  }

 private:
  Scratch<char> memory_;
  char* next_;
};

}  // namespace at::native
