// Operators on bits.

#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

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
  if (dtype == kBool) return cpu_kernel(iter, [f](bool a, bool b) -> bool { return f(a, b); });
  if (!isIntegralType(dtype)) fail_dispatch_types(op, dtype);
  dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
    cpu_kernel_bits_rows(iter, [f](T a, T b) -> T { return f(a, b); });
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

template <typename T>
struct RegisterOf {
  typedef T type __attribute__((vector_size(kVecBytes)));
};

// Reads an operand by registers; `same` for one element that stands for all.
template <typename Register, bool same>
struct Reader {
  using T = std::remove_cv_t<std::remove_reference_t<decltype(Register{}[0])>>;
  const T* data;
  Register all = {};

  explicit Reader(const char* data) : data(reinterpret_cast<const T*>(data)) {
    if constexpr (same) all += *this->data;
  }
  Register at(int64_t i, int64_t n = kVecBytes / sizeof(T)) const {
    if constexpr (same) return all;
    Register x = {};
    std::memcpy(&x, data + i, n * sizeof(T));
    return x;
  }
};

template <typename T, typename Values, typename Counts, typename F>
void shift_run(char* to, const Values& values, const Counts& counts, int64_t n, const F& shift) {
  constexpr int64_t kWidth = kVecBytes / sizeof(T);
  T* out = reinterpret_cast<T*>(to);
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const auto shifted = shift(values.at(i), counts.at(i));
    std::memcpy(out + i, &shifted, kVecBytes);
  }
  if (i == n) return;
  const auto shifted = shift(values.at(i, n - i), counts.at(i, n - i));
  std::memcpy(out + i, &shifted, (n - i) * sizeof(T));
}

// shift(values, counts) of registers, for all elements.
template <typename T, typename F>
void by_registers(TensorIteratorBase& iter, const F& shift) {
  using Values = typename RegisterOf<T>::type;
  using Counts = typename RegisterOf<std::make_unsigned_t<T>>::type;
  using EachValue = Reader<Values, false>;
  using EachCount = Reader<Counts, false>;
  auto loop = [shift](char* const* data, int64_t n) {
    shift_run<T>(data[0], EachValue(data[1]), EachCount(data[2]), n, shift);
  };
  auto constant = [shift](int which, char* const* data, int64_t n) {
    if (which == 1) {
      shift_run<T>(data[0], Reader<Values, true>(data[1]), EachCount(data[2]), n, shift);
    } else {
      shift_run<T>(data[0], EachValue(data[1]), Reader<Counts, true>(data[2]), n, shift);
    }
  };
  run_loop(iter, OperandTypes<T, std::tuple<T, T>>::value, loop, kGrainSize, constant);
}

// Integers of 8 and 16 bits are shifted by 1, 2, 4 and 8 places in turn, a register at a time: no
// instruction shifts bytes by different counts, nor 16 bits with AVX2. `left` clears what is
// shifted by as many places as there are bits; to the right, one place less leaves the sign.
template <typename T, bool left>
void shift_narrow(TensorIteratorBase& iter) {
  using U = std::make_unsigned_t<T>;
  using Values = typename RegisterOf<T>::type;
  using Counts = typename RegisterOf<U>::type;
  constexpr U kBits = sizeof(T) * 8;
  by_registers<T>(iter, [](Values x, Counts count) {
    if constexpr (left || !std::is_signed_v<T>) x = count < kBits ? x : Values{};
    else count = count < kBits ? count : Counts{} + U(kBits - 1);
#pragma GCC unroll 4
    for (int places = 1; places < kBits; places *= 2)
      x = (count & U(places)) != 0 ? (left ? x << places : x >> places) : x;
    return x;
  });
}

#if defined(__AVX2__) && !defined(__AVX512F__)
constexpr bool kShiftsLongs = true;
// AVX2 has no arithmetic shift of 64 bits: negative numbers are shifted as their complement. Its
// shifts leave zero from 64 places on.
template <typename T, bool left>
void shift_longs(TensorIteratorBase& iter) {
  by_registers<T>(iter, [](auto values, auto counts) {
    const __m256i x = (__m256i)values, count = (__m256i)counts;
    if constexpr (left) return _mm256_sllv_epi64(x, count);
    const __m256i sign = std::is_signed_v<T> ? _mm256_cmpgt_epi64(__m256i{}, x) : __m256i{};
    return _mm256_srlv_epi64(x ^ sign, count) ^ sign;
  });
}
#else
constexpr bool kShiftsLongs = false;
template <typename T, bool left>
void shift_longs(TensorIteratorBase& iter);  // not called
#endif

}  // namespace

// A shift by a negative count, or by more bits than there are, leaves nothing but the sign.
static void left_shift_kernel(TensorIteratorBase& iter) {
  dispatch_integral(iter.common_dtype(), "lshift_cpu", [&]<typename T>(TypeTag<T>) {
    if constexpr (sizeof(T) < 4) {
      shift_narrow<T, true>(iter);
    } else if constexpr (sizeof(T) == 8 && kShiftsLongs) {
      shift_longs<T, true>(iter);
    } else {
      using U = std::make_unsigned_t<T>;
      cpu_kernel_rows(iter, [](T a, T b) -> T {
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
      shift_narrow<T, false>(iter);
    } else if constexpr (sizeof(T) == 8 && kShiftsLongs) {
      shift_longs<T, false>(iter);
    } else {
      using U = std::make_unsigned_t<T>;
      cpu_kernel_rows(iter, [](T a, T b) -> T {
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
