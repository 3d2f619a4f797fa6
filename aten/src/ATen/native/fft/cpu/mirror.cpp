// The second half of the spectrum of real numbers.

#include <ATen/Parallel.h>
#include <ATen/native/fft/fft.h>
#include <c10/util/complex.h>

namespace at::native {
namespace {

template <typename T>
void mirror(const Tensor& spectrum, IntArrayRef dims) {
  const int64_t last = dims.back(), n = spectrum.size(last), stride = spectrum.stride(last),
                ndim = spectrum.dim();
  if (spectrum.numel() == 0) return;
  // A row's mirror image is at the negative index along each transformed dimension.
  c10::SmallVector<uint8_t, 8> negative(ndim, 0);
  for (int64_t d : dims) negative[d] = 1;
  auto* data = static_cast<c10::complex<T>*>(spectrum.data_ptr());
  parallel_for(0, spectrum.numel() / n, std::max<int64_t>(1, kGrainSize / n),
               [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row, to = 0, from = 0;
      for (int64_t d = ndim - 1; d >= 0; --d) {
        if (d == last) continue;
        const int64_t size = spectrum.size(d), i = rest % size;
        rest /= size;
        to += i * spectrum.stride(d);
        from += (negative[d] && i > 0 ? size - i : i) * spectrum.stride(d);
      }
      for (int64_t k = n / 2 + 1; k < n; ++k) {
        const c10::complex<T> value = data[from + (n - k) * stride];
        data[to + k * stride] = {value.real(), -value.imag()};
      }
    }
  });
}

void mirror_kernel(const Tensor& spectrum, IntArrayRef dims) {
  if (spectrum.scalar_type() == kComplexDouble) {
    mirror<double>(spectrum, dims);
  } else {
    mirror<float>(spectrum, dims);
  }
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(fft_mirror_stub, &mirror_kernel)

}  // namespace at::native
