// Fake tensors: tensors of a Python class that have a device and no memory.
//
// Note [Fake tensors]
// A fake tensor has the storage of a meta tensor, and the device, sizes and strides that the real
// tensor would have. torch._subclasses.FakeTensorMode answers a call with it by calling the
// operator with meta tensors of the same storages: views of one tensor stay views of one storage,
// and changes in place advance its version.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_types.h>

#include <ATen/native/common/StructuredOutputs.h>

namespace torch {
namespace {

using at::Tensor;
using c10::TensorImpl;

const Tensor& tensor_of(PyObject* o, const char* function) {
  TORCH_CHECK_TYPE(THPVariable_Check(o), function, "(): expected a Tensor, got ",
                   Py_TYPE(o)->tp_name);
  return THPVariable_Unpack(o);
}

void copy_geometry(TensorImpl& to, const TensorImpl& from) {
  to.set_sizes_and_strides(from.sizes(), from.strides());
  to.set_storage_offset(from.storage_offset());
}

c10::DispatchKeySet keys_on(c10::Device device, const TensorImpl& from) {
  return c10::DispatchKeySet(c10::computeDispatchKey(device.type())) |
         (from.key_set() & c10::lazy_bits_keyset);
}

Tensor twin_of(const Tensor& t, c10::Device device) {
  const TensorImpl& from = *t.unsafeGetTensorImpl();
  auto impl =
      c10::make_intrusive<TensorImpl>(from.storage(), keys_on(device, from), from.dtype(), device);
  impl->set_inference(from.is_inference());
  copy_geometry(*impl, from);
  return Tensor(std::move(impl));
}

// _make_fake(cls, meta, device): an instance of the class with the meta tensor's storage.
PyObject* make_fake(PyObject*, PyObject* args) {
  PyObject *cls, *meta, *device;
  if (!PyArg_ParseTuple(args, "OOO", &cls, &meta, &device)) return nullptr;
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyType_Check(cls) &&
                         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &THPVariableType),
                     "_make_fake(): cls must be a subclass of Tensor");
    const Tensor& t = tensor_of(meta, "_make_fake");
    TORCH_CHECK(t.is_meta() && t.storage().device().is_meta(),
                "_make_fake(): expected a meta tensor, got one on ", t.device());
    return THPVariable_WrapAs(reinterpret_cast<PyTypeObject*>(cls), twin_of(t, to_device(device)));
  });
}

// _meta_of_fake(fake): the meta tensor of the same storage.
PyObject* meta_of_fake(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(o, "_meta_of_fake");
    TORCH_CHECK(t.storage().device().is_meta(),
                "_meta_of_fake(): expected a fake tensor, got one "
                "with memory on ",
                t.storage().device());
    return THPVariable_Wrap(twin_of(t, c10::Device(c10::kMeta)));
  });
}

// _refresh_fake(fake, meta): the geometry that an operator gave to the meta tensor in place.
PyObject* refresh_fake(PyObject*, PyObject* args) {
  PyObject *fake, *meta;
  if (!PyArg_ParseTuple(args, "OO", &fake, &meta)) return nullptr;
  return guarded([&]() -> PyObject* {
    TensorImpl& to = *tensor_of(fake, "_refresh_fake").unsafeGetTensorImpl();
    const TensorImpl& from = *tensor_of(meta, "_refresh_fake").unsafeGetTensorImpl();
    TORCH_CHECK(from.device().is_meta(), "_refresh_fake(): expected a meta tensor");
    copy_geometry(to, from);
    to.set_dtype(from.dtype());
    to.set_storage(from.storage());
    Py_RETURN_NONE;
  });
}

// _meta_of_number(t): the meta tensor of a number that an operator takes as a tensor; None for
// other tensors.
PyObject* meta_of_number(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(o, "_meta_of_number");
    if (!t.unsafeGetTensorImpl()->is_wrapped_number()) Py_RETURN_NONE;
    Tensor meta = at::empty_tensor({}, t.scalar_type(), c10::Device(c10::kMeta));
    meta.unsafeGetTensorImpl()->set_wrapped_number(true);
    return THPVariable_Wrap(std::move(meta));
  });
}

PyMethodDef functions[] = {{"_meta_of_number", meta_of_number, METH_O, nullptr},
                           {"_make_fake", make_fake, METH_VARARGS, nullptr},
                           {"_meta_of_fake", meta_of_fake, METH_O, nullptr},
                           {"_refresh_fake", refresh_fake, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_fake_tensor(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
