// Autocast's settings as functions of torch._C; torch/amp/autocast_mode.py has the names that users
// see.

#include <torch/csrc/Module.h>

#include <ATen/autocast_mode.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_types.h>

namespace torch {
namespace {

namespace autocast = at::autocast;

at::DeviceType device_type(PyObject* name) {
  TORCH_CHECK_TYPE(PyUnicode_Check(name), "autocast: expected the name of a device type, got ",
                   Py_TYPE(name)->tp_name);
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) throw python_error();
  return at::Device(text).type();
}

PyObject* is_enabled(PyObject*, PyObject* device) {
  return guarded([&] { return PyBool_FromLong(autocast::is_enabled(device_type(device))); });
}
PyObject* policy_of(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyUnicode_Check(name), "_autocast_policy(): expected a name, got ",
                     Py_TYPE(name)->tp_name);
    return PyUnicode_FromString(autocast::policy_of(PyUnicode_AsUTF8(name)));
  });
}
PyObject* is_any_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(autocast::is_any_enabled());
}
PyObject* set_enabled(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* device;
    int on;
    if (!PyArg_ParseTuple(args, "Op", &device, &on)) return nullptr;
    autocast::set_enabled(device_type(device), on != 0);
    Py_RETURN_NONE;
  });
}
PyObject* get_dtype(PyObject*, PyObject* device) {
  return guarded([&] { return wrap_dtype(autocast::get_dtype(device_type(device))); });
}
PyObject* set_dtype(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *device, *dtype;
    if (!PyArg_ParseTuple(args, "OO", &device, &dtype)) return nullptr;
    TORCH_CHECK_TYPE(THPDtype_Check(dtype), "set_autocast_dtype: expected a torch.dtype, got ",
                     Py_TYPE(dtype)->tp_name);
    autocast::set_dtype(device_type(device), to_dtype(dtype));
    Py_RETURN_NONE;
  });
}
PyObject* is_cache_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(autocast::is_cache_enabled());
}
PyObject* set_cache_enabled(PyObject*, PyObject* on) {
  const int enabled = PyObject_IsTrue(on);
  if (enabled < 0) return nullptr;
  autocast::set_cache_enabled(enabled != 0);
  Py_RETURN_NONE;
}
PyObject* clear_cache(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    autocast::clear_cache();
    Py_RETURN_NONE;
  });
}
PyObject* increment_nesting(PyObject*, PyObject*) {
  return PyLong_FromLong(autocast::increment_nesting());
}
PyObject* decrement_nesting(PyObject*, PyObject*) {
  return PyLong_FromLong(autocast::decrement_nesting());
}

PyMethodDef functions[] = {{"_is_any_autocast_enabled", is_any_enabled, METH_NOARGS, nullptr},
                           {"_autocast_policy", policy_of, METH_O, nullptr},
                           {"_autocast_is_enabled", is_enabled, METH_O, nullptr},
                           {"_autocast_set_enabled", set_enabled, METH_VARARGS, nullptr},
                           {"_autocast_get_dtype", get_dtype, METH_O, nullptr},
                           {"_autocast_set_dtype", set_dtype, METH_VARARGS, nullptr},
                           {"_autocast_is_cache_enabled", is_cache_enabled, METH_NOARGS, nullptr},
                           {"_autocast_set_cache_enabled", set_cache_enabled, METH_O, nullptr},
                           {"_autocast_clear_cache", clear_cache, METH_NOARGS, nullptr},
                           {"_autocast_increment_nesting", increment_nesting, METH_NOARGS, nullptr},
                           {"_autocast_decrement_nesting", decrement_nesting, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_autocast(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
