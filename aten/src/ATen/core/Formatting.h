#pragma once
// std::cout << tensor, and the same for the values that describe one.

#include <ostream>
#include <type_traits>

#include <ATen/core/Tensor.h>

namespace c10 {

std::ostream& operator<<(std::ostream& out, ScalarType dtype);
std::ostream& operator<<(std::ostream& out, Device device);
std::ostream& operator<<(std::ostream& out, DeviceType type);
std::ostream& operator<<(std::ostream& out, Layout layout);
std::ostream& operator<<(std::ostream& out, MemoryFormat format);
std::ostream& operator<<(std::ostream& out, DispatchKey key);
std::ostream& operator<<(std::ostream& out, DispatchKeySet keys);
std::ostream& operator<<(std::ostream& out, const Scalar& number);
std::ostream& operator<<(std::ostream& out, const TensorOptions& options);
std::ostream& operator<<(std::ostream& out, Half v);
std::ostream& operator<<(std::ostream& out, BFloat16 v);

// [2, 3]
template <typename T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> list) {
  const char* before = "[";
  for (const T& one : list) {
    out << before << one;
    before = ", ";
  }
  return out << (list.empty() ? "[]" : "]");
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return b.equals(a);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
  return !b.equals(a);
}
template <typename T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
  return !a.equals(b);
}

}  // namespace c10

namespace at {

// Every element, in rows of at most `line_size` characters, and the type: PyTorch's format. Numbers
// have four digits after the point, and share an exponent or a factor if they are far from 1.
std::ostream& print(std::ostream& out, const Tensor& tensor, int64_t line_size = 80);
inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return print(out, tensor);
}
// For c10::str and TORCH_CHECK.
std::string to_string(const Tensor& tensor);

}  // namespace at
