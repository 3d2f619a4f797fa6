// Counts the elements that a mask selects, in pieces, and then moves them: masked_select,
// masked_scatter, nonzero.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/masked/masked.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/masked_select_native.h>
#include <ATen/ops/nonzero_native.h>

namespace at::native {
namespace {

// Converts the counts of a mask's pieces to the position where each piece's elements begin. The
// last entry is the total.
struct MaskPieces {
  explicit MaskPieces(const bool* mask, int64_t numel) : numel(numel) {
    int64_t n = numel < kGrainSize ? 1 : get_num_threads();
    each = std::max<int64_t>(1, divup(divup(numel, n), 64) * 64);
    n = std::max<int64_t>(1, divup(numel, each));
    begins.assign(n + 1, 0);
    parallel_for(0, n, 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k)
        begins[k + 1] = count_true_stub(kCPU, mask + k * each, length(k));
    });
    for (int64_t k = 0; k < n; ++k) begins[k + 1] += begins[k];
  }
  int64_t size() const { return static_cast<int64_t>(begins.size()) - 1; }
  int64_t length(int64_t k) const { return std::min(each, numel - k * each); }
  int64_t count(int64_t k) const { return begins[k + 1] - begins[k]; }
  int64_t total() const { return begins.back(); }

  int64_t numel, each;
  std::vector<int64_t> begins;
};

// The same as write_coordinates, line by line of the last dimension: all positions of a line have
// its coordinates.
void write_coordinates_of_lines(int64_t* rows, int64_t stride, IntArrayRef sizes, int64_t count) {
  const int64_t last = static_cast<int64_t>(sizes.size()) - 1, length = sizes[last];
  int64_t* const positions = rows + last * stride;
  for (int64_t i = 0; i < count;) {
    int64_t line = positions[i] / length;
    const int64_t start = line * length;
    const int64_t end =
        std::lower_bound(positions + i, positions + count, start + length) - positions;
    for (int64_t d = last - 1; d >= 0; --d) {
      std::fill(rows + d * stride + i, rows + d * stride + end, line % sizes[d]);
      line /= sizes[d];
    }
    for (; i < end; ++i) positions[i] -= start;
  }
}

// Rows of coordinates, `stride` apart, for the ascending positions in the last of them.
void write_coordinates(int64_t* rows, int64_t stride, IntArrayRef sizes, int64_t count) {
  constexpr int64_t kPerLine = 8;  // positions of a line that are worth looking for its end
  const int64_t last = static_cast<int64_t>(sizes.size()) - 1;
  if (count == 0) return;
  if (const int64_t* p = rows + last * stride;
      (p[count - 1] - p[0]) / sizes[last] < count / kPerLine)
    return write_coordinates_of_lines(rows, stride, sizes, count);
  DimVector at(sizes.size(), 0);
  int64_t* positions = rows + last * stride;
  int64_t before = 0;
  for (int64_t i = 0; i < count; ++i) {
    // From the element before: most steps carry nothing, and need no division.
    at[last] += positions[i] - before;
    before = positions[i];
    for (int64_t d = last; d > 0 && at[d] >= sizes[d]; --d) {
      const int64_t carry = at[d] < 2 * sizes[d] ? 1 : at[d] / sizes[d];
      at[d] -= carry * sizes[d];
      at[d - 1] += carry;
    }
    for (int64_t d = 0; d <= last; ++d) rows[d * stride + i] = at[d];
  }
}

Tensor expanded(const Tensor& t, IntArrayRef sizes) {
  return at::contiguous(t.sizes() == sizes ? t : at::expand(t, sizes));
}

}  // namespace

static void masked_scatter_kernel(const Tensor& self_, const Tensor& mask, const Tensor& source) {
  Tensor self = self_;
  Tensor m = expanded(mask, self.sizes()), from = at::contiguous(source);
  Tensor to = self.is_contiguous() ? self : at::clone(self, MemoryFormat::Contiguous);
  const bool* bits = static_cast<const bool*>(m.data_ptr());
  MaskPieces pieces(bits, m.numel());
  TORCH_CHECK(pieces.total() <= source.numel(), "masked_scatter: Number of elements of source (",
              source.numel(), ") < number of ones in mask (", pieces.total(), ")");
  char* target = static_cast<char*>(to.data_ptr());
  const char* values = static_cast<const char*>(from.data_ptr());
  const int64_t item = static_cast<int64_t>(self.itemsize());
  parallel_for(0, pieces.size(), 1, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      const int64_t begin = k * pieces.each;
      expand_stub(kCPU, target + begin * item, values + pieces.begins[k] * item, bits + begin,
                  pieces.length(k), pieces.count(k), item);
    }
  });
  if (!to.is_same(self)) at::_ops::copy_::call(self, to, false);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask, got ",
              dtypeName(mask.scalar_type()));
  DimVector shape = infer_broadcast_sizes(self.sizes(), mask.sizes(), "masked_select");
  Tensor m = expanded(mask, shape), x = expanded(self, shape);
  const bool* bits = static_cast<const bool*>(m.data_ptr());
  MaskPieces pieces(bits, m.numel());
  Tensor result = empty_tensor({pieces.total()}, self.scalar_type());
  char* to = static_cast<char*>(result.data_ptr());
  const char* from = static_cast<const char*>(x.data_ptr());
  int64_t item = static_cast<int64_t>(self.itemsize());
  parallel_for(0, pieces.size(), 1, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      int64_t begin = k * pieces.each;
      compress_stub(kCPU, to + pieces.begins[k] * item, from + begin * item, bits + begin,
                    pieces.length(k), pieces.count(k), item);
    }
  });
  return result;
}

// The stored result has one row per dimension; the caller sees the transpose.
Tensor nonzero(const Tensor& self) {
  Tensor m = self.scalar_type() == kBool ? self : at::_to_copy(self, TensorOptions(kBool));
  m = at::contiguous(m);
  const bool* bits = static_cast<const bool*>(m.data_ptr());
  MaskPieces pieces(bits, m.numel());
  int64_t n = pieces.total(), rank = self.dim();
  Tensor rows = empty_tensor({rank, n}, kLong);
  int64_t* at = static_cast<int64_t*>(rows.data_ptr());
  if (rank > 0 && n > 0) {
    IntArrayRef sizes = self.sizes();
    parallel_for(0, pieces.size(), 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        int64_t begin = pieces.begins[k], count = pieces.count(k);
        int64_t* innermost = at + (rank - 1) * n + begin;
        compress_positions_stub(kCPU, innermost, bits + k * pieces.each, pieces.length(k),
                                k * pieces.each, count);
        if (rank > 1) write_coordinates(at + begin, n, sizes, count);
      }
    });
  }
  auto impl = rows.unsafeGetTensorImpl();
  impl->set_sizes_and_strides({n, rank}, {1, std::max<int64_t>(n, 1)});
  return rows;
}

REGISTER_ALL_CPU_DISPATCH(masked_scatter_stub, &masked_scatter_kernel)

}  // namespace at::native
