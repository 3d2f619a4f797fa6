#pragma once
// Dense operands for kernels that work along one dimension: tensors viewed as [outer, n, inner].

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

// A contiguous tensor to write a result to: the result itself, or a temporary that `finish` copies
// from. Undefined if the result is.
class DenseResult {
 public:
  DenseResult(const Tensor& out, ScalarType dtype) : out_(out), dense_(out) {
    if (out.defined() && !(out.is_contiguous() && out.scalar_type() == dtype))
      dense_ = empty_tensor(out.sizes(), dtype, out.device());
  }
  const Tensor& tensor() const { return dense_; }
  void finish() {
    if (!dense_.is_same(out_)) copy_(out_, dense_, false);
  }

 private:
  Tensor out_, dense_;
};

}  // namespace at::native
