// Operators on bits.

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/ops/bitwise_and_native.h>
#include <ATen/ops/bitwise_left_shift_native.h>
#include <ATen/ops/bitwise_or_native.h>
#include <ATen/ops/bitwise_right_shift_native.h>
#include <ATen/ops/bitwise_xor_native.h>

namespace at::native {
namespace {

template <typename F>
void bitwise(TensorIteratorBase& iter, const char* op, F f) {
  ScalarType dtype = iter.common_dtype();
  if (!isIntegralType(dtype, true)) fail_dispatch_types(op, dtype);
  dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
    cpu_kernel_bits(iter, [f](T a, T b) -> T { return f(a, b); });
  });
}

}  // namespace

static void and_kernel(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_and_cpu", [](auto a, auto b) { return a & b; });
}

static void or_kernel(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_or_cpu", [](auto a, auto b) { return a | b; });
}

static void xor_kernel(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_xor_cpu", [](auto a, auto b) { return a ^ b; });
}

// The type that shifts are computed in: no vector instruction shifts narrower integers by different
// counts.
template <typename T>
using ShiftType = std::conditional_t<sizeof(T) < 4, int32_t, T>;

// A shift by a negative count, or by more bits than there are, leaves nothing but the sign.
static void left_shift_kernel(TensorIteratorBase& iter) {
  dispatch_integral(iter.common_dtype(), "lshift_cpu", [&]<typename T>(TypeTag<T>) {
    using C = ShiftType<T>;
    using U = std::make_unsigned_t<C>;
    cpu_kernel(iter, [](C a, C b) -> C {
      constexpr U kBits = sizeof(T) * 8;
      const U count = static_cast<U>(b);
      return count >= kBits ? C(0) : static_cast<C>(static_cast<U>(a) << count);
    });
  });
}

static void right_shift_kernel(TensorIteratorBase& iter) {
  dispatch_integral(iter.common_dtype(), "rshift_cpu", [&]<typename T>(TypeTag<T>) {
    using C = ShiftType<T>;
    using U = std::make_unsigned_t<C>;
    cpu_kernel(iter, [](C a, C b) -> C {
      constexpr U kMaxShift = sizeof(T) * 8 - 1;
      const U count = static_cast<U>(b);
      if constexpr (std::is_signed_v<T>) return a >> (count > kMaxShift ? kMaxShift : count);
      else return count > kMaxShift ? C(0) : static_cast<C>(a >> count);
    });
  });
}

REGISTER_DISPATCH(bitwise_and_stub, &and_kernel)
REGISTER_DISPATCH(bitwise_or_stub, &or_kernel)
REGISTER_DISPATCH(bitwise_xor_stub, &xor_kernel)
REGISTER_DISPATCH(bitwise_left_shift_stub, &left_shift_kernel)
REGISTER_DISPATCH(bitwise_right_shift_stub, &right_shift_kernel)

}  // namespace at::native
