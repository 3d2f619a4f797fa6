// Tests of the CPU generator's states and seeds.

#include <ATen/CPUGeneratorImpl.h>

#include <ATen/ops/randn.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <random>
#include <set>
#include <thread>

using namespace at;
using namespace torch_test;

namespace {

TEST(CPUGenerator, EngineIsTheMersenneTwisterOfTheStandard) {
  for (uint32_t seed : {5489u, 0u, 42u, 0xffffffffu}) {
    mt19937 ours(seed);
    std::mt19937 theirs(seed);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(ours(), theirs()) << "seed " << seed << " word " << i;
  }
  mt19937 engine;
  uint32_t last = 0;
  for (int i = 0; i < 10000; ++i) last = engine();
  EXPECT_EQ(last, 4123659995u);  // the check value of the standard
}

TEST(CPUGenerator, FillsAreTheSameWords) {
  for (int64_t skipped : {0, 1, 623, 624, 625}) {
    mt19937 one(7), block(7);
    for (int64_t i = 0; i < skipped; ++i) one(), block();
    std::vector<uint32_t> words(2000);
    block.fill(words.data(), 2000);
    for (uint32_t word : words) ASSERT_EQ(word, one());
    EXPECT_EQ(block(), one());
  }
}

TEST(CPUGenerator, SeedsCountModulo32BitsButAreKept) {
  Generator a = make_cpu_generator(1), b = make_cpu_generator((uint64_t(1) << 32) + 1);
  EXPECT_EQ(a.get<CPUGeneratorImpl>()->random(), b.get<CPUGeneratorImpl>()->random());
  EXPECT_EQ(b.current_seed(), (uint64_t(1) << 32) + 1);
}

TEST(CPUGenerator, SeedingStartsAgain) {
  Generator g = make_cpu_generator(123);
  auto* impl = g.get<CPUGeneratorImpl>();
  const uint64_t first = impl->random64();
  const double normal = impl->normal_double();
  g.set_current_seed(123);
  EXPECT_EQ(g.current_seed(), 123u);
  EXPECT_EQ(impl->random64(), first);
  EXPECT_FALSE(impl->next_double_normal_sample);  // the second of the pair was dropped
  EXPECT_EQ(impl->normal_double(), normal);
}

TEST(CPUGenerator, SeedsFromTheSystemDiffer) {
  Generator g = make_cpu_generator(1);
  std::set<uint64_t> seeds;
  for (int i = 0; i < 4; ++i) {
    const uint64_t seed = g.seed();
    EXPECT_EQ(g.current_seed(), seed);
    EXPECT_EQ(seed >> 53, 0u);
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 4u);
}

TEST(CPUGenerator, DefaultOneIsOneForAll) {
  EXPECT_EQ(default_cpu_generator(), default_cpu_generator());
  EXPECT_EQ(cpu_generator_or_default(std::nullopt),
            default_cpu_generator().get<CPUGeneratorImpl>());
  EXPECT_EQ(cpu_generator_or_default(Generator()), default_cpu_generator().get<CPUGeneratorImpl>());
  Generator mine = make_cpu_generator(1);
  EXPECT_EQ(cpu_generator_or_default(mine), mine.get<CPUGeneratorImpl>());
  EXPECT_FALSE(mine == default_cpu_generator());
  EXPECT_TRUE(mine.device().is_cpu());
}

TEST(CPUGenerator, StateComesBack) {
  // At the beginning, inside a block of words, and at its end.
  for (int drawn : {0, 1, 300, 623, 624, 625, 1248}) {
    Generator g = make_cpu_generator(9);
    auto* impl = g.get<CPUGeneratorImpl>();
    for (int i = 0; i < drawn; ++i) impl->random();
    const Tensor state = impl->get_state();
    ASSERT_EQ(state.numel(), 5056);
    ASSERT_EQ(state.scalar_type(), kByte);
    std::vector<uint32_t> expected(1500);
    for (auto& word : expected) word = impl->random();
    Generator other = make_cpu_generator(1000);
    auto* restored = other.get<CPUGeneratorImpl>();
    restored->set_state(state);
    EXPECT_EQ(other.current_seed(), 9u);
    for (uint32_t word : expected) ASSERT_EQ(restored->random(), word) << drawn;
    impl->set_state(state);
    EXPECT_EQ(values(impl->get_state()), values(state)) << drawn;
  }
}

TEST(CPUGenerator, StateKeepsTheSecondNormalNumber) {
  Generator g = make_cpu_generator(4);
  auto* impl = g.get<CPUGeneratorImpl>();
  impl->normal_double();
  impl->next_float_normal_sample = 0.25f;
  const Tensor state = impl->get_state();
  const double second = impl->normal_double();
  Generator other = make_cpu_generator(5);
  auto* restored = other.get<CPUGeneratorImpl>();
  restored->set_state(state);
  EXPECT_EQ(restored->normal_double(), second);
  EXPECT_EQ(restored->next_float_normal_sample, 0.25f);
}

TEST(CPUGenerator, ForeignBytesAreRefused) {
  Generator g = make_cpu_generator(1);
  auto* impl = g.get<CPUGeneratorImpl>();
  EXPECT_TRUE(throws<TypeError>([&] { impl->set_state(tensor({1, 2})); },
                                "RNG state must be a torch.ByteTensor"));
  EXPECT_TRUE(throws<Error>([&] { impl->set_state(tensor({1, 2}, kByte)); }, "5056"));
  Tensor state = impl->get_state();
  state.data_ptr<uint8_t>()[11] = 0x7f;  // the top byte of `left`
  EXPECT_TRUE(throws<Error>([&] { impl->set_state(state); }, "no state of this generator"));
  state = impl->get_state();
  state.data_ptr<uint8_t>()[23] = 0xff;  // the top byte of `next`
  EXPECT_THROW(impl->set_state(state), Error);
}

TEST(CPUGenerator, ClonesGoTheirOwnWay) {
  Generator g = make_cpu_generator(77);
  auto* impl = g.get<CPUGeneratorImpl>();
  for (int i = 0; i < 100; ++i) impl->random();
  impl->normal_double();
  Generator copy(impl->clone());
  auto* other = copy.get<CPUGeneratorImpl>();
  EXPECT_EQ(other->normal_double(), impl->normal_double());
  EXPECT_EQ(other->random64(), impl->random64());
  impl->random();
  EXPECT_NE(other->random64(), impl->random64());
}

TEST(CPUGenerator, UniformNumbersAreBelowOne) {
  Generator g = make_cpu_generator(3);
  auto* impl = g.get<CPUGeneratorImpl>();
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const double d = impl->uniform_double();
    const float f = impl->uniform_float();
    ASSERT_TRUE(d >= 0 && d < 1 && f >= 0 && f < 1);
    sum += d;
  }
  EXPECT_NEAR(sum / 20000, 0.5, 0.01);
}

TEST(CPUGenerator, ThreadsMayShareOne) {
  Generator g = make_cpu_generator(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) at::randn({17}, std::optional<Generator>(g));
    });
  }
  for (auto& thread : threads) thread.join();
  // Exactly as many words were drawn as by one thread.
  Generator alone = make_cpu_generator(8);
  for (int i = 0; i < 800; ++i) at::randn({17}, std::optional<Generator>(alone));
  EXPECT_EQ(g.get<CPUGeneratorImpl>()->random(), alone.get<CPUGeneratorImpl>()->random());
}

}  // namespace
