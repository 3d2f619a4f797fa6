#pragma once
// torch::autograd::Function: an operator with a backward pass of its own, in C++.
//
//   using namespace torch::autograd;
//   struct Cube : Function<Cube> {
//     static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x) {
//       ctx->save_for_backward({x});
//       return x * x * x;
//     }
//     static variable_list backward(AutogradContext* ctx, variable_list grads) {
//       return {grads[0] * 3 * ctx->get_saved_variables()[0].pow(2)};
//     }
//   };
//   at::Tensor y = Cube::apply(x);
//
// backward gives a gradient for each argument of forward, an undefined tensor for those that are
// none.

#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include <ATen/core/ivalue.h>
#include <c10/core/GradMode.h>
#include <c10/util/Backtrace.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

using tensor_list = variable_list;
using Variable = at::Tensor;

struct AutogradContext {
  // Tensors that backward needs. Others, and numbers, may stand in saved_data.
  void save_for_backward(variable_list tensors) { to_save_ = std::move(tensors); }
  variable_list get_saved_variables() const;
  std::unordered_map<std::string, at::IValue> saved_data;

  // Arguments that forward changed in place and gives back.
  void mark_dirty(const variable_list& inputs) { mark(dirty_, inputs); }
  void mark_non_differentiable(const variable_list& outputs) { mark(non_differentiable_, outputs); }
  // Whether backward gets zeros in place of undefined gradients (the default).
  void set_materialize_grads(bool on) { materialize_grads_ = on; }
  bool needs_input_grad(size_t tensor_argument) const {
    return node_->should_compute_output(tensor_argument);
  }

 private:
  using Marked = std::unordered_set<const c10::TensorImpl*>;
  static void mark(Marked& into, const variable_list& tensors);
  friend struct CustomNode;

  variable_list to_save_;
  std::vector<SavedVariable> saved_;
  Marked dirty_, non_differentiable_;
  Node* node_ = nullptr;
  bool materialize_grads_ = true, released_ = false;
};

// The node of one call. What depends on the function's type is in `backward`.
struct CustomNode final : Node {
  using Backward = variable_list (*)(AutogradContext*, variable_list);
  CustomNode(const char* name, Backward backward, std::vector<bool> is_tensor);
  variable_list apply(variable_list&& grads) override;
  const char* name() const override { return name_; }
  void release_variables() override;
  // Makes this node the history of the results, and keeps what forward saved.
  void finish(variable_list& outputs, const variable_list& inputs, bool executable);

  AutogradContext context;

 private:
  const char* name_;
  Backward backward_;
  std::vector<bool> is_tensor_;  // for each argument of forward
};

template <typename T>
struct Function {
  // Calls T::forward and gives what it gives: a Tensor, or a variable_list.
  template <typename... A>
  static auto apply(A&&... args) {
    static const std::string name = c10::demangle(typeid(T).name());
    variable_list inputs;
    std::vector<bool> is_tensor;
    (collect(inputs, is_tensor, args), ...);
    auto node = c10::make_intrusive<CustomNode>(name.c_str(), &T::backward, std::move(is_tensor));
    bool executable = false;
    for (const Tensor& t : inputs) {
      bool wants = t.defined() && t.requires_grad();
      node->add_next_edge(wants ? gradient_edge(t) : Edge{});
      executable |= wants;
    }
    executable = executable && c10::GradMode::is_enabled();
    auto result = [&] {
      c10::AutoGradMode without(false);
      return T::forward(&node->context, std::forward<A>(args)...);
    }();
    using Result = decltype(result);
    static_assert(std::is_same_v<Result, Tensor> || std::is_same_v<Result, variable_list>,
                  "forward gives a Tensor or a variable_list");
    if constexpr (std::is_same_v<Result, Tensor>) {
      variable_list one{std::move(result)};
      node->finish(one, inputs, executable);
      return std::move(one[0]);
    } else {
      node->finish(result, inputs, executable);
      return result;
    }
  }

 private:
  template <typename V>
  static void collect(variable_list& inputs, std::vector<bool>& is_tensor, const V& value) {
    using D = std::decay_t<V>;
    if constexpr (std::is_same_v<D, std::optional<Tensor>>) {
      is_tensor.push_back(value.has_value());
      if (value) inputs.push_back(*value);
    } else {
      is_tensor.push_back(std::is_same_v<D, Tensor>);
      if constexpr (std::is_same_v<D, Tensor>) inputs.push_back(value);
    }
  }
};

}  // namespace torch::autograd
