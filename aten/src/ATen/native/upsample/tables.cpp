// Interpolation: a table of taps per dimension, applied one dimension after the other.

#include <ATen/native/upsample/resize.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/upsample/upsample.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/round.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native::upsample {
namespace {

// The number of input elements per output element.
double step_of(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners)
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  return scale && *scale > 0 ? 1.0 / *scale : static_cast<double>(in) / static_cast<double>(out);
}

// The element at or before a position, which may be any number: a scale can be arbitrarily
// small.
int64_t element_at(double at, int64_t in) {
  if (!(at > 0)) return 0;
  return at < static_cast<double>(in - 1) ? static_cast<int64_t>(at) : in - 1;
}

// Keys' cubic convolution: for |x| <= 1, and for 1 < |x| < 2.
double cubic_near(double x, double a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
double cubic_far(double x, double a) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }

double triangle(double x) {
  x = std::abs(x);
  return x < 1 ? 1 - x : 0;
}
double cubic_filter(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  return x < 1 ? cubic_near(x, a) : x < 2 ? cubic_far(x, a) : 0;
}

// Duchon 1979: sinc under the main lobe of a wider sinc.
double lanczos_filter(double x) {
  const auto sinc = [](double v) { return v == 0 ? 1 : std::sin(M_PI * v) / (M_PI * v); };
  return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
}

void nearest_table(ResampleTable& t, double step, bool exact) {
  t.copies = true;
  // Positions are computed in float, as every implementation of this mode does: results must
  // match.
  float s = static_cast<float>(step);
  for (int64_t o = 0; o < t.out; ++o) {
    float at = exact ? (static_cast<float>(o) + 0.5f) * s : static_cast<float>(o) * s;
    t.index.push_back(element_at(at, t.in));
  }
}

void linear_table(ResampleTable& t, double step, bool align_corners, bool in_float) {
  t.taps = 2;
  for (int64_t o = 0; o < t.out; ++o) {
    double at;
    if (in_float) {
      float s = static_cast<float>(step);
      at = align_corners ? s * static_cast<float>(o)
                         : std::max(s * (static_cast<float>(o) + 0.5f) - 0.5f, 0.0f);
    } else {
      at = align_corners ? step * static_cast<double>(o)
                         : std::max(step * (static_cast<double>(o) + 0.5) - 0.5, 0.0);
    }
    int64_t first = element_at(at, t.in), second = first + (first < t.in - 1 ? 1 : 0);
    double part = std::min(std::max(at - static_cast<double>(first), 0.0), 1.0);
    t.index.insert(t.index.end(), {first, second});
    t.weight.insert(t.weight.end(), {1 - part, part});
  }
}

void cubic_table(ResampleTable& t, double step, bool align_corners) {
  t.taps = 4;
  constexpr double a = -0.75;
  for (int64_t o = 0; o < t.out; ++o) {
    double at =
        align_corners ? step * static_cast<double>(o) : step * (static_cast<double>(o) + 0.5) - 0.5;
    at = std::min(std::max(at, -4.0),
                  static_cast<double>(t.in) + 4.0);  // beyond the edge all elements equal the edge
    int64_t first = static_cast<int64_t>(std::floor(at));
    double x = at - static_cast<double>(first);
    for (int64_t k = -1; k < 3; ++k)
      t.index.push_back(std::min(std::max<int64_t>(first + k, 0), t.in - 1));
    t.weight.insert(t.weight.end(), {cubic_far(x + 1, a), cubic_near(x, a), cubic_near(1 - x, a),
                                     cubic_far(2 - x, a)});
  }
}

// With antialiasing the filter is stretched to cover all elements that contribute to an output
// element.
void antialias_table(ResampleTable& t, double step, double (*filter)(double), double width) {
  double stretch = std::max(step, 1.0), support = width * stretch;
  t.taps = static_cast<int64_t>(std::ceil(support)) * 2 + 1;
  TORCH_CHECK(t.taps < (int64_t(1) << 24), "upsample: the scale is too small");
  t.index.assign(t.out * t.taps, 0);
  t.weight.assign(t.out * t.taps, 0);
  for (int64_t o = 0; o < t.out; ++o) {
    double center = step * (static_cast<double>(o) + 0.5);
    int64_t first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    int64_t n = std::min({static_cast<int64_t>(center + support + 0.5), t.in}) - first;
    n = std::min(std::max<int64_t>(n, 0), t.taps);
    double total = 0;
    for (int64_t k = 0; k < n; ++k) {
      double x = (static_cast<double>(k + first) - center + 0.5) / stretch, w = filter(x);
      t.index[o * t.taps + k] = first + k;
      t.weight[o * t.taps + k] = w;
      total += w;
    }
    for (int64_t k = 0; k < n && total != 0; ++k) t.weight[o * t.taps + k] /= total;
  }
}

ResampleTable table_for(Mode mode, int64_t in, int64_t out, bool align_corners,
                        std::optional<double> scale, bool in_float) {
  ResampleTable t;
  t.in = in;
  t.out = out;
  double step = step_of(in, out, align_corners, scale);
  switch (mode) {
    case Mode::nearest:
      nearest_table(t, step, false);
      break;
    case Mode::nearest_exact:
      nearest_table(t, step, true);
      break;
    case Mode::linear:
      linear_table(t, step, align_corners, in_float);
      break;
    case Mode::cubic:
      cubic_table(t, step, align_corners);
      break;
    case Mode::linear_aa:
      antialias_table(t, step, triangle, 1);
      break;
    case Mode::cubic_aa:
      antialias_table(t, step, cubic_filter, 2);
      break;
    case Mode::lanczos_aa:
      antialias_table(t, step, lanczos_filter, 3);
      break;
  }
  return t;
}

bool is_antialiased(Mode mode) {
  return mode == Mode::linear_aa || mode == Mode::cubic_aa || mode == Mode::lanczos_aa;
}

// Some modes copy a dimension whose size is unchanged, whatever the scale; nearest2d also derives a
// factor of two from the sizes.
std::optional<double> scale_for(Mode mode, size_t n, int64_t in, int64_t out,
                                std::optional<double> scale) {
  bool by_size = mode == Mode::linear || is_antialiased(mode) || (mode == Mode::nearest && n == 2);
  bool doubled = mode == Mode::nearest && n == 2 && out == 2 * in;
  return (by_size && in == out) || doubled ? std::nullopt : scale;
}

bool is_nearest(Mode mode) { return mode == Mode::nearest || mode == Mode::nearest_exact; }

void check_sizes(const char* op, IntArrayRef input, IntArrayRef output, size_t n) {
  TORCH_CHECK(output.size() == n, op, ": It is expected output_size equals to ", n,
              ", but got size ", output.size());
  TORCH_CHECK(input.size() == n + 2, op, ": It is expected input_size equals to ", n + 2,
              ", but got size ", input.size());
  for (size_t d = 0; d < n; ++d) {
    TORCH_CHECK(input[d + 2] > 0 && output[d] > 0, op,
                ": Input and output sizes should be greater than 0, but got input ", input.slice(2),
                " output ", output);
    TORCH_CHECK(output[d] < (int64_t(1) << 32), op, ": output size ", output, " is too large");
  }
  TORCH_CHECK(input[1] > 0, op,
              ": Non-empty input data tensor expected but got a tensor with sizes ", input);
}

MemoryFormat format_of(const Tensor& t) {
  MemoryFormat f = t.suggest_memory_format();
  return f == MemoryFormat::ChannelsLast || f == MemoryFormat::ChannelsLast3d
             ? f
             : MemoryFormat::Contiguous;
}

// The sizes around dimension d of a tensor in memory order: the products of outer and inner sizes.
struct Around {
  int64_t outer, inner;
  Around(IntArrayRef sizes, size_t d, bool channels_last) {
    outer = sizes[0] * (channels_last ? 1 : sizes[1]);
    inner = channels_last ? sizes[1] : 1;
    for (size_t k = 2; k < sizes.size(); ++k) {
      if (k < d) outer *= sizes[k];
      if (k > d) inner *= sizes[k];
    }
  }
};

// One pass along dimension `dim`; returns the input if nothing changes there.
struct Pass {
  size_t dim;
  ResampleTable table;
};

// `x` has memory format `format`, as does the result, which is `x` itself if there are no passes.
Tensor run_passes(const std::vector<Pass>& passes, Tensor x, MemoryFormat format) {
  DimVector now(x.sizes());
  for (const Pass& pass : passes) {
    Around a(now, pass.dim, format != MemoryFormat::Contiguous);
    now[pass.dim] = pass.table.out;
    Tensor y = empty_in_format(now, x.options(), format);
    if (y.numel() > 0) resample_stub(x.device().type(), pass.table, x, y, a.outer, a.inner);
    x = y;
  }
  return x;
}

// Through float, some images at a time: floats for all of them would take several times the memory
// of the input.
Tensor run_passes_in_float(const std::vector<Pass>& passes, const Tensor& self, IntArrayRef sizes,
                           MemoryFormat format) {
  constexpr int64_t kPart = 1 << 16;
  Tensor in = in_format(self, format);
  Tensor result = empty_in_format(sizes, self.options(), format), out = result;
  if (result.numel() == 0) return result;
  if (format == MemoryFormat::Contiguous) {  // each channel counts as an image
    auto images = [](const Tensor& t) {
      DimVector shape(t.sizes());
      shape[0] *= shape[1];
      shape[1] = 1;
      return at::view(t, shape);
    };
    in = images(in);
    out = images(out);
  }
  const int64_t count = in.sizes()[0], each = std::max(in.numel(), out.numel()) / count;
  const int64_t step = std::max<int64_t>(1, kPart * get_num_threads() / each);
  for (int64_t start = 0; start < count; start += step) {
    const int64_t length = std::min(step, count - start);
    Tensor x = at::_to_copy(at::narrow(in, 0, start, length), TensorOptions(kFloat));
    x = run_passes(passes, in_format(x, format), format);
    if (self.scalar_type() == kByte) x = at::clamp(at::round(x), 0, 255);
    Tensor part = at::narrow(out, 0, start, length);
    at::_ops::copy_::call(part, x, false);
  }
  return result;
}

}  // namespace

DimVector requested_size(const char* op, const Tensor& input,
                         std::optional<IntArrayRef> output_size,
                         std::optional<ArrayRef<double>> scale_factors, size_t n) {
  TORCH_CHECK(output_size.has_value() != scale_factors.has_value(), op,
              ": Must specify exactly one of output_size and scale_factors");
  TORCH_CHECK(input.dim() == static_cast<int64_t>(n) + 2, op,
              ": It is expected input_size equals to ", n + 2, ", but got size ", input.dim());
  if (output_size) {
    TORCH_CHECK(output_size->size() == n, op, ": It is expected output_size equals to ", n,
                ", but got size ", output_size->size());
    return DimVector(*output_size);
  }
  TORCH_CHECK(scale_factors->size() == n, op, ": expected ", n, " scale factors, got ",
              scale_factors->size());
  DimVector size;
  for (size_t d = 0; d < n; ++d) {
    double s = static_cast<double>(input.sizes()[d + 2]) * (*scale_factors)[d];
    TORCH_CHECK(s >= 0 && s < 9e15, op, ": scale factor ", (*scale_factors)[d],
                " gives no usable size");
    size.push_back(static_cast<int64_t>(s));
  }
  return size;
}

Tensor resize(Mode mode, const char* op, const Tensor& self, IntArrayRef output_size,
              bool align_corners, Scales scales) {
  size_t n = scales.size();
  check_sizes(op, self.sizes(), output_size, n);
  ScalarType dtype = self.scalar_type();
  bool floating = dtype == kFloat || dtype == kDouble || dtype == kHalf || dtype == kBFloat16;
  TORCH_CHECK_NOT_IMPLEMENTED(floating || dtype == kByte, "\"", op, "\" not implemented for '",
                              toString(dtype), "'");
  MemoryFormat format = format_of(self);
  DimVector sizes(self.sizes());
  for (size_t d = 0; d < n; ++d) sizes[d + 2] = output_size[d];
  checked_numel(sizes, op);
  // Reduced types are interpolated in float.
  bool convert = !is_nearest(mode) && dtype != kFloat && dtype != kDouble;
  const bool single = convert || dtype == kFloat;
  std::vector<Pass> passes;
  // The last dimension first: growing an earlier one then only copies whole rows.
  for (size_t d = n + 1; d >= 2; --d) {
    const int64_t size = self.sizes()[d];
    std::optional<double> scale = scale_for(mode, n, size, sizes[d], scales.begin()[d - 2]);
    bool same =
        size == sizes[d] && !align_corners && (!scale || *scale == 1) && !is_antialiased(mode);
    if (!same) passes.push_back({d, table_for(mode, size, sizes[d], align_corners, scale, single)});
  }
  if (convert) return run_passes_in_float(passes, self, sizes, format);
  Tensor x = run_passes(passes, in_format(self, format), format);
  if (x.is_same(self) || x.is_alias_of(self)) {
    Tensor copy = empty_in_format(sizes, self.options(), format);
    ResampleTable t = table_for(Mode::nearest, 1, 1, false, std::nullopt, true);
    if (x.numel() > 0) resample_stub(x.device().type(), t, x, copy, 1, x.numel());
    x = copy;
  }
  return x;
}

Tensor resize_backward(Mode mode, const char* op, const Tensor& grad, IntArrayRef output_size,
                       IntArrayRef input_size, bool align_corners, Scales scales) {
  size_t n = scales.size();
  check_sizes(op, input_size, output_size, n);
  DimVector sizes(input_size);
  for (size_t d = 0; d < n; ++d) sizes[d + 2] = output_size[d];
  TORCH_CHECK(grad.sizes() == IntArrayRef(sizes), op, ": Expected grad_output to have sizes ",
              IntArrayRef(sizes), ", but got ", grad.sizes());
  ScalarType dtype = grad.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      dtype == kFloat || dtype == kDouble || dtype == kHalf || dtype == kBFloat16, "\"", op,
      "\" not implemented for '", toString(dtype), "'");
  MemoryFormat format = format_of(grad);
  bool convert = dtype != kFloat && dtype != kDouble;
  Tensor g = in_format(convert ? at::_to_copy(grad, TensorOptions(kFloat)) : grad, format);
  DimVector now(sizes);
  for (size_t d = 2; d < n + 2; ++d) {
    std::optional<double> scale =
        scale_for(mode, n, input_size[d], sizes[d], scales.begin()[d - 2]);
    ResampleTable t =
        table_for(mode, input_size[d], sizes[d], align_corners, scale, g.scalar_type() == kFloat);
    Around a(now, d, format != MemoryFormat::Contiguous);
    now[d] = input_size[d];
    Tensor y = in_format(at::zeros(now, g.options()), format);
    if (y.numel() > 0) resample_backward_stub(g.device().type(), t, g, y, a.outer, a.inner);
    g = y;
  }
  return convert ? at::_to_copy(g, TensorOptions(dtype)) : g;
}

}  // namespace at::native::upsample
