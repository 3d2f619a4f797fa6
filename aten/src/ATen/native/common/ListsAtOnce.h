#pragma once
// Operators on lists that a device computes for all tensors at once: what its kernels get.
//
// Note [Lists at once]
// ~~~~~~~~~~~~~~~~~~~~
// A launch costs more than the work on a small tensor, so kernels take many tensors. They want
// simple operands: dense, in one order of memory, of one type, with nothing above the kernels that
// has to see each tensor (autograd, transforms, subclasses). All else goes through the loop, which
// calls the operator for each tensor; results are the same.
//
// Lists are of floats, of complex numbers, or of integers of 32 and 64 bits. Results have the type
// of their tensors, but for the magnitudes of complex numbers, and for floats that come of integers
// (sqrt, div, a fraction as an operand).

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class ForeachOp : uint8_t {
  // of one list
  abs,
  exp,
  neg,
  reciprocal,
  sign,
  sqrt,
  // of a list and a list or number
  add,  // self + alpha * other
  sub,
  mul,
  div,
  max,
  min,
  pow,
  pow_of,  // number ** self
  // of three lists, or two and a number
  addcmul,
  addcdiv,
  lerp,
};

struct ForeachCall {
  ForeachOp op;
  TensorList outputs, self;
  TensorList second, third;  // of the layouts of `self`; may be empty
  // What takes the place of the last operand, if that is no such list: 0-dimensional tensors (see
  // `is_number_beside`), or `scalars`, one or one for each tensor. Beside a full list of operands,
  // a scalar is their factor.
  TensorList numbers;
  ArrayRef<Scalar> scalars;
};

enum class ForeachReduction : uint8_t {
  sum_of_magnitudes,
  root_of_squares,
  largest_magnitude,
  max
};

// Kernels of CUDA devices alone: called as `foreach_stub.CUDA(...)`.
DECLARE_DISPATCH(void (*)(const ForeachCall&), foreach_stub);
DECLARE_DISPATCH(void (*)(ForeachReduction, TensorList self, TensorList outputs),
                 foreach_reduce_stub);
DECLARE_DISPATCH(void (*)(TensorList self), foreach_zero_stub);
DECLARE_DISPATCH(void (*)(TensorList self, TensorList source), foreach_copy_stub);

// Whether kernels may work on a tensor: nothing above them has to see it, and it is dense. A view
// that is changed goes through the loop where its base may have a history.
bool fits_lists(const Tensor& t, c10::Device device, bool changes);
// Whether elements of the same number in memory belong together.
bool same_layout(const Tensor& a, const Tensor& b);
// Whether tensors that are to be changed may be: none shares memory with another one, or with what
// is read for another one.
bool may_change_at_once(TensorList changed, ArrayRef<TensorList> read);
void mark_changed(TensorList changed);

}  // namespace at::native
