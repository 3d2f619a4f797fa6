#pragma once
// AT_DISPATCH_*: runs a lambda with scalar_t being the C++ type of a tensor's elements.
//
//   AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "my_op", [&] {
//     scalar_t* data = x.data_ptr<scalar_t>();
//     ...
//   });
//
// Throws NotImplementedError for a type that is not listed. The lambda is compiled once for each
// type. For programs; the library's own kernels use ATen/native/common/TypeDispatch.h.

#include <ATen/native/common/TypeDispatch.h>
#include <c10/core/ScalarType.h>

#define AT_DISPATCH_CASE_HINT(enum_type, HINT, ...)                     \
  case enum_type: {                                                     \
    using HINT [[maybe_unused]] = c10::ScalarTypeToCPPTypeT<enum_type>; \
    return __VA_ARGS__();                                               \
  }
#define AT_DISPATCH_CASE(enum_type, ...) AT_DISPATCH_CASE_HINT(enum_type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                         \
  [&] {                                                             \
    const c10::ScalarType at_dispatch_type = TYPE;                  \
    [[maybe_unused]] constexpr const char* at_dispatch_name = NAME; \
    switch (at_dispatch_type) {                                     \
      __VA_ARGS__                                                   \
      default:                                                      \
        ::at::fail_dispatch_types(NAME, at_dispatch_type);          \
    }                                                               \
  }()

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)             \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(T1, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND(T1, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(T1, T2, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)            \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                       \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND2(T1, T2, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND3(T1, T2, T3, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                           \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                           \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND3(T1, T2, T3, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND4(T1, T2, T3, T4, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                    \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                               \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                               \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                               \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND4(T1, T2, T3, T4, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND4(T1, T2, T3, T4, __VA_ARGS__))

#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...)    \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)  \
  AT_DISPATCH_CASE(c10::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))

#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)   \
  AT_DISPATCH_CASE(c10::ScalarType::Half, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES_AND(T1, ...) \
  AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES_AND(T1, __VA_ARGS__))

#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                     \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexDouble, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND(T1, ...) \
  AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES_AND(T1, __VA_ARGS__))

#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...)        \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__)        \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)         \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexDouble, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND(T1, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND(T1, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(T1, T2, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)            \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                   \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(T1, T2, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                             \
                     AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(T1, T2, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(T1, T2, T3, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)                \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                       \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                       \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                 \
                     AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(T1, T2, T3, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND4(T1, T2, T3, T4, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)                    \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                           \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                           \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                           \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND4(T1, T2, T3, T4, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                                \
      TYPE, NAME, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND4(T1, T2, T3, T4, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND5(T1, T2, T3, T4, T5, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)                        \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                               \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                               \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                               \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)                                               \
  AT_DISPATCH_CASE(T5, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND5(T1, T2, T3, T4, T5, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                                    \
      TYPE, NAME,                                                                        \
      AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND5(T1, T2, T3, T4, T5, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND6(T1, T2, T3, T4, T5, T6, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)                            \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                                   \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                                   \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                                   \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)                                                   \
  AT_DISPATCH_CASE(T5, __VA_ARGS__)                                                   \
  AT_DISPATCH_CASE(T6, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND6(T1, T2, T3, T4, T5, T6, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                                        \
      TYPE, NAME,                                                                            \
      AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND6(T1, T2, T3, T4, T5, T6, __VA_ARGS__))

#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)           \
  AT_DISPATCH_CASE(c10::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(c10::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(T1, ...) \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(T1, __VA_ARGS__))

#define AT_DISPATCH_CASE_ALL_TYPES(...)                  \
  AT_DISPATCH_CASE(c10::ScalarType::Byte, __VA_ARGS__)   \
  AT_DISPATCH_CASE(c10::ScalarType::Char, __VA_ARGS__)   \
  AT_DISPATCH_CASE(c10::ScalarType::Int, __VA_ARGS__)    \
  AT_DISPATCH_CASE(c10::ScalarType::Long, __VA_ARGS__)   \
  AT_DISPATCH_CASE(c10::ScalarType::Short, __VA_ARGS__)  \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND(T1, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND(T1, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(T1, T2, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)            \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                  \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND2(T1, T2, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(T1, T2, T3, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)                \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                      \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                      \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND3(T1, T2, T3, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND4(T1, T2, T3, T4, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)                    \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                          \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                          \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                          \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND4(T1, T2, T3, T4, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND4(T1, T2, T3, T4, __VA_ARGS__))

#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...)             \
  AT_DISPATCH_CASE(c10::ScalarType::Byte, __VA_ARGS__)          \
  AT_DISPATCH_CASE(c10::ScalarType::Char, __VA_ARGS__)          \
  AT_DISPATCH_CASE(c10::ScalarType::Int, __VA_ARGS__)           \
  AT_DISPATCH_CASE(c10::ScalarType::Long, __VA_ARGS__)          \
  AT_DISPATCH_CASE(c10::ScalarType::Short, __VA_ARGS__)         \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__)        \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)         \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexDouble, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(T1, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)       \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(T1, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(T1, T2, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)            \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                              \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(T1, T2, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(T1, T2, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(T1, T2, T3, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                  \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                  \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(T1, T2, T3, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                            \
                     AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(T1, T2, T3, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(T1, T2, T3, T4, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                    \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                      \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                      \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                      \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(T1, T2, T3, T4, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                \
                     AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(T1, T2, T3, T4, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND5(T1, T2, T3, T4, T5, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                        \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                          \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                          \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                          \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)                                          \
  AT_DISPATCH_CASE(T5, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND5(T1, T2, T3, T4, T5, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                    \
                     AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND5(T1, T2, T3, T4, T5, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND6(T1, T2, T3, T4, T5, T6, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                            \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                              \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                              \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                              \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)                                              \
  AT_DISPATCH_CASE(T5, __VA_ARGS__)                                              \
  AT_DISPATCH_CASE(T6, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND6(T1, T2, T3, T4, T5, T6, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                                   \
      TYPE, NAME,                                                                       \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND6(T1, T2, T3, T4, T5, T6, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND7(T1, T2, T3, T4, T5, T6, T7, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                                \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                                  \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                                  \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                                  \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)                                                  \
  AT_DISPATCH_CASE(T5, __VA_ARGS__)                                                  \
  AT_DISPATCH_CASE(T6, __VA_ARGS__)                                                  \
  AT_DISPATCH_CASE(T7, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND7(T1, T2, T3, T4, T5, T6, T7, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                                       \
      TYPE, NAME,                                                                           \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND7(T1, T2, T3, T4, T5, T6, T7, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND8(T1, T2, T3, T4, T5, T6, T7, T8, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                                    \
  AT_DISPATCH_CASE(T1, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T2, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T3, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T4, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T5, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T6, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T7, __VA_ARGS__)                                                      \
  AT_DISPATCH_CASE(T8, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND8(T1, T2, T3, T4, T5, T6, T7, T8, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                                           \
      TYPE, NAME,                                                                               \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND8(T1, T2, T3, T4, T5, T6, T7, T8, __VA_ARGS__))

// Dispatches over the types of indices, as index_t.
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                       \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                       \
                     AT_DISPATCH_CASE_HINT(c10::ScalarType::Int, index_t, __VA_ARGS__) \
                         AT_DISPATCH_CASE_HINT(c10::ScalarType::Long, index_t, __VA_ARGS__))
