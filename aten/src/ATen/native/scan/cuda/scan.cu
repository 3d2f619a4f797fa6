// cumsum, cumprod and logcumsumexp on CUDA devices.

#include <cmath>
#include <limits>

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/scan/cuda/extremes.h>
#include <ATen/native/scan/scan.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/copy__native.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/scan/cuda/scan.cuh>

namespace at::native {
namespace {

template <typename M>
struct Add {
  __device__ static M join(M a, M b) { return a + b; }
};
template <typename M>
struct Multiply {
  __device__ static M join(M a, M b) { return a * b; }
};
// log(exp(a) + exp(b)).
template <typename M>
struct LogAddExp {
  __device__ static M join(M a, M b) {
    if constexpr (c10::is_complex<M>::value) {
      using R = typename M::value_type;
      const M low = a.real() < b.real() ? a : b, high = a.real() < b.real() ? b : a;
      if (std::isnan(low.real()) || std::isnan(low.imag()) || std::isnan(high.real()) ||
          std::isnan(high.imag())) {
        const R nan = std::numeric_limits<R>::quiet_NaN();
        return M(nan, nan);
      }
      if (std::isinf(high.real()) && low.real() == high.real()) {
        if (high.real() < 0) return low;  // the logarithm of 0, whatever the angle
        return complex_math::log(complex_math::exp(low) + complex_math::exp(high));
      }
      return complex_math::log(complex_math::exp(low - high) + M(1, 0)) + high;
    } else {
      const M low = std::isnan(b) || b < a ? b : a, high = std::isnan(b) || b < a ? a : b;
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<M>::quiet_NaN();
      // Two equal infinities have no difference.
      if (std::isinf(low) && low == high) return low;
      return std::log1p(std::exp(low - high)) + high;
    }
  }
};

template <typename Type, typename Math, template <typename> class Join>
struct Scan {
  using T = Type;
  using M = Math;
  const T* in;
  T* out;
  __device__ M load(int64_t at, int64_t) const { return static_cast<M>(in[at]); }
  __device__ M join(M a, M b) const { return Join<M>::join(a, b); }
  __device__ void store(int64_t at, M value) const { out[at] = static_cast<T>(value); }
};

template <template <typename> class Join, typename List>
void scan_numbers(const char* op, ScalarType dtype, const Tensor& in, const Tensor& out,
                  int64_t dim) {
  dispatch_types<List>(dtype, op, [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    scans::run<M>(
        Scan<T, M, Join>{static_cast<const T*>(in.data_ptr()), static_cast<T*>(out.data_ptr())},
        dense_shape(in, dim), in.device());
  });
}

// Integers wrap around: those of a size share a kernel.
ScalarType unsigned_of(ScalarType dtype) {
  if (!isIntegralType(dtype, /*includeBool=*/false)) return dtype;
  switch (elementSize(dtype)) {
    case 1:
      return kByte;
    case 2:
      return kUInt16;
    case 4:
      return kUInt32;
    default:
      return kUInt64;
  }
}

}  // namespace

static void scan_cuda(ScanKind kind, const Tensor& in, const Tensor& out, const Tensor& indices,
                      int64_t dim) {
  c10::OptionalDeviceGuard guard(in.device());
  if (kind == ScanKind::max || kind == ScanKind::min)
    return scan_extremes_cuda(kind == ScanKind::max, in, out, indices, dim);
  if (out.scalar_type() == kBool || out.scalar_type() == kComplexHalf) {
    const ScalarType wide = out.scalar_type() == kBool ? kLong : kComplexFloat;
    Tensor result = empty_tensor(out.sizes(), wide, out.device()), to = out;
    scan_cuda(kind, in, result, indices, dim);
    copy_(to, result, false);
    return;
  }
  const Tensor x = in.scalar_type() == out.scalar_type() ? in : at::_to_copy(in, out.scalar_type());
  using Unsigned = JoinT<TypeList<uint8_t>, UnsignedTypes>;
  using Numbers = JoinT<FloatingAndReduced, ComplexTypes, Unsigned>;
  const ScalarType dtype = unsigned_of(out.scalar_type());
  switch (kind) {
    case ScanKind::sum:
      return scan_numbers<Add, Numbers>("cumsum_cuda", dtype, x, out, dim);
    case ScanKind::prod:
      return scan_numbers<Multiply, Numbers>("cumprod_cuda", dtype, x, out, dim);
    default:
      return scan_numbers<LogAddExp, JoinT<FloatingAndReduced, ComplexTypes>>("logcumsumexp_cuda",
                                                                              dtype, x, out, dim);
  }
}

REGISTER_CUDA_DISPATCH(scan_stub, &scan_cuda)

}  // namespace at::native
