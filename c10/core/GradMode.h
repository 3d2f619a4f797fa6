#pragma once
// Whether this thread records operations for differentiation.

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace c10 {

struct GradMode {
  static bool is_enabled() { return !impl::tls_local_state.no_grad; }
  static void set_enabled(bool enabled) {
    impl::tls_local_state.no_grad = !enabled;
    impl::set_excluded(impl::tls_local_state.excluded);
  }
};

class AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) : before_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  ~AutoGradMode() { GradMode::set_enabled(before_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool before_;
};

struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

// Inference mode: no graph, no version counters, no tracking of views. Tensors made in it never
// take part in autograd.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true)
      : before_(impl::tls_local_state.inference), grad_(!enabled && GradMode::is_enabled()) {
    impl::tls_local_state.inference = enabled;
    if (!enabled && before_) GradMode::set_enabled(true);
  }
  ~InferenceMode() { impl::tls_local_state.inference = before_; }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
  static bool is_enabled() { return impl::tls_local_state.inference; }
  static void set_enabled(bool enabled) { impl::tls_local_state.inference = enabled; }

 private:
  bool before_;
  AutoGradMode grad_;
};

}  // namespace c10

namespace at {
using c10::AutoGradMode;
using c10::GradMode;
using c10::InferenceMode;
using c10::NoGradGuard;
}  // namespace at
