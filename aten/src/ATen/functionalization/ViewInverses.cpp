// How a view is made again from another base, and how a new value of a view gets into its base.

#include <ATen/functionalization/FunctionalTensorWrapper.h>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/diagonal_scatter.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/select_scatter.h>
#include <ATen/ops/slice_scatter.h>
#include <c10/core/WrapDimMinimal.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace at::functionalization {
void resolve_for_view(const OperatorEntry& op, IValueStack& stack) {
  if (std::string_view(op.name) != "aten::view_as_real") return;
  if (const Tensor t = stack[0].toTensor(); t.is_conj()) stack[0] = at::resolve_conj(t);
}

namespace {

// A view operator, or its copy where views are not to occur.
std::vector<IValue> call_view(const OperatorEntry& op, IValueStack stack) {
  const OperatorEntry* called = &op;
  if (!reapplies_views()) {
    const std::string copy = std::string(op.name) + "_copy";
    if (const OperatorEntry* found = find_operator(copy, op.overload)) called = found;
  }
  resolve_for_view(op, stack);
  call_boxed(*called, stack);
  return std::vector<IValue>(std::make_move_iterator(stack.begin()),
                             std::make_move_iterator(stack.end()));
}

Tensor view(const char* name, const char* overload, std::vector<IValue> arguments) {
  IValueStack stack;
  for (IValue& a : arguments) stack.push_back(std::move(a));
  const OperatorEntry* op = find_operator(name, overload);
  TORCH_INTERNAL_ASSERT(op, "there is no operator ", name, ".", overload);
  return call_view(*op, std::move(stack))[0].toTensor();
}

Tensor reshaped(const Tensor& t, IntArrayRef sizes) {
  if (t.sizes() == sizes) return t;
  if (reapplies_views()) return view("aten::reshape", "", {t, sizes.vec()});
  return view("aten::view", "", {at::contiguous(t), sizes.vec()});  // reshape has no copy
}

std::optional<int64_t> optional_int(const IValue& v) {
  return v.isNone() ? std::nullopt : std::optional<int64_t>(v.toInt());
}

// The places of the pieces of split and its kin along a dimension.
Tensor piece_put(const Tensor& base, const Tensor& piece, int64_t dim, int64_t begin) {
  return at::slice_scatter(base, piece, dim, begin, begin + piece.size(dim), 1);
}

using Inverse = Tensor (*)(const ViewMeta& m, const Tensor& base, const Tensor& v);

Tensor same(const ViewMeta&, const Tensor&, const Tensor& v) { return v; }
Tensor reshape_back(const ViewMeta&, const Tensor& base, const Tensor& v) {
  return reshaped(v, base.sizes());
}
Tensor transpose_back(const ViewMeta& m, const Tensor&, const Tensor& v) {
  return view("aten::transpose", "int", {v, m.arguments[0], m.arguments[1]});
}
Tensor t_back(const ViewMeta&, const Tensor&, const Tensor& v) { return view("aten::t", "", {v}); }
Tensor permute_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  const std::vector<int64_t>& dims = m.arguments[0].toIntVector();
  std::vector<int64_t> back(dims.size());
  for (size_t k = 0; k < dims.size(); ++k)
    back[static_cast<size_t>(c10::maybe_wrap_dim(dims[k], base.dim()))] = static_cast<int64_t>(k);
  return view("aten::permute", "", {v, back});
}
Tensor unsqueeze_back(const ViewMeta& m, const Tensor&, const Tensor& v) {
  return view("aten::squeeze", "dim", {v, c10::maybe_wrap_dim(m.arguments[0].toInt(), v.dim())});
}
Tensor select_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  return at::select_scatter(base, v, m.arguments[0].toInt(), m.arguments[1].toInt());
}
Tensor slice_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  return at::slice_scatter(base, v, m.arguments[0].toInt(), optional_int(m.arguments[1]),
                           optional_int(m.arguments[2]), m.arguments[3].toInt());
}
Tensor diagonal_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  return at::diagonal_scatter(base, v, m.arguments[0].toInt(), m.arguments[1].toInt(),
                              m.arguments[2].toInt());
}
Tensor split_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  return piece_put(base, v, m.arguments[1].toInt(),
                   static_cast<int64_t>(m.index) * m.arguments[0].toInt());
}
Tensor split_with_sizes_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  const std::vector<int64_t>& sizes = m.arguments[0].toIntVector();
  int64_t begin = 0;
  for (size_t k = 0; k < m.index; ++k) begin += sizes[k];
  return piece_put(base, v, m.arguments[1].toInt(), begin);
}
Tensor unbind_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  return at::select_scatter(base, v, m.arguments[0].toInt(), static_cast<int64_t>(m.index));
}
Tensor as_strided_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  return at::as_strided_scatter(base, v, m.arguments[0].toIntVector(), m.arguments[1].toIntVector(),
                                optional_int(m.arguments[2]));
}
Tensor real_back(const ViewMeta&, const Tensor&, const Tensor& v) {
  return view("aten::view_as_complex", "", {v});
}
Tensor complex_back(const ViewMeta&, const Tensor&, const Tensor& v) {
  return view("aten::view_as_real", "", {v});
}
Tensor dtype_back(const ViewMeta&, const Tensor& base, const Tensor& v) {
  return view("aten::view", "dtype", {v, base.scalar_type()});
}
Tensor conj_back(const ViewMeta&, const Tensor&, const Tensor& v) {
  return view("aten::_conj", "", {v});
}
Tensor neg_back(const ViewMeta&, const Tensor&, const Tensor& v) {
  return view("aten::_neg_view", "", {v});
}
// Any view that shows elements of the base where they are.
Tensor strided_back(const ViewMeta& m, const Tensor& base, const Tensor& v) {
  IValueStack stack;
  stack.push_back(base);
  for (const IValue& a : m.arguments) stack.push_back(a);
  call_boxed(*m.op, stack);  // a view even where copies take their places
  const Tensor shown = stack[0].tag() == IValue::Tag::TensorList
                           ? stack[0].toTensorVector()[m.index]
                           : stack[m.index].toTensor();
  TORCH_CHECK(shown.is_alias_of(base) && shown.scalar_type() == base.scalar_type(),
              "functionalization: there is no inverse of ", m.op->name,
              ", so that its result cannot be changed in place");
  return at::as_strided_scatter(base, v, shown.sizes(), shown.strides(), shown.storage_offset());
}

const std::unordered_map<std::string, Inverse>& inverses() {
  static const auto* table = new std::unordered_map<std::string, Inverse>{
      {"aten::alias.", same},
      {"aten::detach.", same},
      {"aten::lift_fresh.", same},
      {"aten::view.", reshape_back},
      {"aten::_unsafe_view.", reshape_back},
      {"aten::_reshape_alias.", reshape_back},
      {"aten::squeeze.", reshape_back},
      {"aten::squeeze.dim", reshape_back},
      {"aten::squeeze.dims", reshape_back},
      {"aten::unsqueeze.", unsqueeze_back},
      {"aten::t.", t_back},
      {"aten::transpose.int", transpose_back},
      {"aten::permute.", permute_back},
      {"aten::select.int", select_back},
      {"aten::slice.Tensor", slice_back},
      {"aten::diagonal.", diagonal_back},
      {"aten::split.Tensor", split_back},
      {"aten::split_with_sizes.", split_with_sizes_back},
      {"aten::unbind.int", unbind_back},
      {"aten::as_strided.", as_strided_back},
      {"aten::view_as_real.", real_back},
      {"aten::view_as_complex.", complex_back},
      {"aten::view.dtype", dtype_back},
      {"aten::_conj.", conj_back},
      {"aten::_neg_view.", neg_back},
  };
  return *table;
}

}  // namespace

Tensor ViewMeta::view_of(const Tensor& base) const {
  IValueStack stack;
  stack.push_back(base);
  for (const IValue& a : arguments) stack.push_back(a);
  const std::vector<IValue> results = call_view(*op, std::move(stack));
  if (results[0].tag() == IValue::Tag::TensorList) return results[0].toTensorVector()[index];
  return results[index].toTensor();
}

Tensor ViewMeta::inverse(const Tensor& base, const Tensor& v) const {
  const auto found = inverses().find(std::string(op->name) + "." + op->overload);
  return (found == inverses().end() ? strided_back : found->second)(*this, base, v);
}

}  // namespace at::functionalization
