#pragma once
// Kernels that came at run time: from TORCH_LIBRARY_IMPL, torch.library, or a fallback for a whole
// key.

#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

// A kernel with state. Either form may be absent: callers box where only `boxed` is there.
struct Override {
  void* state = nullptr;
  void* unboxed = nullptr;  // Ret(void* state, DispatchKeySet, Args...)
  void (*boxed)(void* state, const OperatorEntry& op, c10::DispatchKeySet keys,
                IValueStack& stack) = nullptr;
  std::string debug;  // where it was registered
  explicit operator bool() const { return unboxed || boxed; }
};

// What a call with these keys goes to where its slot is null: an override or a fallback, a kernel
// of the library's own that has no slot, or nothing.
struct FoundKernel {
  const Override* override = nullptr;
  void* generated = nullptr;  // Ret(DispatchKeySet, Args...)
  explicit operator bool() const { return override || generated; }
};
FoundKernel find_kernel(const OperatorEntry& op, c10::DispatchKeySet keys);

// Puts a kernel at a key of an operator (alias keys spread), or takes it away again. Thread safe
// with regard to other registrations; calls that are under way finish with the kernel they have.
// Returns a handle for unregister_override.
int64_t register_override(OperatorEntry& op, c10::DispatchKey key, Override kernel);
void unregister_override(OperatorEntry& op, int64_t handle);
// A boxed kernel for every operator that has none of its own at this key.
int64_t register_fallback(c10::DispatchKey key, Override kernel);
void unregister_fallback(int64_t handle);

// The registry. Names are "aten::add" with the overload apart.
OperatorEntry* find_operator(std::string_view name, std::string_view overload);
std::vector<OperatorEntry*> all_operators();
std::vector<std::string> overload_names(std::string_view name);
// A new operator from its schema text ("mylib::f(Tensor x) -> Tensor"); lives until removed.
// `place` says where that was, to whom asks.
OperatorEntry* define_operator(std::string_view schema, std::string place = {});
void remove_operator(OperatorEntry* op);

// The generated entries: one table for each generated file, all defined by torchgen.
struct OperatorTable {
  OperatorEntry* const* entries;
  int count;
  OperatorEntry* const* begin() const { return entries; }
  OperatorEntry* const* end() const { return entries + count; }
};
extern const OperatorTable* const kOperatorTables[];
extern const int kNumOperatorTables;

}  // namespace at
