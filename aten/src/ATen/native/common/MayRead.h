#pragma once
// Whether an operator may look at elements to check its arguments, or to choose a shorter way.

#include <ATen/native/common/HostValues.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::native {

// Not where Python sees the calls, in a mode or a class of tensors: it may have no elements, or
// record the calls for others.
inline bool may_read(const Tensor& t) {
  return has_values(t) && !t.key_set().has(c10::Functionality::Python) &&
         !c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Python);
}

// Whether it may look at them for a check that kernels of other devices make themselves, or leave:
// reading from a device waits for its work, and cannot be captured in a graph.
inline bool may_read_at_once(const Tensor& t) { return t.device().is_cpu() && may_read(t); }

// Whether a composite may give this tensor to a kernel itself, past the dispatcher: it is nothing
// but its memory, without lazy bits, wrappers and modes.
inline bool is_plain(const Tensor& t) {
  const c10::DispatchKeySet rest = t.key_set()
                                       .without(c10::Functionality::Dense)
                                       .without(c10::Functionality::ADInplaceOrView)
                                       .without(c10::Functionality::AutogradFunctionality);
  return rest.highest_index() == 0 && may_read(t);
}

}  // namespace at::native
