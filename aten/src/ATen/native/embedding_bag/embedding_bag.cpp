// Checks and shapes of embedding_bag and its gradients.

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/embedding_bag/embedding_bag.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_embedding_bag.h>
#include <ATen/ops/_embedding_bag_backward_native.h>
#include <ATen/ops/_embedding_bag_dense_backward.h>
#include <ATen/ops/_embedding_bag_dense_backward_native.h>
#include <ATen/ops/_embedding_bag_forward_only.h>
#include <ATen/ops/_embedding_bag_forward_only_native.h>
#include <ATen/ops/_embedding_bag_native.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_native.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding_bag_native.h>
#include <ATen/ops/searchsorted.h>

namespace at {
namespace {

using OptionalTensor = std::optional<Tensor>;
using native::BagMode;

void check_index_type(const Tensor& t, const char* name) {
  TORCH_CHECK(t.scalar_type() == kLong || t.scalar_type() == kInt, "embedding_bag: expected ", name,
              " to be of type Long or Int, but got ", toString(t.scalar_type()));
}

void check_floating(const Tensor& t, const char* name) {
  TORCH_CHECK(t.is_floating_point() && !isFloat8Type(t.scalar_type()), "embedding_bag: expected ",
              name, " to be of type Half, BFloat16, Float or Double, but got ",
              toString(t.scalar_type()));
}

void check_mode(int64_t mode) {
  TORCH_CHECK(mode >= 0 && mode <= 2,
              "embedding_bag: mode must be 0 (sum), 1 (mean) or 2 (max), got ", mode);
}

ScalarType index_type(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == kLong || b.scalar_type() == kLong ? kLong : kInt;
}

void check_forward(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
                   const OptionalTensor& per_sample_weights, bool include_last_offset) {
  TORCH_CHECK(weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension ",
              weight.dim());
  TORCH_CHECK(indices.dim() == 1 || indices.dim() == 2,
              "input has to be a 1D or 2D Tensor, but got Tensor of dimension ", indices.dim());
  TORCH_CHECK(offsets.dim() == 1, "offsets has to be a 1D Tensor, but got Tensor of dimension ",
              offsets.dim());
  check_index_type(indices, "indices");
  check_index_type(offsets, "offsets");
  check_mode(mode);
  check_floating(weight, "weight");
  TORCH_CHECK(!include_last_offset || offsets.numel() > 0,
              "embedding_bag: with include_last_offset, offsets needs at least one number");
  if (!per_sample_weights || !per_sample_weights->defined()) return;
  TORCH_CHECK(mode == static_cast<int64_t>(BagMode::Sum),
              "embedding_bag: per_sample_weights only supported with mode='sum'");
  TORCH_CHECK(per_sample_weights->scalar_type() == weight.scalar_type(),
              "embedding_bag: expected per_sample_weights to be of the type of weight, ",
              toString(weight.scalar_type()), ", but got ",
              toString(per_sample_weights->scalar_type()));
  TORCH_CHECK(per_sample_weights->dim() == 1 && per_sample_weights->numel() == indices.numel(),
              "embedding_bag: expected per_sample_weights to have one number for each of the ",
              indices.numel(), " indices, but got shape ", per_sample_weights->sizes());
}

void set_forward(MetaBase& m, const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                 int64_t mode, const OptionalTensor& per_sample_weights, bool include_last_offset,
                 int64_t padding_idx, bool forward_only) {
  check_forward(weight, indices, offsets, mode, per_sample_weights, include_last_offset);
  const int64_t width = weight.sizes()[1];
  const int64_t bags = offsets.numel() - (include_last_offset ? 1 : 0);
  const bool map = native::has_bag_map(weight, mode, per_sample_weights, padding_idx);
  TensorOptions numbers = weight.options().dtype(index_type(indices, offsets));
  m.set_output(0, {bags, width}, weight.options());
  m.set_output(1, {map ? indices.numel() : 0}, numbers);
  // Sums have no use for the last two results. Without a gradient PyTorch leaves them as long as
  // the offsets.
  const bool plain = mode == static_cast<int64_t>(BagMode::Sum);
  const bool padded = padding_idx >= 0 && weight.scalar_type() == kDouble;
  const int64_t length = plain && forward_only && !padded ? offsets.numel() : bags;
  m.set_output(2, {length}, numbers);
  if (mode == static_cast<int64_t>(BagMode::Max)) {
    m.set_output(3, {bags, width}, numbers);
  } else {
    m.set_output(3, {length}, numbers);
  }
}

}  // namespace

namespace meta {

void _embedding_bag(MetaBase& m, const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                    bool, int64_t mode, bool, const OptionalTensor& per_sample_weights,
                    bool include_last_offset, int64_t padding_idx) {
  set_forward(m, weight, indices, offsets, mode, per_sample_weights, include_last_offset,
              padding_idx, false);
}

void _embedding_bag_forward_only(MetaBase& m, const Tensor& weight, const Tensor& indices,
                                 const Tensor& offsets, bool, int64_t mode, bool,
                                 const OptionalTensor& per_sample_weights, bool include_last_offset,
                                 int64_t padding_idx) {
  set_forward(m, weight, indices, offsets, mode, per_sample_weights, include_last_offset,
              padding_idx, true);
}

void _embedding_bag_dense_backward(MetaBase& m, const Tensor& grad, const Tensor& indices,
                                   const Tensor& offset2bag, const Tensor& bag_size,
                                   const Tensor& maximum_indices, int64_t num_weights, bool,
                                   int64_t mode, const OptionalTensor& per_sample_weights,
                                   int64_t) {
  TORCH_CHECK(grad.dim() == 2, "_embedding_bag_dense_backward: grad has to be 2-D, got shape ",
              grad.sizes());
  TORCH_CHECK(num_weights >= 0,
              "_embedding_bag_dense_backward: num_weights must not be negative, got ", num_weights);
  check_floating(grad, "grad");
  check_index_type(indices, "indices");
  check_index_type(offset2bag, "offset2bag");
  check_mode(mode);
  if (mode == static_cast<int64_t>(BagMode::Max)) {
    check_index_type(maximum_indices, "maximum_indices");
    TORCH_CHECK(maximum_indices.sizes() == grad.sizes(),
                "_embedding_bag_dense_backward: maximum_indices has shape ",
                maximum_indices.sizes(), ", grad has shape ", grad.sizes());
  } else {
    TORCH_CHECK(offset2bag.numel() == indices.numel(),
                "_embedding_bag_dense_backward: offset2bag needs one number for each of the ",
                indices.numel(), " indices, but has shape ", offset2bag.sizes());
  }
  if (mode != static_cast<int64_t>(BagMode::Sum)) {
    check_index_type(bag_size, "bag_size");
    TORCH_CHECK(bag_size.dim() == 1 && bag_size.numel() == grad.sizes()[0],
                "_embedding_bag_dense_backward: bag_size has shape ", bag_size.sizes(),
                ", grad has shape ", grad.sizes());
  }
  if (per_sample_weights && per_sample_weights->defined()) {
    TORCH_CHECK(per_sample_weights->numel() == indices.numel() &&
                    per_sample_weights->scalar_type() == grad.scalar_type(),
                "_embedding_bag_dense_backward: per_sample_weights needs one ",
                toString(grad.scalar_type()), " for each of the ", indices.numel(),
                " indices, but has shape ", per_sample_weights->sizes(), " and type ",
                toString(per_sample_weights->scalar_type()));
  }
  m.set_output(0, {num_weights, grad.sizes()[1]}, grad.options());
}

void _embedding_bag_per_sample_weights_backward(MetaBase& m, const Tensor& grad,
                                                const Tensor& weight, const Tensor& indices,
                                                const Tensor& offsets, const Tensor& offset2bag,
                                                int64_t mode, int64_t) {
  TORCH_CHECK(mode == static_cast<int64_t>(BagMode::Sum),
              "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
  check_floating(grad, "grad");
  check_index_type(indices, "indices");
  check_index_type(offsets, "offsets");
  check_index_type(offset2bag, "offset2bag");
  TORCH_CHECK(grad.dim() == 2 && weight.dim() == 2 && indices.dim() == 1 && offsets.dim() == 1 &&
                  grad.sizes()[1] == weight.sizes()[1] &&
                  grad.scalar_type() == weight.scalar_type(),
              "_embedding_bag_per_sample_weights_backward: grad and weight have to be 2-D, of one "
              "width and "
              "type, indices and offsets 1-D; got shapes ",
              grad.sizes(), ", ", weight.sizes(), ", ", indices.sizes(), " and ", offsets.sizes());
  TORCH_CHECK(
      offset2bag.numel() == 0 || offset2bag.numel() == indices.numel(),
      "_embedding_bag_per_sample_weights_backward: offset2bag needs one number for each of the ",
      indices.numel(), " indices, but has shape ", offset2bag.sizes());
  m.set_output(0, {indices.numel()}, grad.options());
}

}  // namespace meta

namespace native {

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const OptionalTensor& per_sample_weights, bool include_last_offset,
    std::optional<int64_t> padding_idx) {
  int64_t padding = -1;
  if (padding_idx) {
    const int64_t rows = weight.dim() > 0 ? weight.sizes()[0] : 0;
    TORCH_CHECK(*padding_idx >= -rows && *padding_idx < rows,
                "padding_idx must be within the number of embeddings, -", rows, " through ",
                rows - 1, ", but got ", *padding_idx);
    padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  }
  const bool weights = per_sample_weights && per_sample_weights->defined();
  if (may_need_derivative(weight) || (weights && may_need_derivative(*per_sample_weights))) {
    return at::_embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                              per_sample_weights, include_last_offset, padding);
  }
  return at::_embedding_bag_forward_only(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                                         per_sample_weights, include_last_offset, padding);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const OptionalTensor& per_sample_weights, bool include_last_offset) {
  return native::embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                               per_sample_weights, include_last_offset, std::nullopt);
}

Tensor _embedding_bag_backward(const Tensor& grad, const Tensor& indices, const Tensor& offsets,
                               const Tensor& offset2bag, const Tensor& bag_size,
                               const Tensor& maximum_indices, int64_t num_weights,
                               bool scale_grad_by_freq, int64_t mode, bool sparse,
                               const OptionalTensor& per_sample_weights, int64_t padding_idx) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !sparse, "_embedding_bag_backward: sparse gradients are not implemented; use sparse=False");
  Tensor bags = offset2bag;
  if (indices.numel() > 0 && offset2bag.numel() == 0) {
    // The bag of index i is the last one whose offset is not above i.
    bags = at::searchsorted(offsets, at::arange(indices.numel(), offsets.options()), false, true) -
           Scalar(1);
  }
  return at::_embedding_bag_dense_backward(grad, indices, bags, bag_size, maximum_indices,
                                           num_weights, scale_grad_by_freq, mode,
                                           per_sample_weights, padding_idx);
}

}  // namespace native
}  // namespace at
