// Random operators: their streams, ranges, moments and errors.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/bernoulli_.h>
#include <ATen/ops/cauchy_.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exponential_.h>
#include <ATen/ops/geometric_.h>
#include <ATen/ops/log_normal_.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/multinomial.h>
#include <ATen/ops/normal_.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/random_.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/std.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/uniform_.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <algorithm>
#include <cmath>

using namespace at;
using namespace torch_test;

namespace {

std::optional<Generator> seeded(uint64_t seed = 42) { return make_cpu_generator(seed); }
double mean_of(const Tensor& t) { return values(at::mean(t))[0]; }
double std_of(const Tensor& t) { return values(at::std(t, /*unbiased=*/true))[0]; }
std::pair<double, double> range_of(const Tensor& t) {
  const auto all = values(t);
  return {*std::min_element(all.begin(), all.end()), *std::max_element(all.begin(), all.end())};
}

TEST(CPURng, RandomOfEachTypeStaysInItsRange) {
  for (ScalarType dtype : {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble}) {
    Tensor x = at::empty({4000}, dtype);
    at::random_(x, 3, 10, seeded());
    EXPECT_EQ(range_of(x), std::make_pair(3.0, 9.0)) << toString(dtype);
    at::random_(x, 5, seeded());
    EXPECT_EQ(range_of(x), std::make_pair(0.0, 4.0)) << toString(dtype);
  }
  Tensor flags = at::empty({100}, kBool);
  at::random_(flags, seeded());
  EXPECT_EQ(range_of(flags), std::make_pair(0.0, 1.0));
  Tensor bytes = at::empty({10000}, kChar);
  at::random_(bytes, seeded());
  EXPECT_EQ(range_of(bytes), std::make_pair(0.0, 127.0));
}

TEST(CPURng, RandomTakesWordsInOrder) {
  Tensor x = at::empty({10}, kLong);
  at::random_(x, 0, 1000, seeded(5));
  mt19937 engine(5);
  for (double value : values(x)) EXPECT_EQ(value, engine() % 1000);
}

TEST(CPURng, RandomRefusesEmptyAndForeignRanges) {
  Tensor x = at::empty({2}, kByte);
  EXPECT_TRUE(
      throws<Error>([&] { at::random_(x, 5, 5); }, "random_ expects 'from' to be less than 'to'"));
  EXPECT_TRUE(throws<Error>([&] { at::random_(x, 0); }, "less than"));
  EXPECT_TRUE(throws<Error>([&] { at::random_(x, 0, 300); }, "out of bounds"));
  EXPECT_THROW(at::random_(x, -1, 5), Error);
}

TEST(CPURng, UniformFillsItsInterval) {
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    Tensor x = at::empty({20000}, dtype);
    at::uniform_(x, -2, 4, seeded());
    const auto [min, max] = range_of(x);
    EXPECT_TRUE(min >= -2 && min < -1.9 && max <= 4 && max > 3.9) << toString(dtype);
    EXPECT_NEAR(mean_of(at::uniform_(x, 0, 1, seeded())), 0.5, 0.02);
  }
  Tensor x = at::empty({2});
  EXPECT_TRUE(throws<Error>([&] { at::uniform_(x, 2, 1); }, "uniform_ expects"));
  Tensor integers = at::empty({2}, kInt);
  EXPECT_THROW(at::uniform_(integers), Error);
}

TEST(CPURng, NormalHasItsMoments) {
  for (int64_t n : {15, 16, 17, 40000}) {
    Tensor x = at::empty({n}), same = at::empty({n}), other = at::empty({n});
    at::normal_(x, 3, 2, seeded());
    at::normal_(same, 3, 2, seeded());
    at::normal_(other, 3, 2, seeded(43));
    EXPECT_EQ(values(x), values(same));
    EXPECT_NE(values(x), values(other));
    if (n > 1000) {
      EXPECT_NEAR(mean_of(x), 3, 0.05);
      EXPECT_NEAR(std_of(x), 2, 0.05);
    }
  }
  Tensor x = at::empty({2});
  EXPECT_TRUE(throws<Error>([&] { at::normal_(x, 0, -1); }, "std >= 0"));
  EXPECT_TRUE(has(at::normal_(x, 5, 0), {5, 5}));
}

// As in PyTorch: numbers are assigned in memory order.
TEST(CPURng, DenseTensorsAreFilledInTheOrderOfMemory) {
  Tensor dense = at::empty({5, 6}), transposed = at::transpose(at::empty({5, 6}), 0, 1);
  at::uniform_(dense, 0, 1, seeded());
  at::uniform_(transposed, 0, 1, seeded());
  EXPECT_EQ(values(dense), values(at::transpose(transposed, 0, 1)));
}

TEST(CPURng, BernoulliAndGeometric) {
  Tensor x = at::empty({20000});
  at::bernoulli_(x, 0.3, seeded());
  EXPECT_EQ(range_of(x), std::make_pair(0.0, 1.0));
  EXPECT_NEAR(mean_of(x), 0.3, 0.02);
  EXPECT_EQ(mean_of(at::bernoulli_(x, 0.0)), 0);
  EXPECT_EQ(mean_of(at::bernoulli_(x, 1.0)), 1);
  EXPECT_TRUE(throws<Error>([&] { at::bernoulli_(x, 1.5); }, "expects p to be in [0, 1]"));
  EXPECT_THROW(at::bernoulli_(x, NAN), Error);
  at::geometric_(x, 0.25, seeded());
  EXPECT_EQ(range_of(x).first, 1);
  EXPECT_NEAR(mean_of(x), 4, 0.15);
  EXPECT_TRUE(throws<Error>([&] { at::geometric_(x, 0); }, "geometric_ expects p"));
  EXPECT_THROW(at::geometric_(x, 1), Error);
}

TEST(CPURng, ExponentialCauchyAndLogNormal) {
  Tensor x = at::empty({40000}, kDouble);
  at::exponential_(x, 4, seeded());
  EXPECT_GE(range_of(x).first, 0);
  EXPECT_NEAR(mean_of(x), 0.25, 0.01);
  EXPECT_THROW(at::exponential_(x, 0), Error);
  EXPECT_THROW(at::exponential_(x, -1), Error);
  at::log_normal_(x, 0, 0.5, seeded());
  EXPECT_GT(range_of(x).first, 0);
  EXPECT_NEAR(mean_of(x), std::exp(0.125), 0.02);
  EXPECT_THROW(at::log_normal_(x, 0, 0), Error);
  at::cauchy_(x, 10, 2, seeded());
  auto all = values(x);
  std::nth_element(all.begin(), all.begin() + 20000, all.end());
  EXPECT_NEAR(all[20000], 10, 0.1);  // it has a median but no mean
  EXPECT_THROW(at::cauchy_(x, 0, 0), Error);
}

TEST(CPURng, PermutationsAndIntegers) {
  for (int64_t n : {0, 1, 2, 1000}) {
    auto all = values(at::randperm(n, seeded()));
    std::sort(all.begin(), all.end());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(all[static_cast<size_t>(i)], i);
  }
  EXPECT_NE(values(at::randperm(100, seeded(1))), values(at::randperm(100, seeded(2))));
  EXPECT_THROW(at::randperm(-1), Error);
  const Tensor r = at::randint(-3, 3, {5000}, seeded());
  EXPECT_EQ(r.scalar_type(), kLong);
  EXPECT_EQ(range_of(r), std::make_pair(-3.0, 2.0));
  EXPECT_THROW(at::randint(3, 3, {2}), Error);
}

TEST(CPURng, MultinomialFollowsTheWeights) {
  const Tensor weights = tensor({1, 0, 3});
  const Tensor drawn = at::multinomial(weights, 8000, /*replacement=*/true, seeded());
  size_t count[3] = {};
  for (double k : values(drawn)) ++count[static_cast<size_t>(k)];
  EXPECT_EQ(count[1], 0u);
  EXPECT_NEAR(count[2] / 8000.0, 0.75, 0.03);
  auto two = values(at::multinomial(weights, 2, false, seeded()));
  std::sort(two.begin(), two.end());
  EXPECT_EQ(two, (std::vector<double>{0, 2}));
  EXPECT_THROW(at::multinomial(weights, 4), Error);
  EXPECT_THROW(at::multinomial(tensor({-1, 1}), 1), Error);
  EXPECT_THROW(at::multinomial(tensor({0, 0}), 1, true), Error);
}

TEST(CPURng, EmptyTensorsDrawNothing) {
  Generator g = make_cpu_generator(1), expected = make_cpu_generator(1);
  Tensor none = at::empty({0});
  at::normal_(none, 0, 1, g);
  at::uniform_(none, 0, 1, g);
  at::random_(none, g);
  EXPECT_EQ(g.get<CPUGeneratorImpl>()->random(), expected.get<CPUGeneratorImpl>()->random());
}

}  // namespace
