#pragma once
// OperatorEntry: one operator of the registry: its name, its schema, and a table of kernels, one
// column a dispatch key.
//
// Note [Kernel tables]
// torchgen writes the entries of the library's own operators as constant-initialized data, so that
// loading the library registers thousands of kernels without running any code. A column holds a
// plain function of signature Ret(DispatchKeySet, Args...). Kernels that come at run time
// (TORCH_LIBRARY_IMPL, torch.library, fallbacks) may need state or a boxed call: they stand in
// `overrides`, and their column is null, which sends the call to the slow path.

#include <cstdint>

#include <c10/core/DispatchKeySet.h>
#include <c10/macros/Macros.h>

namespace at {

struct IValueStack;
struct FunctionSchema;
struct KernelOverrides;

// Calls a plain function of this operator's signature with the arguments on the stack.
using BoxedCaller = void (*)(const struct OperatorEntry& op, void* unboxed_kernel,
                             c10::DispatchKeySet keys, IValueStack& stack);

// Note [Kernel sources]
// A column of a generated entry holds a small wrapper. Where it leads is written down beside it,
// for those who ask which kernel ran: the trace, torch.utils.explain. The last source of a column
// is the innermost.
struct KernelSource {
  int column;
  const char* name;  // "at::native::add", or "add_stub": compiled for each CPU capability. Null
                     // ends the list.
  void* function;    // null for a stub
  void* (*stub)();   // the kernel that this machine's capability has
};

struct OperatorEntry {
  const char* name;            // "aten::add"
  const char* overload;        // "Tensor" or ""
  const char* schema;          // the whole text; parsed when first asked for
  BoxedCaller boxed_caller;    // null for operators defined at run time
  BoxedCaller boxed_dispatch;  // pops the arguments, dispatches by them, pushes the results
  void* call;                  // at::_ops::NAME::call, for boxed_dispatch
  // Keys that never matter for this operator: no kernel, and calls fall through to the next one.
  uint64_t considered_keys;
  // Keys added to every call: those of autograd, when a user has put a kernel there.
  uint64_t added_keys;
  void* table[c10::kNumRuntimeKeys];
  KernelOverrides* overrides;  // null until there is one
  mutable FunctionSchema* parsed;
  const KernelSource* sources;  // null for operators that were defined at run time
};

// Set when anything wants to see every call: the trace, the profiler. Zero costs one predictable
// branch.
extern uint32_t g_call_observers;

// The slow path's own pieces, out of line and not templates.
[[noreturn]] C10_COLD void report_missing_kernel(const OperatorEntry& op, c10::DispatchKeySet keys);
// An argument of an observed call: its address, and what is there.
struct ObservedArgument {
  enum Kind : uint8_t {
    Other,
    Tensor,
    OptionalTensor,
    TensorList,
    OptionalTensorList,
    IntList,
    Int,
    Double,
    Bool,
    Scalar,
    ScalarType
  };
  const void* value;
  Kind kind;
};
// Brackets a call that is being observed.
struct ObservedCall {
  ObservedCall(const OperatorEntry& op, c10::DispatchKeySet keys, const char* kind,
               const ObservedArgument* arguments, int count);
  ~ObservedCall();
  ObservedCall(const ObservedCall&) = delete;

  const OperatorEntry& op;
  c10::DispatchKeySet keys;
  const char* kind;  // "call" or "redispatch"
  const ObservedArgument* arguments;
  int count;
  int depth;         // how many observed calls of this thread it is inside of
  uint32_t seen_by;  // the observers that were told of its beginning
  int64_t started;   // nanoseconds, for observers to keep
};

}  // namespace at
