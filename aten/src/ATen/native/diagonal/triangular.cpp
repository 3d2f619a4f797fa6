// tril, triu.

#include <algorithm>

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/diagonal/diagonal.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>

namespace at {

static void set_meta(MetaBase& m, const Tensor& self) {
  TORCH_CHECK(self.dim() >= 2, m.op_name(), ": input tensor must have at least 2 dimensions, got ",
              self.dim());
  m.set_output(0, self.sizes(), self.options());
}

namespace meta {
void tril(MetaBase& m, const Tensor& self, int64_t) { set_meta(m, self); }
void triu(MetaBase& m, const Tensor& self, int64_t) { set_meta(m, self); }
}  // namespace meta

namespace native {
namespace {

// Copies the rows of matrices that are not cleared as a whole, and of wide ones the columns.
void copy_rows_with_elements(const Tensor& target, const Tensor& self, int64_t diagonal,
                             bool lower) {
  const int64_t rows = self.sizes()[self.dim() - 2], columns = self.sizes().back();
  const int64_t begin = lower ? std::clamp<int64_t>(-diagonal, 0, rows) : 0;
  const int64_t end = lower ? rows : std::clamp<int64_t>(columns - diagonal, 0, rows);
  if (begin == end) return;
  const int64_t first = lower ? 0 : std::clamp<int64_t>(diagonal + begin, 0, columns);
  const int64_t last = lower ? std::clamp<int64_t>(end + diagonal, 0, columns) : columns;
  const bool all_rows = end - begin == rows, wide = last - first <= columns / 2;
  const auto part = [&](const Tensor& t) {
    const Tensor kept = all_rows ? t : at::narrow(t, -2, begin, end - begin);
    return wide ? at::narrow(kept, -1, first, last - first) : kept;
  };
  Tensor to = part(target);
  at::native::copy_(to, part(self), false);
}

void triangle(const Tensor& self, int64_t diagonal, const Tensor& out, bool lower) {
  if (self.numel() == 0) return;
  diagonal = std::clamp(diagonal, -self.sizes()[self.dim() - 2] - 1, self.sizes().back() + 1);
  DenseResult result(out, out.scalar_type());
  Tensor target = result.tensor();
  if (!self.is_same(target)) copy_rows_with_elements(target, self, diagonal, lower);
  keep_triangle_stub(target.device().type(), target, diagonal, lower);
  result.finish();
}

}  // namespace

void tril_kernel(const Tensor& self, int64_t diagonal, const Tensor& out) {
  triangle(self, diagonal, out, true);
}
void triu_kernel(const Tensor& self, int64_t diagonal, const Tensor& out) {
  triangle(self, diagonal, out, false);
}

}  // namespace native
}  // namespace at
