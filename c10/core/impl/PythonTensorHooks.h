#pragma once
// What tensors of Python classes with a __torch_dispatch__ answer in Python. torch/csrc sets the
// functions; a program without such classes never calls them.

#include <c10/util/intrusive_ptr.h>

namespace c10 {

struct TensorImpl;

namespace impl {

// The detached tensor that the tensor's class makes: shallow_copy() of a tensor with the key
// Python.
using PythonDetach = intrusive_ptr<TensorImpl> (*)(const TensorImpl&);
void set_python_detach(PythonDetach detach);

}  // namespace impl
}  // namespace c10
