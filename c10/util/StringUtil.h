#pragma once
// c10::str(parts...) builds a message from any printable parts, without streams.
//
//   std::string s = c10::str("dim ", dim, " is out of range for shape ", sizes);
//
// A type becomes printable by an ADL-visible `std::string to_string(const T&)`, or by being a
// container (data(), size()) of printable elements, which prints as [1, 2, 3].
//
// Parts are type-erased before they are joined, so that a call site is a few stores and one call,
// and a new combination of part types instantiates nothing.

#include <c10/macros/Macros.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace c10 {
namespace detail {

C10_API void append(std::string& out, long long value);
C10_API void append(std::string& out, unsigned long long value);
C10_API void append(std::string& out, double value);
C10_API void append(std::string& out, const void* pointer);
inline void append(std::string& out, bool value) { out.append(value ? "true" : "false"); }
inline void append(std::string& out, char value) { out.push_back(value); }
inline void append(std::string& out, const char* text) { out.append(text ? text : "(null)"); }
inline void append(std::string& out, const std::string& text) { out.append(text); }
inline void append(std::string& out, std::string_view text) { out.append(text); }

// Only for classes and enums: a pointer or a number may convert to a class that has a to_string.
template <class T, class = void>
struct has_to_string : std::false_type {};
template <class T>
struct has_to_string<T, std::void_t<decltype(to_string(std::declval<const T&>()))>>
    : std::bool_constant<(std::is_class_v<T> || std::is_enum_v<T>) &&
                         !std::is_convertible_v<const T&, std::string_view>> {};

template <class T, class = void>
struct is_sequence : std::false_type {};
template <class T>
struct is_sequence<T, std::void_t<decltype(std::declval<const T&>().data()),
                                  decltype(std::declval<const T&>().size())>> : std::true_type {};

// Everything that the plain overloads above do not cover.
template <class T>
void append_any(std::string& out, const T& value) {
  if constexpr (has_to_string<T>::value) {
    out.append(to_string(value));
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, char> ||
                       std::is_convertible_v<T, std::string_view>) {
    append(out, value);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    append(out, static_cast<long long>(value));
  } else if constexpr (std::is_integral_v<T>) {
    append(out, static_cast<unsigned long long>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    append(out, static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    append_any(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    append(out, static_cast<const void*>(value));
  } else if constexpr (is_sequence<T>::value) {
    out.push_back('[');
    const char* separator = "";
    for (const auto& element : value) {
      out.append(separator);
      append_any(out, element);
      separator = ", ";
    }
    out.push_back(']');
  } else {
    static_assert(std::is_convertible_v<T, double>, "c10::str: give this type a to_string");
    append(out, static_cast<double>(value));
  }
}

// One part of a message: a small trivially copyable value is stored inside (so that a local scalar
// at the call site need not be in memory), anything else by address. Must not outlive the full
// expression that creates it.
class StrPart {
 public:
  template <class T, class D = std::decay_t<T>,
            class = std::enable_if_t<!std::is_same_v<D, StrPart>>>
  StrPart(const T& value) {
    if constexpr (std::is_array_v<T>) {
      hold<const char*>(value);
    } else if constexpr (std::is_trivially_copyable_v<D> && sizeof(D) <= sizeof(storage_)) {
      hold<D>(value);
    } else {
      const void* address = &value;
      std::memcpy(storage_, &address, sizeof(address));
      append_ = [](std::string& out, const void* storage) {
        const D* held;
        std::memcpy(&held, storage, sizeof(held));
        append_any(out, *held);
      };
    }
  }

  void append_to(std::string& out) const { append_(out, storage_); }

 private:
  template <class D>
  void hold(const D& value) {
    std::memcpy(storage_, &value, sizeof(D));
    append_ = [](std::string& out, const void* storage) {
      append_any(out, *static_cast<const D*>(storage));
    };
  }

  void (*append_)(std::string&, const void*);
  alignas(16) unsigned char storage_[16];
};

C10_API std::string join(std::initializer_list<StrPart> parts);

}  // namespace detail

template <class... Parts>
std::string str(const Parts&... parts) {
  return detail::join({detail::StrPart(parts)...});
}
inline std::string str() { return std::string(); }

}  // namespace c10
