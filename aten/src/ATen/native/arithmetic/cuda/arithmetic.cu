// add, sub, mul, div on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/add_native.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/mul_native.h>
#include <ATen/ops/rsub_native.h>
#include <ATen/ops/sub_native.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

template <typename T>
struct Add {
  T alpha;
  __device__ T operator()(T a, T b) const { return static_cast<T>(a + alpha * b); }
};
template <>
struct Add<bool> {
  bool alpha;
  __device__ bool operator()(bool a, bool b) const { return a || (alpha && b); }
};

template <typename T>
struct Multiply {
  __device__ T operator()(T a, T b) const { return static_cast<T>(a * b); }
};
// uint16_t would be multiplied as int, whose overflow is undefined.
template <>
struct Multiply<uint16_t> {
  __device__ uint16_t operator()(uint16_t a, uint16_t b) const {
    return static_cast<uint16_t>((a + 0u) * b);
  }
};
template <>
struct Multiply<bool> {
  __device__ bool operator()(bool a, bool b) const { return a && b; }
};

template <typename T>
struct Divide {
  __device__ T operator()(T a, T b) const { return a / b; }
};

using Fractions = JoinT<FloatingAndReduced, ComplexTypes, TypeList<c10::complex<c10::Half>>>;

// Runs make(TypeTag<T>) for the integer type.
template <typename Make>
void with_integer(TensorIteratorBase& iter, Make&& make) {
  dispatch_types<IntegralTypes, UnsignedTypes>(iter.common_dtype(), iter.op_name(),
                                               [&]<typename T>(TypeTag<T>) {
    using U = std::make_unsigned_t<T>;
    gpu_kernel_with_memory<TypeList<T, T, T>>(iter, make(TypeTag<U>()));
  });
}

}  // namespace

static void add_kernel(TensorIteratorBase& iter, const Scalar& alpha) {
  const ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return gpu_kernel(iter, Add<bool>{alpha.toBool()});
  if (isIntegralType(dtype)) {
    // The sum of integers has the same bits for signed and unsigned types.
    return with_integer(iter, [&]<typename T>(TypeTag<T>) {
      return Add<T>{static_cast<T>(alpha.cast<int64_t>())};
    });
  }
  dispatch_types<Fractions>(dtype, "add", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    gpu_opmath_kernel<T>(iter, Add<M>{alpha.cast<M>()});
  });
}

static void sub_kernel(TensorIteratorBase& iter, const Scalar& alpha) { add_kernel(iter, -alpha); }

static void mul_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return gpu_kernel(iter, Multiply<bool>());
  if (isIntegralType(dtype))
    return with_integer(iter, [&]<typename T>(TypeTag<T>) { return Multiply<T>(); });
  dispatch_types<Fractions>(dtype, "mul", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, Multiply<opmath_type<T>>());
  });
}

static void div_kernel(TensorIteratorBase& iter) {
  dispatch_types<Fractions>(iter.common_dtype(), "div", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, Divide<opmath_type<T>>());
  });
}

REGISTER_CUDA_DISPATCH(add_stub, &add_kernel)
REGISTER_CUDA_DISPATCH(sub_stub, &sub_kernel)
REGISTER_CUDA_DISPATCH(rsub_stub, &sub_kernel)  // the operands are in reverse order
REGISTER_CUDA_DISPATCH(mul_stub, &mul_kernel)
REGISTER_CUDA_DISPATCH(div_stub, &div_kernel)

}  // namespace at::native
