#pragma once
// torch.autograd.Function: differentiable functions written in Python.

#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/function.h>

namespace torch {

// The ctx object of a node that a Function made (a new reference), or null for other nodes.
PyObject* python_function_object(const autograd::Node& node);
// The node of a ctx object; null for other objects, and when the graph is gone.
c10::intrusive_ptr<autograd::Node> node_of_python_function(PyObject* o);
// For the cycle collector: visits the ctx of a node that the caller's object holds alone.
int traverse_python_function(const autograd::Node& node, visitproc visit, void* arg);

bool init_python_function(PyObject* module);

}  // namespace torch
