// linear and bilinear: products with a weight, and a bias.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bilinear_native.h>
#include <ATen/ops/linear_native.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/t.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::native {

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias) {
  bool biased = bias && bias->defined();
  int64_t rank = input.dim();
  TORCH_CHECK(rank != 0 && weight.dim() != 0,
              "both arguments to linear need to be at least 1D, but they are ", rank, "D and ",
              weight.dim(), "D");
  TORCH_CHECK(weight.dim() <= 2, "linear: weight must have at most 2 dimensions, got ",
              weight.dim());
  if (biased && weight.dim() == 2) {
    if (rank == 2) return at::addmm(*bias, input, at::t(weight));
    if (rank > 2 && bias->dim() <= 1) {
      DimVector shape(input.sizes().slice(0, rank - 1));
      Tensor rows = at::reshape(input, {product(shape), input.sizes().back()});
      shape.push_back(weight.sizes()[0]);
      return at::view(at::addmm(*bias, rows, at::t(weight)), shape);
    }
    if (rank == 1) {
      Tensor row = at::addmm(*bias, at::unsqueeze(input, 0), at::t(weight));
      return at::view(row, {weight.sizes()[0]});
    }
  }
  Tensor out = at::matmul(input, weight.dim() == 2 ? at::t(weight) : weight);
  return biased ? at::add(out, *bias) : out;
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const std::optional<Tensor>& bias) {
  TORCH_CHECK(input1.dim() == input2.dim() && input1.dim() > 0,
              "bilinear(): input dimensions do not match: got ", input1.dim(), " and ",
              input2.dim());
  for (int64_t d = 0; d + 1 < input1.dim(); ++d) {
    TORCH_CHECK(input1.sizes()[d] == input2.sizes()[d],
                "bilinear(): input batch dimensions do not match at dim ", d, ": got ",
                input1.sizes()[d], " and ", input2.sizes()[d]);
  }
  TORCH_CHECK(weight.dim() == 3, "bilinear(): weight must have 3 dimensions, got ", weight.dim());
  TORCH_CHECK(input1.sizes().back() == weight.sizes()[1],
              "bilinear(): input1 size does not match weight size: got ", input1.sizes().back(),
              " but expected ", weight.sizes()[1]);
  TORCH_CHECK(input2.sizes().back() == weight.sizes()[2],
              "bilinear(): input2 size does not match weight size: got ", input2.sizes().back(),
              " but expected ", weight.sizes()[2]);
  bool biased = bias && bias->defined();
  TORCH_CHECK(!biased || bias->sizes()[0] == weight.sizes()[0],
              "bilinear(): bias size does not match weight size: got ",
              biased ? bias->sizes()[0] : 0, " but expected ", weight.sizes()[0]);
  DimVector shape(input1.sizes().slice(0, input1.dim() - 1));
  shape.push_back(weight.sizes()[0]);
  int64_t rows = product(input1.sizes().slice(0, input1.dim() - 1));
  Tensor x = at::reshape(input1, {rows, input1.sizes().back()}),
         y = at::reshape(input2, {rows, input2.sizes().back()});
  // Autocast leaves the operator in the type of its arguments.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(
      c10::DispatchKeySet(c10::DispatchKey::AutocastCPU));
  // x W for every output at once, then the row-wise dot product with y.
  int64_t o = weight.sizes()[0], i1 = weight.sizes()[1], i2 = weight.sizes()[2];
  Tensor xw = at::reshape(at::mm(x, at::reshape(at::permute(weight, {1, 0, 2}), {i1, o * i2})),
                          {rows, o, i2});
  Tensor out = at::reshape(at::squeeze(at::matmul(xw, at::unsqueeze(y, 2)), 2), shape);
  return biased ? at::add(out, *bias) : out;
}

}  // namespace at::native
