// Tests of IValue.

#include <ATen/core/ivalue.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

using Tag = IValue::Tag;

TEST(IValue, NoneIsNothingElse) {
  const IValue none;
  EXPECT_TRUE(none.isNone());
  EXPECT_STREQ(none.tagName(), "None");
  EXPECT_FALSE(none.isTensor() || none.isInt() || none.isDouble() || none.isBool() ||
               none.isString());
  EXPECT_TRUE(
      throws<TypeError>([&] { none.toTensor(); }, "expected a value of type Tensor, got None"));
  EXPECT_THROW(none.toInt(), TypeError);
  EXPECT_THROW(none.toScalar(), TypeError);
}

TEST(IValue, Numbers) {
  EXPECT_EQ(IValue(int64_t(-3)).toInt(), -3);
  EXPECT_EQ(IValue(3).toInt(), 3);
  EXPECT_EQ(IValue(0.5).toDouble(), 0.5);
  EXPECT_TRUE(IValue(true).isBool());
  EXPECT_TRUE(IValue(true).toBool());
  EXPECT_TRUE(IValue(3).isInt() && !IValue(3).isDouble() && !IValue(3).isBool());
  // An int converts to float, and bool and int to each other; a float converts to neither.
  EXPECT_EQ(IValue(3).toDouble(), 3.0);
  EXPECT_EQ(IValue(true).toInt(), 1);
  EXPECT_TRUE(IValue(2).toBool());
  EXPECT_TRUE(
      throws<TypeError>([] { IValue(0.5).toInt(); }, "expected a value of type int, got float"));
  EXPECT_THROW(IValue(0.5).toBool(), TypeError);
  EXPECT_THROW(IValue(true).toDouble(), TypeError);
}

TEST(IValue, ScalarsKeepTheirKind) {
  using Z = c10::complex<double>;
  EXPECT_EQ(IValue(Scalar(0.5)).tag(), Tag::Double);
  EXPECT_EQ(IValue(Scalar(2)).tag(), Tag::Int);
  EXPECT_EQ(IValue(Scalar(true)).tag(), Tag::Bool);
  EXPECT_EQ(IValue(Scalar(Z(1, 2))).tag(), Tag::ComplexDouble);
  EXPECT_EQ(IValue(Scalar(Z(1, 2))).toScalar().toComplexDouble(), Z(1, 2));
  EXPECT_TRUE(IValue(Scalar(true)).toScalar().isBoolean());
  EXPECT_EQ(IValue(Scalar(-7)).toScalar().toLong(), -7);
  EXPECT_EQ(IValue(Scalar(0.25)).toScalar().toDouble(), 0.25);
  EXPECT_TRUE(throws<TypeError>([] { IValue("x").toScalar(); }, "number"));
  EXPECT_TRUE(throws<Error>([] { IValue(Scalar(UINT64_MAX)); }, "without overflow"));
}

TEST(IValue, SharesItsTensor) {
  const Tensor x = tensor({1, 2});
  IValue value(x);
  EXPECT_TRUE(value.isTensor());
  EXPECT_TRUE(value.toTensor().is_same(x));
  EXPECT_EQ(x.use_count(), 2u);
  const IValue copy = value;  // shares the box
  EXPECT_EQ(x.use_count(), 2u);
  const IValue moved = std::move(value);
  EXPECT_TRUE(moved.toTensor().is_same(copy.toTensor()));
  EXPECT_THROW(copy.toIntVector(), TypeError);
}

TEST(IValue, StringsAndDevices) {
  EXPECT_EQ(IValue("text").toStringRef(), "text");
  EXPECT_EQ(IValue(std::string()).toStringRef(), "");
  EXPECT_TRUE(IValue("x").isString());
  EXPECT_EQ(IValue(Device(kCUDA, 1)).toDevice(), Device(kCUDA, 1));
  EXPECT_TRUE(throws<TypeError>([] { IValue("cpu").toDevice(); }, "got str"));
  // Schemas declare these three as ints.
  EXPECT_EQ(IValue(kDouble).toInt(), static_cast<int64_t>(kDouble));
  EXPECT_EQ(IValue(kStrided).toInt(), 0);
  EXPECT_EQ(IValue(MemoryFormat::ChannelsLast).toInt(), 2);
}

TEST(IValue, GeneratorsAndStorages) {
  const Generator g = make_cpu_generator(1);
  EXPECT_EQ(IValue(g).toGenerator(), g);
  const Storage s = Storage::allocate(8, GetAllocator(kCPU));
  EXPECT_TRUE(IValue(s).toStorage().is_alias_of(s));
  EXPECT_THROW(IValue(s).toGenerator(), TypeError);
}

TEST(IValue, Lists) {
  EXPECT_EQ(IValue(std::vector<int64_t>{1, 2}).toIntVector(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(IValue(std::vector<double>{0.5}).toDoubleVector(), std::vector<double>{0.5});
  EXPECT_EQ(IValue(std::vector<bool>{true, false}).toBoolVector(),
            (std::vector<bool>{true, false}));
  EXPECT_TRUE(IValue(std::vector<int64_t>{}).toIntVector().empty());
  const Tensor x = tensor({1});
  EXPECT_TRUE(IValue(std::vector<Tensor>{x, Tensor()}).toTensorVector()[0].is_same(x));
  const IValue optionals(std::vector<std::optional<Tensor>>{x, std::nullopt});
  EXPECT_TRUE(optionals.toOptionalTensorVector()[0]->is_same(x));
  EXPECT_FALSE(optionals.toOptionalTensorVector()[1]);
  EXPECT_EQ(IValue(std::vector<Scalar>{Scalar(2)}).toScalarVector()[0].toLong(), 2);
  EXPECT_TRUE(throws<TypeError>([&] { optionals.toTensorVector(); },
                                "expected a value of type Tensor[], got Tensor?[]"));
  EXPECT_THROW(IValue(std::vector<int64_t>{1}).toDoubleVector(), TypeError);
}

}  // namespace
