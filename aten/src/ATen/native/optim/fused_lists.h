#pragma once
// Checks of the lists of an optimizer step, and tensors of a list in one order of memory.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/copy__ops.h>

namespace at::native {

inline void check_fused_list(const char* op, const char* name, TensorList list, TensorList params) {
  TORCH_CHECK(list.size() == params.size(), op, ": ", name, " has ", list.size(),
              " tensors, there are ", params.size(), " parameters");
  for (size_t i = 0; i < list.size(); ++i) {
    TORCH_CHECK(list[i].sizes() == params[i].sizes(), op, ": ", name, "[", i, "] has shape ",
                list[i].sizes(), ", the parameter has ", params[i].sizes());
    TORCH_CHECK(list[i].scalar_type() == params[i].scalar_type(), op, ": ", name, "[", i, "] is ",
                dtypeName(list[i].scalar_type()), ", the parameter is ",
                dtypeName(params[i].scalar_type()));
    TORCH_CHECK(list[i].device() == params[i].device(), op, ": ", name, "[", i, "] is on ",
                list[i].device(), ", the parameter is on ", params[i].device());
  }
}
inline void check_fused_steps(const char* op, TensorList steps, TensorList params) {
  TORCH_CHECK(steps.size() == params.size(), op, ": state_steps has ", steps.size(),
              " tensors, there are ", params.size(), " parameters");
}

// A tensor with the elements of `t` in the memory order of `like`: `t` itself if it already has
// that order.
struct InOrderOf {
  InOrderOf(const Tensor& t, const Tensor& like) : original(t), dense(t) {
    if (t.strides() == like.strides() && t.is_non_overlapping_and_dense()) return;
    dense = like.is_non_overlapping_and_dense()
                ? empty_strided_tensor(t.sizes(), like.strides(), t.scalar_type(), t.device())
                : empty_tensor(t.sizes(), t.scalar_type(), t.device());
    _ops::copy_::call(dense, t, false);
    copied = true;
  }
  void write_back() {
    if (copied) _ops::copy_::call(original, dense, false);
  }
  Tensor original, dense;
  bool copied = false;
};

}  // namespace at::native
