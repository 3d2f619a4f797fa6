// Conversions between element types: a small set of direct loops; other pairs go through up to four
// of them with buffers in the first-level cache. Half goes through float, a complex number to an
// integer through its real part, and so on; no route rounds twice where the C++ conversion would
// round once.

#include <algorithm>
#include <cstring>

#include <ATen/native/common/Convert.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <c10/util/Exception.h>

namespace at::native {
namespace {

using c10::BFloat16;
using c10::Half;
using c10::ScalarType;
template <typename T>
using complex = c10::complex<T>;

using Loop = ConvertLoop;

// A byte that represents a bool: any nonzero value is true.
struct BoolByte {
  uint8_t x;
};
// The bits of a half type: a number other than 0 has a bit besides the sign.
struct HalfBits {
  uint16_t x;
};

template <typename D, typename S>
inline D convert_one(S v) {
  if constexpr (std::is_same_v<S, BoolByte>) {
    return static_cast<D>(v.x != 0);
  } else if constexpr (std::is_same_v<S, HalfBits>) {
    return static_cast<D>((v.x & 0x7fff) != 0);
  } else if constexpr (std::is_same_v<D, bool>) {
    return v != S(0);
  } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D> && sizeof(D) < 4) {
    // Through the wider type, so that the low bits are those of the integer part.
    using Wide =
        std::conditional_t<std::is_same_v<S, double> && std::is_unsigned_v<D>, int64_t, int32_t>;
    return static_cast<D>(static_cast<Wide>(v));
  } else if constexpr (std::is_floating_point_v<S> && std::is_same_v<D, uint32_t>) {
    return static_cast<D>(static_cast<int64_t>(v));
  } else if constexpr (std::is_floating_point_v<S> && std::is_same_v<D, uint64_t>) {
    // Negative numbers wrap.
    return v < S(0) ? static_cast<D>(static_cast<int64_t>(v)) : static_cast<D>(v);
  } else {
    return static_cast<D>(v);
  }
}

template <typename S, typename D>
void plain(const void* src, void* dst, int64_t n) {
  const S* s = static_cast<const S*>(src);
  D* d = static_cast<D*>(dst);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) d[i] = convert_one<D>(s[i]);
}

#if defined(__AVX512DQ__)
template <typename D>
constexpr auto longs_to = plain<int64_t, D>;
#else
// Without an instruction for it: the sum with 1.5 * 2^52, as an integer, is a double from which
// that number is subtracted again, if there are no more than 51 bits. So it is exact, and a float
// is rounded once.
template <typename D>
void longs_to(const void* src, void* dst, int64_t n) {
  constexpr int64_t kBlock = 512;
  const int64_t* s = static_cast<const int64_t*>(src);
  D* d = static_cast<D*>(dst);
  for (int64_t first = 0; first < n; first += kBlock, s += kBlock, d += kBlock) {
    const int64_t count = std::min(kBlock, n - first);
    uint64_t bits = 0;
    for (int64_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(s[i] < 0 ? ~s[i] : s[i]);
    if (bits >> 51) {
      plain<int64_t, D>(s, d, count);
      continue;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const int64_t shifted = s[i] + 0x4338000000000000;
      double sum;
      std::memcpy(&sum, &shifted, sizeof sum);
      d[i] = static_cast<D>(sum - 0x1.8p52);
    }
  }
}
#endif

template <typename T>
void real_to_complex(const void* src, void* dst, int64_t n) {
  const T* s = static_cast<const T*>(src);
  T* d = static_cast<T*>(dst);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    d[2 * i] = s[i];
    d[2 * i + 1] = T(0);
  }
}

template <typename T>
void complex_to_real(const void* src, void* dst, int64_t n) {
  const T* s = static_cast<const T*>(src);
  T* d = static_cast<T*>(dst);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) d[i] = s[2 * i];
}

template <typename T>
void complex_to_bool(const void* src, void* dst, int64_t n) {
  const T* s = static_cast<const T*>(src);
  uint8_t* d = static_cast<uint8_t*>(dst);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) d[i] = (s[2 * i] != T(0)) | (s[2 * i + 1] != T(0));
}

// T: a half type.
template <typename T>
void halves_to_floats(const void* src, void* dst, int64_t n) {
  widen(static_cast<const T*>(src), static_cast<float*>(dst), n);
}
template <typename T>
void floats_to_halves(const void* src, void* dst, int64_t n) {
  narrow(static_cast<const float*>(src), static_cast<T*>(dst), n);
}

// complex<Half> is two Half, complex<float> two float.
void complex_half_to_float(const void* src, void* dst, int64_t n) {
  half_to_float(static_cast<const Half*>(src), static_cast<float*>(dst), 2 * n);
}
void complex_float_to_half(const void* src, void* dst, int64_t n) {
  float_to_half(static_cast<const float*>(src), static_cast<Half*>(dst), 2 * n);
}
void complex_widen(const void* src, void* dst, int64_t n) { plain<float, double>(src, dst, 2 * n); }
void complex_narrow(const void* src, void* dst, int64_t n) {
  plain<double, float>(src, dst, 2 * n);
}

// From the plain numbers to D.
template <typename D>
Loop to_plain(ScalarType from) {
  switch (from) {
    case ScalarType::Byte:
      return plain<uint8_t, D>;
    case ScalarType::Char:
      return plain<int8_t, D>;
    case ScalarType::Short:
      return plain<int16_t, D>;
    case ScalarType::Int:
      return plain<int32_t, D>;
    case ScalarType::Long:
      if constexpr (std::is_floating_point_v<D>) return longs_to<D>;
      else return plain<int64_t, D>;
    case ScalarType::UInt16:
      return plain<uint16_t, D>;
    case ScalarType::UInt32:
      return plain<uint32_t, D>;
    case ScalarType::UInt64:
      return plain<uint64_t, D>;
    case ScalarType::Float:
      return plain<float, D>;
    case ScalarType::Double:
      return plain<double, D>;
    case ScalarType::Bool:
      return plain<BoolByte, D>;
    default:
      return nullptr;
  }
}

Loop from_float(ScalarType to) {
  switch (to) {
    case ScalarType::Half:
      return floats_to_halves<Half>;
    case ScalarType::BFloat16:
      return floats_to_halves<BFloat16>;
    case ScalarType::Float8_e5m2:
      return plain<float, c10::Float8_e5m2>;
    case ScalarType::Float8_e4m3fn:
      return plain<float, c10::Float8_e4m3fn>;
    case ScalarType::Float8_e5m2fnuz:
      return plain<float, c10::Float8_e5m2fnuz>;
    case ScalarType::Float8_e4m3fnuz:
      return plain<float, c10::Float8_e4m3fnuz>;
    case ScalarType::Float8_e8m0fnu:
      return plain<float, c10::Float8_e8m0fnu>;
    case ScalarType::ComplexFloat:
      return real_to_complex<float>;
    default:
      return nullptr;
  }
}

Loop to_float(ScalarType from) {
  switch (from) {
    case ScalarType::Half:
      return halves_to_floats<Half>;
    case ScalarType::BFloat16:
      return halves_to_floats<BFloat16>;
    case ScalarType::Float8_e5m2:
      return plain<c10::Float8_e5m2, float>;
    case ScalarType::Float8_e4m3fn:
      return plain<c10::Float8_e4m3fn, float>;
    case ScalarType::Float8_e5m2fnuz:
      return plain<c10::Float8_e5m2fnuz, float>;
    case ScalarType::Float8_e4m3fnuz:
      return plain<c10::Float8_e4m3fnuz, float>;
    case ScalarType::Float8_e8m0fnu:
      return plain<c10::Float8_e8m0fnu, float>;
    case ScalarType::ComplexFloat:
      return complex_to_real<float>;
    default:
      return nullptr;
  }
}

bool is_float(ScalarType t) { return t == ScalarType::Float || t == ScalarType::Double; }

Loop direct(ScalarType from, ScalarType to) {
  Loop found = nullptr;
  switch (to) {
    // Integers of one width convert from integers in the same way, signed or not.
    case ScalarType::Byte:
      found = from == ScalarType::Double ? plain<double, uint8_t> : to_plain<int8_t>(from);
      break;
    case ScalarType::Char:
      found = to_plain<int8_t>(from);
      break;
    case ScalarType::UInt16:
      found = from == ScalarType::Double ? plain<double, uint16_t> : to_plain<int16_t>(from);
      break;
    case ScalarType::Short:
      found = to_plain<int16_t>(from);
      break;
    case ScalarType::Int:
      found = to_plain<int32_t>(from);
      break;
    case ScalarType::UInt32:
      found = from == ScalarType::Float ? plain<float, uint32_t>
              : is_float(from)          ? plain<double, uint32_t>
                                        : to_plain<int32_t>(from);
      break;
    case ScalarType::Long:
      found = to_plain<int64_t>(from);
      break;
    case ScalarType::UInt64:
      found = from == ScalarType::Float ? plain<float, uint64_t>
              : is_float(from)          ? plain<double, uint64_t>
                                        : to_plain<int64_t>(from);
      break;
    case ScalarType::Float:
      found = to_plain<float>(from);
      break;
    case ScalarType::Double:
      found = from == ScalarType::ComplexDouble ? complex_to_real<double> : to_plain<double>(from);
      break;
    case ScalarType::Bool:
      found = from == ScalarType::ComplexFloat                           ? complex_to_bool<float>
              : from == ScalarType::ComplexDouble                        ? complex_to_bool<double>
              : from == ScalarType::Half || from == ScalarType::BFloat16 ? plain<HalfBits, bool>
                                                                         : to_plain<bool>(from);
      break;
    case ScalarType::ComplexDouble:
      found = from == ScalarType::Double         ? real_to_complex<double>
              : from == ScalarType::ComplexFloat ? complex_widen
                                                 : nullptr;
      break;
    case ScalarType::ComplexHalf:
      found = from == ScalarType::ComplexFloat ? complex_float_to_half : nullptr;
      break;
    default:
      break;
  }
  if (found) return found;
  if (to == ScalarType::Float) return to_float(from);
  if (from == ScalarType::Float) return from_float(to);
  if (to == ScalarType::ComplexFloat) {
    return from == ScalarType::ComplexHalf     ? complex_half_to_float
           : from == ScalarType::ComplexDouble ? complex_narrow
                                               : nullptr;
  }
  return nullptr;
}

// The next type on the route if there is no direct loop.
ScalarType next_hop(ScalarType from, ScalarType to) {
  if (c10::isReducedFloatingType(from)) return ScalarType::Float;
  if (from == ScalarType::ComplexHalf) return ScalarType::ComplexFloat;
  if (from == ScalarType::ComplexFloat) return ScalarType::Float;
  if (from == ScalarType::ComplexDouble)
    return to == ScalarType::ComplexHalf ? ScalarType::ComplexFloat : ScalarType::Double;
  if (to == ScalarType::ComplexDouble) return ScalarType::Double;
  if (from == ScalarType::Float) return ScalarType::ComplexFloat;
  return ScalarType::Float;
}

constexpr int64_t kPiece = 256;

}  // namespace

static void convert_kernel(ScalarType from, const void* src, ScalarType to, void* dst, int64_t n) {
  if (from == to) {
    copy_bytes(dst, src, n * static_cast<int64_t>(c10::elementSize(from)));
    return;
  }
  if (Loop loop = direct(from, to)) {
    loop(src, dst, n);
    return;
  }
  Loop route[4];
  int hops = 0;
  for (ScalarType here = from; here != to;) {
    TORCH_CHECK_NOT_IMPLEMENTED(hops < 4, "copy_: no conversion from ", c10::toString(from), " to ",
                                c10::toString(to));
    ScalarType next = direct(here, to) ? to : next_hop(here, to);
    route[hops] = direct(here, next);
    TORCH_CHECK_NOT_IMPLEMENTED(route[hops], "copy_: no conversion from ", c10::toString(from),
                                " to ", c10::toString(to));
    ++hops;
    here = next;
  }
  alignas(64) char buffers[2][kPiece * 16];
  const char* s = static_cast<const char*>(src);
  char* d = static_cast<char*>(dst);
  for (int64_t i = 0; i < n; i += kPiece) {
    int64_t count = n - i < kPiece ? n - i : kPiece;
    const void* in = s + i * c10::elementSize(from);
    for (int k = 0; k < hops; ++k) {
      void* out = k + 1 == hops ? static_cast<void*>(d + i * c10::elementSize(to)) : buffers[k & 1];
      route[k](in, out, count);
      in = out;
    }
  }
}

static ConvertLoop direct_conversion(ScalarType from, ScalarType to) { return direct(from, to); }

REGISTER_DISPATCH(direct_conversion_stub, &direct_conversion)
REGISTER_DISPATCH(convert_stub, &convert_kernel)

}  // namespace at::native
