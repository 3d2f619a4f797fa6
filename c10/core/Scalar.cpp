// Out-of-line conversions and comparisons of Scalar.

#include <c10/core/Scalar.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>

#include <c10/util/Exception.h>

namespace c10 {

template <typename T>
static const char* cpp_name() {
  return toString(CppTypeToScalarType<T>::value);
}

template <typename T>
static bool fits(double v) {
  if constexpr (std::is_same<T, bool>::value || std::is_same<T, double>::value) {
    return true;
  } else if constexpr (std::is_floating_point<T>::value) {
    return !std::isfinite(v) || std::fabs(v) <= std::numeric_limits<T>::max();
  } else if constexpr (std::is_signed<T>::value) {
    return v >= static_cast<double>(std::numeric_limits<T>::min()) &&
           v < -static_cast<double>(std::numeric_limits<T>::min());
  } else {
    return v > -1.0 && v < 2.0 * static_cast<double>(T(1) << (sizeof(T) * 8 - 1));
  }
}

template <typename T>
static bool fits(int64_t v) {
  if constexpr (std::is_same<T, bool>::value || std::is_floating_point<T>::value) {
    return true;
  } else if constexpr (std::is_same<T, uint64_t>::value) {
    return true;
  } else if constexpr (std::is_unsigned<T>::value) {
    // Negative numbers wrap: -1 is the maximum.
    const int64_t max = static_cast<int64_t>(std::numeric_limits<T>::max());
    return v >= -max && v <= max;
  } else {
    return v >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
           v <= static_cast<int64_t>(std::numeric_limits<T>::max());
  }
}

template <typename T>
T Scalar::to() const {
  bool good = true;
  switch (tag_) {
    case Tag::Double:
      good = fits<T>(v_.d);
      break;
    case Tag::Int:
      good = fits<T>(v_.i);
      break;
    case Tag::UInt:
      // This number exceeds int64.
      good = !std::is_integral<T>::value || std::is_same<T, uint64_t>::value ||
             std::is_same<T, bool>::value;
      break;
    case Tag::Bool:
      break;
    case Tag::Complex:
      good = v_.z[1] == 0 && fits<T>(v_.z[0]);
      break;
  }
  TORCH_CHECK(good, "value cannot be converted to type ", cpp_name<T>(),
              " without overflow: ", str());
  return cast<T>();
}

template bool Scalar::to<bool>() const;
template uint8_t Scalar::to<uint8_t>() const;
template int8_t Scalar::to<int8_t>() const;
template int16_t Scalar::to<int16_t>() const;
template int32_t Scalar::to<int32_t>() const;
template int64_t Scalar::to<int64_t>() const;
template uint16_t Scalar::to<uint16_t>() const;
template uint32_t Scalar::to<uint32_t>() const;
template uint64_t Scalar::to<uint64_t>() const;
template float Scalar::to<float>() const;
template double Scalar::to<double>() const;

Scalar Scalar::operator-() const {
  TORCH_CHECK(tag_ != Tag::Bool, "torch boolean negative, the `-` operator, is not supported.");
  switch (tag_) {
    case Tag::Double:
      return Scalar(-v_.d);
    case Tag::Complex:
      return Scalar(complex<double>(-v_.z[0], -v_.z[1]));
    default:
      return Scalar(static_cast<int64_t>(0 - static_cast<uint64_t>(v_.i)));
  }
}

Scalar Scalar::conj() const {
  return isComplex() ? Scalar(complex<double>(v_.z[0], -v_.z[1])) : *this;
}

Scalar Scalar::log() const {
  if (isComplex()) {
    std::complex<double> z = std::log(std::complex<double>(v_.z[0], v_.z[1]));
    return Scalar(complex<double>(z.real(), z.imag()));
  }
  return Scalar(std::log(cast<double>()));
}

bool Scalar::equal(double v) const {
  return isComplex() ? (v_.z[0] == v && v_.z[1] == 0) : cast<double>() == v;
}

std::string Scalar::str() const {
  char text[80];
  switch (tag_) {
    case Tag::Double:
      snprintf(text, sizeof text, "%.17g", v_.d);
      break;
    case Tag::Int:
      snprintf(text, sizeof text, "%lld", static_cast<long long>(v_.i));
      break;
    case Tag::UInt:
      snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(v_.i));
      break;
    case Tag::Bool:
      return v_.i ? "True" : "False";
    case Tag::Complex:
      snprintf(text, sizeof text, "(%.17g%+.17gj)", v_.z[0], v_.z[1]);
      break;
  }
  return text;
}

std::string to_string(const Scalar& s) { return s.str(); }

std::string to_string(IntArrayRef list) {
  std::string s = "[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i) s += ", ";
    s += std::to_string(list[i]);
  }
  return s + "]";
}

}  // namespace c10
