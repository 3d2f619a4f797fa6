// Predicates of single numbers on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/isfinite_native.h>
#include <ATen/ops/isinf_native.h>
#include <ATen/ops/isnan_native.h>
#include <ATen/ops/isneginf_native.h>
#include <ATen/ops/isposinf_native.h>
#include <ATen/ops/logical_not_native.h>
#include <ATen/ops/signbit_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();

struct IsNan {
  template <typename T>
  __device__ bool operator()(T a) const {
    return a != a;
  }
};
struct IsInf {
  template <typename T>
  __device__ bool operator()(T a) const {
    return std::abs(a) == kInf<T>;
  }
};
struct IsFinite {
  template <typename T>
  __device__ bool operator()(T a) const {
    return std::abs(a) < kInf<T>;
  }
};
struct IsPositiveInf {
  template <typename T>
  __device__ bool operator()(T a) const {
    return a == kInf<T>;
  }
};
struct IsNegativeInf {
  template <typename T>
  __device__ bool operator()(T a) const {
    return a == -kInf<T>;
  }
};
struct HasSign {
  template <typename T>
  __device__ bool operator()(T a) const {
    return std::signbit(a);
  }
};

template <typename T, typename F>
struct Question {
  __device__ bool operator()(T a) const { return F()(a); }
};
// Of both parts of a complex number, or of one of them.
template <typename T, typename F, bool kBoth>
struct ComplexQuestion {
  __device__ bool operator()(T a) const {
    const bool x = F()(a.real()), y = F()(a.imag());
    return kBoth ? x && y : x || y;
  }
};
struct Answer {
  bool value;
  __device__ bool operator()() const { return value; }
};
template <typename T>
struct IsNegative {
  __device__ bool operator()(T a) const { return a < 0; }
};

// The answer for all integers is `integer`.
template <typename F, bool kBoth = false>
void question(TensorIteratorBase& iter, const char* op, bool integer) {
  const ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true)) {
    auto result = TensorIteratorConfig(op).add_output(iter.output(0)).resize_outputs(false).build();
    return gpu_kernel(result, Answer{integer});
  }
  if (isComplexType(dtype)) {
    return dispatch_types<ComplexAndHalf>(dtype, op, [&]<typename T>(TypeTag<T>) {
      gpu_opmath_kernel_to<bool, T>(iter, ComplexQuestion<opmath_type<T>, F, kBoth>());
    });
  }
  dispatch_types<FloatingAndReduced, Float8Types>(dtype, op, [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel_to<bool, T>(iter, Question<opmath_type<T>, F>());
  });
}

}  // namespace

static void isnan_kernel(TensorIteratorBase& iter) { question<IsNan>(iter, "isnan", false); }
static void isinf_kernel(TensorIteratorBase& iter) { question<IsInf>(iter, "isinf", false); }
static void isfinite_kernel(TensorIteratorBase& iter) {
  question<IsFinite, true>(iter, "isfinite", true);
}
static void isposinf_kernel(TensorIteratorBase& iter) {
  question<IsPositiveInf>(iter, "isposinf", false);
}
static void isneginf_kernel(TensorIteratorBase& iter) {
  question<IsNegativeInf>(iter, "isneginf", false);
}
static void signbit_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (!isIntegralType(dtype, true) || !isSignedType(dtype))
    return question<HasSign>(iter, "signbit", false);
  signed_integers<IsNegative>(iter, "signbit");
}

namespace {

struct LogicalNot {
  __device__ bool operator()(bool a) const { return !a; }
};

}  // namespace

static void logical_not_kernel(TensorIteratorBase& iter) { gpu_kernel(iter, LogicalNot()); }

REGISTER_CUDA_DISPATCH(isnan_stub, &isnan_kernel)
REGISTER_CUDA_DISPATCH(isinf_stub, &isinf_kernel)
REGISTER_CUDA_DISPATCH(isfinite_stub, &isfinite_kernel)
REGISTER_CUDA_DISPATCH(isposinf_stub, &isposinf_kernel)
REGISTER_CUDA_DISPATCH(isneginf_stub, &isneginf_kernel)
REGISTER_CUDA_DISPATCH(signbit_stub, &signbit_kernel)
REGISTER_CUDA_DISPATCH(logical_not_stub, &logical_not_kernel)

}  // namespace at::native
