#pragma once
// Node: one step of the backward graph. Its edges lead to the nodes of the inputs of the forward
// call.

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ForkMutex.h>

namespace torch::autograd {

using at::Tensor;
using c10::intrusive_ptr;
using variable_list = std::vector<Tensor>;

struct Node;
struct SavedVariable;

// A place in the graph: input number `input_nr` of a node. Empty where no gradient is wanted.
struct Edge {
  intrusive_ptr<Node> function;
  uint32_t input_nr = 0;
  bool is_valid() const { return function.defined(); }
};

// What a gradient that flows into a node has to look like: the shape and type of the forward
// result, or for a leaf the type that its `grad_dtype` says.
struct InputMetadata {
  InputMetadata() = default;
  explicit InputMetadata(const Tensor& t)
      : sizes(t.sizes()), dtype(t.scalar_type()), device(t.device()) {}
  bool defined() const { return dtype != c10::ScalarType::Undefined; }
  Tensor zeros_like() const;
  c10::DimVector sizes;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  bool any_dtype = false;  // gradients are taken in the type in which they come
  c10::Device device{c10::kCPU};
};

// Called with the gradients that flow into a node (pre) or out of it (post), and may replace them.
struct NodeHook {
  virtual ~NodeHook() = default;
  virtual void pre(variable_list& /*grads*/) {}
  virtual void post(variable_list& /*outputs*/, const variable_list& /*inputs*/) {}
};
// Called with the gradient of one tensor; gives its replacement.
struct TensorHook {
  virtual ~TensorHook() = default;
  virtual Tensor operator()(const Tensor& grad) = 0;
};

struct NodeHooks {
  std::vector<std::pair<uint32_t, std::shared_ptr<TensorHook>>> tensor_pre;  // by input number
  std::vector<std::pair<uint32_t, std::shared_ptr<TensorHook>>> retains_grad;
  std::vector<std::shared_ptr<NodeHook>> pre, post;
};

struct Node : c10::intrusive_ptr_target {
  explicit Node(uint32_t edges_hint = 0);
  ~Node() override;

  // Gradients of the forward results in, gradients of the forward inputs out.
  virtual variable_list apply(variable_list&& grads) = 0;
  virtual const char* name() const = 0;
  // Frees what was saved; a later apply then throws.
  virtual void release_variables() {}
  virtual void visit_saved(void (*)(void*, const char*, const SavedVariable&), void*) const {}

  // --- edges -------------------------------------------------------------------------------
  const std::vector<Edge>& next_edges() const { return next_edges_; }
  const Edge& next_edge(size_t i) const { return next_edges_[i]; }
  uint32_t num_outputs() const { return static_cast<uint32_t>(next_edges_.size()); }
  void add_next_edge(Edge edge) { next_edges_.push_back(std::move(edge)); }
  void set_next_edges(std::vector<Edge> edges) { next_edges_ = std::move(edges); }
  // Whether a gradient for forward input i leads anywhere.
  bool should_compute_output(size_t i) const {
    return i < next_edges_.size() && next_edges_[i].is_valid();
  }
  // The same for the task that runs this node now, which may want only some gradients. For use in
  // apply alone: a node that is being made in there is not the one that is running.
  bool task_should_compute_output(size_t i) const {
    return should_compute_output(i) && (!task_mask_ || (*task_mask_)[i]);
  }
  bool task_should_compute_any(size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
      if (task_should_compute_output(i)) return true;
    }
    return false;
  }
  template <typename... A>
  void collect_next_edges(const A&... a) {
    (collect(a), ...);
  }

  // --- inputs ------------------------------------------------------------------------------
  uint32_t add_input_metadata(const Tensor& t) {
    input_metadata_.emplace_back(t);
    return static_cast<uint32_t>(input_metadata_.size() - 1);
  }
  uint32_t add_undefined_input() {
    input_metadata_.emplace_back();
    return static_cast<uint32_t>(input_metadata_.size() - 1);
  }
  uint32_t num_inputs() const { return static_cast<uint32_t>(input_metadata_.size()); }
  const InputMetadata& input_metadata(size_t i) const { return input_metadata_[i]; }
  void set_input_metadata(size_t i, const Tensor& t) { input_metadata_[i] = InputMetadata(t); }
  void set_input_dtype(size_t i, c10::ScalarType dtype, bool any_dtype) {
    input_metadata_[i].dtype = dtype;
    input_metadata_[i].any_dtype = any_dtype;
  }

  uint64_t sequence_nr() const { return sequence_nr_; }
  void set_sequence_nr(uint64_t n) { sequence_nr_ = n; }
  NodeHooks& hooks() {
    if (!hooks_) hooks_ = std::make_unique<NodeHooks>();
    return *hooks_;
  }
  NodeHooks* hooks_or_null() const { return hooks_.get(); }

  // Where the forward call was made: in anomaly mode only.
  const std::string* made_at() const { return made_at_.get(); }

  // Held while saved variables are read or freed: graphs may be walked by several threads.
  c10::ForkMutex mutex_;
  // The Python object of this node; see python_cpp_function.cpp.
  struct _object* pyobj = nullptr;

 protected:
  Node(uint32_t edges_hint, uint64_t sequence_nr);
  // The last owner is gone, but a weak one keeps the memory: what the node held must not live on
  // with it, since it may be what holds the weak one.
  void release_resources() override;

 private:
  void free_edges();
  void collect(const Tensor& t);
  void collect(const std::optional<Tensor>& t);
  void collect(at::TensorList list);
  void collect(at::OptionalTensorList list);

  uint64_t sequence_nr_;
  std::vector<Edge> next_edges_;
  std::vector<InputMetadata> input_metadata_;
  std::unique_ptr<NodeHooks> hooks_;
  std::unique_ptr<std::string> made_at_;

 public:
  // Set while a task that wants only some gradients runs this node on this thread.
  static thread_local const std::vector<bool>* task_mask_;
};

// Lets go of a node: Note [Freeing deep graphs].
void free_node(intrusive_ptr<Node> node);

// The owner of a new node.
inline intrusive_ptr<Node> own_node(Node* node) {
  c10::intrusive_access::adopt(node);
  return intrusive_ptr<Node>::reclaim(node);
}
template <typename N>
intrusive_ptr<N> make_node() {
  return c10::make_intrusive<N>();
}

inline bool any_defined(const variable_list& list) {
  for (const Tensor& t : list) {
    if (t.defined()) return true;
  }
  return false;
}

}  // namespace torch::autograd
