// Operators on bits.

#include <cstring>

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

namespace {

template <typename T, int kLanes>
struct LanesOf {
  typedef T type __attribute__((vector_size(kLanes * sizeof(T))));
};
template <typename T, int kLanes>
using Lanes = typename LanesOf<T, kLanes>::type;

// Integers of 8 and 16 bits are shifted as integers of 32 bits: AVX2 has no instruction that shifts
// narrower ones by different counts. Bytes take a step by 16 bits, because GCC splits a direct
// conversion into single elements.
template <typename T, typename F>
void shift_narrow(TensorIteratorBase& iter, const F& shift) {
  constexpr int kLanes = 32 / sizeof(T);
  constexpr bool kSigned = std::is_signed_v<T>;
  using Middle = Lanes<std::conditional_t<kSigned, int16_t, uint16_t>, kLanes>;
  using Wide = Lanes<std::conditional_t<kSigned, int32_t, uint32_t>, kLanes>;
  auto block = [shift](char* out, const char* values, const char* counts) {
    Lanes<T, kLanes> a;
    Lanes<std::make_unsigned_t<T>, kLanes> b;
    std::memcpy(&a, values, sizeof a);
    std::memcpy(&b, counts, sizeof b);
    const auto count = __builtin_convertvector(__builtin_convertvector(b, Lanes<uint16_t, kLanes>),
                                               Lanes<int32_t, kLanes>);
    const auto wide = __builtin_convertvector(__builtin_convertvector(a, Middle), Wide);
    // No bit of a narrow integer is left after 31 places, apart from its sign.
    const Wide shifted = shift(wide, count > 31 ? 31 : count);
    a = __builtin_convertvector(__builtin_convertvector(shifted, Middle), Lanes<T, kLanes>);
    std::memcpy(out, &a, sizeof a);
  };
  auto loop = [block](char* const* data, int64_t n) {
    constexpr int64_t kBytes = 32;
    const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
    int64_t i = 0;
    for (; i + kBytes <= bytes; i += kBytes) block(data[0] + i, data[1] + i, data[2] + i);
    if (i == bytes) return;
    char rest[3][kBytes] = {};
    std::memcpy(rest[1], data[1] + i, bytes - i);
    std::memcpy(rest[2], data[2] + i, bytes - i);
    block(rest[0], rest[1], rest[2]);
    std::memcpy(data[0] + i, rest[0], bytes - i);
  };
  run_loop(iter, OperandTypes<T, std::tuple<T, T>>::value, loop, kGrainSize);
}

}  // namespace

// A shift by a negative count, or by more bits than there are, leaves nothing but the sign.
static void left_shift_kernel(TensorIteratorBase& iter) {
  dispatch_integral(iter.common_dtype(), "lshift_cpu", [&]<typename T>(TypeTag<T>) {
    if constexpr (sizeof(T) < 4) {
      shift_narrow<T>(iter, [](auto a, auto count) { return a << count; });
    } else {
      using U = std::make_unsigned_t<T>;
      cpu_kernel(iter, [](T a, T b) -> T {
        constexpr U kBits = sizeof(T) * 8;
        const U count = static_cast<U>(b);
        return count >= kBits ? T(0) : static_cast<T>(static_cast<U>(a) << count);
      });
    }
  });
}

static void right_shift_kernel(TensorIteratorBase& iter) {
  dispatch_integral(iter.common_dtype(), "rshift_cpu", [&]<typename T>(TypeTag<T>) {
    if constexpr (sizeof(T) < 4) {
      shift_narrow<T>(iter, [](auto a, auto count) { return a >> count; });
    } else {
      using U = std::make_unsigned_t<T>;
      cpu_kernel(iter, [](T a, T b) -> T {
        constexpr U kMaxShift = sizeof(T) * 8 - 1;
        const U count = static_cast<U>(b);
        if constexpr (std::is_signed_v<T>) return a >> (count > kMaxShift ? kMaxShift : count);
        else return count > kMaxShift ? T(0) : static_cast<T>(a >> count);
      });
    }
  });
}

REGISTER_DISPATCH(bitwise_and_stub, &and_kernel)
REGISTER_DISPATCH(bitwise_or_stub, &or_kernel)
REGISTER_DISPATCH(bitwise_xor_stub, &xor_kernel)
REGISTER_DISPATCH(bitwise_left_shift_stub, &left_shift_kernel)
REGISTER_DISPATCH(bitwise_right_shift_stub, &right_shift_kernel)

}  // namespace at::native
