#pragma once
// What generated operators on lists of tensors (_foreach_add) do before and during their loop.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

// Raises unless the first list has elements and the others are as long.
void check_lists(const char* op, size_t size, std::initializer_list<size_t> others);

// A list refers to constant handles. In-place operators change the tensor behind a handle and
// return a reference to it.
inline Tensor& element_to_change(TensorList list, size_t i) { return const_cast<Tensor&>(list[i]); }

// Computes `target`, an operator like "mul.Tensor", for all tensors of the lists in few launches,
// in place if `results` is null. `scalars` are one for all tensors, or one for each. Does nothing
// and returns false where only the loop is right: see common/ListsAtOnce.cpp.
bool foreach_on_cuda(const char* target, std::initializer_list<TensorList> lists,
                     ArrayRef<Scalar> scalars, std::vector<Tensor>* results);
inline bool foreach_at_once(const char* target, std::initializer_list<TensorList> lists,
                            ArrayRef<Scalar> scalars, std::vector<Tensor>* results) {
  const TensorList first = *lists.begin();
  if (C10_LIKELY(first.empty() || !first[0].defined() || !first[0].is_cuda())) return false;
  return foreach_on_cuda(target, lists, scalars, results);
}

}  // namespace at::native
