// Losses written in terms of other operators.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cosine_embedding_loss_native.h>
#include <ATen/ops/cosine_similarity_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/hinge_embedding_loss_native.h>
#include <ATen/ops/kl_div_native.h>
#include <ATen/ops/le.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/log.h>
#include <ATen/ops/margin_ranking_loss_native.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/pairwise_distance.h>
#include <ATen/ops/pairwise_distance_native.h>
#include <ATen/ops/poisson_nll_loss_native.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/triplet_margin_loss_native.h>
#include <ATen/ops/where.h>
#include <ATen/ops/xlogy.h>

namespace at::native {

Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  TORCH_CHECK(!self.is_complex() && !target.is_complex(), "kl_div: Complex inputs not supported.");
  TORCH_CHECK(
      !isIntegralType(self.scalar_type(), true) && !isIntegralType(target.scalar_type(), true),
      "kl_div: Integral inputs not supported.");
  Tensor loss =
      log_target ? at::exp(target) * (target - self) : at::xlogy(target, target) - target * self;
  return reduce_loss(loss, reduction);
}

// `full` adds Stirling's approximation of log(target!) where target > 1.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction) {
  Tensor loss =
      log_input ? at::exp(input) - target * input : input - target * at::log(input + Scalar(eps));
  if (full) {
    Tensor term =
        target * at::log(target) - target + at::log(target * Scalar(2 * M_PI)) * Scalar(0.5);
    loss = loss + at::where(at::le(target, 1), Scalar(0), term);
  }
  return reduce_loss(loss, reduction);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                            int64_t reduction) {
  Tensor dissimilar =
      at::where(at::eq(target, 1), Scalar(0), at::clamp_min(Scalar(margin) - self, 0));
  Tensor similar = at::where(at::eq(target, -1), Scalar(0), self);
  return reduce_loss(dissimilar + similar, reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, int64_t reduction) {
  return reduce_loss(at::clamp_min(-target * (input1 - input2) + Scalar(margin), 0), reduction);
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  Tensor a = x1, b = x2;
  if (x1.scalar_type() != x2.scalar_type()) {
    ScalarType type = promoteTypes(x1.scalar_type(), x2.scalar_type());
    if (x1.scalar_type() != type) a = at::_to_copy(x1, type);
    if (x2.scalar_type() != type) b = at::_to_copy(x2, type);
  }
  TORCH_CHECK(a.is_floating_point(),
              "expected common dtype to be floating point, yet common dtype is ",
              toString(a.scalar_type()));
  std::array<Tensor, 2> both = {a, b};
  auto wide = at::broadcast_tensors(both);
  Tensor na = at::linalg_vector_norm(wide[0], 2, IntArrayRef(&dim, 1), true),
         nb = at::linalg_vector_norm(wide[1], 2, IntArrayRef(&dim, 1), true);
  return at::sum((wide[0] / at::clamp_min(na, eps)) * (wide[1] / at::clamp_min(nb, eps)),
                 IntArrayRef(&dim, 1));
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, int64_t reduction) {
  int64_t last = target.dim();
  TORCH_CHECK(last == 0 || last == 1,
              "0D or 1D target tensor expected, multi-target not supported");
  TORCH_CHECK(input1.dim() == last + 1 && input2.dim() == last + 1, last,
              "D target tensor expects ", last + 1, "D input tensors, but found inputs with sizes ",
              input1.sizes(), " and ", input2.sizes(), ".");
  IntArrayRef dim(&last, 1);
  // The epsilon keeps the quotient finite for zero vectors.
  constexpr double kTiny = 1e-12;
  Tensor product = at::sum(input1 * input2, dim);
  Tensor square1 = at::sum(input1 * input1, dim) + Scalar(kTiny),
         square2 = at::sum(input2 * input2, dim) + Scalar(kTiny);
  Tensor cosine = product / at::sqrt(square1 * square2);
  Tensor similar = at::where(at::eq(target, 1), Scalar(1) - cosine, Scalar(0));
  Tensor dissimilar =
      at::where(at::eq(target, -1), at::clamp_min(cosine - Scalar(margin), 0), Scalar(0));
  return reduce_loss(similar + dissimilar, reduction);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return at::norm(x1 - x2 + Scalar(eps), p, IntArrayRef(&last, 1), keepdim);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  TORCH_CHECK(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
              "The anchor, positive, and negative tensors are expected to have the same number of "
              "dimensions, but got: anchor ",
              anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(),
              "D inputs");
  TORCH_CHECK(margin > 0, "triplet_margin_loss: margin must be greater than 0, got ", margin);
  Tensor near = at::pairwise_distance(anchor, positive, p, eps),
         far = at::pairwise_distance(anchor, negative, p, eps);
  if (swap) far = at::minimum(far, at::pairwise_distance(positive, negative, p, eps));
  return reduce_loss(at::clamp_min(near - far + Scalar(margin), 0), reduction);
}

}  // namespace at::native
