// Tests of types and promotion.

#include <c10/core/ScalarType.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

using namespace c10;
using torch_test::throws;

namespace {

struct Row {
  ScalarType type;
  size_t size;
  const char* python;
};
constexpr Row kRows[] = {{kByte, 1, "uint8"},
                         {kChar, 1, "int8"},
                         {kShort, 2, "int16"},
                         {kInt, 4, "int32"},
                         {kLong, 8, "int64"},
                         {kHalf, 2, "float16"},
                         {kFloat, 4, "float32"},
                         {kDouble, 8, "float64"},
                         {kComplexHalf, 4, "complex32"},
                         {kComplexFloat, 8, "complex64"},
                         {kComplexDouble, 16, "complex128"},
                         {kBool, 1, "bool"},
                         {kBFloat16, 2, "bfloat16"},
                         {ScalarType::Float8_e5m2, 1, "float8_e5m2"},
                         {ScalarType::Float8_e4m3fn, 1, "float8_e4m3fn"},
                         {ScalarType::Float8_e5m2fnuz, 1, "float8_e5m2fnuz"},
                         {ScalarType::Float8_e4m3fnuz, 1, "float8_e4m3fnuz"},
                         {kUInt16, 2, "uint16"},
                         {kUInt32, 4, "uint32"},
                         {kUInt64, 8, "uint64"},
                         {ScalarType::Float8_e8m0fnu, 1, "float8_e8m0fnu"}};
#define STORAGE_ROW(name, python, size) {ScalarType::name, size, #python},
constexpr Row kStorageRows[] = {C10_FORALL_STORAGE_TYPES(STORAGE_ROW)};

TEST(ScalarType, SizesAndNames) {
  for (const Row& row : kRows) {
    EXPECT_EQ(elementSize(row.type), row.size) << row.python;
    EXPECT_STREQ(dtypeName(row.type), row.python);
  }
  EXPECT_EQ(elementSize(ScalarType::Undefined), 0u);
  EXPECT_STREQ(dtypeName(ScalarType::Undefined), "");
  EXPECT_STREQ(toString(kComplexFloat), "ComplexFloat");
  EXPECT_STREQ(toString(ScalarType::Undefined), "Undefined");
  EXPECT_STREQ(dtypeLegacyName(kFloat), "float");
  EXPECT_STREQ(dtypeLegacyName(kBool), "");
}

TEST(ScalarType, StorageTypesOnlyStoreBytes) {
  for (const Row& row : kStorageRows) {
    EXPECT_TRUE(isStorageType(row.type)) << row.python;
    EXPECT_FALSE(isIntegralType(row.type)) << row.python;
    EXPECT_EQ(elementSize(row.type), row.size) << row.python;
    EXPECT_STREQ(dtypeName(row.type), row.python);
    EXPECT_EQ(promoteTypes(row.type, row.type), row.type) << row.python;
  }
  EXPECT_FALSE(isStorageType(kByte));
  EXPECT_EQ(promoteTypes(ScalarType::UInt4, kFloat), kFloat);
  EXPECT_TRUE(throws<c10::Error>([] { promoteTypes(ScalarType::UInt4, kLong); }));
  EXPECT_TRUE(throws<c10::Error>([] { promoteTypes(ScalarType::Int4, kFloat); }));
  EXPECT_TRUE(isSignedType(ScalarType::Int4));
  EXPECT_FALSE(isSignedType(ScalarType::UInt4));
  EXPECT_FALSE(isSignedType(ScalarType::Bits8));
}

TEST(ScalarType, EachIsOfOneKind) {
  for (const Row& row : kRows) {
    const int kinds = isIntegralType(row.type) + isFloatingType(row.type) +
                      isComplexType(row.type) + (row.type == kBool);
    EXPECT_EQ(kinds, 1) << row.python;
    EXPECT_EQ(isSignedType(row.type), row.type != kBool && std::string(row.python)[0] != 'u')
        << row.python;
  }
  EXPECT_TRUE(isIntegralType(kBool, /*include_bool=*/true));
  EXPECT_FALSE(isIntegralType(kBool));
  EXPECT_TRUE(isReducedFloatingType(kHalf) && isReducedFloatingType(kBFloat16) &&
              !isReducedFloatingType(kFloat));
  EXPECT_TRUE(isFloat8Type(ScalarType::Float8_e8m0fnu) && !isFloat8Type(kHalf));
}

TEST(ScalarType, MapsToCppAndBack) {
  static_assert(CppTypeToScalarType<float>::value == kFloat);
  static_assert(CppTypeToScalarType<c10::complex<Half>>::value == kComplexHalf);
  static_assert(std::is_same_v<ScalarTypeToCPPTypeT<kLong>, int64_t>);
  static_assert(std::is_same_v<ScalarTypeToCPPTypeT<kBool>, bool>);
}

TEST(ScalarType, RealAndComplexCounterparts) {
  EXPECT_EQ(toRealValueType(kComplexDouble), kDouble);
  EXPECT_EQ(toRealValueType(kComplexHalf), kHalf);
  EXPECT_EQ(toRealValueType(kInt), kInt);
  EXPECT_EQ(toComplexType(kHalf), kComplexHalf);
  EXPECT_EQ(toComplexType(kFloat), kComplexFloat);
  EXPECT_EQ(toComplexType(kBFloat16), kComplexFloat);
  EXPECT_EQ(toComplexType(kComplexDouble), kComplexDouble);
}

TEST(PromoteTypes, IsSymmetricAndIdempotent) {
  for (const Row& a : kRows) {
    EXPECT_EQ(promoteTypes(a.type, a.type), a.type);
    for (const Row& b : kRows) {
      try {
        EXPECT_EQ(promoteTypes(a.type, b.type), promoteTypes(b.type, a.type))
            << a.python << " " << b.python;
      } catch (const Error&) {
        EXPECT_THROW(promoteTypes(b.type, a.type), Error) << a.python << " " << b.python;
      }
    }
  }
}

TEST(PromoteTypes, FollowsTheTable) {
  EXPECT_EQ(promoteTypes(kBool, kByte), kByte);
  EXPECT_EQ(promoteTypes(kByte, kChar), kShort);
  EXPECT_EQ(promoteTypes(kByte, kShort), kShort);
  EXPECT_EQ(promoteTypes(kInt, kLong), kLong);
  EXPECT_EQ(promoteTypes(kLong, kHalf), kHalf);
  EXPECT_EQ(promoteTypes(kHalf, kBFloat16), kFloat);
  EXPECT_EQ(promoteTypes(kFloat, kDouble), kDouble);
  EXPECT_EQ(promoteTypes(kLong, kComplexFloat), kComplexFloat);
  EXPECT_EQ(promoteTypes(kDouble, kComplexFloat), kComplexDouble);
  EXPECT_EQ(promoteTypes(kHalf, kComplexHalf), kComplexHalf);
  EXPECT_EQ(promoteTypes(kBFloat16, kComplexHalf), kComplexFloat);
  EXPECT_EQ(promoteTypes(kUInt16, kFloat), kFloat);
  EXPECT_EQ(promoteTypes(ScalarType::Undefined, kFloat), ScalarType::Undefined);
}

TEST(PromoteTypes, HasNoAnswerForSome) {
  EXPECT_TRUE(throws<Error>([] { promoteTypes(kUInt16, kInt); },
                            "Promotion for uint16, uint32, uint64 types is not supported"));
  EXPECT_TRUE(throws<Error>([] { promoteTypes(kUInt32, kUInt64); }, "UInt64"));
  EXPECT_TRUE(throws<Error>([] { promoteTypes(ScalarType::Float8_e5m2, kFloat); }, "Float8"));
}

TEST(CanCast, NeverDropsAKind) {
  EXPECT_TRUE(canCast(kLong, kByte));
  EXPECT_TRUE(canCast(kDouble, kHalf));
  EXPECT_TRUE(canCast(kBool, kComplexFloat));
  EXPECT_TRUE(canCast(kBool, kBool));
  EXPECT_FALSE(canCast(kFloat, kLong));
  EXPECT_FALSE(canCast(kComplexFloat, kFloat));
  EXPECT_FALSE(canCast(kLong, kBool));
}

}  // namespace
