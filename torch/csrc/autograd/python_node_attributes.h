#pragma once
// Attributes of grad_fn objects besides edges and hooks: metadata, the inputs' shapes, saved
// tensors.

#include <torch/csrc/object_ptr.h>

#include <torch/csrc/autograd/function.h>

namespace torch {

// The dict in which a program may keep data with a node. A new reference.
PyObject* node_metadata(autograd::Node& node);
// The same dict if it exists already, or null; borrowed.
PyObject* node_metadata_or_null(const autograd::Node& node);
// A tuple of torch._C._autograd._InputMetadata: shape, dtype and device of each forward result.
PyObject* node_input_metadata(const autograd::Node& node);

// A torch._C._autograd.SavedTensor. The node keeps what is saved alive.
PyObject* wrap_saved(const c10::intrusive_ptr<autograd::Node>& node,
                     const autograd::SavedVariable& saved);
// _saved_NAME and _raw_saved_NAME; null without an error set if the node saved no such tensor.
PyObject* find_saved(const c10::intrusive_ptr<autograd::Node>& node, const char* attribute);
// Appends _saved_NAME and _raw_saved_NAME of all saved tensors to a list of names.
void add_saved_names(const autograd::Node& node, const THPObjectPtr& list);

// Adds the types to the module torch._C._autograd.
bool init_node_attributes(PyObject* autograd_module);

}  // namespace torch
