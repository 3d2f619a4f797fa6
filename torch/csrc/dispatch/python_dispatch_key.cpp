// torch._C.DispatchKey, an enumeration, and torch._C.DispatchKeySet, sets of its members.

#include <torch/csrc/dispatch/python_dispatch_key.h>

#include <map>
#include <string>

#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/type_object.h>

namespace torch {

using c10::DispatchKey;
using c10::DispatchKeySet;

namespace {

struct THPDispatchKey {
  PyObject_HEAD DispatchKey value;
};
struct THPDispatchKeySet {
  PyObject_HEAD DispatchKeySet value;
};
extern PyTypeObject KeyType, SetType;

std::map<DispatchKey, PyObject*>& members() {
  static auto* m = new std::map<DispatchKey, PyObject*>;
  return *m;
}

DispatchKey key(PyObject* o) { return reinterpret_cast<THPDispatchKey*>(o)->value; }
DispatchKeySet set(PyObject* o) { return reinterpret_cast<THPDispatchKeySet*>(o)->value; }

// --- DispatchKey --------------------------------------------------------------------------------

PyObject* key_name(PyObject* o, void*) { return PyUnicode_FromString(c10::toString(key(o))); }
PyObject* key_value(PyObject* o, void*) { return PyLong_FromLong(static_cast<long>(key(o))); }
PyObject* key_int(PyObject* o) { return key_value(o, nullptr); }
PyObject* key_str(PyObject* o) {
  return PyUnicode_FromFormat("DispatchKey.%s", c10::toString(key(o)));
}
PyObject* key_repr(PyObject* o) {
  return PyUnicode_FromFormat("<DispatchKey.%s: %d>", c10::toString(key(o)),
                              static_cast<int>(key(o)));
}

PyGetSetDef key_properties[] = {{"name", key_name, nullptr, nullptr, nullptr},
                                {"value", key_value, nullptr, nullptr, nullptr},
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyNumberMethods key_number = [] {
  PyNumberMethods n = {};
  n.nb_int = key_int;
  n.nb_index = key_int;
  return n;
}();
// Each key is one object: comparison and hash are those of identity.
PyTypeObject KeyType = [] {
  PyTypeObject t = type_object<THPDispatchKey>(
      "torch._C.DispatchKey", "One reason why a call may go to one kernel rather than another.");
  t.tp_getset = key_properties;
  t.tp_as_number = &key_number;
  t.tp_str = key_str;
  t.tp_repr = key_repr;
  return t;
}();

// --- DispatchKeySet -----------------------------------------------------------------------------

PyObject* set_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(!kwargs || !PyDict_GET_SIZE(kwargs), "DispatchKeySet(): takes no keywords");
    DispatchKeySet keys;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k)
      keys = keys.add(dispatch_key_of(PyTuple_GET_ITEM(args, k), "DispatchKeySet"));
    PyObject* o = check(type->tp_alloc(type, 0));
    reinterpret_cast<THPDispatchKeySet*>(o)->value = keys;
    return o;
  });
}
PyObject* set_has(PyObject* o, PyObject* k) {
  return guarded([&] { return PyBool_FromLong(set(o).has(dispatch_key_of(k, "has"))); });
}
PyObject* set_add(PyObject* o, PyObject* k) {
  return guarded([&] { return wrap_dispatch_key_set(set(o).add(dispatch_key_of(k, "add"))); });
}
PyObject* set_remove(PyObject* o, PyObject* k) {
  return guarded(
      [&] { return wrap_dispatch_key_set(set(o).remove(dispatch_key_of(k, "remove"))); });
}
PyObject* set_highest(PyObject* o, PyObject*) {
  return wrap_dispatch_key(set(o).highestPriorityTypeId());
}
PyObject* set_raw(PyObject* o, PyObject*) { return PyLong_FromUnsignedLongLong(set(o).raw_repr()); }
PyObject* set_from_raw(PyObject*, PyObject* bits) {
  unsigned long long raw = PyLong_AsUnsignedLongLong(bits);
  if (PyErr_Occurred()) return nullptr;
  // Bits that stand for no key are dropped.
  constexpr int kBits = c10::kNumBackends + c10::kNumFunctionalities;
  constexpr uint64_t known = ~uint64_t(0) >> (64 - kBits);
  return wrap_dispatch_key_set(DispatchKeySet(static_cast<uint64_t>(raw) & known));
}

template <typename F>
PyObject* combined(PyObject* a, PyObject* b, F f) {
  if (Py_TYPE(a) != &SetType || Py_TYPE(b) != &SetType) Py_RETURN_NOTIMPLEMENTED;
  return wrap_dispatch_key_set(f(set(a), set(b)));
}
PyObject* set_or(PyObject* a, PyObject* b) {
  return combined(a, b, [](auto x, auto y) { return x | y; });
}
PyObject* set_and(PyObject* a, PyObject* b) {
  return combined(a, b, [](auto x, auto y) { return x & y; });
}
PyObject* set_subtract(PyObject* a, PyObject* b) {
  return combined(a, b, [](auto x, auto y) { return x - y; });
}
PyObject* set_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(b) != &SetType) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((set(a) == set(b)) == (op == Py_EQ));
}
Py_hash_t set_hash(PyObject* o) { return static_cast<Py_hash_t>(set(o).raw_repr()); }
int set_contains(PyObject* o, PyObject* k) { return Py_TYPE(k) == &KeyType && set(o).has(key(k)); }
PyObject* set_repr(PyObject* o) { return PyUnicode_FromString(c10::toString(set(o)).c_str()); }

PyMethodDef set_methods[] = {
    {"has", set_has, METH_O, "Whether a key is in the set."},
    {"add", set_add, METH_O, "The set with one more key."},
    {"remove", set_remove, METH_O, "The set without a key."},
    {"highestPriorityTypeId", set_highest, METH_NOARGS, "The key that a call goes to first."},
    {"raw_repr", set_raw, METH_NOARGS, "The set as an int, a bit a key."},
    {"from_raw_repr", set_from_raw, METH_O | METH_STATIC, "The set that such an int stands for."},
    {nullptr, nullptr, 0, nullptr}};
PyNumberMethods set_number = [] {
  PyNumberMethods n = {};
  n.nb_or = set_or;
  n.nb_and = set_and;
  n.nb_subtract = set_subtract;
  return n;
}();
PySequenceMethods set_sequence = [] {
  PySequenceMethods s = {};
  s.sq_contains = set_contains;
  return s;
}();
PyTypeObject SetType = [] {
  PyTypeObject t = type_object<THPDispatchKeySet>(
      "torch._C.DispatchKeySet", "A set of dispatch keys: DispatchKeySet(DispatchKey.CPU, ...).");
  t.tp_new = set_new;
  t.tp_methods = set_methods;
  t.tp_as_number = &set_number;
  t.tp_as_sequence = &set_sequence;
  t.tp_richcompare = set_compare;
  t.tp_hash = set_hash;
  t.tp_repr = set_repr;
  return t;
}();

bool add_member(PyObject* all, DispatchKey k) {
  auto* o = reinterpret_cast<THPDispatchKey*>(KeyType.tp_alloc(&KeyType, 0));
  if (!o) return false;
  o->value = k;
  auto* object = reinterpret_cast<PyObject*>(o);
  members()[k] = object;
  return PyDict_SetItemString(KeyType.tp_dict, c10::toString(k), object) == 0 &&
         PyDict_SetItemString(all, c10::toString(k), object) == 0;
}

}  // namespace

PyObject* wrap_dispatch_key(DispatchKey k) {
  PyObject* o = members().at(k);
  Py_INCREF(o);
  return o;
}
PyObject* wrap_dispatch_key_set(DispatchKeySet keys) {
  PyObject* o = check(SetType.tp_alloc(&SetType, 0));
  reinterpret_cast<THPDispatchKeySet*>(o)->value = keys;
  return o;
}

DispatchKey dispatch_key_of(PyObject* o, const char* function) {
  if (Py_TYPE(o) == &KeyType) return key(o);
  const char* name = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  TORCH_CHECK_TYPE(name, function, "(): expected a DispatchKey or the name of one, got ",
                   Py_TYPE(o)->tp_name);
  DispatchKey k = c10::parseDispatchKey(name);
  TORCH_CHECK(k != DispatchKey::Undefined || std::string(name) == "Undefined", function,
              "(): could not parse dispatch key: ", name);
  return k;
}
DispatchKeySet dispatch_key_set_of(PyObject* o, const char* function) {
  TORCH_CHECK_TYPE(Py_TYPE(o) == &SetType, function, "(): expected a DispatchKeySet, got ",
                   Py_TYPE(o)->tp_name);
  return set(o);
}

bool init_dispatch_key(PyObject* module) {
  THPObjectPtr all(PyDict_New());
  if (!all || !add_type(module, KeyType) || !add_type(module, SetType)) return false;
  for (int k = 0; k < c10::kNumRuntimeKeys; ++k) {
    if (!add_member(all.get(), static_cast<DispatchKey>(k))) return false;
  }
  for (int k = static_cast<int>(DispatchKey::FirstAliasKey);
       k < static_cast<int>(DispatchKey::EndOfAliasKeys); ++k) {
    if (!add_member(all.get(), static_cast<DispatchKey>(k))) return false;
  }
  if (PyDict_SetItemString(KeyType.tp_dict, "__members__", all.get()) < 0) return false;
  PyType_Modified(&KeyType);
  return true;
}

}  // namespace torch
