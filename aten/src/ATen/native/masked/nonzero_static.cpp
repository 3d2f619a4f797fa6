// nonzero with a result of a given size.

#include <ATen/native/common/HostValues.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/full.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/nonzero_static_native.h>

#include <algorithm>

namespace at::native {

Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value) {
  TORCH_CHECK(size >= 0, "nonzero_static: 'size' must be a non-negative integer, got ", size);
  Tensor result = at::full({size, self.dim()}, fill_value, self.options().dtype(kLong));
  if (!has_values(self)) return result;
  Tensor found = at::nonzero(self);
  const int64_t count = std::min(size, found.sizes()[0]);
  Tensor rows = at::narrow(result, 0, 0, count);
  at::copy_(rows, at::narrow(found, 0, 0, count));
  return result;
}

}  // namespace at::native
