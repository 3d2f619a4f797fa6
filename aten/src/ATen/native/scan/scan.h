#pragma once
// Kernels along one dimension of dense tensors, viewed as [outer, n, inner].

#include <optional>

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

enum class ScanKind : uint8_t { sum, prod, max, min, logsumexp };

// How far apart, in elements, the elements of a line along `dim` are, and the beginnings of lines.
struct LineSteps {
  int64_t step, line_step;
};

// The steps of a tensor whose last dimension, but for those of size 1, is `dim`; nothing if they
// differ from line to line.
inline std::optional<LineSteps> line_steps(const Tensor& t, int64_t dim) {
  const int64_t d = t.dim() == 0 ? 0 : maybe_wrap_dim(dim, t.dim());
  LineSteps steps{t.dim() == 0 ? 1 : t.strides()[d], 0};
  if (dense_shape(t, dim).inner != 1) return std::nullopt;
  int64_t lines = 1;
  for (int64_t k = d; k-- > 0;) {
    if (t.sizes()[k] == 1) continue;
    if (lines == 1) steps.line_step = t.strides()[k];
    else if (t.strides()[k] != lines * steps.line_step) return std::nullopt;
    lines *= t.sizes()[k];
  }
  return steps;
}

// Running values along `dim` of contiguous tensors; on CPUs, `in` may have any line_steps. Elements
// are converted to the type of `out` first. `indices` (int64) is defined for max and min, whose two
// types agree.
DECLARE_DISPATCH(void (*)(ScanKind kind, const Tensor& in, const Tensor& out, const Tensor& indices,
                          int64_t dim),
                 scan_stub);

}  // namespace at::native
