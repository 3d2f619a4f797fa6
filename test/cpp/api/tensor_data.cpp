// Tensors from C++'s own data: torch::tensor, from_blob, accessors, AT_DISPATCH.

#include <gtest/gtest.h>

#include <numeric>

#include <ATen/AccumulateType.h>
#include <ATen/Dispatch_v2.h>
#include <torch/torch.h>

#include <ATen/TensorIterator.h>

namespace {

template <typename Error, typename F>
void expect_error(F f, const std::string& phrase) {
  try {
    f();
    ADD_FAILURE() << "no error, expected one with: " << phrase;
  } catch (const Error& error) {
    EXPECT_NE(error.msg().find(phrase), std::string::npos) << error.msg();
  }
}

TEST(TensorFromData, TypesAreThoseOfTheNumbers) {
  EXPECT_EQ(torch::tensor(3).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::tensor({1, 2}).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::tensor(std::vector<uint8_t>{1, 2}).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::tensor(1.5).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::tensor({1.5f}).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::tensor({true, false}).scalar_type(), torch::kBool);
  EXPECT_EQ(torch::tensor({c10::complex<float>(1, 2)}).scalar_type(), torch::kComplexFloat);
  EXPECT_EQ(torch::tensor({}).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::tensor({1, 2}, torch::kDouble).scalar_type(), torch::kDouble);
  const auto options = torch::dtype(torch::kFloat64).requires_grad(true);
  EXPECT_TRUE(torch::tensor({1.0, 2.0}, options).requires_grad());
  EXPECT_TRUE(torch::tensor({1.0, 2.0}, options).is_leaf());
}

TEST(TensorFromData, ListsNest) {
  const torch::Tensor x = torch::tensor({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x.sizes(), torch::IntArrayRef({2, 3}));
  EXPECT_TRUE(torch::equal(x, torch::arange(1, 7).view({2, 3})));
  EXPECT_EQ(torch::tensor({{{1.0}}, {{2.0}}}).sizes(), (std::vector<int64_t>{2, 1, 1}));
  EXPECT_EQ(torch::tensor(3).dim(), 0);
  EXPECT_EQ(torch::tensor({}).sizes(), torch::IntArrayRef({0}));
  EXPECT_EQ(torch::tensor({{}, {}}).sizes(), torch::IntArrayRef({2, 0}));
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  EXPECT_TRUE(torch::equal(torch::tensor(values), torch::arange(1000.0)));
  EXPECT_TRUE(torch::equal(torch::tensor(torch::ArrayRef<int>({7, 8})), torch::arange(7, 9)));
  EXPECT_EQ(torch::tensor(std::vector<int64_t>{}).numel(), 0);
}

TEST(TensorFromData, ListsHaveToAgree) {
  expect_error<c10::Error>([] { torch::tensor({{1, 2}, {3}}); }, "Expected all sub-lists");
  expect_error<c10::Error>([] { torch::tensor({{1, 2}, 3}); }, "Expected all sub-lists");
  expect_error<c10::Error>([] { torch::tensor({1, 2.0}); }, "same scalar type");
  EXPECT_THROW(torch::tensor({300}, torch::kUInt8), c10::Error);
}

TEST(FromBlob, SharesTheMemory) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  torch::Tensor x = torch::from_blob(data, {2, 3});
  EXPECT_EQ(x.data_ptr<float>(), data);
  x[1][2] = 50;
  EXPECT_EQ(data[5], 50);
  x[1].fill_(7);
  EXPECT_EQ(data[5], 7);
  EXPECT_TRUE(torch::equal(torch::from_blob(data, {3}, {2}), torch::tensor({0.0, 2.0, 7.0})));
  int64_t numbers[2] = {5, 6};
  EXPECT_EQ(torch::from_blob(numbers, {2}, torch::kInt64)[1].item<int64_t>(), 6);
  EXPECT_TRUE(
      torch::from_blob(data, {2}, torch::TensorOptions().requires_grad(true)).requires_grad());
}

TEST(FromBlob, DeleterRunsOnce) {
  int deleted = 0;
  auto* data = new double[4]{1, 2, 3, 4};
  {
    torch::Tensor x = torch::from_blob(data, {2, 2}, [&deleted](void* p) {
      delete[] static_cast<double*>(p);
      ++deleted;
    }, torch::kFloat64);
    const torch::Tensor view = x.t();
    x.reset();
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(view.sum().item<double>(), 10);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(FromBlob, LooksAtSizesAndStrides) {
  float data[4] = {};
  expect_error<c10::Error>([&] { torch::from_blob(data, {-2}); }, "negative dimension -2");
  expect_error<c10::Error>([&] { torch::from_blob(data, {2, 2}, {1}); },
                           "must match dimensionality of strides");
  expect_error<c10::Error>([&] { torch::from_blob(data, {2, 2}, {-1, 1}); }, "negative strides");
  expect_error<c10::Error>([&] { torch::from_blob(data, {2, 2}, {INT64_MAX, 1}); }, "overflow");
  expect_error<c10::Error>([&] { torch::from_blob(nullptr, {2}); }, "null pointer");
  expect_error<c10::Error>([&] { torch::from_blob(data, {2}, torch::kCUDA); }, "CPU");
  EXPECT_EQ(torch::from_blob(nullptr, {0, 3}).numel(), 0);
}

TEST(Accessor, ReadsAndWritesElements) {
  torch::Tensor x = torch::zeros({2, 3, 4}).transpose(0, 2);
  auto a = x.accessor<float, 3>();
  EXPECT_EQ(a.size(0), 4);
  EXPECT_EQ(a.sizes(), x.sizes());
  EXPECT_EQ(a[1].stride(0), x.stride(1));
  for (const auto i : c10::irange(a.size(0)))
    for (const auto j : c10::irange(a.size(1)))
      for (const auto k : c10::irange(a.size(2)))
        a[i][j][k] = static_cast<float>(i * 6 + j * 2 + k);
  EXPECT_TRUE(torch::equal(x, torch::arange(24.0).view({4, 3, 2})));
  const auto read = x.accessor<const float, 3>();
  EXPECT_EQ(read[3][2][1], 23);
  const auto packed = x.packed_accessor32<float, 3, torch::RestrictPtrTraits>();
  EXPECT_EQ(packed[2][1][0], 14);
  EXPECT_EQ((x.packed_accessor64<float, 3>()[2][1][1]), 15);
}

TEST(Accessor, SaysWhatItWanted) {
  const torch::Tensor x = torch::ones({2, 2});
  expect_error<c10::Error>([&] { x.accessor<float, 1>(); }, "expected 1 dims but tensor has 2");
  expect_error<c10::Error>([&] { x.accessor<double, 2>(); },
                           "expected scalar type Double but found Float");
  expect_error<c10::Error>([&] { x.packed_accessor32<float, 3>(); },
                           "expected 3 dims but tensor has 2");
  const torch::Tensor wide = torch::zeros({1}).expand({int64_t(1) << 40});
  expect_error<c10::Error>([&] { wide.packed_accessor32<float, 1>(); }, "do not fit into 32 bits");
}

std::string name_of_type(const torch::Tensor& x) {
  return AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      torch::kHalf, torch::kBool, torch::kBFloat16, x.scalar_type(), "name_of_type",
      [&]() -> std::string { return c10::toString(c10::CppTypeToScalarType<scalar_t>::value); });
}

TEST(Dispatch, GivesTheCppType) {
  for (auto t : {torch::kByte, torch::kChar, torch::kShort, torch::kInt, torch::kLong,
                 torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kBool,
                 torch::kComplexFloat, torch::kComplexDouble})
    EXPECT_EQ(name_of_type(torch::zeros({1}, t)), c10::toString(t));
  expect_error<c10::NotImplementedError>([] { name_of_type(torch::zeros({1}, torch::kUInt16)); },
                                         "\"name_of_type\" not implemented for 'UInt16'");
}

TEST(Dispatch, HasTheFamiliesOfTypes) {
  const auto size = [](torch::ScalarType t) {
    return AT_DISPATCH_FLOATING_TYPES_AND2(torch::kHalf, torch::kBFloat16, t, "size",
                                           [] { return sizeof(scalar_t); });
  };
  EXPECT_EQ(size(torch::kHalf), 2u);
  EXPECT_EQ(size(torch::kDouble), 8u);
  EXPECT_THROW(size(torch::kInt), c10::NotImplementedError);
  int runs = 0;
  AT_DISPATCH_FLOATING_TYPES(torch::kFloat, "a", [&] { ++runs; });
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(torch::kHalf, "b", [&] { ++runs; });
  AT_DISPATCH_INTEGRAL_TYPES(torch::kShort, "c", [&] { ++runs; });
  AT_DISPATCH_ALL_TYPES(torch::kInt, "d", [&] { ++runs; });
  AT_DISPATCH_ALL_TYPES_AND(torch::kBool, torch::kBool, "e", [&] { ++runs; });
  AT_DISPATCH_COMPLEX_TYPES(torch::kComplexFloat, "f", [&] { ++runs; });
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(torch::kDouble, "g", [&] { ++runs; });
  AT_DISPATCH_INDEX_TYPES(torch::kInt, "h", [&] { runs += sizeof(index_t) == 4; });
  AT_DISPATCH_SWITCH(torch::kBool, "i", AT_DISPATCH_CASE(torch::kBool, [&] {
    runs += sizeof(scalar_t) == 1;
  }) AT_DISPATCH_CASE_INTEGRAL_TYPES([&] { runs += 100; }));
  EXPECT_EQ(runs, 9);
}

TEST(Dispatch, TakesAnyListOfTypes) {
  const auto size = [](torch::ScalarType t) {
    return AT_DISPATCH_V2(t, "size",
                          AT_WRAP([] { return std::pair<size_t, int>(sizeof(scalar_t), 1); }),
                          AT_EXPAND(AT_ALL_TYPES), torch::kHalf, AT_EXPAND(AT_COMPLEX_TYPES),
                          AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES))
        .first;
  };
  EXPECT_EQ(size(torch::kHalf), 2u);
  EXPECT_EQ(size(torch::kUInt32), 4u);
  EXPECT_EQ(size(torch::kComplexDouble), 16u);
  EXPECT_THROW(size(torch::kBool), c10::NotImplementedError);
}

TEST(Loops, WalkBroadcastOperands) {
  const torch::Tensor x = torch::arange(6.0).view({2, 3}), y = torch::tensor({10.0, 20.0, 30.0});
  torch::Tensor out = torch::empty({3, 2}).t();
  auto iter =
      at::TensorIteratorConfig().add_output(out).add_const_input(x).add_const_input(y).build();
  iter.for_each([](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; ++j) {
      for (int64_t i = 0; i < size0; ++i) {
        const auto at = [&](int k) {
          return reinterpret_cast<float*>(data[k] + i * strides[k] + j * strides[3 + k]);
        };
        *at(0) = *at(1) + *at(2);
      }
    }
  });
  EXPECT_TRUE(torch::equal(out, x + y));
  iter.for_each([](char** data, const int64_t* strides, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<float*>(data[0] + i * strides[0]) =
          *reinterpret_cast<float*>(data[1] + i * strides[1]) *
          *reinterpret_cast<float*>(data[2] + i * strides[2]);
  });
  EXPECT_TRUE(torch::equal(out, x * y));
}

TEST(Utilities, TypesOfSums) {
  EXPECT_TRUE((std::is_same_v<at::acc_type<float, false>, double>));
  EXPECT_TRUE((std::is_same_v<at::acc_type<c10::Half, false>, float>));
  EXPECT_TRUE((std::is_same_v<at::acc_type<int8_t, false>, int64_t>));
  EXPECT_TRUE((std::is_same_v<at::opmath_type<c10::BFloat16>, float>));
  EXPECT_TRUE((std::is_same_v<at::opmath_type<double>, double>));
}

TEST(Utilities, RangesSumsAndProducts) {
  std::vector<int64_t> seen;
  for (auto i : c10::irange(2, 5)) seen.push_back(i);
  for (auto i : c10::irange(-3)) seen.push_back(i);
  EXPECT_EQ(seen, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(c10::multiply_integers(seen), 24);
  EXPECT_EQ(c10::sum_integers(torch::ones({2, 3}).sizes()), 5);
  EXPECT_EQ(c10::numelements_from_dim(1, seen), 12);
}

TEST(Utilities, SeedsAndPlainGuards) {
  torch::manual_seed(3);
  const torch::Tensor x = torch::rand({4});
  torch::manual_seed(3);
  EXPECT_TRUE(torch::equal(x, torch::rand({4})));
  if (!at::hasCUDA()) {
    EXPECT_FALSE(torch::cuda::is_available());
  }
}

}  // namespace
