#pragma once
// Kernels on rows along one dimension. Tensors are contiguous, indices are int64 vectors.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/ViewUtils.h>

namespace at::native {

// A tensor viewed as `outer` blocks of `size` rows with `inner` elements each.
struct RowBlocks {
  int64_t outer, size, inner;
  RowBlocks(int64_t outer, int64_t size, int64_t inner) : outer(outer), size(size), inner(inner) {}
  RowBlocks(const Tensor& t, int64_t dim) : outer(1), size(1), inner(1) {
    if (t.dim() == 0) return;
    outer = product(t.sizes().slice(0, dim));
    size = t.sizes()[dim];
    inner = product(t.sizes().slice(dim + 1));
  }
};

// Throws unless all indices are in [0, size); an IndexError if requested.
DECLARE_DISPATCH(void (*)(const Tensor& index, int64_t size, int64_t dim, const char* op,
                          bool index_error),
                 check_indices_stub);
// Whether all indices are in [0, size); on the CPU.
bool are_in_range(const Tensor& index, int64_t size);
// Adds `size` to negative indices. Throws for one outside of [-size, size); without a dimension the
// message refers to the whole tensor.
DECLARE_DISPATCH(void (*)(const Tensor& index, int64_t size, std::optional<int64_t> dim,
                          const char* op),
                 wrap_indices_stub);
// result[o, m] = self[o, index[m]]; the blocks are those of self. Throws for an index out of range.
DECLARE_DISPATCH(void (*)(const Tensor& result, const Tensor& self, const Tensor& index,
                          const RowBlocks& blocks),
                 select_rows_stub);
// result = self[index] by places in the whole tensor, negative ones from its end; on the CPU.
// Throws for an index out of range, of the tensor or of its only dimension.
DECLARE_DISPATCH(void (*)(const Tensor& result, const Tensor& self, const Tensor& index,
                          bool of_dimension),
                 take_elements_stub);
// self[o, index[m]] = source[o, m], or source's only row. Indices are checked.
DECLARE_DISPATCH(void (*)(const Tensor& self, const Tensor& source, const Tensor& index,
                          const RowBlocks& blocks, bool one_row),
                 copy_rows_stub);
// self[o, index[m]] += alpha * source[o, m]. Indices are checked.
DECLARE_DISPATCH(void (*)(const Tensor& self, const Tensor& source, const Tensor& index,
                          const RowBlocks& blocks, const Scalar& alpha),
                 add_rows_stub);

}  // namespace at::native
