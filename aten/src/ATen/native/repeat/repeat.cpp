// Repeats tensors: repeat, tile, repeat_interleave.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/flip_native.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/repeat.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/repeat_interleave_native.h>
#include <ATen/ops/repeat_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/roll_native.h>
#include <ATen/ops/rot90_native.h>
#include <ATen/ops/tile_native.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <c10/util/SmallVector.h>

namespace at::native {

Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  int64_t rank = static_cast<int64_t>(repeats.size()), missing = rank - self.dim();
  TORCH_CHECK(missing >= 0, "repeat: Number of dimensions of repeat dims (", rank,
              ") can not be smaller than number of dimensions of tensor (", self.dim(), ")");
  // Each repeated dimension is a pair in the copy: the number of repeats, and the dimension itself.
  DimVector target, pairs, source, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = d < missing ? 1 : self.sizes()[d - missing], product;
    TORCH_CHECK(!__builtin_mul_overflow(size, repeats[d], &product),
                "repeat: the size of dimension ", d, " overflows");
    sizes.push_back(product);
    if (repeats[d] != 1) {
      pairs.push_back(repeats[d]);
      source.push_back(1);
    }
    pairs.push_back(size);
    source.push_back(size);
  }
  checked_numel(sizes, "repeat");
  Tensor result = empty_tensor(sizes, self.scalar_type(), self.device());
  if (result.numel() == 0) return result;
  Tensor to = at::view(result, pairs);
  at::_ops::copy_::call(to, at::expand(at::reshape(self, source), pairs), false);
  return result;
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
  int64_t missing = self.dim() - static_cast<int64_t>(dims.size());
  if (missing <= 0) return at::repeat(self, dims);
  DimVector all(missing, 1);
  all.append(dims.begin(), dims.end());
  return at::repeat(self, all);
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> output_size) {
  Tensor input = dim ? self : at::flatten(self);
  int64_t d = maybe_wrap_dim(dim.value_or(0), input.dim(), "repeat_interleave");
  int64_t size = input.dim() == 0 ? 1 : input.sizes()[d];
  Tensor counts = repeats;
  if (repeats.dim() == 0 || (repeats.dim() == 1 && repeats.sizes()[0] == 1)) {
    counts = at::expand(at::reshape(repeats, {1}), {size});
  } else {
    TORCH_CHECK(repeats.dim() == 1, "repeats must be 0-dim or 1-dim tensor, got ", repeats.dim(),
                " dimensions");
    TORCH_CHECK(repeats.sizes()[0] == size,
                "repeats must have the same size as input along dim, but got repeats.size(0) = ",
                repeats.sizes()[0], " and input.size(", d, ") = ", size);
  }
  return at::index_select(input, d, at::repeat_interleave(counts, output_size));
}

Tensor repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats >= 0, "Repeats must be non-negative, got ", repeats);
  Tensor input = dim ? self : at::flatten(self);
  if (input.dim() == 0) input = at::reshape(input, {1});
  int64_t d = maybe_wrap_dim(dim.value_or(0), self.dim() == 0 || !dim ? 1 : self.dim(),
                             "repeat_interleave");
  DimVector sizes(input.sizes());
  int64_t product;
  TORCH_CHECK(!__builtin_mul_overflow(sizes[d], repeats, &product),
              "repeat_interleave: the size of the result overflows");
  TORCH_CHECK(!output_size || *output_size == product,
              "repeat_interleave: Invalid output_size, expected ", product, " but got ",
              output_size.value_or(0));
  Tensor wide = at::unsqueeze(input, d + 1);
  DimVector expanded(wide.sizes());
  expanded[d + 1] = repeats;
  return at::flatten(at::clone(at::expand(wide, expanded), MemoryFormat::Contiguous), d, d + 1);
}

// --- order ---------------------------------------------------------------------------------------

}  // namespace at::native
