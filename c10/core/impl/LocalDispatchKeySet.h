#pragma once
// The keys that a thread adds to and removes from every dispatch, and its grad mode.
//
// Note [Grad mode is an exclusion]
// A tensor carries its autograd key only while it takes part in differentiation, and switching grad
// mode off excludes the autograd keys for the thread. Calls that need no graph thus go straight to
// the backend's kernel, without a second dispatch or a redundant check in a kernel.

#include <c10/core/DispatchKeySet.h>

namespace c10::impl {

struct LocalState {
  uint64_t included;  // or-ed into every key set
  uint64_t
      effective_excluded;  // removed from all key sets: the next one, and autograd in no-grad mode
  uint64_t excluded;
  bool no_grad;
  bool inference;
};

// initial-exec: one instruction to read. The library uses these 32 bytes of static TLS.
extern __thread LocalState tls_local_state __attribute__((tls_model("initial-exec")));

inline void set_excluded(uint64_t bits) {
  LocalState& s = tls_local_state;
  // Only functionalities: the backends of a call are those of its arguments.
  bits &= ~DispatchKeySet::kBackends;
  s.excluded = bits;
  s.effective_excluded = bits | (s.no_grad ? autograd_dispatch_keyset.raw_repr() : 0);
}

inline bool tls_is_dispatch_key_excluded(DispatchKey key) {
  return DispatchKeySet(tls_local_state.effective_excluded).has(functionality_of(key));
}
inline bool tls_is_dispatch_key_included(DispatchKey key) {
  return DispatchKeySet(tls_local_state.included).has(functionality_of(key));
}

class ExcludeDispatchKeyGuard {
 public:
  explicit ExcludeDispatchKeyGuard(DispatchKeySet keys) : before_(tls_local_state.excluded) {
    set_excluded(before_ | keys.raw_repr());
  }
  ~ExcludeDispatchKeyGuard() { set_excluded(before_); }
  ExcludeDispatchKeyGuard(const ExcludeDispatchKeyGuard&) = delete;
  ExcludeDispatchKeyGuard& operator=(const ExcludeDispatchKeyGuard&) = delete;

 private:
  uint64_t before_;
};

class IncludeDispatchKeyGuard {
 public:
  explicit IncludeDispatchKeyGuard(DispatchKeySet keys) : before_(tls_local_state.included) {
    tls_local_state.included = before_ | keys.raw_repr();
  }
  ~IncludeDispatchKeyGuard() { tls_local_state.included = before_; }
  IncludeDispatchKeyGuard(const IncludeDispatchKeyGuard&) = delete;
  IncludeDispatchKeyGuard& operator=(const IncludeDispatchKeyGuard&) = delete;

 private:
  uint64_t before_;
};

}  // namespace c10::impl
