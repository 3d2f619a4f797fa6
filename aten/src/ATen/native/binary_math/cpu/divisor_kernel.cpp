// gcd and lcm: Stein's binary algorithm on vectors of 32-bit magnitudes, Euclid's on others.

#include <cstring>

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/ops/gcd_native.h>
#include <ATen/ops/lcm_native.h>

namespace at::native {
namespace {

typedef uint32_t Bits __attribute__((vector_size(kVecBytes)));
typedef int32_t Ints __attribute__((vector_size(kVecBytes)));
typedef float Floats __attribute__((vector_size(kVecBytes)));
constexpr int kLanes = kVecBytes / 4, kBlock = 2 * kLanes;

// Of lanes that are not 0 and below 2^31: the exponent of the lowest bit.
C10_ALWAYS_INLINE Bits trailing_zeros(Bits x) {
  const Floats lowest = __builtin_convertvector(Ints(x & -x), Floats);
  return (Bits(lowest) >> 23) - 127;
}

// One vector's state: u and v, of which v is odd, have the divisor of what they began with.
struct Stein {
  Bits u, v, twos;
  Ints zero;

  // u and v below 2^31
  C10_ALWAYS_INLINE Stein(Bits a, Bits b) {
    // The divisor of a number and 0 is that number's with itself.
    u = a == 0 ? b : a;
    v = b == 0 ? a : b;
    const Bits any = u == 0 ? Bits{} + 1 : u | v;
    twos = trailing_zeros(any);
    v = v == 0 ? Bits{} + 1 : v;  // both are 0: 1, which divisor() takes back
    v >>= trailing_zeros(v);
    zero = (a | b) == 0;
  }
  // Not 0 where there is more to do.
  C10_ALWAYS_INLINE Bits step() {
    const Bits odd = u == 0 ? v : u >> trailing_zeros(u | Bits(u == 0));
    const Bits smaller = odd < v ? odd : v, larger = odd < v ? v : odd;
    v = smaller;
    u = larger - smaller;
    return u;
  }
  C10_ALWAYS_INLINE Bits divisor() const { return zero ? Bits{} : v << twos; }
};

C10_ALWAYS_INLINE bool any_bit(Bits x) {
#if defined(CPU_CAPABILITY_AVX2)
  typedef long long Tested __attribute__((vector_size(kVecBytes)));
  return !__builtin_ia32_ptestz256(Tested(x), Tested(x));
#else
  uint32_t all = 0;
  for (int k = 0; k < kLanes; ++k) all |= x[k];
  return all != 0;
#endif
}

C10_ALWAYS_INLINE Bits load_bits(const uint32_t* from) {
  Bits x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

void divisors(const uint32_t* a, const uint32_t* b, uint32_t* g) {
  // Two vectors at a time: each step waits for the one before it.
  Stein s(load_bits(a), load_bits(b)), t(load_bits(a + kLanes), load_bits(b + kLanes));
  while (any_bit(s.step() | t.step())) {
  }
  const Bits first = s.divisor(), second = t.divisor();
  std::memcpy(g, &first, sizeof first);
  std::memcpy(g + kLanes, &second, sizeof second);
}

// As wide as vectors' lanes if that holds it.
template <typename T>
auto magnitude(T x) {
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const U wide = static_cast<U>(x);
  return x < 0 ? U(0) - wide : wide;
}

// out = f(g, x, y) of kBlock elements whose magnitudes x and y are below 2^31; scalar(a, b) if
// another one is among them.
template <typename T, typename F, typename S>
void divisor_block(T* out, const T* a, const T* b, const F& f, const S& scalar) {
  uint32_t x[kBlock], y[kBlock], g[kBlock];
  decltype(magnitude(T())) bits = 0;
  for (int k = 0; k < kBlock; ++k) {
    const auto r = magnitude(a[k]), s = magnitude(b[k]);
    bits |= r | s;
    x[k] = static_cast<uint32_t>(r);
    y[k] = static_cast<uint32_t>(s);
  }
  if (C10_LIKELY(bits >> 31 == 0)) {
    divisors(x, y, g);
#pragma GCC ivdep
    for (int k = 0; k < kBlock; ++k) out[k] = f(g[k], x[k], y[k]);
  } else {
    for (int k = 0; k < kBlock; ++k) out[k] = scalar(a[k], b[k]);
  }
}

template <typename T, typename F, typename S>
void divisor_loop(char* const* data, int64_t n, const F& f, const S& scalar) {
  T* out = reinterpret_cast<T*>(data[0]);
  const T *a = reinterpret_cast<const T*>(data[1]), *b = reinterpret_cast<const T*>(data[2]);
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) divisor_block(out + i, a + i, b + i, f, scalar);
  if (i < n) {
    T last_a[kBlock] = {}, last_b[kBlock] = {};
    const size_t bytes = static_cast<size_t>(n - i) * sizeof(T);
    std::memcpy(last_a, a + i, bytes);
    std::memcpy(last_b, b + i, bytes);
    divisor_block(last_a, last_a, last_b, f, scalar);
    std::memcpy(out + i, last_a, bytes);
  }
}

// f(divisor, magnitudes) of vectors, or the operator of single elements.
template <template <typename> class Scalar, typename F>
void by_divisors(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<IntegralTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    // Without shifts of each lane by its own count, vectors are slower.
    if constexpr (kVecBytes == 16) {
      cpu_kernel(iter, Scalar<T>());
    } else {
      constexpr ScalarType type = CppTypeToScalarType<T>::value;
      run_loop(iter, {type, type, type}, [&f](char* const* data, int64_t n) {
        divisor_loop<T>(data, n, [f](uint32_t g, uint32_t x, uint32_t y) {
          return f(TypeTag<T>(), g, x, y);
        }, Scalar<T>());
      }, kGrainSize / 8);
    }
  });
}

}  // namespace

static void gcd_kernel(TensorIteratorBase& iter) {
  by_divisors<Gcd>(iter, "gcd_cpu", []<typename T>(TypeTag<T>, uint32_t g, uint32_t, uint32_t) {
    return static_cast<T>(g);
  });
}

static void lcm_kernel(TensorIteratorBase& iter) {
  by_divisors<Lcm>(iter, "lcm_cpu", []<typename T>(TypeTag<T>, uint32_t g, uint32_t x, uint32_t y) {
    // The quotient is exact in double. The product wraps, as that of the signed numbers would.
    const auto ratio =
        static_cast<int32_t>(static_cast<double>(static_cast<int32_t>(x)) /
                             static_cast<double>(static_cast<int32_t>(g | (g == 0))));
    using Wide = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    const auto product = static_cast<Wide>(static_cast<std::make_unsigned_t<Wide>>(ratio) * y);
    return static_cast<T>(
        product < 0 ? static_cast<Wide>(0 - static_cast<std::make_unsigned_t<Wide>>(product))
                    : product);
  });
}

REGISTER_DISPATCH(gcd_stub, &gcd_kernel)
REGISTER_DISPATCH(lcm_stub, &lcm_kernel)

}  // namespace at::native
