// Fourier transforms of float numbers.

#define DUCC_NAMESPACE ducc0_float
// clang-format off
#include <ATen/native/fft/cpu/ducc.h>
// clang-format on

#include <ATen/native/fft/fft.h>

// clang-format off
#include <ATen/native/fft/cpu/lanes.h>
#include <ATen/native/fft/cpu/side.h>
#include <ATen/native/fft/cpu/transform.h>
#include <ATen/native/fft/cpu/long.h>
#include <ATen/native/fft/cpu/dimension.h>
// clang-format on

namespace at::native {

static void fft_float_kernel(FFTKind kind, const Tensor& in, const Tensor& out, int64_t dim,
                             double scale, bool forward) {
  transform_dimension<float>(kind, in, out, dim, scale, forward);
}
REGISTER_DISPATCH(fft_float_stub, &fft_float_kernel)

}  // namespace at::native
