// Transforms along several dimensions: one dimension after another.

#include <ATen/native/fft/fft.h>

namespace at::native {
namespace {

void transform(FFTKind kind, const Tensor& in, const Tensor& out, int64_t dim, double scale,
               bool forward) {
  const ScalarType type = (kind == FFTKind::c2r ? out : in).scalar_type();
  if (type == kDouble || type == kComplexDouble) {
    fft_double_stub(kCPU, kind, in, out, dim, scale, forward);
  } else {
    fft_float_stub(kCPU, kind, in, out, dim, scale, forward);
  }
}

void fft_kernel(FFTKind kind, const Tensor& in, const Tensor& out, IntArrayRef dims, double scale,
                bool forward) {
  const int64_t last = dims.back();
  const IntArrayRef others = dims.slice(0, dims.size() - 1);
  if (kind == FFTKind::c2r) {
    Tensor half = in;
    if (!others.empty()) {
      half = empty_for_fft(in, in.sizes(), in.scalar_type(), others, -1);
      fft_kernel(FFTKind::c2c, in, half, innermost_last(in, others), 1, forward);
    }
    transform(kind, half, out, last, scale, forward);
    return;
  }
  transform(kind, in, out, last, scale, forward);
  for (size_t k = others.size(); k-- > 0;) transform(FFTKind::c2c, out, out, others[k], 1, forward);
}

void check_half(IntArrayRef) {
  TORCH_CHECK(false,
              "Unsupported dtype Half: Fourier transforms on the CPU take float32, float64, "
              "complex64, complex128, integers and bool");
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(fft_stub, &fft_kernel)
REGISTER_ALL_CPU_DISPATCH(fft_check_half_stub, &check_half)

}  // namespace at::native
