#pragma once
// OperatorEntry: one operator of the registry with its name, schema and kernels.
//
// Note [Kernel tables]
// torchgen writes the entries of the library's own operators as constant-initialized data, so that
// loading the library registers thousands of kernels without running any code. A slot holds a
// plain function of signature Ret(DispatchKeySet, Args...). There is a slot for the dense kernels
// of each backend, one for the autograd of all of them, and one for calls without tensors. All
// other keys share slot 0, which is always null and sends the call to the slow path. So do slots
// whose kernel was registered at run time (TORCH_LIBRARY_IMPL, torch.library, fallbacks): it may
// need state or a boxed call, and is found through `overrides`.

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
// A column of a generated entry holds a small wrapper. The function that it calls is recorded
// beside it, for tools that show which kernel ran: the trace, torch.utils.explain. The last source
// of a column is the innermost.
struct KernelSource {
  c10::DispatchKey key;
  const char* name;  // "at::native::add", or "add_stub": compiled for each CPU capability. Null
                     // ends the list.
  void* function;    // null for a stub
  void* (*stub)();   // the kernel that this machine's capability has
};

struct KernelSlots {
  void* slow;  // always null
  void* Undefined;
#define BACKEND(prefix, name) void* name;
  C10_FORALL_BACKENDS(BACKEND, )
#undef BACKEND
  void* Autograd;
};
enum KernelSlot : uint8_t {
  kSlowSlot,
  kUndefinedSlot,
  kFirstDenseSlot,
  kAutogradSlot = kFirstDenseSlot + c10::kNumBackends,
  kNumKernelSlots,
};
static_assert(sizeof(KernelSlots) == kNumKernelSlots * sizeof(void*));

namespace impl {
// The slot of a functionality's first key, and how many low bits of the backend's number count.
struct SlotRanges {
  c10::impl::KeyRange of[c10::kNumFunctionalities + 1];

  constexpr SlotRanges() {
    of[0].first = kUndefinedSlot;
    of[static_cast<int>(c10::Functionality::Dense)].first = kFirstDenseSlot;
    of[static_cast<int>(c10::Functionality::Dense)].mask = c10::kNumBackends - 1;
    for (auto f : {c10::Functionality::AutogradOther, c10::Functionality::AutogradFunctionality,
                   c10::Functionality::AutogradNestedTensor})
      of[static_cast<int>(f)].first = kAutogradSlot;
  }
};
constexpr SlotRanges kSlotRanges;
}  // namespace impl

C10_ALWAYS_INLINE constexpr int slot_of(c10::DispatchKeySet keys) {
  return keys.highest_in(impl::kSlotRanges.of);
}
constexpr int slot_of(c10::DispatchKey key) { return slot_of(c10::DispatchKeySet(key)); }

// Functionalities that every call checks: a missing kernel there is an error.
constexpr uint64_t kBackendsConsidered =
    c10::backend_keyset.raw_repr() | c10::DispatchKeySet(c10::Functionality::Python).raw_repr();
constexpr uint64_t kAutogradConsidered =
    kBackendsConsidered | c10::autograd_dispatch_keyset.raw_repr();

struct OperatorEntry {
  const char* name;            // "aten::add"
  const char* overload;        // "Tensor" or ""
  const char* schema;          // the complete text; parsed on demand
  BoxedCaller boxed_caller;    // null for operators defined at run time
  BoxedCaller boxed_dispatch;  // pops the arguments, dispatches by them, pushes the results
  void* call;                  // at::_ops::NAME::call, for boxed_dispatch
  // The keys that matter for this operator, as bits. Calls fall through all others.
  uint64_t considered_keys;
  // Keys added to every call: those of autograd, if a user registered a kernel there.
  uint64_t added_keys;
  union {
    KernelSlots kernels;  // looked up by name when an entry is written
    void* table[kNumKernelSlots];
  };
  KernelOverrides* overrides;  // null until the first override
  mutable FunctionSchema* parsed;
  const KernelSource* sources;  // null for operators that were defined at run time
};

// Set while any observer (the trace, the profiler) wants to see every call. Zero costs one
// predictable branch.
extern uint32_t g_call_observers;

// The slow path, out of line and without templates.
[[noreturn]] C10_COLD void report_missing_kernel(const OperatorEntry& op, c10::DispatchKeySet keys);
// An argument of an observed call: its address and its kind.
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
// Marks the begin and the end of an observed call.
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
  int depth;         // number of enclosing observed calls on this thread
  uint32_t seen_by;  // the observers that were notified of the beginning
  int64_t started;   // nanoseconds, for use by observers
};

}  // namespace at
