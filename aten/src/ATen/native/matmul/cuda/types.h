#pragma once
// How cuBLAS and cuBLASLt name types, and the numbers that they take.

#include <climits>

#include <ATen/Context.h>
#include <ATen/cuda/CublasApi.h>
#include <ATen/native/common/Gemm.h>
#include <c10/util/Exception.h>

namespace at::native {

struct CublasTypes {
  cuda::cublas::DataType data;
  cuda::cublas::ComputeType compute;
};

inline CublasTypes cublas_types(ScalarType dtype) {
  namespace cublas = cuda::cublas;
  switch (dtype) {
    case kFloat:
      return {cublas::kR32F, at::globalContext().allowTF32CuBLAS() ? cublas::kCompute32FFastTF32
                                                                   : cublas::kCompute32F};
    case kDouble:
      return {cublas::kR64F, cublas::kCompute64F};
    case kHalf:
      return {cublas::kR16F, cublas::kCompute32F};
    case kBFloat16:
      return {cublas::kR16BF, cublas::kCompute32F};
    case kComplexFloat:
      return {cublas::kC32F, cublas::kCompute32F};
    case kComplexDouble:
      return {cublas::kC64F, cublas::kCompute64F};
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "\"addmm_cuda\" not implemented for '", toString(dtype),
                                  "'");
  }
}

// A factor in the type of the computation of a product of matrices of that type.
class CublasFactor {
 public:
  CublasFactor(ComplexDouble value, ScalarType dtype) {
    switch (dtype) {
      case kDouble:
        double_ = value.real();
        break;
      case kComplexDouble:
        complex_double_ = value;
        break;
      case kComplexFloat:
        complex_float_ =
            c10::complex<float>(static_cast<float>(value.real()), static_cast<float>(value.imag()));
        break;
      case kInt:
        int_ = static_cast<int32_t>(value.real());
        break;
      default:
        float_ = static_cast<float>(value.real());
    }
  }
  const void* get() const { return &complex_double_; }

 private:
  union {
    ComplexDouble complex_double_;
    c10::complex<float> complex_float_;
    double double_;
    float float_;
    int32_t int_;
  };
};

inline int checked_cublas_int(int64_t value) {
  TORCH_CHECK(value <= INT_MAX,
              "a matrix product on a CUDA device takes sizes and strides below 2**31, got ", value);
  return static_cast<int>(value);
}

}  // namespace at::native
