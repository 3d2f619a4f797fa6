// Shapes of histograms.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/histogram/histogram.h>
#include <ATen/ops/_histogramdd_bin_edges_native.h>
#include <ATen/ops/_histogramdd_from_bin_cts_native.h>
#include <ATen/ops/_histogramdd_from_bin_tensors_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/histogram_native.h>

namespace at::native {

using Range = std::optional<ArrayRef<double>>;

std::vector<Tensor> histogramdd_bin_edges_meta(const Tensor& self, IntArrayRef bins,
                                               Range /*range*/,
                                               const std::optional<Tensor>& /*weight*/,
                                               bool /*density*/) {
  std::vector<Tensor> edges;
  check_bins(bins);
  for (int64_t n : bins) edges.push_back(at::empty({n + 1}, self.options()));
  return edges;
}

Tensor histogramdd_from_bin_cts_meta(const Tensor& self, IntArrayRef bins, Range /*range*/,
                                     const std::optional<Tensor>& /*weight*/, bool /*density*/) {
  return at::empty(bins, self.options());
}

Tensor histogramdd_from_bin_tensors_meta(const Tensor& self, TensorList bins,
                                         const std::optional<Tensor>& /*weight*/,
                                         bool /*density*/) {
  DimVector sizes;
  for (const Tensor& edges : bins) check_all_meta("torch.histogramdd()", {&self, &edges});
  for (const Tensor& edges : bins) sizes.push_back(edges.numel() - 1);
  return at::empty(sizes, self.options());
}

std::tuple<Tensor, Tensor> histogram_meta(const Tensor& self, const Tensor& bins,
                                          const std::optional<Tensor>& /*weight*/,
                                          bool /*density*/) {
  check_all_meta("torch.histogram()", {&self, &bins});
  return {at::empty({bins.numel() - 1}, self.options()), at::empty(bins.sizes(), bins.options())};
}

std::tuple<Tensor, Tensor> histogram_meta(const Tensor& self, int64_t bins, Range /*range*/,
                                          const std::optional<Tensor>& /*weight*/,
                                          bool /*density*/) {
  check_bins({bins});
  return {at::empty({bins}, self.options()), at::empty({bins + 1}, self.options())};
}

}  // namespace at::native
