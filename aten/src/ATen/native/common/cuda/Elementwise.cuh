#pragma once
// Elementwise kernels by kind of number: for a functor template F,
//
//   floats<F>(iter, "floor");     // Half, BFloat16, float, double: F<float> or F<double>
//   numbers<F>(iter, "relu");     // these, and signed and unsigned integers: F<int32_t>, ...
//   complexes<F>(iter, "sgn");    // F<c10::complex<float>> or F<c10::complex<double>>
//
// Functors take and return their template argument, the type in which elements are computed.

#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {

using ComplexAndHalf = JoinT<ComplexTypes, TypeList<c10::complex<c10::Half>>>;

// The members of a functor: a Scalar that its type cannot hold is refused.
template <typename M>
M member_as(double value) {
  return static_cast<M>(value);
}
template <typename M>
M member_as(const Scalar& value) {
  return value.to<M>();
}

template <template <typename> class F, typename... State>
void floats(TensorIteratorBase& iter, const char* op, const State&... state) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    gpu_opmath_kernel<T>(iter, F<M>{member_as<M>(state)...});
  });
}

template <template <typename> class F, typename... State>
void numbers(TensorIteratorBase& iter, const char* op, const State&... state) {
  if (!isIntegralType(iter.common_dtype())) return floats<F>(iter, op, state...);
  dispatch_types<IntegralTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    gpu_kernel(iter, F<T>{member_as<T>(state)...});
  });
}

template <template <typename> class F>
void complexes(TensorIteratorBase& iter, const char* op) {
  dispatch_types<ComplexAndHalf>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, F<opmath_type<T>>());
  });
}

template <template <typename> class F>
void floats_and_complexes(TensorIteratorBase& iter, const char* op) {
  if (isComplexType(iter.common_dtype())) complexes<F>(iter, op);
  else floats<F>(iter, op);
}

template <template <typename> class F>
void signed_integers(TensorIteratorBase& iter, const char* op) {
  dispatch_types<TypeList<int8_t, int16_t, int32_t, int64_t>>(
      iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, F<T>()); });
}

template <template <typename> class F>
void integers(TensorIteratorBase& iter, const char* op) {
  dispatch_types<IntegralTypes, UnsignedTypes>(
      iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, F<T>()); });
}

template <typename T>
struct Same {
  __device__ T operator()(T a) const { return a; }
};

// Copies elements: for integers, which are whole, finite and their own conjugates.
inline void copy_bits(TensorIteratorBase& iter) {
  gpu_dispatch_bits(elementSize(iter.common_dtype()),
                    [&]<typename T>(TypeTag<T>) { gpu_kernel_bits(iter, Same<T>()); });
}

}  // namespace at::native
