// Random fills: words come in blocks from the Mersenne Twister and are converted to numbers by
// vectorized loops.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/random/random.h>

#include <cmath>

namespace at::native {
static void temper(const uint32_t* state, uint32_t* out) {
#pragma GCC ivdep
  for (int i = 0; i < mt19937::N; ++i) {
    uint32_t y = state[i];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    out[i] = y ^ y >> 18;
  }
}

namespace {

uint32_t twist(uint32_t u, uint32_t v) {
  return ((u & 0x80000000u) | (v & 0x7fffffffu)) >> 1 ^ ((v & 1u) ? 0x9908b0dfu : 0u);
}

}  // namespace

// Word i needs words i + 1 and i + 397 of the old state, or i - 227 of the new one: runs of up to
// 227 words are free of dependences.
static void refill(uint32_t* s, uint32_t* tempered) {
  constexpr int N = mt19937::N, M = mt19937::M;
#pragma GCC ivdep
  for (int i = 0; i < N - M; ++i) s[i] = s[i + M] ^ twist(s[i], s[i + 1]);
#pragma GCC ivdep
  for (int i = N - M; i < 2 * (N - M); ++i) s[i] = s[i + M - N] ^ twist(s[i], s[i + 1]);
#pragma GCC ivdep
  for (int i = 2 * (N - M); i < N - 1; ++i) s[i] = s[i + M - N] ^ twist(s[i], s[i + 1]);
  s[N - 1] = s[M - 1] ^ twist(s[N - 1], s[0]);
  temper(s, tempered);
}

namespace {

constexpr int64_t kBlock = 1024;

// f(words, index of the first element, count), with `per` words per element.
template <typename F>
void for_blocks(CPUGeneratorImpl& gen, int64_t n, int per, const F& f) {
  alignas(64) uint32_t words[2 * kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    int64_t count = std::min(kBlock, n - at);
    gen.engine.fill(words, count * per);
    f(words, at, count);
  }
}

// The 64-bit words of a block: the first of each pair of draws is the high half.
inline uint64_t wide(const uint32_t* words, int64_t i) {
  return static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1];
}

}  // namespace

static void uniform_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                         double from, double to) {
  dispatch_types<FloatingAndReduced>(dtype, "uniform_", [&]<typename T>(TypeTag<T>) {
    T* out = static_cast<T*>(data);
    if constexpr (std::is_same_v<T, double>) {
      double width = to - from;
      for_blocks(gen, n, 2, [&](const uint32_t* w, int64_t at, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          double x =
              static_cast<double>(static_cast<int64_t>(wide(w, i) & ((uint64_t(1) << 53) - 1))) *
                  0x1p-53 * width +
              from;
          out[at + i] = x >= to ? from : x;
        }
      });
    } else {
      // Narrow types are also computed in float, with all its digits, and rounded at the end.
      constexpr uint32_t mask = (1u << 24) - 1;
      constexpr float scale = 0x1p-24f;
      const float low = static_cast<float>(from), width = static_cast<float>(to - from);
      const T first = static_cast<T>(low), end = static_cast<T>(static_cast<float>(to));
      for_blocks(gen, n, 1, [&](const uint32_t* w, int64_t at, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          T x = static_cast<T>(
              static_cast<float>(static_cast<int32_t>(w[i] & mask)) * scale * width + low);
          // A value that rounds to the excluded end becomes the other end.
          out[at + i] = static_cast<float>(x) >= static_cast<float>(end) ? first : x;
        }
      });
    }
  });
}

namespace {

// out[i] = to_result(f(u)) of doubles u drawn from [0, 1), in vectors.
template <typename T, typename F, typename R>
void map_uniforms(CPUGeneratorImpl& gen, T* out, int64_t n, const F& f, const R& to_result) {
  alignas(kVecBytes) double drawn[kBlock];
  constexpr int64_t W = Vec<double>::size;
  static_assert(kBlock % W == 0);
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t count = std::min(kBlock, n - at);
    uniform_fill(gen, kDouble, drawn, count, 0, 1);
    std::fill(drawn + count, drawn + (count + W - 1) / W * W, 0.5);
    for (int64_t i = 0; i < count; i += W) f(Vec<double>::load(drawn + i)).store(drawn + i);
    for (int64_t i = 0; i < count; ++i) out[at + i] = to_result(drawn[i]);
  }
}
// out[i] = f(u); results in double are exactly the C library's. Its functions differ from those of
// vectors in the last bit of a double, which rounding to a narrower type hides.
template <typename T, typename F, typename Single>
void map_uniforms_as_c(CPUGeneratorImpl& gen, T* out, int64_t n, const F& f, const Single& single) {
  if constexpr (std::is_same_v<T, double>) {
    uniform_fill(gen, kDouble, out, n, 0, 1);
    for (int64_t i = 0; i < n; ++i) out[i] = single(out[i]);
  } else {
    map_uniforms(gen, out, n, f, [](double x) { return static_cast<T>(x); });
  }
}

}  // namespace

static void exponential_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                             double rate) {
  const double scale = -1.0 / rate;
  dispatch_types<FloatingAndReduced>(dtype, "exponential_", [&]<typename T>(TypeTag<T>) {
    map_uniforms_as_c(gen, static_cast<T*>(data), n, [scale](auto u) {
      return Vec<double>(scale) * log1p(-u);
    }, [scale](double u) { return scale * std::log1p(-u); });
  });
}

static void cauchy_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                        double median, double sigma) {
  dispatch_types<FloatingAndReduced>(dtype, "cauchy_", [&]<typename T>(TypeTag<T>) {
    map_uniforms_as_c(gen, static_cast<T*>(data), n, [=](auto u) {
      return Vec<double>(median) + Vec<double>(sigma) * tan((u - 0.5) * M_PI);
    }, [=](double u) { return median + sigma * std::tan(M_PI * (u - 0.5)); });
  });
}

static void geometric_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                           double p) {
  const double log_q = std::log1p(-p);
  dispatch_types<RealTypes>(dtype, "geometric_", [&]<typename T>(TypeTag<T>) {
    map_uniforms(gen, static_cast<T*>(data), n, [log_q](auto u) { return log(u) / log_q; },
                 [](double tries) { return static_cast<T>(std::ceil(tries)); });
  });
}

namespace {

// Groups of 16 uniforms become 16 normals: the first eight give radii, the others angles (Box and
// Muller 1958).
template <typename T>
void box_muller_16(T* data, int64_t groups, T mean, T std) {
  using V = Vec<T>;
  constexpr int64_t kGroups = 16;
  alignas(64) T radius[8 * kGroups], angle[8 * kGroups], c[8 * kGroups], s[8 * kGroups];
  for (int64_t g = 0; g < groups; g += kGroups) {
    int64_t count = std::min(kGroups, groups - g);
    T* base = data + 16 * g;
    for (int64_t k = 0; k < count; ++k) {
      for (int j = 0; j < 8; ++j) {
        radius[8 * k + j] = T(1) - base[16 * k + j];
        angle[8 * k + j] = static_cast<T>(2 * M_PI) * base[16 * k + 8 + j];
      }
    }
    // A vector may reach beyond the last group. What lies there must not be garbage: sin and cos
    // take another path for all lanes when one of them is large, with other last bits.
    for (int64_t i = 8 * count; i % V::size != 0; ++i) {
      radius[i] = T(1);
      angle[i] = T(0);
    }
    for (int64_t i = 0; i < 8 * count; i += V::size) {
      (V(T(-2)) * sleef::log(V::load(radius + i))).store(radius + i);
      V a = V::load(angle + i);
      cos(a).store(c + i);
      sin(a).store(s + i);
    }
    for (int64_t i = 0; i < 8 * count; ++i) radius[i] = std::sqrt(radius[i]);
    for (int64_t k = 0; k < count; ++k) {
      for (int j = 0; j < 8; ++j) {
        base[16 * k + j] = radius[8 * k + j] * c[8 * k + j] * std + mean;
        base[16 * k + 8 + j] = radius[8 * k + j] * s[8 * k + j] * std + mean;
      }
    }
  }
}

// Half and BFloat16: generated in float, in groups of 16 that each draw their own numbers.
template <typename T>
void normal_groups_reduced(CPUGeneratorImpl& gen, T* out, int64_t groups, float mean, float std) {
  constexpr int64_t kGroups = 64;
  float buffer[16 * kGroups];
  for (int64_t g = 0; g < groups; g += kGroups) {
    int64_t count = std::min(kGroups, groups - g);
    uniform_fill(gen, kFloat, buffer, 16 * count, 0, 1);
    box_muller_16(buffer, count, mean, std);
    for (int64_t i = 0; i < 16 * count; ++i) out[16 * g + i] = static_cast<T>(buffer[i]);
  }
}

}  // namespace

static void normal_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double mean,
                        double std) {
  dispatch_types<FloatingAndReduced>(dtype, "normal_", [&]<typename T>(TypeTag<T>) {
    T* out = static_cast<T*>(data);
    // If the length is not a multiple of 16, the last 16 are drawn again, overwriting earlier
    // values.
    if constexpr (std::is_floating_point_v<T>) {
      uniform_fill(gen, dtype, data, n, 0, 1);
      box_muller_16(out, n / 16, static_cast<T>(mean), static_cast<T>(std));
      if (n % 16 != 0) {
        uniform_fill(gen, dtype, out + n - 16, 16, 0, 1);
        box_muller_16(out + n - 16, 1, static_cast<T>(mean), static_cast<T>(std));
      }
    } else {
      normal_groups_reduced(gen, out, n / 16, static_cast<float>(mean), static_cast<float>(std));
      if (n % 16 != 0)
        normal_groups_reduced(gen, out + n - 16, 1, static_cast<float>(mean),
                              static_cast<float>(std));
    }
  });
}

static void bernoulli_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                           double p) {
  dispatch_types<RealTypes, bool>(dtype, "bernoulli_", [&]<typename T>(TypeTag<T>) {
    T* out = static_cast<T*>(data);
    // u < p in integers: u = k / 2^53 with k below p * 2^53.
    const auto bound = static_cast<int64_t>(std::ceil(p * 0x1p53));
    for_blocks(gen, n, 2, [&](const uint32_t* w, int64_t at, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        bool hit = static_cast<int64_t>(wide(w, i) & ((uint64_t(1) << 53) - 1)) < bound;
        out[at + i] = static_cast<T>(hit ? 1.0f : 0.0f);
      }
    });
  });
}

REGISTER_DISPATCH(mt19937_refill_stub, &refill)
REGISTER_DISPATCH(mt19937_temper_stub, &temper)
REGISTER_DISPATCH(uniform_fill_stub, &uniform_fill)
REGISTER_DISPATCH(exponential_fill_stub, &exponential_fill)
REGISTER_DISPATCH(cauchy_fill_stub, &cauchy_fill)
REGISTER_DISPATCH(geometric_fill_stub, &geometric_fill)
REGISTER_DISPATCH(normal_fill_stub, &normal_fill)
REGISTER_DISPATCH(bernoulli_fill_stub, &bernoulli_fill)

}  // namespace at::native
