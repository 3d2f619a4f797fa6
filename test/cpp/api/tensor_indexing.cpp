// x.index({...}) and x.index_put_({...}, v), operators, options, printing.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include <torch/torch.h>

namespace {

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

torch::Tensor cube() { return torch::arange(24).view({2, 3, 4}); }

TEST(Indexing, ViewsShareMemory) {
  const torch::Tensor x = cube();
  EXPECT_TRUE(torch::equal(x.index({1}), x.select(0, 1)));
  EXPECT_TRUE(torch::equal(x.index({"...", -1}), x.select(2, 3)));
  EXPECT_TRUE(torch::equal(x.index({Ellipsis, 0, Slice()}), x.select(1, 0)));
  EXPECT_TRUE(torch::equal(x.index({Slice(None, None, 2), Slice(1, None)}),
                           x.slice(0, 0, 2, 2).slice(1, 1, 3)));
  EXPECT_EQ(x.index({None, 0, Slice(), None}).sizes(), torch::IntArrayRef({1, 3, 1, 4}));
  EXPECT_TRUE(x.index({Slice()}).is_alias_of(x));
  EXPECT_FALSE(x.index({"..."}).is_same(x));
  EXPECT_EQ(x.index({Slice(-2, None), Slice(None, -1)}).sizes(), torch::IntArrayRef({2, 2, 4}));
  EXPECT_EQ(x[1][2][3].item<int>(), 23);
  EXPECT_EQ(x[torch::tensor(1)].sizes(), torch::IntArrayRef({3, 4}));
}

TEST(Indexing, TensorsAndMasksAreGathered) {
  const torch::Tensor x = cube();
  EXPECT_TRUE(torch::equal(x.index({torch::tensor({1, 0})}), torch::stack({x[1], x[0]})));
  EXPECT_TRUE(torch::equal(x.index({Slice(), torch::tensor({2})}), x.slice(1, 2, 3)));
  EXPECT_TRUE(torch::equal(x.index({x > 20}), torch::tensor({21, 22, 23})));
  EXPECT_TRUE(torch::equal(x.index({0, torch::tensor({true, false, true})}),
                           torch::stack({x[0][0], x[0][2]})));
  EXPECT_EQ(x.index({true}).sizes(), torch::IntArrayRef({1, 2, 3, 4}));
  EXPECT_EQ(x.index({false}).sizes(), torch::IntArrayRef({0, 2, 3, 4}));
  const torch::Tensor mask = torch::ones({2, 3}, torch::kBool);
  EXPECT_EQ(x.index({mask, 0}).sizes(), torch::IntArrayRef({6}));
  EXPECT_EQ(x.index({torch::tensor({0, 1}), "...", torch::tensor({0, 3})}).sizes(),
            torch::IntArrayRef({2, 3}));
}

TEST(Indexing, Puts) {
  torch::Tensor x = torch::zeros({2, 3});
  x.index_put_({0}, 1);
  x.index_put_({"...", 2}, torch::tensor({5.0, 6.0}));
  EXPECT_TRUE(torch::equal(x, torch::tensor({{1.0, 1.0, 5.0}, {0.0, 0.0, 6.0}})));
  x.index_put_({x == 0}, -1);
  x.index_put_({torch::tensor({0}), torch::tensor({0})}, torch::tensor(9));
  EXPECT_TRUE(torch::equal(x, torch::tensor({{9.0, 1.0, 5.0}, {-1.0, -1.0, 6.0}})));
  x.index_put_({Slice(), Slice(0, 2)}, torch::ones({1, 2, 2}));
  EXPECT_EQ(x.sum().item<float>(), 15);
  x = torch::zeros({3});
  x.index_put_({torch::tensor({1, 1, 2})}, torch::ones({3}), /*accumulate=*/true);
  EXPECT_TRUE(torch::equal(x, torch::tensor({0.0, 2.0, 1.0})));
}

TEST(Indexing, AssigningToAnItemChangesTheElements) {
  torch::Tensor x = torch::zeros({2, 2});
  x[0][1] = 5;
  x[1] = torch::tensor({7.0, 8.0});
  EXPECT_TRUE(torch::equal(x, torch::tensor({{0.0, 5.0}, {7.0, 8.0}})));
  torch::Tensor y = x;
  y = torch::ones({1});  // another handle: x stays
  EXPECT_EQ(x.sum().item<float>(), 20);
}

template <typename Error, typename F>
void expect_index_error(F f, const std::string& phrase) {
  try {
    f();
    ADD_FAILURE() << "no error, expected one with: " << phrase;
  } catch (const Error& error) {
    EXPECT_NE(error.msg().find(phrase), std::string::npos) << error.msg();
  }
}

TEST(Indexing, OutOfRangeIsAnIndexError) {
  const torch::Tensor x = cube();
  expect_index_error<c10::IndexError>([&] { x.index({5}); },
                                      "index 5 is out of bounds for dimension 0 with size 2");
  expect_index_error<c10::IndexError>([&] { x.index({0, 0, -5}); },
                                      "index -5 is out of bounds for dimension 2 with size 4");
  expect_index_error<c10::IndexError>([&] { x.index({0, 0, 0, 0}); }, "too many indices");
  expect_index_error<c10::IndexError>([&] { x[2]; }, "out of");
  expect_index_error<c10::IndexError>([&] { torch::tensor(3)[0]; }, "0-dim tensor");
  expect_index_error<c10::IndexError>([&] { x.index({torch::tensor({0, 9})}); }, "out of");
  expect_index_error<c10::ValueError>([&] { x.index({Slice(None, None, 0)}); }, "zero");
  expect_index_error<c10::ValueError>([&] { x.index({"??"}); }, "...");
  torch::Tensor y = torch::zeros({2, 2});
  EXPECT_THROW(y.index_put_({0}, torch::ones({3})), c10::Error);
}

TEST(Operators, WorkByElements) {
  const torch::Tensor a = torch::tensor({1, 2, 3}), b = torch::tensor({3, 2, 1});
  EXPECT_TRUE(torch::equal(a == b, torch::tensor({false, true, false})));
  EXPECT_TRUE(torch::equal(a < 2, torch::tensor({true, false, false})));
  EXPECT_TRUE(torch::equal(2 < a, torch::tensor({false, false, true})));
  EXPECT_TRUE(torch::equal((a >= 2) & (b >= 2), torch::tensor({false, true, false})));
  EXPECT_TRUE(torch::equal(~(a != b), a == b));
  EXPECT_TRUE(torch::equal(a % 2, torch::tensor({1, 0, 1})));
  EXPECT_TRUE(torch::equal(a ^ b, torch::tensor({2, 0, 2})));
  torch::Tensor c = a.clone();
  c += b;
  c *= 2;
  c -= 1;
  EXPECT_TRUE(torch::equal(c, torch::full({3}, 7)));
  EXPECT_TRUE(torch::equal(-c + 1.0, torch::full({3}, -6.0)));
  EXPECT_THROW(a + torch::ones({2}), c10::Error);
}

TEST(Operators, OneDimensionMayStandForAList) {
  const torch::Tensor x = torch::arange(6.0).view({2, 3});
  EXPECT_TRUE(torch::equal(x.sum(0), torch::tensor({3.0, 5.0, 7.0})));
  EXPECT_EQ(x.sum(/*dim=*/0, /*keepdim=*/true).sizes(), torch::IntArrayRef({1, 3}));
  EXPECT_TRUE(torch::equal(torch::mean(x, 1), torch::tensor({1.0, 4.0})));
  EXPECT_TRUE(torch::allclose(x.var({1}), torch::ones({2})));
  EXPECT_TRUE(torch::allclose(x.std(0, /*unbiased=*/false), torch::full({3}, 1.5)));
  EXPECT_EQ(x.sum({0, 1}).item<float>(), 15);
}

TEST(Options, Chain) {
  const torch::Tensor x = torch::ones({2, 2});
  EXPECT_EQ(x.to(torch::kDouble).dtype(), torch::kDouble);
  EXPECT_EQ(x.to(torch::dtype(torch::kLong)).dtype(), torch::kLong);
  EXPECT_TRUE(x.to(torch::kCPU).is_same(x));
  EXPECT_TRUE(x.to(torch::Device("cpu")).is_same(x));
  EXPECT_TRUE(x.to(torch::Device(torch::kCPU), torch::kFloat).is_same(x));
  EXPECT_TRUE(x.to("cpu").is_same(x));
  EXPECT_THROW(x.to("nowhere"), c10::Error);
  EXPECT_TRUE(x.to(torch::kMeta).is_meta());
  EXPECT_FALSE(x.cpu().is_cuda());
  EXPECT_EQ(x.toType(torch::kInt).scalar_type(), torch::kInt);
  const auto options =
      torch::TensorOptions().dtype(torch::kFloat64).layout(torch::kStrided).device(torch::kCPU, 0);
  EXPECT_EQ(torch::zeros({2}, options).scalar_type(), torch::kDouble);
  EXPECT_EQ(torch::empty({2}, x.options().dtype(torch::kInt)).scalar_type(), torch::kInt);
  EXPECT_EQ(x.new_zeros({3}, torch::kLong).scalar_type(), torch::kLong);
  EXPECT_EQ(x.new_full({3}, 2, x.options().dtype(torch::kDouble)).sum().item<double>(), 6);
  EXPECT_EQ(torch::empty_like(x).sizes().vec(), (std::vector<int64_t>{2, 2}));
  EXPECT_TRUE(torch::ones({1}, torch::requires_grad()).requires_grad());
  c10::optional<torch::Tensor> none = c10::nullopt;
  EXPECT_FALSE(none.has_value());
  EXPECT_THROW(x.item<float>(), c10::Error);
  EXPECT_THROW(torch::tensor(300).item<uint8_t>(), c10::Error);
}

TEST(Options, FollowArgumentsByPlace) {
  EXPECT_TRUE(torch::equal(torch::arange(0, 10, 4), torch::tensor({0, 4, 8})));
  EXPECT_EQ(torch::arange(0, 10, 4, torch::kDouble).scalar_type(), torch::kDouble);
  EXPECT_EQ(torch::logspace(0, 2, 3, 10.0, torch::kDouble).scalar_type(), torch::kDouble);
  EXPECT_EQ(torch::tril_indices(3, 3, -1).size(1), 3);
  EXPECT_EQ(torch::randint(0, 10, {2, 2}).scalar_type(), torch::kLong);
}

TEST(Operators, StandardDeviations) {
  const torch::Tensor x = torch::arange(5.0);
  EXPECT_FLOAT_EQ(x.var().item<float>(), 2.5);
  EXPECT_FLOAT_EQ(x.var(/*unbiased=*/false).item<float>(), 2);
  EXPECT_FLOAT_EQ(torch::std(x).item<float>(), std::sqrt(2.5f));
  EXPECT_THROW(x.sizes().at(1), std::out_of_range);
  EXPECT_EQ(*x.view({1, 5}).sizes().rbegin(), 5);
}

std::string printed(const torch::Tensor& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(Printing, HasTheFormatOfPyTorch) {
  EXPECT_EQ(printed(torch::tensor({1, -20, 300})), "   1\n -20\n 300\n[ CPULongType{3} ]");
  EXPECT_EQ(printed(torch::tensor({1.5, 2.25})), " 1.5000\n 2.2500\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(torch::arange(6.0).view({2, 3})), " 0  1  2\n 3  4  5\n[ CPUFloatType{2,3} ]");
  EXPECT_EQ(printed(torch::tensor({{1e5, 2.5}})), " 1.0000e+05  2.5000e+00\n[ CPUFloatType{1,2} ]");
  EXPECT_EQ(printed(torch::tensor({1e-3, 2e-3})), "0.001 *\n 1.0000\n 2.0000\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(torch::arange(8).view({2, 2, 2})),
            "(1,.,.) = \n 0  1\n  2  3\n\n(2,.,.) = \n 4  5\n  6  7\n[ CPULongType{2,2,2} ]");
  EXPECT_EQ(printed(torch::tensor(2.5)), "2.5\n[ CPUFloatType{} ]");
  EXPECT_EQ(printed(torch::tensor({true, false})), " 1\n 0\n[ CPUBoolType{2} ]");
  EXPECT_EQ(printed(torch::zeros({2, 0})), "[ CPUFloatType{2,0} ]");
  EXPECT_EQ(printed(torch::Tensor()), "[ Tensor (undefined) ]");
  EXPECT_EQ(printed(torch::arange(30).view({1, 30}) * 100.0).substr(0, 16), "Columns 1 to 13 ");
}

TEST(Printing, OfWhatDescribesATensor) {
  const torch::Tensor x = torch::ones({2, 3});
  std::ostringstream out;
  out << x.sizes() << x.scalar_type() << x.device() << x.layout() << torch::Scalar(2.5);
  EXPECT_EQ(out.str(), "[2, 3]FloatcpuStrided2.5");
  out.str("");
  out << x.options();
  EXPECT_EQ(out.str(),
            "TensorOptions(dtype=float, device=cpu, layout=Strided, requires_grad=false (default), "
            "pinned_memory=false (default), memory_format=(nullopt))");
}

}  // namespace
