#pragma once
// What operators on lists compute for one element: in float, double, complex numbers of these, or
// integers of 64 bits. See ForeachOp; each function has the operators that its numbers have.

#include <cmath>

#include <ATen/native/common/ListsAtOnce.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>

namespace at::native::lists {

template <typename O>
__device__ O of_one(ForeachOp op, O a) {
  if constexpr (is_complex_v<O>) {
    switch (op) {
      case ForeachOp::abs:
        return O(complex_math::abs(a));
      case ForeachOp::exp:
        return complex_math::exp(a);
      case ForeachOp::neg:
        return -a;
      case ForeachOp::reciprocal:
        return O(1) / a;
      default:
        return complex_math::sqrt(a);
    }
  } else if constexpr (std::is_integral_v<O>) {
    switch (op) {
      case ForeachOp::abs:
        return a < 0 ? wrapping_difference(O(0), a) : a;
      case ForeachOp::neg:
        return wrapping_difference(O(0), a);
      default:
        return (0 < a) - (a < 0);
    }
  } else {
    switch (op) {
      case ForeachOp::abs:
        return std::abs(a);
      case ForeachOp::exp:
        return std::exp(a);
      case ForeachOp::neg:
        return -a;
      case ForeachOp::reciprocal:
        return O(1) / a;
      case ForeachOp::sign:
        return static_cast<O>((O(0) < a) - (a < O(0)));
      default:
        return std::sqrt(a);
    }
  }
}

template <typename O>
__device__ O power(O a, O b) {
  if (b == O(2)) return a * a;
  if (b == O(0.5)) return std::sqrt(a);
  return std::pow(a, b);
}

template <typename O>
__device__ O of_two(ForeachOp op, O a, O b, O alpha) {
  if constexpr (is_complex_v<O>) {
    switch (op) {
      case ForeachOp::add:
        return a + alpha * b;
      case ForeachOp::sub:
        return a - alpha * b;
      case ForeachOp::mul:
        return a * b;
      default:
        return a / b;
    }
  } else if constexpr (std::is_integral_v<O>) {
    switch (op) {
      case ForeachOp::add:
        return wrapping_sum(a, wrapping_product(alpha, b));
      case ForeachOp::sub:
        return wrapping_difference(a, wrapping_product(alpha, b));
      case ForeachOp::mul:
        return wrapping_product(a, b);
      case ForeachOp::max:
        return a > b ? a : b;
      default:
        return a < b ? a : b;
    }
  } else {
    switch (op) {
      case ForeachOp::add:
        return a + alpha * b;
      case ForeachOp::sub:
        return a - alpha * b;
      case ForeachOp::mul:
        return a * b;
      case ForeachOp::div:
        return a / b;
      case ForeachOp::max:  // of a NaN, NaN
        return a != a || a > b ? a : b;
      case ForeachOp::min:
        return a != a || a < b ? a : b;
      case ForeachOp::pow:
        return power(a, b);
      default:
        return power(b, a);
    }
  }
}

// From the nearer end, so that weight 1 gives b exactly.
template <typename O>
__device__ O interpolate(O a, O b, O weight) {
  bool is_near;
  if constexpr (is_complex_v<O>)
    is_near = weight.real() * weight.real() + weight.imag() * weight.imag() < 0.25f;
  else is_near = std::abs(weight) < O(0.5);
  return is_near ? a + weight * (b - a) : b - (b - a) * (O(1) - weight);
}

template <typename O>
__device__ O of_three(ForeachOp op, O a, O b, O c, O value) {
  if constexpr (std::is_integral_v<O>) {
    return wrapping_sum(a, wrapping_product(wrapping_product(value, b), c));  // addcmul
  } else {
    switch (op) {
      case ForeachOp::addcmul:
        return a + value * b * c;
      case ForeachOp::addcdiv:
        return a + value * b / c;
      default:
        return interpolate(a, b, c);
    }
  }
}

}  // namespace at::native::lists
