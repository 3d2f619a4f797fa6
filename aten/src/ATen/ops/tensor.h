#pragma once
// at::tensor: a tensor with the given values.
//
//   at::tensor(3), at::tensor({1.5, 2.5}), at::tensor({{1, 2}, {3, 4}}, at::kFloat)
//   at::tensor(std::vector<float>{1, 2})
//
// Without a dtype, integers give Long, floats the default dtype, bools Bool. Always copies.

#include <initializer_list>
#include <type_traits>
#include <vector>

#include <ATen/core/Tensor.h>

namespace at {

namespace detail {

template <typename T>
constexpr ScalarType element_type() {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool s = std::is_signed_v<T>;  // `long long` is not int64_t on every platform
    return sizeof(T) == 1   ? (s ? kChar : kByte)
           : sizeof(T) == 2 ? (s ? kShort : kUInt16)
           : sizeof(T) == 4 ? (s ? kInt : kUInt32)
                            : (s ? kLong : kUInt64);
  } else {
    return CppTypeToScalarType<T>::value;
  }
}
template <typename T, typename = void>
constexpr bool kIsElement = std::is_integral_v<T>;
template <typename T>
constexpr bool kIsElement<T, std::void_t<decltype(CppTypeToScalarType<T>::value)>> = true;

// A number, a list of such, or an array in memory. Valid for one call.
class TensorDataContainer {
 public:
  TensorDataContainer() : kind_(Kind::List) {}
  template <typename T, std::enable_if_t<kIsElement<T>, bool> = true>
  TensorDataContainer(T value) : kind_(Kind::Number), dtype_(element_type<T>()), number_(value) {}
  TensorDataContainer(std::initializer_list<TensorDataContainer> list)
      : kind_(Kind::List), list_(list) {}
  template <typename T, std::enable_if_t<kIsElement<T> && !std::is_same_v<T, bool>, bool> = true>
  TensorDataContainer(const std::vector<T>& values) : TensorDataContainer(ArrayRef<T>(values)) {}
  template <typename T, std::enable_if_t<kIsElement<T>, bool> = true>
  TensorDataContainer(ArrayRef<T> values)
      : kind_(Kind::Memory),
        dtype_(element_type<T>()),
        data_(values.data()),
        size_(static_cast<int64_t>(values.size())) {}

  Tensor to_tensor(const TensorOptions& options) const;

 private:
  enum class Kind : uint8_t { Number, List, Memory };
  DimVector sizes() const;
  ScalarType dtype() const;
  void check(IntArrayRef sizes, ScalarType dtype) const;
  void put(const Tensor& into) const;

  Kind kind_;
  ScalarType dtype_ = ScalarType::Undefined;
  Scalar number_;
  std::vector<TensorDataContainer> list_;
  const void* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace detail

// Throws for lists of different lengths or kinds of numbers, and for a number that the dtype cannot
// represent.
inline Tensor tensor(const detail::TensorDataContainer& data, const TensorOptions& options = {}) {
  return data.to_tensor(options);
}

}  // namespace at
