// fftfreq, rfftfreq, fftshift, ifftshift: the order of the values of a spectrum.

#include <ATen/native/factories/factories.h>
#include <ATen/native/fft/fft.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/fft_fftfreq_native.h>
#include <ATen/ops/fft_fftshift_native.h>
#include <ATen/ops/fft_ifftshift_native.h>
#include <ATen/ops/fft_rfftfreq_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/roll.h>

namespace at::native {
namespace {

ScalarType frequency_type(const char* op, int64_t n, std::optional<ScalarType> dtype) {
  const ScalarType type = dtype_or_default(dtype);
  TORCH_CHECK(isFloatingType(type) || isComplexType(type), op,
              " requires a floating point or complex dtype, got ", type);
  TORCH_CHECK(n >= 0, op, ": expected n to be 0 or more, got ", n);
  return type;
}

// Moves the spectrum by half of its length, or by the rest of it.
Tensor shifted(const Tensor& self, OptionalIntArrayRef dim, bool inverse) {
  DimVector dims, shifts;
  if (dim) {
    dims.append(dim->begin(), dim->end());
  } else {
    for (int64_t d = 0; d < self.dim(); ++d) dims.push_back(d);
  }
  for (int64_t d : dims) shifts.push_back((self.size(maybe_wrap_dim(d, self.dim())) + inverse) / 2);
  return at::roll(self, shifts, dims);
}

}  // namespace

Tensor fft_fftfreq(int64_t n, double d, std::optional<ScalarType> dtype,
                   std::optional<Layout> layout, std::optional<Device> device,
                   std::optional<bool> pin_memory) {
  const ScalarType type = frequency_type("fftfreq", n, dtype);
  Tensor positive = at::arange(0, n / 2 + n % 2, type, layout, device, pin_memory);
  Tensor negative = at::arange(-(n / 2), 0, type, layout, device, pin_memory);
  return at::mul(at::cat({positive, negative}), 1.0 / (static_cast<double>(n) * d));
}

Tensor fft_rfftfreq(int64_t n, double d, std::optional<ScalarType> dtype,
                    std::optional<Layout> layout, std::optional<Device> device,
                    std::optional<bool> pin_memory) {
  const ScalarType type = frequency_type("rfftfreq", n, dtype);
  return at::mul(at::arange(0, n / 2 + 1, type, layout, device, pin_memory),
                 1.0 / (static_cast<double>(n) * d));
}

Tensor fft_fftshift(const Tensor& self, OptionalIntArrayRef dim) {
  return shifted(self, dim, false);
}
Tensor fft_ifftshift(const Tensor& self, OptionalIntArrayRef dim) {
  return shifted(self, dim, true);
}

}  // namespace at::native
