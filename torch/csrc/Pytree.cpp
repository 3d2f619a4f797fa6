// torch._C._pytree: the inner loops of torch.utils._pytree, which takes trees of containers apart
// and puts them together again. Lists, tuples and dictionaries are handled here; for others, the
// registered functions are called.

#include <structmember.h>

#include <string_view>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/object_ptr.h>
#include <torch/csrc/type_object.h>

namespace torch {
namespace {

// What torch.utils._pytree hands over when it is imported.
PyObject* g_nodes = nullptr;      // SUPPORTED_NODES: type -> NodeDef
PyObject* g_node_kind = nullptr;  // the key of a named tuple
PyObject* g_leaf_spec = nullptr;
PyTypeObject* g_spec_type = nullptr;

// The places of TreeSpec's __slots__.
enum Slot { kType, kContext, kChildren, kNumNodes, kNumLeaves, kNumChildren, kSlotCount };
constexpr const char* kSlotNames[kSlotCount] = {"type",      "_context",   "_children",
                                                "num_nodes", "num_leaves", "num_children"};
Py_ssize_t g_offsets[kSlotCount];

PyObject*& slot_of(PyObject* spec, Slot slot) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(spec) + g_offsets[slot]);
}
PyObject* filled_slot(PyObject* spec, Slot slot) {
  PyObject* value = slot_of(spec, slot);
  TORCH_CHECK(value, "pytree: a TreeSpec has no ", kSlotNames[slot]);
  return value;
}

struct Recursion {
  Recursion() {
    if (Py_EnterRecursiveCall(" in a tree of containers")) throw python_error();
  }
  ~Recursion() { Py_LeaveRecursiveCall(); }
  Recursion(const Recursion&) = delete;
};

PyObject* type_of(PyObject* o) { return reinterpret_cast<PyObject*>(Py_TYPE(o)); }

// A container taken apart. `kind` is null for a leaf.
struct Parts {
  THPObjectPtr kind, children, context;  // the children are a list or a tuple
};

// Named tuples, and the results of operators, are registered when they are first seen.
PyObject* node_of(PyObject* tree, THPObjectPtr& kind) {
  kind = THPObjectPtr::borrow(type_of(tree));
  PyObject* node = PyDict_GetItemWithError(g_nodes, kind.get());
  if (!node && PyErr_Occurred()) throw python_error();
  if (node || !PyTuple_Check(tree)) return node;
  kind = own(PyObject_CallOneArg(g_node_kind, tree));
  node = PyDict_GetItemWithError(g_nodes, kind.get());
  if (!node && PyErr_Occurred()) throw python_error();
  return node;
}

bool says_leaf(PyObject* is_leaf, PyObject* tree) {
  if (!is_leaf) return false;
  THPObjectPtr answer = own(PyObject_CallOneArg(is_leaf, tree));
  const int value = PyObject_IsTrue(answer.get());
  if (value < 0) throw python_error();
  return value != 0;
}

Parts take_apart(PyObject* tree, PyObject* is_leaf) {
  Parts parts;
  THPObjectPtr kind;
  PyObject* node = node_of(tree, kind);
  if (!node || says_leaf(is_leaf, tree)) return parts;
  if (PyList_CheckExact(tree) || PyTuple_CheckExact(tree)) {
    // A copy of a list: what is called on the way may change it.
    parts.children =
        PyList_CheckExact(tree) ? own(PyList_AsTuple(tree)) : THPObjectPtr::borrow(tree);
    parts.context = THPObjectPtr::borrow(Py_None);
  } else if (PyDict_CheckExact(tree)) {
    parts.context = own(PyDict_Keys(tree));
    parts.children = own(PyDict_Values(tree));
  } else {
    THPObjectPtr flatten = own(PyObject_GetAttrString(node, "flatten_fn"));
    THPObjectPtr pair = own(PyObject_CallOneArg(flatten.get(), tree));
    THPObjectPtr both = own(PySequence_Fast(pair.get(), "flatten_fn must return a pair"));
    TORCH_CHECK_VALUE(PySequence_Fast_GET_SIZE(both.get()) == 2,
                      "flatten_fn must return a pair of children and context, got ",
                      PySequence_Fast_GET_SIZE(both.get()), " values");
    parts.children = own(PySequence_List(PySequence_Fast_ITEMS(both.get())[0]));
    parts.context = THPObjectPtr::borrow(PySequence_Fast_ITEMS(both.get())[1]);
  }
  parts.kind = std::move(kind);
  return parts;
}

void append(PyObject* list, PyObject* item) {
  if (PyList_Append(list, item) < 0) throw python_error();
}

void collect_leaves(PyObject* tree, PyObject* is_leaf, PyObject* leaves) {
  Parts parts = take_apart(tree, is_leaf);
  if (!parts.kind) return append(leaves, tree);
  Recursion recursion;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(parts.children.get()); ++i) {
    THPObjectPtr child = THPObjectPtr::borrow(PySequence_Fast_GET_ITEM(parts.children.get(), i));
    collect_leaves(child.get(), is_leaf, leaves);
  }
}

struct Counts {
  int64_t nodes = 1, leaves = 0;
};

THPObjectPtr flatten(PyObject* tree, PyObject* is_leaf, PyObject* leaves, Counts& counts) {
  Parts parts = take_apart(tree, is_leaf);
  if (!parts.kind) {
    append(leaves, tree);
    counts = {1, 1};
    return THPObjectPtr::borrow(g_leaf_spec);
  }
  Recursion recursion;
  THPObjectPtr specs = own(PyList_New(0));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(parts.children.get()); ++i) {
    THPObjectPtr child = THPObjectPtr::borrow(PySequence_Fast_GET_ITEM(parts.children.get(), i));
    Counts below;
    THPObjectPtr spec = flatten(child.get(), is_leaf, leaves, below);
    append(specs.get(), spec.get());
    counts.nodes += below.nodes;
    counts.leaves += below.leaves;
  }
  THPObjectPtr made = own(g_spec_type->tp_alloc(g_spec_type, 0));
  slot_of(made.get(), kNumChildren) = PyLong_FromSsize_t(PyList_GET_SIZE(specs.get()));
  slot_of(made.get(), kNumNodes) = PyLong_FromLongLong(counts.nodes);
  slot_of(made.get(), kNumLeaves) = PyLong_FromLongLong(counts.leaves);
  slot_of(made.get(), kType) = parts.kind.release();
  slot_of(made.get(), kContext) = parts.context.release();
  slot_of(made.get(), kChildren) = specs.release();
  return made;
}

// The leaves that are still to be put in.
struct Remaining {
  PyObject* leaves;  // a list or a tuple
  Py_ssize_t next = 0;
  THPObjectPtr take() {
    TORCH_CHECK_VALUE(next < PySequence_Fast_GET_SIZE(leaves),
                      "tree_unflatten: there are fewer leaves than the structure has");
    return THPObjectPtr::borrow(PySequence_Fast_GET_ITEM(leaves, next++));
  }
};

THPObjectPtr dict_of(PyObject* keys, PyObject* values) {
  TORCH_CHECK_VALUE(PyList_Check(keys) && PyList_GET_SIZE(keys) == PyList_GET_SIZE(values),
                    "tree_unflatten: the keys of a dictionary do not fit its values");
  THPObjectPtr dict = own(PyDict_New());
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); ++i) {
    if (PyDict_SetItem(dict.get(), PyList_GET_ITEM(keys, i), PyList_GET_ITEM(values, i)) < 0)
      throw python_error();
  }
  return dict;
}

THPObjectPtr build(PyObject* spec, Remaining& remaining) {
  TORCH_CHECK_TYPE(PyObject_TypeCheck(spec, g_spec_type), "expected a TreeSpec, got ",
                   Py_TYPE(spec)->tp_name);
  PyObject* kind = filled_slot(spec, kType);
  if (kind == Py_None) return remaining.take();
  Recursion recursion;
  PyObject* children = filled_slot(spec, kChildren);
  TORCH_CHECK_TYPE(PyList_Check(children), "the children of a TreeSpec must be a list");
  THPObjectPtr parts = own(PyList_New(0));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(children); ++i) {
    THPObjectPtr child = THPObjectPtr::borrow(PyList_GET_ITEM(children, i));
    append(parts.get(), build(child.get(), remaining).get());
  }
  PyObject* context = filled_slot(spec, kContext);
  if (kind == as_object(PyList_Type)) return parts;
  if (kind == as_object(PyTuple_Type)) return own(PyList_AsTuple(parts.get()));
  if (kind == as_object(PyDict_Type)) return dict_of(context, parts.get());
  THPObjectPtr node = own(PyObject_GetItem(g_nodes, kind));
  THPObjectPtr unflatten = own(PyObject_GetAttrString(node.get(), "unflatten_fn"));
  return own(PyObject_CallFunctionObjArgs(unflatten.get(), parts.get(), context, nullptr));
}

// --- functions -----------------------------------------------------------------------------------

void check_ready() { TORCH_CHECK(g_spec_type, "pytree: import torch.utils._pytree first"); }

// The argument is_leaf, or null.
PyObject* function_or_null(PyObject* o) { return o == Py_None ? nullptr : o; }

// _init(SUPPORTED_NODES, node_kind, TreeSpec, leaf spec)
PyObject* init(PyObject*, PyObject* args) {
  PyObject *nodes, *node_kind, *type, *leaf;
  if (!PyArg_ParseTuple(args, "O!OO!O", &PyDict_Type, &nodes, &node_kind, &PyType_Type, &type,
                        &leaf))
    return nullptr;
  return guarded([&]() -> PyObject* {
    auto* spec_type = reinterpret_cast<PyTypeObject*>(type);
    for (int slot = 0; slot < kSlotCount; ++slot) {
      g_offsets[slot] = -1;
      for (Py_ssize_t i = 0; i < Py_SIZE(spec_type); ++i) {
        if (std::string_view(spec_type->tp_members[i].name) == kSlotNames[slot])
          g_offsets[slot] = spec_type->tp_members[i].offset;
      }
      TORCH_CHECK(g_offsets[slot] >= 0, "pytree: TreeSpec has no slot ", kSlotNames[slot]);
    }
    g_nodes = Py_NewRef(nodes);
    g_node_kind = Py_NewRef(node_kind);
    g_leaf_spec = Py_NewRef(leaf);
    g_spec_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
    Py_RETURN_NONE;
  });
}

// (tree, is_leaf) -> (leaves, spec)
PyObject* tree_flatten(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_ready();
    TORCH_CHECK_TYPE(n == 2, "_pytree.flatten(tree, is_leaf)");
    THPObjectPtr leaves = own(PyList_New(0));
    Counts counts;
    THPObjectPtr spec = flatten(args[0], function_or_null(args[1]), leaves.get(), counts);
    return check(PyTuple_Pack(2, leaves.get(), spec.get()));
  });
}
// (tree, is_leaf) -> leaves
PyObject* tree_leaves(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_ready();
    TORCH_CHECK_TYPE(n == 2, "_pytree.leaves(tree, is_leaf)");
    THPObjectPtr leaves = own(PyList_New(0));
    collect_leaves(args[0], function_or_null(args[1]), leaves.get());
    return leaves.release();
  });
}
// (spec, leaves) -> tree; the leaves are a list or a tuple
PyObject* tree_build(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    check_ready();
    TORCH_CHECK_TYPE(n == 2 && (PyList_Check(args[1]) || PyTuple_Check(args[1])),
                     "_pytree.build(spec, leaves): leaves must be a list or a tuple");
    Remaining remaining{args[1]};
    return build(args[0], remaining).release();
  });
}

template <PyObject* (*kFunction)(PyObject*, PyObject* const*, Py_ssize_t)>
PyCFunction fast() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(kFunction));
}

PyMethodDef functions[] = {{"_init", init, METH_VARARGS, nullptr},
                           {"flatten", fast<&tree_flatten>(), METH_FASTCALL, nullptr},
                           {"leaves", fast<&tree_leaves>(), METH_FASTCALL, nullptr},
                           {"build", fast<&tree_build>(), METH_FASTCALL, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_pytree(PyObject* module) {
  THPObjectPtr part(PyModule_New("torch._C._pytree"));
  return part && PyModule_AddFunctions(part.get(), functions) == 0 &&
         PyModule_AddObjectRef(module, "_pytree", part.get()) == 0;
}

}  // namespace torch
