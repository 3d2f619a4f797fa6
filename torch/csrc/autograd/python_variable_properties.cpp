// Attributes of tensors: shape, dtype, grad, ...

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_tensor_geometry.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/python_types.h>

#include <ATen/ops/adjoint.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/mT.h>
#include <ATen/ops/matrix_H.h>
#include <ATen/ops/numpy_T.h>
#include <ATen/ops/real.h>

namespace torch {

using at::Tensor;

namespace {

const Tensor& self_of(PyObject* o) { return THPVariable_Unpack(o); }

// Modes and subclasses get a property as Tensor.NAME.__get__ and Tensor.NAME.__set__.
bool is_overridden(PyObject* o) {
  return t_torch_function_modes || (!THPVariable_CheckExact(o) && has_torch_function(o));
}
[[gnu::cold, gnu::noinline]] PyObject* ask_accessor(PyObject* o, const char* name,
                                                    const char* accessor, PyObject* value) {
  THPObjectPtr property =
      own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(THPVariableClass), name));
  THPObjectPtr function = own(PyObject_GetAttrString(property.get(), accessor));
  return handle_torch_function(name, o, &value, value ? 1 : 0, nullptr, function.get());
}

// A property whose value is f(tensor).
template <typename F>
PyObject* get(PyObject* o, const char* name, F f) {
  return guarded([&]() -> PyObject* {
    if (C10_UNLIKELY(is_overridden(o))) return ask_accessor(o, name, "__get__", nullptr);
    TORCH_CHECK(self_of(o).defined(), "this Tensor object holds no tensor");
    return f(self_of(o));
  });
}

// Runs f, which changes the property to a value; null deletes it.
template <typename F>
int set(PyObject* o, const char* name, PyObject* value, F f) {
  return guarded_int([&] {
    if (C10_UNLIKELY(is_overridden(o))) {
      THPObjectPtr(ask_accessor(o, name, value ? "__set__" : "__delete__", value));
      return 0;
    }
    return f();
  });
}

PyObject* boolean(bool b) { return PyBool_FromLong(b); }

PyObject* get_shape(PyObject* o, void*) {
  return get(o, "shape", [o](const Tensor& t) { return sizes_object(o, t); });
}
PyObject* get_dtype(PyObject* o, void*) {
  return get(o, "dtype", [](const Tensor& t) { return wrap_dtype(t.scalar_type()); });
}
PyObject* get_device(PyObject* o, void*) {
  return get(o, "device", [o](const Tensor& t) { return wrap_device(device_of(o, t)); });
}
PyObject* get_layout(PyObject* o, void*) {
  return get(o, "layout", [o](const Tensor& t) { return layout_object(o, t); });
}
PyObject* get_ndim(PyObject* o, void*) {
  return get(o, "ndim", [o](const Tensor& t) { return dim_object(o, t); });
}
PyObject* get_itemsize(PyObject* o, void*) {
  return get(o, "itemsize", [](const Tensor& t) { return PyLong_FromSize_t(t.itemsize()); });
}
PyObject* get_nbytes(PyObject* o, void*) {
  return get(o, "nbytes", [o](const Tensor& t) { return nbytes_object(o, t); });
}
PyObject* get_is_leaf(PyObject* o, void*) {
  return get(o, "is_leaf", [](const Tensor& t) { return boolean(t.is_leaf()); });
}
PyObject* get_retains_grad(PyObject* o, void*) {
  return get(o, "retains_grad", [](const Tensor& t) { return boolean(t.retains_grad()); });
}
PyObject* get_version(PyObject* o, void*) {
  return get(o, "_version", [](const Tensor& t) {
    TORCH_CHECK(!t.is_inference(), "Inference tensors do not track version counter.");
    return PyLong_FromUnsignedLong(t._version());
  });
}
PyObject* get_output_nr(PyObject* o, void*) {
  return get(o, "output_nr", [](const Tensor& t) {
    auto* meta = autograd::get_autograd_meta(t);
    return PyLong_FromUnsignedLong(meta ? meta->output_nr : 0);
  });
}
// What no tensor is; the closure is the name.
PyObject* get_false(PyObject* o, void* name) {
  return get(o, static_cast<const char*>(name), [](const Tensor&) { return boolean(false); });
}
PyObject* get_is_cpu(PyObject* o, void*) {
  return get(o, "is_cpu", [o](const Tensor& t) { return boolean(device_of(o, t).is_cpu()); });
}
PyObject* get_is_cuda(PyObject* o, void*) {
  return get(o, "is_cuda", [o](const Tensor& t) { return boolean(device_of(o, t).is_cuda()); });
}
PyObject* get_is_meta(PyObject* o, void*) {
  return get(o, "is_meta", [o](const Tensor& t) { return boolean(device_of(o, t).is_meta()); });
}
PyObject* get_T(PyObject* o, void*) {
  return get(o, "T", [](const Tensor& t) { return THPVariable_Wrap(at::numpy_T(t)); });
}
PyObject* get_mT(PyObject* o, void*) {
  return get(o, "mT", [](const Tensor& t) { return THPVariable_Wrap(at::mT(t)); });
}
PyObject* get_H(PyObject* o, void*) {
  return get(o, "H", [](const Tensor& t) { return THPVariable_Wrap(at::matrix_H(t)); });
}
PyObject* get_mH(PyObject* o, void*) {
  return get(o, "mH", [](const Tensor& t) { return THPVariable_Wrap(at::adjoint(t)); });
}
PyObject* get_real(PyObject* o, void*) {
  return get(o, "real", [](const Tensor& t) { return THPVariable_Wrap(at::real(t)); });
}
PyObject* get_imag(PyObject* o, void*) {
  return get(o, "imag", [](const Tensor& t) { return THPVariable_Wrap(at::imag(t)); });
}
int set_part(PyObject* o, const char* name, PyObject* value, Tensor (*part)(const Tensor&)) {
  return set(o, name, value, [&] {
    TORCH_CHECK_TYPE(value && (THPVariable_Check(value) || is_number(value)),
                     "expected a tensor or a number for a part of a complex tensor");
    Tensor into = part(self_of(o));
    at::_ops::copy_::call(into, THPVariable_Check(value) ? self_of(value) : wrapped_number(value),
                          false);
    return 0;
  });
}
int set_real(PyObject* o, PyObject* v, void*) {
  return set_part(o, "real", v, [](const Tensor& t) { return at::real(t); });
}
int set_imag(PyObject* o, PyObject* v, void*) {
  return set_part(o, "imag", v, [](const Tensor& t) { return at::imag(t); });
}

PyObject* get_requires_grad(PyObject* o, void*) {
  return get(o, "requires_grad", [](const Tensor& t) { return boolean(t.requires_grad()); });
}
int set_requires_grad(PyObject* o, PyObject* v, void*) {
  return set(o, "requires_grad", v, [&] {
    TORCH_CHECK_TYPE(v && PyBool_Check(v), "requires_grad must be a bool");
    self_of(o).set_requires_grad(v == Py_True);
    return 0;
  });
}

PyObject* get_grad_quietly(PyObject* o, void*) {
  return get(o, "_grad", [](const Tensor& t) { return THPVariable_Wrap(t.grad()); });
}
PyObject* get_grad(PyObject* o, void*) {
  return get(o, "grad", [](const Tensor& t) {
    bool may_have = t.grad().defined() || t.retains_grad() || !t.requires_grad() || t.is_leaf();
    if (C10_UNLIKELY(!may_have)) {
      TORCH_WARN(
          "the .grad of a tensor that is not a leaf was read, and backward() does not fill it: "
          "gradients are kept for leaves alone. Call .retain_grad() on the non-leaf tensor before "
          "backward() if its gradient is wanted, or read .grad of the leaf that it was computed "
          "from.");
    }
    return THPVariable_Wrap(t.grad());
  });
}
int set_grad(PyObject* o, PyObject* v, void*) {
  return set(o, "grad", v, [&] {
    const Tensor& t = self_of(o);
    if (!v || v == Py_None) {
      if (autograd::get_autograd_meta(t)) t.mutable_grad() = Tensor();
      return 0;
    }
    TORCH_CHECK_TYPE(THPVariable_Check(v),
                     "assigned grad expected to be a Tensor or None but got grad of type ",
                     Py_TYPE(v)->tp_name);
    TORCH_CHECK(v != o, "can't assign Variable as its own grad");
    const Tensor& g = self_of(v);
    auto expected = autograd::grad_dtype(t);
    TORCH_CHECK(!expected || g.scalar_type() == *expected, "a gradient of dtype ",
                at::dtypeName(g.scalar_type()), " was assigned to a tensor whose grad_dtype is ",
                at::dtypeName(*expected),
                "; that is its dtype unless another was set, and None takes gradients of any");
    TORCH_CHECK(g.device() == t.device(), "attempting to assign a gradient located on device '",
                g.device(), "' to a tensor located on device '", t.device(), "'");
    TORCH_CHECK(g.sizes() == t.sizes(), "attempting to assign a gradient of size '", g.sizes(),
                "' to a tensor of size '", t.sizes(), "'");
    t.mutable_grad() = g;
    return 0;
  });
}

void check_leaf_for_grad_dtype(const Tensor& t) {
  TORCH_CHECK(!t.requires_grad() || t.is_leaf(),
              "only leaves have a grad_dtype; this tensor was computed by ",
              autograd::grad_fn(t)->name());
}
PyObject* get_grad_dtype(PyObject* o, void*) {
  return get(o, "grad_dtype", [](const Tensor& t) -> PyObject* {
    check_leaf_for_grad_dtype(t);
    auto dtype = autograd::grad_dtype(t);
    if (!dtype) Py_RETURN_NONE;
    return wrap_dtype(*dtype);
  });
}
int set_grad_dtype(PyObject* o, PyObject* v, void*) {
  return set(o, "grad_dtype", v, [&] {
    const Tensor& t = self_of(o);
    TORCH_CHECK(v, "grad_dtype cannot be deleted; set it to the tensor's dtype");
    TORCH_CHECK_TYPE(v == Py_None || THPDtype_Check(v), "grad_dtype is a torch.dtype or None, got ",
                     Py_TYPE(v)->tp_name);
    check_leaf_for_grad_dtype(t);
    std::optional<at::ScalarType> dtype;
    if (v != Py_None) dtype = to_dtype(v);
    if (const Tensor& held = t.grad(); held.defined() && dtype) {
      TORCH_CHECK(held.scalar_type() == *dtype, "grad_dtype cannot become ", at::dtypeName(*dtype),
                  " while the tensor holds a gradient of ", at::dtypeName(held.scalar_type()),
                  ": set .grad to None first");
    }
    autograd::set_grad_dtype(t, dtype);
    return 0;
  });
}

PyObject* get_grad_fn(PyObject* o, void*) {
  return get(o, "grad_fn", [](const Tensor& t) -> PyObject* {
    auto node = autograd::grad_fn(t);
    if (!node) Py_RETURN_NONE;
    return wrap_node(node);
  });
}
int set_grad_fn(PyObject* o, PyObject* v, void*) {
  return set(o, "_grad_fn", v, [&] {
    TORCH_CHECK(v == Py_None, "_grad_fn can be only set to None");
    auto* meta = autograd::get_autograd_meta(self_of(o));
    if (meta) meta->grad_fn.reset();
    return 0;
  });
}

// x.data: the same memory without history, and with a version of its own (Note [Version counters]).
PyObject* get_data(PyObject* o, void*) {
  return get(o, "data", [](const Tensor& t) {
    Tensor d = autograd::detach_shallow(t);
    d.unsafeGetTensorImpl()->set_version_of_its_own();
    return THPVariable_Wrap(d);
  });
}
int set_data(PyObject* o, PyObject* v, void*) {
  return set(o, "data", v, [&] {
    TORCH_CHECK_TYPE(v && THPVariable_Check(v), "Variable data has to be a tensor, but got ",
                     v ? Py_TYPE(v)->tp_name : "nothing");
    const Tensor &t = self_of(o), &d = self_of(v);
    c10::TensorImpl* impl = t.unsafeGetTensorImpl();
    TORCH_CHECK(t.device() == d.device() || autograd::grad_fn(t) == nullptr,
                "x.data = y needs y on the device of x when x has a history");
    constexpr auto kPython = c10::Functionality::Python;
    TORCH_CHECK(t.key_set().has(kPython) == d.key_set().has(kPython),
                "x.data = y: incompatible tensor types, ", Py_TYPE(o)->tp_name, " and ",
                Py_TYPE(v)->tp_name, ", of which one defines __torch_dispatch__");
    bool autograd_key = impl->has_autograd_key();
    impl->set_storage(d.storage());
    impl->set_dtype(d.scalar_type());
    impl->set_storage_offset(d.storage_offset());
    impl->set_sizes_and_strides(d.sizes(), d.strides());
    impl->set_device(d.device());
    impl->set_keys(d.key_set() - c10::autograd_dispatch_keyset);
    impl->set_autograd_key(autograd_key);
    if (auto held = autograd::try_get_grad_accumulator(t)) held->set_input_metadata(0, t);
    return 0;
  });
}

PyObject* get_base(PyObject* o, void*) {
  return get(o, "_base", [](const Tensor& t) -> PyObject* {
    auto* base = t.unsafeGetTensorImpl()->view_base();
    if (!base) Py_RETURN_NONE;
    return THPVariable_Wrap(Tensor(c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(base)));
  });
}
PyObject* get_cdata(PyObject* o, void*) {
  return PyLong_FromVoidPtr(self_of(o).unsafeGetTensorImpl());
}
PyObject* get_name(PyObject* o, void*) {
  return get(o, "name", [](const Tensor& t) -> PyObject* {
    auto* meta = autograd::get_autograd_meta(t);
    if (!meta || meta->name.empty()) Py_RETURN_NONE;
    return PyUnicode_FromString(meta->name.c_str());
  });
}
PyObject* get_hooks(PyObject* o, void*) {
  PyObject* hooks = reinterpret_cast<THPVariable*>(o)->backward_hooks.get();
  return Py_NewRef(hooks ? hooks : Py_None);
}
int set_hooks(PyObject* o, PyObject* v, void*) {
  return set(o, "_backward_hooks", v, [&] {
    auto* self = reinterpret_cast<THPVariable*>(o);
    PyObject* hooks = !v || v == Py_None ? nullptr : v;
    self->backward_hooks = THPObjectPtr::borrow(hooks);
    if (hooks) {
      if (!PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
      // The hooks of a non-leaf tensor are kept by its node: node._register_hook_dict(tensor).
      if (self->cdata.is_leaf()) add_dict_hook(self->cdata, hooks);
    }
    return 0;
  });
}

PyObject* get_post_accumulate(PyObject* o, void*) {
  return post_accumulate_hooks(THPVariable_Unpack(o));
}
int set_post_accumulate(PyObject* o, PyObject* v, void*) {
  return set(o, "_post_accumulate_grad_hooks", v, [&] {
    TORCH_CHECK(self_of(o).is_leaf(),
                "post accumulate grad hooks cannot be registered on non-leaf tensors");
    set_post_accumulate_hooks(self_of(o), !v || v == Py_None ? nullptr : v);
    if (!PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
    return 0;
  });
}

PyObject* get_names(PyObject* o, void*) {
  return get(o, "names", [](const Tensor& t) {
    return make_tuple(static_cast<size_t>(t.dim()), [](size_t) {
      return Py_NewRef(Py_None);
    }).release();
  });
}

}  // namespace

PyGetSetDef tensor_properties[] = {
    {"shape", get_shape, nullptr, docs::Tensor_shape, nullptr},
    {"dtype", get_dtype, nullptr, docs::Tensor_dtype, nullptr},
    {"device", get_device, nullptr, docs::Tensor_device, nullptr},
    {"layout", get_layout, nullptr, docs::Tensor_layout, nullptr},
    {"ndim", get_ndim, nullptr, docs::Tensor_ndim, nullptr},
    {"itemsize", get_itemsize, nullptr, docs::Tensor_itemsize, nullptr},
    {"nbytes", get_nbytes, nullptr, docs::Tensor_nbytes, nullptr},
    {"T", get_T, nullptr, docs::Tensor_T, nullptr},
    {"mT", get_mT, nullptr, docs::Tensor_mT, nullptr},
    {"H", get_H, nullptr, docs::Tensor_H, nullptr},
    {"mH", get_mH, nullptr, docs::Tensor_mH, nullptr},
    {"real", get_real, set_real, docs::Tensor_real, nullptr},
    {"imag", get_imag, set_imag, docs::Tensor_imag, nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, docs::Tensor_requires_grad, nullptr},
    {"grad", get_grad, set_grad, docs::Tensor_grad, nullptr},
    {"_grad", get_grad_quietly, set_grad, nullptr, nullptr},
    {"grad_dtype", get_grad_dtype, set_grad_dtype, docs::Tensor_grad_dtype, nullptr},
    {"grad_fn", get_grad_fn, nullptr, docs::Tensor_grad_fn, nullptr},
    {"_grad_fn", get_grad_fn, set_grad_fn, nullptr, nullptr},
    {"is_leaf", get_is_leaf, nullptr, docs::Tensor_is_leaf, nullptr},
    {"retains_grad", get_retains_grad, nullptr, docs::Tensor_retains_grad, nullptr},
    {"data", get_data, set_data, docs::Tensor_data, nullptr},
    {"_version", get_version, nullptr, "How many in-place changes there were.", nullptr},
    {"output_nr", get_output_nr, nullptr, docs::Tensor_output_nr, nullptr},
    {"_base", get_base, nullptr, "The tensor that this one is a view of; None if it is no view.",
     nullptr},
    {"_cdata", get_cdata, nullptr, nullptr, nullptr},
    {"name", get_name, nullptr, docs::Tensor_name, nullptr},
    {"names", get_names, nullptr, docs::Tensor_names, nullptr},
    {"_backward_hooks", get_hooks, set_hooks, nullptr, nullptr},
    {"_post_accumulate_grad_hooks", get_post_accumulate, set_post_accumulate, nullptr, nullptr},
    {"is_cpu", get_is_cpu, nullptr, docs::Tensor_is_cpu, nullptr},
    {"is_cuda", get_is_cuda, nullptr, docs::Tensor_is_cuda, nullptr},
    {"is_meta", get_is_meta, nullptr, docs::Tensor_is_meta, nullptr},
    {"is_sparse", get_false, nullptr, docs::Tensor_is_sparse, const_cast<char*>("is_sparse")},
    {"is_sparse_csr", get_false, nullptr, docs::Tensor_is_sparse_csr,
     const_cast<char*>("is_sparse_csr")},
    {"is_quantized", get_false, nullptr, docs::Tensor_is_quantized,
     const_cast<char*>("is_quantized")},
    {"is_mkldnn", get_false, nullptr, docs::Tensor_is_mkldnn, const_cast<char*>("is_mkldnn")},
    {"is_mps", get_false, nullptr, docs::Tensor_is_mps, const_cast<char*>("is_mps")},
    {"is_xpu", get_false, nullptr, docs::Tensor_is_xpu, const_cast<char*>("is_xpu")},
    {"is_xla", get_false, nullptr, docs::Tensor_is_xla, const_cast<char*>("is_xla")},
    {"is_vulkan", get_false, nullptr, docs::Tensor_is_vulkan, const_cast<char*>("is_vulkan")},
    {"is_maia", get_false, nullptr, docs::Tensor_is_maia, const_cast<char*>("is_maia")},
    {"is_mtia", get_false, nullptr, docs::Tensor_is_mtia, const_cast<char*>("is_mtia")},
    {"is_ipu", get_false, nullptr, docs::Tensor_is_ipu, const_cast<char*>("is_ipu")},
    {"is_nested", get_false, nullptr, docs::Tensor_is_nested, const_cast<char*>("is_nested")},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace torch
