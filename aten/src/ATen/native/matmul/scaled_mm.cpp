// Products of float8 matrices with scales: one for each matrix, or one for each row of the first
// and each column of the second. Sums are float32.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_scaled_mm_native.h>
#include <ATen/ops/_scaled_mm_v2_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reshape.h>

namespace at::native {
namespace {

// The numbers of torch.nn.functional.ScalingType and SwizzleType.
enum class Scaling : int64_t { TensorWise = 0, RowWise = 1 };
constexpr int64_t kNoSwizzle = 0;

struct Operands {
  const Tensor &a, &b;
  const Tensor &scale_a, &scale_b;
  const char* op;
};

bool has_shape(const Tensor& t, int64_t rows, int64_t columns) {
  return t.dim() == 2 && t.sizes()[0] == rows && t.sizes()[1] == columns;
}

void check_matrices(const Operands& o) {
  for (const Tensor* t : {&o.a, &o.b}) {
    TORCH_CHECK(t->dim() == 2, o.op, ": expected matrices, got a tensor with ", t->dim(),
                " dimensions");
    TORCH_CHECK_VALUE(isFloat8Type(t->scalar_type()), o.op, ": matrices must be float8, got ",
                      toString(t->scalar_type()));
  }
  TORCH_CHECK(o.a.sizes()[1] == o.b.sizes()[0], o.op, ": shapes ", o.a.sizes(), " and ",
              o.b.sizes(), " cannot be multiplied");
}

Scaling scaling_of(const Operands& o) {
  const int64_t rows = o.a.sizes()[0], columns = o.b.sizes()[1];
  const bool are_float = o.scale_a.scalar_type() == kFloat && o.scale_b.scalar_type() == kFloat;
  if (are_float && o.scale_a.numel() == 1 && o.scale_b.numel() == 1) return Scaling::TensorWise;
  if (are_float && has_shape(o.scale_a, rows, 1) && has_shape(o.scale_b, 1, columns))
    return Scaling::RowWise;
  TORCH_CHECK_VALUE(false, o.op, ": scales must be float32, one number each, or of ", "shapes (",
                    rows, ", 1) and (1, ", columns, "), got ", toString(o.scale_a.scalar_type()),
                    " of shape ", o.scale_a.sizes(), " and ", toString(o.scale_b.scalar_type()),
                    " of shape ", o.scale_b.sizes());
}

Tensor as_float(const Tensor& t) { return at::_to_copy(t, TensorOptions(kFloat)); }

Tensor scaled(const Tensor& t, const Tensor& scale, bool one_number) {
  return at::mul(as_float(t), one_number ? at::reshape(scale, {}) : scale);
}

Tensor product(const Operands& o, const std::optional<Tensor>& bias,
               const std::optional<Tensor>& scale_result, std::optional<ScalarType> out_dtype) {
  check_matrices(o);
  const bool one_number = scaling_of(o) == Scaling::TensorWise;
  const Tensor& added = value_or_undefined(bias);
  TORCH_CHECK(!added.defined() || added.numel() == o.b.sizes()[1], o.op, ": bias must have ",
              o.b.sizes()[1], " elements, got ", added.numel());
  const Tensor& divisor = value_or_undefined(scale_result);
  TORCH_CHECK(!divisor.defined() || (divisor.numel() == 1 && divisor.scalar_type() == kFloat), o.op,
              ": scale_result must be one float32 number");
  Tensor out = at::mm(scaled(o.a, o.scale_a, one_number), scaled(o.b, o.scale_b, one_number));
  if (added.defined()) out = out + at::reshape(as_float(added), {o.b.sizes()[1]});
  const ScalarType dtype = out_dtype.value_or(o.a.scalar_type());
  if (divisor.defined() && isFloat8Type(dtype)) out = at::div(out, at::reshape(divisor, {}));
  return at::_to_copy(out, TensorOptions(dtype));
}

// A recipe names the scaling that the shapes of the scales must then have.
void check_recipe(const Operands& o, int64_t recipe_a, int64_t recipe_b) {
  const auto requested = [&](int64_t recipe) {
    return recipe == static_cast<int64_t>(scaling_of(o));
  };
  // A number is a scale for each row of a matrix with one row.
  const bool single = o.scale_a.numel() == 1 && o.scale_b.numel() == 1 && recipe_a == recipe_b &&
                      recipe_a == static_cast<int64_t>(Scaling::RowWise) &&
                      has_shape(o.scale_a, o.a.sizes()[0], 1) &&
                      has_shape(o.scale_b, 1, o.b.sizes()[1]);
  TORCH_CHECK_VALUE(
      (requested(recipe_a) && requested(recipe_b)) || single, o.op,
      ": on a CPU both recipes are TensorWise (0) or both RowWise (1), with scales of ",
      "that kind; got ", recipe_a, " and ", recipe_b, " with scales of shapes ", o.scale_a.sizes(),
      " and ", o.scale_b.sizes());
}

int64_t only_recipe(const char* op, const char* side, TensorList scales, IntArrayRef recipe) {
  TORCH_CHECK_VALUE(scales.size() == 1 && recipe.size() == 1, op, ": expected one scale and one ",
                    "recipe for ", side, ", got ", scales.size(), " and ", recipe.size());
  return recipe[0];
}

void check_swizzle(const char* op, IntArrayRef swizzle) {
  for (int64_t s : swizzle) {
    TORCH_CHECK_VALUE(s == kNoSwizzle, op, ": scales on a CPU have no swizzle, got ", s);
  }
}

}  // namespace

Tensor _scaled_mm(const Tensor& self, const Tensor& mat2, const Tensor& scale_a,
                  const Tensor& scale_b, const std::optional<Tensor>& bias,
                  const std::optional<Tensor>& scale_result, std::optional<ScalarType> out_dtype,
                  bool /*use_fast_accum*/) {
  return product({self, mat2, scale_a, scale_b, "_scaled_mm"}, bias, scale_result, out_dtype);
}

Tensor _scaled_mm_v2(const Tensor& self, const Tensor& mat2, TensorList scale_a,
                     IntArrayRef recipe_a, IntArrayRef swizzle_a, TensorList scale_b,
                     IntArrayRef recipe_b, IntArrayRef swizzle_b, const std::optional<Tensor>& bias,
                     std::optional<ScalarType> out_dtype, IntArrayRef contraction_dim,
                     bool /*use_fast_accum*/) {
  constexpr const char* op = "_scaled_mm_v2";
  const int64_t first = only_recipe(op, "the first matrix", scale_a, recipe_a);
  const int64_t second = only_recipe(op, "the second matrix", scale_b, recipe_b);
  check_swizzle(op, swizzle_a);
  check_swizzle(op, swizzle_b);
  TORCH_CHECK(contraction_dim.empty() || (contraction_dim.size() == 2 && contraction_dim[0] == 1 &&
                                          contraction_dim[1] == 0),
              op, ": contraction_dim must be empty or (1, 0), got ", contraction_dim);
  const Operands operands{self, mat2, scale_a[0], scale_b[0], op};
  check_matrices(operands);
  check_recipe(operands, first, second);
  return product(operands, bias, std::nullopt, out_dtype);
}

}  // namespace at::native
