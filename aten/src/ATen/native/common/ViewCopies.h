#pragma once
// What generated NAME_copy operators do with the result of their view.

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>

namespace at::native {

inline Tensor copied(const Tensor& view) { return at::clone(view, MemoryFormat::Contiguous); }

inline std::vector<Tensor> copied(std::vector<Tensor> views) {
  for (Tensor& view : views) view = copied(std::as_const(view));
  return views;
}

}  // namespace at::native
