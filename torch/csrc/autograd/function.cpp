#include <torch/csrc/autograd/function.h>

#include <ATen/core/profiler/Collector.h>
#include <ATen/native/StructuredOutputs.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

thread_local const std::vector<bool>* Node::task_mask_ = nullptr;

// Later nodes run earlier in backward. Counted for each thread, so that no cache line is shared.
static thread_local uint64_t t_sequence_nr = 0;

[[maybe_unused]] static const bool told =
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
// A node owns the next ones, so letting the last one go by recursion would use stack in proportion
// to the graph's depth. Whoever frees the first node frees those that lose their last owner in a
// loop instead.
static thread_local std::vector<Edge>* t_freeing = nullptr;

Node::~Node() { free_edges(); }

void Node::release_resources() {
  release_variables();
  hooks_.reset();
  free_edges();
  next_edges_.clear();
}

void Node::free_edges() {
  if (t_freeing) {
    for (Edge& e : next_edges_) {
      if (e.function && e.function.unique()) t_freeing->push_back(std::move(e));
    }
    return;
  }
  bool deep = false;
  for (Edge& e : next_edges_) deep |= e.function && e.function.unique();
  if (!deep) return;
  std::vector<Edge> freeing;
  t_freeing = &freeing;
  for (Edge& e : next_edges_) {
    if (e.function && e.function.unique()) freeing.push_back(std::move(e));
  }
  while (!freeing.empty()) {
    Edge e = std::move(freeing.back());
    freeing.pop_back();
    e.function.reset();
  }
  t_freeing = nullptr;
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
