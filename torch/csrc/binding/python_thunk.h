#pragma once
// Thunk<Sig>: calls an operator of C++ signature Sig with Python objects that the parser has
// matched. Only the generated python_ops_*.cpp include this; operators of one signature share a
// thunk.

#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_parser.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/object_ptr.h>
#include <torch/csrc/python_types.h>

#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/native/common/StructuredOutputs.h>

#include <tuple>
#include <utility>

namespace torch {

using at::Scalar;
using at::Tensor;

// Conversions that are more than a line, out of line: shared by all thunks.
Tensor number_as_tensor(PyObject* o);
void read_int_list(const Slot& slot, c10::DimVector& into);
void read_double_list(const Slot& slot, c10::SmallVector<double, 4>& into);
void read_tensor_list(PyObject* o, std::vector<Tensor>& into);
void read_optional_tensor_list(PyObject* o, std::vector<std::optional<Tensor>>& into);
void read_scalar_list(PyObject* o, std::vector<Scalar>& into);
void read_bool_list(const Slot& slot, bool* into, size_t n);
std::string_view read_text(PyObject* o);
Scalar default_scalar(const DefaultValue& v);
PyObject* wrap_tuple(const Overload& overload, THPObjectPtr* items, size_t n);
PyObject* wrap_tensor_list(std::vector<Tensor>&& list);

template <typename T>
struct FromPython;

template <>
struct FromPython<const Tensor&> {
  explicit FromPython(const Slot& s) {
    if (C10_LIKELY(s.object && THPVariable_CheckExact(s.object))) {
      p = &THPVariable_Unpack(s.object);
    } else if (!s.object || s.object == Py_None) {
      p = &made;
    } else if (THPVariable_Check(s.object)) {
      p = &THPVariable_Unpack(s.object);
    } else {
      made = number_as_tensor(s.object);
      p = &made;
    }
  }
  FromPython(const FromPython&) = delete;
  const Tensor& get() { return *p; }
  const Tensor* p;
  Tensor made;
};
template <>
struct FromPython<Tensor&> {
  explicit FromPython(const Slot& s) : p(const_cast<Tensor*>(&THPVariable_Unpack(s.object))) {}
  Tensor& get() { return *p; }
  Tensor* p;
};
template <>
struct FromPython<const std::optional<Tensor>&> {
  explicit FromPython(const Slot& s) {
    if (s.object && s.object != Py_None) value = THPVariable_Unpack(s.object);
  }
  const std::optional<Tensor>& get() { return value; }
  std::optional<Tensor> value;
};
template <>
struct FromPython<const Scalar&> {
  explicit FromPython(const Slot& s)
      : value(s.object ? to_scalar(s.object) : default_scalar(s.spec->fallback)) {}
  const Scalar& get() { return value; }
  Scalar value;
};
template <>
struct FromPython<const std::optional<Scalar>&> {
  explicit FromPython(const Slot& s) {
    if (s.object && s.object != Py_None) {
      value = to_scalar(s.object);
    } else if (!s.object && s.spec->fallback.kind != DefaultValue::None) {
      value = default_scalar(s.spec->fallback);
    }
  }
  const std::optional<Scalar>& get() { return value; }
  std::optional<Scalar> value;
};
template <>
struct FromPython<at::IntArrayRef> {
  explicit FromPython(const Slot& s) { read_int_list(s, value); }
  at::IntArrayRef get() { return value; }
  c10::DimVector value;
};
template <>
struct FromPython<at::ArrayRef<double>> {
  explicit FromPython(const Slot& s) { read_double_list(s, value); }
  at::ArrayRef<double> get() { return value; }
  c10::SmallVector<double, 4> value;
};
template <>
struct FromPython<at::TensorList> {
  explicit FromPython(const Slot& s) {
    if (s.object) read_tensor_list(s.object, value);
  }
  at::TensorList get() { return value; }
  std::vector<Tensor> value;
};
template <>
struct FromPython<at::OptionalTensorList> {
  explicit FromPython(const Slot& s) { read_optional_tensor_list(s.object, value); }
  at::OptionalTensorList get() { return value; }
  std::vector<std::optional<Tensor>> value;
};
template <>
struct FromPython<at::ArrayRef<Scalar>> {
  explicit FromPython(const Slot& s) { read_scalar_list(s.object, value); }
  at::ArrayRef<Scalar> get() { return value; }
  std::vector<Scalar> value;
};
template <size_t N>
struct FromPython<std::array<bool, N>> {
  explicit FromPython(const Slot& s) { read_bool_list(s, value.data(), N); }
  std::array<bool, N> get() { return value; }
  std::array<bool, N> value;
};

// Values: a reader for an object that is there, and the default's reading.
template <typename T>
struct Read;
#define TORCH_READ(T, from_object, from_default)                                       \
  template <>                                                                          \
  struct Read<T> {                                                                     \
    static T object(PyObject* o) { return from_object; }                               \
    static T fallback([[maybe_unused]] const DefaultValue& d) { return from_default; } \
  };
TORCH_READ(int64_t, to_int64(o), d.v.i)
TORCH_READ(double, to_double(o),
           d.kind == DefaultValue::Integer ? static_cast<double>(d.v.i) : d.v.d)
TORCH_READ(bool, o == Py_True || (o != Py_False && PyObject_IsTrue(o) > 0), d.v.i != 0)
TORCH_READ(std::string_view, read_text(o), d.v.text ? d.v.text : "")
TORCH_READ(at::ScalarType, to_dtype(o), static_cast<at::ScalarType>(d.v.i))
TORCH_READ(at::Layout, reinterpret_cast<THPLayout*>(o)->value, at::kStrided)
TORCH_READ(at::Device, to_device(o), at::Device(at::kCPU))
TORCH_READ(at::MemoryFormat, reinterpret_cast<THPMemoryFormat*>(o)->value,
           static_cast<at::MemoryFormat>(d.v.i))
TORCH_READ(at::Generator, reinterpret_cast<THPGenerator*>(o)->value, at::Generator())
TORCH_READ(at::Storage, reinterpret_cast<THPStorage*>(o)->value, at::Storage())
#undef TORCH_READ

template <typename T>
struct FromPython {
  explicit FromPython(const Slot& s)
      : value(s.object ? Read<T>::object(s.object) : Read<T>::fallback(s.spec->fallback)) {}
  T get() { return value; }
  T value;
};
template <typename T>
struct FromPython<std::optional<T>> {
  explicit FromPython(const Slot& s) {
    if (s.object && s.object != Py_None) {
      value = Read<T>::object(s.object);
    } else if (!s.object && s.spec->fallback.kind != DefaultValue::None) {
      value = Read<T>::fallback(s.spec->fallback);
    }
  }
  std::optional<T> get() { return value; }
  std::optional<T> value;
};
template <typename T>
struct FromPython<std::optional<at::ArrayRef<T>>> {
  explicit FromPython(const Slot& s) {
    if ((s.object && s.object != Py_None) ||
        (!s.object && s.spec->fallback.kind != DefaultValue::None))
      list.emplace(s);
  }
  std::optional<at::ArrayRef<T>> get() {
    return list ? std::optional<at::ArrayRef<T>>(list->get()) : std::nullopt;
  }
  std::optional<FromPython<at::ArrayRef<T>>> list;
};

// Note [Releasing the GIL]
// Letting other threads run costs more than a small operator does. So a call gives the GIL up only
// when a tensor argument, or the size that a new tensor is to have, is large enough for the pause
// to be felt.
constexpr int64_t kReleaseGilFrom = 16384;
template <typename T>
inline bool is_large(const T&) {
  return false;
}
inline bool is_large(const Tensor& t) { return t.defined() && t.numel() >= kReleaseGilFrom; }
inline bool is_large(const std::optional<Tensor>& t) { return t && is_large(*t); }
inline bool is_large(const at::IntArrayRef& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) {
    if (s <= 0 || n >= kReleaseGilFrom) continue;
    n = s >= kReleaseGilFrom ? kReleaseGilFrom : n * s;
  }
  return n >= kReleaseGilFrom;
}
inline bool is_large(const at::TensorList& list) {
  return list.size() > 4 || (list.size() && is_large(list[0]));
}
inline bool is_large(const int64_t& n) { return n >= kReleaseGilFrom; }  // randperm(n), arange(n)

inline PyObject* to_python(Tensor&& t) { return THPVariable_Wrap(std::move(t)); }
inline PyObject* to_python(Tensor& t) { return THPVariable_Wrap(t); }
inline PyObject* to_python(std::vector<Tensor>&& list) { return wrap_tensor_list(std::move(list)); }
inline PyObject* to_python(Scalar&& s) { return wrap_scalar(s); }
inline PyObject* to_python(bool&& b) { return PyBool_FromLong(b); }
inline PyObject* to_python(int64_t&& i) { return PyLong_FromLongLong(i); }
inline PyObject* to_python(double&& d) { return PyFloat_FromDouble(d); }
inline PyObject* to_python(at::ScalarType&& t) { return wrap_dtype(t); }
inline PyObject* to_python(std::string&& s) {
  return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}
inline PyObject* to_python(std::vector<int64_t>&& v) { return wrap_int_tuple(v); }

template <typename Sig>
struct Thunk;
template <typename R, typename... A>
struct Thunk<R(A...)> {
  static PyObject* run(const Overload& o, PyObject* const* slots) {
    return run(o, slots, std::index_sequence_for<A...>{});
  }

 private:
  template <size_t... I>
  static PyObject* run(const Overload& o, PyObject* const* slots, std::index_sequence<I...>) {
    return run_with(o, FromPython<A>(Slot{&o.args[I], slots[I]})...);
  }
  // The arguments are parameters, not a std::tuple, whose recursive base classes would fill gdb's
  // index.
  static PyObject* run_with(const Overload& o, FromPython<A>&&... held) {
    auto call = reinterpret_cast<R (*)(A...)>(o.entry->call);
    if constexpr (std::is_void_v<R>) {
      {
        gil_scoped_release released((is_large(held.get()) || ...));
        call(held.get()...);
      }
      Py_RETURN_NONE;
    } else if constexpr (std::is_reference_v<R>) {
      Tensor* r;
      {
        gil_scoped_release released((is_large(held.get()) || ...));
        r = &call(held.get()...);
      }
      return to_python(*r);
    } else {
      auto invoke = [&]() -> R {
        gil_scoped_release released((false || ... || is_large(held.get())));
        return call(held.get()...);
      };
      return result(o, invoke());
    }
  }
  template <typename T>
  static PyObject* result(const Overload&, T&& r) {
    return to_python(std::forward<T>(r));
  }
  template <typename... T>
  static PyObject* result(const Overload& o, std::tuple<T...>&& r) {
    return tuple_result(o, r, std::index_sequence_for<T...>{});
  }
  template <typename Tuple, size_t... K>
  static PyObject* tuple_result(const Overload& o, Tuple& r, std::index_sequence<K...>) {
    THPObjectPtr items[] = {
        THPObjectPtr(to_python(static_cast<std::tuple_element_t<K, Tuple>&&>(std::get<K>(r))))...};
    return wrap_tuple(o, items, sizeof...(K));
  }
};

}  // namespace torch
