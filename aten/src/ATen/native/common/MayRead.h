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

}  // namespace at::native
