// arange, range, linspace, logspace, eye.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/factories/factories.h>
#include <ATen/ops/arange_native.h>
#include <ATen/ops/eye_native.h>
#include <ATen/ops/linspace_native.h>
#include <ATen/ops/logspace_native.h>
#include <ATen/ops/range_native.h>

namespace at::native {
namespace {

using RealNumbers = JoinT<RealTypes, UnsignedTypes>;

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
    // Exact where doubles are not.
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

// out[i] = start + i * step, in 64 bits.
void fill_progression(const char* op, const Tensor& out, const Scalar& start, const Scalar& step) {
  dispatch_types<RealNumbers>(out.scalar_type(), op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    T* p = static_cast<T*>(out.data_ptr());
    auto wide = [](const Scalar& s) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<uint64_t>(static_cast<int64_t>(s.to<T>()));
      } else {
        return s.to<double>();
      }
    };
    // A step that has no place in T (-1 in an unsigned type) wraps, as the sum does.
    Wide first = wide(start), by = std::is_integral_v<T> ? static_cast<Wide>(step.to<int64_t>())
                                                         : static_cast<Wide>(step.to<double>());
    parallel_for(0, out.numel(), kGrainSize, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          p[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
        } else {
          p[i] = static_cast<T>(first + static_cast<double>(i) * by);
        }
      }
    });
  });
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
  check_factory_options("arange", layout, pin_memory);
  check_numbers("arange", {&start, &end, &step});
  ScalarType type = range_type(dtype, {&start, &end, &step}, kLong);
  TORCH_CHECK_NOT_IMPLEMENTED(type != kBool && !isComplexType(type) && !isFloat8Type(type),
                              "\"arange_cpu\" not implemented for '", toString(type), "'");
  Tensor out = empty_tensor({arange_length(start, end, step)}, type, device_or_cpu(device));
  if (!out.is_meta() && out.numel() != 0) fill_progression("arange_cpu", out, start, step);
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
  check_factory_options("range", layout, pin_memory);
  check_numbers("range", {&start, &end, &step});
  TORCH_WARN(
      "range: deprecated, since it includes its end where Python's range does not; use "
      "torch.arange, "
      "which gives the values in [start, end)");
  check_range("range", start.toDouble(), end.toDouble(), step.toDouble());
  double n = std::floor((end.toDouble() - start.toDouble()) / step.toDouble()) + 1;
  Tensor out =
      empty_tensor({checked_length("range", n)}, dtype_or_default(dtype), device_or_cpu(device));
  if (!out.is_meta() && out.numel() != 0) fill_progression("range", out, start, step);
  return out;
}

Tensor range(const Scalar& start, const Scalar& end, std::optional<ScalarType> dtype,
             std::optional<Layout> layout, std::optional<Device> device,
             std::optional<bool> pin_memory) {
  return range(start, end, Scalar(1), dtype, layout, device, pin_memory);
}

// --- linspace, logspace -------------------------------------------------------------------------

// Half of the numbers are counted from the start and half from the end, so that both ends are
// exact.
template <typename F>
static Tensor spaced(const char* op, const Scalar& start, const Scalar& end, int64_t steps,
                     std::optional<ScalarType> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin_memory, const F& map) {
  check_factory_options(op, layout, pin_memory);
  TORCH_CHECK(steps >= 0, op, ": number of steps must be non-negative, got ", steps);
  ScalarType type = dtype                                    ? *dtype
                    : (start.isComplex() || end.isComplex()) ? get_default_complex_dtype()
                                                             : get_default_dtype();
  TORCH_CHECK(isComplexType(type) || !(start.isComplex() || end.isComplex()), op,
              ": inferred dtype ", get_default_complex_dtype(),
              " can't be safely cast to passed dtype ", type);
  Tensor out = empty_tensor({steps}, type, device_or_cpu(device));
  if (out.is_meta() || steps == 0) return out;
  dispatch_types<NumberTypes, UnsignedTypes>(type, op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Step = std::conditional_t<std::is_integral_v<T> || is_reduced_float_v<T>, float, T>;
    T* p = static_cast<T*>(out.data_ptr());
    const T first = start.cast<T>(), last = end.cast<T>();
    const Step step = steps > 1 ? (Step(end.cast<Step>()) - Step(start.cast<Step>())) /
                                      Step(static_cast<float>(steps - 1))
                                : Step(0);
    parallel_for(0, steps, kGrainSize / 8, [&](int64_t begin, int64_t finish) {
      for (int64_t i = begin; i < finish; ++i) {
        Step from_start = Step(static_cast<float>(i)),
             from_end = Step(static_cast<float>(steps - i - 1));
        if constexpr (std::is_same_v<Step, double>) {
          from_start = static_cast<double>(i);
          from_end = static_cast<double>(steps - i - 1);
        }
        p[i] = (steps == 1)    ? map(first, Step(first))
               : i < steps / 2 ? map(first, Step(first) + step * from_start)
                               : map(first, Step(last) - step * from_end);
      }
    });
  });
  return out;
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return spaced("linspace", start, end, steps, dtype, layout, device, pin_memory,
                [](auto like, auto v) { return static_cast<decltype(like)>(v); });
}

static Scalar number_of(const char* op, const Tensor& t, const char* argument) {
  TORCH_CHECK(t.dim() == 0, op, ": expected ", argument,
              " to be a 0-dimensional tensor, got one of ", t.dim(), " dimensions");
  TORCH_CHECK(!t.is_meta(), op, ": ", argument, " is a meta tensor, which has no value");
  Scalar value;
  dispatch_types<AllTypes>(t.scalar_type(), op, [&](auto tag) {
    value = Scalar(*static_cast<const typename decltype(tag)::type*>(t.data_ptr()));
  });
  return value;
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
  return spaced("logspace", start, end, steps, dtype, layout, device, pin_memory,
                [base](auto like, auto v) {
    using T = decltype(like);
    if constexpr (is_complex_v<T>) {
      // base^(x + iy) = base^x (cos(y log base) + i sin(y log base))
      double size = std::pow(base, v.real()), angle = v.imag() * std::log(base);
      using V = typename T::value_type;
      return T(static_cast<V>(size * std::cos(angle)), static_cast<V>(size * std::sin(angle)));
    } else {
      return static_cast<T>(static_cast<decltype(v)>(std::pow(static_cast<decltype(v)>(base), v)));
    }
  });
}

// --- eye ----------------------------------------------------------------------------------------

Tensor eye(int64_t n, int64_t m, std::optional<ScalarType> dtype, std::optional<Layout> layout,
           std::optional<Device> device, std::optional<bool> pin_memory) {
  check_factory_options("eye", layout, pin_memory);
  TORCH_CHECK(n >= 0, "eye: n must be greater or equal to 0, got ", n);
  TORCH_CHECK(m >= 0, "eye: m must be greater or equal to 0, got ", m);
  Tensor out = empty_tensor({n, m}, dtype_or_default(dtype), device_or_cpu(device));
  if (out.is_meta() || out.numel() == 0) return out;
  fill_elements(out, 0);
  dispatch_types<AllTypes>(out.scalar_type(), "eye", [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* p = static_cast<T*>(out.data_ptr());
    const T one = Scalar(1).cast<T>();
    for (int64_t i = 0; i < std::min(n, m); ++i) p[i * (m + 1)] = one;
  });
  return out;
}

Tensor eye(int64_t n, std::optional<ScalarType> dtype, std::optional<Layout> layout,
           std::optional<Device> device, std::optional<bool> pin_memory) {
  return eye(n, n, dtype, layout, device, pin_memory);
}

}  // namespace at::native
