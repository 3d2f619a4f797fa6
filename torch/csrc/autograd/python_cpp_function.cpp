// The Python objects of nodes written in C++, and hooks written in Python.

#include <torch/csrc/autograd/python_cpp_function.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_node_attributes.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/safe_object.h>
#include <torch/csrc/type_object.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

namespace torch {

using at::Tensor;
using autograd::Node;
using autograd::variable_list;

namespace {

struct THPNode {
  PyObject_HEAD c10::intrusive_ptr<Node> node;
};

// hook(grad) -> replacement or None.
Tensor call_tensor_hook(PyObject* hook, const Tensor& grad) {
  THPObjectPtr argument = own(THPVariable_Wrap(grad));
  THPObjectPtr answer = own(PyObject_CallOneArg(hook, argument.get()));
  if (answer.get() == Py_None) return grad;
  TORCH_CHECK_TYPE(THPVariable_Check(answer.get()), "expected Variable, but hook returned '",
                   Py_TYPE(answer.get())->tp_name, "'");
  return THPVariable_Unpack(answer.get());
}

// Calls f with each of a dict's functions, as they were when this began.
template <typename F>
void each_hook(const SafePyObject& dict, F&& f) {
  THPObjectPtr values = own(PyMapping_Values(dict.get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values.get()); ++i)
    f(PyList_GET_ITEM(values.get(), i));
}

struct DictHook final : autograd::TensorHook {
  explicit DictHook(PyObject* dict) : hooks(SafePyObject::borrow(dict)) {}
  Tensor operator()(const Tensor& grad) override {
    gil_scoped_acquire gil;
    Tensor current = grad;
    each_hook(hooks, [&](PyObject* hook) { current = call_tensor_hook(hook, current); });
    return current;
  }
  SafePyObject hooks;
};

struct PostAccumulateHook final : autograd::TensorHook {
  explicit PostAccumulateHook(PyObject* dict) : hooks(SafePyObject::borrow(dict)) {}
  Tensor operator()(const Tensor& t) override {
    gil_scoped_acquire gil;
    each_hook(hooks, [&](PyObject* hook) {
      THPObjectPtr argument = own(THPVariable_Wrap(t));
      THPObjectPtr ignored = own(PyObject_CallOneArg(hook, argument.get()));
    });
    return t;
  }
  SafePyObject hooks;
};

THPObjectPtr wrap_list(const variable_list& list) {
  return make_tuple(list.size(), [&](size_t i) { return THPVariable_Wrap(list[i]); });
}

// A hook's answer: None, or a tuple of as many gradients as it got.
void replace(variable_list& list, PyObject* answer, const char* what) {
  if (answer == Py_None) return;
  THPObjectPtr seq = own(PyTuple_Check(answer) ? Py_NewRef(answer) : PyTuple_Pack(1, answer));
  bool fits = static_cast<size_t>(PyTuple_GET_SIZE(seq.get())) == list.size();
  for (size_t i = 0; fits && i < list.size(); ++i) {
    PyObject* o = PyTuple_GET_ITEM(seq.get(), static_cast<Py_ssize_t>(i));
    if (o == Py_None) {
      list[i] = Tensor();
    } else if (THPVariable_Check(o)) {
      list[i] = THPVariable_Unpack(o);
    } else {
      fits = false;
    }
  }
  TORCH_CHECK(fits, what, " has to give None, or a Tensor or None for each of the ", list.size(),
              " gradients it was called with");
}

struct PyNodeHook final : autograd::NodeHook {
  PyNodeHook(PyObject* dict, bool before) : hooks(SafePyObject::borrow(dict)), is_pre(before) {}
  void pre(variable_list& grads) override {
    if (is_pre) run(grads, nullptr);
  }
  void post(variable_list& outputs, const variable_list& inputs) override {
    if (!is_pre) run(outputs, &inputs);
  }
  void run(variable_list& list, const variable_list* second) {
    gil_scoped_acquire gil;
    each_hook(hooks, [&](PyObject* hook) {
      THPObjectPtr first = wrap_list(list), other;
      if (second) other = wrap_list(*second);
      THPObjectPtr answer =
          own(PyObject_CallFunctionObjArgs(hook, first.get(), other.get(), nullptr));
      replace(list, answer.get(), is_pre ? "a pre-hook" : "a hook");
    });
  }
  SafePyObject hooks;
  bool is_pre;
};

// --- the object ---------------------------------------------------------------------------------

const c10::intrusive_ptr<Node>& node_in(PyObject* o) { return reinterpret_cast<THPNode*>(o)->node; }

void node_dealloc(PyObject* o) {
  auto* self = reinterpret_cast<THPNode*>(o);
  PyObject_GC_UnTrack(o);
  if (self->node && self->node->pyobj == o) self->node->pyobj = nullptr;
  self->node.~intrusive_ptr();
  free_heap_object(o);
}

template <typename Hook>
int visit_dict(const std::shared_ptr<Hook>& hook, PyObject* dict, visitproc visit, void* arg) {
  // What others hold, too, is not ours to account for.
  return hook.use_count() == 1 ? visit(dict, arg) : 0;
}

// The hooks of a node that nothing but this object holds.
int node_traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  auto& node = reinterpret_cast<THPNode*>(o)->node;
  if (!node || !node.unique() || !node->hooks_or_null()) return 0;
  autograd::NodeHooks& hooks = *node->hooks_or_null();
  for (auto* list : {&hooks.pre, &hooks.post}) {
    for (auto& h : *list) {
      auto* mine = dynamic_cast<PyNodeHook*>(h.get());
      if (int r = mine ? visit_dict(h, mine->hooks.get(), visit, arg) : 0) return r;
    }
  }
  for (auto& [nr, h] : hooks.tensor_pre) {
    auto* mine = dynamic_cast<DictHook*>(h.get());
    if (int r = mine ? visit_dict(h, mine->hooks.get(), visit, arg) : 0) return r;
  }
  Py_VISIT(node_metadata_or_null(*node));
  return 0;
}

PyObject* node_name(PyObject* o, PyObject*) { return PyUnicode_FromString(node_in(o)->name()); }
PyObject* node_repr(PyObject* o) {
  return PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(o)->tp_name, node_in(o).get());
}

PyObject* next_functions(PyObject* o, void*) {
  return guarded([&] {
    const auto& edges = node_in(o)->next_edges();
    return wrap_edges(edges.data(), edges.size());
  });
}

PyObject* node_call(PyObject* o, PyObject* args, PyObject*) {
  return guarded([&] {
    variable_list inputs;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
      PyObject* x = PyTuple_GET_ITEM(args, i);
      TORCH_CHECK_TYPE(x == Py_None || THPVariable_Check(x),
                       "a node is called with gradients, got ", Py_TYPE(x)->tp_name);
      inputs.push_back(x == Py_None ? Tensor() : THPVariable_Unpack(x));
    }
    inputs.resize(std::max<size_t>(inputs.size(), std::max<uint32_t>(node_in(o)->num_inputs(), 1)));
    variable_list out = node_in(o)->apply(std::move(inputs));
    return out.size() == 1 ? THPVariable_Wrap(out[0]) : wrap_list(out).release();
  });
}

PyObject* get_sequence_nr(PyObject* o, PyObject*) {
  return PyLong_FromUnsignedLongLong(node_in(o)->sequence_nr());
}
void track(PyObject* o) {
  if (!PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
}

PyObject* set_sequence_nr(PyObject* o, PyObject* number) {
  unsigned long long n = PyLong_AsUnsignedLongLong(number);
  if (n == static_cast<unsigned long long>(-1) && PyErr_Occurred()) return nullptr;
  node_in(o)->set_sequence_nr(n);
  Py_RETURN_NONE;
}
PyObject* get_metadata(PyObject* o, void*) {
  track(o);
  return guarded([&] { return node_metadata(*node_in(o)); });
}
PyObject* get_input_metadata(PyObject* o, void*) {
  return guarded([&] { return node_input_metadata(*node_in(o)); });
}
PyObject* get_requires_grad(PyObject*, void*) { Py_RETURN_TRUE; }

// node._saved_NAME, node._raw_saved_NAME; node.variable of an AccumulateGrad.
PyObject* node_getattro(PyObject* o, PyObject* name) {
  PyObject* r = PyObject_GenericGetAttr(o, name);
  if (r || !PyErr_ExceptionMatches(PyExc_AttributeError)) return r;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  python_error missing;
  r = guarded([&]() -> PyObject* {
    auto* leaf = dynamic_cast<autograd::AccumulateGrad*>(node_in(o).get());
    if (leaf && std::strcmp(text, "variable") == 0) return THPVariable_Wrap(leaf->variable);
    return find_saved(node_in(o), text);
  });
  if (!r && !PyErr_Occurred()) missing.restore();
  return r;
}

PyObject* node_dir(PyObject* o, PyObject*) {
  return guarded([&] {
    THPObjectPtr names = own(PyObject_Dir(reinterpret_cast<PyObject*>(Py_TYPE(o))));
    add_saved_names(*node_in(o), names);
    if (dynamic_cast<autograd::AccumulateGrad*>(node_in(o).get()))
      append(names, PyUnicode_FromString("variable"));
    return names;
  });
}

}  // namespace

PyObject* register_node_hook(const c10::intrusive_ptr<Node>& node, PyObject* fn, bool pre) {
  return guarded([&] {
    TORCH_CHECK_TYPE(PyCallable_Check(fn), "register_hook(): expected a callable, got ",
                     Py_TYPE(fn)->tp_name);
    auto& hooks = node->hooks();
    auto& list = pre ? hooks.pre : hooks.post;
    THPObjectPtr dict;
    for (auto& h : list) {
      if (auto* mine = dynamic_cast<PyNodeHook*>(h.get()))
        dict = THPObjectPtr::borrow(mine->hooks.get());
    }
    if (!dict) {
      THPObjectPtr collections = own(PyImport_ImportModule("collections"));
      dict = own(PyObject_CallMethod(collections.get(), "OrderedDict", nullptr));
      list.push_back(std::make_shared<PyNodeHook>(dict.get(), pre));
    }
    THPObjectPtr module = own(PyImport_ImportModule("torch.utils.hooks"));
    THPObjectPtr handle =
        own(PyObject_CallMethod(module.get(), "RemovableHandle", "O", dict.get()));
    THPObjectPtr id = own(PyObject_GetAttrString(handle.get(), "id"));
    if (PyObject_SetItem(dict.get(), id.get(), fn) < 0) throw python_error();
    return handle;
  });
}

PyObject* register_hook_dict(const c10::intrusive_ptr<Node>& node, PyObject* t) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(THPVariable_Check(t), "_register_hook_dict(): expected a Tensor, got ",
                     Py_TYPE(t)->tp_name);
    PyObject* dict = reinterpret_cast<THPVariable*>(t)->backward_hooks.get();
    auto* meta = autograd::get_autograd_meta(THPVariable_Unpack(t));
    if (dict && meta)
      node->hooks().tensor_pre.emplace_back(meta->output_nr, std::make_shared<DictHook>(dict));
    Py_RETURN_NONE;
  });
}

PyObject* has_hook_dict(const c10::intrusive_ptr<Node>& node, PyObject* t) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(THPVariable_Check(t), "_has_hook_dict(): expected a Tensor, got ",
                     Py_TYPE(t)->tp_name);
    PyObject* dict = reinterpret_cast<THPVariable*>(t)->backward_hooks.get();
    for (auto& [nr, hook] : node->hooks().tensor_pre) {
      auto* mine = dynamic_cast<DictHook*>(hook.get());
      if (mine && mine->hooks.get() == dict) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
  });
}

namespace {

PyObject* register_hook(PyObject* o, PyObject* fn) {
  track(o);
  return register_node_hook(node_in(o), fn, false);
}
PyObject* register_prehook(PyObject* o, PyObject* fn) {
  track(o);
  return register_node_hook(node_in(o), fn, true);
}

PyObject* node_register_hook_dict(PyObject* o, PyObject* t) {
  return register_hook_dict(node_in(o), t);
}
PyObject* node_has_hook_dict(PyObject* o, PyObject* t) { return has_hook_dict(node_in(o), t); }

PyMethodDef node_methods[] = {{"_has_hook_dict", node_has_hook_dict, METH_O, nullptr},
                              {"_register_hook_dict", node_register_hook_dict, METH_O, nullptr},
                              {"name", node_name, METH_NOARGS, "The name of the node's type."},
                              {"register_hook", register_hook, METH_O,
                               "hook(grad_inputs, grad_outputs) is called after the node ran."},
                              {"register_prehook", register_prehook, METH_O,
                               "hook(grad_outputs) is called before the node runs."},
                              {"_sequence_nr", get_sequence_nr, METH_NOARGS, nullptr},
                              {"_set_sequence_nr", set_sequence_nr, METH_O, nullptr},
                              {"__dir__", node_dir, METH_NOARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};
PyGetSetDef node_properties[] = {
    {"next_functions", next_functions, nullptr, "(node, input number) for each edge.", nullptr},
    {"metadata", get_metadata, nullptr, "A dict of the program's own.", nullptr},
    {"requires_grad", get_requires_grad, nullptr, nullptr, nullptr},
    {"_input_metadata", get_input_metadata, nullptr,
     "Shape, dtype and device of each result that the node stands for.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject* node_base();

// One Python type for each name, so that type(t.grad_fn).__name__ tells the operator.
PyTypeObject* type_for(const Node& node) {
  static auto& types = *new std::unordered_map<std::string, PyTypeObject*>();
  const char* name = node.name();
  if (auto found = types.find(name); found != types.end()) return found->second;
  const char* last = std::strrchr(name, ':');
  auto* full = new std::string(std::string("torch.autograd.graph.") + (last ? last + 1 : name));
  THPObjectPtr type =
      heap_type(full->c_str(), sizeof(THPNode), Py_TPFLAGS_HAVE_GC,
                {type_slot(Py_tp_dealloc, node_dealloc), type_slot(Py_tp_traverse, node_traverse),
                 type_slot(Py_tp_repr, node_repr), type_slot(Py_tp_call, node_call),
                 type_slot(Py_tp_getattro, node_getattro)},
                node_base());
  auto* t = reinterpret_cast<PyTypeObject*>(check(type.get()));
  t->tp_name = full->c_str() + sizeof("torch.autograd.graph.") - 1;
  // So that it prints as its name.
  THPObjectPtr module = own(PyUnicode_FromString("builtins"));
  if (PyObject_SetAttrString(type.get(), "__module__", module.get()) < 0) throw python_error();
  (void)type.release();  // the table keeps it
  types[name] = t;
  return t;
}

}  // namespace

PyObject* wrap_node(const c10::intrusive_ptr<Node>& node) {
  if (PyObject* ctx = python_function_object(*node)) return ctx;
  if (node->pyobj) return Py_NewRef(node->pyobj);
  PyTypeObject* type = type_for(*node);
  // Only what has hooks can be in a cycle.
  auto* o = PyObject_GC_New(THPNode, type);
  if (!o) throw python_error();
  new (&o->node) c10::intrusive_ptr<Node>(node);
  node->pyobj = reinterpret_cast<PyObject*>(o);
  if (node->hooks_or_null()) track(node->pyobj);
  return node->pyobj;
}

PyObject* wrap_edges(const autograd::Edge* edges, size_t n) {
  return make_tuple(n, [&](size_t i) {
    THPObjectPtr function(edges[i].is_valid() ? wrap_node(edges[i].function) : Py_NewRef(Py_None));
    return Py_BuildValue("(OI)", function.get(), edges[i].input_nr);
  }).release();
}

c10::intrusive_ptr<Node> node_of(PyObject* o) {
  if (auto node = node_of_python_function(o)) return node;
  if (Py_TYPE(o)->tp_dealloc == node_dealloc) return node_in(o);
  return nullptr;
}

void add_dict_hook(const Tensor& t, PyObject* hooks) {
  autograd::register_tensor_hook(t, std::make_shared<DictHook>(hooks));
}

// A tensor that is in use elsewhere keeps its hooks alive whatever the object does.
int traverse_tensor_hooks(const Tensor& t, visitproc visit, void* arg) {
  if (!t.defined() || t.unsafeGetTensorImpl()->use_count() != 1) return 0;
  auto* meta = autograd::get_autograd_meta(t);
  if (!meta || !meta->hooks) return 0;
  for (auto& h : meta->hooks->pre) {
    auto* mine = dynamic_cast<DictHook*>(h.get());
    if (int r = mine ? visit_dict(h, mine->hooks.get(), visit, arg) : 0) return r;
  }
  for (auto& h : meta->hooks->post_accumulate) {
    auto* mine = dynamic_cast<PostAccumulateHook*>(h.get());
    if (int r = mine ? visit_dict(h, mine->hooks.get(), visit, arg) : 0) return r;
  }
  return 0;
}

PyObject* post_accumulate_hooks(const Tensor& t) {
  auto* meta = autograd::get_autograd_meta(t);
  PyObject* found = Py_None;
  if (meta && meta->hooks) {
    for (auto& h : meta->hooks->post_accumulate) {
      if (auto* mine = dynamic_cast<PostAccumulateHook*>(h.get())) found = mine->hooks.get();
    }
  }
  Py_INCREF(found);
  return found;
}

void set_post_accumulate_hooks(const Tensor& t, PyObject* dict) {
  auto& meta = autograd::materialize_autograd_meta(t);
  if (!meta.hooks) meta.hooks = std::make_unique<autograd::TensorHooks>();
  // Hooks of C++, such as those of DistributedDataParallel, stay, and run after those of Python.
  auto& list = meta.hooks->post_accumulate;
  auto is_python = [](auto& h) { return dynamic_cast<PostAccumulateHook*>(h.get()) != nullptr; };
  list.erase(std::remove_if(list.begin(), list.end(), is_python), list.end());
  if (dict) list.insert(list.begin(), std::make_shared<PostAccumulateHook>(dict));
}

// torch._C._NodeBase: what every node's class derives from.
static PyTypeObject NodeBaseType = [] {
  PyTypeObject t = type_object<THPNode>("torch._C._NodeBase", "A step of the backward graph.",
                                        Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC);
  t.tp_free = PyObject_GC_Del;
  return t;
}();

namespace {
PyTypeObject* node_base() { return &NodeBaseType; }
}  // namespace

bool init_cpp_function(PyObject* module) {
  NodeBaseType.tp_dealloc = node_dealloc;
  NodeBaseType.tp_traverse = node_traverse;
  NodeBaseType.tp_methods = node_methods;
  NodeBaseType.tp_getset = node_properties;
  return add_type(module, NodeBaseType);
}

}  // namespace torch
