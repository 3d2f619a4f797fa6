// Reorders elements along dimensions: roll, flip, rot90.

#include <ATen/native/common/MemoryOrder.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/factories/factories.h>
#include <ATen/native/flip/flip.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/flip_native.h>
#include <ATen/ops/fliplr_native.h>
#include <ATen/ops/flipud_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/roll_native.h>
#include <ATen/ops/rot90_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/transpose__ops.h>
#include <ATen/ops/view.h>
#include <c10/util/SmallVector.h>

namespace at {
namespace {

// The number of bytes in a row of the dimensions from `dim` on.
int64_t row_bytes(const Tensor& t, int64_t dim) {
  int64_t bytes = static_cast<int64_t>(t.itemsize());
  for (int64_t d = dim; d < t.dim(); ++d) bytes *= t.sizes()[d];
  return bytes;
}

// A dimension that repeats one row, as those of an expanded tensor do, need not be reordered.
// Reorders the distinct rows by reorder(rows) if that changes them, and writes their repeats to
// out. False if no dimension repeats.
template <typename F>
bool reorder_distinct(const Tensor& self, IntArrayRef dims, const Tensor& out, const F& reorder) {
  const auto distinct = native::distinct_sizes(self.sizes(), self.strides());
  if (!distinct) return false;
  const DimVector& sizes = *distinct;
  Tensor result = out;
  const bool stays = std::all_of(dims.begin(), dims.end(), [&](int64_t d) {
    return sizes[maybe_wrap_dim(d, self.dim())] == 1;
  });
  if (stays) {
    at::_ops::copy_::call(result, self, false);
    return true;
  }
  Tensor rows =
      native::alias_with_sizes_and_strides(self, sizes, self.strides(), self.storage_offset());
  at::_ops::copy_::call(result, at::expand(reorder(rows), self.sizes()), false);
  return true;
}

// Runs the passes of a reordering one after the other, from self to out. Each pass reads and writes
// contiguous tensors: pass(to, from).
template <typename P, typename F>
void run_passes(const Tensor& self, const Tensor& out, const P& passes, const F& pass) {
  Tensor current = at::contiguous(self);
  for (const auto& p : passes) {
    const bool last = &p == &passes.back() && out.is_contiguous();
    Tensor to = last ? out : empty_tensor(self.sizes(), self.scalar_type(), self.device());
    pass(to, current, p);
    current = to;
  }
  Tensor result = out;
  if (!current.is_same(out)) at::_ops::copy_::call(result, current, false);
}

}  // namespace

namespace meta {

void roll(MetaBase& m, const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  if (!dims.empty() || shifts.size() != 1) {
    TORCH_CHECK(!shifts.empty(), "`shifts` required");
    TORCH_CHECK(shifts.size() == dims.size(),
                "shifts and dimensions must align. shifts: ", shifts.size(),
                ", dims:", dims.size());
    TORCH_CHECK_INDEX(self.dim() > 0, "roll: Dimension specified as ", dims[0],
                      " but tensor has no dimensions");
    for (int64_t d : dims) maybe_wrap_dim(d, self.dim(), "roll");
  }
  m.set_output(0, self.sizes(), self.options(),
               strides_for(self.sizes(), self.suggest_memory_format()));
}

void flip(MetaBase& m, const Tensor& self, IntArrayRef dims) {
  native::dim_bits(dims, self.dim(), "flip");
  m.set_output(0, self.sizes(), self.options(),
               native::strides_in_format(self, MemoryFormat::Preserve));
}

}  // namespace meta

namespace native {

// The dimensions of a tensor that was permuted to this order.
static DimVector moved_dims(IntArrayRef dims, IntArrayRef order) {
  const DimVector place = positions(order);
  DimVector moved(dims);
  for (int64_t& d : moved) d = place[maybe_wrap_dim(d, static_cast<int64_t>(order.size()))];
  return moved;
}

void roll_kernel(const Tensor& self, IntArrayRef shifts, IntArrayRef dims, const Tensor& out) {
  if (self.numel() == 0) return;
  auto rolled_rows = [&](const Tensor& rows) { return at::roll(rows, shifts, dims); };
  if (!dims.empty() && reorder_distinct(self, dims, out, rolled_rows)) return;
  if (!dims.empty() && permuted_alike(self, out)) {
    const DimVector order = memory_order(self);
    return roll_kernel(at::permute(self, order), shifts, moved_dims(dims, order),
                       at::permute(out, order));
  }
  c10::SmallVector<RolledDim, kMaxRolledDims> rolled;
  auto add = [&](int64_t size, int64_t row, int64_t shift) {
    shift = ((shift % size) + size) % size;
    if (shift != 0) rolled.push_back({size, row, shift});
  };
  if (dims.empty()) {
    add(self.numel(), static_cast<int64_t>(self.itemsize()), shifts[0]);
  } else {
    // A dimension may be named several times.
    DimVector shift_of(static_cast<size_t>(self.dim()), 0);
    for (size_t k = 0; k < dims.size(); ++k) {
      const int64_t d = maybe_wrap_dim(dims[k], self.dim());
      shift_of[d] = (shift_of[d] + shifts[k] % self.sizes()[d]) % self.sizes()[d];
    }
    for (int64_t d = 0; d < self.dim(); ++d)
      add(self.sizes()[d], row_bytes(self, d + 1), shift_of[d]);
  }
  c10::SmallVector<ArrayRef<RolledDim>, 1> passes;
  for (size_t k = 0; k < rolled.size(); k += kMaxRolledDims) {
    passes.push_back(
        ArrayRef<RolledDim>(rolled).slice(k, std::min(kMaxRolledDims, rolled.size() - k)));
  }
  run_passes(self, out, passes, [](const Tensor& to, const Tensor& from, ArrayRef<RolledDim> pass) {
    roll_dims_stub(to.device().type(), to, from, pass);
  });
}

// Reverses rows. Adjacent dimensions that are both reversed are merged.
void flip_kernel(const Tensor& self, IntArrayRef dims, const Tensor& out) {
  if (self.numel() == 0) return;
  auto flipped_rows = [&](const Tensor& rows) { return at::flip(rows, dims); };
  if (reorder_distinct(self, dims, out, flipped_rows)) return;
  if (permuted_alike(self, out)) {
    const DimVector order = memory_order(self);
    return flip_kernel(at::permute(self, order), moved_dims(dims, order), at::permute(out, order));
  }
  const uint64_t bits = dim_bits(dims, self.dim(), "flip");
  struct Pass {
    int64_t size, row;
  };
  c10::SmallVector<Pass, 4> passes;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!(bits >> d & 1)) continue;
    int64_t size = 1;
    for (; d < self.dim() && (bits >> d & 1); ++d) size *= self.sizes()[d];
    if (size > 1) passes.push_back({size, row_bytes(self, d)});
  }
  run_passes(self, out, passes, [](const Tensor& to, const Tensor& from, const Pass& p) {
    reverse_rows_stub(to.device().type(), to, from, p.size, p.row);
  });
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
  Tensor flipped;
  switch (((k % 4) + 4) % 4) {
    case 1:
      flipped = at::flip(self, IntArrayRef(dims[1]));
      return at::_ops::transpose_::call(flipped, dims[0], dims[1]);
    case 2:
      return at::flip(self, dims);
    case 3:
      flipped = at::flip(self, IntArrayRef(dims[0]));
      return at::_ops::transpose_::call(flipped, dims[0], dims[1]);
    default:
      return at::clone(self, MemoryFormat::Contiguous);
  }
}

}  // namespace native
}  // namespace at
