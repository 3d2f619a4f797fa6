#pragma once
// Sizes, strides, device and layout of a tensor as Python objects.
//
// Note [Geometry from Python]
// A wrapper subclass may ask to answer for its geometry itself: what Python reads then comes from
// __torch_dispatch__, which gets aten.sym_size, aten.sym_stride, prim.device and so on. Kernels see
// the geometry that the wrapper was made with. Such a tensor has an implementation of its own,
// which only tensors with the key Python are searched for.

#include <torch/csrc/python_types.h>

#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>

namespace torch {

// What a class answers for.
struct GeometryPolicy {
  bool strides = false;
  bool sizes = false;  // and strides
  bool device = false;
  bool layout = false;
};

struct PythonGeometryImpl final : c10::TensorImpl {
  using TensorImpl::TensorImpl;
  c10::intrusive_ptr<TensorImpl> shallow_copy() const override;
  const char* tensorimpl_type_name() const override { return "PythonGeometryImpl"; }

  GeometryPolicy policy;
};

const GeometryPolicy* find_geometry_policy(const at::Tensor& t);
// The policy of a tensor; null for all but wrappers that have asked for one.
inline const GeometryPolicy* geometry_of(const at::Tensor& t) {
  return C10_LIKELY(!t.key_set().has(c10::Functionality::Python)) ? nullptr
                                                                  : find_geometry_policy(t);
}

// New references. `o` is the object of the tensor.
PyObject* sizes_object(PyObject* o, const at::Tensor& t);    // torch.Size
PyObject* strides_object(PyObject* o, const at::Tensor& t);  // a tuple
PyObject* size_or_stride_object(PyObject* o, const at::Tensor& t, int64_t dim, bool is_size);
PyObject* dim_object(PyObject* o, const at::Tensor& t);
PyObject* numel_object(PyObject* o, const at::Tensor& t);
PyObject* nbytes_object(PyObject* o, const at::Tensor& t);
PyObject* storage_offset_object(PyObject* o, const at::Tensor& t);
PyObject* is_contiguous_object(PyObject* o, const at::Tensor& t, PyObject* format,
                               at::MemoryFormat value);
PyObject* layout_object(PyObject* o, const at::Tensor& t);
at::Device device_of(PyObject* o, const at::Tensor& t);

}  // namespace torch
