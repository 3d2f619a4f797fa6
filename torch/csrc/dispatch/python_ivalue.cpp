// Conversion between Python objects and IValues, guided by the types of a schema.

#include <torch/csrc/dispatch/python_ivalue.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/python_types.h>

#include <ATen/ops/_local_scalar_dense.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <cstdlib>

namespace torch {

using at::IValue;
using at::IValueStack;
using at::SchemaType;
using at::Tensor;

namespace {

template <typename T, typename F>
std::vector<T> read_list(PyObject* o, const char* what, F one) {
  THPObjectPtr seq(PySequence_Fast(o, ""));
  if (!seq) {
    PyErr_Clear();
    TORCH_CHECK_TYPE(false, what, ": expected a list, got ", Py_TYPE(o)->tp_name);
  }
  std::vector<T> list;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(seq.get()); ++i)
    list.push_back(one(PySequence_Fast_GET_ITEM(seq.get(), i)));
  return list;
}

IValue default_of(const at::SchemaArgument& a) {
  const std::string& d = a.default_value;
  if (d == "None") return {};
  if (d == "True" || d == "False") return IValue(d == "True");
  const std::string& base = a.type.base;
  if (a.type.is_list) {
    std::vector<int64_t> ints;
    if (d[0] == '[') {
      const char* p = d.c_str() + 1;
      char* end;
      while (*p && *p != ']') {
        ints.push_back(std::strtoll(p, &end, 10));
        if (end == p) break;
        p = end;
        while (*p == ',' || *p == ' ') ++p;
      }
    } else {
      ints.assign(static_cast<size_t>(std::max(a.type.list_size, 1)),
                  std::strtoll(d.c_str(), nullptr, 10));
    }
    if (base == "bool") return IValue(std::vector<bool>(ints.begin(), ints.end()));
    if (base == "float") return IValue(std::vector<double>(ints.begin(), ints.end()));
    return IValue(ints);
  }
  if (base == "str") return IValue(d.size() >= 2 ? d.substr(1, d.size() - 2) : d);
  if (base == "float" || (base == "Scalar" && d.find_first_of(".e") != std::string::npos))
    return IValue(std::strtod(d.c_str(), nullptr));
  if (d == "long") return IValue(at::kLong);
  if (d == "float") return IValue(at::kFloat);
  if (d == "Mean") return IValue(int64_t(1));
  if (d == "contiguous_format") return IValue(at::MemoryFormat::Contiguous);
  return IValue(static_cast<int64_t>(std::strtoll(d.c_str(), nullptr, 10)));
}

const Tensor& tensor_of(PyObject* o, const char* what) {
  TORCH_CHECK_TYPE(THPVariable_Check(o), what, ": expected a Tensor, got ", Py_TYPE(o)->tp_name);
  return THPVariable_Unpack(o);
}

}  // namespace

IValue to_ivalue(PyObject* o, const SchemaType& type, const char* what) {
  if (o == Py_None) {
    TORCH_CHECK_TYPE(type.optional, what, ": expected ", type.str(), ", got None");
    return {};
  }
  const std::string& base = type.base;
  if (type.is_list) {
    if (base == "Tensor" && type.element_optional) {
      return IValue(read_list<std::optional<Tensor>>(o, what, [&](PyObject* x) {
        return x == Py_None ? std::nullopt : std::make_optional(tensor_of(x, what));
      }));
    }
    if (base == "Tensor")
      return IValue(read_list<Tensor>(o, what, [&](PyObject* x) { return tensor_of(x, what); }));
    if (base == "float") return IValue(read_list<double>(o, what, to_double));
    if (base == "bool")
      return IValue(read_list<bool>(o, what, [](PyObject* x) { return PyObject_IsTrue(x) > 0; }));
    if (base == "Scalar") return IValue(read_list<at::Scalar>(o, what, to_scalar));
    if (PyLong_Check(o))
      return IValue(
          std::vector<int64_t>(static_cast<size_t>(std::max(type.list_size, 1)), to_int64(o)));
    return IValue(read_list<int64_t>(o, what, to_int64));
  }
  if (base == "Tensor") return IValue(tensor_of(o, what));
  if (base == "int" || base == "SymInt") {
    if (THPDtype_Check(o)) return IValue(to_dtype(o));
    TORCH_CHECK_TYPE(PyIndex_Check(o), what, ": expected an int, got ", Py_TYPE(o)->tp_name);
    return IValue(to_int64(o));
  }
  if (base == "float") {
    TORCH_CHECK_TYPE(is_number(o), what, ": expected a float, got ", Py_TYPE(o)->tp_name);
    return IValue(to_double(o));
  }
  if (base == "bool") {
    TORCH_CHECK_TYPE(PyBool_Check(o) || is_number(o), what, ": expected a bool, got ",
                     Py_TYPE(o)->tp_name);
    return IValue(PyObject_IsTrue(o) > 0);
  }
  if (base == "Scalar") {
    TORCH_CHECK_TYPE(is_number(o), what, ": expected a number, got ", Py_TYPE(o)->tp_name);
    return IValue(to_scalar(o));
  }
  if (base == "str") {
    TORCH_CHECK_TYPE(PyUnicode_Check(o), what, ": expected a str, got ", Py_TYPE(o)->tp_name);
    const char* s = PyUnicode_AsUTF8(o);
    if (!s) throw python_error();
    return IValue(std::string(s));
  }
  if (base == "ScalarType") return IValue(to_dtype(o));
  if (base == "Device") return IValue(to_device(o));
  if (base == "Layout") {
    TORCH_CHECK_TYPE(THPLayout_Check(o), what, ": expected a torch.layout, got ",
                     Py_TYPE(o)->tp_name);
    return IValue(reinterpret_cast<THPLayout*>(o)->value);
  }
  if (base == "MemoryFormat") {
    TORCH_CHECK_TYPE(THPMemoryFormat_Check(o), what, ": expected a torch.memory_format, got ",
                     Py_TYPE(o)->tp_name);
    return IValue(reinterpret_cast<THPMemoryFormat*>(o)->value);
  }
  if (base == "Generator") {
    TORCH_CHECK_TYPE(THPGenerator_Check(o), what, ": expected a torch.Generator, got ",
                     Py_TYPE(o)->tp_name);
    return IValue(reinterpret_cast<THPGenerator*>(o)->value);
  }
  if (base == "Storage") {
    TORCH_CHECK_TYPE(THPStorage_Check(o), what, ": expected a torch.UntypedStorage, got ",
                     Py_TYPE(o)->tp_name);
    return IValue(reinterpret_cast<THPStorage*>(o)->value);
  }
  TORCH_CHECK_TYPE(false, what, ": a schema type that Python cannot give: ", type.str());
}

template <typename V, typename F>
static PyObject* list_of(const V& values, F one) {
  return make_list(values.size(), [&](size_t i) { return one(values[i]); }).release();
}

PyObject* from_ivalue(const IValue& v, const SchemaType& type) {
  using Tag = IValue::Tag;
  switch (v.tag()) {
    case Tag::None:
      Py_RETURN_NONE;
    case Tag::Tensor:
      return THPVariable_Wrap(v.toTensor());
    case Tag::Double:
      return PyFloat_FromDouble(v.toDouble());
    case Tag::Bool:
      return PyBool_FromLong(v.toBool());
    case Tag::ComplexDouble:
      return wrap_scalar(v.toScalar());
    case Tag::String:
      return PyUnicode_FromString(v.toStringRef().c_str());
    case Tag::Device:
      return wrap_device(v.toDevice());
    case Tag::Generator:
      return wrap_generator(v.toGenerator());
    case Tag::Storage:
      return wrap_storage(v.toStorage());
    case Tag::Int:
      if (type.base == "ScalarType") return wrap_dtype(static_cast<at::ScalarType>(v.toInt()));
      if (type.base == "Layout") return wrap_layout(static_cast<at::Layout>(v.toInt()));
      if (type.base == "MemoryFormat")
        return wrap_memory_format(static_cast<at::MemoryFormat>(v.toInt()));
      return PyLong_FromLongLong(v.toInt());
    case Tag::TensorList:
      return list_of(v.toTensorVector(), [](const Tensor& t) { return THPVariable_Wrap(t); });
    case Tag::OptionalTensorList:
      return list_of(v.toOptionalTensorVector(), [](const std::optional<Tensor>& t) {
        return THPVariable_Wrap(t ? *t : Tensor());
      });
    case Tag::IntList:
      return list_of(v.toIntVector(), [](int64_t i) { return PyLong_FromLongLong(i); });
    case Tag::DoubleList:
      return list_of(v.toDoubleVector(), [](double d) { return PyFloat_FromDouble(d); });
    case Tag::BoolList:
      return list_of(v.toBoolVector(), [](bool b) { return PyBool_FromLong(b); });
    case Tag::ScalarList:
      return list_of(v.toScalarVector(), [](const at::Scalar& s) { return wrap_scalar(s); });
  }
  Py_RETURN_NONE;
}

IValueStack arguments_to_stack(const at::FunctionSchema& schema, PyObject* args, PyObject* kwargs) {
  IValueStack stack;
  Py_ssize_t given = PyTuple_GET_SIZE(args), used = 0, at = 0;
  for (const at::SchemaArgument& a : schema.arguments) {
    PyObject* o = nullptr;
    if (!a.kwarg_only && at < given) o = PyTuple_GET_ITEM(args, at++);
    if (PyObject* k = kwargs ? PyDict_GetItemString(kwargs, a.name.c_str()) : nullptr) {
      TORCH_CHECK_TYPE(!o, schema.name, "() got multiple values for argument '", a.name, "'");
      o = k;
      ++used;
    }
    if (!o) {
      TORCH_CHECK_TYPE(a.has_default, schema.name, "() is missing value for argument '", a.name,
                       "'. Declaration: ", schema.text);
      stack.push_back(default_of(a));
    } else {
      stack.push_back(
          to_ivalue(o, a.type, c10::str(schema.name, "(): argument '", a.name, "'").c_str()));
    }
  }
  TORCH_CHECK_TYPE(at == given, schema.name, "() expected at most ", at,
                   " positional arguments, got ", given, ". Declaration: ", schema.text);
  TORCH_CHECK_TYPE(!kwargs || used == PyDict_GET_SIZE(kwargs), schema.name,
                   "() got an unknown keyword argument. Declaration: ", schema.text);
  return stack;
}

PythonArguments stack_to_arguments(const at::FunctionSchema& schema, IValueStack& stack) {
  size_t positional = 0;
  while (positional < schema.arguments.size() && !schema.arguments[positional].kwarg_only)
    ++positional;
  auto argument = [&](size_t i) { return from_ivalue(stack[i], schema.arguments[i].type); };
  THPObjectPtr args = make_tuple(positional, argument), kwargs = own(PyDict_New());
  for (size_t i = positional; i < schema.arguments.size(); ++i) {
    THPObjectPtr o = own(argument(i));
    if (PyDict_SetItemString(kwargs.get(), schema.arguments[i].name.c_str(), o.get()) < 0)
      throw python_error();
  }
  return {std::move(args), std::move(kwargs)};
}

namespace {

bool is_default(const IValue& v, const at::SchemaArgument& a) {
  if (!a.has_default) return false;
  if (v.isNone()) return a.default_value == "None";
  if (a.default_value == "None") return false;
  const IValue d = default_of(a);
  using Tag = IValue::Tag;
  const bool is_number = d.tag() == Tag::Int || d.tag() == Tag::Double;
  if (is_number && (v.tag() == Tag::Int || v.tag() == Tag::Double))
    return v.toScalar().toDouble() == d.toScalar().toDouble();
  if (v.tag() != d.tag()) return false;
  switch (v.tag()) {
    case Tag::Bool:
      return v.toBool() == d.toBool();
    case Tag::String:
      return v.toStringRef() == d.toStringRef();
    case Tag::IntList:
      return v.toIntVector() == d.toIntVector();
    case Tag::DoubleList:
      return v.toDoubleVector() == d.toDoubleVector();
    case Tag::BoolList:
      return v.toBoolVector() == d.toBoolVector();
    default:
      return false;
  }
}

// The number itself: a wrapped one has one of these types. No operator is called for it.
PyObject* wrapped_number(const Tensor& t) {
  const void* data = t.unsafeGetTensorImpl()->data();
  switch (t.scalar_type()) {
    case at::kBool:
      return PyBool_FromLong(*static_cast<const uint8_t*>(data) != 0);
    case at::kLong:
      return PyLong_FromLongLong(*static_cast<const int64_t*>(data));
    case at::kDouble:
      return PyFloat_FromDouble(*static_cast<const double*>(data));
    default:
      c10::impl::ExcludeDispatchKeyGuard no_python{c10::DispatchKeySet(c10::DispatchKey::Python)};
      return wrap_scalar(at::_local_scalar_dense(t));
  }
}

// Numbers that a binding made tensors of are numbers again, if the operator takes them.
PyObject* dispatched_argument(const IValue& v, const SchemaType& type, bool takes_numbers) {
  const bool number = takes_numbers || type.base == "Scalar";
  if (number && v.isTensor() && v.toTensor().defined() &&
      v.toTensor().unsafeGetTensorImpl()->is_wrapped_number() &&
      !v.toTensor().key_set().has(c10::Functionality::Python)) {
    return wrapped_number(v.toTensor());
  }
  return from_ivalue(v, type);
}

}  // namespace

PythonArguments stack_to_dispatched_arguments(const at::FunctionSchema& schema, IValueStack& stack,
                                              bool takes_numbers) {
  size_t positional = 0;
  while (positional < schema.arguments.size() && !schema.arguments[positional].kwarg_only)
    ++positional;
  const size_t first_keyword = positional;
  while (positional > 0 && is_default(stack[positional - 1], schema.arguments[positional - 1]))
    --positional;
  auto argument = [&](size_t i) {
    return dispatched_argument(stack[i], schema.arguments[i].type, takes_numbers);
  };
  THPObjectPtr args = make_tuple(positional, argument), kwargs = own(PyDict_New());
  for (size_t i = first_keyword; i < schema.arguments.size(); ++i) {
    if (is_default(stack[i], schema.arguments[i])) continue;
    THPObjectPtr o = own(argument(i));
    if (PyDict_SetItemString(kwargs.get(), schema.arguments[i].name.c_str(), o.get()) < 0)
      throw python_error();
  }
  return {std::move(args), std::move(kwargs)};
}

PyObject* stack_to_python(const at::FunctionSchema& schema, IValueStack& stack) {
  size_t n = schema.returns.size();
  if (n == 0) Py_RETURN_NONE;
  TORCH_CHECK(stack.size() >= n, schema.name, ": the kernel gave back ", stack.size(),
              " results, expected ", n);
  if (n == 1) return from_ivalue(stack.back(), schema.returns[0].type);
  return make_tuple(n, [&](size_t i) {
    return from_ivalue(stack[stack.size() - n + i], schema.returns[i].type);
  }).release();
}

void results_to_stack(const at::FunctionSchema& schema, PyObject* result, IValueStack& stack) {
  size_t n = schema.returns.size();
  if (n == 0) return;
  std::string what = schema.name + ": the result of the Python kernel";
  if (n == 1) {
    stack.push_back(to_ivalue(result, schema.returns[0].type, what.c_str()));
    return;
  }
  TORCH_CHECK_TYPE((PyTuple_Check(result) || PyList_Check(result)) &&
                       static_cast<size_t>(PySequence_Fast_GET_SIZE(result)) == n,
                   what, ": expected ", n, " values, got ", Py_TYPE(result)->tp_name);
  for (size_t i = 0; i < n; ++i) {
    PyObject* value = PySequence_Fast_ITEMS(result)[i];
    const SchemaType& type = schema.returns[i].type;
    if (value == Py_None && type.base == "Tensor" && !type.is_list) {
      stack.push_back(IValue(Tensor()));  // a result that was not asked for, such as a gradient
    } else {
      stack.push_back(to_ivalue(value, type, what.c_str()));
    }
  }
}

}  // namespace torch
