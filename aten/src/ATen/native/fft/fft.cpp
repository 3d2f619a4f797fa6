// _fft_c2c, _fft_r2c, _fft_c2r.

#include <ATen/native/fft/fft.h>

#include <algorithm>
#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_fft_c2c_native.h>
#include <ATen/ops/_fft_c2r_native.h>
#include <ATen/ops/_fft_r2c_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/narrow.h>
#include <c10/util/accumulate.h>

namespace at::native {
namespace {

DimVector wrapped_dims(const char* op, const Tensor& self, IntArrayRef dims) {
  DimVector found;
  for (int64_t d : dims) {
    const int64_t wrapped = maybe_wrap_dim(d, self.dim(), op);
    TORCH_CHECK(std::find(found.begin(), found.end(), wrapped) == found.end(), op, ": dimension ",
                wrapped, " appears twice in dim");
    found.push_back(wrapped);
  }
  return found;
}

double scale_of(const char* op, int64_t normalization, const Tensor& points, IntArrayRef dims) {
  TORCH_CHECK(normalization >= 0 && normalization <= 2, op,
              ": expected normalization 0, 1 or 2, got ", normalization);
  double n = 1;
  for (int64_t d : dims) n *= static_cast<double>(points.size(d));
  if (normalization == int64_t(FFTNorm::by_root_n)) return 1 / std::sqrt(n);
  return normalization == int64_t(FFTNorm::by_n) ? 1 / n : 1.0;
}

void check_lengths(const char* op, const Tensor& self, IntArrayRef dims) {
  for (int64_t d : dims)
    TORCH_CHECK(self.size(d) > 0, op, ": expected at least one point along dimension ", d,
                ", got a tensor of shape ", self.sizes());
}

bool is_half(const Tensor& t) { return toRealValueType(t.scalar_type()) == kHalf; }

void check_complex(const char* op, const Tensor& self) {
  TORCH_CHECK(self.is_complex(), op, ": expected a tensor of complex64 or complex128, got ",
              self.scalar_type());
}

// `points` has the lengths of the transform.
void check_half(const Tensor& self, const Tensor& points, IntArrayRef dims) {
  if (!is_half(self)) return;
  DimVector lengths;
  for (int64_t d : dims) lengths.push_back(points.size(d));
  fft_check_half_stub(self.device().type(), lengths);
}

}  // namespace

Tensor empty_for_fft(const Tensor& like, IntArrayRef sizes, ScalarType dtype, IntArrayRef dims,
                     int64_t last) {
  auto rank = [&](int64_t d) {
    return d == last ? 2 : std::find(dims.begin(), dims.end(), d) != dims.end() ? 1 : 0;
  };
  DimVector order;
  for (int64_t d = 0; d < like.dim(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : like.stride(a) > like.stride(b);
  });
  DimVector strides(like.dim(), 1);
  int64_t stride = 1;
  for (int64_t k = like.dim() - 1; k >= 0; --k) {
    strides[order[k]] = stride;
    stride = c10::wrapping_product(stride, std::max<int64_t>(1, sizes[order[k]]));
  }
  return empty_strided_tensor(sizes, strides, dtype, like.device());
}

DimVector innermost_last(const Tensor& t, IntArrayRef dims) {
  DimVector sorted(dims.begin(), dims.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int64_t a, int64_t b) { return t.stride(a) > t.stride(b); });
  return sorted;
}

Tensor _fft_c2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool forward) {
  check_complex("_fft_c2c", self);
  if (dim.empty()) return at::clone(self);
  const DimVector dims = innermost_last(self, wrapped_dims("_fft_c2c", self, dim));
  check_lengths("_fft_c2c", self, dims);
  check_half(self, self, dims);
  const double scale = scale_of("_fft_c2c", normalization, self, dims);
  Tensor out = empty_for_fft(self, self.sizes(), self.scalar_type(), dims, -1);
  fft_stub(out.device().type(), FFTKind::c2c, self, out, dims, scale, forward);
  return out;
}

Tensor _fft_r2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool onesided) {
  TORCH_CHECK(self.scalar_type() == kFloat || self.scalar_type() == kDouble || is_half(self),
              "_fft_r2c: expected a tensor of float32 or float64, got ", self.scalar_type());
  TORCH_CHECK(!dim.empty(), "_fft_r2c: expected at least one dimension to transform");
  DimVector dims = wrapped_dims("_fft_r2c", self, dim);
  check_lengths("_fft_r2c", self, dims);
  // All dimensions of a whole spectrum are alike: the cheapest one is halved.
  if (!onesided) dims = innermost_last(self, dims);
  const int64_t last = dims.back(), half = self.size(last) / 2 + 1;
  check_half(self, self, dims);
  const double scale = scale_of("_fft_r2c", normalization, self, dims);
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  if (onesided) sizes[last] = half;
  Tensor out = empty_for_fft(self, sizes, toComplexType(self.scalar_type()), dims, last);
  Tensor computed = onesided ? out : at::narrow(out, last, 0, half);
  fft_stub(out.device().type(), FFTKind::r2c, self, computed, dims, scale, true);
  if (!onesided) fft_mirror_stub(out.device().type(), out, dims);
  return out;
}

Tensor _fft_c2r(const Tensor& self, IntArrayRef dim, int64_t normalization, int64_t last_dim_size) {
  check_complex("_fft_c2r", self);
  TORCH_CHECK(!dim.empty(), "_fft_c2r: expected at least one dimension to transform");
  const DimVector dims = wrapped_dims("_fft_c2r", self, dim);
  check_lengths("_fft_c2r", self, dims);
  const int64_t last = dims.back();
  TORCH_CHECK(last_dim_size > 0, "_fft_c2r: expected last_dim_size to be positive, got ",
              last_dim_size);
  TORCH_CHECK(self.size(last) == last_dim_size / 2 + 1, "_fft_c2r: expected ",
              last_dim_size / 2 + 1, " points along dimension ", last, " for last_dim_size ",
              last_dim_size, ", got ", self.size(last));
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  sizes[last] = last_dim_size;
  Tensor out = empty_for_fft(self, sizes, toRealValueType(self.scalar_type()),
                             IntArrayRef(dims).slice(0, dims.size() - 1), last);
  check_half(self, out, dims);
  fft_stub(out.device().type(), FFTKind::c2r, self, out, dims,
           scale_of("_fft_c2r", normalization, out, dims), false);
  return out;
}

}  // namespace at::native
