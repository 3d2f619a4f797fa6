// Methods of tensors that are no operators, or whose arguments follow rules of their own (to, size,
// new_tensor).

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_tensor_geometry.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/binding/python_parse_to.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/item.h>
#include <ATen/ops/to.h>
#include <c10/core/impl/PinnedMemory.h>

#include <cstring>
#include <string>

namespace torch {

using at::Tensor;

namespace {

const Tensor& self_of(PyObject* o) { return THPVariable_Unpack(o); }

// Gives a subclass's __torch_function__ the first say.
#define HANDLE(name, args, n, kw)                                                \
  if (C10_UNLIKELY(t_torch_function_modes ||                                     \
                   (!THPVariable_CheckExact(self) && has_torch_function(self)))) \
  return handle_torch_function(name, self, args, n, kw)

bool is_overridden(PyObject* self) {
  return t_torch_function_modes || (!THPVariable_CheckExact(self) && has_torch_function(self));
}

template <typename F>
PyObject* plain(PyObject* self, const char* name, F f) {
  return guarded([&]() -> PyObject* {
    HANDLE(name, nullptr, 0, nullptr);
    return f(self_of(self));
  });
}

PyObject* dim(PyObject* self, PyObject*) {
  return plain(self, "dim", [self](const Tensor& t) { return dim_object(self, t); });
}
PyObject* numel(PyObject* self, PyObject*) {
  return plain(self, "numel", [self](const Tensor& t) { return numel_object(self, t); });
}
PyObject* element_size(PyObject* self, PyObject*) {
  return plain(self, "element_size",
               [](const Tensor& t) { return PyLong_FromSize_t(t.itemsize()); });
}
PyObject* storage_offset(PyObject* self, PyObject*) {
  return plain(self, "storage_offset",
               [self](const Tensor& t) { return storage_offset_object(self, t); });
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return plain(self, "data_ptr", [](const Tensor& t) {
    auto* start = static_cast<char*>(t.storage().data());
    return PyLong_FromVoidPtr(
        start ? start + t.storage_offset() * static_cast<int64_t>(t.element_size()) : nullptr);
  });
}
PyObject* get_device(PyObject* self, PyObject*) {
  return plain(self, "get_device",
               [self](const Tensor& t) { return PyLong_FromLong(device_of(self, t).index()); });
}
PyObject* is_floating_point(PyObject* self, PyObject*) {
  return plain(self, "is_floating_point",
               [](const Tensor& t) { return PyBool_FromLong(t.is_floating_point()); });
}
PyObject* is_conj(PyObject* self, PyObject*) {
  return plain(self, "is_conj", [](const Tensor& t) { return PyBool_FromLong(t.is_conj()); });
}
PyObject* is_neg(PyObject* self, PyObject*) {
  return plain(self, "is_neg", [](const Tensor& t) { return PyBool_FromLong(t.is_neg()); });
}
PyObject* is_complex(PyObject* self, PyObject*) {
  return plain(self, "is_complex", [](const Tensor& t) { return PyBool_FromLong(t.is_complex()); });
}
PyObject* is_signed(PyObject* self, PyObject*) {
  return plain(self, "is_signed", [](const Tensor& t) { return PyBool_FromLong(t.is_signed()); });
}
PyObject* is_inference(PyObject* self, PyObject*) {
  return plain(self, "is_inference",
               [](const Tensor& t) { return PyBool_FromLong(t.is_inference()); });
}
PyObject* is_pinned(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* device = Py_None;
    if (!PyArg_ParseTuple(args, "|O:is_pinned", &device)) return nullptr;
    const Tensor& t = self_of(self);
    if (!t.is_cpu() || !t.unsafeGetTensorImpl()->has_storage()) Py_RETURN_FALSE;
    return PyBool_FromLong(c10::impl::is_pinned(t.storage().data(), optional_device_type(device)));
  });
}
PyObject* is_view(PyObject* self, PyObject*) {
  return plain(self, "_is_view", [](const Tensor& t) { return PyBool_FromLong(t.is_view()); });
}
PyObject* complex_of(PyObject* self, PyObject*) {
  return plain(self, "__complex__", [](const Tensor& t) -> PyObject* {
    TORCH_CHECK_VALUE(t.numel() == 1,
                      "only one element tensors can be converted to Python scalars, got shape ",
                      t.sizes());
    auto z = at::item(t).toComplexDouble();
    return PyComplex_FromDoubles(z.real(), z.imag());
  });
}
PyObject* tolist(PyObject* self, PyObject*) {
  return plain(self, "tolist", [](const Tensor& t) { return tensor_to_list(t); });
}
PyObject* untyped_storage(PyObject* self, PyObject*) {
  return plain(self, "untyped_storage", [](const Tensor& t) { return wrap_storage(t.storage()); });
}

// size(), size(0), size(dim=0); the same for stride.
PyObject* sizes_or_one(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kwnames,
                       const char* name, bool is_size) {
  return guarded([&]() -> PyObject* {
    HANDLE(name, args, n, kwnames);
    const Tensor& t = self_of(self);
    Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    if (n + nkw == 0 || args[0] == Py_None)
      return is_size ? sizes_object(self, t) : strides_object(self, t);
    TORCH_CHECK_TYPE(n + nkw == 1 && (!nkw || PyUnicode_CompareWithASCIIString(
                                                  PyTuple_GET_ITEM(kwnames, 0), "dim") == 0),
                     name, "() takes one argument, dim");
    if (!PyIndex_Check(args[0]) && has_torch_function(args[0]))
      return handle_torch_function(name, self, args, n, kwnames);
    TORCH_CHECK_TYPE(PyIndex_Check(args[0]), name, "(): argument 'dim' must be int, not ",
                     Py_TYPE(args[0])->tp_name);
    int64_t d = to_int64(args[0]);
    if (C10_UNLIKELY(geometry_of(t) != nullptr)) return size_or_stride_object(self, t, d, is_size);
    TORCH_CHECK_INDEX(t.dim() > 0, name, "(): dimension specified as ", d,
                      " but tensor has no dimensions");
    return PyLong_FromLongLong(is_size ? t.size(d) : t.stride(d));
  });
}
PyObject* size(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return sizes_or_one(self, args, n, kw, "size", true);
}
PyObject* stride(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return sizes_or_one(self, args, n, kw, "stride", false);
}

PyObject* is_contiguous(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"memory_format", nullptr};
    PyObject* format = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O:is_contiguous", const_cast<char**>(names),
                                     &format))
      return nullptr;
    if (C10_UNLIKELY(is_overridden(self))) {
      THPObjectPtr keywords = own(format ? Py_BuildValue("(s)", "memory_format") : PyTuple_New(0));
      return handle_torch_function("is_contiguous", self, &format, 0, keywords.get());
    }
    at::MemoryFormat f = at::MemoryFormat::Contiguous;
    if (format) {
      TORCH_CHECK_TYPE(THPMemoryFormat_Check(format),
                       "is_contiguous(): memory_format must be a torch.memory_format");
      f = reinterpret_cast<THPMemoryFormat*>(format)->value;
      TORCH_CHECK(f != at::MemoryFormat::Preserve,
                  "is_contiguous(): preserve_format is a request, not a property of a tensor");
    }
    return is_contiguous_object(self, self_of(self), format, f);
  });
}

PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"requires_grad", nullptr};
    int on = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:requires_grad_", const_cast<char**>(names),
                                     &on))
      return nullptr;
    if (C10_UNLIKELY(is_overridden(self))) {
      PyObject* value = on ? Py_True : Py_False;
      return handle_torch_function("requires_grad_", self, &value, 1, nullptr);
    }
    self_of(self).set_requires_grad(on);
    Py_INCREF(self);
    return self;
  });
}

PyObject* retain_grad(PyObject* self, PyObject*) {
  return plain(self, "retain_grad", [](const Tensor& t) -> PyObject* {
    autograd::retain_grad(t);
    Py_RETURN_NONE;
  });
}

PyObject* numpy(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"force", nullptr};
    int force = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:numpy", const_cast<char**>(names), &force))
      return nullptr;
    HANDLE("numpy", nullptr, 0, nullptr);
    return tensor_to_numpy(self_of(self), force);
  });
}

// --- conversions --------------------------------------------------------------------------------

PyObject* convert(PyObject* self, const ParsedTo& to) {
  const Tensor& t = self_of(self);
  at::ScalarType dtype = to.dtype.value_or(t.scalar_type());
  at::Device device = to.device.value_or(t.device());
  if (device.is_cpu() && device.has_index()) device = at::Device(at::kCPU);
  bool format_fits = !to.memory_format || *to.memory_format == at::MemoryFormat::Preserve ||
                     t.is_contiguous(*to.memory_format);
  if (!to.copy && dtype == t.scalar_type() && device == t.device() && format_fits) {
    Py_INCREF(self);
    return self;
  }
  return THPVariable_Wrap(at::_to_copy(t, dtype, std::nullopt, device, std::nullopt,
                                       to.non_blocking, to.memory_format));
}

PyObject* to(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    HANDLE("to", args, n, kwnames);
    for (Py_ssize_t i = 0, total = n + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0); i < total; ++i) {
      if (!THPVariable_CheckExact(args[i]) && has_torch_function(args[i]))
        return handle_torch_function("to", self, args, n, kwnames);
    }
    return convert(self, parse_to(args, n, kwnames));
  });
}

// The name of the method that converts to a type.
constexpr const char* conversion_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "float";
    case at::kDouble:
      return "double";
    case at::kHalf:
      return "half";
    case at::kBFloat16:
      return "bfloat16";
    case at::kLong:
      return "long";
    case at::kInt:
      return "int";
    case at::kShort:
      return "short";
    case at::kChar:
      return "char";
    case at::kByte:
      return "byte";
    case at::kBool:
      return "bool";
    case at::kComplexFloat:
      return "cfloat";
    default:
      return "cdouble";
  }
}

// x.float(), x.long(), ...: to(dtype).
template <at::ScalarType D>
PyObject* as_type(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"memory_format", nullptr};
    PyObject* format = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O", const_cast<char**>(names), &format))
      return nullptr;
    HANDLE(conversion_name(D), nullptr, 0, nullptr);
    ParsedTo to;
    to.dtype = D;
    if (format && THPMemoryFormat_Check(format))
      to.memory_format = reinterpret_cast<THPMemoryFormat*>(format)->value;
    return convert(self, to);
  });
}
// The memory format of cpu() and cuda(); null or None is none.
std::optional<at::MemoryFormat> optional_memory_format(PyObject* format) {
  if (!format || format == Py_None) return std::nullopt;
  TORCH_CHECK_TYPE(THPMemoryFormat_Check(format),
                   "expected memory_format to be a torch.memory_format, got ",
                   Py_TYPE(format)->tp_name);
  return reinterpret_cast<THPMemoryFormat*>(format)->value;
}
PyObject* cpu(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"memory_format", nullptr};
    PyObject* format = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O:cpu", const_cast<char**>(names), &format))
      return nullptr;
    HANDLE("cpu", nullptr, 0, nullptr);
    ParsedTo to;
    to.device = at::Device(at::kCPU);
    to.memory_format = optional_memory_format(format);
    return convert(self, to);
  });
}
// Without an index it is the current device.
PyObject* cuda(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", "non_blocking", "memory_format", nullptr};
    PyObject *device = Py_None, *format = nullptr;
    int non_blocking = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op$O:cuda", const_cast<char**>(names), &device,
                                     &non_blocking, &format))
      return nullptr;
    HANDLE("cuda", nullptr, 0, nullptr);
    ParsedTo to;
    to.device = device == Py_None ? at::Device(at::kCUDA) : to_device(device);
    TORCH_CHECK(to.device->is_cuda(), "cuda(): expected a CUDA device, got ", *to.device);
    to.non_blocking = non_blocking;
    to.memory_format = optional_memory_format(format);
    return convert(self, to);
  });
}

// type(): "torch.FloatTensor"; type(dtype) and type("torch.DoubleTensor") convert.
PyObject* type(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"dtype", "non_blocking", nullptr};
    PyObject* requested = Py_None;
    int non_blocking = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op:type", const_cast<char**>(names),
                                     &requested, &non_blocking))
      return nullptr;
    HANDLE("type", nullptr, 0, nullptr);
    const Tensor& t = self_of(self);
    if (requested == Py_None) {
      return PyUnicode_FromFormat("torch.%s%sTensor", t.is_cuda() ? "cuda." : "",
                                  at::toString(t.scalar_type()));
    }
    ParsedTo to;
    if (is_dtype_like(requested)) {
      to.dtype = to_dtype(requested);
    } else {
      // A name, or one of the old tensor types, whose repr is its name.
      THPObjectPtr text =
          own(PyUnicode_Check(requested) ? Py_NewRef(requested) : PyObject_Str(requested));
      std::string name = check(PyUnicode_AsUTF8(text.get()));
      size_t at = name.find("torch.");
      std::string rest = at == std::string::npos ? "" : name.substr(at + 6);
      if (rest.rfind("cuda.", 0) == 0) {
        to.device = at::Device(at::kCUDA);
        rest = rest.substr(5);
      } else {
        to.device = at::Device(at::kCPU);
      }
      for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
        auto s = static_cast<at::ScalarType>(i);
        if (rest.rfind(std::string(at::toString(s)) + "Tensor", 0) == 0) to.dtype = s;
      }
      TORCH_CHECK_VALUE(to.dtype, "invalid type: '", name, "'");
    }
    return convert(self, to);
  });
}

PyObject* new_tensor(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"data",   "dtype",      "device", "requires_grad",
                                  "layout", "pin_memory", nullptr};
    PyObject *data, *dtype = Py_None, *device = Py_None, *layout = nullptr, *pin = nullptr;
    int requires_grad = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO$pOO:new_tensor", const_cast<char**>(names),
                                     &data, &dtype, &device, &requires_grad, &layout, &pin))
      return nullptr;
    const Tensor& t = self_of(self);
    Tensor made = tensor_from_data(data, dtype != Py_None ? to_dtype(dtype) : t.scalar_type(),
                                   device != Py_None ? to_device(device) : t.device());
    if (requires_grad) made.set_requires_grad(true);
    return THPVariable_Wrap(made);
  });
}

// --- subclasses ---------------------------------------------------------------------------------

PyObject* as_subclass(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"cls", nullptr};
    PyObject* cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:as_subclass", const_cast<char**>(names),
                                     &cls))
      return nullptr;
    TORCH_CHECK_TYPE(PyType_Check(cls) &&
                         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &THPVariableType),
                     "cls must be a subclass of Tensor");
    return THPVariable_WrapAs(reinterpret_cast<PyTypeObject*>(cls), at::alias(self_of(self)));
  });
}

template <typename F>
PyCFunction fn(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

}  // namespace

PyMethodDef tensor_manual_methods[] = {
    {"dim", dim, METH_NOARGS, docs::Tensor_dim},
    {"ndimension", dim, METH_NOARGS, docs::Tensor_ndimension},
    {"numel", numel, METH_NOARGS, docs::Tensor_numel},
    {"nelement", numel, METH_NOARGS, docs::Tensor_nelement},
    {"element_size", element_size, METH_NOARGS, docs::Tensor_element_size},
    {"storage_offset", storage_offset, METH_NOARGS, docs::Tensor_storage_offset},
    {"data_ptr", data_ptr, METH_NOARGS, docs::Tensor_data_ptr},
    {"get_device", get_device, METH_NOARGS, docs::Tensor_get_device},
    {"is_floating_point", is_floating_point, METH_NOARGS, docs::Tensor_is_floating_point},
    {"is_complex", is_complex, METH_NOARGS, docs::Tensor_is_complex},
    {"is_signed", is_signed, METH_NOARGS, docs::Tensor_is_signed},
    {"is_inference", is_inference, METH_NOARGS, docs::Tensor_is_inference},
    {"is_conj", is_conj, METH_NOARGS, docs::Tensor_is_conj},
    {"is_neg", is_neg, METH_NOARGS, docs::Tensor_is_neg},
    {"is_pinned", is_pinned, METH_VARARGS, docs::Tensor_is_pinned},
    {"_is_view", is_view, METH_NOARGS, nullptr},
    {"__complex__", complex_of, METH_NOARGS, nullptr},
    {"tolist", tolist, METH_NOARGS, docs::Tensor_tolist},
    {"untyped_storage", untyped_storage, METH_NOARGS, docs::Tensor_untyped_storage},
    {"size", fn(size), METH_FASTCALL | METH_KEYWORDS, docs::Tensor_size},
    {"stride", fn(stride), METH_FASTCALL | METH_KEYWORDS, docs::Tensor_stride},
    {"is_contiguous", fn(is_contiguous), METH_VARARGS | METH_KEYWORDS, docs::Tensor_is_contiguous},
    {"requires_grad_", fn(requires_grad_), METH_VARARGS | METH_KEYWORDS,
     docs::Tensor_requires_grad_},
    {"retain_grad", retain_grad, METH_NOARGS, docs::Tensor_retain_grad},
    {"numpy", fn(numpy), METH_VARARGS | METH_KEYWORDS, docs::Tensor_numpy},
    {"to", fn(to), METH_FASTCALL | METH_KEYWORDS, docs::Tensor_to},
    {"float", fn(as_type<at::kFloat>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_float},
    {"double", fn(as_type<at::kDouble>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_double},
    {"half", fn(as_type<at::kHalf>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_half},
    {"bfloat16", fn(as_type<at::kBFloat16>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_bfloat16},
    {"long", fn(as_type<at::kLong>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_long},
    {"int", fn(as_type<at::kInt>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_int},
    {"short", fn(as_type<at::kShort>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_short},
    {"char", fn(as_type<at::kChar>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_char},
    {"byte", fn(as_type<at::kByte>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_byte},
    {"bool", fn(as_type<at::kBool>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_bool},
    {"cfloat", fn(as_type<at::kComplexFloat>), METH_VARARGS | METH_KEYWORDS, docs::Tensor_cfloat},
    {"cdouble", fn(as_type<at::kComplexDouble>), METH_VARARGS | METH_KEYWORDS,
     docs::Tensor_cdouble},
    {"cpu", fn(cpu), METH_VARARGS | METH_KEYWORDS, docs::Tensor_cpu},
    {"cuda", fn(cuda), METH_VARARGS | METH_KEYWORDS, docs::Tensor_cuda},
    {"type", fn(type), METH_VARARGS | METH_KEYWORDS, docs::Tensor_type},
    {"new_tensor", fn(new_tensor), METH_VARARGS | METH_KEYWORDS, docs::Tensor_new_tensor},
    {"_make_subclass", fn(make_subclass), METH_STATIC | METH_VARARGS | METH_KEYWORDS,
     "An instance of a class of tensors that shares the memory of `data`."},
    {"_make_wrapper_subclass", fn(make_wrapper_subclass),
     METH_STATIC | METH_VARARGS | METH_KEYWORDS,
     "An instance of a class of tensors with this geometry and without memory of its own."},
    {"as_subclass", fn(as_subclass), METH_VARARGS | METH_KEYWORDS, docs::Tensor_as_subclass},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace torch
