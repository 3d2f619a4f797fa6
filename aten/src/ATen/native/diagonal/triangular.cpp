// tril, triu.

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/diagonal/diagonal.h>
#include <ATen/ops/copy__native.h>
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

void triangle(const Tensor& self, int64_t diagonal, const Tensor& out, bool lower) {
  if (self.numel() == 0) return;
  DenseResult result(out, out.scalar_type());
  Tensor target = result.tensor();
  if (!self.is_same(target)) at::native::copy_(target, self, false);
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
