// What a grad_fn tells about its node: metadata, inputs, saved tensors.

#include <torch/csrc/autograd/python_node_attributes.h>

#include <structmember.h>

#include <cstring>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_engine.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/safe_object.h>
#include <torch/csrc/type_object.h>

namespace torch {

using at::Tensor;
using autograd::Node;
using autograd::SavedVariable;

namespace {

// --- metadata -----------------------------------------------------------------------------------

// A hook that does nothing: nodes keep hooks, and few have metadata.
struct Metadata final : autograd::NodeHook {
  explicit Metadata(THPObjectPtr dict) : dict(std::move(dict)) {}
  SafePyObject dict;
};

// Anomaly mode's note of where the node was made, as a list of lines.
void add_traceback(PyObject* dict, const std::string& text) {
  THPObjectPtr whole =
      own(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  THPObjectPtr lines = own(PyUnicode_Splitlines(whole.get(), /*keepends=*/1));
  if (PyDict_SetItemString(dict, "traceback_", lines.get()) < 0) throw python_error();
}

// --- _InputMetadata -----------------------------------------------------------------------------

struct THPInputMetadata {
  PyObject_HEAD THPObjectPtr dtype;
  THPObjectPtr device;
  THPObjectPtr shape;
  char is_nested_tensor;
};

void input_metadata_dealloc(PyObject* o) {
  auto* self = reinterpret_cast<THPInputMetadata*>(o);
  self->dtype.reset();
  self->device.reset();
  self->shape.reset();
  Py_TYPE(o)->tp_free(o);
}

PyMemberDef input_metadata_members[] = {
    {"dtype", T_OBJECT, offsetof(THPInputMetadata, dtype), READONLY, nullptr},
    {"device", T_OBJECT, offsetof(THPInputMetadata, device), READONLY, nullptr},
    {"shape", T_OBJECT, offsetof(THPInputMetadata, shape), READONLY, nullptr},
    {"is_nested_tensor", T_BOOL, offsetof(THPInputMetadata, is_nested_tensor), READONLY, nullptr},
    {"is_cpp_nested_tensor", T_BOOL, offsetof(THPInputMetadata, is_nested_tensor), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject InputMetadataType = [] {
  PyTypeObject t = type_object<THPInputMetadata>(
      "torch._C._autograd._InputMetadata", "What the gradient that flows into a node looks like.");
  t.tp_dealloc = input_metadata_dealloc;
  t.tp_members = input_metadata_members;
  return t;
}();

// --- SavedTensor --------------------------------------------------------------------------------

struct THPSavedTensor {
  PyObject_HEAD c10::intrusive_ptr<Node> node;
  const SavedVariable* saved;
};

const SavedVariable& saved_in(PyObject* o) { return *reinterpret_cast<THPSavedTensor*>(o)->saved; }

void saved_dealloc(PyObject* o) {
  reinterpret_cast<THPSavedTensor*>(o)->node.~intrusive_ptr();
  Py_TYPE(o)->tp_free(o);
}

PyObject* saved_unpack(PyObject* o, PyObject*) {
  return guarded([&] {
    return THPVariable_Wrap(saved_in(o).unpack(reinterpret_cast<THPSavedTensor*>(o)->node.get()));
  });
}

PyObject* saved_data(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    if (saved_in(o).was_reset()) autograd::throw_backward_twice();
    PyObject* packed = packed_by_hooks(saved_in(o).hooks()).first;
    Py_XINCREF(packed);
    return packed ? packed : THPVariable_Wrap(saved_in(o).data());
  });
}

PyObject* saved_unpack_hook(PyObject* o, void*) {
  PyObject* hook = packed_by_hooks(saved_in(o).hooks()).second;
  if (!hook) hook = Py_None;
  Py_INCREF(hook);
  return hook;
}

PyObject* saved_register_hooks(PyObject* o, PyObject* args) {
  PyObject *pack, *unpack;
  if (!PyArg_ParseTuple(args, "OO:register_hooks", &pack, &unpack)) return nullptr;
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyCallable_Check(pack) && PyCallable_Check(unpack),
                     "register_hooks(): expected two callables, got ", Py_TYPE(pack)->tp_name,
                     " and ", Py_TYPE(unpack)->tp_name);
    TORCH_CHECK(!saved_in(o).was_reset(),
                "Calling register_hooks on a saved tensor after it has been freed: backward() and "
                "grad() free what was saved, unless they are given retain_graph=True");
    TORCH_CHECK(!saved_in(o).hooks(),
                "Calling register_hooks on a saved tensor whose hooks have already been set: it "
                "takes one pair of hooks");
    TORCH_CHECK(saved_in(o).data().defined(),
                "Calling register_hooks on a saved tensor with value None is forbidden");
    auto& saved = const_cast<SavedVariable&>(saved_in(o));
    saved.register_hooks(pack_with(saved.data(), pack, unpack));
    Py_RETURN_NONE;
  });
}

PyMethodDef saved_methods[] = {
    {"unpack", saved_unpack, METH_NOARGS, "The tensor as the backward of its node gets it."},
    {"register_hooks", saved_register_hooks, METH_VARARGS,
     "register_hooks(pack_hook, unpack_hook): what pack_hook makes of the tensor is kept instead "
     "of it, and unpack_hook makes a tensor of that again."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef saved_properties[] = {
    {"data", saved_data, nullptr, "What is kept: the tensor, or what a pack_hook made of it.",
     nullptr},
    {"unpack_hook", saved_unpack_hook, nullptr, "What makes a tensor of it again, or None.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject SavedTensorType = [] {
  PyTypeObject t = type_object<THPSavedTensor>("torch._C._autograd.SavedTensor",
                                               "A tensor that a node keeps for its backward.");
  t.tp_dealloc = saved_dealloc;
  t.tp_methods = saved_methods;
  t.tp_getset = saved_properties;
  return t;
}();

struct Find {
  const char* name;
  const SavedVariable* found = nullptr;
};

constexpr const char kSaved[] = "_saved_", kRaw[] = "_raw_saved_";

bool starts_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

}  // namespace

PyObject* node_metadata_or_null(const Node& node) {
  if (auto* hooks = node.hooks_or_null()) {
    for (auto& h : hooks->pre) {
      if (auto* mine = dynamic_cast<Metadata*>(h.get())) return mine->dict.get();
    }
  }
  return nullptr;
}

PyObject* node_metadata(Node& node) {
  PyObject* dict = node_metadata_or_null(node);
  if (!dict) {
    auto made = std::make_shared<Metadata>(own(PyDict_New()));
    dict = made->dict.get();
    node.hooks().pre.push_back(std::move(made));
    if (node.made_at()) add_traceback(dict, *node.made_at());
  }
  return Py_NewRef(dict);
}

PyObject* node_input_metadata(const Node& node) {
  return make_tuple(node.num_inputs(), [&](size_t i) {
    const autograd::InputMetadata& m = node.input_metadata(i);
    THPObjectPtr object = own(InputMetadataType.tp_alloc(&InputMetadataType, 0));
    if (m.defined()) {
      auto* o = reinterpret_cast<THPInputMetadata*>(object.get());
      o->dtype = own(wrap_dtype(m.dtype));
      o->device = own(wrap_device(m.device));
      THPObjectPtr sizes = own(wrap_int_tuple(m.sizes));
      o->shape = own(PySequence_List(sizes.get()));
    }
    return object.release();
  }).release();
}

PyObject* wrap_saved(const c10::intrusive_ptr<Node>& node, const SavedVariable& saved) {
  auto* o = reinterpret_cast<THPSavedTensor*>(check(SavedTensorType.tp_alloc(&SavedTensorType, 0)));
  new (&o->node) c10::intrusive_ptr<Node>(node);
  o->saved = &saved;
  return reinterpret_cast<PyObject*>(o);
}

PyObject* find_saved(const c10::intrusive_ptr<Node>& node, const char* attribute) {
  bool raw = starts_with(attribute, kRaw);
  if (!raw && !starts_with(attribute, kSaved)) return nullptr;
  Find find{attribute + std::strlen(raw ? kRaw : kSaved)};
  node->visit_saved([](void* context, const char* name, const SavedVariable& v) {
    auto* f = static_cast<Find*>(context);
    if (std::strcmp(name, f->name) == 0) f->found = &v;
  }, &find);
  if (!find.found) return nullptr;
  return raw ? wrap_saved(node, *find.found) : THPVariable_Wrap(find.found->unpack(node.get()));
}

void add_saved_names(const Node& node, const THPObjectPtr& list) {
  node.visit_saved([](void* names, const char* name, const SavedVariable&) {
    for (const char* prefix : {kSaved, kRaw})
      append(*static_cast<const THPObjectPtr*>(names), PyUnicode_FromFormat("%s%s", prefix, name));
  }, const_cast<THPObjectPtr*>(&list));
}

bool init_node_attributes(PyObject* module) {
  return add_type(module, InputMetadataType) && add_type(module, SavedTensorType);
}

}  // namespace torch
