// Nodes: edges, hooks, and their release without recursion.

#include <torch/csrc/autograd/function.h>

#include <ATen/core/profiler/Collector.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

thread_local const std::vector<bool>* Node::task_mask_ = nullptr;

// Later nodes run earlier in backward. Counted for each thread, so that no cache line is shared.
static thread_local uint64_t t_sequence_nr = 0;

[[maybe_unused]] static const bool registered =
    (at::profiler::next_sequence_nr = [] { return t_sequence_nr; }, true);

Node::Node(uint32_t edges_hint) : Node(edges_hint, t_sequence_nr++) {}

Node::Node(uint32_t edges_hint, uint64_t sequence_nr) : sequence_nr_(sequence_nr) {
  next_edges_.reserve(edges_hint);
  if (C10_UNLIKELY(AnomalyMode::enabled) && AnomalyMode::traceback) {
    made_at_ = std::make_unique<std::string>(AnomalyMode::traceback());
  }
  if (C10_UNLIKELY(at::profiler::enabled())) at::profiler::note_node(this);
}

// Note [Freeing deep graphs]
// A node owns the next ones, and the tensors that it saved own theirs, so letting the last one go
// by recursion would use stack in proportion to the graph's depth. Whoever frees the first node
// frees the others in a loop: a node or a tensor that is destroyed meanwhile hands the nodes that
// it owned alone to that loop.
static thread_local std::vector<intrusive_ptr<Node>>* t_freeing = nullptr;

namespace {
// Frees what is handed over until its end; within another one on this thread it does nothing.
struct FreeingLoop {
  FreeingLoop() : outermost(!t_freeing) {
    if (outermost) t_freeing = &nodes;
  }
  ~FreeingLoop() {
    if (!outermost) return;
    while (!nodes.empty()) {
      intrusive_ptr<Node> node = std::move(nodes.back());
      nodes.pop_back();
      node.reset();
    }
    t_freeing = nullptr;
  }
  std::vector<intrusive_ptr<Node>> nodes;
  bool outermost;
};
}  // namespace

void free_node(intrusive_ptr<Node> node) {
  if (!node.unique()) return;
  if (t_freeing) {
    t_freeing->push_back(std::move(node));
    return;
  }
  FreeingLoop loop;
  node.reset();
}

Node::~Node() { free_edges(); }

void Node::release_resources() {
  release_variables();
  free_edges();
}

void Node::free_edges() {
  FreeingLoop loop;
  hooks_.reset();
  // One by one: two edges to one node do not own it alone until the first is gone.
  for (Edge& e : next_edges_) {
    if (e.function) free_node(std::move(e.function));
  }
  next_edges_.clear();
}

void Node::collect(const Tensor& t) {
  next_edges_.push_back(t.defined() ? gradient_edge(t) : Edge{});
}
void Node::collect(const std::optional<Tensor>& t) { collect(at::value_or_undefined(t)); }
void Node::collect(at::TensorList list) {
  for (const Tensor& t : list) collect(t);
}
void Node::collect(at::OptionalTensorList list) {
  for (const auto& t : list) collect(t);
}

Tensor InputMetadata::zeros_like() const {
  return at::zeros(sizes, at::TensorOptions(dtype).device(device));
}

}  // namespace torch::autograd
