#pragma once
// SmallVector<T, N>: a vector of trivially copyable T whose first N elements need no allocation.
// It converts to ArrayRef<T>. DimVector holds sizes or strides: five dimensions cover nearly
// every tensor there is.

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include <c10/util/ArrayRef.h>

namespace c10 {

template <typename T, unsigned N>
class SmallVector {
  static_assert(std::is_trivially_copyable<T>::value, "SmallVector moves its elements as bytes");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  explicit SmallVector(size_t n, T value = T()) { resize(n, value); }
  SmallVector(std::initializer_list<T> l) { append(l.begin(), l.end()); }
  SmallVector(ArrayRef<T> l) { append(l.begin(), l.end()); }
  template <typename It, typename = typename std::enable_if<!std::is_integral<It>::value>::type>
  SmallVector(It first, It last) {
    append(first, last);
  }
  SmallVector(const SmallVector& o) { append(o.begin(), o.end()); }
  SmallVector(SmallVector&& o) noexcept { take(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) {
      size_ = 0;
      append(o.begin(), o.end());
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      release();
      take(o);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }

  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  template <typename... A>
  T& emplace_back(A&&... a) {
    push_back(T{static_cast<A&&>(a)...});
    return back();
  }
  void reserve(size_t n) {
    if (n > capacity_) grow(n);
  }
  void resize(size_t n, T value = T()) {
    if (n > capacity_) grow(n);
    for (size_t i = size_; i < n; ++i) data_[i] = value;
    size_ = n;
  }
  void assign(size_t n, T value) {
    size_ = 0;
    resize(n, value);
  }
  template <typename It>
  void append(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  void insert(T* at, T value) {
    size_t k = at - data_;
    push_back(value);
    std::memmove(static_cast<void*>(data_ + k + 1), data_ + k, (size_ - 1 - k) * sizeof(T));
    data_[k] = value;
  }
  void erase(T* at) {
    std::memmove(static_cast<void*>(at), at + 1, (end() - (at + 1)) * sizeof(T));
    --size_;
  }

  operator ArrayRef<T>() const { return ArrayRef<T>(data_, size_); }

 private:
  void grow(size_t min) {
    const size_t capacity = min > 2 * capacity_ ? min : 2 * capacity_;
    T* new_data = static_cast<T*>(std::malloc(capacity * sizeof(T)));
    if (!new_data) std::abort();
    std::memcpy(static_cast<void*>(new_data), data_, size_ * sizeof(T));
    release();
    data_ = new_data;
    capacity_ = capacity;
  }
  void release() {
    if (data_ != local()) std::free(data_);
  }
  void take(SmallVector& o) {
    size_ = o.size_;
    if (o.data_ == o.local()) {
      data_ = local();
      capacity_ = N;
      std::memcpy(static_cast<void*>(data_), o.data_, size_ * sizeof(T));
    } else {
      data_ = o.data_;
      capacity_ = o.capacity_;
      o.data_ = o.local();
      o.capacity_ = N;
    }
    o.size_ = 0;
  }
  T* local() { return reinterpret_cast<T*>(inline_); }

  T* data_ = local();
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) unsigned char inline_[N * sizeof(T)];
};

constexpr unsigned kDimVectorStaticSize = 5;
using DimVector = SmallVector<int64_t, kDimVectorStaticSize>;

}  // namespace c10
