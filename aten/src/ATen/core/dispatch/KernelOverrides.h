#pragma once
// Kernels registered at run time: by TORCH_LIBRARY_IMPL, by torch.library, or as a fallback for a
// whole key.

#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

// A kernel with state. Either form may be missing: callers box if only `boxed` is set.
struct Override {
  void* state = nullptr;
  void* unboxed = nullptr;  // Ret(void* state, DispatchKeySet, Args...)
  void (*boxed)(void* state, const OperatorEntry& op, c10::DispatchKeySet keys,
                IValueStack& stack) = nullptr;
  std::string debug;  // where it was registered
  explicit operator bool() const { return unboxed || boxed; }
};

// The target of a call whose slot is null for these keys: an override, a fallback, one of the
// library's own kernels that has no slot, or nothing.
struct FoundKernel {
  const Override* override = nullptr;
  void* generated = nullptr;  // Ret(DispatchKeySet, Args...)
  explicit operator bool() const { return override || generated; }
};
FoundKernel find_kernel(const OperatorEntry& op, c10::DispatchKeySet keys);

// Registers a kernel at a key of an operator (alias keys are expanded), or removes it. Thread safe
// with respect to other registrations; running calls finish with the kernel they have. Returns a
// handle for unregister_override.
int64_t register_override(OperatorEntry& op, c10::DispatchKey key, Override kernel);
void unregister_override(OperatorEntry& op, int64_t handle);
// A boxed kernel for every operator without a kernel of its own at this key.
int64_t register_fallback(c10::DispatchKey key, Override kernel);
void unregister_fallback(int64_t handle);

// The registry. Names are "aten::add"; the overload is a separate argument.
OperatorEntry* find_operator(std::string_view name, std::string_view overload);
std::vector<OperatorEntry*> all_operators();
std::vector<std::string> overload_names(std::string_view name);
// Defines an operator from its schema text ("mylib::f(Tensor x) -> Tensor"); lives until removed.
// `place` is where the definition stands, for diagnostics.
OperatorEntry* define_operator(std::string_view schema, std::string place = {});
void remove_operator(OperatorEntry* op);

// The generated entries: one table per generated file, all defined by torchgen.
struct OperatorTable {
  OperatorEntry* const* entries;
  int count;
  OperatorEntry* const* begin() const { return entries; }
  OperatorEntry* const* end() const { return entries + count; }
};
extern const OperatorTable* const kOperatorTables[];
extern const int kNumOperatorTables;

}  // namespace at
