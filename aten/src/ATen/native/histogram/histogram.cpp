// Histograms: checks, edges of cells, densities.

#include <ATen/native/histogram/histogram.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_histogramdd_bin_edges.h>
#include <ATen/ops/_histogramdd_bin_edges_native.h>
#include <ATen/ops/_histogramdd_from_bin_cts.h>
#include <ATen/ops/_histogramdd_from_bin_cts_native.h>
#include <ATen/ops/_histogramdd_from_bin_tensors.h>
#include <ATen/ops/_histogramdd_from_bin_tensors_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/histogram_native.h>
#include <ATen/ops/histogramdd_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <vector>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
using Range = std::optional<ArrayRef<double>>;

void check_points(const Tensor& self, size_t dims, const OptionalTensor& weight) {
  TORCH_CHECK(self.dim() >= 2,
              "torch.histogramdd: input tensor should have at least 2 dimensions, got ",
              self.dim());
  TORCH_CHECK(
      static_cast<int64_t>(dims) == self.sizes().back(),
      "torch.histogramdd: The size of bins must be equal to the innermost dimension of the input, ",
      self.sizes().back(), ", got ", dims);
  TORCH_CHECK_NOT_IMPLEMENTED(
      isFloatingType(self.scalar_type()) && !isFloat8Type(self.scalar_type()),
      "\"histogramdd\" not implemented for '", toString(self.scalar_type()), "'");
  if (!weight || !weight->defined()) return;
  TORCH_CHECK(weight->scalar_type() == self.scalar_type(),
              "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
              "should have the same "
              "dtype, but got input(",
              toString(self.scalar_type()), "), and weight(", toString(weight->scalar_type()), ")");
  IntArrayRef expected(self.sizes().data(), self.sizes().size() - 1);
  TORCH_CHECK(weight->sizes() == expected,
              "torch.histogramdd: weight must have the shape of the input without its innermost "
              "dimension, ",
              expected, ", got ", weight->sizes());
}

}  // namespace

void check_bins(IntArrayRef bins) {
  for (size_t d = 0; d < bins.size(); ++d) {
    TORCH_CHECK(bins[d] > 0, "torch.histogram(): bins must be > 0, but got ", bins[d],
                " for dimension ", d);
    TORCH_CHECK(bins[d] < INT64_MAX, "torch.histogram(): ", bins[d], " bins have too many edges");
  }
}

namespace {

void check_edges(const Tensor& self, TensorList edges) {
  for (size_t d = 0; d < edges.size(); ++d) {
    TORCH_CHECK(edges[d].dim() == 1,
                "torch.histogramdd: bins tensor should have one dimension, but got ",
                edges[d].dim(), " dimensions in the bins tensor for dimension ", d);
    TORCH_CHECK(edges[d].scalar_type() == self.scalar_type(),
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
                "got input with "
                "dtype ",
                toString(self.scalar_type()), " and bins for dimension ", d, " with dtype ",
                toString(edges[d].scalar_type()));
    TORCH_CHECK(edges[d].numel() > 1, "torch.histogram(): bins must be > 0, but got ",
                edges[d].numel() - 1, " for dimension ", d);
  }
}

// The smallest and the largest edge of a dimension.
std::pair<double, double> outer_edges(const Tensor& self, const Range& range, size_t d) {
  double low = 0, high = 1;
  if (range) {
    const size_t dims = static_cast<size_t>(self.sizes().back());
    TORCH_CHECK(range->size() == 2 * dims, "torch.histogramdd: for a ", dims,
                "-dimensional histogram range should have ", 2 * dims, " elements, but got ",
                range->size());
    low = (*range)[2 * d];
    high = (*range)[2 * d + 1];
  } else if (self.numel() > 0) {
    TORCH_CHECK_NOT_IMPLEMENTED(!isReducedFloatingType(self.scalar_type()),
                                "\"histogramdd\" not implemented for '",
                                toString(self.scalar_type()), "' without a range");
    auto [min, max] = at::aminmax(at::select(self, -1, static_cast<int64_t>(d)));
    low = at::item(min).toDouble();
    high = at::item(max).toDouble();
  }
  TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histogramdd: dimension ", d,
              "'s range [", low, ", ", high, "] is not finite");
  TORCH_CHECK(low <= high, "torch.histogramdd: min should not exceed max, but got min ", low,
              " max ", high, " for dimension ", d);
  // Equal values are in the middle of a cell of width 1.
  return low == high ? std::pair(low - 0.5, high + 0.5) : std::pair(low, high);
}

// Of checked arguments, in a type that can count.
Tensor count_cells(const Tensor& self, TensorList edges, bool equal_widths,
                   const OptionalTensor& weight, bool density) {
  DimVector sizes;
  std::vector<Tensor> dense;
  for (const Tensor& e : edges) {
    sizes.push_back(e.numel() - 1);
    dense.push_back(at::contiguous(e));
  }
  Tensor hist = at::zeros(sizes, self.options());
  const int64_t dims = self.sizes().back();
  Tensor points = at::contiguous(at::reshape(self, {dims > 0 ? self.numel() / dims : 0, dims}));
  Tensor weights;
  if (weight && weight->defined()) weights = at::contiguous(at::reshape(*weight, {-1}));
  histogram_stub(self.device().type(), points, dense, equal_widths, weights, hist);
  if (!density) return hist;
  hist = hist / at::sum(hist);
  for (size_t d = 0; d < edges.size(); ++d) {
    DimVector shape(edges.size(), 1);
    shape[d] = sizes[d];
    Tensor widths = at::narrow(edges[d], 0, 1, sizes[d]) - at::narrow(edges[d], 0, 0, sizes[d]);
    hist = hist / at::reshape(widths, shape);
  }
  return hist;
}

Tensor count(const Tensor& self, TensorList edges, bool equal_widths, const OptionalTensor& weight,
             bool density) {
  check_points(self, edges.size(), weight);
  check_edges(self, edges);
  for (const Tensor& e : edges)
    check_same_device("torch.histogramdd", {&self, &e, weight ? &*weight : &self});
  if (!isReducedFloatingType(self.scalar_type()))
    return count_cells(self, edges, equal_widths, weight, density);
  // A half type cannot count far. Its edges are rounded, so they are not at equal distances.
  const auto wide = [](const Tensor& t) { return at::_to_copy(t, kFloat); };
  std::vector<Tensor> wide_edges;
  for (const Tensor& e : edges) wide_edges.push_back(wide(e));
  OptionalTensor wide_weight;
  if (weight && weight->defined()) wide_weight = wide(*weight);
  return at::_to_copy(count_cells(wide(self), wide_edges, false, wide_weight, density),
                      self.scalar_type());
}

// A one-dimensional histogram is one of points with one coordinate.
Tensor as_points(const Tensor& self) { return at::reshape(self, {self.numel(), 1}); }
OptionalTensor as_weights(const Tensor& self, const OptionalTensor& weight) {
  if (!weight || !weight->defined()) return std::nullopt;
  TORCH_CHECK(weight->sizes() == self.sizes(),
              "torch.histogram: weight must have the shape of the input, ", self.sizes(), ", got ",
              weight->sizes());
  return at::reshape(*weight, {weight->numel()});
}

}  // namespace

std::vector<Tensor> _histogramdd_bin_edges(const Tensor& self, IntArrayRef bins, Range range,
                                           const OptionalTensor& weight, bool) {
  check_points(self, bins.size(), weight);
  check_bins(bins);
  std::vector<Tensor> edges;
  for (size_t d = 0; d < bins.size(); ++d) {
    auto [low, high] = outer_edges(self, range, d);
    edges.push_back(at::linspace(low, high, bins[d] + 1, self.options()));
  }
  return edges;
}

Tensor _histogramdd_from_bin_cts(const Tensor& self, IntArrayRef bins, Range range,
                                 const OptionalTensor& weight, bool density) {
  return count(self, at::_histogramdd_bin_edges(self, bins, range, weight, density), true, weight,
               density);
}

Tensor _histogramdd_from_bin_tensors(const Tensor& self, TensorList bins,
                                     const OptionalTensor& weight, bool density) {
  return count(self, bins, false, weight, density);
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, IntArrayRef bins,
                                                    Range range, const OptionalTensor& weight,
                                                    bool density) {
  Tensor hist = at::_histogramdd_from_bin_cts(self, bins, range, weight, density);
  return {hist, at::_histogramdd_bin_edges(self, bins, range, weight, density)};
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, int64_t bins, Range range,
                                                    const OptionalTensor& weight, bool density) {
  const int64_t dimensions = self.dim() > 0 ? self.sizes().back() : 0;
  TORCH_CHECK(bins <= 1 || dimensions < 63, "histogramdd(): ", bins, " bins in each of ",
              dimensions, " dimensions are too many to count");
  std::vector<int64_t> each(static_cast<size_t>(dimensions), bins);
  return native::histogramdd(self, each, range, weight, density);
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, TensorList bins, Range,
                                                    const OptionalTensor& weight, bool density) {
  return {at::_histogramdd_from_bin_tensors(self, bins, weight, density), bins.vec()};
}

std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                     const OptionalTensor& weight, bool density) {
  Tensor hist = count(as_points(self), bins, false, as_weights(self, weight), density);
  return {hist, at::clone(bins)};
}

std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins, Range range,
                                     const OptionalTensor& weight, bool density) {
  Tensor points = as_points(self);
  OptionalTensor weights = as_weights(self, weight);
  Tensor edges = native::_histogramdd_bin_edges(points, bins, range, weights, density)[0];
  return {count(points, edges, true, weights, density), edges};
}

}  // namespace at::native
