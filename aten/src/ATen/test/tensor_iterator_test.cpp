// Tests of TensorIterator.

#include <ATen/native/common/TensorIterator.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/zeros.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <mutex>

using namespace at;
using namespace torch_test;

namespace {

// out = a + 10 b, element by element, in float.
void combine(char** data, const int64_t* strides, int64_t size0, int64_t size1) {
  for (int64_t j = 0; j < size1; ++j) {
    for (int64_t i = 0; i < size0; ++i) {
      auto at = [&](int k) {
        return reinterpret_cast<float*>(data[k] + i * strides[k] + j * strides[3 + k]);
      };
      *at(0) = *at(1) + 10 * *at(2);
    }
  }
}

TensorIteratorConfig binary(Tensor& out, const Tensor& a, const Tensor& b) {
  TensorIteratorConfig config("combine");
  config.add_output(out).add_input(a).add_input(b);
  return config;
}

TEST(TensorIterator, MakesItsOutput) {
  Tensor out;
  const Tensor a = tensor({1, 2, 3}), b = tensor({1, 2}, {2, 1});
  TensorIterator iter = binary(out, a, b).build();
  EXPECT_EQ(iter.numel(), 6);
  EXPECT_EQ(iter.ntensors(), 3);
  EXPECT_EQ(iter.noutputs(), 1);
  EXPECT_EQ(iter.ninputs(), 2);
  EXPECT_TRUE(has_sizes(iter.output(0), {2, 3}));
  iter.for_each(combine);
  EXPECT_TRUE(has(iter.output(0), {11, 12, 13, 21, 22, 23}));
}

TEST(TensorIterator, MergesDimensionsThatAreOneRun) {
  const Tensor a = at::empty({2, 3, 4, 5});
  Tensor out;
  EXPECT_EQ(binary(out, a, a).build().ndim(), 1);
  // Walks in memory order, whatever that is.
  const Tensor p = at::permute(a, {3, 0, 2, 1});
  TensorIterator iter = binary(out, p, p).build();
  EXPECT_EQ(iter.ndim(), 1);
  EXPECT_TRUE(iter.is_contiguous());
  EXPECT_TRUE(has_strides(iter.output(0), p.strides()));
  // Broadcasting along one dimension keeps that one separate.
  const Tensor row = at::empty({3, 1, 1});
  EXPECT_EQ(binary(out, a, row).build().ndim(), 3);
  EXPECT_EQ(binary(out, a, at::empty({5})).build().ndim(), 2);
  EXPECT_EQ(binary(out, a, number(1)).build().ndim(), 1);
  EXPECT_TRUE(binary(out, number(1), number(2)).build().is_trivial_1d());
}

TEST(TensorIterator, PutsTheInnermostDimensionFirst) {
  const Tensor a = at::empty({4, 6}), part = at::slice(a, 1, 0, 3);
  Tensor out;
  TensorIterator iter = binary(out, part, part).build();
  ASSERT_EQ(iter.ndim(), 2);
  EXPECT_EQ(iter.shape().vec(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(iter.strides(1).vec(), (std::vector<int64_t>{4, 24}));
  EXPECT_EQ(iter.strides(0).vec(), (std::vector<int64_t>{4, 12}));
  EXPECT_FALSE(iter.is_contiguous());
  TensorIterator straight = binary(out, part, part).enforce_linear_iteration().build();
  EXPECT_EQ(straight.shape().vec(), (std::vector<int64_t>{3, 4}));
}

TEST(TensorIterator, LinearIterationKeepsTheLogicalOrder) {
  const Tensor a = at::transpose(tensor({1, 2, 3, 4, 5, 6}, {2, 3}), 0, 1);  // 1 4 2 5 3 6
  Tensor out = at::zeros({3, 2});
  TensorIterator iter = binary(out, a, a).enforce_linear_iteration().build();
  std::vector<float> seen;
  iter.serial_for_each([&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; ++j)
      for (int64_t i = 0; i < size0; ++i)
        seen.push_back(*reinterpret_cast<float*>(data[1] + i * strides[1] + j * strides[4]));
  }, 0, iter.numel());
  EXPECT_EQ(seen, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(TensorIterator, PiecesOfTheWalkAddUpToTheWhole) {
  // Four dimensions that do not merge, and every way to split the range in two.
  const Tensor source = at::empty({3, 4, 4, 6});
  float* data = source.data_ptr<float>();
  for (int64_t i = 0; i < source.numel(); ++i) data[i] = static_cast<float>(i);
  Tensor a = source;
  for (int64_t d : {1, 2, 3}) a = at::slice(a, d, 0, a.size(d) - 1);
  const Tensor zero = number(0);
  Tensor whole = at::zeros(a.sizes());
  TensorIterator all = binary(whole, a, zero).build();
  all.serial_for_each(combine, 0, all.numel());
  EXPECT_EQ(values(whole), values(a));
  for (int64_t cut = 0; cut <= a.numel(); ++cut) {
    Tensor out = at::zeros(a.sizes());
    TensorIterator iter = binary(out, a, zero).build();
    ASSERT_GE(iter.ndim(), 3);
    iter.serial_for_each(combine, cut, iter.numel());
    iter.serial_for_each(combine, 0, cut);
    ASSERT_EQ(values(out), values(a)) << "cut at " << cut;
  }
}

TEST(TensorIterator, ParallelPiecesCoverEachElementOnce) {
  const Tensor a = at::transpose(at::zeros({70, 90}), 0, 1), b = at::zeros({90, 70});
  Tensor out = at::zeros({90, 70});
  TensorIterator iter = binary(out, a, b).build();
  std::mutex mutex;
  int64_t count = 0;
  iter.for_each(
      [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; ++j)
      for (int64_t i = 0; i < size0; ++i)
        *reinterpret_cast<float*>(data[0] + i * strides[0] + j * strides[3]) += 1;
    std::lock_guard<std::mutex> lock(mutex);
    count += size0 * size1;
  },
      /*grain=*/100);
  EXPECT_EQ(count, 6300);
  EXPECT_EQ(values(out), std::vector<double>(6300, 1.0));
}

TEST(TensorIterator, OfNoElementsCallsNothing) {
  const Tensor a = at::empty({3, 0, 2});
  Tensor out;
  TensorIterator iter = binary(out, a, a).build();
  EXPECT_EQ(iter.numel(), 0);
  EXPECT_FALSE(iter.needs_kernel());
  iter.for_each([](char**, const int64_t*, int64_t, int64_t) { FAIL(); });
  EXPECT_TRUE(has_sizes(iter.output(0), {3, 0, 2}));
}

TEST(TensorIterator, ChecksTypes) {
  const Tensor a = tensor({1}), b = tensor({1}, kInt);
  Tensor out;
  EXPECT_TRUE(
      throws<Error>([&] { binary(out, a, b).build(); }, "Found dtype Int but expected Float"));
  EXPECT_NO_THROW(binary(out, a, b).check_all_same_dtype(false).build());
  Tensor integers = tensor({0}, kInt);
  auto promoting = [&] {
    return binary(integers, a, a)
        .promote_inputs_to_common_dtype(true)
        .cast_common_dtype_to_outputs(true);
  };
  EXPECT_TRUE(throws<Error>([&] { promoting().build(); },
                            "result type Float can't be cast to the desired output type Int"));
}

TEST(TensorIterator, PromotesAndCastsBack) {
  const Tensor a = tensor({1, 2}, kInt), b = tensor({3, 4});
  Tensor made;
  TensorIterator iter = binary(made, a, b).promote_inputs_to_common_dtype(true).build();
  EXPECT_EQ(iter.common_dtype(), kFloat);
  EXPECT_EQ(iter.input_dtype(0), kFloat);
  iter.for_each(combine);
  EXPECT_TRUE(has(iter.output(0), {31, 42}));
  Tensor out = tensor({0, 0}, kDouble);
  TensorIterator casting = binary(out, a, b)
                               .promote_inputs_to_common_dtype(true)
                               .cast_common_dtype_to_outputs(true)
                               .build();
  EXPECT_EQ(casting.dtype(0), kFloat);  // the loop writes a temporary
  casting.for_each(combine);
  EXPECT_TRUE(has(out, {0, 0}));
  casting.finish_outputs();
  EXPECT_TRUE(has(out, {31, 42}));
  const Tensor flags = tensor({1, 0}, kBool);
  Tensor none;
  EXPECT_EQ(binary(none, flags, flags)
                .promote_inputs_to_common_dtype(true)
                .promote_integer_inputs_to_float(true)
                .build()
                .common_dtype(),
            kFloat);
}

TEST(TensorIterator, ChecksShapesAndDevices) {
  Tensor out;
  const Tensor a = tensor({1, 2}), b = tensor({1, 2, 3}),
               meta = at::empty({2}, TensorOptions(kMeta));
  EXPECT_TRUE(throws<Error>([&] {
    binary(out, a, b).build();
  }, "combine: The size of tensor a (2) must match the size of tensor b (3)"));
  EXPECT_TRUE(
      throws<Error>([&] { binary(out, a, meta).build(); }, "at least two devices, cpu and meta"));
  const Tensor undefined, scalar = number(1);
  EXPECT_TRUE(throws<Error>([&] { binary(out, a, undefined).build(); }, "undefined tensor"));
  TensorIterator iter = binary(out, meta, scalar).build();  // a number of the CPU joins any device
  EXPECT_TRUE(iter.output(0).is_meta());
  EXPECT_FALSE(iter.needs_kernel());
}

TEST(TensorIterator, ResizesOutputsUnlessToldNotTo) {
  const Tensor a = tensor({1, 2, 3});
  Tensor out = at::empty({0});
  binary(out, a, a).build().for_each(combine);
  EXPECT_TRUE(has(out, {11, 22, 33}));
  Tensor fixed = at::zeros({2, 3});
  TensorIterator iter = binary(fixed, a, a).resize_outputs(false).build();
  iter.for_each(combine);
  EXPECT_TRUE(has(fixed, {11, 22, 33, 11, 22, 33}));
}

TEST(TensorIterator, FindsOverlaps) {
  const Tensor x = tensor({1, 2, 3, 4}), head = at::slice(x, 0, 0, 3);
  Tensor tail = at::slice(x, 0, 1, 4), wide = at::expand(tensor({1}), {3});
  EXPECT_TRUE(throws<Error>([&] { binary(tail, head, head).build(); }, "unsupported operation"));
  EXPECT_TRUE(throws<Error>([&] { binary(wide, head, head).build(); }, "more than one element"));
  EXPECT_NO_THROW(binary(tail, head, head).set_check_mem_overlap(false).build());
}

TEST(TensorIterator, ReadsAndRemovesScalars) {
  const Tensor a = tensor({1, 2}), five = number(5);
  Tensor out;
  TensorIterator iter = binary(out, a, five).build();
  EXPECT_FALSE(iter.is_scalar(1));
  ASSERT_TRUE(iter.is_scalar(2));
  EXPECT_EQ(iter.scalar_value<float>(2), 5);
  iter.remove_operand(2);
  EXPECT_EQ(iter.ntensors(), 2);
  EXPECT_EQ(iter.data_ptr(1), a.data_ptr());
}

TEST(TensorIterator, HoldsManyOperands) {
  std::vector<Tensor> inputs(9, tensor({1, 2}));
  Tensor out;
  TensorIteratorConfig config("many");
  config.add_output(out);
  for (const Tensor& t : inputs) config.add_input(t);
  TensorIterator iter = config.build();
  EXPECT_EQ(iter.ninputs(), 9);
  EXPECT_EQ(iter.data_ptr(9), inputs[8].data_ptr());
}

TEST(TensorIterator, TakesAStaticShapeAndType) {
  const Tensor a = number(2);
  Tensor out;
  TensorIterator iter = TensorIteratorConfig("fixed")
                            .add_output(out)
                            .add_input(a)
                            .declare_static_shape({2, 2})
                            .declare_static_dtype(kDouble)
                            .build();
  EXPECT_TRUE(has_sizes(iter.output(0), {2, 2}));
  EXPECT_EQ(iter.output(0).scalar_type(), kDouble);
}

TEST(TensorIterator, ResultTypes) {
  const Tensor i = tensor({1}, kInt), f = number(1), d = number(1, kDouble),
               half = tensor({1}, kHalf);
  const Tensor one[] = {i, f}, two[] = {half, d},
               three[] = {tensor({1}, kByte), tensor({1}, kChar)};
  EXPECT_EQ(result_type(one), kFloat);  // a higher kind wins
  EXPECT_EQ(result_type(two), kHalf);   // within a kind, dimensions win
  EXPECT_EQ(result_type(three), kShort);
}

}  // namespace
