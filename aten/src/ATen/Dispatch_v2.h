#pragma once
// AT_DISPATCH_V2: AT_DISPATCH_* for any list of types, with the lambda first.
//
//   AT_DISPATCH_V2(x.scalar_type(), "my_op", AT_WRAP([&] { run<scalar_t>(); }),
//                  AT_EXPAND(AT_ALL_TYPES), at::kHalf, at::kBool);

#include <ATen/Dispatch.h>

#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(X) X

#define AT_FLOATING_TYPES c10::ScalarType::Double, c10::ScalarType::Float
#define AT_INTEGRAL_TYPES                                                                    \
  c10::ScalarType::Byte, c10::ScalarType::Char, c10::ScalarType::Int, c10::ScalarType::Long, \
      c10::ScalarType::Short
#define AT_BAREBONES_UNSIGNED_TYPES \
  c10::ScalarType::UInt16, c10::ScalarType::UInt32, c10::ScalarType::UInt64
#define AT_INTEGRAL_TYPES_V2 AT_EXPAND(AT_INTEGRAL_TYPES), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES)
#define AT_COMPLEX_TYPES c10::ScalarType::ComplexDouble, c10::ScalarType::ComplexFloat
#define AT_FLOAT8_TYPES                                                                           \
  c10::ScalarType::Float8_e5m2, c10::ScalarType::Float8_e5m2fnuz, c10::ScalarType::Float8_e4m3fn, \
      c10::ScalarType::Float8_e4m3fnuz, c10::ScalarType::Float8_e8m0fnu
#define AT_ALL_TYPES AT_EXPAND(AT_INTEGRAL_TYPES), AT_EXPAND(AT_FLOATING_TYPES)
#define AT_ALL_TYPES_AND_COMPLEX AT_EXPAND(AT_ALL_TYPES), AT_EXPAND(AT_COMPLEX_TYPES)

#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_V2_CASES(AT_WRAP(BODY), __VA_ARGS__))

// One case per type: the length of the list selects the macro.
#define AT_DISPATCH_V2_CASES(BODY, ...) \
  C10_CONCATENATE(AT_DISPATCH_V2_, AT_DISPATCH_V2_COUNT(__VA_ARGS__))(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_COUNT(...)                                                                  \
  AT_DISPATCH_V2_AT(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, \
                    7, 6, 5, 4, 3, 2, 1, 0)
#define AT_DISPATCH_V2_AT(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                          a17, a18, a19, a20, a21, a22, a23, a24, n, ...)                        \
  n
#define AT_DISPATCH_V2_1(BODY, T) AT_DISPATCH_CASE(T, BODY)
#define AT_DISPATCH_V2_2(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_1(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_3(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_2(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_4(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_3(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_5(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_4(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_6(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_5(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_7(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_6(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_8(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_7(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_9(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_8(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_10(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_9(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_11(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_10(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_12(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_11(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_13(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_12(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_14(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_13(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_15(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_14(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_16(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_15(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_17(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_16(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_18(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_17(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_19(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_18(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_20(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_19(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_21(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_20(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_22(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_21(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_23(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_22(AT_WRAP(BODY), __VA_ARGS__)
#define AT_DISPATCH_V2_24(BODY, T, ...) \
  AT_DISPATCH_CASE(T, BODY) AT_DISPATCH_V2_23(AT_WRAP(BODY), __VA_ARGS__)
