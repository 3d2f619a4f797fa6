// Division that rounds, and its remainders, on CUDA devices.
//
// Floats: floor division and remainder are consistent as in Python: a == floor(a / b) * b + a % b,
// and the remainder has the sign of the divisor. Integers: what a division by 0 gives is not
// defined, as in PyTorch: finding it would make the host wait. Here it is -1, or the largest number
// of an unsigned type.

#include <cmath>

#include <ATen/native/arithmetic/integer_division.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/floor_divide_native.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/remainder_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
__device__ bool differ_in_sign(T r, T b) {
  return r != T(0) && (r < T(0)) != (b < T(0));
}

template <typename T>
struct DivFloor {
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return b == 0 ? static_cast<T>(-1) : int_div_floor(a, b);
    } else {
      if (b == T(0)) return a / b;
      const T r = std::fmod(a, b);
      T q = (a - r) / b;
      if (differ_in_sign(r, b)) q -= T(1);
      if (q == T(0)) return std::copysign(T(0), a / b);
      const T down = std::floor(q);
      return q - down > T(0.5) ? down + T(1) : down;
    }
  }
};
template <typename T>
struct DivTrunc {
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return b == 0 ? static_cast<T>(-1) : int_div_trunc(a, b);
    else return std::trunc(a / b);
  }
};
template <typename T>
struct Remainder {
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return b == 0 ? static_cast<T>(-1) : int_remainder(a, b);
    } else {
      const T r = std::fmod(a, b);
      return differ_in_sign(r, b) ? r + b : r;
    }
  }
};
template <typename T>
struct Fmod {
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return b == 0 ? static_cast<T>(-1) : int_mod(a, b);
    else return std::fmod(a, b);
  }
};

template <template <typename> class F>
void divide(TensorIteratorBase& iter, const char* op) {
  if (isIntegralType(iter.common_dtype())) integers<F>(iter, op);
  else floats<F>(iter, op);
}

}  // namespace

static void floor_divide_kernel(TensorIteratorBase& iter) {
  divide<DivFloor>(iter, "div_floor_cuda");
}
static void div_mode_kernel(TensorIteratorBase& iter, std::optional<std::string_view> mode) {
  if (!mode) return div_stub(iter.device_type(), iter);
  if (*mode == "floor") return floor_divide_kernel(iter);
  divide<DivTrunc>(iter, "div_trunc_cuda");
}
static void remainder_kernel(TensorIteratorBase& iter) {
  divide<Remainder>(iter, "remainder_cuda");
}
static void fmod_kernel(TensorIteratorBase& iter) { divide<Fmod>(iter, "fmod_cuda"); }

REGISTER_CUDA_DISPATCH(div_mode_stub, &div_mode_kernel)
REGISTER_CUDA_DISPATCH(floor_divide_stub, &floor_divide_kernel)
REGISTER_CUDA_DISPATCH(remainder_stub, &remainder_kernel)
REGISTER_CUDA_DISPATCH(fmod_stub, &fmod_kernel)

}  // namespace at::native
