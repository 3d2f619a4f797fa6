#pragma once
// Compares declarations of ours with those of a vendor's header: pointers stand for pointers, and
// ints for enumerations.

#include <type_traits>

namespace at::cuda {

template <typename A, typename B>
constexpr bool is_same_argument =
    std::is_pointer_v<A> ? std::is_pointer_v<B>
                         : std::is_same_v<A, B> || ((std::is_integral_v<A> || std::is_enum_v<A>) &&
                                                    (std::is_integral_v<B> || std::is_enum_v<B>) &&
                                                    sizeof(A) == sizeof(B));

template <typename F, typename G>
struct SameSignature : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameSignature<R (*)(A...), S (*)(B...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(A) != sizeof...(B)) return false;
    else return sizeof(R) == sizeof(S) && (is_same_argument<A, B> && ...);
  }
  static constexpr bool value = compare();
};

}  // namespace at::cuda

#define AT_SAME_SIGNATURE(field, function) \
  static_assert(::at::cuda::SameSignature<decltype(field), decltype(&function)>::value)
