#pragma once
// Calls that Python answers: modes, and classes of tensors with a __torch_dispatch__.
//
// Note [Python dispatch]
// A tensor whose class defines __torch_dispatch__ carries the key Python, which stands below
// autograd. While a mode is on, the key is among the thread's included keys, and so every call
// comes here. The innermost mode answers first, with itself taken off the stack; without modes, the
// classes of the arguments do, subclasses before their bases. Calls that use neither cost nothing.

#include <torch/csrc/object_ptr.h>
#include <torch/csrc/safe_object.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/OperatorEntry.h>

#include <vector>

namespace torch {

// A mode of the thread. Functions get (name, overload, args, kwargs); other objects are asked by
// __torch_dispatch__(func, types, args, kwargs).
struct DispatchMode {
  SafePyObject object;
  bool is_function;
  int rank;  // Modes of the library itself come after the user's, in the order of their ranks.
};
constexpr int kUserMode = 3;

std::vector<DispatchMode>& dispatch_modes();  // innermost last
// Modes at the key PreDispatch, which see calls above autocast, transforms and autograd, with
// composite operators whole.
std::vector<DispatchMode>& pre_dispatch_modes();
// Call after a change of dispatch_modes() or pre_dispatch_modes().
void update_python_key();

// Whether instances of the class answer calls.
bool has_torch_dispatch(PyTypeObject* type);
// Marks a tensor whose Python object has such a class.
void set_python_dispatch(const at::Tensor& t);
// OpOverload.py_impl(mode or class) has registered a function, so that handlers are searched for.
void use_python_key_tables();
// torch.ops.aten.add.Tensor: a new reference.
PyObject* overload_object(const at::OperatorEntry& op);

}  // namespace torch
