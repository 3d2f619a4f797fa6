// Interpolations where the result has few elements.

#include <array>
#include <cmath>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/upsample/upsample.h>

namespace at::native {
namespace {

constexpr size_t kMaxDims = 3;
using Place = std::array<int64_t, kMaxDims>;

// The sum over the taps of N dimensions, of the element at `place` of the result. kTaps: of each
// dimension, or 0 if they differ.
template <size_t N, int kTaps, typename A, typename T>
C10_ALWAYS_INLINE A sum_taps(const FewTaps* dim, const int64_t* place, const T* from) {
  if constexpr (N == 0) {
    return static_cast<A>(*from);
  } else {
    const int64_t taps = kTaps ? kTaps : dim->taps;
    const int64_t* at = dim->place.data() + *place * taps;
    const double* weight = dim->weight.data() + *place * taps;
    A sum = 0;
    for (int64_t k = 0; k < taps; ++k)
      sum +=
          static_cast<A>(weight[k]) * sum_taps<N - 1, kTaps, A>(dim + 1, place + 1, from + at[k]);
    return sum;
  }
}

template <typename T, typename A>
T rounded(A x) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return static_cast<T>(std::min(std::max(std::nearbyint(x), A(0)), A(255)));
  else return static_cast<T>(x);
}

// The elements of an image along dimensions d and after it, for all channels.
template <size_t N, int kTaps, typename A, typename T>
void sum_image(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims, size_t d,
               Place& place, const T* from, T* to) {
  for (place[d] = 0; place[d] < out.sizes()[d + 2]; ++place[d]) {
    if (d + 1 < N) {
      sum_image<N, kTaps, A>(x, out, dims, d + 1, place, from, to);
    } else {
      for (int64_t c = 0; c < x.sizes()[1]; ++c)
        to[c * out.strides()[1]] =
            rounded<T>(sum_taps<N, kTaps, A>(dims.data(), place.data(), from + c * x.strides()[1]));
    }
    to += out.strides()[d + 2];
  }
}

template <size_t N, int kTaps>
void sum_images(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims) {
  dispatch_types<FloatingAndReduced, uint8_t>(x.scalar_type(), "upsample",
                                              [&]<typename T>(TypeTag<T>) {
    using A = std::conditional_t<std::is_same_v<T, double>, double, float>;
    Place place;
    for (int64_t n = 0; n < x.sizes()[0]; ++n)
      sum_image<N, kTaps, A>(x, out, dims, 0, place,
                             static_cast<const T*>(x.data_ptr()) + n * x.strides()[0],
                             static_cast<T*>(out.data_ptr()) + n * out.strides()[0]);
  });
}

template <int kTaps>
void sum_few_taps(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims) {
  if (dims.size() == 1) return sum_images<1, kTaps>(x, out, dims);
  if (dims.size() == 2) return sum_images<2, kTaps>(x, out, dims);
  sum_images<3, kTaps>(x, out, dims);
}

}  // namespace

static void sum_few_kernel(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims) {
  bool is_linear = true;
  for (const FewTaps& d : dims) is_linear &= d.taps == 2;
  if (is_linear) sum_few_taps<2>(x, out, dims);
  else sum_few_taps<0>(x, out, dims);
}

REGISTER_DISPATCH(sum_few_stub, &sum_few_kernel)

}  // namespace at::native
