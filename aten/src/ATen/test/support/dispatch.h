#pragma once
// Kernels and operators registered for the duration of a test.

#include <gtest/gtest.h>

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/library.h>

namespace torch_test {

inline torch::Library definitions(const char* ns) {
  return torch::Library("DEF", ns, c10::DispatchKey::Undefined, __FILE__, __LINE__);
}
inline torch::Library kernels(const char* ns, c10::DispatchKey key) {
  return torch::Library("IMPL", ns, key, __FILE__, __LINE__);
}

// An operator that is removed at the end of its test.
struct Defined {
  explicit Defined(const char* schema) : op(at::define_operator(schema)) {}
  ~Defined() { at::remove_operator(op); }
  Defined(const Defined&) = delete;
  at::OperatorEntry* op;
};

// Casts a typed function to the type of an operator's slot.
struct Overridden {
  template <typename F>
  Overridden(const char* name, const char* overload, c10::DispatchKey key, F* function)
      : op(at::find_operator(name, overload)) {
    at::Override kernel;
    kernel.state = reinterpret_cast<void*>(function);
    kernel.unboxed = reinterpret_cast<void*>(&torch::detail::Traits<F*>::unboxed);
    kernel.boxed = &torch::detail::Traits<F*>::boxed;
    handle = at::register_override(*op, key, kernel);
  }
  ~Overridden() { at::unregister_override(*op, handle); }
  Overridden(const Overridden&) = delete;
  at::OperatorEntry* op;
  int64_t handle;
};

// Calls an operator that was defined at run time, with the keys of its kernel.
inline at::IValueStack call_boxed(const at::OperatorEntry& op, at::IValueStack stack,
                                  c10::DispatchKeySet keys = c10::DispatchKey::CPU) {
  const at::Override* kernel = at::find_kernel(op, keys).override;
  TORCH_CHECK(kernel, "no kernel");
  kernel->boxed(kernel->state, op, keys, stack);
  return stack;
}

}  // namespace torch_test
