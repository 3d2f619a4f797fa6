// Softmax and its gradient on CUDA devices. A row is read twice: once for its maximum and the sum
// of exponentials, which is scaled again when the maximum grows (M. Milakov and N. Gimelshein,
// "Online normalizer calculation for softmax", 2018), and once for the result.

#include <cmath>
#include <limits>

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/softmax/softmax.h>
#include <ATen/native/common/cuda/RowResults.cuh>

namespace at::native {
namespace {

// The sum of exp(x - max) over some elements.
template <typename M>
struct Partial {
  M max, sum;
};

template <typename M>
__device__ Partial<M> combine(Partial<M> a, Partial<M> b) {
  // NaN is the maximum of anything.
  const M max = a.max > b.max || std::isnan(a.max) ? a.max : b.max;
  auto scaled = [&](Partial<M> p) { return p.max == max ? p.sum : p.sum * std::exp(p.max - max); };
  return {max, scaled(a) + scaled(b)};
}

template <bool log, typename T, typename Out>
struct Softmax {
  using M = opmath_type<T>;
  using Part = Partial<M>;
  struct Finished {
    M max, log_sum, factor;
  };
  const T* in;
  Out* out;

  __device__ static Part start() { return {-std::numeric_limits<M>::infinity(), M(0)}; }
  __device__ void add(Part& to, int64_t at, int64_t, int64_t) const {
    to = combine(to, Part{static_cast<M>(in[at]), M(1)});
  }
  __device__ static Part merge(Part a, Part b) { return combine(a, b); }
  __device__ Finished finish(Part whole, int64_t, bool) const {
    return {whole.max, log ? std::log(whole.sum) : M(0), log ? M(0) : M(1) / whole.sum};
  }
  __device__ void store(Finished f, int64_t at, int64_t) const {
    const M x = static_cast<M>(in[at]) - f.max;
    out[at] = static_cast<Out>(log ? x - f.log_sum : std::exp(x) * f.factor);
  }
};

template <bool log, typename T, typename Out>
struct SoftmaxBackward {
  using M = opmath_type<T>;
  using Part = M;
  const T *grad, *y;
  Out* out;

  __device__ static M start() { return 0; }
  __device__ void add(M& to, int64_t at, int64_t, int64_t) const {
    const auto g = static_cast<M>(grad[at]);
    to += log ? g : g * static_cast<M>(y[at]);
  }
  __device__ static M merge(M a, M b) { return a + b; }
  __device__ M finish(M sum, int64_t, bool) const { return sum; }
  __device__ void store(M sum, int64_t at, int64_t) const {
    const auto g = static_cast<M>(grad[at]), p = static_cast<M>(y[at]);
    out[at] = static_cast<Out>(log ? g - std::exp(p) * sum : p * (g - sum));
  }
};

// f(TypeTag of the operands, TypeTag of the result): the two agree, or one of them is float.
template <typename F>
void dispatch_pairs(ScalarType in, ScalarType out, const char* op, const F& f) {
  dispatch_types<FloatingAndReduced>(in, op, [&]<typename T>(TypeTag<T> from) {
    if (in == out) return f(from, from);
    if constexpr (sizeof(T) == 2) {
      TORCH_CHECK(out == kFloat, op, ": no kernel from ", toString(in), " to ", toString(out));
      f(from, TypeTag<float>());
    } else if constexpr (std::is_same_v<T, float>) {
      dispatch_types<ReducedTypes>(out, op, [&]<typename R>(TypeTag<R> to) { f(from, to); });
    } else {
      TORCH_CHECK(false, op, ": no kernel from ", toString(in), " to ", toString(out));
    }
  });
}

}  // namespace

static void softmax_cuda(bool log, const Tensor& in, const Tensor& out, int64_t dim) {
  c10::OptionalDeviceGuard guard(in.device());
  const Dense3 shape = dense_shape(in, dim);
  dispatch_pairs(in.scalar_type(), out.scalar_type(), "softmax",
                 [&]<typename T, typename Out>(TypeTag<T>, TypeTag<Out>) {
    const auto* from = static_cast<const T*>(in.data_ptr());
    auto* to = static_cast<Out*>(out.data_ptr());
    if (log) run_rows(Softmax<true, T, Out>{from, to}, shape, in.device());
    else run_rows(Softmax<false, T, Out>{from, to}, shape, in.device());
  });
}

static void softmax_backward_cuda(bool log, const Tensor& grad, const Tensor& y, const Tensor& out,
                                  int64_t dim) {
  c10::OptionalDeviceGuard guard(y.device());
  const Dense3 shape = dense_shape(y, dim);
  dispatch_pairs(y.scalar_type(), out.scalar_type(), "softmax_backward",
                 [&]<typename T, typename Out>(TypeTag<T>, TypeTag<Out>) {
    const auto *g = static_cast<const T*>(grad.data_ptr()),
               *result = static_cast<const T*>(y.data_ptr());
    auto* to = static_cast<Out*>(out.data_ptr());
    if (log) run_rows(SoftmaxBackward<true, T, Out>{g, result, to}, shape, y.device());
    else run_rows(SoftmaxBackward<false, T, Out>{g, result, to}, shape, y.device());
  });
}

REGISTER_CUDA_DISPATCH(softmax_stub, &softmax_cuda)
REGISTER_CUDA_DISPATCH(softmax_backward_stub, &softmax_backward_cuda)

}  // namespace at::native
