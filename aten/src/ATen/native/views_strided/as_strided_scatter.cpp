// as_strided_scatter: a copy of a tensor in which what as_strided would show is replaced.
// slice_inverse: the view that a slice was taken of.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/views_strided/replaced.h>
#include <ATen/ops/_reshape_copy_native.h>
#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/as_strided_scatter_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/slice_inverse_native.h>

namespace at::native {

// A copy of the memory behind the tensor, seen in the same way: the strides and the offset keep
// their meaning.
static Tensor copy_of_memory(const Tensor& self) {
  const int64_t numel = static_cast<int64_t>(self.storage().nbytes() / self.itemsize());
  const Tensor memory = at::clone(at::as_strided(self, {numel}, {1}, 0));
  return at::as_strided(memory, self.sizes(), self.strides(), self.storage_offset());
}

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef size,
                          IntArrayRef stride, std::optional<int64_t> storage_offset) {
  const Tensor result = copy_of_memory(self);
  with_piece(result, at::as_strided(result, size, stride, storage_offset), src,
             "as_strided_scatter");
  // Nobody else sees the memory of the copy, so the result is no view of it.
  return at::_unsafe_view(result, self.sizes());
}

Tensor slice_inverse(const Tensor& self, const Tensor& src, int64_t, std::optional<int64_t>,
                     std::optional<int64_t>, int64_t) {
  return at::as_strided(self, src.sizes(), src.strides(), src.storage_offset());
}

Tensor _reshape_copy(const Tensor& self, IntArrayRef size) {
  return at::clone(at::reshape(self, size), MemoryFormat::Contiguous);
}

}  // namespace at::native
