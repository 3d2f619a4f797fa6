// torch.fft.fft, ifft, rfft, irfft, hfft, ihfft: transforms along one dimension.

#include <ATen/native/fft/fft.h>
#include <ATen/ops/_fft_c2c.h>
#include <ATen/ops/_fft_c2r.h>
#include <ATen/ops/_fft_r2c.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/fft_fft_native.h>
#include <ATen/ops/fft_hfft_native.h>
#include <ATen/ops/fft_ifft_native.h>
#include <ATen/ops/fft_ihfft_native.h>
#include <ATen/ops/fft_irfft_native.h>
#include <ATen/ops/fft_rfft_native.h>

namespace at::native {
namespace {

using Norm = std::optional<std::string_view>;

// The input with n points along a dimension.
Tensor with_points(const Tensor& self, std::optional<int64_t> n, int64_t dim) {
  if (n) {
    check_fft_length(*n);
    return fft_resized(self, dim, *n);
  }
  check_fft_length(self.size(dim));
  return self;
}

Tensor complex_result(const Tensor& self, std::optional<int64_t> n, int64_t dim, const Norm& norm,
                      bool forward) {
  const int64_t d = maybe_wrap_dim(dim, self.dim());
  const auto scaling = static_cast<int64_t>(fft_norm(norm, forward));
  const Tensor input = with_points(fft_promoted(self, false), n, d);
  if (input.is_complex()) return at::_fft_c2c(input, d, scaling, forward);
  Tensor spectrum = at::_fft_r2c(input, d, scaling, /*onesided=*/false);
  return forward ? spectrum : at::conj_physical(spectrum);
}

Tensor half_spectrum(const char* op, const Tensor& self, std::optional<int64_t> n, int64_t dim,
                     const Norm& norm, bool forward) {
  TORCH_CHECK(!self.is_complex(), op, " expects a real input tensor, but got ", self.scalar_type());
  const int64_t d = maybe_wrap_dim(dim, self.dim());
  const auto scaling = static_cast<int64_t>(fft_norm(norm, forward));
  const Tensor input = with_points(fft_promoted(self, false), n, d);
  Tensor spectrum = at::_fft_r2c(input, d, scaling, /*onesided=*/true);
  return forward ? spectrum : at::conj_physical(spectrum);
}

Tensor real_result(const Tensor& self, std::optional<int64_t> n, int64_t dim, const Norm& norm,
                   bool forward) {
  const int64_t d = maybe_wrap_dim(dim, self.dim());
  const int64_t points = n ? *n : 2 * (self.size(d) - 1);
  check_fft_length(points);
  const auto scaling = static_cast<int64_t>(fft_norm(norm, forward));
  const Tensor input = fft_resized(fft_promoted(self, true), d, points / 2 + 1);
  return at::_fft_c2r(forward ? at::conj_physical(input) : input, d, scaling, points);
}

}  // namespace

Tensor fft_fft(const Tensor& self, std::optional<int64_t> n, int64_t dim, Norm norm) {
  return complex_result(self, n, dim, norm, true);
}
Tensor fft_ifft(const Tensor& self, std::optional<int64_t> n, int64_t dim, Norm norm) {
  return complex_result(self, n, dim, norm, false);
}
Tensor fft_rfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, Norm norm) {
  return half_spectrum("rfft", self, n, dim, norm, true);
}
Tensor fft_irfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, Norm norm) {
  return real_result(self, n, dim, norm, false);
}
Tensor fft_hfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, Norm norm) {
  return real_result(self, n, dim, norm, true);
}
Tensor fft_ihfft(const Tensor& self, std::optional<int64_t> n, int64_t dim, Norm norm) {
  return half_spectrum("ihfft", self, n, dim, norm, false);
}

}  // namespace at::native
