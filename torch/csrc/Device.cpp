// torch.device.

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

namespace torch {

static at::Device value_of(PyObject* o) { return reinterpret_cast<THPDevice*>(o)->value; }

at::Device to_device(PyObject* o) {
  if (THPDevice_Check(o)) return value_of(o);
  if (PyUnicode_Check(o)) {
    Py_ssize_t n;
    const char* text = PyUnicode_AsUTF8AndSize(o, &n);
    if (!text) throw python_error();
    return at::Device(std::string_view(text, static_cast<size_t>(n)));
  }
  if (PyLong_Check(o)) {
    int64_t index = to_int64(o);
    TORCH_CHECK(index >= 0 && index < 128, "Device index must be from 0 to 127, got ", index);
    return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index));
  }
  TORCH_CHECK_TYPE(false, "expected a torch.device, a string or an index, not ",
                   Py_TYPE(o)->tp_name);
}

std::optional<at::DeviceType> optional_device_type(PyObject* device) {
  if (device == Py_None) return std::nullopt;
  return to_device(device).type();
}

PyObject* wrap_device(at::Device d) {
  auto* o = PyObject_New(THPDevice, &THPDeviceType);
  if (!o) throw python_error();
  o->value = d;
  return reinterpret_cast<PyObject*>(o);
}

static PyObject* device_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"type", "index", nullptr};
    PyObject *type = nullptr, *index = nullptr;
    if (kwargs && PyDict_GetItemString(kwargs, "device")) {
      type = PyDict_GetItemString(kwargs, "device");
    } else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", const_cast<char**>(names),
                                            &type, &index)) {
      return nullptr;
    }
    at::Device d = to_device(type);
    if (index && index != Py_None) {
      TORCH_CHECK(
          !d.has_index(),
          "type (string) must not include an index because index was passed explicitly: ", d);
      int64_t i = to_int64(index);
      TORCH_CHECK(i >= -1 && i < 128, "Device index must be from 0 to 127, got ", i);
      d = at::Device(d.type(), static_cast<at::DeviceIndex>(i));
    }
    return wrap_device(d);
  });
}

static PyObject* device_repr(PyObject* o) {
  at::Device d = value_of(o);
  if (d.has_index())
    return PyUnicode_FromFormat("device(type='%s', index=%d)", at::DeviceTypeName(d.type()),
                                static_cast<int>(d.index()));
  return PyUnicode_FromFormat("device(type='%s')", at::DeviceTypeName(d.type()));
}
static PyObject* device_str(PyObject* o) { return PyUnicode_FromString(value_of(o).str().c_str()); }
static Py_hash_t device_hash(PyObject* o) {
  at::Device d = value_of(o);
  return (static_cast<Py_hash_t>(d.type()) << 8) | static_cast<uint8_t>(d.index());
}
static PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if (!THPDevice_Check(a) || !THPDevice_Check(b) || (op != Py_EQ && op != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((value_of(a) == value_of(b)) == (op == Py_EQ));
}
static PyObject* get_type(PyObject* o, void*) {
  return PyUnicode_InternFromString(at::DeviceTypeName(value_of(o).type()));
}
static PyObject* get_index(PyObject* o, void*) {
  at::Device d = value_of(o);
  if (!d.has_index()) Py_RETURN_NONE;
  return PyLong_FromLong(d.index());
}
static PyObject* device_reduce(PyObject* o, PyObject*) {
  at::Device d = value_of(o);
  PyObject* type = reinterpret_cast<PyObject*>(&THPDeviceType);
  if (d.has_index())
    return Py_BuildValue("(O(si))", type, at::DeviceTypeName(d.type()),
                         static_cast<int>(d.index()));
  return Py_BuildValue("(O(s))", type, at::DeviceTypeName(d.type()));
}

// `with torch.device("meta"):` makes it the default of factories; the Python layer keeps the stack.
static PyObject* call_python(const char* name, PyObject* arg) {
  THPObjectPtr module(PyImport_ImportModule("torch._default_device"));
  return module ? PyObject_CallMethod(module.get(), name, "O", arg) : nullptr;
}
static PyObject* device_enter(PyObject* o, PyObject*) {
  THPObjectPtr done(call_python("_enter_device", o));
  return done ? Py_NewRef(o) : nullptr;
}
static PyObject* device_exit(PyObject* o, PyObject*) { return call_python("_exit_device", o); }

static PyMethodDef device_methods[] = {{"__reduce__", device_reduce, METH_NOARGS, nullptr},
                                       {"__enter__", device_enter, METH_NOARGS, nullptr},
                                       {"__exit__", device_exit, METH_VARARGS, nullptr},
                                       {nullptr, nullptr, 0, nullptr}};
static PyGetSetDef device_properties[] = {
    {"type", get_type, nullptr, docs::device_type, nullptr},
    {"index", get_index, nullptr, docs::device_index, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject THPDeviceType = [] {
  PyTypeObject t = type_object<THPDevice>("torch.device", docs::device);
  t.tp_new = device_new;
  t.tp_repr = device_repr;
  t.tp_str = device_str;
  t.tp_hash = device_hash;
  t.tp_richcompare = device_compare;
  t.tp_methods = device_methods;
  t.tp_getset = device_properties;
  return t;
}();

bool init_device(PyObject* module) { return add_type(module, THPDeviceType); }

}  // namespace torch
