// What Python sees of the backend.

#include <Python.h>

#include "device.h"

namespace npu {
int64_t kernel_calls();

namespace {

PyObject* allocated(PyObject*, PyObject*) { return PyLong_FromSize_t(allocated_bytes()); }
PyObject* calls(PyObject*, PyObject*) { return PyLong_FromLongLong(kernel_calls()); }
PyObject* seed(PyObject*, PyObject* number) {
  unsigned long long value = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred()) return nullptr;
  for (int d = 0; d < kDevices; ++d) default_generator(d).set_current_seed(value);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"memory_allocated", allocated, METH_NOARGS, "Bytes in use."},
                           {"kernel_calls", calls, METH_NOARGS, "Calls of the device's kernels."},
                           {"manual_seed_all", seed, METH_O, "Seeds the generators."},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "open_device_C",
                          nullptr,
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace npu

PyMODINIT_FUNC PyInit_open_device_C() { return PyModule_Create(&npu::definition); }
