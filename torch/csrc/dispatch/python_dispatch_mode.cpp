// Python functions that see, and may answer, every operator call of a thread, below autograd.
//
// _push_dispatch_mode(f): until _pop_dispatch_mode(), a call goes to f(name, overload, args,
// kwargs), which gives its result. Inside f, the next outer function is the one that is called, and
// autograd is off: it has recorded the call. The Python key brings the calls here. It stands in the
// thread's included keys only while there is such a function, so that other calls cost nothing
// more.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/dispatch/python_ivalue.h>
#include <torch/csrc/safe_object.h>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <vector>

namespace torch {
namespace {

thread_local std::vector<SafePyObject> t_modes;

void update_keys() {
  const uint64_t python = c10::DispatchKeySet(c10::DispatchKey::Python).raw_repr();
  uint64_t& included = c10::impl::tls_local_state.included;
  included = t_modes.empty() ? included & ~python : included | python;
}

// The innermost mode, taken off while it runs.
struct CurrentMode {
  CurrentMode() : mode(std::move(t_modes.back())) {
    t_modes.pop_back();
    update_keys();
  }
  ~CurrentMode() {
    t_modes.push_back(std::move(mode));
    update_keys();
  }
  CurrentMode(const CurrentMode&) = delete;
  SafePyObject mode;
};

void run_mode(void*, const at::OperatorEntry& op, c10::DispatchKeySet keys,
              at::IValueStack& stack) {
  // Autograd has to see the operators that a composite one calls, and so has the mode.
  if (at::is_composite(op))
    return op.boxed_caller(op, nullptr, keys.below(c10::DispatchKey::Python), stack);
  TORCH_INTERNAL_ASSERT(!t_modes.empty());
  gil_scoped_acquire gil;
  const at::FunctionSchema& schema = at::schema_of(op);
  PythonArguments given = stack_to_arguments(schema, stack);
  THPObjectPtr result;
  {
    CurrentMode current;
    c10::impl::ExcludeDispatchKeyGuard below_autograd(c10::autograd_dispatch_keyset);
    result = own(PyObject_CallFunction(current.mode.get(), "ssOO", op.name, op.overload,
                                       given.args.get(), given.kwargs.get()));
  }
  stack.clear();
  results_to_stack(schema, result.get(), stack);
}

PyObject* push(PyObject*, PyObject* mode) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyCallable_Check(mode), "_push_dispatch_mode(): expected a callable, got ",
                     Py_TYPE(mode)->tp_name);
    // Registered by the first program that needs it.
    static const int64_t fallback = at::register_fallback(
        c10::DispatchKey::Python, at::Override{nullptr, nullptr, run_mode, "dispatch modes"});
    (void)fallback;
    t_modes.push_back(SafePyObject::borrow(mode));
    update_keys();
    Py_RETURN_NONE;
  });
}

PyObject* pop(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK(!t_modes.empty(), "_pop_dispatch_mode(): there is none");
    THPObjectPtr mode = t_modes.back().release();
    t_modes.pop_back();
    update_keys();
    return mode.release();
  });
}

PyMethodDef functions[] = {{"_push_dispatch_mode", push, METH_O, nullptr},
                           {"_pop_dispatch_mode", pop, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_dispatch_mode(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
