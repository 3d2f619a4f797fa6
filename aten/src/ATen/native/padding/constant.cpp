// Pads the last dimensions with a constant, by reflection, by replication, or circularly.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/factories/factories.h>
#include <ATen/ops/_pad_circular.h>
#include <ATen/ops/_pad_circular_native.h>
#include <ATen/ops/_pad_enum.h>
#include <ATen/ops/_pad_enum_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/constant_pad_nd_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/fill__ops.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/new_empty.h>
#include <ATen/ops/pad_native.h>
#include <ATen/ops/reflection_pad1d.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/reflection_pad3d.h>
#include <ATen/ops/replication_pad1d.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/replication_pad3d.h>
#include <ATen/ops/slice.h>

namespace at::native {

// The padded sizes; pad lists two numbers per dimension, from the last dimension to the first.
static DimVector padded_sizes(const Tensor& self, IntArrayRef pad, const char* op) {
  TORCH_CHECK(pad.size() % 2 == 0, op, ": Padding length must be divisible by 2, got ", pad.size());
  int64_t n = static_cast<int64_t>(pad.size()) / 2;
  TORCH_CHECK(n <= self.dim(), op,
              ": Padding length should be less than or equal to two times the input dimension but "
              "got padding length ",
              pad.size(), " and input of dimension ", self.dim());
  DimVector sizes(self.sizes());
  for (int64_t k = 0; k < n; ++k) {
    int64_t& size = sizes[self.dim() - 1 - k];
    int64_t total;
    bool overflow = __builtin_add_overflow(size, pad[2 * k], &total) |
                    __builtin_add_overflow(total, pad[2 * k + 1], &total);
    TORCH_CHECK(!overflow && total >= 0, op, ": The input size ", size, ", plus negative padding ",
                pad[2 * k], " and ", pad[2 * k + 1],
                " resulted in a negative output size, which is invalid. Check dimension ",
                self.dim() - 1 - k, " of your input.");
    size = total;
  }
  return sizes;
}

Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value) {
  DimVector sizes = padded_sizes(self, pad, "constant_pad_nd");
  Tensor result = at::empty(sizes, self.options(), self.suggest_memory_format());
  // Threads would wait for numbers that another one has just filled: long rows are filled at their
  // edges alone.
  constexpr int64_t kLongRow = 512, kManyNumbers = 16384;
  const bool only_edges = result.numel() >= kManyNumbers && sizes.back() >= kLongRow;
  // Negative padding alone leaves no element to fill.
  const bool adds = std::any_of(pad.begin(), pad.end(), [](int64_t p) { return p > 0; });
  if (adds && !only_edges) at::_ops::fill__Scalar::call(result, value);
  Tensor from = self, to = result;
  for (size_t k = 0; 2 * k < pad.size(); ++k) {
    int64_t d = self.dim() - 1 - static_cast<int64_t>(k);
    int64_t before = std::max<int64_t>(pad[2 * k], 0), after = std::max<int64_t>(pad[2 * k + 1], 0);
    int64_t skip = std::max<int64_t>(-pad[2 * k], 0),
            kept = self.sizes()[d] - skip - std::max<int64_t>(-pad[2 * k + 1], 0);
    const auto fill_edge = [&](int64_t begin, int64_t count) {
      if (count == 0 || !only_edges) return;
      Tensor edge = at::narrow(to, d, begin, count);
      at::_ops::fill__Scalar::call(edge, value);
    };
    if (kept <= 0) {
      fill_edge(0, sizes[d]);
      return result;
    }
    fill_edge(0, before);
    fill_edge(before + kept, after);
    from = at::narrow(from, d, skip, kept);
    to = at::narrow(to, d, before, kept);
  }
  at::_ops::copy_::call(to, from, false);
  return result;
}

// The edges are copied from the opposite side: blocks of the result, dimension by dimension.
Tensor _pad_circular(const Tensor& self, IntArrayRef pad) {
  int64_t n = static_cast<int64_t>(pad.size()) / 2;
  TORCH_CHECK(n + 2 == self.dim() || n + 1 == self.dim() || n <= self.dim(),
              "Invalid padding size, expected ", 2 * (self.dim() - 2), " but got ", pad.size());
  DimVector sizes = padded_sizes(self, pad, "_pad_circular");
  Tensor out = at::new_empty(self, sizes);
  Tensor from = self, to = out;
  for (int64_t k = 0; k < n; ++k) {
    int64_t d = self.dim() - 1 - k, before = pad[2 * k], after = pad[2 * k + 1],
            size = self.sizes()[d];
    TORCH_CHECK(before <= size && after <= size,
                "Padding value causes wrapping around more than once.");
    TORCH_CHECK(sizes[d] >= 0, "Negative padding value is resulting in an empty dimension");
    to = at::slice(to, d, std::max<int64_t>(before, 0), sizes[d] - std::max<int64_t>(after, 0));
    from = at::slice(from, d, std::max<int64_t>(-before, 0), size - std::max<int64_t>(-after, 0));
  }
  at::_ops::copy_::call(to, from, false);
  for (int64_t k = 0; k < n; ++k) {
    int64_t d = self.dim() - 1 - k, before = pad[2 * k], after = pad[2 * k + 1];
    if (before > 0) {
      Tensor edge = at::slice(out, d, 0, before);
      int64_t end = sizes[d] - std::max<int64_t>(after, 0);
      at::_ops::copy_::call(edge, at::slice(out, d, end - before, end), false);
    }
    if (after > 0) {
      Tensor edge = at::slice(out, d, sizes[d] - after, sizes[d]);
      int64_t begin = std::max<int64_t>(before, 0);
      at::_ops::copy_::call(edge, at::slice(out, d, begin, begin + after), false);
    }
  }
  return out;
}

// Modes: 0 reflect, 1 replicate, 2 circular, 3 constant.
Tensor _pad_enum(const Tensor& self, IntArrayRef pad, int64_t mode, std::optional<double> value) {
  TORCH_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2, got ", pad.size());
  TORCH_CHECK(static_cast<int64_t>(pad.size()) <= self.dim() * 2,
              "Padding length should be less than or equal to two times the input dimension but "
              "got padding length ",
              pad.size(), " and input of dimension ", self.dim());
  if (mode == 3) return at::constant_pad_nd(self, pad, value.value_or(0.0));
  TORCH_CHECK(!value || *value == 0, "Padding mode \"",
              mode == 0   ? "reflect"
              : mode == 1 ? "replicate"
                          : "circular",
              "\" doesn't take in value argument");
  int64_t n = static_cast<int64_t>(pad.size()) / 2, rank = self.dim();
  if (n == 1 && (rank == 2 || rank == 3)) {
    if (mode == 0) return at::reflection_pad1d(self, pad);
    if (mode == 1) return at::replication_pad1d(self, pad);
    if (mode == 2) return at::_pad_circular(self, pad);
  }
  if (n == 2 && (rank == 3 || rank == 4)) {
    if (mode == 0) return at::reflection_pad2d(self, pad);
    if (mode == 1) return at::replication_pad2d(self, pad);
    if (mode == 2) return at::_pad_circular(self, pad);
  }
  if (n == 3 && (rank == 4 || rank == 5)) {
    if (mode == 0) return at::reflection_pad3d(self, pad);
    if (mode == 1) return at::replication_pad3d(self, pad);
    if (mode == 2) return at::_pad_circular(self, pad);
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  __builtin_unreachable();
}

Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode,
           std::optional<double> value) {
  int64_t number = mode == "reflect"     ? 0
                   : mode == "replicate" ? 1
                   : mode == "circular"  ? 2
                   : mode == "constant"  ? 3
                                         : -1;
  TORCH_CHECK_NOT_IMPLEMENTED(number >= 0, "Unrecognised padding mode ", mode);
  return at::_pad_enum(self, pad, number, value);
}

}  // namespace at::native
