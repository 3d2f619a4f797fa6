// Depthwise convolution of contiguous images.
//
// An image is first copied into a padded buffer, so that no window crosses an edge. With a stride,
// the columns of a row are grouped by their index modulo the stride, so that those read by adjacent
// outputs are adjacent again.

#include <algorithm>
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
class PaddedImage {
 public:
  explicit PaddedImage(const DepthwiseShape& s)
      : s_(s),
        phase_(divup(s.in[2] + 2 * s.padding[2], s.stride[2]) +
               divup(s.kernel[2] * s.dilation[2], s.stride[2]) + kBlock<T>),
        row_(phase_ * s.stride[2]),
        plane_((s.in[1] + 2 * s.padding[1]) * row_),
        values_((s.in[0] + 2 * s.padding[0]) * plane_, T(0)) {
    for (int64_t r = 0; r < s.kernel[0]; ++r) {
      for (int64_t p = 0; p < s.kernel[1]; ++p) {
        for (int64_t q = 0; q < s.kernel[2]; ++q) {
          const int64_t column = q * s.dilation[2];
          offsets_.push_back(r * s.dilation[0] * plane_ + p * s.dilation[1] * row_ +
                             column % s.stride[2] * phase_ + column / s.stride[2]);
        }
      }
    }
  }

  void fill(const T* image) {
    for (int64_t h = 0; h < s_.in[0]; ++h) {
      T* to = values_.data() + (h + s_.padding[0]) * plane_ + s_.padding[1] * row_;
      for (int64_t i = 0; i < s_.in[1]; ++i, image += s_.in[2]) fill_row(image, to + i * row_);
    }
  }
  // The inputs of row number i of the outputs at position k of the window begin at row(i) +
  // offsets()[k].
  const T* row(int64_t i) const {
    const int64_t h = i / s_.out[1];
    return values_.data() + h * s_.stride[0] * plane_ + (i - h * s_.out[1]) * s_.stride[1] * row_;
  }
  const int64_t* offsets() const { return offsets_.data(); }

 private:
  void fill_row(const T* from, T* to) const {
    const int64_t stride = s_.stride[2], pad = s_.padding[2];
    if (stride == 1) {
      std::copy_n(from, s_.in[2], to + pad);
    } else {
      for (int64_t phase = 0; phase < stride; ++phase) {
        // The first column of the phase that is not padding.
        const int64_t column = pad + (phase - pad % stride + stride) % stride;
        T* t = to + phase * phase_ + column / stride;
        for (int64_t j = column - pad; j < s_.in[2]; j += stride) *t++ = from[j];
      }
    }
  }

  const DepthwiseShape& s_;
  int64_t phase_, row_, plane_;
  std::vector<T> values_;
  std::vector<int64_t> offsets_;
};

// Sums begin with the bias, or with y if there is none. K: the number of positions of the window if
// known at compile time, else 0. R: how many rows of outputs, each in kSteps / R registers, are
// processed together; one, if they are longer.
template <int K, int R, typename T>
void slide_rows(const DepthwiseShape& s, const PaddedImage<T>& x, const T* w, const T* bias, T* y) {
  using V = Vec<T>;
  constexpr int64_t kColumns = kSteps / R;
  const int64_t window = K ? K : s.window(), length = s.out[2], rows = s.out[0] * s.out[1];
  const int64_t* offsets = x.offsets();
  const bool adds = bias == nullptr;
  const V start(adds ? T(0) : *bias);
  for (int64_t i = 0; i < rows; i += R, y += R * length) {
    const int64_t count = std::min<int64_t>(R, rows - i);
    const T* row[R];
    // The last row once more, for those that there are not.
    for (int64_t r = 0; r < R; ++r) row[r] = x.row(i + std::min(r, count - 1));
    for (int64_t j = 0; j < length; j += kColumns * V::size) {
      V sum[R][kColumns];
      for (int64_t r = 0; r < R; ++r) {
        for (int64_t k = 0; k < kColumns; ++k) {
          const int64_t left = length - j - k * V::size;
          sum[r][k] = start;
          if (adds && r < count && left > 0)
            sum[r][k] = V::load(y + r * length + j + k * V::size, std::min<int64_t>(V::size, left));
        }
      }
      for (int64_t p = 0; p < window; ++p) {
        const V weight(w[p]);
        for (int64_t r = 0; r < R; ++r) {
          const T* from = row[r] + offsets[p] + j;
          for (int64_t k = 0; k < kColumns; ++k) sum[r][k] += weight * V::load(from + k * V::size);
        }
      }
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t k = 0; k < kColumns; ++k) {
          T* to = y + r * length + j + k * V::size;
          const int64_t left = length - j - k * V::size;
          if (left >= V::size) sum[r][k].store(to);
          else if (left > 0) sum[r][k].store(to, left);
        }
      }
    }
  }
}

template <int K, typename T>
auto slide_of_length(int64_t length) {
  constexpr int64_t W = Vec<T>::size;
  return length <= W       ? &slide_rows<K, 4, T>
         : length <= 2 * W ? &slide_rows<K, 2, T>
                           : &slide_rows<K, 1, T>;
}

template <typename T>
auto slide_for(const DepthwiseShape& s) {
  const int64_t window = s.window(), length = s.out[2];
  return window == 9    ? slide_of_length<9, T>(length)
         : window == 25 ? slide_of_length<25, T>(length)
                        : slide_of_length<0, T>(length);
}

// f(image, its group's number) for the images of every group, divided among threads.
template <typename F>
void for_groups(const DepthwiseShape& s, const F& f) {
  const int64_t work = s.window() * s.out_numel() * s.multiplier;
  parallel_for(0, s.batch * s.groups, std::max<int64_t>(1, kGrain / (work + 1)), f);
}

template <typename T>
void depthwise(const DepthwiseShape& s, const T* x, const T* w, const T* bias, T* y) {
  const int64_t window = s.window(), out = s.out_numel();
  const auto run = slide_for<T>(s);
  for_groups(s, [&](int64_t begin, int64_t end) {
    PaddedImage<T> padded(s);
    const T zero = 0;
    for (int64_t k = begin; k < end; ++k) {
      padded.fill(x + k * s.in_numel());
      for (int64_t m = 0; m < s.multiplier; ++m) {
        const int64_t c = k % s.groups * s.multiplier + m;
        run(s, padded, w + c * window, bias ? bias + c : &zero, y + (k * s.multiplier + m) * out);
      }
    }
  });
}

template <typename T>
void depthwise_input(const DepthwiseShape& s, const T* x, const T* w, T* y) {
  const int64_t window = s.window();
  const auto run = slide_for<T>(s);
  for_groups(s, [&](int64_t begin, int64_t end) {
    PaddedImage<T> padded(s);
    std::vector<T> reversed(window);
    const T zero = 0;
    for (int64_t k = begin; k < end; ++k) {
      for (int64_t m = 0; m < s.multiplier; ++m) {
        const T* weight = w + (k % s.groups * s.multiplier + m) * window;
        std::reverse_copy(weight, weight + window, reversed.begin());
        padded.fill(x + (k * s.multiplier + m) * s.in_numel());
        run(s, padded, reversed.data(), m == 0 ? &zero : nullptr, y + k * s.out_numel());
      }
    }
  });
}

// Adds the products of dy with the inputs at N positions of the window, whose sums are in
// registers.
template <int N, typename T>
void correlate(const DepthwiseShape& s, const PaddedImage<T>& x, const int64_t* offsets,
               const T* dy, Vec<T>* sums) {
  using V = Vec<T>;
  const int64_t length = s.out[2];
  V local[N];
  for (int p = 0; p < N; ++p) local[p] = sums[p];
  for (int64_t i = 0; i < s.out[0] * s.out[1]; ++i, dy += length) {
    const T* row = x.row(i);
    int64_t j = 0;
    for (; j + V::size <= length; j += V::size) {
      const V grad = V::load(dy + j);
      for (int p = 0; p < N; ++p) local[p] += grad * V::load(row + j + offsets[p]);
    }
    if (j < length) {
      // Other lanes may hold NaN, of elements that this position of the window does not meet.
      const V grad = V::load(dy + j, length - j);
      for (int p = 0; p < N; ++p)
        local[p] += grad * first_lanes(V::load(row + j + offsets[p]), length - j, T(0));
    }
  }
  for (int p = 0; p < N; ++p) sums[p] = local[p];
}

// At all positions of the window, as many at once as registers allow.
template <typename T>
void correlate_window(const DepthwiseShape& s, const PaddedImage<T>& x, const T* dy, Vec<T>* sums) {
  const int64_t window = s.window();
  const int64_t* offsets = x.offsets();
  int64_t p = 0;
  for (; p + 9 <= window; p += 9) correlate<9>(s, x, offsets + p, dy, sums + p);
  for (; p + 4 <= window; p += 4) correlate<4>(s, x, offsets + p, dy, sums + p);
  for (; p < window; ++p) correlate<1>(s, x, offsets + p, dy, sums + p);
}

template <typename T>
void depthwise_weights(const DepthwiseShape& s, const T* x, const T* dy, T* dw) {
  const int64_t window = s.window(), out = s.out_numel();
  parallel_for(0, s.groups,
               std::max<int64_t>(1, kGrain / (window * out * s.batch * s.multiplier + 1)),
               [&](int64_t begin, int64_t end) {
    PaddedImage<T> padded(s);
    std::vector<Vec<T>> sums(window * s.multiplier);
    for (int64_t g = begin; g < end; ++g) {
      std::fill(sums.begin(), sums.end(), Vec<T>(T(0)));
      for (int64_t n = 0; n < s.batch; ++n) {
        const int64_t k = n * s.groups + g;
        padded.fill(x + k * s.in_numel());
        for (int64_t m = 0; m < s.multiplier; ++m) {
          correlate_window(s, padded, dy + (k * s.multiplier + m) * out, sums.data() + m * window);
        }
      }
      for (int64_t i = 0; i < window * s.multiplier; ++i)
        dw[g * s.multiplier * window + i] = sum_lanes(sums[i]);
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

static void depthwise_input_kernel(c10::ScalarType type, const DepthwiseShape& s, const void* x,
                                   const void* w, void* y) {
  dispatch_types<FloatingTypes>(type, "depthwise convolution", [&]<typename T>(TypeTag<T>) {
    depthwise_input(s, static_cast<const T*>(x), static_cast<const T*>(w), static_cast<T*>(y));
  });
}

static void depthwise_weights_kernel(c10::ScalarType type, const DepthwiseShape& s, const void* x,
                                     const void* dy, void* dw) {
  dispatch_types<FloatingTypes>(type, "depthwise convolution", [&]<typename T>(TypeTag<T>) {
    depthwise_weights(s, static_cast<const T*>(x), static_cast<const T*>(dy), static_cast<T*>(dw));
  });
}

REGISTER_DISPATCH(depthwise_stub, &depthwise_kernel)
REGISTER_DISPATCH(depthwise_input_stub, &depthwise_input_kernel)
REGISTER_DISPATCH(depthwise_weights_stub, &depthwise_weights_kernel)

}  // namespace at::native
