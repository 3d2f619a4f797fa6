#pragma once
// Philox4x32-10, a counter-based generator: J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel
// Random Numbers: As Easy as 1, 2, 3", SC 2011. Each thread has a sequence of its own, and each
// position in it is computed without those before it.

#include <cmath>

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <cuda_runtime.h>

namespace at::native {

class Philox {
 public:
  __device__ Philox(cuda::PhiloxState state, uint64_t sequence) : sequence_(sequence) {
    if (state.replay) {
      state.seed = state.replay[0];
      state.offset += state.replay[1];
    }
    key_[0] = static_cast<uint32_t>(state.seed);
    key_[1] = static_cast<uint32_t>(state.seed >> 32);
    position_ = state.offset / 4;
  }

  // The next four words.
  __device__ uint4 operator()() {
    uint32_t c[4] = {static_cast<uint32_t>(position_), static_cast<uint32_t>(position_ >> 32),
                     static_cast<uint32_t>(sequence_), static_cast<uint32_t>(sequence_ >> 32)};
    uint32_t key[2] = {key_[0], key_[1]};
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const uint64_t first = static_cast<uint64_t>(0xD2511F53u) * c[0];
      const uint64_t second = static_cast<uint64_t>(0xCD9E8D57u) * c[2];
      const uint32_t c1 = c[1], c3 = c[3];
      c[0] = static_cast<uint32_t>(second >> 32) ^ c1 ^ key[0];
      c[1] = static_cast<uint32_t>(second);
      c[2] = static_cast<uint32_t>(first >> 32) ^ c3 ^ key[1];
      c[3] = static_cast<uint32_t>(first);
      key[0] += 0x9E3779B9u;
      key[1] += 0xBB67AE85u;
    }
    ++position_;
    return {c[0], c[1], c[2], c[3]};
  }

 private:
  uint32_t key_[2];
  uint64_t position_, sequence_;
};

// Four words become four floats, or two doubles.
template <typename T>
struct Drawn {
  static constexpr int size = sizeof(T) == 8 ? 2 : 4;
  T value[size];
};

// Two words as 53 bits and the 11 below them, the first word lowest.
__device__ inline uint64_t double_bits(uint32_t low, uint32_t high) {
  return static_cast<uint64_t>(low) ^ static_cast<uint64_t>(high) << 21;
}

// Uniform in (0, 1]: words are the middles of as many intervals.
template <typename T>
__device__ Drawn<T> uniform_numbers(uint4 w) {
  if constexpr (sizeof(T) == 8) {
    auto number = [](uint64_t bits) { return static_cast<double>(bits) * 0x1p-53 + 0x1p-54; };
    return {{number(double_bits(w.x, w.y)), number(double_bits(w.z, w.w))}};
  } else {
    auto number = [](uint32_t word) { return static_cast<float>(word) * 0x1p-32f + 0x1p-33f; };
    return {{number(w.x), number(w.y), number(w.z), number(w.w)}};
  }
}

// Standard normal, in pairs: G. Box and M. Muller, "A Note on the Generation of Random Normal
// Deviates", 1958.
template <typename T>
__device__ Drawn<T> normal_numbers(uint4 w) {
  if constexpr (sizeof(T) == 8) {
    const double u = static_cast<double>(double_bits(w.x, w.y)) * 0x1p-53 + 0x1p-54;
    const double half_turns = static_cast<double>(double_bits(w.z, w.w)) * 0x1p-52 + 0x1p-53;
    const double radius = std::sqrt(-2.0 * std::log(u)), angle = M_PI * half_turns;
    return {{radius * std::sin(angle), radius * std::cos(angle)}};
  } else {
    Drawn<float> normals;
    auto pair = [&](uint32_t a, uint32_t b, int at) {
      constexpr auto turn = static_cast<float>(2 * M_PI);
      const float u = static_cast<float>(a) * 0x1p-32f + 0x1p-33f;
      const float angle = static_cast<float>(b) * (turn * 0x1p-32f) + turn * 0x1p-33f;
      const float radius = std::sqrt(-2.0f * std::log(u));
      normals.value[at] = radius * std::sin(angle);
      normals.value[at + 1] = radius * std::cos(angle);
    };
    pair(w.x, w.y, 0);
    pair(w.z, w.w, 2);
    return normals;
  }
}

struct DrawUniform {
  template <typename T>
  __device__ static Drawn<T> draw(Philox& philox) {
    return uniform_numbers<T>(philox());
  }
};
struct DrawNormal {
  template <typename T>
  __device__ static Drawn<T> draw(Philox& philox) {
    return normal_numbers<T>(philox());
  }
};
// Whole words: of 32 bits, or of 64 with the first word on top.
struct DrawWord {
  template <typename T>
  __device__ static Drawn<T> draw(Philox& philox) {
    const uint4 w = philox();
    if constexpr (sizeof(T) == 8) {
      return {{static_cast<T>(w.x) << 32 | w.y, static_cast<T>(w.z) << 32 | w.w}};
    } else {
      return {{w.x, w.y, w.z, w.w}};
    }
  }
};

}  // namespace at::native
