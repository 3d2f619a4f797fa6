#pragma once
// What KernelOverrides.cpp stores for an operator, for the code that prints it (DispatchDump.cpp).

#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/KernelOverrides.h>

namespace at {

struct Registration {
  int64_t handle;
  Override kernel;
};

// One call of register_override: an alias key registers its kernel at several keys.
struct AliasedRegistration {
  int64_t handle;
  c10::DispatchKey key;
  Override kernel;
};

struct KernelOverrides {
  // The registrations of the keys that have any, the newest last.
  std::vector<std::pair<c10::DispatchKey, std::vector<Registration>>> by_key;
  // The slots' contents before the first override, restored after the last one is removed.
  void* generated[kNumKernelSlots] = {};
  uint64_t generated_considered = 0;

  // Null for a key without registrations.
  const std::vector<Registration>* at(c10::DispatchKey key) const {
    for (const auto& [k, list] : by_key) {
      if (k == key) return &list;
    }
    return nullptr;
  }
  std::vector<AliasedRegistration> made;
  // Calls with tensors that require differentiation go to the autograd fallback: the operator was
  // defined at run time and has only backend kernels.
  bool lacks_autograd = false;
  // Backward through it throws, whatever the operators called by the kernel would record.
  bool refuses_backward = false;
};

// See torch/csrc/autograd/autograd_not_implemented_fallback.h.
void set_autograd_fallback(void (*boxed)(void*, const OperatorEntry&, c10::DispatchKeySet,
                                         IValueStack&));
void set_refuses_backward(OperatorEntry& op);

// Where an operator was defined at run time; "" for a generated one.
std::string definition_location(const OperatorEntry& op);
// The kernel for every operator without a kernel of its own at this key; null if there is none.
const Override* find_fallback(c10::DispatchKey key);
// The library's own kernel at a key: its slot's, or a composite one, which serves all backends.
void* generated_kernel(const OperatorEntry& op, c10::DispatchKey key);

}  // namespace at
