#pragma once
// Fills memory with one element.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Fills n elements of `item` bytes (1, 2, 4, 8 or 16), dense and aligned to their size.
DECLARE_DISPATCH(void (*)(void* data, const void* value, size_t item, int64_t n),
                 fill_pattern_stub);
// The same for elements in two dimensions, each with a stride in bytes.
DECLARE_DISPATCH(void (*)(char* first, const int64_t* strides, const int64_t* sizes,
                          const void* value, size_t item),
                 fill_strided_stub);

// fill_ without dispatching, if this library has a kernel for the device.
void fill_elements(const Tensor& self, const Scalar& value);

// A number as an element of T: in types of less than 32 bits, values out of range become infinity
// or the maximum; in others they are errors.
template <typename T>
T checked_value(const Scalar& value) {
  if constexpr (is_complex_v<T>) {
    return value.cast<T>();
  } else if constexpr (is_reduced_float_v<T>) {
    return T(value.to<float>());
  } else {
    return value.to<T>();
  }
}

}  // namespace at::native
