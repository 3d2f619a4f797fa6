// Tensors from nested sequences and numbers: torch.tensor, torch.as_tensor, torch.Tensor; and
// tolist.

#include <torch/csrc/tensor/tensor_new.h>

#include <torch/csrc/Module.h>

#include <cstring>

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/python_types.h>

#include <ATen/functionalization/FunctionalTensorWrapper.h>
#include <ATen/native/common/LiftedConstants.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/complex/lazy_bits.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/pin_memory.h>
#include <ATen/ops/set__ops.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torch {

using at::ScalarType;
using at::Tensor;

namespace {

constexpr int kMaxDims = 128;

bool is_sequence(PyObject* o) {
  return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !THPVariable_Check(o);
}

// A sequence as a list or tuple whose items can be read directly.
THPObjectPtr fast(PyObject* o) { return own(PySequence_Fast(o, "expected a sequence")); }

void find_sizes(PyObject* data, at::DimVector& sizes) {
  auto at = THPObjectPtr::borrow(data);
  while (is_sequence(at.get())) {
    Py_ssize_t n = PySequence_Size(at.get());
    if (n < 0) throw python_error();
    sizes.push_back(n);
    TORCH_CHECK_VALUE(static_cast<int>(sizes.size()) <= kMaxDims, "too many dimensions '",
                      Py_TYPE(data)->tp_name, "'");
    if (n == 0) break;
    at = own(PySequence_GetItem(at.get(), 0));
  }
  if (THPVariable_Check(at.get())) {
    for (int64_t s : THPVariable_Unpack(at.get()).sizes()) sizes.push_back(s);
  }
}

ScalarType promote(ScalarType a, ScalarType b) {
  return a == ScalarType::Undefined ? b : at::promoteTypes(a, b);
}

ScalarType type_of_number(PyObject* o) {
  if (PyFloat_Check(o)) return at::get_default_dtype();
  if (PyBool_Check(o)) return at::kBool;
  if (PyLong_Check(o)) {
    int overflow;
    PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow > 0 ? at::kUInt64 : at::kLong;
  }
  if (PyComplex_Check(o)) return at::get_default_complex_dtype();
  if (THPVariable_Check(o)) return THPVariable_Unpack(o).scalar_type();
  if (is_number(o)) {
    ScalarType t = to_scalar(o).type();
    return t == at::kDouble ? at::kDouble : t;
  }
  TORCH_CHECK_TYPE(!PyUnicode_Check(o), "new(): invalid data type 'str'");
  TORCH_CHECK(false, "Could not infer dtype of ", Py_TYPE(o)->tp_name);
}

ScalarType find_type(PyObject* data, int depth) {
  if (!is_sequence(data)) return type_of_number(data);
  TORCH_CHECK_VALUE(depth < kMaxDims, "too many dimensions '", Py_TYPE(data)->tp_name, "'");
  THPObjectPtr seq = fast(data);
  ScalarType type = ScalarType::Undefined;
  Py_ssize_t n = PySequence_Fast_GET_SIZE(seq.get());
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(seq.get(), i);
    TORCH_CHECK_TYPE(item != data, "new(): self-referential lists are incompatible");
    type = promote(type, find_type(item, depth + 1));
    if (at::isComplexType(type)) break;
  }
  return type == ScalarType::Undefined ? at::get_default_dtype() : type;
}

using Store = void (*)(char*, PyObject*);

template <typename T>
void store_one(char* to, PyObject* o) {
  T value;
  if (PyFloat_CheckExact(o) && std::is_floating_point<T>::value) {
    if constexpr (std::is_floating_point<T>::value) value = static_cast<T>(PyFloat_AS_DOUBLE(o));
  } else {
    at::Scalar s = to_scalar(o);
    if constexpr (std::is_integral<T>::value) {
      value = s.to<T>();
    } else {
      value = s.cast<T>();
    }
  }
  std::memcpy(to, &value, sizeof(T));
}

Store store_for(ScalarType dtype) {
  Store store = nullptr;
  at::dispatch_types<at::AllTypes>(dtype, "tensor",
                                   [&]<typename T>(at::TypeTag<T>) { store = &store_one<T>; });
  return store;
}

void fill(char*& to, at::IntArrayRef sizes, size_t dim, PyObject* data, Store store, size_t item,
          ScalarType dtype) {
  if (THPVariable_Check(data) && THPVariable_Unpack(data).dim() > 0) {
    // A tensor inside a list: its elements in order.
    Tensor t = at::_to_copy(at::detach(THPVariable_Unpack(data)),
                            at::TensorOptions(dtype).device(at::kCPU));
    TORCH_CHECK_VALUE(t.sizes() == sizes.slice(dim), "expected sequence of length ",
                      dim < sizes.size() ? sizes[dim] : 0, " at dim ", dim,
                      " (got a tensor of shape ", t.sizes(), ")");
    t = t.is_contiguous() ? t : at::clone(t, at::MemoryFormat::Contiguous);
    std::memcpy(to, t.data_ptr(), t.nbytes());
    to += t.nbytes();
    return;
  }
  if (dim == sizes.size()) {
    TORCH_CHECK_TYPE(!is_sequence(data), "must be real number, not ", Py_TYPE(data)->tp_name);
    store(to, data);
    to += item;
    return;
  }
  TORCH_CHECK_TYPE(is_sequence(data), "not a sequence: expected ", sizes[dim], " elements at dim ",
                   dim, ", got ", Py_TYPE(data)->tp_name);
  THPObjectPtr seq = fast(data);
  TORCH_CHECK_VALUE(PySequence_Fast_GET_SIZE(seq.get()) == sizes[dim],
                    "expected sequence of length ", sizes[dim], " at dim ", dim, " (got ",
                    PySequence_Fast_GET_SIZE(seq.get()), ")");
  // Conversions may run Python code that changes the list: look at its size each time.
  for (Py_ssize_t i = 0; i < sizes[dim] && i < PySequence_Fast_GET_SIZE(seq.get()); ++i) {
    fill(to, sizes, dim + 1, PySequence_Fast_GET_ITEM(seq.get(), i), store, item, dtype);
  }
}

template <typename T>
PyObject* number_of(T v) {
  if constexpr (std::is_same_v<T, bool>) return PyBool_FromLong(v);
  else if constexpr (std::is_floating_point_v<T>) return PyFloat_FromDouble(v);
  else if constexpr (!std::is_integral_v<T>) return wrap_scalar(at::Scalar(v));
  else if constexpr (std::is_unsigned_v<T>) return PyLong_FromUnsignedLongLong(v);
  else return PyLong_FromLongLong(v);
}

template <typename T>
PyObject* load_one(const char* from) {
  if constexpr (std::is_same_v<T, bool>) return PyBool_FromLong(*from != 0);
  T v;
  std::memcpy(&v, from, sizeof(T));
  return number_of(v);
}

// The elements of dimensions `dim` and later.
template <typename T>
THPObjectPtr list_of(const char* data, at::IntArrayRef sizes, at::IntArrayRef strides, size_t dim) {
  const int64_t step = strides[dim] * static_cast<int64_t>(sizeof(T));
  const bool is_last = dim + 1 == sizes.size();
  return make_list(static_cast<size_t>(sizes[dim]), [&](size_t i) {
    const char* at = data + static_cast<int64_t>(i) * step;
    return is_last ? load_one<T>(at) : list_of<T>(at, sizes, strides, dim + 1).release();
  });
}

}  // namespace

static bool is_plain(PyObject* data) {
  return PyList_Check(data) || PyTuple_Check(data) || PyFloat_Check(data) || PyLong_Check(data);
}

// Read by Python: torch/cuda/_interop.py, which loads the backend.
Tensor tensor_from_cuda_array(PyObject* o) {
  if (is_plain(o) || !PyObject_HasAttrString(o, "__cuda_array_interface__")) return Tensor();
  TORCH_CHECK(!c10::impl::backend_library(at::kCUDA).empty(),
              "__cuda_array_interface__: Torch not compiled with CUDA enabled");
  THPObjectPtr module = own(PyImport_ImportModule("torch.cuda._interop"));
  THPObjectPtr made = own(PyObject_CallMethod(module.get(), "from_array_interface", "O", o));
  return THPVariable_Unpack(made.get());
}

Tensor tensor_from_data(PyObject* data, std::optional<ScalarType> dtype, at::Device device) {
  TORCH_CHECK_TYPE(!PyUnicode_Check(data), "new(): invalid data type 'str'");
  if (THPVariable_Check(data)) {
    Tensor t = at::detach(THPVariable_Unpack(data));
    return at::_to_copy(t, at::TensorOptions(dtype.value_or(t.scalar_type())).device(device));
  }
  if (!is_plain(data)) {
    Tensor t;
    if (is_numpy_array(data)) {
      t = tensor_from_numpy(data);
    } else if (PyObject_HasAttrString(data, "__array_interface__") && !is_number(data)) {
      t = tensor_from_array_interface(data);
    } else {
      t = tensor_from_cuda_array(data);
    }
    if (t.defined())
      return at::lifted(
          at::_to_copy(t, at::TensorOptions(dtype.value_or(t.scalar_type())).device(device)));
  }
  at::DimVector sizes;
  find_sizes(data, sizes);
  ScalarType type = dtype ? *dtype : find_type(data, 0);
  Tensor t = at::empty_tensor(sizes, type);
  if (t.numel() > 0) {
    char* to = static_cast<char*>(t.data_ptr());
    fill(to, sizes, 0, data, store_for(type), t.itemsize(), type);
  } else if (is_sequence(data)) {
    // Nothing to store, but the shape still has to be that of every part.
    char* to = nullptr;
    fill(to, sizes, 0, data, store_for(type), 0, type);
  }
  t = at::lifted(std::move(t));
  return device.is_cpu() ? t : at::_to_copy(t, at::TensorOptions(type).device(device));
}

Tensor scalar_index(bool value, at::Device device) {
  return at::scalar_tensor_of(at::Scalar(value), at::kBool, device);
}

PyObject* tensor_to_list(const Tensor& self) {
  const Tensor held = at::functionalization::from_functional(self);
  Tensor t = held.is_cpu() ? held
                           : at::_to_copy(at::detach(self),
                                          at::TensorOptions(self.scalar_type()).device(at::kCPU));
  t = at::native::without_lazy_bits(t);
  const char* data = static_cast<const char*>(t.data_ptr());
  PyObject* result = nullptr;
  at::dispatch_types<at::AllTypes>(t.scalar_type(), "tolist", [&]<typename T>(at::TypeTag<T>) {
    result = t.dim() == 0 ? check(load_one<T>(data))
                          : list_of<T>(data, t.sizes(), t.strides(), 0).release();
  });
  return result;
}

// --- torch.tensor, as_tensor, from_numpy
// -------------------------------------------------------------------

static at::Device default_device() { return at::Device(at::kCPU); }

static PyObject* py_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    if (C10_UNLIKELY(t_torch_function_modes)) return ask_modes("tensor", args, kwargs);
    static const char* names[] = {"data",       "dtype", "device", "requires_grad",
                                  "pin_memory", "names", nullptr};
    PyObject *data, *dtype = Py_None, *device = Py_None, *pin = nullptr, *dim_names = nullptr;
    int requires_grad = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOpOO:tensor", const_cast<char**>(names),
                                     &data, &dtype, &device, &requires_grad, &pin, &dim_names))
      return nullptr;
    TORCH_CHECK_TYPE(dtype == Py_None || is_dtype_like(dtype),
                     "tensor(): argument 'dtype' must be torch.dtype, not ",
                     Py_TYPE(dtype)->tp_name);
    if (THPVariable_Check(data)) {
      if (PyErr_WarnEx(PyExc_UserWarning,
                       "To copy construct from a tensor, it is recommended to use "
                       "sourceTensor.detach().clone() or "
                       "sourceTensor.detach().clone().requires_grad_(True), rather than "
                       "torch.tensor(sourceTensor).",
                       1) < 0)
        return nullptr;
    }
    std::optional<ScalarType> type;
    if (dtype != Py_None) type = to_dtype(dtype);
    at::Device where = device != Py_None         ? to_device(device)
                       : THPVariable_Check(data) ? THPVariable_Unpack(data).device()
                                                 : default_device();
    Tensor shared;
    if (device == Py_None && !THPVariable_Check(data)) shared = tensor_from_cuda_array(data);
    Tensor t = shared.defined()
                   ? at::_to_copy(shared, at::TensorOptions(type.value_or(shared.scalar_type())))
                   : tensor_from_data(data, type, where);
    if (pin && pin != Py_False && pin != Py_None && !where.is_meta()) t = at::pin_memory(t);
    if (requires_grad) t.set_requires_grad(true);
    return THPVariable_Wrap(t);
  });
}

static PyObject* py_as_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    if (C10_UNLIKELY(t_torch_function_modes)) return ask_modes("as_tensor", args, kwargs);
    static const char* names[] = {"data", "dtype", "device", nullptr};
    PyObject *data, *dtype = Py_None, *device = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:as_tensor", const_cast<char**>(names),
                                     &data, &dtype, &device))
      return nullptr;
    TORCH_CHECK_TYPE(dtype == Py_None || is_dtype_like(dtype),
                     "as_tensor(): argument 'dtype' must be torch.dtype, not ",
                     Py_TYPE(dtype)->tp_name);
    std::optional<ScalarType> type;
    if (dtype != Py_None) type = to_dtype(dtype);
    Tensor source;
    if (THPVariable_Check(data)) {
      source = THPVariable_Unpack(data);
    } else if (is_numpy_array(data)) {
      source = at::lifted(tensor_from_numpy(data));
    } else {
      source = tensor_from_cuda_array(data);
    }
    if (!source.defined())
      return THPVariable_Wrap(
          tensor_from_data(data, type, device != Py_None ? to_device(device) : default_device()));
    at::Device where = device != Py_None ? to_device(device) : source.device();
    if (where.is_cuda() && !where.has_index())
      where = c10::impl::getDeviceGuardImpl(at::kCUDA)->getDevice();
    if (source.scalar_type() == type.value_or(source.scalar_type()) && source.device() == where)
      return THPVariable_Wrap(source);
    return THPVariable_Wrap(
        at::_to_copy(source, at::TensorOptions(type.value_or(source.scalar_type())).device(where)));
  });
}

static PyObject* py_from_numpy(PyObject*, PyObject* o) {
  return guarded([&] {
    TORCH_CHECK_TYPE(is_numpy_array(o), "expected np.ndarray (got ", Py_TYPE(o)->tp_name, ")");
    return THPVariable_Wrap(at::lifted(tensor_from_numpy(o)));
  });
}

// torch.Tensor(2, 3), torch.Tensor([1, 2]), and objects of its subclasses.
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    TORCH_CHECK_TYPE(!kwargs || PyDict_Size(kwargs) == 0 ||
                         (PyDict_Size(kwargs) == 1 && PyDict_GetItemString(kwargs, "device")),
                     "Tensor(): takes sizes or data, and device= beside them; use torch.tensor for "
                     "dtype= and the rest");
    ScalarType dtype = at::get_default_dtype();
    Tensor t;
    PyObject* first = n ? PyTuple_GET_ITEM(args, 0) : nullptr;
    if (n == 0) {
      t = at::empty_tensor({0}, dtype);
    } else if (n == 1 && THPVariable_Check(first)) {
      TORCH_CHECK_TYPE(THPVariable_Unpack(first).scalar_type() == dtype || type != THPVariableClass,
                       "expected a tensor of the default type ", at::dtypeName(dtype), ", got ",
                       at::dtypeName(THPVariable_Unpack(first).scalar_type()));
      c10::impl::ExcludeDispatchKeyGuard no_python{c10::DispatchKeySet(c10::DispatchKey::Python)};
      t = at::detach(THPVariable_Unpack(first));
    } else if (n == 1 && THPStorage_Check(first)) {
      t = at::empty_tensor({0}, dtype);
      at::_ops::set__source_Storage::call(t, reinterpret_cast<THPStorage*>(first)->value);
    } else if (n == 1 && (Py_TYPE(first) == &THPSizeType || !PyLong_Check(first))) {
      if (Py_TYPE(first) == &THPSizeType) {
        at::DimVector sizes;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(first); ++i)
          sizes.push_back(to_int64(PyTuple_GET_ITEM(first, i)));
        t = at::empty_tensor(sizes, dtype);
      } else {
        TORCH_CHECK_TYPE(PySequence_Check(first) || is_numpy_array(first),
                         "new(): data must be a sequence (got ", Py_TYPE(first)->tp_name, ")");
        t = tensor_from_data(first, dtype, at::kCPU);
      }
    } else {
      at::DimVector sizes;
      for (Py_ssize_t i = 0; i < n; ++i) {
        TORCH_CHECK_TYPE(PyLong_Check(PyTuple_GET_ITEM(args, i)), "Tensor(): expected sizes, got ",
                         Py_TYPE(PyTuple_GET_ITEM(args, i))->tp_name, " at position ", i + 1);
        sizes.push_back(to_int64(PyTuple_GET_ITEM(args, i)));
      }
      t = at::empty_tensor(sizes, dtype);
    }
    if (type == THPVariableClass) t = at::lifted(std::move(t));
    return THPVariable_WrapAs(type, std::move(t));
  });
}

static PyMethodDef functions[] = {
    {"tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(py_tensor)),
     METH_VARARGS | METH_KEYWORDS, docs::torch_tensor},
    {"as_tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(py_as_tensor)),
     METH_VARARGS | METH_KEYWORDS, docs::torch_as_tensor},
    {"from_numpy", py_from_numpy, METH_O, docs::torch_from_numpy},
    {nullptr, nullptr, 0, nullptr}};

bool init_tensor_new(PyObject* module) {
  return add_functions_to(module, "_VariableFunctions", functions);
}

}  // namespace torch
