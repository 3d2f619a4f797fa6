// tril, triu.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
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

// Zeroes what is outside of the triangle in dense rows of `columns` elements.
void keep_triangle(char* data, int64_t matrices, int64_t rows, int64_t columns, int64_t item,
                   int64_t diagonal, bool lower) {
  diagonal = std::clamp<int64_t>(diagonal, -rows - 1, columns + 1);
  parallel_for(0, matrices * rows, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(columns, 1)),
               [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      char* row = data + r * columns * item;
      // The first column above the diagonal (lower), or the first one that stays (upper).
      int64_t edge = std::clamp<int64_t>(r % rows + diagonal + (lower ? 1 : 0), 0, columns);
      if (lower) {
        std::memset(row + edge * item, 0, (columns - edge) * item);
      } else {
        std::memset(row, 0, edge * item);
      }
    }
  });
}

void triangle(const Tensor& self, int64_t diagonal, const Tensor& out, bool lower) {
  if (self.numel() == 0) return;
  int64_t rows = self.size(-2), columns = self.size(-1);
  bool direct = out.is_contiguous();
  Tensor target = direct ? out : empty_tensor(out.sizes(), out.scalar_type(), out.device());
  if (!self.is_same(target)) at::native::copy_(target, self, false);
  keep_triangle(static_cast<char*>(target.data_ptr()), self.numel() / (rows * columns), rows,
                columns, static_cast<int64_t>(self.itemsize()), diagonal, lower);
  if (!direct) {
    Tensor o = out;
    at::native::copy_(o, target, false);
  }
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
