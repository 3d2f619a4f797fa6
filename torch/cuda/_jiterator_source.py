"""The CUDA source of an elementwise operator, around the function of a jiterator.

The same text is compiled by NVRTC, which has no headers, and by the C++ compiler for the emulated device.
aten/src/ATen/cuda/JitElementwise.cpp passes what the kernel takes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

# Functions of one element are not marked __device__.
OPTIONS = ("--device-as-default-execution-space",)

_VALUE = "torch_jit::Value"

# The type in memory, and that of the arithmetic.
TYPES = {
    torch.float32: ("float", "float"),
    torch.float64: ("double", "double"),
    torch.float16: ("torch_jit::Half", "float"),
    torch.bfloat16: ("torch_jit::BFloat16", "float"),
    torch.complex32: ("torch_jit::complex<torch_jit::Half>", "torch_jit::complex<float>"),
    torch.complex64: ("torch_jit::complex<float>",) * 2,
    torch.complex128: ("torch_jit::complex<double>",) * 2,
    torch.bool: ("bool", "bool"),
    torch.int8: ("int8_t", "int8_t"),
    torch.int16: ("int16_t", "int16_t"),
    torch.int32: ("int32_t", "int32_t"),
    torch.int64: ("int64_t", "int64_t"),
    torch.uint8: ("uint8_t", "uint8_t"),
    torch.uint16: ("uint16_t", "uint16_t"),
    torch.uint32: ("uint32_t", "uint32_t"),
    torch.uint64: ("uint64_t", "uint64_t"),
}
# Python numbers as parameters of the kernel, converted to what the function takes.
NUMBERS: dict[type, str] = {bool: "bool", int: "long long", float: "double", complex: "torch_jit::complex<double>"}

_BEFORE = """
#ifndef TORCH_CUDA_EMULATED
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#define M_PI 3.14159265358979323846
#endif

namespace torch_jit {

struct Half {
  unsigned short bits;
  Half() = default;
#ifdef TORCH_CUDA_EMULATED
  Half(float value) : bits(torch_emulated_bits<unsigned short>(static_cast<_Float16>(value))) {}
  operator float() const { return static_cast<float>(torch_emulated_bits<_Float16>(bits)); }
#else
  Half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
#endif
};

struct BFloat16 {
  unsigned short bits;
  BFloat16() = default;
  BFloat16(float value) {
    const unsigned word = __float_as_uint(value);
    const bool is_nan = (word & 0x7fffffff) > 0x7f800000;
    bits = is_nan ? 0x7fc0 : (word + 0x7fff + (word >> 16 & 1)) >> 16;  // to the nearest, else even
  }
  operator float() const { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
};

template <typename T>
struct alignas(2 * sizeof(T)) complex {
  T re, im;
  complex() : re(0.0f), im(0.0f) {}
  complex(T re, T im = T(0.0f)) : re(re), im(im) {}
  template <typename U>
  complex(const complex<U>& z) : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}
  T real() const { return re; }
  T imag() const { return im; }
  complex& operator+=(const complex& z) { return *this = *this + z; }
  complex& operator-=(const complex& z) { return *this = *this - z; }
  complex& operator*=(const complex& z) { return *this = *this * z; }
  complex& operator/=(const complex& z) { return *this = *this / z; }
  friend complex operator+(const complex& z) { return z; }
  friend complex operator-(const complex& z) { return complex(-z.re, -z.im); }
  friend complex operator+(const complex& a, const complex& b) { return complex(a.re + b.re, a.im + b.im); }
  friend complex operator-(const complex& a, const complex& b) { return complex(a.re - b.re, a.im - b.im); }
  friend complex operator*(const complex& a, const complex& b) {
    return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  // R. L. Smith, "Algorithm 116: Complex division", CACM 1962: no overflow in between.
  friend complex operator/(const complex& a, const complex& b) {
    if (::fabs(b.re) >= ::fabs(b.im)) {
      const T ratio = b.im / b.re, scale = b.re + b.im * ratio;
      return complex((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale);
    }
    const T ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return complex((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale);
  }
  friend bool operator==(const complex& a, const complex& b) { return a.re == b.re && a.im == b.im; }
  friend bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};

template <typename T>
T real(const complex<T>& z) { return z.re; }
template <typename T>
T imag(const complex<T>& z) { return z.im; }
template <typename T>
complex<T> conj(const complex<T>& z) { return complex<T>(z.re, -z.im); }
template <typename T>
T norm(const complex<T>& z) { return z.re * z.re + z.im * z.im; }
template <typename T>
T abs(const complex<T>& z) { return ::hypot(z.re, z.im); }
template <typename T>
T arg(const complex<T>& z) { return ::atan2(z.im, z.re); }
template <typename T>
complex<T> polar(const T& length, const T& angle) { return complex<T>(length * ::cos(angle), length * ::sin(angle)); }
template <typename T>
complex<T> exp(const complex<T>& z) { return polar<T>(::exp(z.re), z.im); }
template <typename T>
complex<T> log(const complex<T>& z) { return complex<T>(::log(abs(z)), arg(z)); }
template <typename T>
complex<T> sqrt(const complex<T>& z) {
  const T size = abs(z);
  if (size == 0) return complex<T>(0, z.im);
  const T larger = ::sqrt((size + ::fabs(z.re)) / 2), other = ::fabs(z.im) / (2 * larger);
  return z.re >= 0 ? complex<T>(larger, ::copysign(other, z.im)) : complex<T>(other, ::copysign(larger, z.im));
}
template <typename T>
complex<T> pow(const complex<T>& z, const complex<T>& power) {
  if (power == complex<T>()) return complex<T>(1);
  return z == complex<T>() ? complex<T>() : exp(power * log(z));
}
template <typename T>
complex<T> sinh(const complex<T>& z) { return complex<T>(::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im)); }
template <typename T>
complex<T> cosh(const complex<T>& z) { return complex<T>(::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im)); }
template <typename T>
complex<T> tanh(const complex<T>& z) { return sinh(z) / cosh(z); }
template <typename T>
complex<T> sin(const complex<T>& z) { return complex<T>(::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im)); }
template <typename T>
complex<T> cos(const complex<T>& z) { return complex<T>(::cos(z.re) * ::cosh(z.im), -::sin(z.re) * ::sinh(z.im)); }
template <typename T>
complex<T> tan(const complex<T>& z) { return sin(z) / cos(z); }

}

namespace std {
using torch_jit::complex;
using torch_jit::real; using torch_jit::imag; using torch_jit::conj; using torch_jit::norm; using torch_jit::arg;
using torch_jit::polar; using torch_jit::abs; using torch_jit::exp; using torch_jit::log; using torch_jit::sqrt;
using torch_jit::pow; using torch_jit::sinh; using torch_jit::cosh; using torch_jit::tanh; using torch_jit::sin;
using torch_jit::cos; using torch_jit::tan;
#ifndef TORCH_CUDA_EMULATED
using ::abs; using ::fabs; using ::exp; using ::log; using ::sqrt; using ::pow; using ::sinh; using ::cosh; using ::tanh;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::asinh; using ::acosh;
using ::atanh; using ::exp2; using ::expm1; using ::log2; using ::log10; using ::log1p; using ::cbrt; using ::hypot; using ::erf;
using ::erfc; using ::lgamma; using ::tgamma; using ::floor; using ::ceil; using ::round; using ::trunc; using ::rint;
using ::fmod; using ::remainder; using ::fmin; using ::fmax; using ::fma; using ::copysign; using ::isnan; using ::isinf;
using ::isfinite; using ::signbit; using ::min; using ::max;
#endif
}
"""

_BEHIND = """
#line 1 "torch.cuda.jiterator"
namespace torch_jit {
using Value = {value};    // of the arithmetic
using Memory = {memory};  // of the elements
constexpr int kOutputs = {outputs}, kInputs = {inputs}, kMaxDims = 16;

struct Division {
  unsigned divisor, multiplier, shift;
};
struct Shape {
  int ndim;
  Division sizes[kMaxDims];
};
// Outputs first. They have one layout: strides are those of an output, then of each input.
struct Addresses {
  char* at[kOutputs + kInputs];
};
struct Strides {
  long long bytes[kMaxDims][1 + kInputs];
};

inline void find(const Shape& shape, const Strides& strides, unsigned element, long long* offset) {
  for (int d = 0; d < shape.ndim; ++d) {
    const Division& size = shape.sizes[d];
    const unsigned quotient = (__umulhi(element, size.multiplier) + element) >> size.shift;
    const unsigned rest = element - quotient * size.divisor;
    for (int k = 0; k <= kInputs; ++k) offset[k] += static_cast<long long>(rest) * strides.bytes[d][k];
    element = quotient;
  }
}
inline Value load(const char* address) { return static_cast<Value>(*reinterpret_cast<const Memory*>(address)); }
template <typename R>
inline void store(char* address, const R& value) {
  *reinterpret_cast<Memory*>(address) = static_cast<Memory>(value);
}
}

extern "C" __global__ void {kernel}(unsigned n, torch_jit::Shape shape, torch_jit::Addresses addresses,
                                    torch_jit::Strides strides{parameters}) {
  const unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= n) return;
  long long offset[1 + torch_jit::kInputs] = {};
  torch_jit::find(shape, strides, element, offset);
  {body}
}
"""


def kernel_name(function: str) -> str:
    """The name of the kernel around a function, which profilers and compilers show."""
    return f"{function}_elementwise"


def kernel_source(
    code: str, name: str, call: Sequence[str], dtype: torch.dtype, num_inputs: int, num_outputs: int, numbers: Sequence[type]
) -> str:
    """The source of a kernel that applies a function to each element.

    Args:
        code (str): that defines the function
        name (str): of the function
        call (Sequence[str]): its arguments: input0, ..., number0, ..., and output0, ... for results that it assigns
        dtype (dtype): of the elements
        num_inputs (int): how many tensors are read
        num_outputs (int): how many are written
        numbers (Sequence[type]): of the Python numbers

    Returns:
        the source

    Raises:
        NotImplementedError: the dtype has no arithmetic here
    """
    if dtype not in TYPES:
        raise NotImplementedError(f"{name}: jiterator does not compute in {dtype}")
    memory, value = TYPES[dtype]
    lines = [
        f"const {_VALUE} input{k} = torch_jit::load(addresses.at[{num_outputs + k}] + offset[{k + 1}]);"
        for k in range(num_inputs)
    ]
    called = f"::{name}<torch_jit::Value>({', '.join(call)})"
    if "output0" in call:
        results = [f"output{k}" for k in range(num_outputs)]
        lines += [f"{_VALUE} {result} = {_VALUE}();" for result in results] + [f"{called};"]
    else:
        results = [called]
    lines += [f"torch_jit::store(addresses.at[{k}] + offset[0], {result});" for k, result in enumerate(results)]
    text = _BEHIND
    for key, filled in {
        "value": value, "memory": memory, "outputs": str(num_outputs), "inputs": str(num_inputs), "kernel": kernel_name(name),
        "parameters": "".join(f", {NUMBERS[kind]} number{k}" for k, kind in enumerate(numbers)), "body": "\n  ".join(lines),
    }.items():  # fmt: skip
        text = text.replace(f"{{{key}}}", filled)
    return f'{_BEFORE}#line 1 "{name}"\n{code}\n{text}'
