// What a tensor answers about its geometry: Note [Geometry from Python].

#include <torch/csrc/autograd/python_tensor_geometry.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_containers.h>

#include <c10/core/WrapDimMinimal.h>

namespace torch {

using at::Tensor;

c10::intrusive_ptr<c10::TensorImpl> PythonGeometryImpl::shallow_copy() const {
  auto copy = c10::make_intrusive<PythonGeometryImpl>(storage(), key_set(), dtype(), device());
  copy->copy_shape_of(*this);
  copy->policy = policy;
  return copy;
}

const GeometryPolicy* find_geometry_policy(const Tensor& t) {
  const auto* impl = dynamic_cast<const PythonGeometryImpl*>(t.unsafeGetTensorImpl());
  return impl ? &impl->policy : nullptr;
}

namespace {

// The answer of the class's __torch_dispatch__ to torch.ops.SPACE.NAME.OVERLOAD(o, argument).
THPObjectPtr ask_class(PyObject* o, const char* space, const char* name, const char* overload,
                       PyObject* argument) {
  auto attribute = [](const THPObjectPtr& from, const char* key) {
    return own(PyObject_GetAttrString(from.get(), key));
  };
  const THPObjectPtr torch = own(PyImport_ImportModule("torch"));
  const THPObjectPtr function =
      attribute(attribute(attribute(attribute(torch, "ops"), space), name), overload);
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  const THPObjectPtr method = own(PyObject_GetAttrString(type, "__torch_dispatch__"));
  const THPObjectPtr types = make_tuple(1, [&](size_t) { return Py_NewRef(type); });
  const THPObjectPtr args =
      make_tuple(argument ? 2 : 1, [&](size_t i) { return Py_NewRef(i == 0 ? o : argument); });
  const THPObjectPtr kwargs = own(PyDict_New());
  THPObjectPtr result = own(PyObject_CallFunctionObjArgs(method.get(), function.get(), types.get(),
                                                         args.get(), kwargs.get(), nullptr));
  TORCH_CHECK_TYPE(
      result.get() != Py_NotImplemented, "Multiple dispatch failed for 'torch.ops.", space, ".",
      name, "'; all __torch_dispatch__ handlers returned NotImplemented: ", Py_TYPE(o)->tp_name);
  return result;
}

THPObjectPtr int_tuple(PyObject* o, const char* name) {
  THPObjectPtr answer = ask_class(o, "aten", name, "default", nullptr);
  TORCH_CHECK_TYPE(PyTuple_Check(answer.get()) || PyList_Check(answer.get()), Py_TYPE(o)->tp_name,
                   ": expected a tuple of ints as the result of aten.", name, ", got ",
                   Py_TYPE(answer.get())->tp_name);
  THPObjectPtr tuple = own(PySequence_Tuple(answer.get()));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple.get(), i);
    TORCH_CHECK_TYPE(PyIndex_Check(item), Py_TYPE(o)->tp_name,
                     ": expected a tuple of ints as the result of aten.", name, ", with ",
                     Py_TYPE(item)->tp_name, " at position ", i);
  }
  return tuple;
}

PyObject* int_answer(PyObject* o, const char* name) {
  THPObjectPtr answer = ask_class(o, "aten", name, "default", nullptr);
  TORCH_CHECK_TYPE(PyIndex_Check(answer.get()), Py_TYPE(o)->tp_name,
                   ": expected an int as the result of aten.", name, ", got ",
                   Py_TYPE(answer.get())->tp_name);
  return answer.release();
}

bool answers_strides(const GeometryPolicy* policy) {
  return policy && (policy->sizes || policy->strides);
}

}  // namespace

PyObject* sizes_object(PyObject* o, const Tensor& t) {
  const GeometryPolicy* policy = geometry_of(t);
  if (C10_LIKELY(!policy || !policy->sizes)) return wrap_size(t.sizes());
  const THPObjectPtr sizes = int_tuple(o, "sym_size");
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&THPSizeType), sizes.get());
}

PyObject* strides_object(PyObject* o, const Tensor& t) {
  if (C10_LIKELY(!answers_strides(geometry_of(t)))) return wrap_int_tuple(t.strides());
  return int_tuple(o, "sym_stride").release();
}

PyObject* size_or_stride_object(PyObject* o, const Tensor& t, int64_t dim, bool is_size) {
  const THPObjectPtr all = own(is_size ? sizes_object(o, t) : strides_object(o, t));
  const int64_t index = c10::maybe_wrap_dim(dim, PySequence_Fast_GET_SIZE(all.get()));
  return own(PySequence_GetItem(all.get(), static_cast<Py_ssize_t>(index))).release();
}

PyObject* dim_object(PyObject* o, const Tensor& t) {
  const GeometryPolicy* policy = geometry_of(t);
  return C10_LIKELY(!policy || !policy->sizes) ? PyLong_FromLongLong(t.dim())
                                               : int_answer(o, "dim");
}

PyObject* numel_object(PyObject* o, const Tensor& t) {
  const GeometryPolicy* policy = geometry_of(t);
  return C10_LIKELY(!policy || !policy->sizes) ? PyLong_FromLongLong(t.numel())
                                               : int_answer(o, "sym_numel");
}

PyObject* nbytes_object(PyObject* o, const Tensor& t) {
  if (C10_LIKELY(!geometry_of(t))) return PyLong_FromSize_t(t.nbytes());
  const THPObjectPtr numel = own(numel_object(o, t)),
                     itemsize = own(PyLong_FromSize_t(t.itemsize()));
  return PyNumber_Multiply(numel.get(), itemsize.get());
}

PyObject* storage_offset_object(PyObject* o, const Tensor& t) {
  const GeometryPolicy* policy = geometry_of(t);
  return C10_LIKELY(!policy || !policy->sizes) ? PyLong_FromLongLong(t.storage_offset())
                                               : int_answer(o, "sym_storage_offset");
}

PyObject* is_contiguous_object(PyObject* o, const Tensor& t, PyObject* format,
                               at::MemoryFormat value) {
  if (C10_LIKELY(!answers_strides(geometry_of(t)))) return PyBool_FromLong(t.is_contiguous(value));
  const THPObjectPtr answer =
      ask_class(o, "aten", "is_contiguous", format ? "memory_format" : "default", format);
  const int truth = PyObject_IsTrue(answer.get());
  if (truth < 0) throw python_error();
  return PyBool_FromLong(truth);
}

PyObject* layout_object(PyObject* o, const Tensor& t) {
  const GeometryPolicy* policy = geometry_of(t);
  if (C10_LIKELY(!policy || !policy->layout)) return wrap_layout(t.layout());
  THPObjectPtr answer = ask_class(o, "prim", "layout", "default", nullptr);
  TORCH_CHECK_TYPE(THPLayout_Check(answer.get()), Py_TYPE(o)->tp_name,
                   ": expected a torch.layout as the result of prim.layout, got ",
                   Py_TYPE(answer.get())->tp_name);
  return answer.release();
}

at::Device device_of(PyObject* o, const Tensor& t) {
  const GeometryPolicy* policy = geometry_of(t);
  if (C10_LIKELY(!policy || !policy->device)) return t.device();
  const THPObjectPtr answer = ask_class(o, "prim", "device", "default", nullptr);
  return to_device(answer.get());
}

}  // namespace torch
