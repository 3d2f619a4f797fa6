// Elements reordered along dimensions: roll, flip, rot90.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/flip_native.h>
#include <ATen/ops/fliplr_native.h>
#include <ATen/ops/flipud_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/roll_native.h>
#include <ATen/ops/rot90_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/transpose__ops.h>
#include <ATen/ops/view.h>
#include <c10/util/SmallVector.h>

namespace at::native {

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
