// Kernels that fuse several steps, compared with the steps.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcdiv.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addr.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/div.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/std.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/var.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <cmath>

using namespace at;
using namespace torch_test;

namespace {

Tensor random(IntArrayRef sizes) {
  static const Generator generator = make_cpu_generator(1);
  return at::randn(sizes, std::optional<Generator>(generator), kDouble);
}
::testing::AssertionResult same(const Tensor& a, const Tensor& b) { return near(a, b, 1e-10); }

TEST(MathKernel, Softmax) {
  for (int64_t d : {0, 1, 2, -1}) {
    const Tensor x = random({4, 5, 6});
    const Tensor e = at::exp(x), sum = at::sum(e, IntArrayRef{d}, true);
    EXPECT_TRUE(same(at::softmax(x, d), e / sum));
    EXPECT_TRUE(same(at::log_softmax(x, d), x - at::log(sum)));
    EXPECT_TRUE(same(at::logsumexp(x, IntArrayRef{d}, true), at::log(sum)));
  }
  // Large numbers do not overflow, and -inf has weight zero.
  EXPECT_TRUE(near(at::softmax(tensor({1000, 1000}), 0), {0.5, 0.5}));
  EXPECT_TRUE(near(at::softmax(tensor({0, -INFINITY}), 0), {1, 0}));
  EXPECT_TRUE(near(at::log_softmax(tensor({1000, 0}), 0), {0, -1000}));
}

TEST(MathKernel, LayerNorm) {
  const Tensor x = random({3, 4, 5}), weight = random({4, 5}), bias = random({4, 5});
  const Tensor flat = at::reshape(x, {3, 20});
  const Tensor mean = at::mean(flat, IntArrayRef{1}, true),
               rstd = at::rsqrt(at::var(flat, IntArrayRef{1}, false, true) + 1e-5);
  const Tensor normed = at::reshape((flat - mean) * rstd, {3, 4, 5});
  EXPECT_TRUE(same(at::layer_norm(x, {4, 5}), normed));
  EXPECT_TRUE(same(at::layer_norm(x, {4, 5}, weight, bias), normed * weight + bias));
  const auto [y, m, r] = at::native_layer_norm(x, {4, 5}, weight, bias, 1e-5);
  EXPECT_TRUE(same(y, normed * weight + bias));
  EXPECT_TRUE(same(m, at::reshape(mean, {3, 1, 1})));
  EXPECT_TRUE(same(r, at::reshape(rstd, {3, 1, 1})));
  EXPECT_TRUE(throws<Error>([&] { at::layer_norm(x, {5, 4}); }, "normalized_shape"));
}

TEST(MathKernel, GroupNorm) {
  const Tensor x = random({2, 6, 5}), weight = random({6}), bias = random({6});
  const Tensor flat = at::reshape(x, {2, 3, 10});
  const Tensor normed =
      at::reshape((flat - at::mean(flat, IntArrayRef{2}, true)) *
                      at::rsqrt(at::var(flat, IntArrayRef{2}, false, true) + 1e-5),
                  {2, 6, 5});
  EXPECT_TRUE(same(at::group_norm(x, 3), normed));
  EXPECT_TRUE(same(at::group_norm(x, 3, weight, bias),
                   normed * at::reshape(weight, {6, 1}) + at::reshape(bias, {6, 1})));
  EXPECT_TRUE(throws<Error>([&] { at::group_norm(x, 4); }, "divisible"));
}

TEST(MathKernel, MatrixProductsWithASum) {
  const Tensor a = random({3, 4}), b = random({4, 5}), c = random({3, 5});
  EXPECT_TRUE(same(at::addmm(c, a, b), c + at::mm(a, b)));
  EXPECT_TRUE(same(at::addmm(c, a, b, 0.5, 2), 0.5 * c + 2 * at::mm(a, b)));
  EXPECT_TRUE(same(at::addmm(c * NAN, a, b, 0), at::mm(a, b)));  // beta 0: c is not read
  const Tensor x = random({2, 3, 4}), y = random({2, 4, 5}), z = random({2, 3, 5});
  EXPECT_TRUE(same(at::baddbmm(z, x, y, 2, 3), 2 * z + 3 * at::bmm(x, y)));
  const Tensor v = random({3}), w = random({5});
  EXPECT_TRUE(same(at::addr(c, v, w, 2, 3), 2 * c + 3 * at::outer(v, w)));
}

TEST(MathKernel, ProductsOfTransposedMatrices) {
  const Tensor a = random({4, 3}), b = random({5, 4});
  const Tensor ta = at::transpose(a, 0, 1), tb = at::transpose(b, 0, 1);
  const Tensor expected =
      at::mm(at::reshape(at::add(ta, 0), {3, 4}), at::reshape(at::add(tb, 0), {4, 5}));
  EXPECT_TRUE(same(at::mm(ta, tb), expected));
  EXPECT_TRUE(same(at::transpose(at::mm(b, a), 0, 1), expected));
  EXPECT_TRUE(same(at::einsum("ki,jk->ij", std::vector<Tensor>{a, b}), expected));
}

TEST(MathKernel, Pointwise) {
  const Tensor x = random({50}), a = random({50}), b = random({50}) + 5;
  EXPECT_TRUE(same(at::addcmul(x, a, b, 0.5), x + 0.5 * a * b));
  EXPECT_TRUE(same(at::addcdiv(x, a, b, 2), x + 2 * a / b));
  EXPECT_TRUE(same(at::lerp(x, a, 0.3), x + 0.3 * (a - x)));
  EXPECT_TRUE(same(at::silu(x), x * at::sigmoid(x)));
  EXPECT_TRUE(throws<Error>([&] {
    at::addcdiv(tensor({1}, kInt), tensor({1}, kInt), tensor({1}, kInt));
  }, "Integer division with addcdiv"));
}

}  // namespace
