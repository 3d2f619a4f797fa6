// Graphs in the log: TORCH_LOGS=autograd.

#include <torch/csrc/autograd/graph_log.h>

#include <c10/util/Logging.h>

namespace torch::autograd {
namespace {

// As PyTorch's logs shorten them: f32[2, 3].
std::string short_type(const Tensor& t) {
  if (!t.defined()) return "None";
  switch (t.scalar_type()) {
    case c10::ScalarType::Float:
      return "f32";
    case c10::ScalarType::Double:
      return "f64";
    case c10::ScalarType::Half:
      return "f16";
    case c10::ScalarType::BFloat16:
      return "bf16";
    case c10::ScalarType::ComplexFloat:
      return "c64";
    case c10::ScalarType::ComplexDouble:
      return "c128";
    default:
      return c10::dtypeName(t.scalar_type());
  }
}

std::string describe(const Tensor& t) {
  return t.defined() ? c10::str(short_type(t), t.sizes()) : "None";
}

std::string label(const Node& node) {
  const char* name = node.name();
  constexpr std::string_view kSpace = "torch::autograd::";
  if (std::string_view(name).substr(0, kSpace.size()) == kSpace) name += kSpace.size();
  // A leaf's node has no number of its own: it runs as soon as it can.
  if (node.sequence_nr() == UINT64_MAX) return c10::str("<", name, ">");
  return c10::str("<", name, " #", node.sequence_nr(), ">");
}

}  // namespace

void log_node_made(const Node& node, const Tensor& result) {
  std::string next;
  for (const Edge& e : node.next_edges()) {
    next += next.empty() ? "" : ", ";
    next += e.is_valid() ? label(*e.function) : "None";
  }
  C10_LOG_ARTIFACT(AutogradNodes, "Built: ", label(node), " for ", describe(result),
                   " with next nodes: [", next, "]");
}

void log_node_run(const Node& node, const variable_list& grads) {
  std::string list;
  for (const Tensor& g : grads) list += (list.empty() ? "" : ", ") + describe(g);
  C10_LOG_ARTIFACT(AutogradNodes, "Executing: ", label(node), " with grad_outputs: [", list, "]");
}

void log_accumulated(const Tensor& variable, const Tensor& grad, const char* how) {
  C10_LOG_ARTIFACT(AutogradNodes, "Accumulating: ", describe(grad), " into .grad of a leaf ",
                   describe(variable), ", ", how);
}

}  // namespace torch::autograd
