#pragma once
// Sizes and strides of a tensor, inside the tensor for up to five dimensions.

#include <cstdint>
#include <cstring>

#include <c10/util/ArrayRef.h>

namespace c10::impl {

class SizesAndStrides {
 public:
  static constexpr size_t kInline = 5;

  SizesAndStrides() = default;
  SizesAndStrides(const SizesAndStrides&) = delete;
  SizesAndStrides& operator=(const SizesAndStrides&) = delete;
  ~SizesAndStrides() {
    if (outside_) delete[] outside_;
  }

  size_t size() const { return size_; }
  int64_t* sizes_data() { return outside_ ? outside_ : inline_; }
  const int64_t* sizes_data() const { return outside_ ? outside_ : inline_; }
  int64_t* strides_data() { return outside_ ? outside_ + size_ : inline_ + kInline; }
  const int64_t* strides_data() const { return outside_ ? outside_ + size_ : inline_ + kInline; }
  IntArrayRef sizes() const { return {sizes_data(), size_}; }
  IntArrayRef strides() const { return {strides_data(), size_}; }

  // Makes room for n dimensions. The caller must write the values, which may come from this
  // object's own arrays only if n is unchanged.
  void resize(size_t n) {
    if (n == size_) return;
    if (outside_) delete[] outside_;
    outside_ = n > kInline ? new int64_t[2 * n] : nullptr;
    size_ = n;
  }

 private:
  size_t size_ = 0;
  int64_t* outside_ = nullptr;
  int64_t inline_[2 * kInline];
};

}  // namespace c10::impl
