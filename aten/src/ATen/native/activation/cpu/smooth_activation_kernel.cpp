// Activations that need exp, erf or tanh, and their derivatives.

#include <cmath>

#include <ATen/native/activation/activation.h>
#include <ATen/native/activation/activation_functions.h>
#include <ATen/native/common/cpu/ComplexBlocks.h>
#include <ATen/native/common/cpu/ComplexFunctions.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/elu_backward_native.h>
#include <ATen/ops/elu_native.h>
#include <ATen/ops/gelu_backward_native.h>
#include <ATen/ops/gelu_native.h>
#include <ATen/ops/log_sigmoid_backward_native.h>
#include <ATen/ops/logit_backward_native.h>
#include <ATen/ops/mish_backward_native.h>
#include <ATen/ops/mish_native.h>
#include <ATen/ops/sigmoid_backward_native.h>
#include <ATen/ops/silu_backward_native.h>
#include <ATen/ops/silu_native.h>
#include <ATen/ops/softplus_backward_native.h>
#include <ATen/ops/softplus_native.h>
#include <ATen/ops/tanh_backward_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

template <typename F>
void unary(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(iter, [f](Vec<T> x) -> Vec<T> { return f(x); });
  });
}
template <typename F>
void binary(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(iter, [f](Vec<T> g, Vec<T> x) -> Vec<T> { return f(g, x); });
  });
}

// --- elu ----------------------------------------------------------------------------------------

}  // namespace

static void elu_kernel(TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale,
                       const Scalar& input_scale) {
  const double negative = alpha.toDouble() * scale.toDouble(), positive = scale.toDouble(),
               in = input_scale.toDouble();
  unary(iter, "elu_cpu", [=](auto x) {
    using T = typename decltype(x)::value_type;
    return where(x < T(0), expm1(x * T(in)) * T(negative), x * T(positive));
  });
}

static void elu_backward_kernel(TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale,
                                const Scalar& input_scale, bool is_result) {
  const double negative = alpha.toDouble() * scale.toDouble(), positive = scale.toDouble(),
               in = input_scale.toDouble();
  check_elu_result(is_result, alpha);
  if (is_result) {
    binary(iter, "elu_backward_cpu", [=](auto g, auto y) {
      using T = typename decltype(y)::value_type;
      return where(y > T(0), g * T(positive), g * T(in) * (y + T(negative)));
    });
  } else {
    binary(iter, "elu_backward_cpu", [=](auto g, auto x) {
      using T = typename decltype(x)::value_type;
      return where(x > T(0), g * T(positive), g * T(in * negative) * exp(x * T(in)));
    });
  }
}

namespace {

// --- gelu ---------------------------------------------------------------------------------------

constexpr double kBeta = 0.79788456080286535588, kKappa = 0.044715;  // sqrt(2 / pi)

// 1 / (1 + exp(-2y)) is (1 + tanh y) / 2 in one exponential.
template <typename T>
Vec<T> half_one_plus_tanh(Vec<T> y) {
  return logistic(y * T(2));
}

// For halves: blocks without a number below `last`, x being the last argument, by `fast`, others by
// `accurate`. Returns whether all operands are of type H.
template <typename H, typename Fast, typename Accurate>
bool halves_by_blocks(TensorIteratorBase& iter, float last, const Fast& fast,
                      const Accurate& accurate) {
  constexpr size_t N = FunctorTraits<Fast>::arity;
  const H end(last);
  const auto loop = [&](char* const* data, int64_t n) {
    using Indices = std::make_index_sequence<N>;
    constexpr int64_t kBlock = 256;
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t count = std::min(kBlock, n - i);
      char* block[N + 1];
      for (size_t k = 0; k <= N; ++k) block[k] = data[k] + i * static_cast<int64_t>(sizeof(H));
      const H* x = reinterpret_cast<const H*>(block[N]);
      // Negative numbers beyond it have larger bits.
      uint16_t beyond = 0;
      for (int64_t j = 0; j < count; ++j) beyond |= static_cast<uint16_t>(x[j].x > end.x);
      if (beyond) halves_loop<H, -1>(accurate, block, count, Indices());
      else halves_loop<H, -1>(fast, block, count, Indices());
    }
  };
  return run_loop_of<H, N + 1>(iter, loop, kGrainSize / 4);
}
// The same for both half types.
template <typename Fast, typename Accurate>
bool by_blocks(TensorIteratorBase& iter, float last, const Fast& fast, const Accurate& accurate) {
  return halves_by_blocks<c10::BFloat16>(iter, last, fast, accurate) ||
         halves_by_blocks<c10::Half>(iter, last, fast, accurate);
}

}  // namespace

static void gelu_kernel(TensorIteratorBase& iter, std::string_view approximate) {
  if (gelu_by_tanh(approximate)) {
    unary(iter, "GeluKernelImpl", [](auto x) { return tanh_gelu(x); });
    return;
  }
  const auto fast = [](Vec<float> x) -> Vec<float> { return gelu_of_halves(x); };
  const auto accurate = [](Vec<float> x) -> Vec<float> { return gelu(x); };
  if (!by_blocks(iter, -kEndOfNormalTailOfHalves, fast, accurate))
    unary(iter, "GeluKernelImpl", [](auto x) { return gelu(x); });
}

static void gelu_backward_kernel(TensorIteratorBase& iter, std::string_view approximate) {
  if (gelu_by_tanh(approximate)) {
    binary(iter, "GeluBackwardKernelImpl", [](auto g, auto in) {
      using T = typename decltype(in)::value_type;
      auto x = not_far_out(in), square = x * x;
      auto s = half_one_plus_tanh(x * T(kBeta) * (square * T(kKappa) + T(1)));
      auto slope = (square * T(3 * kKappa) + T(1)) * T(2 * kBeta);
      return g * (s + x * s * (decltype(x)(T(1)) - s) * slope);
    });
    return;
  }
  const auto fast = [](Vec<float> g, Vec<float> x) -> Vec<float> {
    return g * gelu_slope_of_halves(x);
  };
  const auto accurate = [](Vec<float> g, Vec<float> x) -> Vec<float> { return g * gelu_slope(x); };
  if (!by_blocks(iter, -kLastSlopeOfHalves, fast, accurate))
    binary(iter, "GeluBackwardKernelImpl", [](auto g, auto x) { return g * gelu_slope(x); });
}

namespace {

// --- silu, mish ---------------------------------------------------------------------------------

}  // namespace

static void silu_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype()))
    return complex_math_kernel<complex_math::silu>(iter, "silu_cpu", kExponential,
                                                   [](auto x) { return complex_silu(x); });
  unary(iter, "silu_cpu", [](auto x) {
    using T = typename decltype(x)::value_type;
    const Vec<T> y = x / one_plus_exp_of_minus(x);
    const auto overflows = x < -kLargeExponent<T>;
    return C10_LIKELY(!any(overflows)) ? y : where(overflows, times_exp(x), y);
  });
}

static void silu_backward_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype())) {
    // As in PyTorch, the derivative is not conjugated here.
    return dispatch_complex(iter.common_dtype(), "silu_backward_cpu", [&]<typename T>(TypeTag<T>) {
      constexpr ScalarType kType = CppTypeToScalarType<T>::value;
      const ScalarType types[3] = {kType, kType, kType};
      const ScalarFunction<Real<T>> slope = [](T x) -> T {
        const T s = T(1) / (T(1) + exp(-x));
        return s * (T(1) + x * (T(1) - s));
      };
      const auto loop = [slope](char* const* data, int64_t n) {
        T* out = reinterpret_cast<T*>(data[0]);
        const T* g = reinterpret_cast<const T*>(data[1]);
        T slopes[ComplexBlock::kSize];
        for (int64_t first = 0; first < n; first += ComplexBlock::kSize) {
          const int64_t m = std::min(ComplexBlock::kSize, n - first);
          char* const part[] = {reinterpret_cast<char*>(slopes),
                                data[2] + first * static_cast<int64_t>(sizeof(T))};
          complex_blocks<Real<T>>(part, m, &unary_of_block<complex_math::silu_slope>, kExponential,
                                  slope);
          for (int64_t i = 0; i < m; ++i) out[first + i] = g[first + i] * slopes[i];
        }
      };
      run_loop(iter, types, loop, kGrainSize / 16);
    });
  }
  binary(iter, "silu_backward_cpu", [](auto g, auto x) {
    using T = typename decltype(x)::value_type;
    auto s = logistic(x);
    return g * s * (x * (decltype(x)(T(1)) - s) + T(1));
  });
}

namespace {

// tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2); beyond 20 it is 1 in either precision.
template <typename T>
Vec<T> tanh_softplus(Vec<T> x) {
  Vec<T> e = exp(where(x > T(20), T(20), x)), n = e * (e + T(2));
  return where(x > T(20), T(1), n / (n + T(2)));
}

}  // namespace

static void mish_kernel(TensorIteratorBase& iter) {
  unary(iter, "mish_cpu", [](auto x) {
    using T = typename decltype(x)::value_type;
    auto y = x * tanh_softplus(x);
    const auto low = x < -kLargeExponent<T>;
    return C10_UNLIKELY(any(low)) ? where(low, times_exp(x), y) : y;
  });
}

static void mish_backward_kernel(TensorIteratorBase& iter) {
  binary(iter, "mish_backward_cpu", [](auto g, auto x) {
    using T = typename decltype(x)::value_type;
    auto t = tanh_softplus(x);
    return g * (t + x * logistic(x) * (decltype(x)(T(1)) - t * t));
  });
}

namespace {

// --- softplus, log_sigmoid ----------------------------------------------------------------------

}  // namespace

static void softplus_kernel(TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  const double b = beta.toDouble(), limit = threshold.toDouble();
  unary(iter, "softplus_cpu", [=](auto x) {
    using T = typename decltype(x)::value_type;
    return where(x * T(b) > T(limit), x, log1p(exp(x * T(b))) / T(b));
  });
}

static void softplus_backward_kernel(TensorIteratorBase& iter, const Scalar& beta,
                                     const Scalar& threshold) {
  const double b = beta.toDouble(), limit = threshold.toDouble();
  binary(iter, "softplus_backward_cpu", [=](auto g, auto x) {
    using T = typename decltype(x)::value_type;
    return where(x * T(b) > T(limit), g, g * logistic(x * T(b)));
  });
}

static void log_sigmoid_kernel(TensorIteratorBase& iter) {
  unary(iter, "log_sigmoid_cpu", [](auto x) {
    using T = typename decltype(x)::value_type;
    return where(x > T(0), T(0), x) - log1p(exp(-abs(x)));
  });
}

static void glu_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "glu_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(
        iter, [](Vec<T> value, Vec<T> gate) -> Vec<T> { return value * logistic(gate); });
  });
}

static void glu_backward_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "glu_backward_cpu", [&]<typename T>(TypeTag<T>) {
    constexpr ScalarType t = CppTypeToScalarType<T>::value;
    const ScalarType types[5] = {t, t, t, t, t};
    run_loop(iter, types, [](char* const* data, int64_t n) {
      T* at[5];
      for (int k = 0; k < 5; ++k) at[k] = reinterpret_cast<T*>(data[k]);
      constexpr int64_t W = Vec<T>::size;
      for (int64_t i = 0; i < n; i += W) {
        const int64_t count = std::min(W, n - i);
        const auto load = [&](int k) {
          return count == W ? Vec<T>::load(at[k] + i) : Vec<T>::load(at[k] + i, count);
        };
        const auto store = [&](int k, Vec<T> x) {
          if (count == W) x.store(at[k] + i);
          else x.store(at[k] + i, count);
        };
        const Vec<T> s = logistic(load(4)), to_value = load(2) * s;
        const Vec<T> to_gate = to_value * (T(1) - s) * load(3);
        store(0, to_value);
        store(1, to_gate);
      }
    }, kGrainSize);
  });
}

static void glu_jvp_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "glu_jvp_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(iter,
                          [](Vec<T> glu, Vec<T> gate, Vec<T> to_value, Vec<T> to_gate) -> Vec<T> {
      const Vec<T> s = logistic(gate);
      return to_value * s + glu * (Vec<T>(1) - s) * to_gate;
    });
  });
}

static void log_sigmoid_backward_kernel(TensorIteratorBase& iter) {
  if (iter.ntensors() == 3)
    return binary(iter, "log_sigmoid_backward_cpu",
                  [](auto g, auto x) { return g * logistic(-x); });
  dispatch_floating(iter.common_dtype(), "log_sigmoid_backward_cpu", [&]<typename T>(TypeTag<T>) {
    // e is exp(-|x|).
    cpu_kernel_vec_halves(iter, [](Vec<T> g, Vec<T> x, Vec<T> e) -> Vec<T> {
      const Vec<T> one(1);
      return g * where(x < T(0), one, e) / (one + e);
    });
  });
}

namespace {

// --- derivatives from results -------------------------------------------------------------------

template <typename F>
void from_result(TensorIteratorBase& iter, const char* op, const F& f) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, op, [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [f](T g, T y) -> T { return g * c10::conj(f(y)); });
    });
  } else {
    dispatch_floating(dtype, op, [&]<typename T>(TypeTag<T>) {
      cpu_kernel_halves(iter, [f](T g, T y) -> T { return g * f(y); });
    });
  }
}

}  // namespace

static void sigmoid_backward_kernel(TensorIteratorBase& iter) {
  from_result(iter, "sigmoid_backward_cpu", [](auto y) { return (decltype(y)(1) - y) * y; });
}

static void tanh_backward_kernel(TensorIteratorBase& iter) {
  from_result(iter, "tanh_backward_cpu", [](auto y) { return decltype(y)(1) - y * y; });
}

static void logit_backward_kernel(TensorIteratorBase& iter, std::optional<double> eps) {
  dispatch_floating(iter.common_dtype(), "logit_backward_cpu", [&]<typename T>(TypeTag<T>) {
    const T low = eps ? static_cast<T>(*eps) : T(0), high = T(1) - low,
            outside = eps ? T(0) : std::numeric_limits<T>::quiet_NaN();
    cpu_kernel_halves(iter, activation::LogitBackward<T>{low, high, outside});
  });
}

REGISTER_DISPATCH(elu_stub, &elu_kernel)
REGISTER_DISPATCH(elu_backward_stub, &elu_backward_kernel)
REGISTER_DISPATCH(gelu_stub, &gelu_kernel)
REGISTER_DISPATCH(gelu_backward_stub, &gelu_backward_kernel)
REGISTER_DISPATCH(silu_stub, &silu_kernel)
REGISTER_DISPATCH(silu_backward_stub, &silu_backward_kernel)
REGISTER_DISPATCH(mish_stub, &mish_kernel)
REGISTER_DISPATCH(mish_backward_stub, &mish_backward_kernel)
REGISTER_DISPATCH(softplus_stub, &softplus_kernel)
REGISTER_DISPATCH(softplus_backward_stub, &softplus_backward_kernel)
REGISTER_DISPATCH(glu_stub, &glu_kernel)
REGISTER_DISPATCH(glu_backward_stub, &glu_backward_kernel)
REGISTER_DISPATCH(glu_jvp_stub, &glu_jvp_kernel)
REGISTER_DISPATCH(log_sigmoid_stub, &log_sigmoid_kernel)
REGISTER_DISPATCH(log_sigmoid_backward_stub, &log_sigmoid_backward_kernel)
REGISTER_DISPATCH(sigmoid_backward_stub, &sigmoid_backward_kernel)
REGISTER_DISPATCH(tanh_backward_stub, &tanh_backward_kernel)
REGISTER_DISPATCH(logit_backward_stub, &logit_backward_kernel)

}  // namespace at::native
