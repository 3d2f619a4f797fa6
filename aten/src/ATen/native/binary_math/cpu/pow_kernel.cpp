// pow. Common exponents have their own loops.

#include <algorithm>
#include <cmath>

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/cpu/ComplexBlocks.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/pow_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

constexpr int64_t kPowerBlock = 256;

// out[i] = in[i] to the power of exponent(i), which is not negative and has at most `bits` bits,
// for a block: by squares, of all elements at once. Products wrap.
template <typename T, typename F>
void block_of_powers(const T* in, T* out, int64_t n, int bits, const F& exponent) {
  using U = std::make_unsigned_t<T>;
  U squares[kPowerBlock], results[kPowerBlock];
  const auto product = [](U x, U y) { return static_cast<U>((x + 0u) * y); };
  for (int64_t i = 0; i < n; ++i) {
    squares[i] = static_cast<U>(in[i]);
    results[i] = 1;
  }
  for (int b = 0; b < bits; ++b) {
    for (int64_t i = 0; i < n; ++i) {
      const bool counts = (exponent(i) >> b & 1) != 0;
      results[i] = product(results[i], counts ? squares[i] : U(1));
    }
    for (int64_t i = 0; i < n && b + 1 < bits; ++i) squares[i] = product(squares[i], squares[i]);
  }
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(results[i]);
}

int bits_of(uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); }

template <typename T>
void integer_powers(char* const* data, int64_t n) {
  using U = std::make_unsigned_t<T>;
  for (int64_t first = 0; first < n; first += kPowerBlock) {
    const int64_t count = std::min(kPowerBlock, n - first);
    T* out = reinterpret_cast<T*>(data[0]) + first;
    const T *a = reinterpret_cast<const T*>(data[1]) + first,
            *b = reinterpret_cast<const T*>(data[2]) + first;
    U all = 0;
    for (int64_t i = 0; i < count; ++i) all |= static_cast<U>(b[i]);
    if (std::is_signed_v<T> && static_cast<T>(all) < T(0)) {
      for (int64_t i = 0; i < count; ++i) out[i] = int_pow(a[i], static_cast<int64_t>(b[i]));
    } else {
      block_of_powers(a, out, count, bits_of(all), [b](int64_t i) { return static_cast<U>(b[i]); });
    }
  }
}

template <typename T>
void integer_powers(TensorIteratorBase& iter, int64_t exponent) {
  if (exponent < 0) return cpu_kernel(iter, [exponent](T a) -> T { return int_pow(a, exponent); });
  constexpr ScalarType kType = CppTypeToScalarType<T>::value;
  const ScalarType types[2] = {kType, kType};
  const auto loop = [exponent](char* const* data, int64_t n) {
    const auto e = static_cast<uint64_t>(exponent);
    for (int64_t first = 0; first < n; first += kPowerBlock)
      block_of_powers(reinterpret_cast<const T*>(data[1]) + first,
                      reinterpret_cast<T*>(data[0]) + first, std::min(kPowerBlock, n - first),
                      bits_of(e), [e](int64_t) { return e; });
  };
  run_loop(iter, types, loop, kGrainSize / 4);
}

}  // namespace

static void pow_tensor_tensor_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_types<IntegralTypes>(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      constexpr ScalarType kType = CppTypeToScalarType<T>::value;
      const ScalarType types[3] = {kType, kType, kType};
      const auto loop = [](char* const* data, int64_t n) { integer_powers<T>(data, n); };
      run_loop(iter, types, loop, kGrainSize / 4);
    });
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      constexpr ScalarType kType = CppTypeToScalarType<T>::value;
      const ScalarType types[3] = {kType, kType, kType};
      const auto loop = [](char* const* data, int64_t n) {
        complex_powers<Real<T>>(data, n, nullptr, [](T a, T b) { return c10::pow(a, b); });
      };
      run_loop(iter, types, loop, kGrainSize / 16);
    });
  } else {
    dispatch_floating(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return pow(a, b); });
    });
  }
}

namespace {

template <typename T>
bool common_powers(TensorIteratorBase& iter, double e) {
  if (e == 2) {
    cpu_kernel_halves(iter, [](T a) -> T { return a * a; });
  } else if (e == 3) {
    cpu_kernel_halves(iter, [](T a) -> T { return a * a * a; });
  } else if (e == 1) {
    cpu_kernel(iter, [](T a) -> T { return a; });
  } else if (e == 0) {
    cpu_kernel(iter, [](T) -> T { return T(1); });
  } else if (e == -1) {
    cpu_kernel_halves(iter, [](T a) -> T { return T(1) / a; });
  } else if (e == -2) {
    cpu_kernel(iter, [](T a) -> T { return T(1) / (a * a); });
  } else {
    return false;
  }
  return true;
}

template <typename T>
void float_powers(TensorIteratorBase& iter, double e) {
  if (common_powers<T>(iter, e)) return;
  if (e == 0.5) {
    cpu_kernel_halves(iter, [](T a) -> T { return std::sqrt(a); });
  } else if (e == -0.5) {
    cpu_kernel(iter, [](T a) -> T { return T(1) / std::sqrt(a); });
  } else {
    const T exponent = static_cast<T>(e);
    cpu_kernel_vec(iter, [exponent](Vec<T> a) -> Vec<T> { return pow(a, exponent); });
  }
}

void copy_bits(TensorIteratorBase& iter) {
  dispatch_bits(elementSize(iter.dtype(0)),
                [&]<typename T>(TypeTag<T>) { cpu_kernel_bits(iter, [](T a) -> T { return a; }); });
}

}  // namespace

static void pow_tensor_scalar_kernel(TensorIteratorBase& iter, const Scalar& exponent) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true) && exponent.equal(1)) {
    iter.dtype(0) == iter.dtype(1) ? copy_bits(iter)
                                   : cpu_kernel(iter, [](int64_t a) -> int64_t { return a; });
  } else if (dtype == kBool && exponent.equal(0)) {
    cpu_kernel(iter, [](bool) -> bool { return true; });
  } else if (isIntegralType(dtype)) {
    int64_t e = 0;
    dispatch_types<IntegralTypes>(
        dtype, "pow", [&]<typename T>(TypeTag<T>) { e = static_cast<int64_t>(exponent.to<T>()); });
    if (e == 2 && iter.dtype(0) == dtype && iter.dtype(1) == dtype) {
      dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
        cpu_kernel_bits(iter, [](T a) -> T { return static_cast<T>((a + 0u) * a); });
      });
      return;
    }
    dispatch_types<IntegralTypes>(dtype, "pow",
                                  [&]<typename T>(TypeTag<T>) { integer_powers<T>(iter, e); });
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      const T e = exponent.cast<T>();
      if (!exponent.isComplex() && common_powers<T>(iter, exponent.cast<double>())) return;
      constexpr ScalarType kType = CppTypeToScalarType<T>::value;
      const ScalarType types[2] = {kType, kType};
      const auto loop = [e](char* const* data, int64_t n) {
        complex_powers<Real<T>>(data, n, &e, [](T a, T b) { return c10::pow(a, b); });
      };
      run_loop(iter, types, loop, kGrainSize / 16);
    });
  } else {
    dispatch_floating(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      float_powers<T>(iter, exponent.cast<double>());
    });
  }
}

REGISTER_DISPATCH(pow_tensor_tensor_stub, &pow_tensor_tensor_kernel)
REGISTER_DISPATCH(pow_tensor_scalar_stub, &pow_tensor_scalar_kernel)

}  // namespace at::native
