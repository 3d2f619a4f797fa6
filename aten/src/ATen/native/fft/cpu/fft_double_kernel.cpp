// Fourier transforms of double numbers.

#define DUCC_NAMESPACE ducc0_double
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

static void fft_double_kernel(FFTKind kind, const Tensor& in, const Tensor& out, int64_t dim,
                              double scale, bool forward) {
  transform_dimension<double>(kind, in, out, dim, scale, forward);
}
REGISTER_DISPATCH(fft_double_stub, &fft_double_kernel)

}  // namespace at::native
