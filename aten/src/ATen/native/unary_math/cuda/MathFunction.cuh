#pragma once
// Registers a function of one floating-point or complex number.

#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>

// A function of both kinds of numbers: `real` of x, and `complex` of x.
#define MATH_FUNCTION(Name, stub, real, complex)                                            \
  template <typename T>                                                                     \
  struct Name {                                                                             \
    __device__ T operator()(T x) const {                                                    \
      if constexpr (is_complex_v<T>) return static_cast<T>(complex);                        \
      else return static_cast<T>(real);                                                     \
    }                                                                                       \
  };                                                                                        \
  void stub##_kernel(TensorIteratorBase& iter) { floats_and_complexes<Name>(iter, #stub); } \
  REGISTER_CUDA_DISPATCH(stub##_stub, &stub##_kernel)
