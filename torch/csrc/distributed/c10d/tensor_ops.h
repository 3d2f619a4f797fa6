#pragma once
// The few operators that the collectives need. Not ATen/ATen.h: an operator that is added anywhere
// would recompile its users.

#include <ATen/core/Tensor.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zero_.h>
#include <ATen/ops/zeros.h>

namespace c10d {

inline void copy_into(at::Tensor destination, const at::Tensor& source) {
  at::copy_(destination, source);
}
inline void scale(at::Tensor t, double factor) { at::mul_out(t, t, at::Scalar(factor)); }
inline at::Tensor to_float(const at::Tensor& t) {
  return at::_to_copy(t, at::TensorOptions(at::kFloat));
}
inline at::Tensor flattened(const at::Tensor& t) { return at::reshape(t, {-1}); }

}  // namespace c10d
