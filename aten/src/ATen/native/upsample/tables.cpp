// Interpolation: a table of taps per dimension, applied one dimension after the other.

#include <ATen/native/upsample/resize.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/upsample/bytes.h>
#include <ATen/native/upsample/upsample.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/round.h>
#include <ATen/ops/view.h>

namespace at::native {

void ResampleTable::fill() const {
  if (!index.empty()) return;
  index.resize(static_cast<size_t>(out * taps));
  if (!copies()) weight.resize(index.size());
  for (int64_t o = 0; o < out; ++o)
    taps_of(o, index.data() + o * taps, copies() ? nullptr : weight.data() + o * taps);
}

namespace upsample {
namespace {

// The number of input elements per output element.
double step_of(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners)
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  return scale && *scale > 0 ? 1.0 / *scale : static_cast<double>(in) / static_cast<double>(out);
}

ResampleTable table_for(Mode mode, int64_t in, int64_t out, bool align_corners,
                        std::optional<double> scale, bool in_float) {
  ResampleTable t;
  t.mode = mode;
  t.in = in;
  t.out = out;
  t.step = step_of(in, out, align_corners, scale);
  t.align_corners = align_corners;
  t.in_float = in_float;
  if (mode == Mode::linear) t.taps = 2;
  if (mode == Mode::cubic) t.taps = 4;
  if (is_antialiased(mode)) {
    // Compared as a double: the step may be infinite.
    const double reach = std::ceil(filter_width(mode) * std::max(t.step, 1.0));
    TORCH_CHECK(reach < 0x1p23, "upsample: the scale is too small");
    t.taps = static_cast<int64_t>(reach) * 2 + 1;
  }
  return t;
}

// Some modes copy a dimension whose size is unchanged, whatever the scale; nearest2d also derives a
// factor of two from the sizes.
std::optional<double> scale_for(Mode mode, size_t n, int64_t in, int64_t out,
                                std::optional<double> scale) {
  bool by_size = mode == Mode::linear || is_antialiased(mode) || (mode == Mode::nearest && n == 2);
  bool doubled = mode == Mode::nearest && n == 2 && out == 2 * in;
  return (by_size && in == out) || doubled ? std::nullopt : scale;
}

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

// The taps of a pass that reads few elements of its dimension, taken out of the input: the others
// need neither be made dense nor converted. Its table becomes one of these alone.
Tensor select_taps(Pass& pass, const Tensor& x) {
  ResampleTable& t = pass.table;
  t.fill();
  Tensor index = int64_tensor(t.index);
  std::iota(t.index.begin(), t.index.end(), int64_t{0});
  t.in = index.numel();
  return at::index_select(x, static_cast<int64_t>(pass.dim), index);
}

// Results of few elements are made element by element: passes take longer. So many elements have to
// be read at most, by copies and by sums.
constexpr int64_t kFewCopies = 2048, kFewTerms = 8192;

bool are_few(const std::vector<Pass>& passes, int64_t count, bool copies) {
  int64_t terms = count;
  for (const Pass& pass : passes) {
    if (terms > kFewTerms) return false;
    terms *= pass.table.taps;
  }
  return count > 0 && terms <= (copies ? kFewCopies : kFewTerms);
}

// passes: the last dimension first. Other dimensions are as in x.
Tensor resize_few(const std::vector<Pass>& passes, const Tensor& x, IntArrayRef sizes,
                  MemoryFormat format, bool copies) {
  Tensor out = empty_in_format(sizes, x.options(), format);
  std::vector<FewTaps> dims;
  for (int64_t d = 2; d < x.dim(); ++d) {
    FewTaps taps{1, std::vector<int64_t>(static_cast<size_t>(sizes[d])), {}};
    std::iota(taps.place.begin(), taps.place.end(), int64_t{0});
    for (const Pass& pass : passes) {
      if (static_cast<int64_t>(pass.dim) != d) continue;
      pass.table.fill();
      taps = {pass.table.taps, pass.table.index, pass.table.weight};
    }
    for (int64_t& k : taps.place) k *= x.strides()[d];
    if (!copies && taps.weight.empty()) taps.weight.assign(taps.place.size(), 1);
    dims.push_back(std::move(taps));
  }
  if (copies) copy_few_stub(x.device().type(), x, out, dims);
  else sum_few_stub(x.device().type(), x, out, dims);
  return out;
}

// Whether a pass and the one after it, along the dimension before, are one.
bool are_planes(const Pass& across, const Pass& down, IntArrayRef sizes, bool channels_last) {
  const Around a(sizes, across.dim, channels_last);
  return across.dim == down.dim + 1 && across.table.copies() == down.table.copies() &&
         !are_long_lines(across.table, a.outer, a.inner);
}

// `x` has memory format `format`, as does the result, which is `x` itself if there are no passes.
Tensor run_passes(const std::vector<Pass>& passes, Tensor x, MemoryFormat format) {
  const bool channels_last = format != MemoryFormat::Contiguous;
  DimVector now(x.sizes());
  for (size_t k = 0; k < passes.size(); ++k) {
    const bool by_planes = x.is_cpu() && k + 1 < passes.size() &&
                           are_planes(passes[k], passes[k + 1], now, channels_last);
    const Pass &across = passes[k], &last = passes[by_planes ? k + 1 : k];
    const Around a(now, last.dim, channels_last);
    now[across.dim] = across.table.out;
    now[last.dim] = last.table.out;
    Tensor y = empty_in_format(now, x.options(), format);
    if (y.numel() > 0 && by_planes) {
      resample_planes_stub(x.device().type(), last.table, across.table, x, y, a.outer,
                           a.inner / across.table.in);
    } else if (y.numel() > 0) {
      resample_stub(x.device().type(), last.table, x, y, a.outer, a.inner);
    }
    if (by_planes) ++k;
    x = y;
  }
  return x;
}

// Through float, some images at a time: floats for all of them would take several times the memory
// of the input.
Tensor run_passes_in_float(const std::vector<Pass>& passes, const Tensor& self, IntArrayRef sizes,
                           MemoryFormat format) {
  const int64_t part_size = self.is_cpu() ? int64_t{1 << 16} * get_num_threads() : int64_t{1 << 26};
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
  const int64_t step = std::max<int64_t>(1, part_size / each);
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
  const bool as_bytes = dtype == kByte && n == 2 && self.is_cpu();
  const bool single = dtype == kFloat || (convert && !as_bytes);
  std::vector<Pass> passes;
  // The last dimension first: growing an earlier one then only copies whole rows.
  for (size_t d = n + 1; d >= 2; --d) {
    const int64_t size = self.sizes()[d];
    std::optional<double> scale = scale_for(mode, n, size, sizes[d], scales.begin()[d - 2]);
    bool same =
        size == sizes[d] && !align_corners && (!scale || *scale == 1) && !is_antialiased(mode);
    if (!same) passes.push_back({d, table_for(mode, size, sizes[d], align_corners, scale, single)});
  }
  const bool copies = std::all_of(passes.begin(), passes.end(),
                                  [](const Pass& pass) { return pass.table.copies(); });
  if (as_bytes && !copies) {
    const ResampleTable *across = nullptr, *down = nullptr;
    for (const Pass& pass : passes) (pass.dim == 3 ? across : down) = &pass.table;
    // Channels side by side are computed together.
    const bool few_channels = sizes[1] == 3 || sizes[1] == 4;
    const MemoryFormat inner = few_channels ? MemoryFormat::ChannelsLast : format;
    const Tensor result = empty_in_format(sizes, self.options(), inner);
    if (result.numel() > 0)
      resize_bytes_stub(self.device().type(), in_format(self, inner), result,
                        inner == MemoryFormat::ChannelsLast ? sizes[1] : 1, across, down);
    return in_format(result, format);
  }
  if (self.is_cpu() && are_few(passes, product(sizes), copies))
    return resize_few(passes, self, sizes, format, copies);
  Tensor input = self;
  // Kernels of other devices compute taps from the rule, and have no table.
  for (size_t k = 0; k < passes.size() && self.is_cpu();) {
    const bool is_ready = !convert && input.is_contiguous(format);
    if (passes[k].table.reads_few() && !(is_ready && passes[k].table.has_long_lines()))
      input = select_taps(passes[k], input);
    const ResampleTable& t = passes[k].table;
    const bool done = t.copies() && t.in == t.out && !t.index.empty();
    if (done) passes.erase(passes.begin() + static_cast<int64_t>(k));
    else ++k;
  }
  if (convert) return run_passes_in_float(passes, input, sizes, format);
  Tensor x = run_passes(passes, in_format(input, format), format);
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
  const bool single = dtype != kDouble;
  const TensorOptions options = grad.options().dtype(single ? kFloat : kDouble);
  Tensor g = in_format(grad, format);
  DimVector now(sizes);
  for (size_t d = 2; d < n + 2; ++d) {
    std::optional<double> scale =
        scale_for(mode, n, input_size[d], sizes[d], scales.begin()[d - 2]);
    ResampleTable t = table_for(mode, input_size[d], sizes[d], align_corners, scale, single);
    // The first pass reads half types, unless it adds to what it writes.
    if (isReducedFloatingType(g.scalar_type()) && (!g.is_cpu() || t.reads_few()))
      g = at::_to_copy(g, TensorOptions(kFloat));
    Around a(now, d, format != MemoryFormat::Contiguous);
    now[d] = t.in;
    Tensor y = empty_in_format(now, options, format);
    if (y.numel() > 0) resample_backward_stub(g.device().type(), t, g, y, a.outer, a.inner);
    g = y;
  }
  return g.scalar_type() == dtype ? g : at::_to_copy(g, TensorOptions(dtype));
}

}  // namespace upsample
}  // namespace at::native
