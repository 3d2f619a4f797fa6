// Operators that take any number of leading dimensions, so that the batch is one more of them:
// copies, padding, triangles, and linear algebra over batches of matrices.

#include <algorithm>

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

namespace at::functorch {
namespace {

// A memory format names the dimensions of one example.
void drop_memory_format(const BatchCall& call, IValueStack& stack) {
  const int format = call.index_of("memory_format");
  if (format < 0 || stack[format].isNone()) return;
  const auto given = static_cast<MemoryFormat>(stack[format].toInt());
  if (given == MemoryFormat::ChannelsLast || given == MemoryFormat::ChannelsLast3d)
    stack[format] = MemoryFormat::Preserve;
}

// A part that was not asked for is an empty tensor.
void wrap_leading(const BatchCall& call, IValueStack& results) {
  for (IValue& value : results)
    value = with_tensors(value, [&](const Tensor& t) {
      const bool absent = t.dim() == 1 && t.numel() == 0 && call.batch_size != 0;
      return call.wrap(absent ? at::expand(t, {call.batch_size, 0}) : t);
    });
}

}  // namespace

void leading(const BatchCall& call, IValueStack& stack) {
  int64_t rank = 0;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (t.defined()) rank = std::max(rank, t.dim());
    });
  for (IValue& value : stack)
    value = with_tensors(value, [&](const Tensor& t) {
      if (!t.defined()) return t;
      Tensor x = call.expanded(t);
      while (x.dim() <= rank) x = at::unsqueeze(x, 1);
      return x;
    });
  drop_memory_format(call, stack);
  call_boxed(call.op, stack);
  wrap_leading(call, stack);
}

namespace {

// Tensors of different rank, such as matrices and their pivots.
void leading_as_they_are(const BatchCall& call, IValueStack& stack) {
  for (IValue& value : stack)
    value = with_tensors(value, [&](const Tensor& t) { return call.expanded(t); });
  call_boxed(call.op, stack);
  wrap_leading(call, stack);
}

// Its memory must be pairs of numbers, which a batch in the last dimension is not.
void view_as_complex(const BatchCall& call, IValueStack& stack) {
  Tensor value = call.value(stack[0].toTensor());
  if (value.dim() > 1 && value.strides().back() != 1) value = at::contiguous(value);
  stack[0] = value;
  call_boxed(call.op, stack);
  call.wrap(stack);
}

// One example's failure is an error of the whole batch.
void check_errors(const BatchCall& call, IValueStack& stack) {
  stack[0] = call.value(stack[0].toTensor());
  stack[2] = false;
  call_boxed(call.op, stack);
}

// Examples that are matrices, or batches of them, of different rank: only the ranks of the
// arguments themselves decide what a vector is, so unequal ones are looped over.
void leading_of_equal_rank(const BatchCall& call, IValueStack& stack) {
  int64_t rank = -1;
  bool equal = true;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (!t.defined()) return;
      equal &= rank < 0 || rank == t.dim();
      rank = t.dim();
    });
  if (equal && rank >= 2) return leading(call, stack);
  loop_over_batch(call, stack);
}

}  // namespace

void add_leading_rules(RuleTable& table) {
  table.add(&leading, {"clone",
                       "_to_copy",
                       "tril",
                       "triu",
                       "constant_pad_nd",

                       "view_as_real",

                       "view.dtype",
                       "linalg_inv_ex",
                       "_linalg_det",
                       "_linalg_slogdet",
                       "linalg_cholesky_ex",
                       "cholesky_inverse",
                       "linalg_lu_factor_ex",
                       "linalg_lu",
                       "linalg_ldl_factor_ex",
                       "geqrf",
                       "linalg_qr",
                       "linalg_eig",
                       "_linalg_eigvals",
                       "_linalg_eigh",
                       "_linalg_svd",
                       "linalg_matrix_exp",
                       "pixel_shuffle",
                       "pixel_unshuffle",
                       "_cdist_forward",
                       "_euclidean_dist",
                       "rrelu_with_noise_backward",
                       "log_sigmoid_backward"});
  table.add(&leading_as_they_are, {"linalg_householder_product", "lu_unpack"});
  table.add(&view_as_complex, {"view_as_complex"});
  table.add(&check_errors, {"_linalg_check_errors"});
  table.add(&leading_of_equal_rank, {"_linalg_solve_ex", "linalg_solve_triangular",
                                     "triangular_solve", "_cholesky_solve_helper"});
}

}  // namespace at::functorch
