#pragma once
// Maps a ScalarType to a C++ type: dispatch_types runs a generic lambda for the type of a
// tensor.
//
//   dispatch_types<FloatingTypes, c10::Half>(
//       self.scalar_type(), "lerp", [&]<typename T>(TypeTag<T>) { ... });
//
//     ...
//   });
//
// The lambda is compiled once for each type in the list, so lists are no longer than needed.

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

namespace at {

template <typename T>
struct TypeTag {
  using type = T;
};

template <typename... T>
struct TypeList {};

using IntegralTypes = TypeList<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = TypeList<uint16_t, uint32_t, uint64_t>;
using FloatingTypes = TypeList<float, double>;
using ReducedTypes = TypeList<c10::Half, c10::BFloat16>;
using ComplexTypes = TypeList<c10::complex<float>, c10::complex<double>>;
using Float8Types = TypeList<c10::Float8_e5m2, c10::Float8_e4m3fn, c10::Float8_e5m2fnuz,
                             c10::Float8_e4m3fnuz, c10::Float8_e8m0fnu>;

template <typename...>
struct Join;
template <typename... A>
struct Join<TypeList<A...>> {
  using type = TypeList<A...>;
};
template <typename... A, typename... B, typename... R>
struct Join<TypeList<A...>, TypeList<B...>, R...> : Join<TypeList<A..., B...>, R...> {};
template <typename... A, typename B, typename... R>
struct Join<TypeList<A...>, B, R...> : Join<TypeList<A..., B>, R...> {};

template <typename L, typename... R>
using JoinT = typename Join<L, R...>::type;

using FloatingAndReduced = JoinT<FloatingTypes, ReducedTypes>;
using RealTypes = JoinT<IntegralTypes, FloatingTypes, ReducedTypes>;  // without bool
using NumberTypes = JoinT<RealTypes, ComplexTypes>;
using AllTypes = JoinT<NumberTypes, bool, c10::complex<c10::Half>, UnsignedTypes, Float8Types>;

[[noreturn]] void fail_dispatch_types(const char* op, c10::ScalarType dtype);

template <typename F, typename... T>
void dispatch_over(c10::ScalarType dtype, const char* op, F&& f, TypeList<T...>) {
  bool found =
      ((dtype == c10::CppTypeToScalarType<T>::value ? (f(TypeTag<T>{}), true) : false) || ...);
  if (C10_UNLIKELY(!found)) fail_dispatch_types(op, dtype);
}

// `"add" not implemented for 'Half'` (NotImplementedError) for a type that is not in the lists.
template <typename List, typename... More, typename F>
void dispatch_types(c10::ScalarType dtype, const char* op, F&& f) {
  dispatch_over(dtype, op, static_cast<F&&>(f), JoinT<List, More...>{});
}

}  // namespace at
