#pragma once
// c10::complex<T>: two numbers laid out like std::complex<T>, with arithmetic by the plain
// formulas (no NaN recovery), so that loops over it vectorize. complex_math.h has exp, log, sqrt,
// ...

#include <c10/macros/Macros.h>

#include <cstddef>
#include <string>
#include <type_traits>

namespace std {
template <class T>
class complex;  // not included: <complex> brings in the streams
}  // namespace std

namespace c10 {

template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  constexpr C10_HOST_DEVICE complex(const T& re, const T& im = T(0)) : real_(re), imag_(im) {}
  // Widening is implicit, narrowing is explicit.
  template <class U, std::enable_if_t<!std::is_same_v<U, T> && (sizeof(U) < sizeof(T)), int> = 0>
  constexpr C10_HOST_DEVICE complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}
  template <class U, std::enable_if_t<!std::is_same_v<U, T> && (sizeof(U) >= sizeof(T)), int> = 0>
  explicit constexpr C10_HOST_DEVICE complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}
  template <class U>
  explicit complex(const std::complex<U>& other)
      : real_(static_cast<T>(other.real())), imag_(static_cast<T>(other.imag())) {}
  template <class U>
  explicit operator std::complex<U>() const {
    return std::complex<U>(static_cast<U>(real_), static_cast<U>(imag_));
  }

  constexpr C10_HOST_DEVICE T real() const { return real_; }
  constexpr C10_HOST_DEVICE T imag() const { return imag_; }
  constexpr C10_HOST_DEVICE void real(T value) { real_ = value; }
  constexpr C10_HOST_DEVICE void imag(T value) { imag_ = value; }

  explicit constexpr C10_HOST_DEVICE operator bool() const {
    return real_ != T(0) || imag_ != T(0);
  }

  constexpr C10_HOST_DEVICE complex& operator=(T re) {
    real_ = re;
    imag_ = T(0);
    return *this;
  }
  constexpr C10_HOST_DEVICE complex& operator+=(const complex& b) { return *this = *this + b; }
  constexpr C10_HOST_DEVICE complex& operator-=(const complex& b) { return *this = *this - b; }
  constexpr C10_HOST_DEVICE complex& operator*=(const complex& b) { return *this = *this * b; }
  constexpr C10_HOST_DEVICE complex& operator/=(const complex& b) { return *this = *this / b; }

  // Friends, so that a number on either side converts.
  friend constexpr C10_HOST_DEVICE complex operator+(const complex& a) { return a; }
  friend constexpr C10_HOST_DEVICE complex operator-(const complex& a) {
    return complex(-a.real_, -a.imag_);
  }
  friend constexpr C10_HOST_DEVICE complex operator+(const complex& a, const complex& b) {
    return complex(a.real_ + b.real_, a.imag_ + b.imag_);
  }
  friend constexpr C10_HOST_DEVICE complex operator-(const complex& a, const complex& b) {
    return complex(a.real_ - b.real_, a.imag_ - b.imag_);
  }
  friend constexpr C10_HOST_DEVICE complex operator*(const complex& a, const complex& b) {
    return complex(a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_);
  }
  // Smith's method: dividing by the larger part first keeps |b|^2 from overflowing.
  friend constexpr C10_HOST_DEVICE complex operator/(const complex& a, const complex& b) {
    const T c = b.real_ < T(0) ? -b.real_ : b.real_;
    const T d = b.imag_ < T(0) ? -b.imag_ : b.imag_;
    if (c >= d) {
      if (c == T(0)) {
        return complex(a.real_ / c, a.imag_ / c);
      }
      const T ratio = b.imag_ / b.real_;
      const T scale = T(1) / (b.real_ + b.imag_ * ratio);
      return complex((a.real_ + a.imag_ * ratio) * scale, (a.imag_ - a.real_ * ratio) * scale);
    }
    const T ratio = b.real_ / b.imag_;
    const T scale = T(1) / (b.imag_ + b.real_ * ratio);
    return complex((a.real_ * ratio + a.imag_) * scale, (a.imag_ * ratio - a.real_) * scale);
  }
  friend constexpr C10_HOST_DEVICE bool operator==(const complex& a, const complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr C10_HOST_DEVICE bool operator!=(const complex& a, const complex& b) {
    return !(a == b);
  }
  friend std::string to_string(const complex& a) {
    return "(" + std::to_string(a.real_) + (a.imag_ < T(0) ? "" : "+") + std::to_string(a.imag_) +
           "j)";
  }
};

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_complex_v = is_complex<T>::value;

static_assert(std::is_trivially_copyable_v<complex<float>> && sizeof(complex<float>) == 8);

}  // namespace c10
