#pragma once
// Elements of any type as order keys: Note [Order keys] in ATen/native/sort/sort.h. Here a key has
// as many bytes as its element: sorts and selections take a pass for each.
//
// The type is a value of the kernel, not a template argument: all threads take the same branch, and
// a kernel is compiled once for all types.

#include <ATen/native/sort/order_key.h>
#include <cuda_runtime.h>

namespace at::native {

inline int key_bytes_of(ScalarType type) { return static_cast<int>(c10::elementSize(type)); }
// The key of NaN, above all others, or 0 where there is none.
inline uint64_t nan_key_of(ScalarType type) {
  return isFloatingType(type) ? ~uint64_t(0) >> (64 - 8 * key_bytes_of(type)) : 0;
}

class KeySource {
 public:
  // flip: all bits of a key: downwards
  KeySource(const void* data, ScalarType type, uint64_t flip = 0)
      : data_(data), flip_(flip), bytes_(key_bytes_of(type)), is_bool_(type == kBool) {
    if (type == kBool || !isSignedType(type)) return;
    sign_ = uint64_t(1) << (8 * bytes_ - 1);
    infinity_ = type == kHalf       ? 0x7c00
                : type == kBFloat16 ? 0x7f80
                : type == kFloat    ? 0x7f800000
                : type == kDouble   ? 0x7ff0000000000000
                                    : 0;
  }

  __device__ uint64_t operator()(int64_t at) const { return key(bits(at)); }

  // In two steps, so that a thread can wait for several elements at once.
  __device__ uint64_t bits(int64_t at) const {
    if (bytes_ == 4) return static_cast<const uint32_t*>(data_)[at];
    if (bytes_ == 8) return static_cast<const uint64_t*>(data_)[at];
    if (bytes_ == 2) return static_cast<const uint16_t*>(data_)[at];
    return static_cast<const uint8_t*>(data_)[at];
  }
  __device__ uint64_t key(uint64_t bits) const {
    if (is_bool_) return (bits != 0) ^ flip_;
    if (infinity_ == 0) return bits ^ sign_ ^ flip_;
    const uint64_t magnitude = bits & ~sign_, all = sign_ | (sign_ - 1);
    uint64_t key = bits & sign_ ? bits ^ all : bits | sign_;
    if (magnitude == 0) key = sign_;  // -0, too
    if (magnitude > infinity_) key = all;
    return key ^ flip_;
  }

 private:
  const void* data_;
  uint64_t flip_, sign_ = 0, infinity_ = 0;  // infinity: of floats, its bits
  int bytes_;
  bool is_bool_;
};

// An element: its key and its index. No two elements of a row are equal, so that every sort is
// stable. A key of 32 bits and its index fit one word, and words compare like pairs.
struct NarrowElement {
  using Key = uint32_t;
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
  using Key = uint64_t;
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
