#pragma once
// What an operator does with batched tensors: its rule.
//
// A rule gets the arguments on a stack and replaces them by the results. Most rules are derived
// from a kind of operator, and know nothing but the positions of dimensions: they call the same
// operator with the values, whose batch dimension comes first, and with dimension arguments that
// are one higher. Files named *Rules.cpp list the operators of a kind.

#include <string_view>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>

namespace at::functorch {

// A call with tensors that are batched at `level`.
struct BatchCall {
  const OperatorEntry& op;
  const FunctionSchema& schema;
  int64_t level;
  int64_t batch_size;

  bool is_batched(const Tensor& t) const;
  // The rank of one example.
  int64_t rank(const Tensor& t) const { return t.dim(); }
  // With the batch first; a tensor that is the same in all examples stays as it is.
  Tensor value(const Tensor& t) const;
  // With the batch first, of any tensor.
  Tensor expanded(const Tensor& t) const;
  // Like value, with dimensions of size 1 after the batch so that examples have this rank.
  Tensor aligned(const Tensor& t, int64_t rank) const;
  // One tensor of the results.
  Tensor wrap(const Tensor& value) const;
  // All tensors of the results.
  void wrap(IValueStack& results) const;
  // The position of an argument, or -1.
  int index_of(std::string_view argument) const;
};

using Rule = void (*)(const BatchCall& call, IValueStack& stack);

struct RuleEntry {
  Rule rule = nullptr;
  bool in_place = false;  // may be applied to the form that changes its first argument
};

class RuleTable {
 public:
  void add(const OperatorEntry& op, const RuleEntry& rule) { rules_[&op] = rule; }
  const RuleEntry* find(const OperatorEntry& op) const;

 private:
  std::unordered_map<const OperatorEntry*, RuleEntry> rules_;
};

// Of NAME_copy, for each view with a rule.
void add_copies_of_views(RuleTable& table);

const RuleTable& rules();

// The rule of operators that compute every element by itself.
void elementwise(const BatchCall& call, IValueStack& stack);

// The rule of operators that take any number of leading dimensions. All tensors are expanded over
// the batch, and their examples get one rank.
void leading(const BatchCall& call, IValueStack& stack);

// Without a rule: the operator is called once for each example, and the results are stacked.
// It warns the first time, unless the loop is the rule.
void loop_over_batch(const BatchCall& call, IValueStack& stack, bool warns = true);
// The kernels that random operators have under vmap.
void install_random_kernels();

// Registers the kernels at the first vmap.
void install_batched_kernels();

// --- helpers of rules --------------------------------------------------------------------------
// A view with a dimension of size 1 at `dim`.
Tensor insert_unit_dim(const Tensor& t, int64_t dim);
// Calls an operator by name with the arguments on the stack.
void call_operator(std::string_view name, std::string_view overload, IValueStack& stack);

}  // namespace at::functorch
