// Products of matrices and vectors: all become at::matmul of the values, which folds a batch into
// one large product where only one operand has it.

#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/add.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>

namespace at::functorch {
namespace {

void check_rank(const BatchCall& call, const Tensor& t, int64_t rank) {
  TORCH_CHECK(t.dim() == rank, call.op.name, ": expected a tensor with ", rank,
              " dimensions in each example, but got ", t.dim());
}

// Of matrices, or batches of matrices.
Tensor product(const BatchCall& call, const Tensor& a, const Tensor& b, int64_t rank) {
  check_rank(call, a, rank);
  check_rank(call, b, rank);
  const int64_t d = rank;
  TORCH_CHECK(a.sizes()[d - 1] == b.sizes()[d - 2] && (d < 3 || a.sizes()[0] == b.sizes()[0]),
              call.op.name, ": shapes ", a.sizes(), " and ", b.sizes(), " cannot be multiplied");
  return call.wrap(at::matmul(call.value(a), call.value(b)));
}

Tensor matrix_vector(const BatchCall& call, const Tensor& a, const Tensor& b) {
  check_rank(call, a, 2);
  check_rank(call, b, 1);
  TORCH_CHECK(a.sizes()[1] == b.sizes()[0], call.op.name, ": size mismatch, got input (",
              a.sizes()[0], "x", a.sizes()[1], "), vec (", b.sizes()[0], ")");
  Tensor x = call.value(a), y = call.value(b);
  if (!call.is_batched(b)) return call.wrap(at::matmul(x, y));
  if (!call.is_batched(a)) return call.wrap(at::matmul(y, at::t(x)));
  return call.wrap(at::squeeze(at::matmul(x, at::unsqueeze(y, 2)), 2));
}

Tensor inner_product(const BatchCall& call, const Tensor& a, const Tensor& b, bool conjugates) {
  check_rank(call, a, 1);
  check_rank(call, b, 1);
  TORCH_CHECK(a.sizes() == b.sizes(), call.op.name,
              ": inconsistent tensor size, expected vectors of the same length, got ", a.sizes()[0],
              " and ", b.sizes()[0]);
  Tensor x = call.value(a), y = call.value(b);
  if (conjugates) x = at::conj(x);
  if (!call.is_batched(a)) return call.wrap(at::matmul(y, x));
  if (!call.is_batched(b)) return call.wrap(at::matmul(x, y));
  Tensor each = at::matmul(at::unsqueeze(x, 1), at::unsqueeze(y, 2));
  return call.wrap(at::squeeze(each, IntArrayRef({1, 2})));
}

void mm(const BatchCall& call, IValueStack& stack) {
  stack = IValueStack{product(call, stack[0].toTensor(), stack[1].toTensor(), 2)};
}
void bmm(const BatchCall& call, IValueStack& stack) {
  stack = IValueStack{product(call, stack[0].toTensor(), stack[1].toTensor(), 3)};
}
void mv(const BatchCall& call, IValueStack& stack) {
  stack = IValueStack{matrix_vector(call, stack[0].toTensor(), stack[1].toTensor())};
}
void dot(const BatchCall& call, IValueStack& stack) {
  const bool conjugates = call.schema.name == "aten::vdot" && stack[0].toTensor().is_complex();
  stack = IValueStack{inner_product(call, stack[0].toTensor(), stack[1].toTensor(), conjugates)};
}

bool is_one(const Scalar& s) { return s.isIntegral(true) && s.toLong() == 1; }
bool is_zero(const Scalar& s) { return !s.isComplex() && s.toDouble() == 0; }

// beta * self + alpha * product, of batched and other tensors alike.
void add_product(const BatchCall& call, IValueStack& stack, const char* name) {
  const Tensor self = stack[0].toTensor(), a = stack[1].toTensor(), b = stack[2].toTensor();
  const Scalar beta = stack[3].toScalar(), alpha = stack[4].toScalar();
  IValueStack factors{a, b};
  call_operator(name, "", factors);
  Tensor result = factors[0].toTensor();
  if (call.schema.name == "aten::addbmm") result = at::sum(result, 0);
  if (is_zero(beta)) {
    if (!is_one(alpha)) result = at::mul(result, alpha);
  } else {
    result = at::add(is_one(beta) ? self : at::mul(self, beta), result, alpha);
  }
  stack = IValueStack{result};
}

void addmm(const BatchCall& call, IValueStack& stack) { add_product(call, stack, "mm"); }
void addmv(const BatchCall& call, IValueStack& stack) { add_product(call, stack, "mv"); }
void addr(const BatchCall& call, IValueStack& stack) { add_product(call, stack, "outer"); }
void baddbmm(const BatchCall& call, IValueStack& stack) { add_product(call, stack, "bmm"); }

}  // namespace

namespace batch_rules {
const RuleEntry mm{&functorch::mm};
const RuleEntry bmm{&functorch::bmm};
const RuleEntry mv{&functorch::mv};
const RuleEntry dot{&functorch::dot};
const RuleEntry addmm{&functorch::addmm};
const RuleEntry addmv{&functorch::addmv};
const RuleEntry addr{&functorch::addr};
const RuleEntry baddbmm{&functorch::baddbmm};
}  // namespace batch_rules

}  // namespace at::functorch
