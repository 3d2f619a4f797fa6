#pragma once
// Switches what observes calls; see Note [Kernel tables] for how a call notices.

#include <cstdint>

namespace at {

constexpr uint32_t kTraceObserver = 1;
constexpr uint32_t kProfilerObserver = 2;

void set_dispatch_trace(bool on);
bool dispatch_trace_enabled();

}  // namespace at
