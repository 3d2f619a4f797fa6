// Tests of reductions from C++.

#include <ATen/native/common/Reduce.h>

#include <ATen/ops/add.h>
#include <ATen/ops/all.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/any.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/argmin.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/max.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/min.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/std.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/var.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <cmath>

using namespace at;
using namespace torch_test;

namespace {

const IntArrayRef kNone;

Tensor cube() { return tensor({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 3, 2}); }

TEST(ReduceOps, SumsOverAnyDimensions) {
  const Tensor x = cube();
  EXPECT_TRUE(has(at::sum(x), {66}));
  EXPECT_TRUE(has(at::sum(x, IntArrayRef{0}), {6, 8, 10, 12, 14, 16}));
  EXPECT_TRUE(has(at::sum(x, IntArrayRef{1}), {6, 9, 24, 27}));
  EXPECT_TRUE(has(at::sum(x, IntArrayRef{-1}), {1, 5, 9, 13, 17, 21}));
  EXPECT_TRUE(has(at::sum(x, {{0, 2}}), {14, 22, 30}));
  EXPECT_TRUE(has(at::sum(x, OptionalIntArrayRef()), {66}));
  EXPECT_TRUE(has(at::sum(x, kNone), {66}));  // no dimensions means all of them
  EXPECT_TRUE(has_sizes(at::sum(x, {{0, 2}}, /*keepdim=*/true), {1, 3, 1}));
  EXPECT_TRUE(throws<Error>([&] { at::sum(x, {{0, -3}}); }, "appears multiple times"));
  EXPECT_TRUE(throws<IndexError>([&] { at::sum(x, IntArrayRef{3}); }, "out of range"));
}

TEST(ReduceOps, DoNotDependOnStrides) {
  const Tensor x = cube();
  for (const std::vector<int64_t>& order : {std::vector<int64_t>{2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    const Tensor p = at::permute(x, order);
    for (int64_t d = 0; d < 3; ++d) {
      EXPECT_EQ(values(at::sum(p, IntArrayRef{d})), values(at::sum(at::add(p, 0), IntArrayRef{d})));
      EXPECT_EQ(values(at::amax(p, IntArrayRef{d})),
                values(at::amax(at::add(p, 0), IntArrayRef{d})));
    }
  }
  EXPECT_TRUE(has(at::sum(at::expand(number(2), {3, 4})), {24}));
  EXPECT_TRUE(has(at::mean(at::expand(tensor({1, 3}), {5, 2}), IntArrayRef{0}), {1, 3}));
}

TEST(ReduceOps, SumsAreAsWideAsPyTorchs) {
  EXPECT_EQ(at::sum(tensor({1, 1}, kBool)).scalar_type(), kLong);
  EXPECT_EQ(at::sum(tensor({200, 100}, kByte)).scalar_type(), kLong);
  EXPECT_TRUE(has(at::sum(tensor({200, 100}, kByte)), {300}));
  EXPECT_EQ(at::sum(tensor({1}, kHalf)).scalar_type(), kHalf);
  EXPECT_EQ(at::sum(tensor({1}), kDouble).scalar_type(), kDouble);
  EXPECT_TRUE(has(at::prod(tensor({16, 16}, kChar)), {256}));
  EXPECT_TRUE(throws<Error>([] { at::mean(tensor({1, 2}, kInt)); }, "mean"));
  // Half sums in float: 4096 ones would stop at 2048.
  EXPECT_TRUE(has(at::sum(at::full({4096}, 1, kHalf)), {4096}));
}

TEST(ReduceOps, SumsOfManyKeepTheirDigits) {
  // Adding one by one loses 0.1 * 2^24 in float; summing in pairs does not.
  const Tensor x = at::full({1 << 22}, 0.1);
  EXPECT_TRUE(near(at::sum(x), {0.1 * (1 << 22)}, 1e-5));
  EXPECT_TRUE(near(at::mean(x), {0.1}, 1e-5));
}

TEST(ReduceOps, OfNothing) {
  const Tensor none = at::empty({0}), wide = at::empty({2, 0, 3});
  EXPECT_TRUE(has(at::sum(none), {0}));
  EXPECT_TRUE(has(at::prod(none), {1}));
  EXPECT_TRUE(has(at::mean(none), {NAN}));
  EXPECT_TRUE(has(at::all(none), {1}));
  EXPECT_TRUE(has(at::any(none), {0}));
  EXPECT_TRUE(has(at::sum(wide, IntArrayRef{1}), {0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(has_sizes(at::amax(wide, IntArrayRef{0}), {0, 3}));
  EXPECT_TRUE(throws<Error>([&] { at::max(none); }, "max()"));
  EXPECT_TRUE(throws<Error>([&] { at::amax(none, kNone); }, "amax()"));
  EXPECT_TRUE(throws<IndexError>([&] { at::argmax(none); }, "argmax()"));
  EXPECT_THROW(at::max(wide, 1), IndexError);
  EXPECT_TRUE(has(at::logsumexp(none, IntArrayRef{0}), {-INFINITY}));
}

TEST(ReduceOps, MaximaWithTheirPlaces) {
  const Tensor x = tensor({3, 7, 7, 1, -2, 7}, {2, 3});
  const auto [max, max_at] = at::max(x, 1);
  EXPECT_TRUE(has(max, {7, 7}));
  EXPECT_TRUE(has(max_at, {1, 2}));  // the first of equal elements
  EXPECT_EQ(max_at.scalar_type(), kLong);
  const auto [min, min_at] = at::min(x, 0, /*keepdim=*/true);
  EXPECT_TRUE(has(min, {1, -2, 7}));
  EXPECT_TRUE(has(min_at, {1, 1, 0}));
  EXPECT_TRUE(has_sizes(min, {1, 3}));
  EXPECT_TRUE(has(at::argmax(x), {1}));
  EXPECT_TRUE(has(at::argmin(x), {4}));
  EXPECT_TRUE(has(at::argmax(x, 0), {0, 0, 0}));
  EXPECT_TRUE(has(at::amin(x, IntArrayRef{1}), {3, -2}));
}

TEST(ReduceOps, NanWins) {
  const Tensor x = tensor({1, NAN, 3, NAN});
  EXPECT_TRUE(has(at::max(x), {NAN}));
  EXPECT_TRUE(has(at::min(x), {NAN}));
  EXPECT_TRUE(has(at::amax(x, kNone), {NAN}));
  EXPECT_TRUE(has(at::argmax(x), {1}));
  EXPECT_TRUE(has(std::get<1>(at::max(x, 0)), {1}));
  EXPECT_TRUE(has(at::sum(x), {NAN}));
  EXPECT_TRUE(has(at::any(x), {1}));
}

TEST(ReduceOps, VarianceAndDeviation) {
  const Tensor x = tensor({1, 2, 3, 4});
  EXPECT_TRUE(near(at::var(x, true), {5.0 / 3}));
  EXPECT_TRUE(near(at::var(x, false), {1.25}));
  EXPECT_TRUE(near(at::std(x, true), {std::sqrt(5.0 / 3)}));
  EXPECT_TRUE(near(at::var(x, IntArrayRef{0}, /*correction=*/Scalar(2)), {2.5}));
  EXPECT_TRUE(has(at::var(number(3), false), {0}));
  EXPECT_TRUE(has(at::var(number(3), true), {NAN}));
  // A large mean does not hide a small variance.
  EXPECT_TRUE(near(at::var(tensor({1e8 + 1, 1e8 + 2, 1e8 + 3}, kDouble), true), {1.0}));
  EXPECT_THROW(at::var(tensor({1, 2}, kInt), true), Error);
}

TEST(ReduceOps, Norms) {
  const Tensor x = tensor({3, -4, 0});
  EXPECT_TRUE(has(at::norm(x), {5}));
  EXPECT_TRUE(has(at::norm(x, 1), {7}));
  EXPECT_TRUE(has(at::norm(x, 0), {2}));
  EXPECT_TRUE(has(at::norm(x, INFINITY), {4}));
  EXPECT_TRUE(has(at::norm(x, -INFINITY), {0}));
  EXPECT_TRUE(near(at::norm(x, 3), {std::cbrt(27 + 64)}));
}

TEST(ReduceOps, WriteIntoOutputs) {
  Tensor out = at::empty({0});
  at::sum_out(out, cube(), IntArrayRef{1});
  EXPECT_TRUE(has(out, {6, 9, 24, 27}));
  Tensor wide = at::empty({2, 2}, kDouble);
  at::sum_out(wide, cube(), IntArrayRef{1}, false, kDouble);
  EXPECT_TRUE(has(wide, {6, 9, 24, 27}));
  Tensor max = at::empty({0}), where = at::empty({0}, kLong);
  at::max_out(max, where, tensor({1, 5, 2}), 0);
  EXPECT_TRUE(has(max, {5}));
  EXPECT_TRUE(has(where, {1}));
  Tensor integers = at::empty({0}, kInt);
  EXPECT_TRUE(has(at::sum_out(integers, tensor({1.5, 1.5, 1.5}), IntArrayRef{0}), {3}));
}

TEST(ReduceOps, TruthOfAllAndAny) {
  const Tensor x = tensor({0, 2, 3, 0, 0, 1}, {3, 2});
  EXPECT_TRUE(has(at::all(x, 1), {0, 0, 0}));
  EXPECT_TRUE(has(at::any(x, 0), {1, 1}));
  EXPECT_TRUE(has(at::any(x), {1}));
  EXPECT_EQ(at::any(x).scalar_type(), kBool);
  EXPECT_EQ(at::all(tensor({1}, kByte)).scalar_type(), kByte);  // uint8 stays, as in PyTorch
}

}  // namespace
