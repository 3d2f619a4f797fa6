// torch.autograd.Function: forward runs at once, backward by a node that holds the ctx.

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
#include <torch/csrc/python_containers.h>
#include <torch/csrc/safe_object.h>
#include <torch/csrc/type_object.h>

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
  PyObject_HEAD THPObjectPtr dict;
  THPObjectPtr needs_input_grad;
  THPObjectPtr to_save;
  THPObjectPtr non_differentiable;
  THPObjectPtr dirty_tensors;
  THPObjectPtr saved_for_forward;
  char materialize_grads;
  c10::weak_intrusive_ptr<Node> node;  // the node owns the ctx
};

struct PyNode final : Node {
  explicit PyNode(PyObject* ctx) : Node(0), ctx(SafePyObject::borrow(ctx)) {}
  variable_list apply(variable_list&& grads) override;
  const char* name() const override { return Py_TYPE(ctx.get())->tp_name; }
  void release_variables() override {
    for (SavedVariable& v : saved) v.reset_data();
    released = true;
  }
  THPFunction* function() const { return reinterpret_cast<THPFunction*>(ctx.get()); }

  SafePyObject ctx;
  std::vector<SavedVariable> saved;
  std::vector<bool> is_tensor;  // for each argument of forward
  bool released = false;

 private:
  // The ctx watches its node: without this the two would keep each other.
  void release_resources() override {
    Node::release_resources();
    saved.clear();
    ctx.reset();
  }
};

PyTypeObject THPFunctionType;

PyNode* node_in(PyObject* o, intrusive_ptr<Node>& keep) {
  keep = reinterpret_cast<THPFunction*>(o)->node.lock();
  return static_cast<PyNode*>(keep.get());
}

variable_list PyNode::apply(variable_list&& grads) {
  gil_scoped_acquire gil;
  THPObjectPtr answer;
  {
    THPObjectPtr args = make_tuple(grads.size(), [&](size_t i) {
      if (!grads[i].defined() && function()->materialize_grads && i < num_inputs() &&
          input_metadata(i).defined()) {
        grads[i] = input_metadata(i).zeros_like();
      }
      return THPVariable_Wrap(grads[i]);
    });
    THPObjectPtr method = own(PyObject_GetAttrString(ctx.get(), "apply"));
    answer = own(PyObject_Call(method.get(), args.get(), nullptr));
  }
  if (!PyTuple_Check(answer.get())) answer = own(PyTuple_Pack(1, answer.get()));
  auto gradient = [&](Py_ssize_t i) { return PyTuple_GET_ITEM(answer.get(), i); };
  const Py_ssize_t given = PyTuple_GET_SIZE(answer.get());
  const auto expected = static_cast<Py_ssize_t>(is_tensor.size());
  // More than enough is fine as long as the rest is None.
  bool only_none = true;
  for (Py_ssize_t i = expected; i < given; ++i) only_none = only_none && gradient(i) == Py_None;
  TORCH_CHECK(given >= expected && only_none, "function ", name(),
              " returned an incorrect number of gradients (expected ", expected, ", got ", given,
              ")");
  variable_list result;
  for (Py_ssize_t i = 0; i < expected; ++i) {
    PyObject* g = gradient(i);
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
  bool is_input = contains(args, output), is_dirty = contains(ctx->dirty_tensors.get(), output);
  bool differentiable = executable && !contains(ctx->non_differentiable.get(), output) &&
                        (t.is_floating_point() || t.is_complex());
  if (is_dirty) {
    auto* meta = autograd::get_autograd_meta(t);
    TORCH_CHECK(!executable || !meta || !meta->requires_grad || meta->grad_fn,
                "a leaf Variable that requires grad is being used in an in-place operation.");
    t.unsafeGetTensorImpl()->bump_version();
    if (differentiable) autograd::rebase_history(t, node);
    else if (executable) node->add_input_metadata(t);
    return Py_NewRef(output);
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
  return Py_NewRef(output);
}

void save_tensors(THPFunction* ctx, PyNode& node) {
  PyObject* list = ctx->to_save.get();
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
  ctx->to_save.reset();
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

// Adds an edge for each argument of forward. Whether one of them requires a gradient.
bool add_edges(PyNode& node, PyObject* args) {
  bool any = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* a = PyTuple_GET_ITEM(args, i);
    const bool is_tensor = THPVariable_Check(a);
    node.is_tensor.push_back(is_tensor);
    if (!is_tensor) continue;
    const Tensor& t = THPVariable_Unpack(a);
    node.add_next_edge(t.requires_grad() ? autograd::gradient_edge(t) : autograd::Edge{});
    any |= t.requires_grad();
  }
  return any;
}

THPObjectPtr needs_input_grad(PyObject* args) {
  return make_tuple(static_cast<size_t>(PyTuple_GET_SIZE(args)), [&](size_t i) {
    PyObject* a = PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i));
    return PyBool_FromLong(THPVariable_Check(a) && THPVariable_Unpack(a).requires_grad());
  });
}

// torch.autograd.Function.setup_context, which does nothing. Never freed.
PyObject* base_setup_context() {
  static PyObject* const setup = [] {
    THPObjectPtr module = own(PyImport_ImportModule("torch.autograd.function"));
    THPObjectPtr function = own(PyObject_GetAttrString(module.get(), "Function"));
    return check(PyObject_GetAttrString(function.get(), "setup_context"));
  }();
  return setup;
}

// forward(ctx, *args); a class with a setup_context of its own has a forward without ctx.
THPObjectPtr run_forward(PyObject* cls, PyObject* ctx, PyObject* args, PyObject* kwargs) {
  THPObjectPtr setup = own(PyObject_GetAttrString(cls, "setup_context"));
  THPObjectPtr forward = own(PyObject_GetAttrString(cls, "forward"));
  c10::AutoGradMode no_grad(false);
  if (setup.get() != base_setup_context()) {
    THPObjectPtr output = own(PyObject_Call(forward.get(), args, kwargs));
    THPObjectPtr ignored =
        own(PyObject_CallFunctionObjArgs(setup.get(), ctx, args, output.get(), nullptr));
    return output;
  }
  THPObjectPtr all = make_tuple(static_cast<size_t>(PyTuple_GET_SIZE(args)) + 1, [&](size_t i) {
    return Py_NewRef(i ? PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i) - 1) : ctx);
  });
  return own(PyObject_Call(forward.get(), all.get(), kwargs));
}

// What the caller gets for the tuple that forward gave; `is_single`: for its only item.
THPObjectPtr finish_outputs(THPFunction* ctx, const intrusive_ptr<PyNode>& node, PyObject* args,
                            PyObject* outputs, bool executable, bool is_single) {
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(outputs));
  return make_tuple(count, [&](size_t i) {
    PyObject* o = PyTuple_GET_ITEM(outputs, static_cast<Py_ssize_t>(i));
    if (THPVariable_Check(o)) return finish_output(ctx, node, args, o, executable, count > 1);
    TORCH_CHECK_TYPE(!is_single || o == Py_None || !executable, Py_TYPE(ctx)->tp_name,
                     ".forward: expected to return a Tensor or a tuple of them, got ",
                     Py_TYPE(o)->tp_name);
    if (executable) node->add_undefined_input();
    return Py_NewRef(o);
  });
}

// Note [Results on ctx]: a result that the ctx keeps holds the node, which holds the ctx.
void track_results(PyObject* results) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(results); ++i) {
    PyObject* o = PyTuple_GET_ITEM(results, i);
    if (THPVariable_Check(o) && !PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
  }
}

PyObject* function_apply(PyObject* cls, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    at::profiler::RangeGuard range;
    if (C10_UNLIKELY(at::profiler::enabled())) open_range(range, cls, args);
    THPObjectPtr backward_cls = own(PyObject_GetAttrString(cls, "_backward_cls"));
    THPObjectPtr ctx_object = own(PyObject_CallNoArgs(backward_cls.get()));
    auto* ctx = reinterpret_cast<THPFunction*>(ctx_object.get());
    auto node = c10::make_intrusive<PyNode>(ctx_object.get());
    ctx->node = c10::weak_intrusive_ptr<Node>(intrusive_ptr<Node>(node));
    const bool executable = add_edges(*node, args) && c10::GradMode::is_enabled();
    ctx->needs_input_grad = needs_input_grad(args);
    THPObjectPtr output = run_forward(cls, ctx_object.get(), args, kwargs);
    const bool is_single = !PyTuple_Check(output.get());
    if (is_single) output = own(PyTuple_Pack(1, output.get()));
    THPObjectPtr results = finish_outputs(ctx, node, args, output.get(), executable, is_single);
    if (ctx->dict) track_results(results.get());
    if (executable) {
      save_tensors(ctx, *node);
    } else {
      ctx->to_save.reset();
    }
    return is_single ? Py_NewRef(PyTuple_GET_ITEM(results.get(), 0)) : results.release();
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
  Py_VISIT(self->dict.get());
  Py_VISIT(self->needs_input_grad.get());
  Py_VISIT(self->to_save.get());
  Py_VISIT(self->non_differentiable.get());
  Py_VISIT(self->dirty_tensors.get());
  Py_VISIT(self->saved_for_forward.get());
  return 0;
}
int function_clear(PyObject* o) {
  auto* self = reinterpret_cast<THPFunction*>(o);
  self->dict.reset();
  self->needs_input_grad.reset();
  self->to_save.reset();
  self->non_differentiable.reset();
  self->dirty_tensors.reset();
  self->saved_for_forward.reset();
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
    // Without a backward, these are what jvp asks for.
    if (self->saved_for_forward && (!node || node->saved.empty()))
      return Py_NewRef(self->saved_for_forward.get());
    if (!node) {
      // In setup_context the tensors are not saved yet.
      return self->to_save ? Py_NewRef(self->to_save.get()) : PyTuple_New(0);
    }
    if (node->released && !node->saved.empty()) autograd::throw_backward_twice();
    if (node->saved.empty() && self->to_save) return Py_NewRef(self->to_save.get());
    return make_tuple(node->saved.size(), [&](size_t i) {
      return THPVariable_Wrap(node->saved[i].unpack(node));
    }).release();
  });
}
PyObject* get_next_functions(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    intrusive_ptr<Node> keep;
    PyNode* node = node_in(o, keep);
    if (!node) return PyTuple_New(0);
    return wrap_edges(node->next_edges().data(), node->next_edges().size());
  });
}
// Calls f with the node of a ctx, which may be gone.
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
    return make_tuple(n.saved.size(), [&](size_t i) {
      return wrap_saved(intrusive_ptr<Node>::reclaim_copy(&n), n.saved[i]);
    }).release();
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

template <typename F>
PyObject* with_node(PyObject* o, F&& f) {
  intrusive_ptr<Node> keep;
  if (!node_in(o, keep)) {
    PyErr_SetString(PyExc_RuntimeError, "the graph of this function is gone");
    return nullptr;
  }
  return f(keep);
}
PyObject* function_register_hook(PyObject* o, PyObject* fn) {
  return with_node(o, [&](auto& node) { return register_node_hook(node, fn, false); });
}
PyObject* function_register_prehook(PyObject* o, PyObject* fn) {
  return with_node(o, [&](auto& node) { return register_node_hook(node, fn, true); });
}
PyObject* function_register_hook_dict(PyObject* o, PyObject* t) {
  return with_node(o, [&](auto& node) { return register_hook_dict(node, t); });
}
PyObject* function_has_hook_dict(PyObject* o, PyObject* t) {
  return with_node(o, [&](auto& node) { return has_hook_dict(node, t); });
}

PyMethodDef function_methods[] = {
    {"_has_hook_dict", function_has_hook_dict, METH_O, nullptr},
    {"_register_hook_dict", function_register_hook_dict, METH_O, nullptr},
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
  Py_VISIT(py->ctx.get());
  return 0;
}

PyObject* python_function_object(const Node& node) {
  auto* py = dynamic_cast<const PyNode*>(&node);
  return py ? Py_NewRef(py->ctx.get()) : nullptr;
}

intrusive_ptr<Node> node_of_python_function(PyObject* o) {
  if (!PyObject_TypeCheck(o, &THPFunctionType)) return nullptr;
  return reinterpret_cast<THPFunction*>(o)->node.lock();
}

bool init_python_function(PyObject* module) {
  PyTypeObject& t = THPFunctionType;
  t = type_object<THPFunction>("torch._C._FunctionBase", nullptr,
                               Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC);
  t.tp_new = function_new;
  t.tp_dealloc = function_dealloc;
  t.tp_traverse = function_traverse;
  t.tp_clear = function_clear;
  t.tp_methods = function_methods;
  t.tp_getset = function_properties;
  t.tp_members = function_members;
  t.tp_dictoffset = offsetof(THPFunction, dict);
  return add_type(module, t);
}

}  // namespace torch
