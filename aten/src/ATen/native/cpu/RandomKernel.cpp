// Random fills: words come in blocks from the Mersenne Twister, and are turned into numbers by vectorized loops.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/RandomStubs.h>
#include <ATen/native/TypeDispatch.h>
#include <ATen/native/cpu/Vec.h>

#include <cmath>

namespace at::native {
namespace {

void temper(const uint32_t* state, uint32_t* out) {
#pragma GCC ivdep
  for (int i = 0; i < mt19937::N; ++i) {
    uint32_t y = state[i];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    out[i] = y ^ y >> 18;
  }
}

uint32_t twist(uint32_t u, uint32_t v) {
  return ((u & 0x80000000u) | (v & 0x7fffffffu)) >> 1 ^ ((v & 1u) ? 0x9908b0dfu : 0u);
}

// Word i needs words i + 1 and i + 397 of the old state, or i - 227 of the new one: runs of up to 227 have no
// dependence inside.
void refill(uint32_t* s, uint32_t* tempered) {
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

constexpr int64_t kBlock = 1024;

// f(words, index of the first element, count), with `per` words an element.
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
inline uint64_t wide(const uint32_t* words, int64_t i) { return static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1]; }

template <typename T>
constexpr int kDigits = std::numeric_limits<T>::digits;

void uniform_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double from, double to) {
  dispatch_types<FloatingAndReduced>(dtype, "uniform_", [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = static_cast<T*>(data);
    if constexpr (std::is_same_v<T, double>) {
      double width = to - from;
      for_blocks(gen, n, 2, [&](const uint32_t* w, int64_t at, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          out[at + i] = static_cast<double>(static_cast<int64_t>(wide(w, i) & ((uint64_t(1) << 53) - 1))) * 0x1p-53 * width + from;
        }
      });
    } else {
      constexpr uint32_t mask = (1u << kDigits<T>)-1;
      const float scale = std::ldexp(1.0f, -kDigits<T>);
      // Bounds are first of the tensor's type, as the number is computed in it.
      const float low = static_cast<float>(static_cast<T>(from)), high = static_cast<float>(static_cast<T>(to)), width = high - low;
      for_blocks(gen, n, 1, [&](const uint32_t* w, int64_t at, int64_t count) {
        for (int64_t i = 0; i < count; ++i) out[at + i] = static_cast<T>(static_cast<float>(static_cast<int32_t>(w[i] & mask)) * scale * width + low);
      });
    }
  });
}

// Groups of 16 uniforms become 16 normals: the first eight give radii, the others angles (Box and Muller 1958).
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
    for (int64_t i = 0; i < 8 * count; i += V::size) {
      (V(T(-2)) * log(V::load(radius + i))).store(radius + i);
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

// Half and BFloat16 round after each step, as arithmetic in the type itself does.
template <typename T>
void box_muller_16_reduced(T* data, T mean, T std) {
  for (int j = 0; j < 8; ++j) {
    T u1 = static_cast<T>(1.0f - static_cast<float>(data[j]));
    float u2 = static_cast<float>(data[j + 8]);
    T radius = static_cast<T>(std::sqrt(-2.0f * std::log(static_cast<float>(u1))));
    T theta = static_cast<T>(static_cast<float>(2.0f * M_PI * u2));
    T x = static_cast<T>(static_cast<float>(radius) * std::cos(static_cast<float>(theta)));
    T y = static_cast<T>(static_cast<float>(radius) * std::sin(static_cast<float>(theta)));
    data[j] = static_cast<T>(static_cast<float>(static_cast<T>(static_cast<float>(x) * static_cast<float>(std))) + static_cast<float>(mean));
    data[j + 8] = static_cast<T>(static_cast<float>(static_cast<T>(static_cast<float>(y) * static_cast<float>(std))) + static_cast<float>(mean));
  }
}

void normal_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double mean, double std) {
  uniform_fill(gen, dtype, data, n, 0, 1);
  dispatch_types<FloatingAndReduced>(dtype, "normal_", [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = static_cast<T*>(data);
    auto transform = [&](T* at, int64_t groups) {
      if constexpr (std::is_floating_point_v<T>) {
        box_muller_16(at, groups, static_cast<T>(mean), static_cast<T>(std));
      } else {
        for (int64_t g = 0; g < groups; ++g) box_muller_16_reduced(at + 16 * g, static_cast<T>(mean), static_cast<T>(std));
      }
    };
    transform(out, n / 16);
    if (n % 16 != 0) {
      // The last 16 are drawn anew, over what was there.
      uniform_fill(gen, dtype, out + n - 16, 16, 0, 1);
      transform(out + n - 16, 1);
    }
  });
}

void bernoulli_fill(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double p) {
  dispatch_types<RealTypes, bool>(dtype, "bernoulli_", [&](auto tag) {
    using T = typename decltype(tag)::type;
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

}  // namespace

REGISTER_DISPATCH(mt19937_refill_stub, &refill)
REGISTER_DISPATCH(mt19937_temper_stub, &temper)
REGISTER_DISPATCH(uniform_fill_stub, &uniform_fill)
REGISTER_DISPATCH(normal_fill_stub, &normal_fill)
REGISTER_DISPATCH(bernoulli_fill_stub, &bernoulli_fill)

}  // namespace at::native
