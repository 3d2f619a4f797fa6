#pragma once
// The CPU's generator: a 32-bit Mersenne Twister (MT19937, Matsumoto and Nishimura 1998) with
// PyTorch's streams: the same seed gives the same numbers, and the state has PyTorch's byte layout.
//
// Words are drawn in blocks: a whole state of 624 is renewed and tempered at once, by vectorized
// kernels.

#include <optional>

#include <ATen/core/Generator.h>

namespace at {

struct mt19937 {
  static constexpr int N = 624, M = 397;

  explicit mt19937(uint64_t seed = 5489) { init(seed); }
  void init(uint64_t seed);

  uint32_t operator()() {
    if (next == N) refill();
    return tempered[next++];
  }
  // Draws n words, the same as n single calls would.
  void fill(uint32_t* out, int64_t n);

  uint64_t seed = 0;
  int next = N;  // index of the first unused word of `tempered`
  uint32_t state[N];
  uint32_t tempered[N];  // the outputs that belong to `state`
  // After seeding, PyTorch's engine reports itself as one word before a renewal: see get_state.
  bool unused = true;

  void refill();
  void temper();
};

struct CPUGeneratorImpl final : GeneratorImpl {
  explicit CPUGeneratorImpl(uint64_t seed);
  ~CPUGeneratorImpl() override;
  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override { return engine.seed; }
  uint64_t seed() override;
  Tensor get_state() const override;
  void set_state(const Tensor& state) override;
  c10::intrusive_ptr<GeneratorImpl> clone() const override;

  uint32_t random() { return engine(); }
  uint64_t random64() {
    uint64_t high = engine();
    return high << 32 | engine();
  }
  // Uniform in [0, 1) with 53 random bits.
  double uniform_double() {
    return static_cast<double>(random64() & ((uint64_t(1) << 53) - 1)) * 0x1p-53;
  }
  float uniform_float() { return static_cast<float>(random() & ((1u << 24) - 1)) * 0x1p-24f; }
  // Standard normal, by Box and Muller 1958; every second sample is cached from the previous call.
  double normal_double();

  mt19937 engine;
  std::optional<float> next_float_normal_sample;
  std::optional<double> next_double_normal_sample;

  // All living generators: see Note [Generators and fork].
  CPUGeneratorImpl* newer = nullptr;
  CPUGeneratorImpl* older = nullptr;
};

Generator make_cpu_generator(uint64_t seed = 67280421310721ull);
const Generator& default_cpu_generator();
// Returns the generator of an optional argument, or the default one. Throws if it belongs to
// another device.
CPUGeneratorImpl* cpu_generator_or_default(const std::optional<Generator>& g);

}  // namespace at
