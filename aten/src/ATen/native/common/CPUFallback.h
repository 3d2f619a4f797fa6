#pragma once
// cpu_fallback: runs an operator on copies of its arguments on the CPU. A backend registers it for
// operators without a kernel:
//
//   void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
//     at::native::cpu_fallback(op, stack);
//   }
//   TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
//     m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
//   }

#include <ATen/core/dispatch/OperatorHandle.h>
#include <ATen/core/ivalue.h>

namespace at::native {

// Results go back to the device of the arguments; tensors that the operator changes are changed
// there. Warns once per operator, unless `error_on_views` rejects it: a view of a copy is not a
// view of the argument.
void cpu_fallback(const c10::OperatorHandle& op, IValueStack* stack, bool error_on_views = false);

}  // namespace at::native
