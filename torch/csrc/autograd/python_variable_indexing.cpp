// x[...] and x[...] = y.
//
// Integers, slices, None and Ellipsis are views: x[1] and x[2:5] alone go straight to select and
// slice. Tensors, lists and masks are gathered by at::index, or scattered by at::index_put_.

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_tensor_geometry.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/fill__ops.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put__ops.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/unsqueeze.h>

namespace torch {

using at::Tensor;

namespace {

bool is_overridden(PyObject* o) {
  return t_torch_function_modes || (!THPVariable_CheckExact(o) && has_torch_function(o));
}

// The length that a mode, a subclass's __torch_function__ or its geometry gives.
[[gnu::cold, gnu::noinline]] Py_ssize_t foreign_length(PyObject* o) {
  Py_ssize_t found = -1;
  guarded_int([&] {
    THPObjectPtr length =
        own(is_overridden(o) ? handle_torch_function("__len__", o, nullptr, 0, nullptr)
                             : size_or_stride_object(o, THPVariable_Unpack(o), 0, true));
    found = static_cast<Py_ssize_t>(to_int64(length.get()));
    return 0;
  });
  return found;
}

Py_ssize_t tensor_length(PyObject* o) {
  const Tensor& t = THPVariable_Unpack(o);
  if (C10_UNLIKELY(is_overridden(o) || geometry_of(t) != nullptr)) return foreign_length(o);
  if (t.dim() == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
    return -1;
  }
  return static_cast<Py_ssize_t>(t.sizes()[0]);
}

// A slice whose bounds are numbers that record, with their values.
[[gnu::cold, gnu::noinline]] THPObjectPtr traced_slice(PySliceObject* slice) {
  auto part = [](PyObject* o) {
    return is_symbolic_number(o) ? own(PyLong_FromLongLong(to_int64(o))) : THPObjectPtr::borrow(o);
  };
  THPObjectPtr start = part(slice->start), stop = part(slice->stop), step = part(slice->step);
  return own(PySlice_New(start.get(), stop.get(), step.get()));
}

Tensor apply_slice(const Tensor& t, int64_t dim, PyObject* slice) {
  Py_ssize_t start, stop, step;
  auto* parts = reinterpret_cast<PySliceObject*>(slice);
  if (C10_UNLIKELY(is_symbolic_number(parts->start) || is_symbolic_number(parts->stop) ||
                   is_symbolic_number(parts->step)))
    return apply_slice(t, dim, traced_slice(parts).get());
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw python_error();
  TORCH_CHECK_VALUE(step > 0, "step must be greater than zero");
  if (start == 0 && step == 1 && stop >= t.sizes()[dim]) return at::alias(t);
  return at::slice(t, dim, start, stop, step);
}

// An index that is one integer: a plain int, or a NumPy or tensor one.
bool is_integer_index(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (PyBool_Check(o) || THPVariable_Check(o)) {
    if (PyBool_Check(o)) return false;
    const Tensor& t = THPVariable_Unpack(o);
    // Under vmap, one index may be another integer in each example.
    return t.dim() == 0 && at::isIntegralType(t.scalar_type(), false) &&
           !t.key_set().has(c10::Functionality::FuncTorchBatched);
  }
  return PyIndex_Check(o) && !PySequence_Check(o);
}

// A list that is no tensor index but stands for a tuple: x[[slice(2), 1]] as NumPy once had it is
// refused elsewhere.
Tensor sequence_to_index(PyObject* o, at::Device device) {
  Tensor t = tensor_from_data(o, std::nullopt, device);
  if (t.numel() == 0 && !at::isIntegralType(t.scalar_type(), true))
    t = at::_to_copy(t, at::TensorOptions(at::kLong));
  return t;
}

struct Parsed {
  Tensor view;                                 // after everything that is a view
  std::vector<std::optional<Tensor>> indices;  // tensors, by dimension of the view
  bool has_tensors = false;
};

int64_t dims_used(PyObject* item) {
  if (item == Py_None || item == Py_Ellipsis || PyBool_Check(item)) return 0;
  if (THPVariable_Check(item)) {
    const Tensor& t = THPVariable_Unpack(item);
    if (t.scalar_type() == at::kBool || t.scalar_type() == at::kByte) return t.dim();
  }
  if (PyList_Check(item) ||
      (PySequence_Check(item) && !THPVariable_Check(item) && !PyLong_Check(item))) {
    // A nested list of bools is a mask of as many dimensions.
    int64_t depth = 0;
    auto x = THPObjectPtr::borrow(item);
    while (x && !PyBool_Check(x.get()) && PySequence_Check(x.get()) && !PyUnicode_Check(x.get()) &&
           PySequence_Size(x.get()) > 0) {
      x.reset(PySequence_GetItem(x.get(), 0));
      ++depth;
    }
    PyErr_Clear();
    bool mask = x && PyBool_Check(x.get());
    return mask ? std::max<int64_t>(depth, 1) : 1;
  }
  return 1;
}

Parsed parse_index(const Tensor& self, PyObject* const* items, Py_ssize_t n) {
  Parsed p{self, {}, false};
  int64_t used = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    used += dims_used(items[i]);
  }
  TORCH_CHECK_INDEX(used <= self.dim(), "too many indices for tensor of dimension ", self.dim());
  int64_t dim = 0;
  auto note = [&](Tensor index) {
    p.indices.resize(static_cast<size_t>(dim));
    p.indices.emplace_back(std::move(index));
    p.has_tensors = true;
  };
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = items[i];
    if (is_integer_index(item)) {
      int64_t k = to_int64(item);
      int64_t size = p.view.sizes()[dim];
      TORCH_CHECK_INDEX(k >= -size && k < size, "index ", k, " is out of bounds for dimension ", i,
                        " with size ", size);
      p.view = at::select(p.view, dim, k);
    } else if (PySlice_Check(item)) {
      p.view = apply_slice(p.view, dim, item);
      ++dim;
    } else if (item == Py_None) {
      p.view = at::unsqueeze(p.view, dim);
      ++dim;
    } else if (item == Py_Ellipsis) {
      dim += self.dim() - used;
      used = self.dim();  // a second Ellipsis stands for nothing
    } else if (PyBool_Check(item)) {
      p.view = at::unsqueeze(p.view, dim);
      note(scalar_index(item == Py_True, self.device()));
      ++dim;
    } else {
      Tensor t;
      if (THPVariable_Check(item)) {
        t = THPVariable_Unpack(item);
      } else if (PySequence_Check(item) || PyObject_HasAttrString(item, "__array__")) {
        t = sequence_to_index(item, self.device());
      } else {
        TORCH_CHECK_INDEX(false,
                          "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                          "Variables are valid indices (got ",
                          Py_TYPE(item)->tp_name, ")");
      }
      if (t.dim() == 0 && (t.scalar_type() == at::kBool || t.scalar_type() == at::kByte)) {
        p.view = at::unsqueeze(p.view, dim);
        note(t.scalar_type() == at::kByte ? at::_to_copy(t, at::TensorOptions(at::kBool)) : t);
        ++dim;
        continue;
      }
      bool mask = t.scalar_type() == at::kBool || t.scalar_type() == at::kByte;
      note(t);
      dim += mask ? t.dim() : 1;
      if (mask) p.indices.resize(static_cast<size_t>(dim));
    }
  }
  // Masks stand for several dimensions: their entry is the first, the rest is dropped again.
  return p;
}

// at::index wants one entry for each index, with masks counting once.
std::vector<std::optional<Tensor>> compact(const Parsed& p) {
  std::vector<std::optional<Tensor>> out;
  for (size_t d = 0; d < p.indices.size(); ++d) {
    const auto& index = p.indices[d];
    out.push_back(index);
    if (index && (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte) &&
        index->dim() > 1)
      d += static_cast<size_t>(index->dim() - 1);
  }
  return out;
}

// What is inside the brackets, as a row of items.
struct Items {
  explicit Items(PyObject* index) {
    if (PyTuple_Check(index)) {
      items = &PyTuple_GET_ITEM(index, 0);
      n = PyTuple_GET_SIZE(index);
      if (n == 0) items = nullptr;
    } else {
      one = index;
      items = &one;
      n = 1;
    }
  }
  PyObject* one = nullptr;
  PyObject* const* items;
  Py_ssize_t n;
};

// Whether an index or a value, which need not be a tensor, handles the call itself.
bool is_overriding(PyObject* o) {
  return !PyLong_CheckExact(o) && !PyFloat_CheckExact(o) && !PySlice_Check(o) &&
         !THPVariable_CheckExact(o) && has_torch_function(o);
}

bool handled_elsewhere(PyObject* self, PyObject* index) {
  if (is_overridden(self)) return true;
  if (PyTuple_Check(index)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i) {
      if (is_overriding(PyTuple_GET_ITEM(index, i))) return true;
    }
    return false;
  }
  return is_overriding(index);
}

PyObject* get_item(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    if (C10_UNLIKELY(handled_elsewhere(self, index)))
      return handle_torch_function("__getitem__", self, &index, 1, nullptr);
    const Tensor& t = THPVariable_Unpack(self);
    // The common single indices, without building anything.
    if (PyLong_CheckExact(index)) {
      TORCH_CHECK_INDEX(t.dim() > 0,
                        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                        "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
      int64_t k = to_int64(index), size = t.sizes()[0];
      TORCH_CHECK_INDEX(k >= -size && k < size, "index ", k,
                        " is out of bounds for dimension 0 with size ", size);
      return THPVariable_Wrap(at::select(t, 0, k));
    }
    if (index == Py_Ellipsis) return THPVariable_Wrap(at::alias(t));
    if (index == Py_None) return THPVariable_Wrap(at::unsqueeze(t, 0));
    if (PySlice_Check(index)) {
      TORCH_CHECK_INDEX(t.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
      return THPVariable_Wrap(apply_slice(t, 0, index));
    }
    Items items(index);
    if (items.n == 1 && t.dim() == 0 && is_integer_index(items.items[0])) {
      TORCH_CHECK_INDEX(false,
                        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                        "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
    }
    Parsed p = parse_index(t, items.items, items.n);
    if (!p.has_tensors) {
      if (p.view.is_same(t)) p.view = at::alias(t);
      return THPVariable_Wrap(std::move(p.view));
    }
    return THPVariable_Wrap(at::index(p.view, compact(p)));
  });
}

Tensor value_for(const Tensor& self, PyObject* value) {
  if (THPVariable_Check(value)) return THPVariable_Unpack(value);
  if (is_number(value)) return at::scalar_tensor_of(to_scalar(value), self.scalar_type());
  TORCH_CHECK_TYPE(PySequence_Check(value) || PyObject_HasAttrString(value, "__array__"),
                   "can't assign a ", Py_TYPE(value)->tp_name, " to a torch.",
                   at::toString(self.scalar_type()), "Tensor");
  return tensor_from_data(value, self.scalar_type(), self.device());
}

// A value may have leading dimensions of size 1 that the place lacks.
Tensor drop_leading_ones(Tensor v, int64_t dim) {
  while (v.dim() > dim && v.sizes()[0] == 1) v = at::select(v, 0, 0);
  return v;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded_int([&] {
    TORCH_CHECK_TYPE(value, "Tensor does not support deleting items");
    if (C10_UNLIKELY(handled_elsewhere(self, index) || is_overriding(value))) {
      PyObject* args[] = {index, value};
      THPObjectPtr ignored(handle_torch_function("__setitem__", self, args, 2, nullptr));
      return 0;
    }
    const Tensor& t = THPVariable_Unpack(self);
    Items items(index);
    if (items.n == 1 && t.dim() == 0 && is_integer_index(items.items[0])) {
      TORCH_CHECK_INDEX(false,
                        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                        "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
    }
    Parsed p = parse_index(t, items.items, items.n);
    if (!p.has_tensors) {
      if (is_number(value) && !THPVariable_Check(value)) {
        at::_ops::fill__Scalar::call(p.view, to_scalar(value));
      } else {
        Tensor v = drop_leading_ones(value_for(t, value), p.view.dim());
        // x[:] = x[1]: what is broadcast into its own memory would be changed while it is read.
        if (v.sizes() != p.view.sizes() && v.is_alias_of(p.view)) v = at::clone(v);
        at::_ops::copy_::call(p.view, v, false);
      }
      return 0;
    }
    Tensor v = value_for(t, value);
    at::_ops::index_put_::call(p.view, compact(p), v, false);
    return 0;
  });
}

}  // namespace

PyMappingMethods tensor_mapping_methods = {tensor_length, get_item, set_item};

}  // namespace torch
