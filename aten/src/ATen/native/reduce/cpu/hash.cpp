// hash_tensor: exclusive or over the bits of elements, which are widened to 64 bits first.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/hash_tensor_native.h>
#include <ATen/ops/permute.h>

namespace at::native {

void hash_tensor_kernel(const Tensor& self, IntArrayRef dim, bool, int64_t, const Tensor& out) {
  if (out.numel() == 0) return;
  std::vector<bool> reduced(static_cast<size_t>(self.dim()), dim.empty());
  for (int64_t d : dim)
    if (self.dim() > 0)
      reduced[static_cast<size_t>(maybe_wrap_dim(d, self.dim(), "hash_tensor"))] = true;
  std::vector<int64_t> order;
  for (bool last : {false, true}) {
    for (int64_t d = 0; d < self.dim(); ++d)
      if (reduced[static_cast<size_t>(d)] == last) order.push_back(d);
  }
  const ScalarType type = self.scalar_type();
  const ScalarType wide = self.is_floating_point() ? kDouble : type == kUInt64 ? kUInt64 : kLong;
  const Tensor rows = at::contiguous(at::_to_copy(at::permute(self, order), TensorOptions(wide)));
  Tensor dense = out.is_contiguous() ? out : empty_tensor(out.sizes(), kUInt64);
  const auto* from = static_cast<const uint64_t*>(rows.data_ptr());
  auto* to = static_cast<uint64_t*>(dense.data_ptr());
  const int64_t n = self.numel() / out.numel();
  parallel_for(0, out.numel(), std::max<int64_t>(1, 32768 / std::max<int64_t>(n, 1)),
               [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint64_t bits = 0;
      for (int64_t k = i * n; k < (i + 1) * n; ++k) bits ^= from[k];
      to[i] = bits;
    }
  });
  if (!dense.is_same(out)) copy_to_output("hash_tensor", const_cast<Tensor&>(out), dense);
}

}  // namespace at::native
