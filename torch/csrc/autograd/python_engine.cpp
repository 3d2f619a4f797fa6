// backward() and grad() from Python, grad mode, and hooks on saved tensors.

#include <torch/csrc/autograd/python_engine.h>

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
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
using autograd::Edge;
using autograd::variable_list;

namespace {

// An edge from a tensor, or from a GradientEdge(node, output_nr, ...).
Edge edge_of(PyObject* o, const char* what) {
  if (THPVariable_Check(o)) return autograd::gradient_edge(THPVariable_Unpack(o));
  if (PyTuple_Check(o) && PyTuple_GET_SIZE(o) >= 2) {
    if (auto node = node_of(PyTuple_GET_ITEM(o, 0))) {
      return {node, static_cast<uint32_t>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(o, 1)))};
    }
  }
  TORCH_CHECK_TYPE(false, what, " has to hold Tensors or GradientEdges, got ", Py_TYPE(o)->tp_name);
}

// (tensors, gradients, keep_graph, create_graph, inputs, allow_unreachable, accumulate_grad)
PyObject* run_backward(PyObject*, PyObject* args) {
  PyObject *tensors, *grads, *inputs;
  int keep_graph, create_graph, allow_unreachable, accumulate;
  if (!PyArg_ParseTuple(args, "O!O!ppO!pp", &PyTuple_Type, &tensors, &PyTuple_Type, &grads,
                        &keep_graph, &create_graph, &PyTuple_Type, &inputs, &allow_unreachable,
                        &accumulate)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    std::vector<Edge> roots, input_edges;
    variable_list gradients;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors); ++i) {
      Edge e = edge_of(PyTuple_GET_ITEM(tensors, i), "tensors");
      TORCH_CHECK(e.is_valid(), "element ", i,
                  " of tensors does not require grad and does not have a grad_fn");
      PyObject* g = PyTuple_GET_ITEM(grads, i);
      TORCH_CHECK_TYPE(g == Py_None || THPVariable_Check(g), "element ", i,
                       " of gradients tuple is not a Tensor or None");
      TORCH_CHECK(g != Py_None || (e.input_nr < e.function->num_inputs()), "element ", i,
                  " of gradients tuple is None, but the corresponding Tensor requires grad");
      gradients.push_back(g == Py_None ? e.function->input_metadata(e.input_nr).zeros_like()
                                       : THPVariable_Unpack(g));
      roots.push_back(std::move(e));
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
      PyObject* o = PyTuple_GET_ITEM(inputs, i);
      Edge e = edge_of(o, "inputs");
      TORCH_CHECK(e.is_valid() || !THPVariable_Check(o) || THPVariable_Unpack(o).requires_grad(),
                  "One of the differentiated Tensors does not require grad");
      if (accumulate && THPVariable_Check(o) && !THPVariable_Unpack(o).is_leaf())
        autograd::retain_grad(THPVariable_Unpack(o));
      input_edges.push_back(std::move(e));
    }
    variable_list found;
    {
      gil_scoped_release released;
      found = autograd::Engine::execute(roots, std::move(gradients), keep_graph, create_graph,
                                        input_edges, accumulate);
      // If this was the last reference to the graph, it is freed here, without the GIL.
      roots.clear();
    }
    if (accumulate || input_edges.empty()) Py_RETURN_NONE;
    return make_tuple(found.size(), [&](size_t i) {
      TORCH_CHECK(found[i].defined() || allow_unreachable,
                  "One of the differentiated Tensors appears to not have been used in the graph. "
                  "Set allow_unused=True if this is the desired behavior.");
      return THPVariable_Wrap(found[i]);
    }).release();
  });
}

PyObject* queue_callback(PyObject*, PyObject* fn) {
  return guarded([&]() -> PyObject* {
    auto held = std::make_shared<SafePyObject>(SafePyObject::borrow(fn));
    autograd::Engine::queue_callback([held] {
      gil_scoped_acquire gil;
      THPObjectPtr ignored = own(PyObject_CallNoArgs(held->get()));
    });
    Py_RETURN_NONE;
  });
}

PyObject* set_grad_enabled(PyObject*, PyObject* on) {
  if (!PyBool_Check(on)) {
    PyErr_Format(PyExc_TypeError,
                 "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s",
                 Py_TYPE(on)->tp_name);
    return nullptr;
  }
  c10::GradMode::set_enabled(on == Py_True);
  Py_RETURN_NONE;
}
PyObject* is_grad_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::GradMode::is_enabled());
}
PyObject* is_inference_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::InferenceMode::is_enabled());
}

// --- forward mode --------------------------------------------------------------------------------

PyObject* enter_dual_level(PyObject*, PyObject*) {
  return guarded([] { return PyLong_FromLongLong(autograd::enter_dual_level()); });
}
PyObject* exit_dual_level(PyObject*, PyObject* level) {
  return guarded([&]() -> PyObject* {
    const long long number = PyLong_AsLongLong(level);
    if (number == -1 && PyErr_Occurred()) throw python_error();
    autograd::exit_dual_level(number);
    Py_RETURN_NONE;
  });
}
PyObject* is_fwd_grad_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(autograd::is_forward_grad_enabled());
}
PyObject* set_fwd_grad_enabled(PyObject*, PyObject* on) {
  if (!PyBool_Check(on)) {
    PyErr_Format(PyExc_TypeError, "_set_fwd_grad_enabled(): the mode must be bool, not %s",
                 Py_TYPE(on)->tp_name);
    return nullptr;
  }
  autograd::set_forward_grad_enabled(on == Py_True);
  Py_RETURN_NONE;
}

// --- inference mode: torch._C._InferenceMode(enabled), a context manager ------------------------

struct THPInferenceMode {
  PyObject_HEAD char enabled, before_inference, before_grad;
};
PyObject* inference_new(PyTypeObject* type, PyObject* args, PyObject*) {
  int on = 1;
  if (!PyArg_ParseTuple(args, "|p", &on)) return nullptr;
  auto* self = reinterpret_cast<THPInferenceMode*>(type->tp_alloc(type, 0));
  if (self) self->enabled = static_cast<char>(on);
  return reinterpret_cast<PyObject*>(self);
}
PyObject* inference_enter(PyObject* o, PyObject*) {
  auto* self = reinterpret_cast<THPInferenceMode*>(o);
  self->before_inference = c10::InferenceMode::is_enabled();
  self->before_grad = c10::GradMode::is_enabled();
  if (self->enabled != self->before_inference) {
    c10::InferenceMode::set_enabled(self->enabled);
    c10::GradMode::set_enabled(!self->enabled);
  }
  Py_INCREF(o);
  return o;
}
PyObject* inference_exit(PyObject* o, PyObject*) {
  auto* self = reinterpret_cast<THPInferenceMode*>(o);
  c10::InferenceMode::set_enabled(self->before_inference);
  c10::GradMode::set_enabled(self->before_grad);
  Py_RETURN_NONE;
}
PyMethodDef inference_methods[] = {{"__enter__", inference_enter, METH_NOARGS, nullptr},
                                   {"__exit__", inference_exit, METH_VARARGS, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};
PyTypeObject InferenceType = [] {
  PyTypeObject t = type_object<THPInferenceMode>("torch._C._InferenceMode");
  t.tp_new = inference_new;
  t.tp_methods = inference_methods;
  return t;
}();

// --- hooks on saved tensors ---------------------------------------------------------------------

thread_local std::vector<std::pair<SafePyObject, SafePyObject>> t_hooks;  // pack, unpack

struct PyUnpack final : autograd::SavedVariableHooks {
  PyUnpack(THPObjectPtr packed, THPObjectPtr unpack)
      : packed(std::move(packed)), unpack_function(std::move(unpack)) {}
  Tensor unpack() override {
    gil_scoped_acquire gil;
    THPObjectPtr r = own(PyObject_CallOneArg(unpack_function.get(), packed.get()));
    TORCH_CHECK_TYPE(THPVariable_Check(r.get()),
                     "Output of saved tensor unpack_hook expected to be a Tensor but got ",
                     Py_TYPE(r.get())->tp_name);
    return THPVariable_Unpack(r.get());
  }
  SafePyObject packed, unpack_function;
};

std::unique_ptr<autograd::SavedVariableHooks> pack(const Tensor& t) {
  if (t_hooks.empty()) return nullptr;
  const auto& [pack_function, unpack_function] = t_hooks.back();
  return pack_with(t, pack_function.get(), unpack_function.get());
}

thread_local std::string t_disabled_message;
thread_local bool t_disabled = false;

PyObject* disable_hooks(PyObject*, PyObject* message) {
  const char* text = PyUnicode_AsUTF8(message);
  if (!text) return nullptr;
  if (!t_hooks.empty()) {
    PyErr_SetString(PyExc_RuntimeError, text);
    return nullptr;
  }
  t_disabled_message = text;
  t_disabled = true;
  Py_RETURN_NONE;
}
PyObject* enable_hooks(PyObject*, PyObject*) {
  t_disabled = false;
  Py_RETURN_NONE;
}
PyObject* disabled_message(PyObject*, PyObject*) {
  if (!t_disabled) Py_RETURN_NONE;
  return PyUnicode_FromString(t_disabled_message.c_str());
}

PyObject* push_hooks(PyObject*, PyObject* args) {
  PyObject *p, *u;
  if (!PyArg_ParseTuple(args, "OO", &p, &u)) return nullptr;
  if (t_disabled) {
    PyErr_SetString(PyExc_RuntimeError, t_disabled_message.c_str());
    return nullptr;
  }
  t_hooks.emplace_back(SafePyObject::borrow(p), SafePyObject::borrow(u));
  autograd::t_pack_hook = pack;
  Py_RETURN_NONE;
}
PyObject* pop_hooks(PyObject*, PyObject*) {
  if (t_hooks.empty()) {
    PyErr_SetString(PyExc_RuntimeError, "no hooks on saved tensors are active");
    return nullptr;
  }
  auto removed = std::move(t_hooks.back());
  t_hooks.pop_back();
  if (t_hooks.empty()) autograd::t_pack_hook = nullptr;
  Py_RETURN_NONE;
}

// --- anomaly mode -------------------------------------------------------------------------------

std::string python_traceback() {
  if (!Py_IsInitialized()) return {};
  gil_scoped_acquire gil;
  THPObjectPtr module(PyImport_ImportModule("traceback"));
  THPObjectPtr lines(module ? PyObject_CallMethod(module.get(), "format_stack", nullptr) : nullptr);
  THPObjectPtr empty(PyUnicode_FromString(""));
  THPObjectPtr whole(lines && empty ? PyUnicode_Join(empty.get(), lines.get()) : nullptr);
  const char* text = whole ? PyUnicode_AsUTF8(whole.get()) : nullptr;
  PyErr_Clear();
  return text ? text : "";
}
PyObject* set_anomaly(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"mode", "check_nan", nullptr};
  int mode, check_nan = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "p|p:set_anomaly_enabled",
                                   const_cast<char**>(names), &mode, &check_nan))
    return nullptr;
  autograd::AnomalyMode::traceback = python_traceback;
  autograd::AnomalyMode::enabled = mode;
  autograd::AnomalyMode::check_nan = check_nan;
  Py_RETURN_NONE;
}
PyObject* is_anomaly(PyObject*, PyObject*) {
  return PyBool_FromLong(autograd::AnomalyMode::enabled);
}
PyObject* is_check_nan(PyObject*, PyObject*) {
  return PyBool_FromLong(autograd::AnomalyMode::check_nan);
}

// DelayedError(message, outputs)(*tensors): gives the tensors on, and throws when a gradient flows
// back.
struct RefusingNode final : autograd::Node {
  std::string message;
  variable_list apply(variable_list&&) override { TORCH_CHECK(false, message); }
  const char* name() const override { return "torch::autograd::Error"; }
};
struct THPDelayedError {
  PyObject_HEAD std::string* message;
};
PyObject* delayed_new(PyTypeObject* type, PyObject* args, PyObject*) {
  const char* text;
  int n;
  if (!PyArg_ParseTuple(args, "yi", &text, &n)) return nullptr;
  auto* o = reinterpret_cast<THPDelayedError*>(type->tp_alloc(type, 0));
  if (o) o->message = new std::string(text);
  return reinterpret_cast<PyObject*>(o);
}
void delayed_dealloc(PyObject* o) {
  delete reinterpret_cast<THPDelayedError*>(o)->message;
  Py_TYPE(o)->tp_free(o);
}
PyObject* delayed_call(PyObject* o, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    auto node = c10::make_intrusive<RefusingNode>();
    node->message = *reinterpret_cast<THPDelayedError*>(o)->message;
    auto n = static_cast<size_t>(PyTuple_GET_SIZE(args));
    THPObjectPtr results = make_tuple(n, [&](size_t i) {
      PyObject* x = PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i));
      if (!THPVariable_Check(x)) return Py_NewRef(x);
      node->add_next_edge(autograd::gradient_edge(THPVariable_Unpack(x)));
      Tensor t = autograd::detach_shallow(THPVariable_Unpack(x));
      autograd::set_history(t, c10::intrusive_ptr<autograd::Node>(node));
      return THPVariable_Wrap(t);
    });
    return n == 1 ? Py_NewRef(PyTuple_GET_ITEM(results.get(), 0)) : results.release();
  });
}
PyTypeObject DelayedErrorType = [] {
  PyTypeObject t = type_object<THPDelayedError>("torch._C._functions.DelayedError");
  t.tp_new = delayed_new;
  t.tp_dealloc = delayed_dealloc;
  t.tp_call = delayed_call;
  return t;
}();

PyObject* increment_version(PyObject*, PyObject* tensors) {
  THPObjectPtr seq(PySequence_Fast(tensors, "_increment_version(): expected a list of tensors"));
  if (!seq) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(seq.get()); ++i) {
    PyObject* o = PySequence_Fast_GET_ITEM(seq.get(), i);
    if (THPVariable_Check(o)) THPVariable_Unpack(o).unsafeGetTensorImpl()->bump_version();
  }
  Py_RETURN_NONE;
}

PyObject* current_graph_task(PyObject*, PyObject*) {
  return PyLong_FromLongLong(autograd::Engine::current_task());
}
PyObject* will_execute(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    auto node = node_of(o);
    TORCH_CHECK_TYPE(node, "_will_engine_execute_node(): expected a node of the graph, got ",
                     Py_TYPE(o)->tp_name);
    return PyBool_FromLong(autograd::Engine::will_execute(node.get()));
  });
}
PyObject* is_checkpoint_valid(PyObject*, PyObject*) {
  return PyBool_FromLong(!autograd::Engine::is_partial());
}

PyObject* set_layout_enforced(PyObject*, PyObject* o) {
  const int on = PyObject_IsTrue(o);
  if (on < 0) return nullptr;
  autograd::set_grad_layout_enforced(on != 0);
  Py_RETURN_NONE;
}
PyObject* is_layout_enforced(PyObject*, PyObject*) {
  return PyBool_FromLong(autograd::is_grad_layout_enforced());
}

PyMethodDef functions[] = {
    {"_set_grad_layout_enforced", set_layout_enforced, METH_O, nullptr},
    {"_is_grad_layout_enforced", is_layout_enforced, METH_NOARGS, nullptr},
    {"_current_graph_task_id", current_graph_task, METH_NOARGS,
     "The number of the backward pass under way on this thread, or -1."},
    {"_is_checkpoint_valid", is_checkpoint_valid, METH_NOARGS,
     "Whether the backward pass under way is a whole one: not grad(), and without `inputs`."},
    {"_will_engine_execute_node", will_execute, METH_O,
     "Whether the backward pass under way on this thread runs a node of the graph."},
    {"_engine_run_backward", run_backward, METH_VARARGS, nullptr},
    {"_engine_queue_callback", queue_callback, METH_O,
     "Calls a function once the backward under way is done."},
    {"_set_grad_enabled", set_grad_enabled, METH_O, nullptr},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, docs::is_grad_enabled},
    {"_enter_dual_level", enter_dual_level, METH_NOARGS, nullptr},
    {"_exit_dual_level", exit_dual_level, METH_O, nullptr},
    {"_is_fwd_grad_enabled", is_fwd_grad_enabled, METH_NOARGS, nullptr},
    {"_set_fwd_grad_enabled", set_fwd_grad_enabled, METH_O, nullptr},
    {"is_inference_mode_enabled", is_inference_enabled, METH_NOARGS,
     docs::is_inference_mode_enabled},
    {"_increment_version", increment_version, METH_O, nullptr},
    {"set_anomaly_enabled", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(set_anomaly)),
     METH_VARARGS | METH_KEYWORDS, docs::set_anomaly_enabled},
    {"is_anomaly_enabled", is_anomaly, METH_NOARGS, docs::is_anomaly_enabled},
    {"is_anomaly_check_nan_enabled", is_check_nan, METH_NOARGS, docs::is_anomaly_check_nan_enabled},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef hook_functions[] = {
    {"_push_saved_tensors_default_hooks", push_hooks, METH_VARARGS, nullptr},
    {"_pop_saved_tensors_default_hooks", pop_hooks, METH_NOARGS, nullptr},
    {"_saved_tensors_hooks_disable", disable_hooks, METH_O, nullptr},
    {"_saved_tensors_hooks_enable", enable_hooks, METH_NOARGS, nullptr},
    {"_saved_tensors_hooks_get_disabled_error_message", disabled_message, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::unique_ptr<autograd::SavedVariableHooks> pack_with(const Tensor& t, PyObject* pack_hook,
                                                        PyObject* unpack_hook) {
  gil_scoped_acquire gil;
  // The hook may take itself off the stack of hooks.
  auto pack = THPObjectPtr::borrow(pack_hook), unpack = THPObjectPtr::borrow(unpack_hook);
  THPObjectPtr argument = own(THPVariable_Wrap(t));
  THPObjectPtr packed = own(PyObject_CallOneArg(pack.get(), argument.get()));
  return std::make_unique<PyUnpack>(std::move(packed), std::move(unpack));
}

std::pair<PyObject*, PyObject*> packed_by_hooks(const autograd::SavedVariableHooks* hooks) {
  auto* python = dynamic_cast<const PyUnpack*>(hooks);
  if (!python) return {nullptr, nullptr};
  return {python->packed.get(), python->unpack_function.get()};
}

bool init_engine(PyObject* module) {
  THPObjectPtr autograd_module = own(PyModule_New("torch._C._autograd"));
  THPObjectPtr functions_module = own(PyModule_New("torch._C._functions"));
  return add_type(functions_module.get(), DelayedErrorType) &&
         PyModule_AddObjectRef(module, "_functions", functions_module.get()) == 0 &&
         PyModule_AddFunctions(autograd_module.get(), hook_functions) == 0 &&
         init_node_attributes(autograd_module.get()) &&
         PyModule_AddObjectRef(module, "_autograd", autograd_module.get()) == 0 &&
         add_type(module, InferenceType) && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
