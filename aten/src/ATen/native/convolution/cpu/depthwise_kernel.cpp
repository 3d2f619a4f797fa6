// Depthwise convolution of contiguous planes.
//
// A plane is first copied into a padded buffer, so that no window crosses an edge. With a stride,
// the columns of a row are grouped by their index modulo the stride, so that those read by adjacent
// outputs are adjacent again.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/convolution/depthwise.h>

namespace at::native {
namespace {

constexpr int64_t kSteps = 4;  // registers of outputs processed together
template <typename T>
constexpr int64_t kBlock = kSteps * Vec<T>::size;
constexpr int64_t kGrain = 1 << 17;  // multiplications that justify another thread

template <typename T>
class PaddedPlane {
 public:
  explicit PaddedPlane(const DepthwiseShape& s)
      : s_(s),
        phase_(ceil_div(s.in[1] + 2 * s.padding[1], s.stride[1]) +
               ceil_div(s.kernel[1] * s.dilation[1], s.stride[1]) + kBlock<T>),
        row_(phase_ * s.stride[1]),
        values_((s.in[0] + 2 * s.padding[0]) * row_, T(0)) {
    for (int64_t p = 0; p < s.kernel[0]; ++p) {
      for (int64_t q = 0; q < s.kernel[1]; ++q) {
        int64_t column = q * s.dilation[1];
        offsets_.push_back(p * s.dilation[0] * row_ + column % s.stride[1] * phase_ +
                           column / s.stride[1]);
      }
    }
  }

  void fill(const T* plane) {
    int64_t stride = s_.stride[1], pad = s_.padding[1];
    for (int64_t i = 0; i < s_.in[0]; ++i, plane += s_.in[1]) {
      T* to = values_.data() + (i + s_.padding[0]) * row_;
      if (stride == 1) {
        std::copy_n(plane, s_.in[1], to + pad);
      } else {
        for (int64_t j = 0; j < s_.in[1]; ++j)
          to[(j + pad) % stride * phase_ + (j + pad) / stride] = plane[j];
      }
    }
  }
  // The inputs of the outputs of row i at position k of the window begin at row(i) + offsets()[k].
  const T* row(int64_t i) const { return values_.data() + i * s_.stride[0] * row_; }
  const int64_t* offsets() const { return offsets_.data(); }

 private:
  static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
  const DepthwiseShape& s_;
  int64_t phase_, row_;
  std::vector<T> values_;
  std::vector<int64_t> offsets_;
};

// K: the number of positions of the window if known at compile time, else 0.
template <int K, typename T>
void slide(const DepthwiseShape& s, const PaddedPlane<T>& x, const T* w, T bias, T* y) {
  using V = Vec<T>;
  const int64_t window = K ? K : s.kernel[0] * s.kernel[1];
  const int64_t* offsets = x.offsets();
  for (int64_t i = 0; i < s.out[0]; ++i, y += s.out[1]) {
    for (int64_t j = 0; j < s.out[1]; j += kBlock<T>) {
      V sum[kSteps];
      for (int64_t k = 0; k < kSteps; ++k) sum[k] = V(bias);
      for (int64_t p = 0; p < window; ++p) {
        V weight(w[p]);
        const T* from = x.row(i) + offsets[p] + j;
        for (int64_t k = 0; k < kSteps; ++k) sum[k] += weight * V::load(from + k * V::size);
      }
      for (int64_t k = 0; k < kSteps; ++k) {
        int64_t left = s.out[1] - j - k * V::size;
        if (left >= V::size) sum[k].store(y + j + k * V::size);
        else if (left > 0) sum[k].store(y + j + k * V::size, left);
      }
    }
  }
}

template <typename T>
void depthwise(const DepthwiseShape& s, const T* x, const T* w, const T* bias, T* y) {
  int64_t window = s.kernel[0] * s.kernel[1], plane = s.out[0] * s.out[1],
          in_plane = s.in[0] * s.in[1];
  auto run = window == 9 ? &slide<9, T> : window == 25 ? &slide<25, T> : &slide<0, T>;
  int64_t inputs = s.channels / s.multiplier;
  parallel_for(0, s.batch * inputs,
               std::max<int64_t>(1, kGrain / (window * plane * s.multiplier + 1)),
               [&](int64_t begin, int64_t end) {
    PaddedPlane<T> padded(s);
    std::vector<T> flipped(window);
    for (int64_t k = begin; k < end; ++k) {
      padded.fill(x + k * in_plane);
      for (int64_t m = 0; m < s.multiplier; ++m) {
        int64_t c = k % inputs * s.multiplier + m;
        const T* weight = w + c * window;
        if (s.flipped) {
          std::reverse_copy(weight, weight + window, flipped.begin());
          weight = flipped.data();
        }
        run(s, padded, weight, bias ? bias[c] : T(0), y + (k / inputs * s.channels + c) * plane);
      }
    }
  });
}

// Adds the products of dy with the inputs at N positions of the window, whose sums are in
// registers.
template <int N, typename T>
void correlate(const DepthwiseShape& s, const PaddedPlane<T>& x, const int64_t* offsets,
               const T* dy, Vec<T>* sums) {
  using V = Vec<T>;
  V local[N];
  for (int p = 0; p < N; ++p) local[p] = sums[p];
  const auto add = [&](int64_t i, int64_t j, V grad) {
    const T* from = x.row(i) + j;
    for (int p = 0; p < N; ++p) local[p] += grad * V::load(from + offsets[p]);
  };
  for (int64_t i = 0; i < s.out[0]; ++i, dy += s.out[1]) {
    int64_t j = 0;
    for (; j + V::size <= s.out[1]; j += V::size) add(i, j, V::load(dy + j));
    if (j < s.out[1]) add(i, j, V::load(dy + j, s.out[1] - j));
  }
  for (int p = 0; p < N; ++p) sums[p] = local[p];
}

// At all positions of the window, as many at once as registers allow.
template <typename T>
void correlate_window(const DepthwiseShape& s, const PaddedPlane<T>& x, const T* dy, Vec<T>* sums) {
  const int64_t window = s.kernel[0] * s.kernel[1];
  const int64_t* offsets = x.offsets();
  int64_t p = 0;
  for (; p + 9 <= window; p += 9) correlate<9>(s, x, offsets + p, dy, sums + p);
  for (; p + 4 <= window; p += 4) correlate<4>(s, x, offsets + p, dy, sums + p);
  for (; p < window; ++p) correlate<1>(s, x, offsets + p, dy, sums + p);
}

template <typename T>
void depthwise_weights(const DepthwiseShape& s, const T* x, const T* dy, T* dw) {
  int64_t window = s.kernel[0] * s.kernel[1], plane = s.out[0] * s.out[1],
          in_plane = s.in[0] * s.in[1];
  int64_t inputs = s.channels / s.multiplier;
  parallel_for(0, inputs,
               std::max<int64_t>(1, kGrain / (window * plane * s.batch * s.multiplier + 1)),
               [&](int64_t begin, int64_t end) {
    PaddedPlane<T> padded(s);
    std::vector<Vec<T>> sums(window * s.multiplier);
    for (int64_t k = begin; k < end; ++k) {
      std::fill(sums.begin(), sums.end(), Vec<T>(T(0)));
      for (int64_t n = 0; n < s.batch; ++n) {
        padded.fill(x + (n * inputs + k) * in_plane);
        for (int64_t m = 0; m < s.multiplier; ++m) {
          correlate_window(s, padded, dy + (n * s.channels + k * s.multiplier + m) * plane,
                           sums.data() + m * window);
        }
      }
      for (int64_t i = 0; i < window * s.multiplier; ++i)
        dw[k * s.multiplier * window + i] = sum_lanes(sums[i]);
    }
  });
}

}  // namespace

static void depthwise_kernel(c10::ScalarType type, const DepthwiseShape& s, const void* x,
                             const void* w, const void* bias, void* y) {
  dispatch_types<FloatingTypes>(type, "depthwise convolution", [&]<typename T>(TypeTag<T>) {
    depthwise(s, static_cast<const T*>(x), static_cast<const T*>(w), static_cast<const T*>(bias),
              static_cast<T*>(y));
  });
}

static void depthwise_weights_kernel(c10::ScalarType type, const DepthwiseShape& s, const void* x,
                                     const void* dy, void* dw) {
  dispatch_types<FloatingTypes>(type, "depthwise convolution", [&]<typename T>(TypeTag<T>) {
    depthwise_weights(s, static_cast<const T*>(x), static_cast<const T*>(dy), static_cast<T*>(dw));
  });
}

REGISTER_DISPATCH(depthwise_stub, &depthwise_kernel)
REGISTER_DISPATCH(depthwise_weights_stub, &depthwise_weights_kernel)

}  // namespace at::native
