#pragma once
// What happens when backward reaches an operator that was defined at run time and has a kernel for
// a backend, but none for autograd.
//
// Its kernel is called as it is. Where it is made of operators that have derivatives, those record
// the history; where it is not, the results would look like constants. In mode `warn` they get a
// node instead, which warns when backward reaches it and gives no gradient; in mode `error` it
// throws. Operators made by torch.library.custom_op always refuse: their kernels record nothing.

namespace torch::autograd {

enum class AutogradFallbackMode { Nothing, Warn, Error };

AutogradFallbackMode autograd_fallback_mode();
void set_autograd_fallback_mode(AutogradFallbackMode mode);

}  // namespace torch::autograd
