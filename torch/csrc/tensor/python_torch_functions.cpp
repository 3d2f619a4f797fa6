// Functions of tensors and dtypes that are not operators: questions, type promotion, frombuffer.

#include <torch/csrc/Module.h>

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_tensor_geometry.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_parse_to.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/complex/lazy_bits.h>
#include <ATen/ops/neg.h>

namespace torch {

using at::Tensor;

namespace {

const Tensor& tensor_of(PyObject* o, const char* op) {
  TORCH_CHECK_TYPE(THPVariable_Check(o), op,
                   "(): argument 'input' (position 1) must be Tensor, not ", Py_TYPE(o)->tp_name);
  return THPVariable_Unpack(o);
}

// Functions of one tensor that answer about it.
template <typename F>
PyObject* ask(PyObject* o, const char* op, F f) {
  return guarded([&]() -> PyObject* {
    if (has_torch_function(o)) return handle_torch_function(op, nullptr, &o, 1, nullptr);
    return f(tensor_of(o, op));
  });
}
PyObject* numel(PyObject*, PyObject* o) {
  return ask(o, "numel", [o](const Tensor& t) { return numel_object(o, t); });
}
PyObject* is_floating_point(PyObject*, PyObject* o) {
  return ask(o, "is_floating_point",
             [](const Tensor& t) { return PyBool_FromLong(t.is_floating_point()); });
}
PyObject* is_complex(PyObject*, PyObject* o) {
  return ask(o, "is_complex", [](const Tensor& t) { return PyBool_FromLong(t.is_complex()); });
}
PyObject* is_signed(PyObject*, PyObject* o) {
  return ask(o, "is_signed", [](const Tensor& t) { return PyBool_FromLong(t.is_signed()); });
}
PyObject* is_inference(PyObject*, PyObject* o) {
  return ask(o, "is_inference", [](const Tensor& t) { return PyBool_FromLong(t.is_inference()); });
}
PyObject* is_conj(PyObject*, PyObject* o) {
  return ask(o, "is_conj", [](const Tensor& t) { return PyBool_FromLong(t.is_conj()); });
}
PyObject* is_neg(PyObject*, PyObject* o) {
  return ask(o, "is_neg", [](const Tensor& t) { return PyBool_FromLong(t.is_neg()); });
}

PyObject* promote_types(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"type1", "type2", nullptr};
    PyObject *a, *b;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:promote_types", const_cast<char**>(names),
                                     &a, &b))
      return nullptr;
    return wrap_dtype(at::promoteTypes(to_dtype(a), to_dtype(b)));
  });
}
PyObject* can_cast(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"from_", "to", nullptr};
    PyObject *a, *b;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:can_cast", const_cast<char**>(names), &a,
                                     &b))
      return nullptr;
    return PyBool_FromLong(at::canCast(to_dtype(a), to_dtype(b)));
  });
}
PyObject* result_type(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO:result_type", &a, &b)) return nullptr;
    at::native::ResultTypeState state;
    for (PyObject* o : {a, b}) {
      if (THPVariable_Check(o)) {
        state.add(*THPVariable_Unpack(o).unsafeGetTensorImpl());
      } else {
        TORCH_CHECK_TYPE(is_number(o), "result_type(): expected tensors and numbers, got ",
                         Py_TYPE(o)->tp_name);
        state.add(to_scalar(o));
      }
    }
    return wrap_dtype(state.result());
  });
}

// The bits that files record beside a tensor's sizes and strides.
PyObject* get_tensor_metadata(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(THPVariable_Check(o), "_get_tensor_metadata(): expected a Tensor, got ",
                     Py_TYPE(o)->tp_name);
    const Tensor& t = THPVariable_Unpack(o);
    THPObjectPtr metadata = own(PyDict_New());
    auto put = [&](const char* bit, bool on) {
      if (on && PyDict_SetItemString(metadata.get(), bit, Py_True) < 0) throw python_error();
    };
    put("conj", t.is_conj());
    put("neg", t.is_neg());
    return metadata.release();
  });
}
PyObject* set_tensor_metadata(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *o, *d;
    if (!PyArg_ParseTuple(args, "OO!", &o, &PyDict_Type, &d)) return nullptr;
    TORCH_CHECK_TYPE(THPVariable_Check(o), "_set_tensor_metadata(): expected a Tensor, got ",
                     Py_TYPE(o)->tp_name);
    auto is_set = [&](const char* bit) {
      PyObject* on = PyDict_GetItemString(d, bit);
      return on && PyObject_IsTrue(on) > 0;
    };
    const Tensor& t = THPVariable_Unpack(o);
    TORCH_CHECK(!is_set("conj") || t.is_complex(),
                "_set_tensor_metadata(): only complex tensors have the bit conj, got ",
                c10::toString(t.scalar_type()));
    at::native::set_lazy_bits(t, is_set("conj"), is_set("neg"));
    Py_RETURN_NONE;
  });
}
// Whether x.data = y can be done without a new tensor: both are strided tensors of one device.
PyObject* has_compatible_shallow_copy_type(PyObject*, PyObject* args) {
  PyObject *a, *b;
  if (!PyArg_ParseTuple(args, "OO", &a, &b)) return nullptr;
  if (!THPVariable_Check(a) || !THPVariable_Check(b)) {
    PyErr_SetString(PyExc_TypeError, "_has_compatible_shallow_copy_type(): expected two tensors");
    return nullptr;
  }
  return PyBool_FromLong(THPVariable_Unpack(a).device().type() ==
                         THPVariable_Unpack(b).device().type());
}

// (device, dtype, non_blocking, memory_format), as Module.to wants its arguments.
PyObject* parse_to_tuple(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    ParsedTo to = parse_to(args, n, kwnames);
    auto none = [] { return Py_NewRef(Py_None); };
    THPObjectPtr device(to.device ? wrap_device(*to.device) : none());
    THPObjectPtr dtype(to.dtype ? wrap_dtype(*to.dtype) : none());
    THPObjectPtr format(to.memory_format ? wrap_memory_format(*to.memory_format) : none());
    return Py_BuildValue("(OOOO)", device.get(), dtype.get(), to.non_blocking ? Py_True : Py_False,
                         format.get());
  });
}

PyObject* frombuffer(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"buffer", "dtype", "count", "offset", "requires_grad", nullptr};
    PyObject *buffer, *dtype = nullptr;
    Py_ssize_t count = -1, offset = 0;
    int requires_grad = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$Onnp:frombuffer", const_cast<char**>(names),
                                     &buffer, &dtype, &count, &offset, &requires_grad))
      return nullptr;
    TORCH_CHECK_TYPE(dtype, "frombuffer() missing required argument 'dtype'");
    at::ScalarType type = to_dtype(dtype);
    auto item = static_cast<Py_ssize_t>(at::elementSize(type));
    THPObjectPtr storage = own(PyObject_CallMethod(reinterpret_cast<PyObject*>(&THPStorageType),
                                                   "_from_buffer", "O", buffer));
    at::Storage s = reinterpret_cast<THPStorage*>(storage.get())->value;
    auto length = static_cast<Py_ssize_t>(s.nbytes());
    TORCH_CHECK_VALUE(length > 0 && count != 0, "both buffer length (", length, ") and count (",
                      count, ") must not be 0");
    TORCH_CHECK_VALUE(offset >= 0 && offset < length, "offset (", offset,
                      " bytes) must be non-negative and no greater than buffer length (", length,
                      " bytes) - 1");
    TORCH_CHECK_VALUE(count > 0 || (length - offset) % item == 0, "buffer length (",
                      length - offset, " bytes) after offset (", offset,
                      " bytes) must be a multiple of element size (", item, ")");
    Py_ssize_t n = count > 0 ? count : (length - offset) / item;
    TORCH_CHECK_VALUE(n <= (length - offset) / item, "requested buffer length (", count, " * ",
                      item, " bytes) after offset (", offset,
                      " bytes) must not be greater than actual buffer length (", length, " bytes)");
    at::Storage part = s;
    int64_t first = offset / item;
    if (offset % item != 0) {
      auto* keep = new at::Storage(s);
      part = at::Storage::from_blob(static_cast<char*>(s.data()) + offset,
                                    static_cast<size_t>(length - offset), keep,
                                    [](void* c) { delete static_cast<at::Storage*>(c); }, at::kCPU);
      first = 0;
    }
    auto impl = c10::make_intrusive<c10::TensorImpl>(part, c10::DispatchKey::CPU, type, at::kCPU);
    impl->set_storage_offset(first);
    impl->set_sizes_contiguous({n});
    Tensor t(std::move(impl));
    if (requires_grad) t.set_requires_grad(true);
    return THPVariable_Wrap(t);
  });
}

template <typename F>
PyCFunction fn(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef torch_functions[] = {
    {"numel", numel, METH_O, docs::torch_numel},
    {"is_floating_point", is_floating_point, METH_O, docs::torch_is_floating_point},
    {"is_complex", is_complex, METH_O, docs::torch_is_complex},
    {"is_signed", is_signed, METH_O, docs::torch_is_signed},
    {"is_inference", is_inference, METH_O, docs::torch_is_inference},
    {"is_conj", is_conj, METH_O, docs::torch_is_conj},
    {"is_neg", is_neg, METH_O, docs::torch_is_neg},
    {"promote_types", fn(promote_types), METH_VARARGS | METH_KEYWORDS, docs::torch_promote_types},
    {"can_cast", fn(can_cast), METH_VARARGS | METH_KEYWORDS, docs::torch_can_cast},
    {"result_type", result_type, METH_VARARGS, docs::torch_result_type},
    {"_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type, METH_VARARGS, nullptr},
    {"frombuffer", fn(frombuffer), METH_VARARGS | METH_KEYWORDS, docs::torch_frombuffer},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef module_functions[] = {
    {"_get_tensor_metadata", get_tensor_metadata, METH_O, nullptr},
    {"_set_tensor_metadata", set_tensor_metadata, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef nn_functions[] = {
    {"_parse_to", fn(parse_to_tuple), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_torch_functions(PyObject* module) {
  return add_functions_to(module, "_VariableFunctions", torch_functions) &&
         PyModule_AddFunctions(module, module_functions) == 0 &&
         add_functions_to(module, "_nn", nn_functions);
}

}  // namespace torch
