#include <torch/csrc/autograd/python_node_attributes.h>

#include <structmember.h>

#include <cstring>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_engine.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/python_types.h>

namespace torch {

using at::Tensor;
using autograd::Node;
using autograd::SavedVariable;

namespace {

// --- metadata -----------------------------------------------------------------------------------

// A hook that does nothing: nodes keep hooks, and few have metadata.
struct Metadata final : autograd::NodeHook {
  explicit Metadata(PyObject* dict) : dict(dict) {}
  ~Metadata() override {
    if (!Py_IsInitialized()) return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(dict);
    PyGILState_Release(gil);
  }
  PyObject* dict;
};

// Anomaly mode's note of where the node was made, as a list of lines.
void add_traceback(PyObject* dict, const std::string& text) {
  PyObject* whole = check(PyUnicode_FromStringAndSize(text.data(), static_cast<int>(text.size())));
  PyObject* lines = PyUnicode_Splitlines(whole, /*keepends=*/1);
  Py_DECREF(whole);
  int failed = lines ? PyDict_SetItemString(dict, "traceback_", lines) : -1;
  Py_XDECREF(lines);
  if (failed) throw python_error();
}

// --- _InputMetadata -----------------------------------------------------------------------------

struct THPInputMetadata {
  PyObject_HEAD PyObject* dtype;
  PyObject* device;
  PyObject* shape;
  char is_nested_tensor;
};

void input_metadata_dealloc(PyObject* o) {
  auto* self = reinterpret_cast<THPInputMetadata*>(o);
  Py_XDECREF(self->dtype);
  Py_XDECREF(self->device);
  Py_XDECREF(self->shape);
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
  PyTypeObject t = {PyVarObject_HEAD_INIT(nullptr, 0)};
  t.tp_name = "torch._C._autograd._InputMetadata";
  t.tp_basicsize = sizeof(THPInputMetadata);
  t.tp_flags = Py_TPFLAGS_DEFAULT;
  t.tp_dealloc = input_metadata_dealloc;
  t.tp_members = input_metadata_members;
  t.tp_doc = "What the gradient that flows into a node looks like.";
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
     "of "
     "it, and unpack_hook makes a tensor of that again."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef saved_properties[] = {
    {"data", saved_data, nullptr, "What is kept: the tensor, or what a pack_hook made of it.",
     nullptr},
    {"unpack_hook", saved_unpack_hook, nullptr, "What makes a tensor of it again, or None.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject SavedTensorType = [] {
  PyTypeObject t = {PyVarObject_HEAD_INIT(nullptr, 0)};
  t.tp_name = "torch._C._autograd.SavedTensor";
  t.tp_basicsize = sizeof(THPSavedTensor);
  t.tp_flags = Py_TPFLAGS_DEFAULT;
  t.tp_dealloc = saved_dealloc;
  t.tp_methods = saved_methods;
  t.tp_getset = saved_properties;
  t.tp_doc = "A tensor that a node keeps for its backward.";
  return t;
}();

struct Find {
  const char* wanted;
  const SavedVariable* found = nullptr;
};

constexpr const char kSaved[] = "_saved_", kRaw[] = "_raw_saved_";

bool starts_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

bool append(PyObject* list, const char* prefix, const char* name) {
  PyObject* o = PyUnicode_FromFormat("%s%s", prefix, name);
  int failed = o ? PyList_Append(list, o) : -1;
  Py_XDECREF(o);
  return !failed;
}

}  // namespace

PyObject* node_metadata_or_null(const Node& node) {
  if (auto* hooks = node.hooks_or_null()) {
    for (auto& h : hooks->pre) {
      if (auto* mine = dynamic_cast<Metadata*>(h.get())) return mine->dict;
    }
  }
  return nullptr;
}

PyObject* node_metadata(Node& node) {
  PyObject* dict = node_metadata_or_null(node);
  if (!dict) {
    dict = check(PyDict_New());
    node.hooks().pre.push_back(std::make_shared<Metadata>(dict));
    if (node.made_at()) add_traceback(dict, *node.made_at());
  }
  Py_INCREF(dict);
  return dict;
}

PyObject* node_input_metadata(const Node& node) {
  PyObject* r = check(PyTuple_New(node.num_inputs()));
  for (uint32_t i = 0; i < node.num_inputs(); ++i) {
    const autograd::InputMetadata& m = node.input_metadata(i);
    auto* o = reinterpret_cast<THPInputMetadata*>(
        check(InputMetadataType.tp_alloc(&InputMetadataType, 0)));
    PyTuple_SET_ITEM(r, i, reinterpret_cast<PyObject*>(o));
    if (!m.defined()) continue;
    o->dtype = wrap_dtype(m.dtype);
    o->device = wrap_device(m.device);
    PyObject* sizes = check(wrap_int_tuple(m.sizes));
    o->shape = PySequence_List(sizes);
    Py_DECREF(sizes);
    check(o->shape);
  }
  return r;
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
    if (std::strcmp(name, f->wanted) == 0) f->found = &v;
  }, &find);
  if (!find.found) return nullptr;
  return raw ? wrap_saved(node, *find.found) : THPVariable_Wrap(find.found->unpack(node.get()));
}

bool add_saved_names(const Node& node, PyObject* list) {
  struct Context {
    PyObject* list;
    bool good;
  } context{list, true};
  node.visit_saved([](void* c, const char* name, const SavedVariable&) {
    auto* to = static_cast<Context*>(c);
    to->good = to->good && append(to->list, kSaved, name) && append(to->list, kRaw, name);
  }, &context);
  return context.good;
}

bool init_node_attributes(PyObject* module) {
  return PyType_Ready(&InputMetadataType) == 0 && PyType_Ready(&SavedTensorType) == 0 &&
         PyModule_AddObjectRef(module, "_InputMetadata",
                               reinterpret_cast<PyObject*>(&InputMetadataType)) == 0 &&
         PyModule_AddObjectRef(module, "SavedTensor",
                               reinterpret_cast<PyObject*>(&SavedTensorType)) == 0;
}

}  // namespace torch
