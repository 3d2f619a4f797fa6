#pragma once
// ScalarType: the type of a tensor's elements, and its C++ type.
//
// The numbers are part of the serialization format and of schemas ("ScalarType" is an int there).
// Types without a C++ type below only store bytes (see C10_FORALL_STORAGE_TYPES), or are quantized,
// which are not here.

#include <cstdint>
#include <string>

#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e4m3fnuz.h>
#include <c10/util/Float8_e5m2.h>
#include <c10/util/Float8_e5m2fnuz.h>
#include <c10/util/Float8_e8m0fnu.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

namespace c10 {

enum class ScalarType : int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  ComplexHalf = 8,
  ComplexFloat = 9,
  ComplexDouble = 10,
  Bool = 11,
  BFloat16 = 15,
  Bits1x8 = 18,
  Bits2x4 = 19,
  Bits4x2 = 20,
  Bits8 = 21,
  Bits16 = 22,
  Float8_e5m2 = 23,
  Float8_e4m3fn = 24,
  Float8_e5m2fnuz = 25,
  Float8_e4m3fnuz = 26,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
  UInt1 = 30,
  UInt2 = 31,
  UInt3 = 32,
  UInt4 = 33,
  UInt5 = 34,
  UInt6 = 35,
  UInt7 = 36,
  Int1 = 37,
  Int2 = 38,
  Int3 = 39,
  Int4 = 40,
  Int5 = 41,
  Int6 = 42,
  Int7 = 43,
  Float8_e8m0fnu = 44,
  Float4_e2m1fn_x2 = 45,
  Undefined = 46,
  NumOptions = 47
};

constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                     kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat = ScalarType::Float, kDouble = ScalarType::Double,
                     kComplexHalf = ScalarType::ComplexHalf,
                     kComplexFloat = ScalarType::ComplexFloat,
                     kComplexDouble = ScalarType::ComplexDouble, kBool = ScalarType::Bool,
                     kBFloat16 = ScalarType::BFloat16, kUInt8 = ScalarType::Byte,
                     kInt8 = ScalarType::Char, kInt16 = ScalarType::Short, kInt32 = ScalarType::Int,
                     kInt64 = ScalarType::Long, kUInt16 = ScalarType::UInt16,
                     kUInt32 = ScalarType::UInt32, kUInt64 = ScalarType::UInt64,
                     kFloat16 = ScalarType::Half, kFloat32 = ScalarType::Float,
                     kFloat64 = ScalarType::Double;

template <ScalarType N>
struct ScalarTypeToCPPType;
template <typename T>
struct CppTypeToScalarType;

// The list of (C++ type, ScalarType): expands f for each pair.
// clang-format off
#define C10_FORALL_SCALAR_TYPES(f)               \
  f(uint8_t, Byte) f(int8_t, Char)               \
  f(int16_t, Short) f(int32_t, Int)              \
  f(int64_t, Long) f(::c10::Half, Half)          \
  f(float, Float) f(double, Double)              \
  f(::c10::complex<::c10::Half>, ComplexHalf)    \
  f(::c10::complex<float>, ComplexFloat)         \
  f(::c10::complex<double>, ComplexDouble)       \
  f(bool, Bool) f(::c10::BFloat16, BFloat16)     \
  f(::c10::Float8_e5m2, Float8_e5m2)             \
  f(::c10::Float8_e4m3fn, Float8_e4m3fn)         \
  f(::c10::Float8_e5m2fnuz, Float8_e5m2fnuz)     \
  f(::c10::Float8_e4m3fnuz, Float8_e4m3fnuz)     \
  f(uint16_t, UInt16) f(uint32_t, UInt32)        \
  f(uint64_t, UInt64) f(::c10::Float8_e8m0fnu, Float8_e8m0fnu)
// clang-format on

// The types that only store bytes, as (ScalarType, name in Python, bytes of an element): programs
// that pack narrow numbers make tensors of them, look at them as uint8, copy and save them. Nothing
// computes with them.
// clang-format off
#define C10_FORALL_STORAGE_TYPES(f)                                                     \
  f(Bits1x8, bits1x8, 1) f(Bits2x4, bits2x4, 1) f(Bits4x2, bits4x2, 1)                  \
  f(Bits8, bits8, 1) f(Bits16, bits16, 2)                                               \
  f(UInt1, uint1, 1) f(UInt2, uint2, 1) f(UInt3, uint3, 1) f(UInt4, uint4, 1)           \
  f(UInt5, uint5, 1) f(UInt6, uint6, 1) f(UInt7, uint7, 1)                              \
  f(Int1, int1, 1) f(Int2, int2, 1) f(Int3, int3, 1) f(Int4, int4, 1)                   \
  f(Int5, int5, 1) f(Int6, int6, 1) f(Int7, int7, 1)                                    \
  f(Float4_e2m1fn_x2, float4_e2m1fn_x2, 1)
// clang-format on

#define C10_DEFINE_MAP(cpp, name)                         \
  template <>                                             \
  struct ScalarTypeToCPPType<ScalarType::name> {          \
    using type = cpp;                                     \
  };                                                      \
  template <>                                             \
  struct CppTypeToScalarType<cpp> {                       \
    static constexpr ScalarType value = ScalarType::name; \
  };
C10_FORALL_SCALAR_TYPES(C10_DEFINE_MAP)
#undef C10_DEFINE_MAP

template <ScalarType N>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<N>::type;

namespace detail {
constexpr uint64_t type_bit(ScalarType t) { return uint64_t(1) << static_cast<int>(t); }
constexpr uint64_t kFloat8Types =
    type_bit(ScalarType::Float8_e5m2) | type_bit(ScalarType::Float8_e4m3fn) |
    type_bit(ScalarType::Float8_e5m2fnuz) | type_bit(ScalarType::Float8_e4m3fnuz) |
    type_bit(ScalarType::Float8_e8m0fnu);
constexpr uint64_t kFloatTypes = type_bit(kHalf) | type_bit(kFloat) | type_bit(kDouble) |
                                 type_bit(kBFloat16) | kFloat8Types |
                                 type_bit(ScalarType::Float4_e2m1fn_x2);
constexpr uint64_t kComplexTypes =
    type_bit(kComplexHalf) | type_bit(kComplexFloat) | type_bit(kComplexDouble);
constexpr uint64_t kUnsignedTypes =
    type_bit(kByte) | type_bit(kUInt16) | type_bit(kUInt32) | type_bit(kUInt64);
constexpr uint64_t kNarrowUnsignedTypes =
    type_bit(ScalarType::UInt1) | type_bit(ScalarType::UInt2) | type_bit(ScalarType::UInt3) |
    type_bit(ScalarType::UInt4) | type_bit(ScalarType::UInt5) | type_bit(ScalarType::UInt6) |
    type_bit(ScalarType::UInt7);
constexpr uint64_t kBitsTypes = type_bit(ScalarType::Bits1x8) | type_bit(ScalarType::Bits2x4) |
                                type_bit(ScalarType::Bits4x2) | type_bit(ScalarType::Bits8) |
                                type_bit(ScalarType::Bits16);
#define C10_TYPE_BIT(name, python, size) | type_bit(ScalarType::name)
constexpr uint64_t kStorageTypes = 0 C10_FORALL_STORAGE_TYPES(C10_TYPE_BIT);
#undef C10_TYPE_BIT
constexpr uint64_t kIntegralTypes =
    kUnsignedTypes | type_bit(kChar) | type_bit(kShort) | type_bit(kInt) | type_bit(kLong);
extern const uint8_t kElementSizes[static_cast<int>(ScalarType::NumOptions)];
constexpr bool in(ScalarType t, uint64_t set) { return (type_bit(t) & set) != 0; }
}  // namespace detail

inline size_t elementSize(ScalarType t) { return detail::kElementSizes[static_cast<int>(t)]; }
constexpr bool isIntegralType(ScalarType t, bool include_bool = false) {
  return detail::in(t, detail::kIntegralTypes) || (include_bool && t == kBool);
}
constexpr bool isFloatingType(ScalarType t) { return detail::in(t, detail::kFloatTypes); }
constexpr bool isFloat8Type(ScalarType t) { return detail::in(t, detail::kFloat8Types); }
constexpr bool isReducedFloatingType(ScalarType t) {
  return t == kHalf || t == kBFloat16 || isFloat8Type(t);
}
constexpr bool isComplexType(ScalarType t) { return detail::in(t, detail::kComplexTypes); }
constexpr bool isSignedType(ScalarType t) {
  return t != kBool &&
         !detail::in(t, detail::kUnsignedTypes | detail::kNarrowUnsignedTypes | detail::kBitsTypes);
}
// Whether elements are bytes that nothing computes with.
constexpr bool isStorageType(ScalarType t) { return detail::in(t, detail::kStorageTypes); }
constexpr bool isUndefined(ScalarType t) { return t == ScalarType::Undefined; }

// The real type of a complex one, the complex type of a real one; other types are returned as is.
constexpr ScalarType toRealValueType(ScalarType t) {
  return t == kComplexHalf     ? kHalf
         : t == kComplexFloat  ? kFloat
         : t == kComplexDouble ? kDouble
                               : t;
}
constexpr ScalarType toComplexType(ScalarType t) {
  return t == kHalf         ? kComplexHalf
         : t == kDouble     ? kComplexDouble
         : isComplexType(t) ? t
                            : kComplexFloat;
}

// "Float", the name in C++ messages and schemas.
const char* toString(ScalarType t);
std::string to_string(ScalarType t);
// "float32", the name in Python; "" if Python has no name.
const char* dtypeName(ScalarType t);
// "float" for float32, and so on: the legacy second name, or "".
const char* dtypeLegacyName(ScalarType t);

// The smallest type that both can be converted to without leaving their kind, by PyTorch's table.
// Throws if the table has no entry (float8 or wide unsigned types with others).
ScalarType promoteTypes(ScalarType a, ScalarType b);
// Whether a result of type `from` may be stored into a tensor of type `to`.
bool canCast(ScalarType from, ScalarType to);

}  // namespace c10
