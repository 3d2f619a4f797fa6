// Operators on bits on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/bitwise_and_native.h>
#include <ATen/ops/bitwise_left_shift_native.h>
#include <ATen/ops/bitwise_or_native.h>
#include <ATen/ops/bitwise_right_shift_native.h>
#include <ATen/ops/bitwise_xor_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
struct And {
  __device__ T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <typename T>
struct Or {
  __device__ T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <typename T>
struct Xor {
  __device__ T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

template <template <typename> class F>
void bitwise(TensorIteratorBase& iter, const char* op) {
  if (iter.common_dtype() == kBool) return gpu_kernel(iter, F<bool>());
  integers<F>(iter, op);
}

// A shift by a negative count, or by more bits than there are, leaves nothing but the sign.
template <typename T>
struct ShiftLeft {
  __device__ T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    constexpr U kBits = sizeof(T) * 8;
    return static_cast<U>(b) >= kBits
               ? T(0)
               : static_cast<T>(static_cast<uint64_t>(a) << static_cast<U>(b));
  }
};
template <typename T>
struct ShiftRight {
  __device__ T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    constexpr U kMaxShift = sizeof(T) * 8 - 1;
    const auto count = static_cast<U>(b);
    if (count > kMaxShift) return std::is_signed_v<T> ? static_cast<T>(a >> kMaxShift) : T(0);
    return static_cast<T>(a >> count);
  }
};

}  // namespace

static void and_kernel(TensorIteratorBase& iter) { bitwise<And>(iter, "bitwise_and"); }
static void or_kernel(TensorIteratorBase& iter) { bitwise<Or>(iter, "bitwise_or"); }
static void xor_kernel(TensorIteratorBase& iter) { bitwise<Xor>(iter, "bitwise_xor"); }
static void left_shift_kernel(TensorIteratorBase& iter) { integers<ShiftLeft>(iter, "lshift"); }
static void right_shift_kernel(TensorIteratorBase& iter) { integers<ShiftRight>(iter, "rshift"); }

REGISTER_CUDA_DISPATCH(bitwise_and_stub, &and_kernel)
REGISTER_CUDA_DISPATCH(bitwise_or_stub, &or_kernel)
REGISTER_CUDA_DISPATCH(bitwise_xor_stub, &xor_kernel)
REGISTER_CUDA_DISPATCH(bitwise_left_shift_stub, &left_shift_kernel)
REGISTER_CUDA_DISPATCH(bitwise_right_shift_stub, &right_shift_kernel)

}  // namespace at::native
