#pragma once
// The kernel at the key Functionalize.

namespace at::functionalization {

// Registered by the first program that makes a functional tensor.
void install_functionalize_kernel();

}  // namespace at::functionalization
