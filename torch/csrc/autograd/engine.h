#pragma once
// Engine: runs the backward graph.
//
// The whole graph runs on the calling thread, latest node first (by sequence number), each node
// once all gradients that flow into it have arrived. Work in a node may itself use the threads of
// parallel_for.

#include <functional>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

struct Engine {
  // Flows `inputs` into `roots`, and adds to the .grad of the leaves. With `outputs`, gives the
  // gradients that arrive at those edges instead, and runs only the nodes on the way to them; with
  // `run_outputs`, the leaves among them add to their .grad: backward(inputs=...).
  static variable_list execute(const std::vector<Edge>& roots, variable_list inputs,
                               bool keep_graph, bool create_graph,
                               const std::vector<Edge>& outputs = {}, bool run_outputs = false);
  // Runs once the task under way on this thread is done.
  static void queue_callback(std::function<void()> callback);
  // Whether this thread is inside execute.
  static bool is_running();
  // A number of the innermost task of this thread, which no other has; -1 outside of execute.
  static int64_t current_task();
  // Whether the innermost task of this thread runs a node, or captures what arrives there.
  static bool will_execute(Node* node);
  // Whether a task of this thread computes gradients for given inputs only.
  static bool is_partial();
};

// Checks the gradients a node gave against what the next nodes expect: sums out broadcast
// dimensions, converts the type, takes the real part where the input was real. Throws where the
// shape does not fit.
void validate_outputs(const std::vector<Edge>& edges, variable_list& grads, const char* node);

}  // namespace torch::autograd
