#pragma once
// Scalar: one number of any kind, from Python or C++, before a tensor's type is known.

#include <cstdint>
#include <string>
#include <type_traits>

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

namespace c10 {

class Scalar {
 public:
  Scalar() : Scalar(int64_t(0)) {}
  // Accepts bool only: pointers would convert to bool.
  template <typename T, std::enable_if_t<std::is_same<T, bool>::value, bool> = true>
  Scalar(T v) : tag_(Tag::Bool) {
    v_.i = v;
  }
  template <typename T,
            std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0>
  Scalar(T v) : tag_(std::is_same<T, uint64_t>::value && v > T(INT64_MAX) ? Tag::UInt : Tag::Int) {
    v_.i = static_cast<int64_t>(v);
  }
  Scalar(double v) : tag_(Tag::Double) { v_.d = v; }
  Scalar(float v) : Scalar(static_cast<double>(v)) {}
  Scalar(Half v) : Scalar(static_cast<float>(v)) {}
  Scalar(BFloat16 v) : Scalar(static_cast<float>(v)) {}
  Scalar(Float8_e5m2 v) : Scalar(static_cast<float>(v)) {}
  Scalar(Float8_e4m3fn v) : Scalar(static_cast<float>(v)) {}
  Scalar(Float8_e5m2fnuz v) : Scalar(static_cast<float>(v)) {}
  Scalar(Float8_e4m3fnuz v) : Scalar(static_cast<float>(v)) {}
  Scalar(Float8_e8m0fnu v) : Scalar(static_cast<float>(v)) {}
  template <typename T>
  Scalar(complex<T> v) : tag_(Tag::Complex) {
    v_.z[0] = static_cast<double>(v.real());
    v_.z[1] = static_cast<double>(v.imag());
  }

  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isComplex() const { return tag_ == Tag::Complex; }
  bool isBoolean() const { return tag_ == Tag::Bool; }
  bool isIntegral(bool include_bool) const {
    return tag_ == Tag::Int || tag_ == Tag::UInt || (include_bool && tag_ == Tag::Bool);
  }

  // The type of a tensor made from this number alone: Double, Long, Bool or ComplexDouble.
  ScalarType type() const {
    switch (tag_) {
      case Tag::Double:
        return kDouble;
      case Tag::Int:
        return kLong;
      case Tag::UInt:
        return kUInt64;
      case Tag::Bool:
        return kBool;
      default:
        return kComplexDouble;
    }
  }

  // The number as T. Throws if T cannot hold it: an integer or float out of range, an imaginary
  // part if T is real.
  template <typename T>
  T to() const;
  // Like to(), but lets a value wrap or lose its imaginary part; for types already checked.
  template <typename T>
  T cast() const {
    switch (tag_) {
      case Tag::Double:
        return convert<T>(v_.d);
      case Tag::UInt:
        return convert<T>(static_cast<uint64_t>(v_.i));
      case Tag::Complex:
        if constexpr (is_complex_v<T>) {
          using V = typename T::value_type;
          return T(static_cast<V>(v_.z[0]), static_cast<V>(v_.z[1]));
        } else {
          return convert<T>(v_.z[0]);
        }
      default:
        return convert<T>(v_.i);
    }
  }

  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
  complex<double> toComplexDouble() const { return cast<complex<double>>(); }

  Scalar operator-() const;
  Scalar conj() const;
  Scalar log() const;
  bool equal(double v) const;
  std::string str() const;

 private:
  enum class Tag : uint8_t { Double, Int, UInt, Bool, Complex };

  template <typename T>
  struct is_complex : std::false_type {};
  template <typename V>
  struct is_complex<complex<V>> : std::true_type {};
  template <typename T>
  static constexpr bool is_complex_v = is_complex<T>::value;

  template <typename T, typename F>
  static T convert(F v) {
    if constexpr (is_complex_v<T>) {
      using V = typename T::value_type;
      return T(static_cast<V>(v), V(0));
    } else if constexpr (std::is_integral<T>::value && std::is_floating_point<F>::value) {
      // Converting a float beyond int64 is undefined in C++; go through the widest type first.
      if constexpr (std::is_same<T, bool>::value) {
        return v != 0;
      } else {
        return (v >= -9223372036854775808.0 && v < 9223372036854775808.0)
                   ? static_cast<T>(static_cast<int64_t>(v))
                   : static_cast<T>(v > 0 && v < 18446744073709551616.0 ? static_cast<uint64_t>(v)
                                                                        : uint64_t(1) << 63);
      }
    } else if constexpr (std::is_arithmetic<T>::value) {
      return static_cast<T>(v);
    } else {
      return T(static_cast<float>(v));
    }
  }

  union {
    double d;
    int64_t i;
    double z[2];
  } v_;
  Tag tag_;
};

std::string to_string(const Scalar& s);

extern template bool Scalar::to<bool>() const;
extern template uint8_t Scalar::to<uint8_t>() const;
extern template int8_t Scalar::to<int8_t>() const;
extern template int16_t Scalar::to<int16_t>() const;
extern template int32_t Scalar::to<int32_t>() const;
extern template int64_t Scalar::to<int64_t>() const;
extern template uint16_t Scalar::to<uint16_t>() const;
extern template uint32_t Scalar::to<uint32_t>() const;
extern template uint64_t Scalar::to<uint64_t>() const;
extern template float Scalar::to<float>() const;
extern template double Scalar::to<double>() const;

}  // namespace c10
