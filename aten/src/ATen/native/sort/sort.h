#pragma once
// Sorting and selection along one dimension.
//
// Note [Order keys]
// Every type is ordered through an unsigned integer of 32 or 64 bits with the same order as its
// values: signed numbers with the sign bit flipped, floats with all bits flipped if negative, NaN
// above everything, -0 as 0. So there are two sorts instead of one per type.

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class OrderKind : uint8_t { sort, topk, kth, median, nanmedian, mode };

struct OrderRequest {
  OrderKind kind;
  bool descending = false;  // sort, topk
  bool sorted = true;       // topk: the k in order
  int64_t k = 0;            // topk: how many; kth: which one, from 1
};

// Of contiguous tensors, along `dim` of the input. There, values and indices have as many elements
// as the input (sort), k (topk) or one (the others). `values` have the input's type, `indices` are
// int64.
DECLARE_DISPATCH(void (*)(OrderRequest request, const Tensor& in, const Tensor& values,
                          const Tensor& indices, int64_t dim),
                 order_stub);

// keys[i] for n dense elements, as 64-bit order keys.
DECLARE_DISPATCH(void (*)(c10::ScalarType dtype, const void* in, uint64_t* keys, int64_t n),
                 order_keys_stub);

}  // namespace at::native
