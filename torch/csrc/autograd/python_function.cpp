#include <torch/csrc/autograd/python_function.h>

#include <structmember.h>
#include <cstring>

#include <ATen/core/profiler/Collector.h>
#include <ATen/ops/view_as.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_node_attributes.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

namespace torch {

using at::Tensor;
using autograd::Node;
using autograd::SavedVariable;
using autograd::variable_list;
using c10::intrusive_ptr;

namespace {

struct PyNode;

// The ctx: an instance of a class derived from torch._C._FunctionBase.
struct THPFunction {
  PyObject_HEAD PyObject* dict;
  PyObject* needs_input_grad;
  PyObject* to_save;
  PyObject* non_differentiable;
  PyObject* dirty_tensors;
  PyObject* saved_for_forward;
  char materialize_grads;
  c10::weak_intrusive_ptr<Node> node;  // the node owns the ctx
};

struct PyNode final : Node {
  explicit PyNode(PyObject* ctx) : Node(0), ctx(ctx) { Py_INCREF(ctx); }
  ~PyNode() override { drop_ctx(); }
  variable_list apply(variable_list&& grads) override;
  const char* name() const override { return Py_TYPE(ctx)->tp_name; }
  void release_variables() override {
    for (SavedVariable& v : saved) v.reset_data();
    released = true;
  }
  THPFunction* function() const { return reinterpret_cast<THPFunction*>(ctx); }

  PyObject* ctx;
  std::vector<SavedVariable> saved;
  std::vector<bool> is_tensor;  // for each argument of forward
  bool released = false;

 private:
  // The ctx watches its node: without this the two would keep each other.
  void release_resources() override {
    Node::release_resources();
    saved.clear();
    drop_ctx();
  }
  void drop_ctx() {
    if (!ctx || !Py_IsInitialized()) return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_CLEAR(ctx);
    PyGILState_Release(gil);
  }
};

PyTypeObject THPFunctionType;

PyNode* node_in(PyObject* o, intrusive_ptr<Node>& keep) {
  keep = reinterpret_cast<THPFunction*>(o)->node.lock();
  return static_cast<PyNode*>(keep.get());
}

variable_list PyNode::apply(variable_list&& grads) {
  PyGILState_STATE gil = PyGILState_Ensure();
  struct Release {
    PyGILState_STATE gil;
    ~Release() { PyGILState_Release(gil); }
  } release{gil};
  PyObject* args = check(PyTuple_New(static_cast<Py_ssize_t>(grads.size())));
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].defined() && function()->materialize_grads && i < num_inputs() &&
        input_metadata(i).defined()) {
      grads[i] = input_metadata(i).zeros_like();
    }
    PyTuple_SET_ITEM(args, static_cast<Py_ssize_t>(i), THPVariable_Wrap(grads[i]));
  }
  PyObject* method = check(PyObject_GetAttrString(ctx, "apply"));
  PyObject* answer = PyObject_Call(method, args, nullptr);
  Py_DECREF(method);
  Py_DECREF(args);
  if (!answer) throw python_error();
  struct Drop {
    PyObject* o;
    ~Drop() { Py_DECREF(o); }
  };
  if (!PyTuple_Check(answer)) {
    PyObject* one = PyTuple_Pack(1, answer);
    Py_DECREF(answer);
    answer = check(one);
  }
  Drop drop{answer};
  Py_ssize_t given = PyTuple_GET_SIZE(answer), wanted = static_cast<Py_ssize_t>(is_tensor.size());
  // More than enough is fine as long as the rest is None.
  bool only_none = true;
  for (Py_ssize_t i = wanted; i < given; ++i)
    only_none = only_none && PyTuple_GET_ITEM(answer, i) == Py_None;
  TORCH_CHECK(given >= wanted && only_none, "function ", name(),
              " returned an incorrect number of gradients (expected ", wanted, ", got ", given,
              ")");
  variable_list result;
  for (Py_ssize_t i = 0; i < wanted; ++i) {
    PyObject* g = PyTuple_GET_ITEM(answer, i);
    if (!is_tensor[static_cast<size_t>(i)]) {
      TORCH_CHECK(g == Py_None, "function ", name(),
                  " returned a gradient different from None at position ", i + 1,
                  ", but the corresponding forward input was not a Variable");
      continue;
    }
    TORCH_CHECK_TYPE(g == Py_None || THPVariable_Check(g), "function ", name(), " returned a ",
                     Py_TYPE(g)->tp_name, " at position ", i + 1, ", expected a Tensor or None");
    result.push_back(g == Py_None ? Tensor() : THPVariable_Unpack(g));
  }
  return result;
}

// --- apply: the forward call --------------------------------------------------------------------

struct Owned {
  PyObject* o;
  explicit Owned(PyObject* p = nullptr) : o(p) {}
  ~Owned() { Py_XDECREF(o); }
  Owned(const Owned&) = delete;
};

bool contains(PyObject* sequence, PyObject* o) {
  if (!sequence || sequence == Py_None) return false;
  if (THPVariable_Check(sequence)) return sequence == o;
  if (!PyTuple_Check(sequence)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence); ++i) {
    if (PyTuple_GET_ITEM(sequence, i) == o) return true;
  }
  return false;
}

// Ties one output of forward to the node; a new reference to what the caller gets.
PyObject* finish_output(THPFunction* ctx, const intrusive_ptr<Node>& node, PyObject* args,
                        PyObject* output, bool executable, bool several) {
  Tensor t = THPVariable_Unpack(output);
  bool is_input = contains(args, output), is_dirty = contains(ctx->dirty_tensors, output);
  bool differentiable = executable && !contains(ctx->non_differentiable, output) &&
                        (t.is_floating_point() || t.is_complex());
  if (is_dirty) {
    auto* meta = autograd::get_autograd_meta(t);
    TORCH_CHECK(!executable || !meta || !meta->requires_grad || meta->grad_fn,
                "a leaf Variable that requires grad is being used in an in-place operation.");
    t.unsafeGetTensorImpl()->bump_version();
    if (differentiable) autograd::rebase_history(t, node);
    else if (executable) node->add_input_metadata(t);
    Py_INCREF(output);
    return output;
  }
  if (is_input) {
    // Passed through: another tensor of the same memory, so that the input keeps its own history.
    c10::AutoGradMode no_grad(false);
    t = differentiable || !executable ? at::view_as(t, t) : autograd::detach_shallow(t);
    if (differentiable) autograd::set_history(t, node);
    else if (executable) node->add_input_metadata(t);
    if (t.is_view())
      t.unsafeGetTensorImpl()->set_creation_meta(c10::CreationMeta::InCustomFunction);
    return THPVariable_Wrap(t);
  }
  if (differentiable) {
    auto* meta = autograd::get_autograd_meta(t);
    if (meta && (meta->grad_fn || meta->requires_grad)) t = autograd::detach_shallow(t);
    autograd::set_history(t, node);
    if (t.is_view()) {
      t.unsafeGetTensorImpl()->set_creation_meta(several ? c10::CreationMeta::MultiOutputNode
                                                         : c10::CreationMeta::InCustomFunction);
    }
    if (!t.is_same(THPVariable_Unpack(output))) return THPVariable_Wrap(t);
  } else if (executable) {
    node->add_input_metadata(t);  // backward gets zeros for it
    if (t.is_view())
      t.unsafeGetTensorImpl()->drop_view_base();  // else it would require grad as its base does
  }
  Py_INCREF(output);
  return output;
}

void save_tensors(THPFunction* ctx, PyNode& node) {
  PyObject* list = ctx->to_save;
  if (!list || list == Py_None) return;
  TORCH_CHECK_TYPE(PyTuple_Check(list), "saved tensors have to be a tuple, not ",
                   Py_TYPE(list)->tp_name);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list); ++i) {
    PyObject* o = PyTuple_GET_ITEM(list, i);
    if (o == Py_None) {
      node.saved.emplace_back();
      continue;
    }
    TORCH_CHECK_TYPE(THPVariable_Check(o),
                     "save_for_backward can only save variables, but argument ", i, " is of type ",
                     Py_TYPE(o)->tp_name);
    const Tensor& t = THPVariable_Unpack(o);
    auto* meta = autograd::get_autograd_meta(t);
    bool own = meta && meta->grad_fn.get() == &node;
    node.saved.emplace_back(t, own);
  }
  Py_CLEAR(ctx->to_save);
}

// The profile has the forward under the class's name.
void open_range(at::profiler::RangeGuard& range, PyObject* cls, PyObject* args) {
  const char* name = reinterpret_cast<PyTypeObject*>(cls)->tp_name;
  std::vector<at::ObservedArgument> arguments;
  bool wants = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* a = PyTuple_GET_ITEM(args, i);
    if (THPVariable_Check(a)) {
      const Tensor& t = THPVariable_Unpack(a);
      wants |= t.requires_grad();
      arguments.push_back({&t, at::ObservedArgument::Tensor});
    } else {
      arguments.push_back({nullptr, at::ObservedArgument::Other});
    }
  }
  at::profiler::RangeDetails details;
  if (wants && c10::GradMode::is_enabled())
    details.sequence_nr = static_cast<int64_t>(at::profiler::next_sequence_nr());
  details.arguments = arguments.data();
  details.count = static_cast<int>(arguments.size());
  const char* dot = std::strrchr(name, '.');
  range.open(dot ? dot + 1 : name, at::profiler::RangeKind::function, details);
}

PyObject* function_apply(PyObject* cls, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    at::profiler::RangeGuard range;
    if (C10_UNLIKELY(at::profiler::enabled())) open_range(range, cls, args);
    Owned backward_cls(check(PyObject_GetAttrString(cls, "_backward_cls")));
    Owned ctx_object(check(PyObject_CallNoArgs(backward_cls.o)));
    auto* ctx = reinterpret_cast<THPFunction*>(ctx_object.o);
    auto node = c10::make_intrusive<PyNode>(ctx_object.o);
    ctx->node = c10::weak_intrusive_ptr<Node>(intrusive_ptr<Node>(node));
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    bool executable = false;
    Owned needs(check(PyTuple_New(n)));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* a = PyTuple_GET_ITEM(args, i);
      bool tensor = THPVariable_Check(a), wants = false;
      if (tensor) {
        const Tensor& t = THPVariable_Unpack(a);
        wants = t.requires_grad();
        node->add_next_edge(wants ? autograd::gradient_edge(t) : autograd::Edge{});
        executable |= wants;
      }
      node->is_tensor.push_back(tensor);
      PyTuple_SET_ITEM(needs.o, i, PyBool_FromLong(wants));
    }
    executable = executable && c10::GradMode::is_enabled();
    ctx->needs_input_grad = needs.o;
    needs.o = nullptr;
    // A class with a setup_context of its own has a forward without ctx.
    Owned setup(check(PyObject_GetAttrString(cls, "setup_context")));
    static PyObject* base_setup = [] {
      PyObject* m = PyImport_ImportModule("torch.autograd.function");
      PyObject* f = m ? PyObject_GetAttrString(m, "Function") : nullptr;
      PyObject* s = f ? PyObject_GetAttrString(f, "setup_context") : nullptr;
      Py_XDECREF(f);
      Py_XDECREF(m);
      return s;
    }();
    bool two_steps = setup.o != base_setup;
    Owned forward(check(PyObject_GetAttrString(cls, "forward")));
    Owned output;
    {
      c10::AutoGradMode no_grad(false);
      if (two_steps) {
        output.o = check(PyObject_Call(forward.o, args, kwargs));
        Owned done(
            check(PyObject_CallFunctionObjArgs(setup.o, ctx_object.o, args, output.o, nullptr)));
      } else {
        Owned all(check(PyTuple_New(n + 1)));
        Py_INCREF(ctx_object.o);
        PyTuple_SET_ITEM(all.o, 0, ctx_object.o);
        for (Py_ssize_t i = 0; i < n; ++i) {
          PyObject* a = PyTuple_GET_ITEM(args, i);
          Py_INCREF(a);
          PyTuple_SET_ITEM(all.o, i + 1, a);
        }
        output.o = check(PyObject_Call(forward.o, all.o, kwargs));
      }
    }
    bool single = !PyTuple_Check(output.o);
    Owned outputs(single ? check(PyTuple_Pack(1, output.o)) : (Py_INCREF(output.o), output.o));
    Py_ssize_t count = PyTuple_GET_SIZE(outputs.o);
    Owned result(check(PyTuple_New(count)));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* o = PyTuple_GET_ITEM(outputs.o, i);
      if (!THPVariable_Check(o)) {
        TORCH_CHECK_TYPE(!single || o == Py_None || !executable, Py_TYPE(ctx_object.o)->tp_name,
                         ".forward: expected to return a Tensor or a tuple of them, got ",
                         Py_TYPE(o)->tp_name);
        if (executable) node->add_undefined_input();
        Py_INCREF(o);
        PyTuple_SET_ITEM(result.o, i, o);
      } else {
        PyTuple_SET_ITEM(result.o, i, finish_output(ctx, node, args, o, executable, count > 1));
      }
    }
    if (ctx->dict) {
      // A result that the ctx keeps holds the node, which holds the ctx: Note [Results on ctx].
      for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* o = PyTuple_GET_ITEM(result.o, i);
        if (THPVariable_Check(o) && !PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
      }
    }
    if (executable) {
      save_tensors(ctx, *node);
    } else {
      Py_CLEAR(ctx->to_save);
    }
    if (single) {
      PyObject* o = PyTuple_GET_ITEM(result.o, 0);
      Py_INCREF(o);
      return o;
    }
    PyObject* r = result.o;
    result.o = nullptr;
    return r;
  });
}

// --- the ctx object -----------------------------------------------------------------------------

PyObject* function_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* o = type->tp_alloc(type, 0);
  if (!o) return nullptr;
  auto* self = reinterpret_cast<THPFunction*>(o);
  new (&self->node) c10::weak_intrusive_ptr<Node>();
  self->materialize_grads = 1;
  return o;
}
int function_traverse(PyObject* o, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<THPFunction*>(o);
  Py_VISIT(self->dict);
  Py_VISIT(self->needs_input_grad);
  Py_VISIT(self->to_save);
  Py_VISIT(self->non_differentiable);
  Py_VISIT(self->dirty_tensors);
  Py_VISIT(self->saved_for_forward);
  return 0;
}
int function_clear(PyObject* o) {
  auto* self = reinterpret_cast<THPFunction*>(o);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->needs_input_grad);
  Py_CLEAR(self->to_save);
  Py_CLEAR(self->non_differentiable);
  Py_CLEAR(self->dirty_tensors);
  Py_CLEAR(self->saved_for_forward);
  return 0;
}
void function_dealloc(PyObject* o) {
  PyObject_GC_UnTrack(o);
  function_clear(o);
  reinterpret_cast<THPFunction*>(o)->node.~weak_intrusive_ptr();
  Py_TYPE(o)->tp_free(o);
}

PyObject* get_saved(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    intrusive_ptr<Node> keep;
    PyNode* node = node_in(o, keep);
    auto* self = reinterpret_cast<THPFunction*>(o);
    if (!node) {
      // In setup_context the tensors are not saved yet.
      if (self->to_save) return Py_INCREF(self->to_save), self->to_save;
      return PyTuple_New(0);
    }
    if (node->released && !node->saved.empty()) autograd::throw_backward_twice();
    if (node->saved.empty() && self->to_save) return Py_INCREF(self->to_save), self->to_save;
    PyObject* r = check(PyTuple_New(static_cast<Py_ssize_t>(node->saved.size())));
    for (size_t i = 0; i < node->saved.size(); ++i) {
      PyTuple_SET_ITEM(r, static_cast<Py_ssize_t>(i),
                       THPVariable_Wrap(node->saved[i].unpack(node)));
    }
    return r;
  });
}
PyObject* get_next_functions(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    intrusive_ptr<Node> keep;
    PyNode* node = node_in(o, keep);
    size_t n = node ? node->next_edges().size() : 0;
    PyObject* r = check(PyTuple_New(static_cast<Py_ssize_t>(n)));
    for (size_t i = 0; i < n; ++i) {
      const autograd::Edge& e = node->next_edge(i);
      PyObject* f = e.is_valid() ? wrap_node(e.function) : (Py_INCREF(Py_None), Py_None);
      PyTuple_SET_ITEM(r, static_cast<Py_ssize_t>(i), Py_BuildValue("(NI)", f, e.input_nr));
    }
    return r;
  });
}
// What a grad_fn has beside; the node of a ctx may be gone.
template <typename F>
PyObject* of_node(PyObject* o, F&& f) {
  return guarded([&]() -> PyObject* {
    intrusive_ptr<Node> keep;
    PyNode* node = node_in(o, keep);
    TORCH_CHECK(node, "the graph of this function is gone");
    return f(*node);
  });
}
PyObject* get_metadata(PyObject* o, void*) {
  return of_node(o, [](PyNode& n) { return node_metadata(n); });
}
PyObject* get_input_metadata(PyObject* o, void*) {
  return of_node(o, [](PyNode& n) { return node_input_metadata(n); });
}
PyObject* get_raw_saved(PyObject* o, void*) {
  return of_node(o, [](PyNode& n) {
    PyObject* r = check(PyTuple_New(static_cast<Py_ssize_t>(n.saved.size())));
    for (size_t i = 0; i < n.saved.size(); ++i) {
      PyTuple_SET_ITEM(r, static_cast<Py_ssize_t>(i),
                       wrap_saved(intrusive_ptr<Node>::reclaim_copy(&n), n.saved[i]));
    }
    return r;
  });
}
PyObject* get_requires_grad(PyObject*, void*) { Py_RETURN_TRUE; }
PyObject* get_sequence_nr(PyObject* o, PyObject*) {
  return of_node(o, [](PyNode& n) { return PyLong_FromUnsignedLongLong(n.sequence_nr()); });
}
PyObject* set_sequence_nr(PyObject* o, PyObject* number) {
  unsigned long long to = PyLong_AsUnsignedLongLong(number);
  if (to == static_cast<unsigned long long>(-1) && PyErr_Occurred()) return nullptr;
  return of_node(o, [&](PyNode& n) -> PyObject* {
    n.set_sequence_nr(to);
    Py_RETURN_NONE;
  });
}

PyObject* function_name(PyObject* o, PyObject*) {
  return PyUnicode_FromString(Py_TYPE(o)->tp_name);
}

PyObject* register_on(PyObject* o, PyObject* fn, bool before) {
  intrusive_ptr<Node> keep;
  if (!node_in(o, keep)) {
    PyErr_SetString(PyExc_RuntimeError, "the graph of this function is gone");
    return nullptr;
  }
  return register_node_hook(keep, fn, before);
}
PyObject* function_register_hook(PyObject* o, PyObject* fn) { return register_on(o, fn, false); }
PyObject* function_register_prehook(PyObject* o, PyObject* fn) { return register_on(o, fn, true); }

PyMethodDef function_methods[] = {
    {"register_hook", function_register_hook, METH_O, nullptr},
    {"register_prehook", function_register_prehook, METH_O, nullptr},
    {"apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function_apply)),
     METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "Runs forward, recording a node if an argument requires a gradient."},
    {"name", function_name, METH_NOARGS, nullptr},
    {"_sequence_nr", get_sequence_nr, METH_NOARGS, nullptr},
    {"_set_sequence_nr", set_sequence_nr, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef function_properties[] = {
    {"saved_tensors", get_saved, nullptr, "What save_for_backward kept.", nullptr},
    {"saved_variables", get_saved, nullptr, nullptr, nullptr},
    {"next_functions", get_next_functions, nullptr, nullptr, nullptr},
    {"metadata", get_metadata, nullptr, "A dict of the program's own.", nullptr},
    {"requires_grad", get_requires_grad, nullptr, nullptr, nullptr},
    {"_input_metadata", get_input_metadata, nullptr,
     "Shape, dtype and device of each result that the node stands for.", nullptr},
    {"_raw_saved_tensors", get_raw_saved, nullptr, "What save_for_backward kept, as it is kept.",
     nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef function_members[] = {
    {"needs_input_grad", T_OBJECT, offsetof(THPFunction, needs_input_grad), 0, nullptr},
    {"to_save", T_OBJECT, offsetof(THPFunction, to_save), 0, nullptr},
    {"non_differentiable", T_OBJECT, offsetof(THPFunction, non_differentiable), 0, nullptr},
    {"dirty_tensors", T_OBJECT, offsetof(THPFunction, dirty_tensors), 0, nullptr},
    {"saved_for_forward", T_OBJECT, offsetof(THPFunction, saved_for_forward), 0, nullptr},
    {"materialize_grads", T_BOOL, offsetof(THPFunction, materialize_grads), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

int traverse_python_function(const Node& node, visitproc visit, void* arg) {
  auto* py = dynamic_cast<const PyNode*>(&node);
  if (!py) return 0;
  Py_VISIT(py->ctx);
  return 0;
}

PyObject* python_function_object(const Node& node) {
  auto* py = dynamic_cast<const PyNode*>(&node);
  if (!py) return nullptr;
  Py_INCREF(py->ctx);
  return py->ctx;
}

intrusive_ptr<Node> node_of_python_function(PyObject* o) {
  if (!PyObject_TypeCheck(o, &THPFunctionType)) return nullptr;
  return reinterpret_cast<THPFunction*>(o)->node.lock();
}

bool init_python_function(PyObject* module) {
  PyTypeObject& t = THPFunctionType;
  t = {PyVarObject_HEAD_INIT(nullptr, 0)};
  t.tp_name = "torch._C._FunctionBase";
  t.tp_basicsize = sizeof(THPFunction);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_new = function_new;
  t.tp_dealloc = function_dealloc;
  t.tp_traverse = function_traverse;
  t.tp_clear = function_clear;
  t.tp_methods = function_methods;
  t.tp_getset = function_properties;
  t.tp_members = function_members;
  t.tp_dictoffset = offsetof(THPFunction, dict);
  return PyType_Ready(&t) == 0 &&
         PyModule_AddObjectRef(module, "_FunctionBase", reinterpret_cast<PyObject*>(&t)) == 0;
}

}  // namespace torch
