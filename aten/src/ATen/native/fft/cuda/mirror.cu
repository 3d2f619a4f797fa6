// Whole spectra of real numbers from their halves.

#include <algorithm>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/fft/fft.h>
#include <c10/util/complex.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

constexpr int kMaxDims = 16;

// Elements n / 2 + 1 to n - 1 of the last dimension, which is number 0 here. The mirror image of an
// element is at the negative index along each transformed dimension.
template <typename T>
struct Mirror {
  c10::complex<T>* data;
  int ndim;
  int64_t first, length;
  IndexDivision sizes[kMaxDims];
  int64_t strides[kMaxDims];
  bool is_negative[kMaxDims];

  __device__ void operator()(int64_t i) const {
    const auto [row, k] = sizes[0].divide(i);
    int64_t to = (first + k) * strides[0], from = (length - first - k) * strides[0], rest = row;
    for (int d = 1; d < ndim; ++d) {
      const auto [quotient, at] = sizes[d].divide(rest);
      rest = quotient;
      to += at * strides[d];
      from += (is_negative[d] && at > 0 ? sizes[d].size() - at : at) * strides[d];
    }
    const c10::complex<T> value = data[from];
    data[to] = c10::complex<T>(value.real(), -value.imag());
  }
};

template <typename T>
void mirror(const Tensor& spectrum, IntArrayRef dims) {
  const int64_t last = dims.back(), length = spectrum.size(last), first = length / 2 + 1;
  if (spectrum.numel() == 0 || first >= length) return;
  const int64_t n = spectrum.numel() / length * (length - first);
  Mirror<T> f;
  f.data = static_cast<c10::complex<T>*>(spectrum.data_ptr());
  f.first = first;
  f.length = length;
  f.ndim = 0;
  auto add = [&](int64_t size, int64_t stride, bool is_negative) {
    TORCH_CHECK(f.ndim < kMaxDims, "Fourier transforms on CUDA devices take up to ", kMaxDims,
                " dimensions");
    f.sizes[f.ndim] = IndexDivision(size, n);
    f.strides[f.ndim] = stride;
    f.is_negative[f.ndim++] = is_negative;
  };
  add(length - first, spectrum.stride(last), true);
  DimVector others;
  for (int64_t d = 0; d < spectrum.dim(); ++d)
    if (d != last && spectrum.size(d) > 1) others.push_back(d);
  const DimVector order = innermost_last(spectrum, others);
  for (size_t k = order.size(); k-- > 0;) {
    const bool is_negative = std::find(dims.begin(), dims.end(), order[k]) != dims.end();
    add(spectrum.size(order[k]), spectrum.stride(order[k]), is_negative);
  }
  gpu_for_each(spectrum, n, f);
}

void mirror_kernel(const Tensor& spectrum, IntArrayRef dims) {
  switch (spectrum.scalar_type()) {
    case kComplexDouble:
      return mirror<double>(spectrum, dims);
    case kComplexHalf:
      return mirror<c10::Half>(spectrum, dims);
    default:
      return mirror<float>(spectrum, dims);
  }
}

}  // namespace

REGISTER_CUDA_DISPATCH(fft_mirror_stub, &mirror_kernel)

}  // namespace at::native
