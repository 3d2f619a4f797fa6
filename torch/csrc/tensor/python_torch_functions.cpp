// Functions of torch that are no operators: types, threads, settings.

#include <torch/csrc/Module.h>

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_parse_to.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/ops/_conj_physical.h>
#include <ATen/ops/neg.h>
#include <c10/core/CPUAllocator.h>

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
  return ask(o, "numel", [](const Tensor& t) { return PyLong_FromLongLong(t.numel()); });
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
PyObject* always_false(PyObject*, PyObject*) { Py_RETURN_FALSE; }

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

PyObject* get_default_dtype(PyObject*, PyObject*) {
  return guarded([] { return wrap_dtype(at::get_default_dtype()); });
}
PyObject* set_default_dtype(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(
        THPDtype_Check(o),
        "invalid dtype object: only floating-point types are supported as the default type");
    c10::set_default_dtype(to_dtype(o));
    Py_RETURN_NONE;
  });
}

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(at::get_num_threads()); }
PyObject* get_num_interop_threads(PyObject*, PyObject*) {
  return PyLong_FromLong(at::get_num_interop_threads());
}
PyObject* set_threads(PyObject* o, void (*set)(int), const char* op) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyLong_Check(o), op, " expects an int, but got ", Py_TYPE(o)->tp_name);
    int64_t n = to_int64(o);
    TORCH_CHECK(n > 0 && n <= 4096, op, " expects a positive integer, got ", n);
    set(static_cast<int>(n));
    Py_RETURN_NONE;
  });
}
PyObject* set_num_threads(PyObject*, PyObject* o) {
  return set_threads(o, at::set_num_threads, "set_num_threads");
}
PyObject* set_num_interop_threads(PyObject*, PyObject* o) {
  return set_threads(o, at::set_num_interop_threads, "set_num_interop_threads");
}

PyObject* set_warn_always(PyObject*, PyObject* o) {
  if (!PyBool_Check(o))
    return PyErr_Format(PyExc_RuntimeError, "set_warn_always expects a bool, but got %s",
                        Py_TYPE(o)->tp_name);
  c10::WarningUtils::set_warnAlways(o == Py_True);
  Py_RETURN_NONE;
}
PyObject* get_warn_always(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::WarningUtils::get_warnAlways());
}

// Switches that only remember what they were told; kernels here are deterministic and in full
// precision.
bool g_deterministic = false, g_deterministic_warn = false;
THPObjectPtr& g_precision = *new THPObjectPtr;  // never destroyed: Python ends before statics do
PyObject* set_deterministic(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"mode", "warn_only", nullptr};
  int mode, warn = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "p|$p", const_cast<char**>(names), &mode, &warn))
    return nullptr;
  g_deterministic = mode;
  g_deterministic_warn = warn;
  Py_RETURN_NONE;
}
PyObject* get_deterministic(PyObject*, PyObject*) { return PyBool_FromLong(g_deterministic); }
PyObject* get_deterministic_warn(PyObject*, PyObject*) {
  return PyBool_FromLong(g_deterministic_warn);
}
PyObject* set_precision(PyObject*, PyObject* o) {
  const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  std::string_view p = text ? text : "";
  if (p != "highest" && p != "high" && p != "medium") {
    PyErr_Format(PyExc_RuntimeError,
                 "set_float32_matmul_precision(): expected 'highest', 'high' or 'medium', got %R",
                 o);
    return nullptr;
  }
  g_precision = THPObjectPtr::borrow(o);
  Py_RETURN_NONE;
}
PyObject* get_precision(PyObject*, PyObject*) {
  if (!g_precision) return PyUnicode_FromString("highest");
  return Py_NewRef(g_precision.get());
}

// Conjugation and negation are carried out at once here, so tensors have no such bits.
PyObject* get_tensor_metadata(PyObject*, PyObject*) { return PyDict_New(); }
// A tensor that was saved with such a bit gets what it stands for.
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
    Tensor t = THPVariable_Unpack(o), changed = t;
    c10::AutoGradMode no_grad(false);
    if (is_set("conj")) changed = at::_conj_physical(changed);
    if (is_set("neg")) changed = at::neg(changed);
    if (!changed.is_same(t)) {
      c10::TensorImpl* impl = t.unsafeGetTensorImpl();
      impl->set_storage(changed.storage());
      impl->set_storage_offset(changed.storage_offset());
      impl->set_sizes_and_strides(changed.sizes(), changed.strides());
    }
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

PyObject* set_flush_denormal(PyObject*, PyObject* on) {
  int b = PyObject_IsTrue(on);
  if (b < 0) return nullptr;
  // FTZ and DAZ of the SSE control word; of this thread, as in PyTorch.
  unsigned int word = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(b ? word | 0x8040u : word & ~0x8040u);
  Py_RETURN_TRUE;
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

PyObject* memory_stats(PyObject*, PyObject*) {
  c10::CPUAllocatorStats s = c10::cpu_allocator_stats();
  auto n = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  return Py_BuildValue(
      "{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "allocations", n(s.allocations), "frees",
      n(s.frees), "allocated_bytes", n(s.allocated_bytes), "peak_allocated_bytes",
      n(s.peak_allocated_bytes), "cached_bytes", n(s.cached_bytes), "reserved_bytes",
      n(s.reserved_bytes), "peak_reserved_bytes", n(s.peak_reserved_bytes), "system_maps",
      n(s.system_maps), "system_unmaps", n(s.system_unmaps), "cache_hits", n(s.cache_hits));
}
PyObject* reset_peak_memory_stats(PyObject*, PyObject*) {
  c10::reset_peak_cpu_allocator_stats();
  Py_RETURN_NONE;
}
PyObject* empty_cache(PyObject*, PyObject*) {
  c10::empty_cpu_cache();
  Py_RETURN_NONE;
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
    {"is_conj", always_false, METH_O, docs::torch_is_conj},
    {"is_neg", always_false, METH_O, docs::torch_is_neg},
    {"promote_types", fn(promote_types), METH_VARARGS | METH_KEYWORDS, docs::torch_promote_types},
    {"can_cast", fn(can_cast), METH_VARARGS | METH_KEYWORDS, docs::torch_can_cast},
    {"result_type", result_type, METH_VARARGS, docs::torch_result_type},
    {"_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type, METH_VARARGS, nullptr},
    {"frombuffer", fn(frombuffer), METH_VARARGS | METH_KEYWORDS, docs::torch_frombuffer},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef module_functions[] = {
    {"get_default_dtype", get_default_dtype, METH_NOARGS, docs::get_default_dtype},
    {"_set_default_dtype", set_default_dtype, METH_O, nullptr},
    {"get_num_threads", get_num_threads, METH_NOARGS, docs::get_num_threads},
    {"set_num_threads", set_num_threads, METH_O, docs::set_num_threads},
    {"get_num_interop_threads", get_num_interop_threads, METH_NOARGS,
     docs::get_num_interop_threads},
    {"set_num_interop_threads", set_num_interop_threads, METH_O, docs::set_num_interop_threads},
    {"_set_warnAlways", set_warn_always, METH_O, nullptr},
    {"_get_warnAlways", get_warn_always, METH_NOARGS, nullptr},
    {"_set_deterministic_algorithms", fn(set_deterministic), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_get_deterministic_algorithms", get_deterministic, METH_NOARGS, nullptr},
    {"_get_deterministic_algorithms_warn_only", get_deterministic_warn, METH_NOARGS, nullptr},
    {"_set_float32_matmul_precision", set_precision, METH_O, nullptr},
    {"_get_float32_matmul_precision", get_precision, METH_NOARGS, nullptr},
    {"_get_tensor_metadata", get_tensor_metadata, METH_O, nullptr},
    {"_set_tensor_metadata", set_tensor_metadata, METH_VARARGS, nullptr},
    {"set_flush_denormal", set_flush_denormal, METH_O, docs::set_flush_denormal},
    {"_cpu_memory_stats", memory_stats, METH_NOARGS, nullptr},
    {"_cpu_reset_peak_memory_stats", reset_peak_memory_stats, METH_NOARGS, nullptr},
    {"_cpu_empty_cache", empty_cache, METH_NOARGS, nullptr},
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
