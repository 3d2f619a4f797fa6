#pragma once
// Numbers of the tensors of a list: of the host, or in 0-dimensional tensors on the device.

#include <ATen/OpMathType.h>
#include <ATen/native/common/ListsAtOnce.h>
#include <ATen/native/common/cuda/TensorGroups.cuh>

namespace at::native {

enum class NumberType : uint8_t { host, same, of_float, of_double };

// A number of another type becomes one of the list's type first, as a conversion of it would.
template <typename T, typename Group>
__device__ opmath_type<T> list_number(const Group& group, int tensor, NumberType type) {
  using O = opmath_type<T>;
  const GroupNumber number = group.number[tensor];
  switch (type) {
    case NumberType::same:
      return static_cast<O>(*static_cast<const T*>(number.on_device));
    case NumberType::of_float:
      return static_cast<O>(static_cast<T>(*static_cast<const float*>(number.on_device)));
    case NumberType::of_double:
      return static_cast<O>(static_cast<T>(*static_cast<const double*>(number.on_device)));
    default:
      return static_cast<O>(number.value);
  }
}

inline NumberType number_type(const Tensor& number, const Tensor& self) {
  if (number.scalar_type() == self.scalar_type()) return NumberType::same;
  return number.scalar_type() == kFloat ? NumberType::of_float : NumberType::of_double;
}

}  // namespace at::native
