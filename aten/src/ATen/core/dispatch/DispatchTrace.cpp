// TORCH_SHOW_DISPATCH_TRACE: one line for each dispatch, indented by depth.
//
//   [call] op=[aten::add.Tensor], key=[CPU]

#include <cstdlib>
#include <string>
#include <unistd.h>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <c10/util/Exception.h>

namespace at {

using namespace c10;

uint32_t g_call_observers = 0;

static __thread int t_depth = 0;

void set_dispatch_trace(bool on) {
  if (on) {
    g_call_observers |= kTraceObserver;
  } else {
    g_call_observers &= ~kTraceObserver;
  }
}

bool dispatch_trace_enabled() { return g_call_observers & kTraceObserver; }

static const bool g_from_environment = [] {
  const char* value = std::getenv("TORCH_SHOW_DISPATCH_TRACE");
  if (value && *value && std::string(value) != "0") set_dispatch_trace(true);
  return true;
}();

ObservedCall::ObservedCall(const OperatorEntry& op, DispatchKeySet keys, const char* kind) : op(op) {
  if (g_call_observers & kTraceObserver) {
    bool boxed = !op.table[keys.highest_index()];
    std::string line(static_cast<size_t>(t_depth), ' ');
    line += str("[", kind, boxed ? "Boxed" : "", "] op=[", op.name, *op.overload ? "." : "", op.overload,
                "], key=[", toString(keys.highestPriorityTypeId()), "]\n");
    // One unbuffered write: a line stands whole even if the process dies in this very call.
    ssize_t ignored = ::write(2, line.data(), line.size());
    (void)ignored;
  }
  ++t_depth;
}

ObservedCall::~ObservedCall() { --t_depth; }

void report_missing_kernel(const OperatorEntry& op, DispatchKeySet keys) {
  int column = keys.highest_index();
  if (column == 0) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, op.name, ": no argument says on which device to run: there are no tensors ",
                                "among the arguments (or none that is defined)");
  }
  std::string known;
  for (int k = 1; k < kNumRuntimeKeys; ++k) {
    if (op.table[k]) known += str(known.empty() ? "" : ", ", toString(static_cast<DispatchKey>(k)));
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", op.name, *op.overload ? "." : "", op.overload,
                              "' with arguments from the '", toString(static_cast<DispatchKey>(column)),
                              "' backend: it has no kernel there. It has kernels for: ", known);
  __builtin_unreachable();
}

}  // namespace at
