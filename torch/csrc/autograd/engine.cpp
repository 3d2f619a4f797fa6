// The engine: runs the nodes of a graph in order, and adds gradients up.

#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <atomic>

#include <ATen/core/profiler/Collector.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/any.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/item.h>
#include <ATen/ops/real.h>
#include <c10/util/Logging.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_log.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {
namespace {

// The state of one node in one task.
struct NodeTask {
  Node* node = nullptr;
  intrusive_ptr<Node> keep;
  uint32_t waiting = 0;  // gradients that are still to come
  bool needed = true;    // on the way to a requested output
  bool queued = false;
  int capture = -1;  // first entry of `captures` for this node
  variable_list inputs;
};

struct Capture {
  Node* node;
  uint32_t input_nr;
  size_t output;
  int next;
};

// Node* -> index, open addressing: a task looks every edge up once or twice.
class NodeTable {
 public:
  explicit NodeTable(size_t expected = 16) { grow(expected * 2); }
  uint32_t& slot(Node* node, bool& inserted) {
    if (2 * (used_ + 1) > keys_.size()) grow(keys_.size() * 2);
    size_t i = find(node);
    inserted = keys_[i] == nullptr;
    if (inserted) {
      keys_[i] = node;
      ++used_;
    }
    return values_[i];
  }
  int64_t get(Node* node) const {
    size_t i = find(node);
    return keys_[i] ? static_cast<int64_t>(values_[i]) : -1;
  }

 private:
  size_t find(Node* node) const {
    size_t mask = keys_.size() - 1;
    size_t i = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 20 & mask;
    while (keys_[i] && keys_[i] != node) i = (i + 1) & mask;
    return i;
  }
  void grow(size_t n) {
    size_t size = 16;
    while (size < n) size *= 2;
    std::vector<Node*> keys(size);
    std::vector<uint32_t> values(size);
    std::swap(keys, keys_);
    std::swap(values, values_);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i]) continue;
      size_t at = find(keys[i]);
      keys_[at] = keys[i];
      values_[at] = values[i];
    }
  }
  std::vector<Node*> keys_;
  std::vector<uint32_t> values_;
  size_t used_ = 0;
};

struct GraphTask {
  NodeTable table;
  std::vector<NodeTask> tasks;
  std::vector<uint32_t> ready;  // a heap: latest sequence number on top
  std::vector<Capture> captures;
  variable_list captured;
  std::vector<std::function<void()>> callbacks;
  bool keep_graph = false;
  GraphTask* outer = nullptr;
  int64_t number = 0;

  uint32_t add(const intrusive_ptr<Node>& node, bool& inserted) {
    uint32_t& index = table.slot(node.get(), inserted);
    if (inserted) {
      index = static_cast<uint32_t>(tasks.size());
      NodeTask& t = tasks.emplace_back();
      t.node = node.get();
      t.inputs.resize(std::max<size_t>(node->num_inputs(), 1));
    }
    return index;
  }

  bool earlier(uint32_t a, uint32_t b) const {
    return tasks[a].node->sequence_nr() < tasks[b].node->sequence_nr();
  }
  void push(uint32_t index) {
    if (tasks[index].queued) return;
    tasks[index].queued = true;
    ready.push_back(index);
    std::push_heap(ready.begin(), ready.end(),
                   [&](uint32_t a, uint32_t b) { return earlier(a, b); });
  }
  uint32_t pop() {
    std::pop_heap(ready.begin(), ready.end(),
                  [&](uint32_t a, uint32_t b) { return earlier(a, b); });
    uint32_t index = ready.back();
    ready.pop_back();
    return index;
  }

  void discover(const std::vector<Edge>& roots);
  void mark_needed(const std::vector<Edge>& outputs, bool run_outputs);
  void add_input(uint32_t index, uint32_t nr, Tensor grad);
  void run(uint32_t index);
};

thread_local GraphTask* t_task = nullptr;

// Finds the nodes and counts how many gradients each waits for.
void GraphTask::discover(const std::vector<Edge>& roots) {
  std::vector<uint32_t> stack;
  for (const Edge& e : roots) {
    bool inserted;
    uint32_t i = add(e.function, inserted);
    tasks[i].keep = e.function;
    if (inserted) stack.push_back(i);
  }
  while (!stack.empty()) {
    uint32_t i = stack.back();
    stack.pop_back();
    Node* node = tasks[i].node;
    for (const Edge& e : node->next_edges()) {
      if (!e.is_valid()) continue;
      bool inserted;
      uint32_t k = add(e.function, inserted);
      ++tasks[k].waiting;
      if (inserted) stack.push_back(k);
    }
  }
}

// Marks the nodes from which a requested output can be reached, later nodes' needs first.
void GraphTask::mark_needed(const std::vector<Edge>& outputs, bool run_outputs) {
  for (NodeTask& t : tasks) t.needed = false;
  captured.resize(outputs.size());
  for (size_t o = 0; o < outputs.size(); ++o) {
    int64_t i = table.get(outputs[o].function.get());
    if (i < 0) continue;
    NodeTask& t = tasks[i];
    captures.push_back({t.node, outputs[o].input_nr, o, t.capture});
    t.capture = static_cast<int>(captures.size() - 1);
    if (run_outputs && t.node->next_edges().empty())
      t.needed = true;  // a leaf: it adds to its .grad
  }
  // A depth-first walk in post order; the stack is explicit since graphs are deep.
  std::vector<uint8_t> state(tasks.size(), 0);
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t root = 0; root < tasks.size(); ++root) {
    if (state[root]) continue;
    stack.emplace_back(root, 0);
    state[root] = 1;
    while (!stack.empty()) {
      auto& [i, edge] = stack.back();
      const auto& edges = tasks[i].node->next_edges();
      bool descended = false;
      while (edge < edges.size()) {
        const Edge& e = edges[edge++];
        if (!e.is_valid()) continue;
        auto k = static_cast<uint32_t>(table.get(e.function.get()));
        if (!state[k]) {
          state[k] = 1;
          stack.emplace_back(k, 0);
          descended = true;
          break;
        }
      }
      if (descended) continue;
      uint32_t done = i;
      stack.pop_back();
      for (const Edge& e : tasks[done].node->next_edges()) {
        if (!e.is_valid()) continue;
        const NodeTask& next = tasks[table.get(e.function.get())];
        if (next.needed || next.capture >= 0) tasks[done].needed = true;
      }
    }
  }
}

void GraphTask::add_input(uint32_t index, uint32_t nr, Tensor grad) {
  NodeTask& t = tasks[index];
  TORCH_INTERNAL_ASSERT(nr < t.inputs.size());
  Tensor& slot = t.inputs[nr];
  if (!grad.defined()) return;
  slot = slot.defined() ? add_gradients(std::move(slot), grad) : std::move(grad);
}

void run_tensor_hooks(std::vector<std::pair<uint32_t, std::shared_ptr<TensorHook>>>& hooks,
                      variable_list& grads) {
  // By index: a hook may add hooks.
  for (size_t k = 0; k < hooks.size(); ++k) {
    auto [nr, hook] = hooks[k];
    if (hook && nr < grads.size() && grads[nr].defined()) grads[nr] = (*hook)(grads[nr]);
  }
}

// Anomaly mode: a failure is reported with the place of the forward call, and NaN is a failure.
variable_list checked_apply(Node& node, variable_list inputs) {
  try {
    variable_list outputs = node.apply(std::move(inputs));
    if (AnomalyMode::check_nan) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].defined() || !(outputs[i].is_floating_point() || outputs[i].is_complex()))
          continue;
        c10::NoGradGuard no_grad;
        TORCH_CHECK(!at::item(at::any(at::isnan(outputs[i]))).toBool(), "Function '", node.name(),
                    "' returned nan values in its ", i, "th output.");
      }
    }
    return outputs;
  } catch (...) {
    TORCH_WARN("Error detected in ", node.name(), ". ",
               node.made_at()
                   ? "Traceback of forward call that caused the error:\n" + *node.made_at()
                   : std::string("No forward pass information available. Enable detect anomaly "
                                 "during forward pass."));
    throw;
  }
}

void GraphTask::run(uint32_t index) {
  intrusive_ptr<Node> node = intrusive_ptr<Node>::reclaim_copy(tasks[index].node);
  at::profiler::NodeGuard evaluated(*node, at::profiler::RangeKind::evaluate);
  variable_list inputs = std::move(tasks[index].inputs);
  NodeHooks* hooks = node->hooks_or_null();
  if (hooks) run_tensor_hooks(hooks->tensor_pre, inputs);
  for (int c = tasks[index].capture; c >= 0; c = captures[c].next) {
    Tensor grad = inputs[captures[c].input_nr];
    // A leaf's hooks stand with the leaf, not in its node.
    if (auto* leaf = dynamic_cast<AccumulateGrad*>(node.get())) {
      auto* meta = get_autograd_meta(leaf->variable);
      if (meta && meta->hooks && grad.defined()) {
        for (auto& hook : meta->hooks->pre) grad = (*hook)(grad);
      }
    }
    captured[captures[c].output] = grad;
  }
  if (hooks) run_tensor_hooks(hooks->retains_grad, inputs);
  if (!tasks[index].needed) return;
  if (hooks) {
    for (auto& hook : std::vector<std::shared_ptr<NodeHook>>(hooks->pre)) hook->pre(inputs);
  }
  std::vector<bool> mask;
  if (!captures.empty()) {
    for (const Edge& e : node->next_edges()) {
      int64_t k = e.is_valid() ? table.get(e.function.get()) : -1;
      mask.push_back(k >= 0 && (tasks[k].needed || tasks[k].capture >= 0));
    }
  }
  bool has_post = hooks && !hooks->post.empty();
  variable_list before;
  if (has_post) before = inputs;
  variable_list outputs;
  {
    const std::vector<bool>* outer_mask = Node::task_mask_;
    Node::task_mask_ = captures.empty() ? nullptr : &mask;
    struct Restore {
      const std::vector<bool>* value;
      ~Restore() { Node::task_mask_ = value; }
    } restore{outer_mask};
    std::lock_guard lock(node->mutex_);
    if (c10::log_enabled(c10::LogArtifact::AutogradNodes)) log_node_run(*node, inputs);
    at::profiler::NodeGuard applied(*node, at::profiler::RangeKind::node, &inputs);
    if (C10_UNLIKELY(AnomalyMode::enabled)) {
      outputs = checked_apply(*node, std::move(inputs));
    } else {
      outputs = node->apply(std::move(inputs));
    }
    if (!keep_graph) node->release_variables();
  }
  TORCH_CHECK(outputs.size() >= node->next_edges().size() || node->next_edges().empty(),
              "Function ", node->name(), " returned an invalid number of gradients - expected ",
              node->next_edges().size(), ", but got ", outputs.size());
  validate_outputs(node->next_edges(), outputs, node->name());
  if (has_post) {
    for (auto& hook : std::vector<std::shared_ptr<NodeHook>>(hooks->post))
      hook->post(outputs, before);
  }
  const auto& edges = node->next_edges();
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid()) continue;
    auto k = static_cast<uint32_t>(table.get(edges[i].function.get()));
    add_input(k, edges[i].input_nr, std::move(outputs[i]));
    if (--tasks[k].waiting == 0) push(k);
  }
}

}  // namespace

void validate_outputs(const std::vector<Edge>& edges, variable_list& grads, const char* node) {
  for (size_t i = 0; i < edges.size() && i < grads.size(); ++i) {
    const Edge& e = edges[i];
    Tensor& g = grads[i];
    if (!e.is_valid() || !g.defined() || e.input_nr >= e.function->num_inputs()) continue;
    const InputMetadata& expected = e.function->input_metadata(e.input_nr);
    if (!expected.defined()) continue;
    if (g.sizes() != c10::IntArrayRef(expected.sizes)) {
      TORCH_CHECK(at::is_expandable_to(expected.sizes, g.sizes()), "Function ", node,
                  " returned an invalid gradient at index ", i, " - got ", g.sizes(),
                  " but expected shape compatible with ", c10::IntArrayRef(expected.sizes));
      g = at::sum_to(g, expected.sizes);
    }
    if (g.scalar_type() != expected.dtype && !expected.any_dtype) {
      if (g.is_complex() && !c10::isComplexType(expected.dtype)) g = at::real(g);
      if (g.scalar_type() != expected.dtype) g = at::_to_copy(g, at::TensorOptions(expected.dtype));
    }
    TORCH_CHECK(g.device() == expected.device, "Function ", node,
                " returned an invalid gradient at index ", i, " - expected device ",
                expected.device, " but got ", g.device());
  }
}

bool Engine::is_running() { return t_task != nullptr; }

int64_t Engine::current_task() { return t_task ? t_task->number : -1; }

bool Engine::will_execute(Node* node) {
  TORCH_CHECK(t_task, "_will_engine_execute_node(): expected to be called during a backward pass");
  const int64_t k = t_task->table.get(node);
  return k >= 0 && (t_task->tasks[k].needed || t_task->tasks[k].capture >= 0);
}

bool Engine::is_partial() {
  for (GraphTask* task = t_task; task; task = task->outer) {
    if (!task->captures.empty()) return true;
  }
  return false;
}

void Engine::queue_callback(std::function<void()> callback) {
  TORCH_CHECK(t_task, "Final callbacks can only be installed during backward pass.");
  GraphTask* task = t_task;
  while (task->outer) task = task->outer;
  task->callbacks.push_back(std::move(callback));
}

variable_list Engine::execute(const std::vector<Edge>& roots, variable_list inputs, bool keep_graph,
                              bool create_graph, const std::vector<Edge>& outputs,
                              bool run_outputs) {
  validate_outputs(roots, inputs, "backward");
  GraphTask task;
  task.keep_graph = keep_graph;
  task.outer = t_task;
  static std::atomic<int64_t> next_number{0};
  task.number = next_number.fetch_add(1, std::memory_order_relaxed);
  t_task = &task;
  struct Restore {
    GraphTask* outer;
    ~Restore() { t_task = outer; }
  } restore{task.outer};
  c10::AutoGradMode grad_mode(create_graph);
  // Backward computes like forward does: what the caller excluded or switched on for its own calls
  // is not ours.
  task.discover(roots);
  if (!outputs.empty()) task.mark_needed(outputs, run_outputs);
  C10_LOG_ARTIFACT(Autograd, "backward from ", roots.size(), " outputs through ", task.tasks.size(),
                   " nodes", keep_graph ? ", keeping the graph" : "",
                   create_graph ? ", creating a graph" : "");
  for (size_t i = 0; i < roots.size(); ++i) {
    auto k = static_cast<uint32_t>(task.table.get(roots[i].function.get()));
    task.add_input(k, roots[i].input_nr, std::move(inputs[i]));
  }
  for (const Edge& e : roots) {
    auto k = static_cast<uint32_t>(task.table.get(e.function.get()));
    if (task.tasks[k].waiting == 0) task.push(k);
  }
  while (!task.ready.empty()) task.run(task.pop());
  for (size_t i = 0; i < task.callbacks.size(); ++i) task.callbacks[i]();
  return std::move(task.captured);
}

}  // namespace torch::autograd
