#pragma once
// The Python objects that stand for c10's small values, and how to make and read them.

#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>

namespace torch {

// torch.dtype, torch.layout, torch.memory_format: one object a value, compared by identity.
struct THPDtype {
  PyObject_HEAD at::ScalarType value;
};
struct THPLayout {
  PyObject_HEAD at::Layout value;
};
struct THPMemoryFormat {
  PyObject_HEAD at::MemoryFormat value;
};
struct THPDevice {
  PyObject_HEAD at::Device value;
};
struct THPGenerator {
  PyObject_HEAD at::Generator value;
};
struct THPStorage {
  PyObject_HEAD at::Storage value;
};

extern PyTypeObject THPDtypeType, THPLayoutType, THPMemoryFormatType, THPDeviceType,
    THPGeneratorType, THPStorageType, THPSizeType;

inline bool THPDtype_Check(PyObject* o) { return Py_TYPE(o) == &THPDtypeType; }
inline bool THPLayout_Check(PyObject* o) { return Py_TYPE(o) == &THPLayoutType; }
inline bool THPMemoryFormat_Check(PyObject* o) { return Py_TYPE(o) == &THPMemoryFormatType; }
inline bool THPDevice_Check(PyObject* o) { return Py_TYPE(o) == &THPDeviceType; }
inline bool THPGenerator_Check(PyObject* o) { return PyObject_TypeCheck(o, &THPGeneratorType); }
inline bool THPStorage_Check(PyObject* o) { return PyObject_TypeCheck(o, &THPStorageType); }

// New references.
PyObject* wrap_dtype(at::ScalarType t);
PyObject* wrap_layout(at::Layout l);
PyObject* wrap_memory_format(at::MemoryFormat f);
PyObject* wrap_device(at::Device d);
PyObject* wrap_generator(at::Generator g);
PyObject* wrap_storage(at::Storage s);
PyObject* wrap_size(at::IntArrayRef sizes);        // torch.Size
PyObject* wrap_int_tuple(at::IntArrayRef values);  // a plain tuple
PyObject* wrap_scalar(const at::Scalar& s);

// A device from a device object, a string or an index. Throws for anything else.
at::Device to_device(PyObject* o);
// None: no value.
std::optional<at::DeviceType> optional_device_type(PyObject* device);
// A dtype from a dtype object or from bool, int, float, complex.
bool is_dtype_like(PyObject* o);
at::ScalarType to_dtype(PyObject* o);
// A number: Python's, NumPy's, or a tensor of one element.
bool is_number(PyObject* o);
at::Scalar to_scalar(PyObject* o);
int64_t to_int64(PyObject* o);
// torch.SymInt, SymFloat and SymBool: an operator gets the value that tracing computes with, and
// the use is not noted as a decision.
extern PyTypeObject* symbolic_types[3];
PyObject* set_symbolic_types(PyObject*, PyObject* types);
inline bool is_symbolic_number(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return type == symbolic_types[0] || type == symbolic_types[1] || type == symbolic_types[2];
}
double to_double(PyObject* o);
// A number as a 0-dimensional tensor that promotes as a number does.
at::Tensor wrapped_number(PyObject* o);

// Each adds its types to the module; false with a Python error set on failure.
bool init_dtype(PyObject* module);
bool init_device(PyObject* module);
bool init_layout(PyObject* module);
bool init_size(PyObject* module);
bool init_generator(PyObject* module);
bool init_storage(PyObject* module);
bool init_type_info(PyObject* module);

}  // namespace torch
