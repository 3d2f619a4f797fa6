// nonzero with a result of a given size.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/full.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/nonzero_static_native.h>
#include <ATen/ops/select.h>

#include <algorithm>

namespace at::native {

Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value) {
  TORCH_CHECK(size >= 0, "nonzero_static: 'size' must be a non-negative integer, got ", size);
  Tensor result = at::full({size, self.dim()}, fill_value, self.options().dtype(kLong));
  if (!has_values(self)) return result;
  int64_t count = 0;
  // Copies the positions found in a part of self whose first row is `start`.
  auto take = [&](const Tensor& part, int64_t start) {
    Tensor found = at::nonzero(part);
    const int64_t num_taken = std::min(size - count, found.sizes()[0]);
    if (num_taken == 0) return;
    Tensor rows = at::narrow(result, 0, count, num_taken);
    at::copy_(rows, at::narrow(found, 0, 0, num_taken));
    if (start > 0) {
      Tensor column = at::select(rows, 1, 0);
      at::copy_(column, column + Scalar(start));
    }
    count += num_taken;
  };
  // The search stops where enough is found. Parts grow, so that an almost empty tensor costs few
  // calls.
  constexpr int64_t kFirstPart = 1 << 11;
  if (self.numel() <= 2 * kFirstPart || self.numel() <= 4 * size) {
    take(self, 0);
    return result;
  }
  const int64_t num_rows = self.sizes()[0], row = self.numel() / num_rows;
  int64_t part = std::max<int64_t>(1, std::max(kFirstPart, 2 * size) / row);
  for (int64_t start = 0; start < num_rows && count < size; start += part, part *= 4) {
    part = std::min(part, num_rows - start);
    take(at::narrow(self, 0, start, part), start);
  }
  return result;
}

}  // namespace at::native
