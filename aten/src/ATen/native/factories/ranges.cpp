// arange, range, linspace, logspace, eye.

#include <cmath>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/factories/factories.h>
#include <ATen/native/factories/ranges.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/arange_native.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linspace_native.h>
#include <ATen/ops/logspace_native.h>
#include <ATen/ops/range_native.h>

namespace at::native {
namespace {

void check_range(const char* op, double start, double end, double step) {
  TORCH_CHECK(step != 0, op, ": step must be nonzero");
  TORCH_CHECK(std::isfinite(start) && std::isfinite(end), op, ": unsupported range: ", start,
              " -> ", end);
  TORCH_CHECK((step > 0 && end >= start) || (step < 0 && end <= start), op,
              ": upper bound and lower bound inconsistent with step sign, got start ", start,
              ", end ", end, ", step ", step);
}

int64_t checked_length(const char* op, double n) {
  TORCH_CHECK(n >= 0 && n < 9.2e18, op, ": invalid size, possible overflow? The range has ", n,
              " elements");
  return static_cast<int64_t>(n);
}

int64_t arange_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  check_range("arange", start.toDouble(), end.toDouble(), step.toDouble());
  if (start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true)) {
    // Exact for integers that doubles cannot represent.
    int64_t s = step.toLong();
    uint64_t distance = s > 0 ? uint64_t(end.toLong()) - uint64_t(start.toLong())
                              : uint64_t(start.toLong()) - uint64_t(end.toLong());
    uint64_t stride = s > 0 ? uint64_t(s) : 0 - uint64_t(s);
    uint64_t n = distance / stride + (distance % stride != 0);
    TORCH_CHECK(n <= uint64_t(INT64_MAX), "arange: invalid size, possible overflow?");
    return static_cast<int64_t>(n);
  }
  return checked_length("arange", std::ceil((end.toDouble() - start.toDouble()) / step.toDouble()));
}

ScalarType range_type(std::optional<ScalarType> dtype, std::initializer_list<const Scalar*> numbers,
                      ScalarType otherwise) {
  if (dtype) return *dtype;
  for (const Scalar* s : numbers) {
    if (!s->isIntegral(true)) return get_default_dtype();
  }
  return otherwise;
}

void check_numbers(const char* op, std::initializer_list<const Scalar*> numbers) {
  for (const Scalar* s : numbers)
    TORCH_CHECK(!s->isComplex(), op, ": expected real numbers, got ", s->str());
}

}  // namespace

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              std::optional<ScalarType> dtype, std::optional<Layout> layout,
              std::optional<Device> device, std::optional<bool> pin_memory) {
  check_factory_options("arange", layout);
  check_numbers("arange", {&start, &end, &step});
  ScalarType type = range_type(dtype, {&start, &end, &step}, kLong);
  TORCH_CHECK_NOT_IMPLEMENTED(type != kBool && !isComplexType(type) && !isFloat8Type(type),
                              "\"arange_cpu\" not implemented for '", toString(type), "'");
  Tensor out = in_pinned_memory(
      "arange", empty_tensor({arange_length(start, end, step)}, type, device_or_default(device)),
      pin_memory);
  fill_with(progression_stub, out, start, step, "arange_cpu");
  return out;
}

Tensor arange(const Scalar& end, std::optional<ScalarType> dtype, std::optional<Layout> layout,
              std::optional<Device> device, std::optional<bool> pin_memory) {
  return arange(Scalar(0), end, Scalar(1), dtype, layout, device, pin_memory);
}

Tensor arange(const Scalar& start, const Scalar& end, std::optional<ScalarType> dtype,
              std::optional<Layout> layout, std::optional<Device> device,
              std::optional<bool> pin_memory) {
  return arange(start, end, Scalar(1), dtype, layout, device, pin_memory);
}

Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
             std::optional<ScalarType> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  check_factory_options("range", layout);
  check_numbers("range", {&start, &end, &step});
  TORCH_WARN(
      "range: deprecated, since it includes its end where Python's range does not; use "
      "torch.arange, which gives the values in [start, end)");
  check_range("range", start.toDouble(), end.toDouble(), step.toDouble());
  double n = std::floor((end.toDouble() - start.toDouble()) / step.toDouble()) + 1;
  Tensor out = in_pinned_memory("range",
                                empty_tensor({checked_length("range", n)}, dtype_or_default(dtype),
                                             device_or_default(device)),
                                pin_memory);
  fill_with(progression_stub, out, start, step, "range");
  return out;
}

Tensor range(const Scalar& start, const Scalar& end, std::optional<ScalarType> dtype,
             std::optional<Layout> layout, std::optional<Device> device,
             std::optional<bool> pin_memory) {
  return range(start, end, Scalar(1), dtype, layout, device, pin_memory);
}

// --- linspace, logspace -------------------------------------------------------------------------

// The tensor that linspace and logspace fill.
static Tensor make_spaced(const char* op, const Scalar& start, const Scalar& end, int64_t steps,
                          std::optional<ScalarType> dtype, std::optional<Layout> layout,
                          std::optional<Device> device, std::optional<bool> pin_memory) {
  check_factory_options(op, layout);
  TORCH_CHECK(steps >= 0, op, ": number of steps must be non-negative, got ", steps);
  ScalarType type = dtype                                    ? *dtype
                    : (start.isComplex() || end.isComplex()) ? get_default_complex_dtype()
                                                             : get_default_dtype();
  TORCH_CHECK(isComplexType(type) || !(start.isComplex() || end.isComplex()), op,
              ": inferred dtype ", get_default_complex_dtype(),
              " can't be safely cast to passed dtype ", type);
  return in_pinned_memory(op, empty_tensor({steps}, type, device_or_default(device)), pin_memory);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor out = make_spaced("linspace", start, end, steps, dtype, layout, device, pin_memory);
  fill_with(linspace_stub, out, start, end);
  return out;
}

static Scalar number_of(const char* op, const Tensor& t, const char* argument) {
  TORCH_CHECK(t.dim() == 0, op, ": expected ", argument,
              " to be a 0-dimensional tensor, got one of ", t.dim(), " dimensions");
  return at::item(t);
}

Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return linspace(number_of("linspace", start, "start"), number_of("linspace", end, "end"), steps,
                  dtype, layout, device, pin_memory);
}
Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return linspace(number_of("linspace", start, "start"), end, steps, dtype, layout, device,
                  pin_memory);
}
Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return linspace(start, number_of("linspace", end, "end"), steps, dtype, layout, device,
                  pin_memory);
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor out = make_spaced("logspace", start, end, steps, dtype, layout, device, pin_memory);
  fill_with(logspace_stub, out, start, end, base);
  return out;
}

// --- eye ----------------------------------------------------------------------------------------

Tensor eye(int64_t n, int64_t m, std::optional<ScalarType> dtype, std::optional<Layout> layout,
           std::optional<Device> device, std::optional<bool> pin_memory) {
  check_factory_options("eye", layout);
  TORCH_CHECK(n >= 0, "eye: n must be greater or equal to 0, got ", n);
  TORCH_CHECK(m >= 0, "eye: m must be greater or equal to 0, got ", m);
  Tensor out = in_pinned_memory(
      "eye", empty_tensor({n, m}, dtype_or_default(dtype), device_or_default(device)), pin_memory);
  fill_elements(out, 0);
  Tensor diagonal = at::diagonal(out);
  fill_elements(diagonal, 1);
  return out;
}

Tensor eye(int64_t n, std::optional<ScalarType> dtype, std::optional<Layout> layout,
           std::optional<Device> device, std::optional<bool> pin_memory) {
  return eye(n, n, dtype, layout, device, pin_memory);
}

Tensor logspace(const Tensor& start, const Tensor& end, int64_t steps, double base,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return logspace(number_of("logspace", start, "start"), number_of("logspace", end, "end"), steps,
                  base, dtype, layout, device, pin_memory);
}
Tensor logspace(const Tensor& start, const Scalar& end, int64_t steps, double base,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return logspace(number_of("logspace", start, "start"), end, steps, base, dtype, layout, device,
                  pin_memory);
}
Tensor logspace(const Scalar& start, const Tensor& end, int64_t steps, double base,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return logspace(start, number_of("logspace", end, "end"), steps, base, dtype, layout, device,
                  pin_memory);
}

}  // namespace at::native
