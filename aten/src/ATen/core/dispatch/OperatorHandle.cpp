// Finds operators by name and calls them with boxed arguments.

#include <ATen/core/dispatch/OperatorHandle.h>

#include <ATen/core/dispatch/KernelOverrides.h>

namespace c10 {

Dispatcher& Dispatcher::singleton() {
  static Dispatcher one;
  return one;
}

std::optional<OperatorHandle> Dispatcher::findSchema(const OperatorName& name) {
  at::OperatorEntry* op = at::find_operator(name.name, name.overload_name);
  return op ? std::optional<OperatorHandle>(*op) : std::nullopt;
}

OperatorHandle Dispatcher::findSchemaOrThrow(const char* name, const char* overload_name) {
  at::OperatorEntry* op = at::find_operator(name, overload_name);
  TORCH_CHECK(op, "Could not find schema for ", name, ".", overload_name);
  return OperatorHandle(*op);
}

}  // namespace c10
