#pragma once
// What KernelOverrides.cpp keeps of an operator, for those that tell about it (DispatchDump.cpp).

#include <string>
#include <vector>

#include <ATen/core/dispatch/KernelOverrides.h>

namespace at {

struct Registration {
  int64_t handle;
  Override kernel;
};

// One call of register_override: an alias key puts its kernel into several columns.
struct AliasedRegistration {
  int64_t handle;
  c10::DispatchKey key;
  Override kernel;
};

struct KernelOverrides {
  // For each runtime key the registrations, the newest last.
  std::vector<Registration> of[c10::kNumRuntimeKeys];
  // What the columns held before the first override, to be put back after the last.
  void* generated[c10::kNumRuntimeKeys] = {};
  uint64_t generated_considered = 0;
  uint64_t user_keys = 0;
  std::vector<AliasedRegistration> made;
  // Calls with tensors that take part in differentiation go to the fallback of autograd: the
  // operator was defined at run time and has kernels for backends alone.
  bool lacks_autograd = false;
  // Backward through it throws, whatever the kernel's own operators would record.
  bool refuses_backward = false;
};

// See torch/csrc/autograd/autograd_not_implemented_fallback.h.
void set_autograd_fallback(void (*boxed)(void*, const OperatorEntry&, c10::DispatchKeySet,
                                         IValueStack&));
void set_refuses_backward(OperatorEntry& op);

// Where an operator was defined at run time; "" for a generated one.
std::string definition_place(const OperatorEntry& op);
// The kernel for every operator that has none of its own at this key; null where there is none.
const Override* find_fallback(int column);

}  // namespace at
