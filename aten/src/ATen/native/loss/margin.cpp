// Margin losses of classes: shapes and checks.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/multi_margin_loss_backward_native.h>
#include <ATen/ops/multi_margin_loss_native.h>
#include <ATen/ops/multilabel_margin_loss_backward_native.h>
#include <ATen/ops/multilabel_margin_loss_forward.h>
#include <ATen/ops/multilabel_margin_loss_forward_native.h>
#include <ATen/ops/multilabel_margin_loss_native.h>

namespace at {
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr int64_t kNone = static_cast<int64_t>(native::Reduction::None);

int64_t rows_of(const Tensor& self) { return self.dim() == 2 ? self.sizes()[0] : 1; }
int64_t classes_of(const Tensor& self) { return self.dim() == 0 ? 1 : self.sizes().back(); }

void check_scores(const char* op, const Tensor& self, const Tensor& target) {
  TORCH_CHECK(self.dim() <= 2 && classes_of(self) > 0, op,
              ": Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
              self.sizes());
  TORCH_CHECK(target.scalar_type() == kLong, op,
              ": expected scalar type Long for target but found ", toString(target.scalar_type()));
  TORCH_CHECK_NOT_IMPLEMENTED(self.scalar_type() == kFloat || self.scalar_type() == kDouble, "\"",
                              op, "_cpu\" not implemented for '", toString(self.scalar_type()),
                              "'");
}

void check_multi(const Tensor& self, const Tensor& target, const Scalar& p,
                 const OptionalTensor& weight) {
  check_scores("multi_margin_loss", self, target);
  TORCH_CHECK(target.dim() <= 1 && target.numel() == rows_of(self),
              "multi_margin_loss: inconsistent target size: expected a 1-D target of length ",
              rows_of(self), ", but got shape ", target.sizes(), " for an input of shape ",
              self.sizes());
  const double power = p.toDouble();
  TORCH_CHECK(power == 1 || power == 2, "multi_margin_loss: only p == 1 and p == 2 supported, got ",
              power);
  if (!weight || !weight->defined()) return;
  TORCH_CHECK(weight->dim() <= 1 && weight->numel() == classes_of(self),
              "multi_margin_loss: inconsistent weight size, expected ", classes_of(self),
              " but got ", weight->sizes());
  TORCH_CHECK(weight->scalar_type() == self.scalar_type(),
              "multi_margin_loss: expected scalar type ", toString(self.scalar_type()),
              " for weight but found ", toString(weight->scalar_type()));
}

void check_multilabel(const Tensor& self, const Tensor& target) {
  check_scores("multilabel_margin_loss", self, target);
  const bool same = self.dim() == 2 ? target.sizes() == self.sizes()
                                    : target.dim() <= 1 && target.numel() == self.numel();
  TORCH_CHECK(same, "multilabel_margin_loss: inconsistent target size: ", target.sizes(),
              " for input of size: ", self.sizes());
}

// Losses of rows have the shape of a vector, unless the target or input has no batch.
DimVector result_sizes(const Tensor& self, bool batched, int64_t reduction) {
  DimVector sizes;
  if (reduction == kNone && batched) sizes.push_back(rows_of(self));
  return sizes;
}

void check_grad(const char* op, const Tensor& grad, const Tensor& self, const DimVector& expected) {
  const bool each = !expected.empty();
  TORCH_CHECK(each ? grad.sizes() == IntArrayRef(expected) : grad.numel() == 1, op,
              ": grad_output has shape ", grad.sizes(), ", expected ", IntArrayRef(expected));
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), op, ": expected scalar type ",
              toString(self.scalar_type()), " for grad_output but found ",
              toString(grad.scalar_type()));
}

}  // namespace

namespace meta {

void multi_margin_loss(MetaBase& m, const Tensor& self, const Tensor& target, const Scalar& p,
                       const Scalar&, const OptionalTensor& weight, int64_t reduction) {
  check_multi(self, target, p, weight);
  m.set_output(0, result_sizes(self, target.dim() > 0, reduction), self.options());
}

void multi_margin_loss_backward(MetaBase& m, const Tensor& grad_output, const Tensor& self,
                                const Tensor& target, const Scalar& p, const Scalar&,
                                const OptionalTensor& weight, int64_t reduction) {
  check_multi(self, target, p, weight);
  check_grad("multi_margin_loss_backward", grad_output, self,
             result_sizes(self, target.dim() > 0, reduction));
  m.set_output(0, self.sizes(), self.options());
}

void multilabel_margin_loss_forward(MetaBase& m, const Tensor& self, const Tensor& target,
                                    int64_t reduction) {
  check_multilabel(self, target);
  m.set_output(0, result_sizes(self, self.dim() == 2, reduction), self.options());
  m.set_output(1, target.sizes(), self.options());
}

void multilabel_margin_loss_backward(MetaBase& m, const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, int64_t reduction,
                                     const Tensor& is_target) {
  check_multilabel(self, target);
  TORCH_CHECK(is_target.sizes() == target.sizes() && is_target.scalar_type() == self.scalar_type(),
              "multilabel_margin_loss_backward: expected is_target of shape ", target.sizes(),
              " and type ", toString(self.scalar_type()), ", but got shape ", is_target.sizes(),
              " and type ", toString(is_target.scalar_type()));
  check_grad("multilabel_margin_loss_backward", grad_output, self,
             result_sizes(self, self.dim() == 2, reduction));
  m.set_output(0, self.sizes(), self.options());
}

}  // namespace meta

namespace native {

Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return std::get<0>(at::multilabel_margin_loss_forward(self, target, reduction));
}

}  // namespace native
}  // namespace at
