// Products of rows that are rounded to 8 bits while they are multiplied, with weights in 4 bits. A
// byte holds two weights, that of the even column in its lower half; q stands for (q - 8) * scale,
// with one scale for each group of columns of a row. Packed weights are one line of float32: the
// bytes, the scales and the bias.

#include <ATen/TensorOperators.h>
#include <ATen/ops/_dyn_quant_matmul_4bit_native.h>
#include <ATen/ops/_dyn_quant_pack_4bit_weight_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/round.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/t.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>

#include <vector>

namespace at::native {
namespace {

void check_groups(const char* op, int64_t block_size, int64_t in_features, int64_t out_features) {
  TORCH_CHECK(in_features > 0 && out_features > 0, op, ": in_features and out_features must be ",
              "positive, but they are ", in_features, " and ", out_features);
  TORCH_CHECK(block_size == in_features ||
                  (block_size > 0 && block_size % 32 == 0 && in_features % block_size == 0),
              op, ": block_size must be in_features (", in_features,
              ") or a multiple of 32 that divides it, but it is ", block_size);
  TORCH_CHECK(in_features % 2 == 0, op, ": in_features must be even, but it is ", in_features);
}

Tensor flat_float(const Tensor& t) {
  return at::reshape(at::_to_copy(t, TensorOptions(kFloat)), {-1});
}

// Rows rounded to the 256 levels between the minimum and the maximum of their elements and 0, of
// which one level is 0 itself.
Tensor rounded_rows(const Tensor& x) {
  const int64_t columns[] = {1};
  const Tensor min = at::clamp_max(at::amin(x, columns, true), Scalar(0)),
               max = at::clamp_min(at::amax(x, columns, true), Scalar(0));
  const Tensor levels = at::where(at::eq(min, max), Scalar(1.0), Scalar(255.0) / (max - min));
  const Tensor low = min * levels, high = max * levels;
  const Tensor zero = at::round(
      at::clamp(at::where(at::gt(low + high, 1), Scalar(-128.0) - low, Scalar(127.0) - high),
                Scalar(-128), Scalar(127)));
  const Tensor q = at::clamp(at::round(x * levels) + zero, Scalar(-128), Scalar(127));
  return (q - zero) / levels;
}

}  // namespace

Tensor _dyn_quant_pack_4bit_weight(const Tensor& weights, const Tensor& scales_zeros,
                                   const std::optional<Tensor>& bias, int64_t block_size,
                                   int64_t in_features, int64_t out_features) {
  const char* op = "_dyn_quant_pack_4bit_weight";
  TORCH_CHECK(weights.scalar_type() == kByte, op, ": the weights must be uint8, but they are ",
              dtypeName(weights.scalar_type()));
  check_groups(op, block_size, in_features, out_features);
  TORCH_CHECK(weights.numel() == out_features * in_features / 2, op, ": expected ",
              out_features * in_features / 2, " bytes of weights, two weights in each, but got ",
              weights.numel());
  TORCH_CHECK(scales_zeros.numel() == out_features * (in_features / block_size), op, ": expected ",
              out_features * (in_features / block_size), " scales, but got ", scales_zeros.numel());
  std::vector<Tensor> parts = {flat_float(weights), flat_float(scales_zeros)};
  if (bias && bias->defined()) {
    TORCH_CHECK(bias->numel() == out_features, op, ": the bias must have ", out_features,
                " elements, but it has ", bias->numel());
    parts.push_back(flat_float(*bias));
  }
  return at::cat(parts, 0);
}

Tensor _dyn_quant_matmul_4bit(const Tensor& inp, const Tensor& packed_weights, int64_t block_size,
                              int64_t in_features, int64_t out_features) {
  const char* op = "_dyn_quant_matmul_4bit";
  const ScalarType type = inp.scalar_type();
  const bool half = type == kBFloat16 && block_size == in_features;
  TORCH_CHECK(type == kFloat || half, op, ": the input must be float32",
              ", or bfloat16 if block_size is in_features, but it is ", dtypeName(type));
  check_groups(op, block_size, in_features, out_features);
  TORCH_CHECK(inp.dim() == 2 && inp.size(1) == in_features, op,
              ": the input must have 2 dimensions and ", in_features, " columns, but its shape is ",
              inp.sizes());
  const int64_t groups = in_features / block_size, bytes = out_features * in_features / 2,
                scales = out_features * groups;
  const int64_t size = packed_weights.numel();
  const bool has_bias = size == bytes + scales + out_features;
  TORCH_CHECK(packed_weights.scalar_type() == kFloat && packed_weights.dim() == 1 &&
                  (size == bytes + scales || has_bias),
              op, ": the packed weights must be ", bytes + scales, " elements of float32, or ",
              bytes + scales + out_features, " with a bias, but they are ", size, " of ",
              dtypeName(packed_weights.scalar_type()));
  const Tensor pairs = at::_to_copy(at::narrow(packed_weights, 0, 0, bytes), TensorOptions(kByte));
  const Tensor halves[] = {at::bitwise_and(pairs, Scalar(15)),
                           at::bitwise_right_shift(pairs, Scalar(4))};
  const Tensor levels = at::_to_copy(at::stack(halves, 1), TensorOptions(kFloat)) - Scalar(8);
  const Tensor scale = at::reshape(at::narrow(packed_weights, 0, bytes, scales), {scales, 1});
  const Tensor weight =
      at::reshape(at::reshape(levels, {scales, block_size}) * scale, {out_features, in_features});
  Tensor product = at::mm(rounded_rows(at::_to_copy(inp, TensorOptions(kFloat))), at::t(weight));
  if (has_bias) product = product + at::narrow(packed_weights, 0, bytes + scales, out_features);
  return at::_to_copy(product, TensorOptions(type));
}

}  // namespace at::native
