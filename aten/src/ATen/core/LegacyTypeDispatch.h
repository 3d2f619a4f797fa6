#pragma once
// Guards for kernels registered at autograd that call the same operator again for the backend:
//
//   at::AutoDispatchBelowADInplaceOrView guard;
//   return op.call(x);
//
// While a guard is active, calls of this thread skip autograd (AutoDispatchBelowAutograd), and the
// tracking of views and versions too (AutoDispatchBelowADInplaceOrView).

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

struct AutoDispatchBelowAutograd {
  AutoDispatchBelowAutograd() : guard_(c10::autograd_dispatch_keyset) {}

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

struct AutoDispatchBelowADInplaceOrView {
  AutoDispatchBelowADInplaceOrView()
      : guard_(c10::autograd_dispatch_keyset |
               c10::DispatchKeySet(c10::DispatchKey::ADInplaceOrView)) {}

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

}  // namespace at
