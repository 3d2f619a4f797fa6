// Calls the hooks of the bindings, if there are any.

#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {

static InterruptHooks hooks;

void set_interrupt_hooks(InterruptHooks h) { hooks = h; }

void check_interrupts() {
  if (hooks.check) hooks.check();
}

InterruptGuard::InterruptGuard(std::function<void()> s) : stop(std::move(s)) {
  if (hooks.enter) hooks.enter(this);
}

InterruptGuard::~InterruptGuard() {
  if (hooks.leave) hooks.leave(this);
}

}  // namespace c10d
