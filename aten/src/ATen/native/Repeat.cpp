// Tensors repeated and reordered: repeat, tile, repeat_interleave, roll, flip, rot90.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/ElementBits.h>
#include <ATen/native/StructuredOutputs.h>
#include <ATen/native/ViewUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/flip_native.h>
#include <ATen/ops/fliplr_native.h>
#include <ATen/ops/flipud_native.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/repeat.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/repeat_interleave_native.h>
#include <ATen/ops/repeat_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/roll_native.h>
#include <ATen/ops/rot90_native.h>
#include <ATen/ops/tile_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/transpose__ops.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <c10/util/SmallVector.h>

namespace at::native {

Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  int64_t rank = static_cast<int64_t>(repeats.size()), missing = rank - self.dim();
  TORCH_CHECK(missing >= 0, "repeat: Number of dimensions of repeat dims (", rank,
              ") can not be smaller than number of dimensions of tensor (", self.dim(), ")");
  // Each repeated dimension is a pair in the copy: how often, and the dimension itself.
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
  if (result.numel() == 0 || result.is_meta()) return result;
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

// The positions 0, 0, 1, 1, 1, ... with each as often as its entry says.
Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat, got ",
              repeats.dim(), " dimensions");
  TORCH_CHECK_NOT_IMPLEMENTED(repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
                              "\"repeat_interleave_cpu\" not implemented for '",
                              toString(repeats.scalar_type()), "': repeats are Long or Int");
  Tensor counts = repeats.scalar_type() == kInt ? at::_to_copy(repeats, TensorOptions(kLong))
                                                : at::contiguous(repeats);
  const int64_t* n = static_cast<const int64_t*>(counts.data_ptr());
  int64_t total = 0;
  for (int64_t k = 0; k < counts.numel(); ++k) {
    TORCH_CHECK(n[k] >= 0, "repeats can not be negative, got ", n[k]);
    TORCH_CHECK(!__builtin_add_overflow(total, n[k], &total),
                "repeat_interleave: the size of the result overflows");
  }
  TORCH_CHECK(!output_size || *output_size == total,
              "repeat_interleave: allocated size does not match required size: output_size is ",
              output_size.value_or(0), ", the repeats sum to ", total);
  Tensor result = empty_tensor({total}, repeats.scalar_type());
  Tensor longs = repeats.scalar_type() == kLong ? result : empty_tensor({total}, kLong);
  int64_t* to = static_cast<int64_t*>(longs.data_ptr());
  for (int64_t k = 0; k < counts.numel(); ++k) {
    std::fill(to, to + n[k], k);
    to += n[k];
  }
  if (!longs.is_same(result)) at::_ops::copy_::call(result, longs, false);
  return result;
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

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  if (dims.empty() && shifts.size() == 1) {
    Tensor flat = at::reshape(self, {-1});
    return at::view(native::roll(flat, shifts, IntArrayRef(int64_t(0))), self.sizes());
  }
  TORCH_CHECK(!shifts.empty(), "`shifts` required");
  TORCH_CHECK(shifts.size() == dims.size(),
              "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  TORCH_CHECK_INDEX(self.dim() > 0, "roll: Dimension specified as ", dims[0],
                    " but tensor has no dimensions");
  if (self.numel() == 0) return at::clone(self);
  if (!self.is_contiguous() && self.is_contiguous(MemoryFormat::ChannelsLast)) {
    DimVector places(dims);
    constexpr int64_t kPlace[] = {0, 3, 1, 2};
    for (int64_t& d : places) d = kPlace[maybe_wrap_dim(d, 4, "roll")];
    return at::permute(native::roll(at::permute(self, {0, 2, 3, 1}), shifts, places), {0, 3, 1, 2});
  }
  Tensor from = at::contiguous(self);
  for (size_t k = 0; k < dims.size(); ++k) {
    int64_t d = maybe_wrap_dim(dims[k], self.dim(), "roll"), size = self.sizes()[d];
    int64_t shift = ((shifts[k] % size) + size) % size;
    Tensor to = empty_tensor(self.sizes(), self.scalar_type(), self.device());
    if (to.is_meta()) return to;
    int64_t outer = 1, inner = static_cast<int64_t>(self.itemsize());
    for (int64_t i = 0; i < d; ++i) outer *= self.sizes()[i];
    for (int64_t i = d + 1; i < self.dim(); ++i) inner *= self.sizes()[i];
    const char* s = static_cast<const char*>(from.data_ptr());
    char* t = static_cast<char*>(to.data_ptr());
    int64_t row = size * inner, head = shift * inner;
    parallel_for(0, outer, std::max<int64_t>(1, 131072 / row), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        std::memcpy(t + o * row, s + (o + 1) * row - head, head);
        std::memcpy(t + o * row + head, s + o * row, row - head);
      }
    });
    from = to;
  }
  return at::contiguous(from, self.suggest_memory_format());
}

// dst[o, k] = src[o, size - 1 - k] for rows of `row` bytes.
static void reverse_rows(char* dst, const char* src, int64_t outer, int64_t size, int64_t row) {
  const int64_t grain = std::max<int64_t>(1, 131072 / std::max<int64_t>(row, 8));
  auto walk = [&](const auto& copy) {
    parallel_for(0, outer * size, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t o = begin / size, k = begin % size, n = std::min(end - begin, size - k);
        // Places k to k + n of this block come from what ends at size - k.
        copy(dst + begin * row, src + (o * size + size - k) * row, n);
        begin += n;
      }
    });
  };
  auto elements = [&](auto tag) {
    // A row can be several elements: it need not be aligned.
    struct __attribute__((packed, may_alias)) T {
      decltype(tag) value;
    };
    walk([](char* to, const char* from_end, int64_t n) {
      T* t = reinterpret_cast<T*>(to);
      const T* f = reinterpret_cast<const T*>(from_end);
      for (int64_t i = 0; i < n; ++i) t[i] = f[-1 - i];
    });
  };
  if (row == 1 || row == 2 || row == 4 || row == 8 || row == 16) return by_size(row, elements);
  walk([row](char* to, const char* from_end, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * row, from_end - (i + 1) * row, row);
  });
}

// Rows from last to first. Neighbouring dimensions that are both reversed are one.
Tensor flip(const Tensor& self, IntArrayRef dims) {
  uint64_t bits = 0;
  TORCH_CHECK(self.dim() <= 64, "flip: only tensors with up to 64 dims are supported");
  for (int64_t d : dims) {
    uint64_t bit = uint64_t(1) << maybe_wrap_dim(d, self.dim(), "flip");
    TORCH_CHECK(!(bits & bit), "flip: dim ", maybe_wrap_dim(d, self.dim()),
                " appears multiple times in the list of dims");
    bits |= bit;
  }
  Tensor result = at::empty_like(self);
  if (self.numel() == 0 || self.is_meta()) return result;
  struct Pass {
    int64_t outer, size, row;
  };
  c10::SmallVector<Pass, 4> passes;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!(bits >> d & 1)) continue;
    Pass p{1, 1, static_cast<int64_t>(self.itemsize())};
    for (int64_t i = 0; i < d; ++i) p.outer *= self.sizes()[i];
    for (; d < self.dim() && (bits >> d & 1); ++d) p.size *= self.sizes()[d];
    for (int64_t i = d; i < self.dim(); ++i) p.row *= self.sizes()[i];
    if (p.size > 1) passes.push_back(p);
  }
  Tensor current = at::contiguous(self);
  for (const Pass& p : passes) {
    bool last = &p == &passes.back() && result.is_contiguous();
    Tensor to = last ? result : empty_tensor(self.sizes(), self.scalar_type());
    reverse_rows(static_cast<char*>(to.data_ptr()), static_cast<const char*>(current.data_ptr()),
                 p.outer, p.size, p.row);
    current = to;
  }
  if (!current.is_same(result)) at::_ops::copy_::call(result, current, false);
  return result;
}

Tensor fliplr(const Tensor& self) {
  TORCH_CHECK(self.dim() >= 2, "Input must be >= 2-d, got ", self.dim(), " dimensions");
  return at::flip(self, {1});
}
Tensor flipud(const Tensor& self) {
  TORCH_CHECK(self.dim() >= 1, "Input must be >= 1-d, got ", self.dim(), " dimensions");
  return at::flip(self, {0});
}

Tensor rot90(const Tensor& self, int64_t k, IntArrayRef dims) {
  int64_t rank = self.dim();
  TORCH_CHECK(dims.size() == 2, "expected total rotation dims == 2, but got dims = ", dims.size());
  TORCH_CHECK(rank >= 2, "expected total dims >= 2, but got total dims = ", rank);
  TORCH_CHECK(dims[0] != dims[1] && std::abs(dims[0] - dims[1]) != rank,
              "expected rotation dims to be different, but got dim0 = ", dims[0],
              " and dim1 = ", dims[1]);
  TORCH_CHECK_INDEX(dims[0] < rank && dims[0] >= -rank,
                    "Rotation dim0 out of range, dim0 = ", dims[0]);
  TORCH_CHECK_INDEX(dims[1] < rank && dims[1] >= -rank,
                    "Rotation dim1 out of range, dim1 = ", dims[1]);
  Tensor turned;
  switch (((k % 4) + 4) % 4) {
    case 1:
      turned = at::flip(self, IntArrayRef(dims[1]));
      return at::_ops::transpose_::call(turned, dims[0], dims[1]);
    case 2:
      return at::flip(self, dims);
    case 3:
      turned = at::flip(self, IntArrayRef(dims[0]));
      return at::_ops::transpose_::call(turned, dims[0], dims[1]);
    default:
      return at::clone(self, MemoryFormat::Contiguous);
  }
}

}  // namespace at::native
