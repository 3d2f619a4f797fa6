// torch._C._functorch: what torch.func needs of batched tensors and of graphs.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/python_types.h>

#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/VmapLevels.h>
#include <ATen/ops/movedim.h>

#include <string_view>
#include <unordered_set>
#include <vector>

namespace torch {
namespace {

using at::Tensor;
namespace functorch = at::functorch;

const Tensor& tensor_argument(PyObject* o, const char* function) {
  TORCH_CHECK_TYPE(THPVariable_Check(o), function, "(): expected a Tensor, got ",
                   Py_TYPE(o)->tp_name);
  return THPVariable_Unpack(o);
}

void check_count(Py_ssize_t given, Py_ssize_t expected, const char* function) {
  TORCH_CHECK_TYPE(given == expected, function, "(): expected ", expected, " arguments, got ",
                   given);
}

functorch::Randomness to_randomness(PyObject* o) {
  const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  const std::string_view name = text ? text : "";
  if (name == "error") return functorch::Randomness::Error;
  if (name == "different") return functorch::Randomness::Different;
  if (name == "same") return functorch::Randomness::Same;
  TORCH_CHECK(false, "vmap: randomness must be 'error', 'different' or 'same', got ",
              text ? name : Py_TYPE(o)->tp_name);
}

PyObject* enter(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_count(n, 2, "_enter_vmap");
    const int64_t size = to_int64(args[0]);
    return PyLong_FromLongLong(functorch::enter_vmap(size, to_randomness(args[1])));
  });
}
PyObject* leave(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    functorch::exit_vmap();
    Py_RETURN_NONE;
  });
}
// (bool): see VmapLevels.h.
PyObject* refuse_random(PyObject*, PyObject* refuses) {
  return guarded([&]() -> PyObject* {
    functorch::refuse_random(refuses == Py_True);
    Py_RETURN_NONE;
  });
}
// _has_batching_rule(name, overload): whether vmap knows the operator. Without a rule, a composite
// one is taken apart, and others are called once for each example.
PyObject* has_batching_rule(PyObject*, PyObject* args) {
  const char *name, *overload;
  if (!PyArg_ParseTuple(args, "ss", &name, &overload)) return nullptr;
  return guarded([&]() -> PyObject* {
    const at::OperatorEntry* op = at::find_operator(name, overload);
    TORCH_CHECK(op, "_has_batching_rule(): there is no operator ", name, ".", overload);
    return PyBool_FromLong(functorch::rules().find(*op) != nullptr);
  });
}
PyObject* levels(PyObject*, PyObject*) { return PyLong_FromLongLong(functorch::current_level()); }

PyObject* randomness_of(PyObject*, PyObject* level) {
  return guarded([&]() -> PyObject* {
    static const char* const kNames[] = {"error", "different", "same"};
    const auto randomness = functorch::vmap_level(to_int64(level)).randomness;
    return PyUnicode_FromString(kNames[static_cast<int>(randomness)]);
  });
}

// (tensor, dim, level)
PyObject* add_batch_dim(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_count(n, 3, "_add_batch_dim");
    const Tensor& t = tensor_argument(args[0], "_add_batch_dim");
    return THPVariable_Wrap(
        functorch::make_batched(at::movedim(t, to_int64(args[1]), 0), to_int64(args[2])));
  });
}
// (tensor, level, batch size, dim)
PyObject* remove_batch_dim(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_count(n, 4, "_remove_batch_dim");
    const Tensor& t = tensor_argument(args[0], "_remove_batch_dim");
    return THPVariable_Wrap(
        functorch::remove_batch_dim(t, to_int64(args[1]), to_int64(args[2]), to_int64(args[3])));
  });
}
PyObject* level_of(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    return PyLong_FromLongLong(functorch::level_of(tensor_argument(o, "_level_of")));
  });
}
// The value of the highest level, or the tensor itself.
PyObject* value_of(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_argument(o, "_value_of");
    const auto* impl = functorch::maybe_batched(t);
    return THPVariable_Wrap(impl ? impl->value() : t);
  });
}
// --- questions that packages ask
// ------------------------------------------------------------------

// Whether it is of a kind that is not there.
PyObject* never(PyObject*, PyObject* o) {
  return guarded([&] {
    tensor_argument(o, "torch._C._functorch");
    return PyBool_FromLong(0);
  });
}
PyObject* is_batched(PyObject*, PyObject* o) {
  return guarded([&] {
    return PyBool_FromLong(functorch::level_of(tensor_argument(o, "is_batchedtensor")) > 0);
  });
}
PyObject* maybe_level(PyObject*, PyObject* o) {
  return guarded([&] {
    const int64_t level = functorch::level_of(tensor_argument(o, "maybe_get_level"));
    return PyLong_FromLongLong(level ? level : -1);
  });
}
PyObject* maybe_batch_dim(PyObject*, PyObject* o) {
  return guarded([&] {
    return PyLong_FromLong(functorch::level_of(tensor_argument(o, "maybe_get_bdim")) ? 0 : -1);
  });
}
// Transforms are no interpreters here: there is none on a stack.
PyObject* no_interpreter(PyObject*, PyObject*) { Py_RETURN_NONE; }

// (tensor, levels): see VmapLevels.h.
template <Tensor (*kMove)(const Tensor&, int64_t)>
PyObject* move_levels(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_count(n, 2, "_move_levels");
    const int64_t count = to_int64(args[1]);
    TORCH_CHECK(count >= 0 && count <= functorch::current_level(), "vmap: there are no ", count,
                " levels");
    return THPVariable_Wrap(kMove(tensor_argument(args[0], "_move_levels"), count));
  });
}

// (output, inputs): whether the graph of the output reaches a leaf other than the inputs, which are
// leaves.
PyObject* reaches_other_leaves(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_count(n, 2, "_reaches_other_leaves");
    TORCH_CHECK_TYPE(PyTuple_Check(args[1]), "_reaches_other_leaves(): expected a tuple of inputs");
    std::unordered_set<autograd::Node*> seen;
    std::vector<autograd::Node*> next;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); ++i) {
      const Tensor& t = tensor_argument(PyTuple_GET_ITEM(args[1], i), "_reaches_other_leaves");
      if (auto node = autograd::try_get_grad_accumulator(t)) seen.insert(node.get());
    }
    const Tensor& output = tensor_argument(args[0], "_reaches_other_leaves");
    if (!autograd::requires_grad(output)) Py_RETURN_FALSE;
    const autograd::Edge root = autograd::gradient_edge(output);
    if (seen.insert(root.function.get()).second) next.push_back(root.function.get());
    while (!next.empty()) {
      autograd::Node* node = next.back();
      next.pop_back();
      bool leaf = true;
      for (const autograd::Edge& edge : node->next_edges()) {
        if (!edge.function) continue;
        leaf = false;
        if (seen.insert(edge.function.get()).second) next.push_back(edge.function.get());
      }
      if (leaf) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
  });
}

template <PyObject* (*kFunction)(PyObject*, PyObject* const*, Py_ssize_t)>
PyCFunction fast() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(kFunction));
}

PyMethodDef functions[] = {
    {"_has_batching_rule", has_batching_rule, METH_VARARGS, nullptr},
    {"_enter_vmap", fast<&enter>(), METH_FASTCALL, nullptr},
    {"_exit_vmap", leave, METH_NOARGS, nullptr},
    {"_refuse_random", refuse_random, METH_O, nullptr},
    {"_randomness", randomness_of, METH_O, nullptr},
    {"_current_level", levels, METH_NOARGS, nullptr},
    {"_add_batch_dim", fast<&add_batch_dim>(), METH_FASTCALL, nullptr},
    {"_remove_batch_dim", fast<&remove_batch_dim>(), METH_FASTCALL, nullptr},
    {"_level_of", level_of, METH_O, nullptr},
    {"_value_of", value_of, METH_O, nullptr},
    {"_levels_to_dims", fast<&move_levels<&functorch::levels_to_dims>>(), METH_FASTCALL, nullptr},
    {"_dims_to_levels", fast<&move_levels<&functorch::dims_to_levels>>(), METH_FASTCALL, nullptr},
    {"_batched_at_all_levels", fast<&move_levels<&functorch::batched_at_all_levels>>(),
     METH_FASTCALL, nullptr},
    {"_reaches_other_leaves", fast<&reaches_other_leaves>(), METH_FASTCALL, nullptr},
    {"is_batchedtensor", is_batched, METH_O, nullptr},
    {"is_functorch_wrapped_tensor", is_batched, METH_O, nullptr},
    {"is_gradtrackingtensor", never, METH_O, nullptr},
    {"is_legacy_batchedtensor", never, METH_O, nullptr},
    {"maybe_get_level", maybe_level, METH_O, nullptr},
    {"maybe_get_bdim", maybe_batch_dim, METH_O, nullptr},
    {"get_unwrapped", value_of, METH_O, nullptr},
    {"peek_interpreter_stack", no_interpreter, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_functorch(PyObject* module) {
  PyObject* part = PyImport_AddModule("torch._C._functorch");  // borrowed
  return part && PyModule_AddFunctions(part, functions) == 0 &&
         PyModule_AddObjectRef(module, "_functorch", part) == 0;
}

}  // namespace torch
