#pragma once
// What stands in the registry for an operator, in words: behind torch._C._dispatch_dump and its
// kin, and for a debugger: call at::dump_table("aten::add.Tensor").

#include <string>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

// A kernel as it was registered: one at an alias key serves several runtime keys.
struct KernelRegistration {
  c10::DispatchKey key;
  std::string place;  // "FILE:LINE (function)"; what the caller said, for one made at run time
  bool boxed, unboxed;
  bool active;  // no newer registration at the same key hides it
};

std::vector<KernelRegistration> kernel_registrations(const OperatorEntry& op);
// Their keys alone, for which no symbol is looked up.
std::vector<c10::DispatchKey> registered_keys(const OperatorEntry& op);

// Whether a kernel is registered at this very key; an alias key counts as a key of its own.
bool has_registered_kernel(const OperatorEntry& op, c10::DispatchKey key);
// Whether a call with this runtime key finds a kernel: its own, that of an alias key, or a
// fallback.
bool has_computed_kernel(const OperatorEntry& op, c10::DispatchKey key);

// Name, schema, and a line for each registration.
std::string dump_operator(const OperatorEntry& op);
// A line for each runtime key that has something: the kernel that a call reaches, and why that one.
std::string dump_table(const OperatorEntry& op);
std::string dump_table(const char* name);

}  // namespace at
