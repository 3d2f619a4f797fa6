// The arguments that functions of torch.fft share: n, s, dim, norm, and the types of their inputs.

#include <ATen/native/fft/fft.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/slice.h>

namespace at::native {

FFTNorm fft_norm(const std::optional<std::string_view>& name, bool forward) {
  if (!name || *name == "backward") return forward ? FFTNorm::none : FFTNorm::by_n;
  if (*name == "forward") return forward ? FFTNorm::by_n : FFTNorm::none;
  TORCH_CHECK(*name == "ortho", "Invalid normalization mode: \"", *name,
              "\"; expected \"backward\", \"ortho\" or \"forward\"");
  return FFTNorm::by_root_n;
}

void check_fft_length(int64_t n) {
  TORCH_CHECK(n >= 1, "Invalid number of data points (", n, ") specified");
}

Tensor fft_promoted(const Tensor& self, bool make_complex) {
  ScalarType type = self.scalar_type();
  if (isIntegralType(type, true)) type = get_default_dtype();
  const bool is_half = toRealValueType(type) == kHalf;
  if (is_half) fft_check_half_stub(self.device().type(), {});
  TORCH_CHECK(
      type == kFloat || type == kDouble || isComplexType(type) || is_half, "Unsupported dtype ",
      self.scalar_type(),
      ": Fourier transforms take float32, float64, complex64, complex128, integers and bool");
  if (make_complex && !isComplexType(type)) type = toComplexType(type);
  return type == self.scalar_type() ? self : at::_to_copy(self, type);
}

Tensor fft_resized(const Tensor& self, IntArrayRef dims, IntArrayRef sizes) {
  Tensor found = self;
  DimVector padding(2 * self.dim(), 0);
  bool pads = false;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (sizes[k] == -1) continue;
    check_fft_length(sizes[k]);
    const int64_t d = dims[k], size = found.size(d);
    if (sizes[k] < size) {
      found = at::slice(found, d, 0, sizes[k]);
    } else if (sizes[k] > size) {
      padding[2 * (self.dim() - 1 - d) + 1] = sizes[k] - size;
      pads = true;
    }
  }
  return pads ? at::constant_pad_nd(found, padding) : found;
}

FFTShape fft_shape(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim) {
  FFTShape found;
  const int64_t rank = self.dim();
  if (dim) {
    for (int64_t d : *dim) found.dims.push_back(maybe_wrap_dim(d, rank));
    for (size_t k = 0; k < found.dims.size(); ++k) {
      for (size_t j = 0; j < k; ++j)
        TORCH_CHECK(found.dims[j] != found.dims[k], "FFT dims must be unique, got dimension ",
                    found.dims[k], " twice");
    }
    TORCH_CHECK(!s || s->size() == dim->size(),
                "When given, dim and shape arguments must have the same length, got ", dim->size(),
                " and ", s ? s->size() : 0);
  } else {
    const int64_t count = s ? static_cast<int64_t>(s->size()) : rank;
    TORCH_CHECK(count <= rank, "Got shape with ", count, " values but input tensor only has ", rank,
                " dimensions.");
    for (int64_t d = rank - count; d < rank; ++d) found.dims.push_back(d);
  }
  for (size_t k = 0; k < found.dims.size(); ++k) {
    const int64_t size = s && (*s)[k] != -1 ? (*s)[k] : self.size(found.dims[k]);
    check_fft_length(size);
    found.sizes.push_back(size);
  }
  return found;
}

}  // namespace at::native
