// Tensors of zero dimensions and of zero elements, through operators of every family.

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/ger.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/item.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/max.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resize_.h>
#include <ATen/ops/select.h>
#include <ATen/ops/set_.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/split.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/take.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

const std::vector<std::vector<int64_t>> kShapes = {{},     {0},    {1},    {2},    {1, 1},
                                                   {1, 2}, {2, 1}, {0, 3}, {3, 0}, {2, 3}};

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

TEST(ScalarTensor, SizesAndStrides) {
  const Tensor zero_dim = number(3);
  EXPECT_EQ(zero_dim.dim(), 0);
  EXPECT_EQ(zero_dim.numel(), 1);
  EXPECT_TRUE(zero_dim.sizes().empty() && zero_dim.strides().empty());
  EXPECT_TRUE(throws<IndexError>([&] { zero_dim.size(0); }, "tensor has no dimensions"));
  for (const auto& shape : kShapes) {
    const Tensor x = at::ones(shape);
    EXPECT_TRUE(has_sizes(x, shape));
    EXPECT_EQ(x.numel(), product(shape));
    EXPECT_EQ(x.dim(), static_cast<int64_t>(shape.size()));
  }
}

TEST(ScalarTensor, UnsqueezeAndSqueeze) {
  for (const auto& shape : kShapes) {
    const Tensor x = at::ones(shape);
    for (int64_t d = 0; d <= x.dim(); ++d) {
      const Tensor wider = at::unsqueeze(x, d);
      EXPECT_EQ(wider.dim(), x.dim() + 1);
      EXPECT_EQ(wider.size(d), 1);
      EXPECT_TRUE(has_sizes(at::squeeze(wider, d), shape));
    }
    const Tensor narrow = at::squeeze(x);
    for (int64_t s : narrow.sizes()) EXPECT_NE(s, 1);
    EXPECT_EQ(narrow.numel(), x.numel());
  }
  EXPECT_TRUE(has_sizes(at::squeeze(number(1), 0), {}));
}

TEST(ScalarTensor, ReductionsOverEverythingHaveNoDimensions) {
  for (const auto& shape : kShapes) {
    const Tensor x = at::ones(shape);
    EXPECT_TRUE(has_sizes(at::sum(x), {}));
    EXPECT_TRUE(has(at::sum(x), {static_cast<double>(product(shape))}));
    EXPECT_TRUE(has(at::prod(x), {1}));
    if (x.numel() == 0) {
      EXPECT_TRUE(throws<Error>([&] { at::max(x); }, "max()")) << c10::str(shape);
    } else {
      EXPECT_TRUE(has(at::max(x), {1}));
    }
  }
  EXPECT_TRUE(has_sizes(std::get<1>(at::max(number(4), 0)), {}));
  EXPECT_TRUE(has(std::get<1>(at::max(number(4), 0)), {0}));
  EXPECT_THROW(at::max(at::empty({0}), 0), IndexError);
}

TEST(ScalarTensor, BinaryOperatorsOfAllShapes) {
  for (const auto& a : kShapes) {
    for (const auto& b : kShapes) {
      const Tensor x = at::ones(a), y = at::ones(b);
      bool fits = true;
      for (size_t k = 1; k <= std::min(a.size(), b.size()); ++k) {
        const int64_t p = a[a.size() - k], q = b[b.size() - k];
        fits = fits && (p == q || p == 1 || q == 1);
      }
      if (fits) {
        const Tensor sum = at::add(x, y);
        EXPECT_EQ(sum.dim(), static_cast<int64_t>(std::max(a.size(), b.size())));
        for (double v : values(sum)) EXPECT_EQ(v, 2);
      } else {
        EXPECT_TRUE(throws<Error>([&] { at::add(x, y); }, "must match the size of tensor"));
      }
    }
  }
}

TEST(ScalarTensor, ItemNeedsOneElement) {
  for (const auto& shape : kShapes) {
    const Tensor x = at::ones(shape);
    if (x.numel() == 1) {
      EXPECT_EQ(at::item(x).toDouble(), 1);
    } else {
      EXPECT_TRUE(throws<Error>([&] { at::item(x); }, "cannot be converted to Scalar"))
          << c10::str(shape);
    }
  }
}

TEST(ScalarTensor, IndexingTakesADimensionAway) {
  for (const auto& shape : kShapes) {
    const Tensor x = at::ones(shape);
    if (x.dim() == 0) {
      EXPECT_TRUE(throws<IndexError>([&] { at::select(x, 0, 0); },
                                     "select() cannot be applied to a 0-dim tensor"));
    } else if (x.size(0) == 0) {
      EXPECT_TRUE(throws<IndexError>([&] { at::select(x, 0, 0); }, "out of range"));
    } else {
      EXPECT_EQ(at::select(x, 0, 0).dim(), x.dim() - 1);
      EXPECT_EQ(at::unsqueeze(at::select(x, 0, x.size(0) - 1), 0).dim(), x.dim());
    }
  }
}

TEST(ScalarTensor, IndexTensorsOfNoDimensions) {
  const Tensor x = number(5), index = number(0, kLong);
  EXPECT_TRUE(has_sizes(at::index_select(x, 0, index), {}));
  EXPECT_TRUE(has(at::index_select(x, 0, index), {5}));
  EXPECT_TRUE(has_sizes(at::index_select(tensor({7, 8}), 0, number(1, kLong)), {1}));
  EXPECT_TRUE(has_sizes(at::take(tensor({7, 8}), index), {}));
  EXPECT_TRUE(has(at::gather(x, 0, index), {5}));
  EXPECT_TRUE(has_sizes(at::masked_select(x, number(1, kBool)), {1}));
  EXPECT_TRUE(has_sizes(at::masked_select(x, number(0, kBool)), {0}));
  EXPECT_TRUE(has_sizes(at::nonzero(x), {1, 0}));
  EXPECT_TRUE(has_sizes(at::nonzero(number(0)), {0, 0}));
}

TEST(ScalarTensor, ScansAndSorts) {
  EXPECT_TRUE(has_sizes(at::cumsum(number(5), 0), {}));
  EXPECT_TRUE(has(at::cumsum(number(5), -1), {5}));
  EXPECT_TRUE(has_sizes(std::get<0>(at::sort(number(5))), {}));
  EXPECT_TRUE(has(std::get<1>(at::sort(number(5))), {0}));
  EXPECT_TRUE(has_sizes(at::cumsum(at::empty({2, 0}), 1), {2, 0}));
}

TEST(ScalarTensor, JoiningAndSplitting) {
  const Tensor zero_dim[] = {number(1), number(2)};
  EXPECT_TRUE(throws<Error>([&] { at::cat(zero_dim); }, "zero-dimensional tensor"));
  const Tensor with_empty[] = {at::empty({0}), at::ones({2, 2})};
  EXPECT_TRUE(has_sizes(at::cat(with_empty, 1), {2, 2}));  // a legacy exception: {0} joins anything
  EXPECT_THROW(at::chunk(number(1), 2), Error);
  EXPECT_THROW(at::split(number(1), 1), Error);
  EXPECT_EQ(at::split(at::empty({0}), 1).size(), 1u);
  EXPECT_EQ(at::chunk(at::ones({3}), 5).size(), 3u);
}

TEST(ScalarTensor, ViewsToAndFromNoDimensions) {
  EXPECT_TRUE(has_sizes(at::view(tensor({5}), IntArrayRef{}), {}));
  EXPECT_TRUE(has_sizes(at::reshape(number(5), {1, 1, 1}), {1, 1, 1}));
  EXPECT_TRUE(has_sizes(at::reshape(number(5), {-1}), {1}));
  EXPECT_TRUE(has_sizes(at::expand(number(5), {2, 0}), {2, 0}));
  EXPECT_TRUE(has_sizes(at::permute(number(5), IntArrayRef{}), {}));
  EXPECT_TRUE(has_sizes(at::transpose(number(5), 0, -1), {}));
  EXPECT_TRUE(throws<Error>([] { at::view(tensor({1, 2}), IntArrayRef{}); },
                            "invalid for input of size 2"));
  EXPECT_TRUE(
      throws<Error>([] { at::reshape(at::empty({0, 2}), {-1, 0}); }, "unspecified dimension"));
  EXPECT_TRUE(has_sizes(at::reshape(at::empty({0, 2}), {0, 5}), {0, 5}));
}

TEST(ScalarTensor, ChangesInPlace) {
  Tensor x = number(1);
  at::fill_(x, number(4));
  EXPECT_TRUE(has(x, {4}));
  EXPECT_TRUE(throws<Error>([&] { at::fill_(x, tensor({1})); }, "0-dimension"));
  EXPECT_THROW(at::copy_(x, tensor({9}, {1})), Error);
  at::copy_(x, number(9));
  EXPECT_TRUE(has(x, {9}));
  EXPECT_THROW(at::copy_(x, tensor({1, 2})), Error);
  at::resize_(x, {2});
  EXPECT_TRUE(has_sizes(x, {2}));
  at::resize_(x, {});
  EXPECT_TRUE(has_sizes(x, {}));
  EXPECT_TRUE(has(x, {9}));
  at::set_(x);
  EXPECT_TRUE(has_sizes(x, {0}));
}

TEST(ScalarTensor, VectorOperatorsRefuseMatrices) {
  EXPECT_TRUE(has_sizes(at::ger(tensor({1, 2}), tensor({3})), {2, 1}));
  EXPECT_THROW(at::ger(number(1), tensor({3})), Error);
  EXPECT_TRUE(has_sizes(at::diag(tensor({1, 2})), {2, 2}));
  EXPECT_THROW(at::diag(number(1)), Error);
}

}  // namespace
