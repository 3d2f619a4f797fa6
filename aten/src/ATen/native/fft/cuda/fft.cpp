// Fourier transforms on CUDA devices by cuFFT: up to three dimensions at once.
//
// cuFFT takes a batch with one stride, and dimensions that lie in each other. The outputs of this
// family's operators are like that; inputs that are not are copied.

#include <algorithm>
#include <optional>

#include <ATen/cuda/CufftApi.h>
#include <ATen/cuda/CufftPlans.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/fft/fft.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/mul_ops.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

namespace cufft = cuda::cufft;

constexpr size_t kMaxDims = 3;

int type_of(ScalarType dtype) {
  switch (dtype) {
    case kHalf:
      return cufft::kR16F;
    case kFloat:
      return cufft::kR32F;
    case kDouble:
      return cufft::kR64F;
    case kComplexHalf:
      return cufft::kC16F;
    case kComplexFloat:
      return cufft::kC32F;
    case kComplexDouble:
      return cufft::kC64F;
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "\"fft_cuda\" not implemented for '", toString(dtype),
                                  "'");
  }
}

// The dimensions of a batch, and those of the transform; the innermost come last.
struct Order {
  DimVector batch, dims;
};

bool has_no_overlap(const Tensor& t) {
  DimVector order;
  for (int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) > 1) order.push_back(d);
  order = innermost_last(t, order);
  for (size_t k = 0; k < order.size(); ++k) {
    const int64_t inner = k + 1 < order.size() ? t.stride(order[k + 1]) * t.size(order[k + 1]) : 1;
    if (t.stride(order[k]) < inner) return false;
  }
  return true;
}

// How cuFFT finds the elements of the tensor, if it can.
std::optional<cufft::Layout> layout_of(const Tensor& t, const Order& order) {
  const ScalarType real = toRealValueType(t.scalar_type());
  if (reinterpret_cast<uintptr_t>(t.data_ptr()) % (2 * elementSize(real)) != 0 ||
      !has_no_overlap(t))
    return std::nullopt;
  cufft::Layout layout;
  const size_t rank = order.dims.size();
  int64_t stride = t.size(order.dims.back()) > 1 ? t.stride(order.dims.back()) : 1;
  layout.stride = stride;
  // cuFFT takes no strides between real numbers of half precision.
  if (t.scalar_type() == kHalf && stride != 1) return std::nullopt;
  layout.embed[rank - 1] = t.size(order.dims.back());
  for (size_t k = rank - 1; k > 0; --k) {
    const int64_t outer = t.stride(order.dims[k - 1]), size = t.size(order.dims[k]);
    if (outer % stride != 0 || outer / stride < size) return std::nullopt;
    layout.embed[k] = outer / stride;
    stride = outer;
  }
  layout.embed[0] = t.size(order.dims[0]);
  layout.distance = stride * t.size(order.dims[0]);
  int64_t next = -1;
  for (size_t k = order.batch.size(); k-- > 0;) {
    const int64_t d = order.batch[k];
    if (t.size(d) == 1) continue;
    if (next < 0) layout.distance = t.stride(d);
    else if (t.stride(d) != next) return std::nullopt;
    next = t.stride(d) * t.size(d);
  }
  return layout;
}

// A dense tensor of that shape whose dimensions are in this order.
Tensor dense(const Tensor& like, const Order& order) {
  DimVector strides(like.dim(), 1);
  int64_t stride = 1;
  for (const DimVector* part : {&order.dims, &order.batch}) {
    for (size_t k = part->size(); k-- > 0;) {
      strides[(*part)[k]] = stride;
      stride *= like.size((*part)[k]);
    }
  }
  return empty_strided_tensor(like.sizes(), strides, like.scalar_type(), like.device());
}

const Tensor& copied(const Tensor& from, const Tensor& to) {
  at::copy_(const_cast<Tensor&>(to), from);
  return to;
}

// Up to three dimensions, without scaling. `in_is_scratch`: `in` may be overwritten.
void transform(FFTKind kind, const Tensor& in, const Tensor& out, const DimVector& dims,
               bool forward, bool in_is_scratch) {
  Order order;
  for (size_t k = 0; k < dims.size(); ++k) {
    // One point is its own transform.
    const bool is_needed = out.size(dims[k]) > 1 || in.size(dims[k]) > 1;
    if (is_needed || (kind != FFTKind::c2c && k + 1 == dims.size())) order.dims.push_back(dims[k]);
  }
  if (order.dims.empty()) {
    if (!in.is_same(out)) copied(in, out);
    return;
  }
  for (int64_t d = 0; d < out.dim(); ++d) {
    if (std::find(order.dims.begin(), order.dims.end(), d) == order.dims.end())
      order.batch.push_back(d);
  }
  order.batch = innermost_last(out, order.batch);

  std::optional<cufft::Layout> to = layout_of(out, order);
  Tensor result = out;
  if (!to) to = layout_of(result = dense(out, order), order);
  Tensor from = in;
  std::optional<cufft::Layout> layout = layout_of(from, order);
  if (!layout && kind == FFTKind::c2c) {
    from = copied(in, result);
    layout = to;
  } else if (!layout || (kind == FFTKind::c2r && !in_is_scratch)) {
    from = copied(in, dense(in, order));
    layout = layout_of(from, order);
  }
  TORCH_INTERNAL_ASSERT(to && layout);

  const Tensor& whole = kind == FFTKind::c2r ? result : from;
  cufft::Transform t;
  t.rank = static_cast<long long>(order.dims.size());
  for (size_t k = 0; k < order.dims.size(); ++k) t.sizes[k] = whole.size(order.dims[k]);
  for (int64_t d : order.batch) t.batch *= out.size(d);
  t.in_type = type_of(from.scalar_type());
  t.out_type = type_of(result.scalar_type());
  t.compute_type = type_of(toComplexType(toRealValueType(from.scalar_type())));
  t.in = *layout;
  t.out = *to;
  cufft::execute(t, from.data_ptr(), result.data_ptr(), forward);
  if (!result.is_same(out)) copied(result, out);
}

void fft_kernel(FFTKind kind, const Tensor& in, const Tensor& out, IntArrayRef dims, double scale,
                bool forward) {
  if (out.numel() == 0) return;
  const c10::cuda::CUDAGuard guard(out.device());
  // The order of dimensions is free, except that of the one with half a spectrum.
  DimVector order;
  if (kind == FFTKind::c2c) {
    order = innermost_last(out, dims);
  } else {
    order = innermost_last(out, dims.slice(0, dims.size() - 1));
    order.push_back(dims.back());
  }
  // The innermost dimensions are one group, those around them others.
  const size_t inner = order.size() - std::min(order.size(), kMaxDims);
  const DimVector last(order.begin() + inner, order.end());
  auto others = [&](const Tensor& from, const Tensor& to) {
    Tensor source = from;
    for (size_t end = inner; end > 0;) {
      const size_t begin = end - std::min(end, kMaxDims);
      transform(FFTKind::c2c, source, to, DimVector(order.begin() + begin, order.begin() + end),
                forward, false);
      source = to;
      end = begin;
    }
  };
  if (kind == FFTKind::c2r) {
    Tensor half = in;
    if (inner > 0) {
      half = empty_for_fft(in, in.sizes(), in.scalar_type(), dims, dims.back());
      others(in, half);
    }
    transform(kind, half, out, last, forward, inner > 0);
  } else {
    transform(kind, in, out, last, forward, false);
    others(out, out);
  }
  if (scale != 1) {
    at::_ops::mul__Scalar::call(const_cast<Tensor&>(out), scale);
  }
}

void check_half(IntArrayRef lengths) {
  for (int64_t n : lengths)
    TORCH_CHECK((n & (n - 1)) == 0,
                "Fourier transforms of half precision take lengths that are powers of two, got ",
                lengths);
}

}  // namespace

REGISTER_CUDA_DISPATCH(fft_stub, &fft_kernel)
REGISTER_CUDA_DISPATCH(fft_check_half_stub, &check_half)

}  // namespace at::native
