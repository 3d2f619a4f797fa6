#pragma once
// Prints an operator's registrations: behind torch._C._dispatch_dump and related functions, and for
// use in a debugger: call at::dump_table("aten::add.Tensor").

#include <string>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

// A kernel as it was registered: one registered at an alias key serves several runtime keys.
struct KernelRegistration {
  c10::DispatchKey key;
  std::string place;  // "FILE:LINE (function)"; for one registered at run time, the caller's text
  bool boxed, unboxed;
  bool active;  // not hidden by a newer registration at the same key
};

std::vector<KernelRegistration> kernel_registrations(const OperatorEntry& op);
// Only the keys: no symbol is looked up.
std::vector<c10::DispatchKey> registered_keys(const OperatorEntry& op);

// Whether a kernel is registered at exactly this key; an alias key counts as its own key.
bool has_registered_kernel(const OperatorEntry& op, c10::DispatchKey key);
// Whether a call with this runtime key finds a kernel: its own, one from an alias key, or a
// fallback.
bool has_computed_kernel(const OperatorEntry& op, c10::DispatchKey key);

// Name, schema, and a line for each registration.
std::string dump_operator(const OperatorEntry& op);
// A line for each runtime key that has a kernel: which kernel a call reaches, and why.
std::string dump_table(const OperatorEntry& op);
std::string dump_table(const char* name);

}  // namespace at
