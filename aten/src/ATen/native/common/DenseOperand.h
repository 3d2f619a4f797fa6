#pragma once
// Dense operands of kernels that work along one dimension: tensors taken as [outer, n, inner].

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/copy__native.h>

namespace at::native {

struct Dense3 {
  int64_t outer, n, inner;
};

inline Dense3 dense_shape(const Tensor& t, int64_t dim) {
  Dense3 s{1, 1, 1};
  if (t.dim() == 0) return s;
  int64_t d = maybe_wrap_dim(dim, t.dim());
  for (int64_t k = 0; k < d; ++k) s.outer *= t.sizes()[k];
  s.n = t.sizes()[d];
  for (int64_t k = d + 1; k < t.dim(); ++k) s.inner *= t.sizes()[k];
  return s;
}

// Dense memory for a result: its own, or a temporary that `finish` copies from.
class DenseResult {
 public:
  DenseResult(const Tensor& out, ScalarType dtype)
      : out_(out),
        made_(out.is_contiguous() && out.scalar_type() == dtype
                  ? out
                  : empty_tensor(out.sizes(), dtype)) {}
  void* data() const { return made_.data_ptr(); }
  void finish() {
    if (!made_.is_same(out_)) copy_(out_, made_, false);
  }

 private:
  Tensor out_, made_;
};

}  // namespace at::native
