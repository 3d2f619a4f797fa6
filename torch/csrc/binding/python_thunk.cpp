// The conversions that all thunks share.

#include <torch/csrc/binding/python_thunk.h>

#include <cstring>
#include <map>
#include <string>

#include <ATen/core/dispatch/OperatorEntry.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/binding/python_arg_run.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/type_object.h>

namespace torch {

Tensor wrapped_number(PyObject* o) { return at::wrapped_scalar_tensor(to_scalar(o)); }
Tensor number_as_tensor(PyObject* o) { return wrapped_number(o); }

Scalar default_scalar(const DefaultValue& v) {
  switch (v.kind) {
    case DefaultValue::Real:
      return Scalar(v.v.d);
    case DefaultValue::Boolean:
      return Scalar(v.v.i != 0);
    default:
      return Scalar(v.v.i);
  }
}

static bool is_list(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }

void read_int_list(const Slot& s, c10::DimVector& into) {
  // None stands for an empty default.
  if (!s.object || s.object == Py_None) {
    for (int i = 0; i < s.spec->fallback.size; ++i) into.push_back(s.spec->fallback.v.list[i]);
    return;
  }
  if (const ArgRun* run = run_of(s.object)) {
    for (Py_ssize_t i = 0; i < run->count; ++i) into.push_back(to_int64(run->items[i]));
    return;
  }
  if (!is_list(s.object)) {
    // An int for a list of known length stands for that many of it.
    into.assign(std::max<size_t>(s.spec->list_size, 1), to_int64(s.object));
    return;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(s.object);
  PyObject** items = PySequence_Fast_ITEMS(s.object);
  into.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) into.push_back(to_int64(items[i]));
}

void read_double_list(const Slot& s, c10::SmallVector<double, 4>& into) {
  if (!s.object) return;
  if (!is_list(s.object)) {
    into.assign(std::max<size_t>(s.spec->list_size, 1), to_double(s.object));
    return;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(s.object); ++i)
    into.push_back(to_double(PySequence_Fast_ITEMS(s.object)[i]));
}

void read_tensor_list(PyObject* o, std::vector<Tensor>& into) {
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  into.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i)
    into.push_back(THPVariable_Unpack(PySequence_Fast_ITEMS(o)[i]));
}

void read_optional_tensor_list(PyObject* o, std::vector<std::optional<Tensor>>& into) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* item = PySequence_Fast_ITEMS(o)[i];
    if (item == Py_None) {
      into.emplace_back();
    } else {
      into.emplace_back(THPVariable_Unpack(item));
    }
  }
}

void read_scalar_list(PyObject* o, std::vector<Scalar>& into) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    into.push_back(to_scalar(PySequence_Fast_ITEMS(o)[i]));
}

void read_bool_list(const Slot& s, bool* into, size_t n) {
  if (!s.object) {
    for (size_t i = 0; i < n; ++i)
      into[i] = i < s.spec->fallback.size && s.spec->fallback.v.list[i];
    return;
  }
  TORCH_CHECK_VALUE(static_cast<size_t>(PySequence_Fast_GET_SIZE(s.object)) == n, s.spec->name,
                    ": expected ", n, " bools, got ", PySequence_Fast_GET_SIZE(s.object));
  for (size_t i = 0; i < n; ++i) into[i] = PySequence_Fast_ITEMS(s.object)[i] == Py_True;
}

std::string_view read_text(PyObject* o) {
  Py_ssize_t n;
  const char* text = PyUnicode_AsUTF8AndSize(o, &n);
  if (!text) throw python_error();
  return {text, static_cast<size_t>(n)};
}

// torch.return_types.max(
// values=tensor(...),
// indices=tensor(...))
static PyObject* named_tuple_repr(PyObject* o) {
  std::string text = std::string(Py_TYPE(o)->tp_name) + "(";
  THPObjectPtr names(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "__match_args__"));
  if (!names) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) {
    THPObjectPtr value(PyObject_Repr(PyTuple_GET_ITEM(o, i)));
    const char* s = value ? PyUnicode_AsUTF8(value.get()) : nullptr;
    if (!s) return nullptr;
    text += std::string(i ? ",\n" : "\n") + PyUnicode_AsUTF8(PyTuple_GET_ITEM(names.get(), i)) +
            "=" + s;
  }
  text += ")";
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

// Named tuples of results, a type for each operator, as torch.return_types has them. Overloads may
// have other results.
static PyTypeObject* named_tuple(const Overload& overload) {
  static auto* types = new std::map<std::string, PyTypeObject*>;
  const char* op = std::strstr(overload.entry->name, "::");
  op = op ? op + 2 : overload.entry->name;
  PyTypeObject*& type = (*types)[std::string(op) + "(" + overload.result_names];
  if (type) return type;
  // The type keeps pointers to these texts, and is never freed.
  auto* texts = new std::vector<std::string>;
  std::string all = overload.result_names;  // with commas between
  for (size_t at = 0; at <= all.size();) {
    size_t comma = std::min(all.find(',', at), all.size());
    texts->push_back(all.substr(at, comma - at));
    at = comma + 1;
  }
  auto* fields = new PyStructSequence_Field[texts->size() + 1]();
  for (size_t i = 0; i < texts->size(); ++i) fields[i].name = (*texts)[i].c_str();
  auto* name = new std::string(std::string("torch.return_types.") + op);
  PyStructSequence_Desc desc = {name->c_str(),
                                "The results of an operator, by name or by position.", fields,
                                static_cast<int>(texts->size())};
  type = check(PyStructSequence_NewType(&desc));
  type->tp_repr = named_tuple_repr;
  type->tp_name = name->c_str();
  return type;
}

PyObject* named_tuple_types() {
  THPObjectPtr all = own(PyList_New(0));
  for (const Binding* const* b = all_bindings; *b; ++b) {
    for (int i = 0; i < (*b)->count; ++i) {
      const Overload& overload = (*b)->overloads[i];
      if (overload.result_names) append(all, Py_NewRef(as_object(*named_tuple(overload))));
    }
  }
  return all.release();
}

PyObject* wrap_tuple(const Overload& overload, THPObjectPtr* items, size_t n) {
  for (size_t i = 0; i < n; ++i) check(items[i].get());
  if (!overload.result_names)
    return make_tuple(n, [&](size_t i) { return items[i].release(); }).release();
  PyObject* r = check(PyStructSequence_New(named_tuple(overload)));
  for (size_t i = 0; i < n; ++i)
    PyStructSequence_SetItem(r, static_cast<Py_ssize_t>(i), items[i].release());
  return r;
}

PyObject* wrap_tensor_list(std::vector<Tensor>&& list) {
  return make_tuple(list.size(), [&](size_t i) {
    return THPVariable_Wrap(std::move(list[i]));
  }).release();
}

}  // namespace torch
