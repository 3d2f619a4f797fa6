#pragma once
// Tensors whose elements are the conjugates or the negatives of what their memory holds.
//
// Note [Lazy conjugates]
// x.conj() shares the memory of x. It differs by one bit of the key set, Conjugate; the imaginary
// part of such a tensor is a real view with the bit Negative. Views hand the bits on. Every other
// operator is reached through the kernel of these two keys, which passes tensors without the bits
// to the operator, and copies results back into arguments that the operator changes. So kernels
// never see the bits, and a call without such a tensor costs nothing. The kernel is registered when
// the first tensor gets a bit.

#include <ATen/core/Tensor.h>

namespace at::native {

// The same memory, read with or without the bit.
Tensor with_conj_bit(const Tensor& self, bool on);
Tensor with_neg_bit(const Tensor& self, bool on);

// Changes the bits of the tensor itself.
void set_lazy_bits(const Tensor& self, bool conj, bool neg);

// A tensor without the bits and with the same elements: self, or a copy. Not differentiable.
Tensor without_lazy_bits(const Tensor& self);

}  // namespace at::native
