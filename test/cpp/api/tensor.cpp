// Tests of making, indexing and printing tensors from C++.

#include <gtest/gtest.h>

#include <torch/torch.h>

using namespace torch;

namespace {

TEST(TensorAPI, MethodsChain) {
  const Tensor x = torch::arange(6).to(kFloat32).view({2, 3});
  EXPECT_EQ(x.t().contiguous().sum(IntArrayRef{0}).sum().item().toDouble(), 15);
  EXPECT_EQ(x.select(0, 1).max().item().toDouble(), 5);
  EXPECT_TRUE(torch::equal((x + 1.0).sub_(1.0), x));
  EXPECT_EQ(x.matmul(x.t()).size(1), 2);
}

TEST(TensorAPI, MethodsThatPythonWritesAsBrackets) {
  const Tensor x = torch::arange(6).view({2, 3});
  EXPECT_TRUE(torch::equal(x.slice(1, 0, 2), torch::slice(x, 1, 0, 2)));
  const std::optional<Tensor> rows[] = {torch::arange(1)};
  EXPECT_TRUE(torch::equal(x.index(rows), x.slice(0, 0, 1)));
}

TEST(TensorAPI, DataPointersAreOfTheType) {
  const Tensor x = torch::arange(4);
  EXPECT_EQ(x.data_ptr<int64_t>()[3], 3);
  EXPECT_EQ(x.const_data_ptr<int64_t>()[2], 2);
  try {
    x.data_ptr<float>();
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_NE(error.msg().find("expected scalar type Float but found Long"), std::string::npos)
        << error.msg();
  }
  EXPECT_THROW(torch::empty({2}, TensorOptions(kMeta)).data_ptr(), c10::NotImplementedError);
}

TEST(TensorAPI, HandlesShareTheTensor) {
  Tensor x = torch::ones({2});
  const Tensor same = x;
  EXPECT_TRUE(same.is_same(x));
  EXPECT_EQ(x.use_count(), 2u);
  const Tensor view = x.view({2, 1});
  EXPECT_FALSE(view.is_same(x));
  EXPECT_TRUE(view.is_alias_of(x));
  EXPECT_TRUE(view.is_view() && !x.is_view());
  x.add_(1.0);
  EXPECT_EQ(view._version(), 1u);
  EXPECT_EQ(view.select(0, 1).item().toDouble(), 2);
}

TEST(TensorAPI, PropertiesAreThoseOfItsElements) {
  const Tensor x = torch::zeros({2, 3}, kFloat64);
  EXPECT_EQ(x.itemsize(), 8u);
  EXPECT_EQ(x.nbytes(), 48u);
  EXPECT_TRUE(x.is_floating_point() && !x.is_complex() && x.is_signed() && x.is_cpu() &&
              !x.is_cuda());
  EXPECT_EQ(x.options().dtype(), kFloat64);
  EXPECT_EQ(x.layout(), kStrided);
  EXPECT_EQ(torch::zeros_like(x).scalar_type(), kFloat64);
}

TEST(TensorAPI, Prints) {
  EXPECT_NE(torch::ones({2}).toString().find("CPUFloat"), std::string::npos)
      << torch::ones({2}).toString();
}

TEST(TensorOptionsAPI, FactoriesFollowThem) {
  const TensorOptions options = TensorOptions().dtype(kFloat64).requires_grad(true);
  for (const Tensor& x :
       {torch::zeros({2}, options), torch::ones({2}, options), torch::rand({2}, options),
        torch::full({2}, 3.0, options), torch::empty({2}, options),
        torch::zeros_like(torch::ones({2}), options)}) {
    EXPECT_EQ(x.scalar_type(), kFloat64);
    EXPECT_TRUE(x.requires_grad());
    EXPECT_TRUE(x.is_leaf());
  }
  EXPECT_FALSE(torch::zeros({2}).requires_grad());
  EXPECT_THROW(torch::zeros({2}, TensorOptions(kInt64).requires_grad(true)), c10::Error);
  EXPECT_TRUE(torch::zeros({2}, TensorOptions(kMeta)).is_meta());
}

TEST(TensorOptionsAPI, FactoriesOfIntegers) {
  EXPECT_EQ(torch::randint(5, {2}).scalar_type(), kInt64);
  EXPECT_EQ(torch::randint(2, 5, {2}).scalar_type(), kInt64);
  EXPECT_EQ(torch::randperm(5).scalar_type(), kInt64);
  EXPECT_EQ(torch::tril_indices(2, 2).scalar_type(), kInt64);
  EXPECT_EQ(torch::randint(5, {2}, kFloat32).scalar_type(), kFloat32);
  EXPECT_EQ(torch::arange(5).scalar_type(), kInt64);
  EXPECT_EQ(torch::arange(5.0).scalar_type(), kFloat32);
}

}  // namespace
