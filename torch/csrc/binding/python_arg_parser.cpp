// The parser that all bindings share: see python_arg_parser.h.

#include <torch/csrc/binding/python_arg_parser.h>

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_run.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>

namespace torch {
namespace {

// --- what an object is --------------------------------------------------------------------------

bool is_int_like(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (PyFloat_Check(o) || PyBool_Check(o)) return false;
  if (THPVariable_Check(o)) {
    const at::Tensor& t = THPVariable_Unpack(o);
    return t.defined() && t.numel() == 1 && t.dim() == 0 &&
           at::isIntegralType(t.scalar_type(), true);
  }
  return PyLong_Check(o) || PyIndex_Check(o);
}

bool is_float_like(PyObject* o) {
  if (PyFloat_Check(o) || PyLong_Check(o)) return true;
  if (THPVariable_Check(o))
    return THPVariable_Unpack(o).defined() && THPVariable_Unpack(o).dim() == 0;
  return is_number(o) && !PyComplex_Check(o);
}

bool is_sequence(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }

template <typename F>
bool all_items(PyObject* o, F f) {
  if (!is_sequence(o)) return false;
  PyObject** items = PySequence_Fast_ITEMS(o);
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!f(items[i])) return false;
  }
  return true;
}

// What the parser has found so far in one attempt. Slots are cleared by try_match, as many as the
// overload has.
struct Match {
  PyObject* slots[kMaxArguments];
  PyObject* requires_grad = nullptr;
  ArgRun run;                  // the 2, 3 of f(2, 3) for f([2, 3])
  bool overridden = false;     // an argument has a __torch_function__
  std::string* why = nullptr;  // set when a mismatch is to be explained
};

bool is_tensor_arg(PyObject* o, Match& m) {
  if (C10_LIKELY(THPVariable_CheckExact(o))) return true;
  if (has_torch_function(o)) {
    m.overridden = true;
    return true;
  }
  return THPVariable_Check(o);
}

bool fits(const ArgSpec& a, PyObject* o, Match& m) {
  if (o == Py_None)
    return (a.flags & kOptional) ||
           ((a.flags & kHasDefault) && a.fallback.kind == DefaultValue::None);
  switch (a.kind) {
    case ArgKind::Tensor:
      return is_tensor_arg(o, m) || ((a.flags & kNumberAsTensor) && is_number(o));
    case ArgKind::TensorList:
      return all_items(o, [&](PyObject* x) { return is_tensor_arg(x, m); });
    case ArgKind::OptionalTensorList:
      return all_items(o, [&](PyObject* x) { return x == Py_None || is_tensor_arg(x, m); });
    case ArgKind::Scalar:
      if (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) return true;
      if (THPVariable_Check(o))
        return THPVariable_Unpack(o).defined() && THPVariable_Unpack(o).dim() == 0;
      return is_number(o);
    case ArgKind::Int:
      return is_int_like(o);
    case ArgKind::Float:
      return is_float_like(o);
    case ArgKind::Bool:
      return PyBool_Check(o) ||
             (!PyLong_Check(o) && std::strcmp(Py_TYPE(o)->tp_name, "numpy.bool") == 0) ||
             std::strcmp(Py_TYPE(o)->tp_name, "numpy.bool_") == 0;
    case ArgKind::Str:
      return PyUnicode_Check(o);
    case ArgKind::IntList:
      if (a.list_size > 0 && !is_sequence(o) && is_int_like(o)) return true;
      return all_items(o, is_int_like);
    case ArgKind::FloatList:
      if (a.list_size > 0 && is_float_like(o)) return true;
      return all_items(o, is_float_like);
    case ArgKind::BoolList:
      return all_items(o, [](PyObject* x) { return PyBool_Check(x) != 0; });
    case ArgKind::ScalarList:
      return all_items(o, is_number);
    case ArgKind::ScalarType:
      return is_dtype_like(o);
    case ArgKind::Layout:
      return THPLayout_Check(o);
    case ArgKind::Device:
      return THPDevice_Check(o) || PyUnicode_Check(o) || (PyLong_Check(o) && !PyBool_Check(o));
    case ArgKind::MemoryFormat:
      return THPMemoryFormat_Check(o);
    case ArgKind::Generator:
      return THPGenerator_Check(o);
    case ArgKind::Storage:
      return THPStorage_Check(o);
  }
  return false;
}

// NumPy's and older names for arguments.
const char* alias_of(const char* name) {
  static const char* const aliases[][2] = {
      {"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x"},   {"input", "a"},
      {"other", "x2"}, {"dims", "axes"},        {"size", "shape"}};
  for (auto& pair : aliases) {
    if (std::strcmp(pair[0], name) == 0) return pair[1];
  }
  return nullptr;
}

const char* python_type(PyObject* o) { return Py_TYPE(o)->tp_name; }

std::string short_type(PyObject* o) {
  const char* name = python_type(o);
  const char* dot = std::strrchr(name, '.');
  std::string s = dot ? dot + 1 : name;
  if (is_sequence(o) && PySequence_Fast_GET_SIZE(o) > 0) {
    s += " of ";
    s += PyTuple_Check(o) ? "(" : "[";
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n && i < 8; ++i) {
      const char* item = python_type(PySequence_Fast_ITEMS(o)[i]);
      const char* d = std::strrchr(item, '.');
      s += std::string(i ? ", " : "") + (d ? d + 1 : item);
    }
    s += n > 8 ? ", ..." : "";
    s += PyTuple_Check(o) ? ")" : "]";
  }
  return s;
}

// Keywords of tensor factories that no schema names.
bool is_ignored_keyword(const char* name) { return std::strcmp(name, "names") == 0; }

// Records why an overload does not fit, if m.why is set. Always false.
template <typename... Parts>
bool fail(Match& m, const Parts&... parts) {
  if (C10_UNLIKELY(m.why != nullptr)) *m.why = c10::str(parts...);
  return false;
}

// Matches keyword arguments to those of an overload that positional ones have not filled.
class KeywordMatcher {
 public:
  KeywordMatcher(const Overload& overload, int self_at, Match& match)
      : o_(overload), self_at_(self_at), m_(match) {}

  bool match_keyword(PyObject* key, PyObject* x) {
    const char* name = PyUnicode_AsUTF8(key);
    if (!name) throw python_error();
    const int at = find_argument(name);
    // The first of several outputs may itself be called `out`: they still come together.
    const bool is_first_of_outs = at >= 0 && (o_.args[at].flags & kOut) && at + 1 < o_.nargs;
    if ((at < 0 || is_first_of_outs) && std::strcmp(name, "out") == 0) {
      if (x == Py_None) return true;
      if (o_.flags & kOutForm) return match_outs(x);
    }
    if (at < 0) return match_unnamed(name, x);
    if (m_.slots[at]) return fail(m_, "got multiple values for argument '", name, "'");
    if (!fits(o_.args[at], x, m_))
      return fail(m_, "argument '", name, "' must be ", o_.args[at].type, ", not ", short_type(x));
    m_.slots[at] = x;
    return true;
  }

 private:
  const Overload& o_;
  int self_at_;
  Match& m_;

  // The argument of that name or, if there is none, of which it is an alias; or -1.
  int find_argument(const char* name) {
    for (int i = 0; i < o_.nargs; ++i) {
      if (i != self_at_ && std::strcmp(o_.args[i].name, name) == 0) return i;
    }
    int found = -1;
    for (int i = 0; i < o_.nargs; ++i) {
      const char* other = alias_of(o_.args[i].name);
      if (i != self_at_ && other && std::strcmp(other, name) == 0) found = i;
    }
    return found;
  }

  // out=(values, indices): one tensor for each result.
  bool match_outs(PyObject* x) {
    int first = 0;
    while (first < o_.nargs && !(o_.args[first].flags & kOut)) ++first;
    const int count = o_.nargs - first;
    if (!is_sequence(x) || PySequence_Fast_GET_SIZE(x) != count)
      return fail(m_, "out= takes ", count, " tensors, not ", short_type(x));
    for (int i = 0; i < count; ++i) {
      PyObject* one = PySequence_Fast_ITEMS(x)[i];
      if (!is_tensor_arg(one, m_)) return fail(m_, "out= takes tensors, not ", short_type(x));
      m_.slots[first + i] = one;
    }
    return true;
  }

  // A keyword that the schema lacks.
  bool match_unnamed(const char* name, PyObject* x) {
    const std::string_view n = name;
    if ((o_.flags & kTakesOptions) && n == "requires_grad") {
      m_.requires_grad = x;
      return true;
    }
    const bool is_option =
        n == "dtype" || n == "device" || n == "layout" || n == "pin_memory" || n == "requires_grad";
    if ((o_.flags & kIgnoresOptions) && is_option) return true;
    if (is_ignored_keyword(name) && x == Py_None) return true;
    return fail(m_, "got an unexpected keyword argument '", name, "'");
  }
};

[[gnu::noinline]] bool match_keywords(const Overload& o, int self_at, PyObject* const* values,
                                      PyObject* kwnames, Match& m) {
  KeywordMatcher matcher(o, self_at, m);
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); ++k) {
    if (!matcher.match_keyword(PyTuple_GET_ITEM(kwnames, k), values[k])) return false;
  }
  return true;
}

// f(2, 3) for f([2, 3]): all positional arguments that are left go into the one list.
bool takes_the_rest(const Overload& o, int slot, bool is_first, PyObject* const* args,
                    Py_ssize_t count, Match& m) {
  if (!(o.flags & kVarArgs) || !is_first || o.args[slot].kind != ArgKind::IntList) return false;
  for (Py_ssize_t k = 0; k < count; ++k) {
    if (!is_int_like(args[k])) return false;
  }
  m.run = {args, count};
  m.slots[slot] = slot_of(&m.run);
  return true;
}

bool match_positional(const Overload& o, int self_at, PyObject* const* args, Py_ssize_t nargs,
                      Match& m) {
  Py_ssize_t given = 0;
  for (int slot = 0; given < nargs; ++slot) {
    if (slot == self_at) continue;
    if (slot >= o.npositional)
      return fail(m, "takes ", static_cast<int>(o.npositional) - (self_at >= 0 ? 1 : 0),
                  " positional arguments but ", nargs, " were given");
    PyObject* x = args[given];
    if (fits(o.args[slot], x, m)) {
      m.slots[slot] = x;
      ++given;
      continue;
    }
    const bool is_first = slot == (self_at == 0 ? 1 : 0);
    if (takes_the_rest(o, slot, is_first, args + given, nargs - given, m)) return true;
    return fail(m, "argument '", o.args[slot].name, "' (position ", given + 1, ") must be ",
                o.args[slot].type, ", not ", short_type(x));
  }
  return true;
}

bool try_match(const Overload& o, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
               PyObject* kwnames, Match& m) {
  for (int i = 0; i < o.nargs; ++i) m.slots[i] = nullptr;
  int self_at = -1;
  if (self) {
    if (o.self_at < 0) return fail(m, "is no method");
    if (!is_tensor_arg(self, m)) return fail(m, "self must be a Tensor");
    self_at = o.self_at;
    m.slots[self_at] = self;
  }
  if (!match_positional(o, self_at, args, nargs, m)) return false;
  if (kwnames && !match_keywords(o, self_at, args + nargs, kwnames, m)) return false;
  // What was left out must have a default.
  for (int i = 0; i < o.nargs; ++i) {
    if (!m.slots[i] && !(o.args[i].flags & kHasDefault)) {
      return fail(m, "missing required argument '", o.args[i].name, "'",
                  i < o.npositional ? c10::str(" (pos ", i + 1, ")") : std::string());
    }
  }
  return true;
}

std::string signature_text(const Binding& b, const Overload& o, bool method) {
  std::string s = b.name;
  s += "(";
  bool starred = false, first = true;
  for (int i = 0; i < o.nargs; ++i) {
    const ArgSpec& a = o.args[i];
    if (method && i == o.self_at) continue;
    if (!first) s += ", ";
    if ((a.flags & kKeywordOnly) && !starred) {
      s += "*, ";
      starred = true;
    }
    s += a.type;
    s += " ";
    s += a.name;
    first = false;
  }
  return s + ")";
}

[[noreturn]] void report_mismatch(const Binding& b, PyObject* self, PyObject* const* args,
                                  Py_ssize_t nargs, PyObject* kwnames) {
  int usable = 0;
  const Overload* only = nullptr;
  for (int i = 0; i < b.count; ++i) {
    if ((b.overloads[i].flags & kOutForm) && b.count > 1) continue;
    if (self && b.overloads[i].self_at < 0) continue;
    ++usable;
    only = &b.overloads[i];
  }
  if (usable == 1) {
    std::string why;
    Match m;
    m.why = &why;
    try_match(*only, self, args, nargs, kwnames, m);
    TORCH_CHECK_TYPE(false, b.name, "(): ", why);
  }
  std::string got = "(";
  for (Py_ssize_t i = 0; i < nargs; ++i) got += (i ? ", " : "") + short_type(args[i]);
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < nkw; ++k) {
    got += (got.size() > 1 ? ", " : "") +
           std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, k))) + "=" +
           short_type(args[nargs + k]);
  }
  std::string text = c10::str(b.name, "() received an invalid combination of arguments - got ", got,
                              "), but expected one of:\n");
  for (int i = 0; i < b.count; ++i) {
    if (self && b.overloads[i].self_at < 0) continue;
    std::string why;
    Match m;
    m.why = &why;
    bool fine = try_match(b.overloads[i], self, args, nargs, kwnames, m);
    text += c10::str(" * ", signature_text(b, b.overloads[i], self != nullptr),
                     fine ? "" : c10::str("\n      ", why), "\n");
  }
  TORCH_CHECK_TYPE(false, text);
  __builtin_unreachable();
}

bool has_out(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (!kwnames) return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); ++k) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), "out") == 0)
      return args[nargs + k] != Py_None;
  }
  return false;
}

// requires_grad=True of a factory. Out of line: few calls have it.
[[gnu::cold, gnu::noinline]] PyObject* with_requires_grad(THPObjectPtr result, PyObject* on) {
  int b = PyObject_IsTrue(on);
  if (b < 0) throw python_error();
  if (b) THPVariable_Unpack(result.get()).set_requires_grad(true);
  return result.release();
}

// What an operator that changes a list returns to Python, unless a __torch_function__ has another
// result.
[[gnu::cold, gnu::noinline]] PyObject* first_argument(THPObjectPtr result, PyObject* first) {
  return result.get() == Py_None ? Py_NewRef(first) : result.release();
}

// For modes: a factory that Python calls names its device, so that a mode may replace it, and says
// that it pins no memory. What is made like another tensor has that one's device.
[[gnu::cold, gnu::noinline]] void state_options(const Overload& o, Match& m) {
  static PyObject* const cpu = wrap_device(c10::Device(c10::kCPU));
  int device = -1, pin_memory = -1;
  for (int i = 0; i < o.nargs; ++i) {
    if (std::strcmp(o.args[i].name, "device") == 0) device = i;
    if (std::strcmp(o.args[i].name, "pin_memory") == 0) pin_memory = i;
  }
  if (device < 0 || pin_memory < 0) return;
  const bool like_another = std::strcmp(o.args[0].type, "Tensor") == 0;
  auto is_default = [&](int i) { return !m.slots[i] || m.slots[i] == Py_None; };
  if (is_default(device) && !like_another) m.slots[device] = cpu;
  if (is_default(pin_memory)) m.slots[pin_memory] = Py_False;
}

PyObject* finish(const Binding& b, const Overload& o, Match& m, PyObject* self,
                 PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (C10_UNLIKELY(m.overridden || t_torch_function_modes))
    return handle_torch_function(b.name, self, args, nargs, kwnames);
  PyObject* result = o.thunk(o, m.slots);
  if (C10_UNLIKELY(m.requires_grad && result && m.requires_grad != Py_False))
    return with_requires_grad(THPObjectPtr(result), m.requires_grad);
  return result;
}

}  // namespace

PyObject* call_binding(const Binding& b, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    bool out = has_out(args, nargs, kwnames);
    for (int i = 0; i < b.count; ++i) {
      const Overload& o = b.overloads[i];
      if (((o.flags & kOutForm) != 0) != out) continue;
      Match m;
      if (!try_match(o, self, args, nargs, kwnames, m)) continue;
      if (C10_UNLIKELY(c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Python)))
        state_options(o, m);
      PyObject* result = finish(b, o, m, self, args, nargs, kwnames);
      return C10_UNLIKELY(o.flags & kReturnsFirst)
                 ? first_argument(THPObjectPtr(result), m.slots[0])
                 : result;
    }
    // An argument of a foreign kind may still want to handle the call itself.
    Py_ssize_t total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    for (Py_ssize_t i = 0; i < total; ++i) {
      const bool items = PyTuple_Check(args[i]) || PyList_Check(args[i]);
      if (items ? !all_items(args[i], [](PyObject* o) { return !has_torch_function(o); })
                : has_torch_function(args[i]))
        return handle_torch_function(b.name, self, args, nargs, kwnames);
    }
    report_mismatch(b, self, args, nargs, kwnames);
  });
}

PyObject* call_overload(const Binding& b, const Overload& o, PyObject* const* args,
                        Py_ssize_t nargs, PyObject* kwnames, bool* fits) {
  return guarded([&]() -> PyObject* {
    std::string why;
    Match m;
    if (!fits) m.why = &why;
    const bool matches = try_match(o, nullptr, args, nargs, kwnames, m);
    if (fits) {
      *fits = matches;
      if (!matches) return nullptr;
    }
    if (!matches) {
      TORCH_CHECK_TYPE(false, o.entry->name, *o.entry->overload ? "." : "", o.entry->overload,
                       "() ", why);
    }
    return finish(b, o, m, nullptr, args, nargs, kwnames);
  });
}

const Binding* find_binding(const char* name) {
  static auto* table = [] {
    auto* t = new std::unordered_map<std::string, const Binding*>;
    for (const Binding* const* b = all_bindings; *b; ++b) t->emplace((*b)->name, *b);
    return t;
  }();
  auto at = table->find(name);
  return at == table->end() ? nullptr : at->second;
}

}  // namespace torch
