#pragma once
// grad_fn objects: the Python face of autograd's nodes, and Python callables as hooks.

#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/function.h>

namespace torch {

// The object of a node, a new reference: the same object each time while it lives.
PyObject* wrap_node(const c10::intrusive_ptr<autograd::Node>& node);
// ((node, input number), ...) for n edges, a new reference.
PyObject* wrap_edges(const autograd::Edge* edges, size_t n);
// The node of a grad_fn object, or null for anything else.
c10::intrusive_ptr<autograd::Node> node_of(PyObject* o);

// hook(grad_inputs, grad_outputs) after the node, or hook(grad_outputs) before it; gives a handle
// to remove it.
PyObject* register_node_hook(const c10::intrusive_ptr<autograd::Node>& node, PyObject* fn,
                             bool before);

// node._register_hook_dict(tensor): the tensor's hooks run on the gradient that arrives for it.
PyObject* register_hook_dict(const c10::intrusive_ptr<autograd::Node>& node, PyObject* tensor);
// node._has_hook_dict(tensor): whether they do so already.
PyObject* has_hook_dict(const c10::intrusive_ptr<autograd::Node>& node, PyObject* tensor);

// A dict of callables grad -> grad | None, as Tensor._backward_hooks holds them: called in its
// order.
void add_dict_hook(const at::Tensor& t, PyObject* hooks);

// For the cycle collector: visits the hooks of a leaf that nothing but its object holds.
int traverse_tensor_hooks(const at::Tensor& t, visitproc visit, void* arg);

// A dict of callables that are called with a leaf whose .grad has changed. A new reference to it,
// or None.
PyObject* post_accumulate_hooks(const at::Tensor& t);
void set_post_accumulate_hooks(const at::Tensor& t, PyObject* hooks);

bool init_cpp_function(PyObject* module);

}  // namespace torch
