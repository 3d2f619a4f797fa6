#pragma once
// Elements of any type as order keys: Note [Order keys] in ATen/native/sort/sort.h.
//
// The type is a value of the kernel, not a template argument: all threads take the same branch, and
// a kernel is compiled once for all types.

#include <ATen/native/sort/order_key.h>
#include <cuda_runtime.h>

namespace at::native {

struct KeySource {
  const void* data;
  ScalarType type;
  uint64_t flip = 0;  // all bits of a key: downwards

  __device__ uint64_t operator()(int64_t at) const { return key(at) ^ flip; }

 private:
  template <typename T>
  __device__ uint64_t of(int64_t at) const {
    return key_of(static_cast<const T*>(data)[at]);
  }
  __device__ uint64_t key(int64_t at) const {
    switch (type) {
      case kBool:
        return of<bool>(at);
      case kByte:
        return of<uint8_t>(at);
      case kChar:
        return of<int8_t>(at);
      case kShort:
        return of<int16_t>(at);
      case kInt:
        return of<int32_t>(at);
      case kLong:
        return of<int64_t>(at);
      case kUInt16:
        return of<uint16_t>(at);
      case kUInt32:
        return of<uint32_t>(at);
      case kUInt64:
        return of<uint64_t>(at);
      case kHalf:
        return of<c10::Half>(at);
      case kBFloat16:
        return of<c10::BFloat16>(at);
      case kFloat:
        return of<float>(at);
      default:
        return of<double>(at);
    }
  }
};

// An element: its key and its index. No two elements of a row are equal, so that every sort is
// stable. A key of 32 bits and its index fit one word, and words compare like pairs.
struct NarrowElement {
  uint64_t word;
  __device__ static NarrowElement make(uint64_t key, int64_t index) {
    return {key << 32 | static_cast<uint64_t>(index)};
  }
  // After all others.
  __device__ static NarrowElement last() { return {~uint64_t(0)}; }
  __device__ uint64_t key() const { return word >> 32; }
  __device__ int64_t index() const { return static_cast<int64_t>(word & 0xffffffffu); }
};
struct WideElement {
  uint64_t key_;
  int64_t index_;
  __device__ static WideElement make(uint64_t key, int64_t index) { return {key, index}; }
  __device__ static WideElement last() { return {~uint64_t(0), INT64_MAX}; }
  __device__ uint64_t key() const { return key_; }
  __device__ int64_t index() const { return index_; }
};
__device__ inline bool is_before(NarrowElement a, NarrowElement b) { return a.word < b.word; }
__device__ inline bool is_before(const WideElement& a, const WideElement& b) {
  return a.key_ != b.key_ ? a.key_ < b.key_ : a.index_ < b.index_;
}

}  // namespace at::native
