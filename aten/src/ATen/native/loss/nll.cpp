// Negative log likelihood, and cross entropy on top of it.
//
// nll_loss takes (N, C) or (C), nll_loss2d (N, C, H, W); both are viewed here as (N, C, inner).

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/cross_entropy_loss_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/nll_loss2d.h>
#include <ATen/ops/nll_loss2d_backward_native.h>
#include <ATen/ops/nll_loss2d_forward.h>
#include <ATen/ops/nll_loss2d_forward_native.h>
#include <ATen/ops/nll_loss2d_native.h>
#include <ATen/ops/nll_loss_backward_native.h>
#include <ATen/ops/nll_loss_forward.h>
#include <ATen/ops/nll_loss_forward_native.h>
#include <ATen/ops/nll_loss_native.h>
#include <ATen/ops/nll_loss_nd.h>
#include <ATen/ops/nll_loss_nd_native.h>
#include <ATen/ops/reshape.h>

namespace at {
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr int64_t kNone = static_cast<int64_t>(native::Reduction::None);
constexpr int64_t kMean = static_cast<int64_t>(native::Reduction::Mean);
constexpr int64_t kSum = static_cast<int64_t>(native::Reduction::Sum);

bool is_defined(const OptionalTensor& t) { return t && t->defined(); }

void check_common(const char* op, const Tensor& self, const Tensor& target,
                  const OptionalTensor& weight, int64_t classes) {
  ScalarType type = target.scalar_type();
  TORCH_CHECK(type == kLong || type == kByte, "expected target dtype to be Long or Byte, but got ",
              toString(type));
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point() && !isFloat8Type(self.scalar_type()), "\"",
                              op, "_out_frame\" not implemented for '",
                              toString(self.scalar_type()), "'");
  if (!is_defined(weight)) return;
  TORCH_CHECK(weight->dim() == 1 && weight->numel() == classes,
              "weight tensor should be defined either for all ", classes,
              " classes or no classes but got weight tensor of shape: ", weight->sizes());
  TORCH_CHECK(weight->scalar_type() == self.scalar_type(), op, ": expected scalar type ",
              toString(self.scalar_type()), " for weight but found ",
              toString(weight->scalar_type()));
}

void check_nll(const Tensor& self, const Tensor& target, const OptionalTensor& weight) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "input tensor should be 1D or 2D");
  TORCH_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  bool row = self.dim() == 1 && target.dim() <= 1 && target.numel() == 1;
  TORCH_CHECK(row || (self.dim() == 2 && target.dim() == 1 && self.sizes()[0] == target.sizes()[0]),
              "size mismatch (got input: ", self.sizes(), ", target: ", target.sizes(), ")");
  check_common("nll_loss", self, target, weight, self.sizes().back());
}

void check_nll2d(const Tensor& self, const Tensor& target, const OptionalTensor& weight) {
  TORCH_CHECK(
      target.dim() == 3,
      "only batches of spatial targets supported (3D tensors) but got targets of dimension: ",
      target.dim());
  TORCH_CHECK(self.dim() == 4,
              "only batches of spatial inputs supported (4D tensors), but got input of dimension: ",
              self.dim());
  TORCH_CHECK(self.sizes()[0] == target.sizes()[0] && self.sizes()[2] == target.sizes()[1] &&
                  self.sizes()[3] == target.sizes()[2],
              "size mismatch (got input: ", self.sizes(), ", target: ", target.sizes(), ")");
  check_common("nll_loss2d", self, target, weight, self.sizes()[1]);
}

void set_forward(MetaBase& m, const Tensor& self, const Tensor& target, int64_t reduction) {
  bool each = reduction == kNone && self.dim() != 1;
  m.set_output(0, each ? target.sizes() : IntArrayRef(), self.options());
  m.set_output(1, {}, self.options());
}

void check_backward(const Tensor& grad, const Tensor& self, const Tensor& target, int64_t reduction,
                    const Tensor& total_weight) {
  TORCH_CHECK(total_weight.numel() == 1,
              "expected total_weight to be a single element tensor, got: ", total_weight.sizes(),
              " (", total_weight.numel(), " elements)");
  bool each = reduction == kNone && self.dim() != 1;
  TORCH_CHECK(each ? grad.sizes() == target.sizes() : grad.numel() == 1,
              "nll_loss_backward: grad_output has shape ", grad.sizes(), ", expected ",
              each ? target.sizes() : IntArrayRef());
  TORCH_CHECK(
      grad.scalar_type() == self.scalar_type() && total_weight.scalar_type() == self.scalar_type(),
      "nll_loss_backward: expected scalar type ", toString(self.scalar_type()),
      " for grad_output and total_weight, got ", toString(grad.scalar_type()), " and ",
      toString(total_weight.scalar_type()));
}

}  // namespace

namespace meta {

void nll_loss_forward(MetaBase& m, const Tensor& self, const Tensor& target,
                      const OptionalTensor& weight, int64_t reduction, int64_t) {
  check_nll(self, target, weight);
  set_forward(m, self, target, reduction);
}
void nll_loss2d_forward(MetaBase& m, const Tensor& self, const Tensor& target,
                        const OptionalTensor& weight, int64_t reduction, int64_t) {
  check_nll2d(self, target, weight);
  set_forward(m, self, target, reduction);
}
void nll_loss_backward(MetaBase& m, const Tensor& grad_output, const Tensor& self,
                       const Tensor& target, const OptionalTensor& weight, int64_t reduction,
                       int64_t, const Tensor& total_weight) {
  check_nll(self, target, weight);
  check_backward(grad_output, self, target, reduction, total_weight);
  m.set_output(0, self.sizes(), self.options());
}
void nll_loss2d_backward(MetaBase& m, const Tensor& grad_output, const Tensor& self,
                         const Tensor& target, const OptionalTensor& weight, int64_t reduction,
                         int64_t, const Tensor& total_weight) {
  check_nll2d(self, target, weight);
  check_backward(grad_output, self, target, reduction, total_weight);
  m.set_output(0, self.sizes(), self.options());
}

}  // namespace meta

namespace native {

Tensor nll_loss(const Tensor& self, const Tensor& target, const OptionalTensor& weight,
                int64_t reduction, int64_t ignore_index) {
  return std::get<0>(at::nll_loss_forward(self, target, weight, reduction, ignore_index));
}
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const OptionalTensor& weight,
                  int64_t reduction, int64_t ignore_index) {
  return std::get<0>(at::nll_loss2d_forward(self, target, weight, reduction, ignore_index));
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const OptionalTensor& weight,
                   int64_t reduction, int64_t ignore_index) {
  TORCH_CHECK_VALUE(self.dim() >= 1, "Expected 1 or more dimensions (got ", self.dim(), ")");
  TORCH_CHECK_VALUE(self.dim() == 1 || (target.dim() > 0 && self.sizes()[0] == target.sizes()[0]),
                    "Expected input batch_size (", self.sizes()[0],
                    ") to match target batch_size (", target.dim() > 0 ? target.sizes()[0] : 0,
                    ").");
  if (self.dim() <= 2) return at::nll_loss(self, target, weight, reduction, ignore_index);
  if (self.dim() == 4) return at::nll_loss2d(self, target, weight, reduction, ignore_index);
  DimVector expected{self.sizes()[0]};
  for (int64_t d = 2; d < self.dim(); ++d) expected.push_back(self.sizes()[d]);
  TORCH_CHECK(target.sizes() == IntArrayRef(expected), "Expected target size ",
              IntArrayRef(expected), ", got ", target.sizes());
  int64_t n = self.sizes()[0], inner = 1;
  for (size_t d = 1; d < expected.size(); ++d) inner *= expected[d];
  Tensor loss = at::nll_loss2d(at::reshape(self, {n, self.sizes()[1], 1, inner}),
                               at::reshape(target, {n, 1, inner}), weight, reduction, ignore_index);
  return reduction == kNone ? at::reshape(loss, expected) : loss;
}

namespace {

// The weight of each class along dimension 1 of an input, or 0 of a single row.
Tensor along_classes(const Tensor& weight, const Tensor& self) {
  DimVector shape(static_cast<size_t>(self.dim()), 1);
  shape[self.dim() == 1 ? 0 : 1] = weight.numel();
  return at::reshape(weight, shape);
}

void check_weight(const OptionalTensor& weight, int64_t classes) {
  TORCH_CHECK(!is_defined(weight) || (weight->dim() == 1 && weight->numel() == classes),
              "cross_entropy: weight tensor should be defined either for all ", classes,
              " classes or no classes but got weight tensor of shape: ",
              is_defined(weight) ? weight->sizes() : IntArrayRef());
}

Tensor with_probabilities(const Tensor& self, const Tensor& target_, const OptionalTensor& weight,
                          int64_t reduction, double smoothing) {
  TORCH_CHECK(target_.is_floating_point(),
              "Expected floating point type for target with class probabilities, got ",
              toString(target_.scalar_type()));
  const int64_t dim = self.dim() == 1 ? 0 : 1, classes = self.sizes()[dim];
  check_weight(weight, classes);
  Tensor target = smoothing > 0 ? target_ * Scalar(1 - smoothing) +
                                      Scalar(smoothing / static_cast<double>(classes))
                                : target_;
  Tensor terms = at::log_softmax(self, dim) * target;
  if (is_defined(weight)) terms = terms * along_classes(*weight, self);
  if (reduction == kNone) return -at::sum(terms, IntArrayRef(&dim, 1));
  Tensor total = -at::sum(terms);
  return reduction == kMean
             ? total / Scalar(static_cast<double>(self.numel()) / static_cast<double>(classes))
             : total;
}

Tensor with_smoothing(const Tensor& self, const Tensor& target, const OptionalTensor& weight,
                      int64_t reduction, int64_t ignore_index, double smoothing) {
  const int64_t dim = self.dim() == 1 ? 0 : 1, classes = self.sizes()[dim];
  check_weight(weight, classes);
  Tensor logs = at::log_softmax(self, dim);
  Tensor sharp = at::nll_loss_nd(logs, target, weight, reduction, ignore_index);
  Tensor spread = -at::sum(is_defined(weight) ? logs * along_classes(*weight, self) : logs,
                           IntArrayRef(&dim, 1));
  Tensor ignored = at::eq(target, ignore_index);
  spread = at::masked_fill(spread, ignored, 0);
  if (reduction == kSum) spread = at::sum(spread);
  if (reduction == kMean) {
    Tensor count;
    if (is_defined(weight)) {
      Tensor labels = at::reshape(at::masked_fill(target, ignored, 0), {-1});
      count =
          at::sum(at::masked_fill(at::gather(*weight, 0, labels), at::reshape(ignored, {-1}), 0));
    } else {
      count = at::sum(at::logical_not(ignored));
    }
    spread = at::sum(spread) / count;
  }
  return sharp * Scalar(1 - smoothing) + spread * Scalar(smoothing / static_cast<double>(classes));
}

}  // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const OptionalTensor& weight,
                          int64_t reduction, int64_t ignore_index, double label_smoothing) {
  TORCH_CHECK(label_smoothing >= 0 && label_smoothing <= 1,
              "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  TORCH_CHECK_VALUE(self.dim() >= 1, "Expected 1 or more dimensions (got ", self.dim(), ")");
  if (self.sizes() == target.sizes()) {
    TORCH_CHECK(ignore_index < 0, "ignore_index is not supported for floating point target");
    return with_probabilities(self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0)
    return with_smoothing(self, target, weight, reduction, ignore_index, label_smoothing);
  return at::nll_loss_nd(at::log_softmax(self, self.dim() == 1 ? 0 : 1), target, weight, reduction,
                         ignore_index);
}

}  // namespace native
}  // namespace at
