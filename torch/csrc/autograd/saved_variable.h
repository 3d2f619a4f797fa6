#pragma once
// SavedVariable: a tensor kept for backward, with the version it had.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

// What saved_tensors_hooks put in place of a tensor.
struct SavedVariableHooks {
  virtual ~SavedVariableHooks() = default;
  virtual Tensor unpack() = 0;
  // Where the gradient of an input that was saved goes: what unpack() gives gets this history, for
  // derivatives of the derivative.
  Edge history;
};
// Gives the hooks for a tensor that is being saved, or null; set by the Python layer while hooks
// are active.
using PackHook = std::unique_ptr<SavedVariableHooks> (*)(const Tensor&);
extern thread_local PackHook t_pack_hook;

struct SavedVariable {
  SavedVariable() = default;
  // `is_output`: a result of the node that saves it. It is kept without its history, which would be
  // a cycle.
  SavedVariable(const Tensor& t, bool is_output);
  SavedVariable(SavedVariable&&) = default;
  SavedVariable& operator=(SavedVariable&&) = default;

  // The tensor as it was; undefined if an undefined one was saved. Throws when it was changed in
  // place since, or freed. `saved_for` is the node that saved it: the history of an output.
  Tensor unpack(Node* saved_for) const;
  void reset_data();
  bool was_reset() const { return reset_; }

  // What is kept: a tensor, or what hooks made of it.
  const Tensor& data() const { return data_; }
  const SavedVariableHooks* hooks() const { return hooks_.get(); }
  // Keeps what hooks made of the tensor instead of it.
  void register_hooks(std::unique_ptr<SavedVariableHooks> hooks);

 private:
  Tensor data_;
  std::unique_ptr<SavedVariableHooks> hooks_;
  uint32_t version_ = 0;
  uint32_t output_nr_ = 0;
  bool is_output_ = false;  // data_ lacks its history
  bool reset_ = false;

  void hook_history(const Tensor& t);
  Tensor unpack_hooked() const;
};

std::vector<SavedVariable> make_saved_variable_list(at::TensorList list, bool is_output);
std::vector<SavedVariable> make_saved_variable_list(at::OptionalTensorList list, bool is_output);
variable_list unpack_list(const std::vector<SavedVariable>& list, Node* saved_for);

// Thrown words that people search for.
[[noreturn]] void throw_backward_twice();

}  // namespace torch::autograd
