// torch.*_window: shapes, types and parameters.

#include <ATen/native/windows/windows.h>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/factories/factories.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/bartlett_window_native.h>
#include <ATen/ops/blackman_window_native.h>
#include <ATen/ops/hamming_window_native.h>
#include <ATen/ops/hann_window_native.h>
#include <ATen/ops/kaiser_window_native.h>

namespace at::native {
namespace {

// How a window is made, apart from its values.
struct Options {
  std::optional<ScalarType> dtype;
  std::optional<Layout> layout;
  std::optional<Device> device;
  std::optional<bool> pin_memory;
};

// A periodic window is a symmetric one that is longer by one point, without its last point.
Tensor make_window(const char* op, WindowShape shape, int64_t window_length, bool periodic,
                   const Options& options) {
  check_factory_options(op, options.layout);
  const ScalarType type = dtype_or_default(options.dtype);
  // Up to one point there is nothing to compute, and PyTorch takes complex numbers.
  TORCH_CHECK_NOT_IMPLEMENTED(!isComplexType(type) || window_length <= 1, op,
                              " is not implemented for ", type);
  TORCH_CHECK(isFloatingType(type) || isComplexType(type), op,
              " expects floating point dtypes, got: ", type);
  TORCH_CHECK(window_length >= 0, op,
              " requires non-negative window_length, got window_length=", window_length);
  Tensor out =
      in_pinned_memory(op, empty_tensor({window_length}, type, device_or_default(options.device)),
                       options.pin_memory);
  shape.denominator = static_cast<double>(window_length - (periodic ? 0 : 1));
  if (window_length == 1) {
    fill_elements(out, 1);
  } else if (window_length > 1) {
    fill_with(window_stub, out, shape);
  }
  return out;
}

WindowShape cosines(double a0, double a1, double a2 = 0) {
  return {WindowKind::cosines, 0, {a0, a1, a2}};
}

}  // namespace

Tensor bartlett_window(int64_t window_length, std::optional<ScalarType> dtype,
                       std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool> pin_memory) {
  return make_window("bartlett_window", {WindowKind::bartlett, 0, {}}, window_length, true,
                     {dtype, layout, device, pin_memory});
}
Tensor bartlett_window(int64_t window_length, bool periodic, std::optional<ScalarType> dtype,
                       std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool> pin_memory) {
  return make_window("bartlett_window", {WindowKind::bartlett, 0, {}}, window_length, periodic,
                     {dtype, layout, device, pin_memory});
}

Tensor blackman_window(int64_t window_length, std::optional<ScalarType> dtype,
                       std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool> pin_memory) {
  return make_window("blackman_window", cosines(0.42, 0.5, 0.08), window_length, true,
                     {dtype, layout, device, pin_memory});
}
Tensor blackman_window(int64_t window_length, bool periodic, std::optional<ScalarType> dtype,
                       std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool> pin_memory) {
  return make_window("blackman_window", cosines(0.42, 0.5, 0.08), window_length, periodic,
                     {dtype, layout, device, pin_memory});
}

Tensor hann_window(int64_t window_length, std::optional<ScalarType> dtype,
                   std::optional<Layout> layout, std::optional<Device> device,
                   std::optional<bool> pin_memory) {
  return make_window("hann_window", cosines(0.5, 0.5), window_length, true,
                     {dtype, layout, device, pin_memory});
}
Tensor hann_window(int64_t window_length, bool periodic, std::optional<ScalarType> dtype,
                   std::optional<Layout> layout, std::optional<Device> device,
                   std::optional<bool> pin_memory) {
  return make_window("hann_window", cosines(0.5, 0.5), window_length, periodic,
                     {dtype, layout, device, pin_memory});
}

Tensor hamming_window(int64_t window_length, std::optional<ScalarType> dtype,
                      std::optional<Layout> layout, std::optional<Device> device,
                      std::optional<bool> pin_memory) {
  return make_window("hamming_window", cosines(0.54, 0.46), window_length, true,
                     {dtype, layout, device, pin_memory});
}
Tensor hamming_window(int64_t window_length, bool periodic, std::optional<ScalarType> dtype,
                      std::optional<Layout> layout, std::optional<Device> device,
                      std::optional<bool> pin_memory) {
  return make_window("hamming_window", cosines(0.54, 0.46), window_length, periodic,
                     {dtype, layout, device, pin_memory});
}
Tensor hamming_window(int64_t window_length, bool periodic, double alpha,
                      std::optional<ScalarType> dtype, std::optional<Layout> layout,
                      std::optional<Device> device, std::optional<bool> pin_memory) {
  return make_window("hamming_window", cosines(alpha, 0.46), window_length, periodic,
                     {dtype, layout, device, pin_memory});
}
Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                      std::optional<ScalarType> dtype, std::optional<Layout> layout,
                      std::optional<Device> device, std::optional<bool> pin_memory) {
  return make_window("hamming_window", cosines(alpha, beta), window_length, periodic,
                     {dtype, layout, device, pin_memory});
}

Tensor kaiser_window(int64_t window_length, std::optional<ScalarType> dtype,
                     std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  return make_window("kaiser_window", {WindowKind::kaiser, 0, {12}}, window_length, true,
                     {dtype, layout, device, pin_memory});
}
Tensor kaiser_window(int64_t window_length, bool periodic, std::optional<ScalarType> dtype,
                     std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  return make_window("kaiser_window", {WindowKind::kaiser, 0, {12}}, window_length, periodic,
                     {dtype, layout, device, pin_memory});
}
Tensor kaiser_window(int64_t window_length, bool periodic, double beta,
                     std::optional<ScalarType> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin_memory) {
  return make_window("kaiser_window", {WindowKind::kaiser, 0, {beta}}, window_length, periodic,
                     {dtype, layout, device, pin_memory});
}

}  // namespace at::native
