Nodes of the graph and the kernels that record them. See torchgen/template.py.

//// file
// Written by torchgen from native_functions.yaml.

#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/FunctionsManual.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/common/OutputChecks.h>
$includes

namespace torch::autograd {
namespace {
using namespace at;
using namespace generated;

$nodes
}  // namespace

namespace VariableType {
using namespace at;

$kernels
}  // namespace VariableType
}  // namespace torch::autograd

//// node
struct $node final : Node {
  $node() : Node($edges) {}
  const char* name() const override { return "$node"; }
  variable_list apply(variable_list&& grads) override;
  void release_variables() override {
    $release
  }
  $visit
  $fields
};

variable_list $node::apply(variable_list&& grads) {
  variable_list grad_inputs($size);
  if (!any_defined(grads)) return grad_inputs;
  [[maybe_unused]] const Tensor& grad = grads[0];
  $locals
  $formulas
  return grad_inputs;
}

//// visit_saved
void visit_saved(void (*visit)(void*, const char*, const SavedVariable&), void* context) const override {
  $visits
}

//// formula
if (task_should_compute_output($index)) grad_inputs[$index] = $formula;$place

//// list_formula
if (task_should_compute_any($index, num_outputs())) put_list(grad_inputs, $index, $formula);$place

//// joint_formula
{
  [[maybe_unused]] std::array<bool, $count> grad_input_mask{{$mask}};
  if ($any) {
    auto computed = $formula;$place
    $gradients
  }
}

//// kernel
$result $name(DispatchKeySet keys$comma$parameters) {
  $body
}

//// out_body
if ($requires_grad) throw_error_out_requires_grad("$base");
BelowAutograd guard;
return $redispatch;

//// inplace_body
check_inplace($self, "$base", $requires_grad);
$record
{ BelowAutograd guard; $redispatch; }
if (node) {
  $rebase($self, node);
  $save_results
}
return $self;

//// functional_body
$record
auto result_ = [&] { BelowAutograd guard; return $redispatch; }();
if (node) {
  $check_no_view
  set_history($results, node);
  $save_results
}
return result_;

//// record
intrusive_ptr<$node> node;
if ($requires_grad) {
  node = make_node<$node>();
  node->collect_next_edges($inputs);
  $prepare
  $save
}
