// Scalars, types, devices, key sets, small vectors.

#include <c10/core/DispatchKeySet.h>
#include <c10/core/Scalar.h>
#include <c10/core/TensorOptions.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/Exception.h>
#include <c10/util/SmallVector.h>

#include <gtest/gtest.h>

using namespace c10;

namespace {

TEST(Scalar, ConvertsAndRefusesOverflow) {
  EXPECT_EQ(Scalar(3).to<uint8_t>(), 3);
  EXPECT_THROW(Scalar(300).to<uint8_t>(), Error);
  EXPECT_EQ(Scalar(-1).to<uint8_t>(), 255);  // wraps, as a - b with unsigned types does
  EXPECT_THROW(Scalar(1e300).to<float>(), Error);
  EXPECT_THROW(Scalar(1e30).to<int64_t>(), Error);
  EXPECT_THROW(Scalar(c10::complex<double>(1, 2)).to<double>(), Error);
  EXPECT_EQ(Scalar(c10::complex<double>(1, 0)).to<double>(), 1.0);
  EXPECT_EQ(Scalar(2.9).to<int64_t>(), 2);
  EXPECT_TRUE(Scalar(true).isBoolean());
  EXPECT_EQ(Scalar(uint64_t(1) << 63).type(), kUInt64);
}

TEST(Promotion, FollowsTheTable) {
  EXPECT_EQ(promoteTypes(kByte, kChar), kShort);
  EXPECT_EQ(promoteTypes(kLong, kHalf), kHalf);
  EXPECT_EQ(promoteTypes(kHalf, kBFloat16), kFloat);
  EXPECT_EQ(promoteTypes(kDouble, kComplexFloat), kComplexDouble);
  EXPECT_EQ(promoteTypes(kBFloat16, kComplexHalf), kComplexFloat);
  EXPECT_EQ(promoteTypes(kBool, kByte), kByte);
  EXPECT_THROW(promoteTypes(kUInt16, kInt), Error);
  EXPECT_THROW(promoteTypes(ScalarType::Float8_e5m2, kFloat), Error);
  EXPECT_FALSE(canCast(kFloat, kLong));
  EXPECT_FALSE(canCast(kLong, kBool));
  EXPECT_TRUE(canCast(kLong, kByte));
}

TEST(Device, ParsesAndRefuses) {
  EXPECT_EQ(Device("cuda:1"), Device(kCUDA, 1));
  EXPECT_EQ(Device("cpu").str(), "cpu");
  for (const char* bad : {"", "cuda:", "cuda:-1", "cuda:01", "cuda:1000", "nowhere", ":1", "1"}) {
    EXPECT_THROW(Device{std::string_view(bad)}, Error) << bad;
  }
}

TEST(DispatchKeySet, HighestKeyWins) {
  DispatchKeySet keys{DispatchKey::CPU, DispatchKey::AutogradCPU};
  EXPECT_EQ(keys.highestPriorityTypeId(), DispatchKey::AutogradCPU);
  EXPECT_EQ((keys & after_autograd_keyset).highestPriorityTypeId(), DispatchKey::CPU);
  EXPECT_EQ(DispatchKeySet().highestPriorityTypeId(), DispatchKey::Undefined);
  EXPECT_EQ(parseDispatchKey("AutogradCPU"), DispatchKey::AutogradCPU);
}

TEST(SmallVector, GrowsPastItsInlineSpace) {
  SmallVector<int64_t, 2> v;
  for (int64_t i = 0; i < 100; ++i) v.push_back(i);
  EXPECT_EQ(v.size(), 100u);
  EXPECT_EQ(v[99], 99);
  SmallVector<int64_t, 2> moved = std::move(v);
  EXPECT_EQ(moved[57], 57);
  EXPECT_TRUE(v.empty());
  SmallVector<int64_t, 2> small{1, 2}, copy = small;
  copy.insert(copy.begin(), 0);
  EXPECT_EQ(copy[0], 0);
  EXPECT_EQ(copy[2], 2);
  copy.erase(copy.begin());
  EXPECT_EQ(copy[0], 1);
}

TEST(WrapDim, CountsFromTheEnd) {
  EXPECT_EQ(maybe_wrap_dim(-1, 3), 2);
  EXPECT_EQ(maybe_wrap_dim(0, 0), 0);
  EXPECT_THROW(maybe_wrap_dim(3, 3), IndexError);
  EXPECT_THROW(maybe_wrap_dim(-4, 3), IndexError);
}

}  // namespace
