// Makes instances of classes of tensors: Tensor._make_subclass, which shares the memory of another
// tensor, and Tensor._make_wrapper_subclass, which has none.

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_tensor_geometry.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/dispatch/python_dispatch_key.h>
#include <torch/csrc/dispatch/python_torch_dispatch.h>
#include <torch/csrc/python_types.h>

#include <ATen/ops/detach.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torch {
namespace {

PyTypeObject* tensor_class(PyObject* cls, const char* function) {
  TORCH_CHECK_TYPE(
      PyType_Check(cls) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &THPVariableType),
      function, "(): cls must be a subclass of Tensor, got ", Py_TYPE(cls)->tp_name);
  return reinterpret_cast<PyTypeObject*>(cls);
}

c10::DimVector int_list(PyObject* o, const char* what) {
  THPObjectPtr items(PySequence_Fast(o, ""));
  if (!items) {
    PyErr_Clear();
    TORCH_CHECK_TYPE(false, "_make_wrapper_subclass(): ", what, " must be a tuple of ints, not ",
                     Py_TYPE(o)->tp_name);
  }
  c10::DimVector values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i)
    values.push_back(to_int64(PySequence_Fast_GET_ITEM(items.get(), i)));
  return values;
}

// Without memory: whoever reads it gets an error.
c10::Storage no_memory() {
  return c10::Storage::from_blob(nullptr, 0, nullptr, nullptr, c10::Device(c10::kMeta));
}

bool given(PyObject* o) { return o && o != Py_None; }

// What the class answers for: Note [Geometry from Python].
GeometryPolicy read_policy(PyObject* sizes, int device, int layout) {
  GeometryPolicy policy;
  policy.device = device != 0;
  policy.layout = layout != 0;
  if (!given(sizes)) return policy;
  TORCH_CHECK_TYPE(PyUnicode_Check(sizes),
                   "_make_wrapper_subclass(): argument 'dispatch_sizes_strides_policy' must be "
                   "str, not ",
                   Py_TYPE(sizes)->tp_name);
  policy.sizes = PyUnicode_CompareWithASCIIString(sizes, "sizes") == 0;
  policy.strides = PyUnicode_CompareWithASCIIString(sizes, "strides") == 0;
  TORCH_CHECK_VALUE(policy.sizes || policy.strides,
                    "_make_wrapper_subclass(): dispatch_sizes_strides_policy must be 'sizes' or "
                    "'strides', got '",
                    PyUnicode_AsUTF8(sizes), "'");
  return policy;
}

bool is_any(const GeometryPolicy& policy) {
  return policy.sizes || policy.strides || policy.device || policy.layout;
}

c10::intrusive_ptr<c10::TensorImpl> implementation(const GeometryPolicy& policy,
                                                   c10::Storage storage, c10::DispatchKeySet keys,
                                                   at::ScalarType dtype, at::Device device) {
  if (!is_any(policy))
    return c10::make_intrusive<c10::TensorImpl>(std::move(storage), keys, dtype, device);
  auto impl = c10::make_intrusive<PythonGeometryImpl>(std::move(storage), keys, dtype, device);
  impl->policy = policy;
  return impl;
}

}  // namespace

PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"cls",
                                  "data",
                                  "require_grad",
                                  "dispatch_sizes_strides",
                                  "dispatch_device",
                                  "device_for_backend_keys",
                                  nullptr};
    PyObject *cls, *data, *device = nullptr;
    int requires_grad = 0, sizes = 0, dispatch_device = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p$ppO:_make_subclass",
                                     const_cast<char**>(names), &cls, &data, &requires_grad, &sizes,
                                     &dispatch_device, &device))
      return nullptr;
    PyTypeObject* type = tensor_class(cls, "_make_subclass");
    TORCH_CHECK_TYPE(THPVariable_Check(data), "_make_subclass(): data must be a Tensor, not ",
                     Py_TYPE(data)->tp_name);
    GeometryPolicy policy = read_policy(nullptr, dispatch_device, 0);
    policy.strides = sizes != 0;
    TORCH_CHECK_TYPE(!is_any(policy) || has_torch_dispatch(type),
                     "_make_subclass(): ", type->tp_name,
                     " must define __torch_dispatch__ to answer for its sizes or its device");
    TORCH_CHECK_NOT_IMPLEMENTED(!given(device),
                                "_make_subclass(): device_for_backend_keys is not supported");
    // Modes do not see it: the new tensor is the same to them.
    c10::impl::ExcludeDispatchKeyGuard no_python{c10::DispatchKeySet(c10::DispatchKey::Python)};
    at::Tensor t = at::detach(THPVariable_Unpack(data));
    if (is_any(policy)) {
      auto impl = implementation(policy, t.storage(), t.key_set() - c10::autograd_dispatch_keyset,
                                 t.scalar_type(), t.device());
      impl->set_sizes_and_strides(t.sizes(), t.strides());
      impl->set_storage_offset(t.storage_offset());
      t = at::Tensor(std::move(impl));
    }
    t.set_requires_grad(requires_grad);
    return THPVariable_WrapAs(type, std::move(t));
  });
}

PyObject* make_wrapper_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"cls",
                                  "size",
                                  "strides",
                                  "storage_offset",
                                  "memory_format",
                                  "dtype",
                                  "layout",
                                  "device",
                                  "pin_memory",
                                  "requires_grad",
                                  "dispatch_sizes_strides_policy",
                                  "dispatch_device",
                                  "dispatch_layout",
                                  "_extra_dispatch_keys",
                                  "storage_size",
                                  nullptr};
    PyObject *cls, *size, *strides = nullptr, *offset = nullptr, *format = nullptr;
    PyObject *dtype = nullptr, *layout = nullptr, *device = nullptr, *policy = nullptr;
    PyObject *keys = nullptr, *storage_size = nullptr;
    int pin = 0, requires_grad = 0, dispatch_device = 0, dispatch_layout = 0;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "OO|OOOOOOppOppOO:_make_wrapper_subclass", const_cast<char**>(names),
            &cls, &size, &strides, &offset, &format, &dtype, &layout, &device, &pin, &requires_grad,
            &policy, &dispatch_device, &dispatch_layout, &keys, &storage_size))
      return nullptr;
    PyTypeObject* type = tensor_class(cls, "_make_wrapper_subclass");
    TORCH_CHECK_TYPE(has_torch_dispatch(type), "_make_wrapper_subclass(): ", type->tp_name,
                     " has no memory of its own, so it must define __torch_dispatch__");
    const GeometryPolicy answers = read_policy(policy, dispatch_device, dispatch_layout);
    TORCH_CHECK(!pin,
                "_make_wrapper_subclass(): pin_memory=True needs memory, and a wrapper has "
                "none");
    TORCH_CHECK(!given(layout) || (THPLayout_Check(layout) &&
                                   reinterpret_cast<THPLayout*>(layout)->value == at::kStrided),
                "_make_wrapper_subclass(): layout must be torch.strided");
    const at::ScalarType scalar = given(dtype) ? to_dtype(dtype) : at::get_default_dtype();
    const at::Device where = given(device) ? to_device(device) : at::Device(at::kCPU);
    const c10::DimVector sizes = int_list(size, "size");
    c10::checked_numel(sizes, "_make_wrapper_subclass");
    c10::DispatchKeySet key_set{c10::computeDispatchKey(where.type())};
    if (given(keys)) key_set = key_set | dispatch_key_set_of(keys, "_make_wrapper_subclass");
    auto impl = implementation(answers, no_memory(), key_set, scalar, where);
    if (given(strides)) {
      const c10::DimVector steps = int_list(strides, "strides");
      TORCH_CHECK(steps.size() == sizes.size(), "_make_wrapper_subclass(): got ", steps.size(),
                  " strides for ", sizes.size(), " dimensions");
      impl->set_sizes_and_strides(sizes, steps);
    } else if (given(format) && THPMemoryFormat_Check(format)) {
      impl->set_sizes_and_strides(
          sizes, c10::strides_for(sizes, reinterpret_cast<THPMemoryFormat*>(format)->value));
    } else {
      impl->set_sizes_contiguous(sizes);
    }
    if (given(offset)) impl->set_storage_offset(to_int64(offset));
    if (given(storage_size))
      impl->storage().unsafeGetStorageImpl()->set_nbytes(
          static_cast<size_t>(to_int64(storage_size)));
    at::Tensor t(std::move(impl));
    if (requires_grad) t.set_requires_grad(true);
    return THPVariable_WrapAs(type, std::move(t));
  });
}

}  // namespace torch
