#pragma once
// From a Python call to an operator.
//
// torchgen writes a Binding for each Python name: its overloads, with one row per argument. One
// parser (call_binding) serves all of them: it matches the arguments to an overload and passes them
// to the Thunk of the operator's C++ signature (python_thunk.h) or to __torch_function__, or raises
// an error that says which argument does not fit.

#include <torch/csrc/python_headers.h>

#include <cstdint>

namespace at {
struct OperatorEntry;
}

namespace torch {

enum class ArgKind : uint8_t {
  Tensor,
  TensorList,
  OptionalTensorList,
  Scalar,
  Int,
  Float,
  Bool,
  Str,
  IntList,
  FloatList,
  BoolList,
  ScalarList,
  ScalarType,
  Layout,
  Device,
  MemoryFormat,
  Generator,
  Storage
};

enum ArgFlags : uint8_t {
  kOptional = 1,  // None is fine
  kKeywordOnly = 2,
  kHasDefault = 4,
  kOut = 8,
  kNumberAsTensor = 16  // a Python number stands for a tensor of it
};

enum OverloadFlags : uint8_t {
  kOutForm = 1,       // considered only when out= is given
  kTakesOptions = 2,  // dtype, layout, device, pin_memory; Python adds requires_grad
  kIgnoresOptions =
      4,         // an out= form of such an operator: dtype= and device= are checked against out
  kVarArgs = 8,  // f(2, 3) stands for f([2, 3])
  kReturnsFirst = 16  // it changes its first argument, a list, which Python gets back
};

struct DefaultValue {
  enum Kind : uint8_t { None, Integer, Real, Boolean, List, Text };
  Kind kind = None;
  uint8_t size = 0;
  union {
    int64_t i;
    double d;
    const int64_t* list;
    const char* text;
  } v = {0};

  static constexpr DefaultValue integer(int64_t x) {
    DefaultValue r;
    r.kind = Integer;
    r.v.i = x;
    return r;
  }
  static constexpr DefaultValue real(double x) {
    DefaultValue r;
    r.kind = Real;
    r.v.d = x;
    return r;
  }
  static constexpr DefaultValue boolean(bool x) {
    DefaultValue r;
    r.kind = Boolean;
    r.v.i = x;
    return r;
  }
  static constexpr DefaultValue of_text(const char* x) {
    DefaultValue r;
    r.kind = Text;
    r.v.text = x;
    return r;
  }
  static constexpr DefaultValue of_list(const int64_t* x, uint8_t n) {
    DefaultValue r;
    r.kind = List;
    r.size = n;
    r.v.list = x;
    return r;
  }
};

struct ArgSpec {
  const char* name;
  ArgKind kind;
  uint8_t list_size;
  uint8_t flags;
  const char* type;  // as the schema writes it
  DefaultValue fallback;
};

struct Overload;
// One argument as the parser found it: null where the default is to be used.
struct Slot {
  const ArgSpec* spec;
  PyObject* object;
};
using ThunkFn = PyObject* (*)(const Overload& overload, PyObject* const* slots);

struct Overload {
  const ArgSpec* args;
  uint8_t nargs;
  uint8_t npositional;
  int8_t self_at;  // the argument that is self for a method; -1 where there is none
  uint8_t flags;
  ThunkFn thunk;
  // entry->call is at::_ops::NAME::call. A pointer to that here would be one more symbol to look up
  // in each of two thousand rows.
  const at::OperatorEntry* entry;
  const char* result_names;  // "values,indices": a named tuple; null otherwise
};

struct Binding {
  const char* name;
  const Overload* overloads;
  int count;
};

constexpr int kMaxArguments = 32;

// Calls an operator with Python arguments: vectorcall's convention, `self` null for functions.
PyObject* call_binding(const Binding& binding, PyObject* self, PyObject* const* args,
                       Py_ssize_t nargs, PyObject* kwnames);
// The same with one given overload only: torch.ops.aten.add.Tensor(...). With `fits`, arguments
// that do not fit are no error: it says so, and the result is null.
PyObject* call_overload(const Binding& binding, const Overload& overload, PyObject* const* args,
                        Py_ssize_t nargs, PyObject* kwnames, bool* fits = nullptr);

template <const Binding& B>
PyObject* function_entry(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return call_binding(B, nullptr, args, nargs, kwnames);
}
template <const Binding& B>
PyObject* method_entry(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return call_binding(B, self, args, nargs, kwnames);
}

// The tables that torchgen writes (python_tables.cpp); each ends with a row of nulls.
extern PyMethodDef generated_functions[];
// Those of entries with a python_module; the last one has no name.
struct OperatorModule {
  const char* name;  // "torch._C._nn"
  PyMethodDef* functions;
};
extern const OperatorModule operator_modules[];
extern PyMethodDef generated_methods[];
extern const Binding* const all_bindings[];

const Binding* find_binding(const char* name);

}  // namespace torch
