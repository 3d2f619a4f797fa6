// Maxima of windows with their indices, forward and backward.

#include <cstring>
#include <limits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/pooling/PoolShape.h>
#include <ATen/native/pooling/cpu/maxima.h>
#include <ATen/native/pooling/cpu/small_planes.h>
#include <ATen/native/pooling/cpu/split_rows.h>
#include <ATen/native/pooling/cpu/windows.h>

namespace at::native {
namespace {

bool is_empty(const PoolShape::Range& a, const PoolShape::Range& b, const PoolShape::Range& c) {
  return a.begin >= a.end || b.begin >= b.end || c.begin >= c.end;
}

// The largest element of a window whose rows are runs of `length` elements; -1 where there is none,
// or NaN is among them. Half types are compared as floats.
template <typename T>
class WideWindow {
 public:
  static constexpr int64_t kMinLength = 6;
  using A = SumType<T>;

  // Rows begin at these places of a plane, which ends at `end`.
  static int64_t largest(const T* plane, const T* end, const std::vector<int64_t>& rows,
                         int64_t length) {
    V max(-std::numeric_limits<A>::infinity());
    for (const int64_t row : rows) {
      each(plane + row, end, length,
           [&](V x, int64_t) { max = where((x > max) | (x != x), x, max); });
    }
    const A value = max_lanes(max);
    if (value != value) return -1;
    for (const int64_t row : rows) {
      int64_t found = -1;
      each(plane + row, end, length, [&](V x, int64_t z) {
        const auto equal = x == V(value);
        if (found >= 0 || !any(equal)) return;
        for (int64_t i = 0; found < 0; ++i) {
          if (equal[i]) found = row + z + i;
        }
      });
      if (found >= 0) return found;
    }
    return -1;
  }

 private:
  using V = Vec<A>;
  // f(vector, place of its first element); the last one of several overlaps the one before it.
  template <typename F>
  static void each(const T* row, const T* end, int64_t length, const F& f) {
    if (length < V::size) {
      // What follows the row is read as well, where that is in the plane.
      const V x = end - row >= V::size ? load_wide(row) : load_wide(row, length);
      return f(first_lanes(x, length, -std::numeric_limits<A>::infinity()), 0);
    }
    int64_t z = 0;
    for (; z + V::size <= length; z += V::size) f(load_wide(row + z), z);
    if (z < length) f(load_wide(row + length - V::size), length - V::size);
  }
};

// Planes one after the other, one window at a time.
template <typename T>
void max_single_windows(const PoolShape& s, const T* input, T* output, int64_t* indices) {
  using O = Order<T>;
  int64_t planes = s.batch * s.channels, in = s.in_numel(), out = s.out_numel();
  std::vector<PoolShape::Range> columns;  // once: the bounds of adaptive windows take divisions
  for (int64_t c = 0; c < s.out[2]; ++c) columns.push_back(s.window(2, c));
  parallel_for(0, planes, std::max<int64_t>(1, kGrainSize / 4 / (in + out)),
               [&](int64_t begin, int64_t end) {
    std::vector<int64_t> rows;
    for (int64_t p = begin; p < end; ++p) {
      const T* from = input + p * in;
      int64_t o = p * out;
      for (int64_t a = 0; a < s.out[0]; ++a) {
        auto r0 = s.window(0, a);
        for (int64_t b = 0; b < s.out[1]; ++b) {
          auto r1 = s.window(1, b);
          for (int64_t c = 0; c < s.out[2]; ++c, ++o) {
            const auto r2 = columns[c];
            if constexpr (std::is_floating_point_v<SumType<T>>) {
              const int64_t length = r2.end - r2.begin;
              if (r2.step == 1 && length >= WideWindow<T>::kMinLength) {
                rows.clear();
                for (int64_t x = r0.begin; x < r0.end; x += r0.step)
                  for (int64_t y = r1.begin; y < r1.end; y += r1.step)
                    rows.push_back((x * s.in[1] + y) * s.in[2] + r2.begin);
                const int64_t found = WideWindow<T>::largest(from, from + in, rows, length);
                if (found >= 0) {
                  output[o] = from[found];
                  indices[o] = found;
                  continue;
                }
              }
            }
            int64_t where = (r0.begin * s.in[1] + r1.begin) * s.in[2] + r2.begin;
            auto max = lowest_key<typename O::Key>();
            for (int64_t x = r0.begin; x < r0.end; x += r0.step) {
              for (int64_t y = r1.begin; y < r1.end; y += r1.step) {
                int64_t line = (x * s.in[1] + y) * s.in[2];
                for (int64_t z = r2.begin; z < r2.end; z += r2.step) {
                  // No branch: which element is the largest cannot be predicted.
                  const auto v = O::key(from[line + z]);
                  const bool take = (v > max) | O::is_nan(from[line + z]);
                  max = take ? v : max;
                  where = take ? line + z : where;
                }
              }
            }
            output[o] = is_empty(r0, r1, r2) ? lowest<T>() : from[where];
            indices[o] = where;
          }
        }
      }
    }
  });
}

// The maxima of a window in all channels of an image, which are innermost, in loops that GCC
// vectorizes. The loops note which element it is in an integer as wide as the element's key, so
// that they stay in whole registers: its index in the plane where that fits, and else its number in
// the window, for which a table gives the index.
template <typename T, typename Tap>
class PixelMaxima {
 public:
  PixelMaxima(const PoolShape& s, int64_t channels)
      : s_(s),
        channels_(channels),
        indices_fit_(static_cast<uint64_t>(s.in_numel() - 1) <=
                     static_cast<uint64_t>(std::numeric_limits<Tap>::max())),
        taps_(std::min(channels, 2 * kPiece)),
        keys_(std::min(channels, 2 * kPiece)) {}

  void operator()(const T* image, const Window& window, T* values, int64_t* indices) {
    read(window);
    for (int64_t c = 0, n; c < channels_; c += n) {
      n = channels_ - c < 2 * kPiece ? channels_ - c : kPiece;
      Maxima<T, Tap> maxima{keys_.data(), taps_.data(), values + c};
      if constexpr (Maxima<T, Tap>::kAreKeys) maxima.keys = values + c;
      find(maxima, image + c, n);
      if (indices_fit_ && !pixels_.empty()) std::copy_n(taps_.data(), n, indices + c);
      else look_up(indices + c, n);
    }
  }

 private:
  // So many channels at a time, or up to twice as many, whose taps stay in the first cache.
  static constexpr int64_t kPiece = 1024;

  // The window's elements. One without any has an index all the same.
  void read(const Window& window) {
    const PoolShape& s = s_;
    const auto& [r0, r1, r2] = window.r;
    index_of_.clear();
    pixels_.clear();
    names_.clear();
    for (int64_t x = r0.begin; x < r0.end; x += r0.step) {
      for (int64_t y = r1.begin; y < r1.end; y += r1.step) {
        for (int64_t z = r2.begin; z < r2.end; z += r2.step) {
          const int64_t index = (x * s.in[1] + y) * s.in[2] + z;
          names_.push_back(
              static_cast<Tap>(indices_fit_ ? index : static_cast<int64_t>(index_of_.size())));
          index_of_.push_back(index);
          pixels_.push_back(index * channels_);
        }
      }
    }
    if (!pixels_.empty()) return;
    names_.push_back(0);
    index_of_.push_back((r0.begin * s.in[1] + r1.begin) * s.in[2] + r2.begin);
  }

  // indices[c] = index_of_[taps_[c]]: the places of small windows fit in two registers.
  void look_up(int64_t* indices, int64_t n) const {
    constexpr int64_t kLanes = kVecBytes / 8;
    typedef int64_t Places __attribute__((vector_size(kVecBytes)));
    const auto numbers = [](const Tap* from) -> Places {
#if defined(__AVX512F__)
      // GCC takes narrow elements apart.
      if constexpr (sizeof(Tap) == 2)
        return Places(
            _mm512_cvtepu16_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
      if constexpr (sizeof(Tap) == 1)
        return Places(
            _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#elif defined(__AVX2__)
      if constexpr (sizeof(Tap) == 1) return Places(_mm256_cvtepu8_epi64(_mm_loadu_si32(from)));
#endif
      typedef Tap Taps __attribute__((vector_size(kLanes * sizeof(Tap))));
      Taps taps;
      std::memcpy(&taps, from, sizeof taps);
      return __builtin_convertvector(taps, Places);
    };
    int64_t c = 0;
    if (index_of_.size() <= 2 * kLanes) {
      Places low{}, high{};
      for (size_t k = 0; k < index_of_.size(); ++k) {
        if (k < kLanes) low[k] = index_of_[k];
        else high[k - kLanes] = index_of_[k];
      }
      for (; c + kLanes <= n; c += kLanes) {
        const Places found = __builtin_shuffle(low, high, numbers(taps_.data() + c));
        std::memcpy(indices + c, &found, sizeof found);
      }
    }
    for (; c < n; ++c) indices[c] = index_of_[static_cast<size_t>(taps_[c])];
  }

  void find(Maxima<T, Tap>& maxima, const T* image, int64_t n) {
    const auto taps = static_cast<int64_t>(pixels_.size());
    if constexpr (Maxima<T, Tap>::kInRegisters)
      return maxima.find(image, pixels_.data(), names_.data(), taps, n);
    if constexpr (Maxima<T, Tap>::kHasIntegerKeys) {
      if (find_in_registers<kVecBytes>(maxima, image, n)) return;
    }
    maxima.clear(n, names_[0]);
    for (int64_t tap = 0; tap < taps; ++tap)
      maxima.take_larger(image + pixels_[tap], names_[tap], n);
  }

  // In registers of so many bytes, or of half as many: false if there are no channels for those.
  template <int kBytes>
  bool find_in_registers(Maxima<T, Tap>& maxima, const T* image, int64_t n) {
    if constexpr (kBytes >= 16) {
      if (n < Maxima<T, Tap>::template kLanesOf<kBytes>)
        return find_in_registers<kBytes / 2>(maxima, image, n);
      maxima.template find_by_keys<kBytes>(image, pixels_.data(), names_.data(),
                                           static_cast<int64_t>(pixels_.size()), n);
      return true;
    }
    return false;
  }

  const PoolShape& s_;
  const int64_t channels_;
  const bool indices_fit_;
  std::vector<Tap> taps_;
  std::vector<typename Order<T>::Key> keys_;
  // Of the window's elements: their places in the plane, and in the image.
  std::vector<int64_t> index_of_, pixels_;
  std::vector<Tap> names_;  // what the loops note
};

template <typename T, typename Tap>
void max_channels_last(const PoolShape& s, const T* input, T* output, int64_t* indices) {
  const int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  const Windows windows(s);
  parallel_for(0, s.batch * out, std::max<int64_t>(1, kGrainSize / 4 / (channels * s.mean_taps())),
               [&](int64_t begin, int64_t end) {
    PixelMaxima<T, Tap> maxima(s, channels);
    int64_t to = begin * channels;
    windows.each_pixel(begin, end, [&](int64_t image, const Window& window) {
      maxima(input + image * in * channels, window, output + to, indices + to);
      to += channels;
    });
  });
}

template <typename T, typename Tap>
void max_small_planes(const PoolShape& s, const T* input, T* output, int64_t* indices) {
  constexpr int64_t kItem = sizeof(T), kIndex = sizeof(int64_t);
  const int64_t in = s.in_numel(), out = s.out_numel();
  const Windows windows(s);
  each_small_planes(s, kItem, [&] {
    Scratch<T> image(in * kPlanesTogether), values(out * kPlanesTogether);
    Scratch<int64_t> places(out * kPlanesTogether);
    std::fill_n(image.get(), in * kPlanesTogether, T(0));
    return
        [&, in, out, input, output, indices, image = std::move(image), values = std::move(values),
         places = std::move(places)](int64_t p, int64_t planes, int64_t channels) {
      PixelMaxima<T, Tap> maxima(s, channels);
      turn(input + p * in, in, image.get(), channels, planes, in, kItem);
      windows.each([&](int64_t o, const Window& window) {
        maxima(image.get(), window, values.get() + o * channels, places.get() + o * channels);
      });
      turn(values.get(), channels, output + p * out, out, out, planes, kItem);
      turn(places.get(), channels, indices + p * out, out, out, planes, kIndex);
    };
  });
}

// f(an integer that numbers the elements of a window): as wide as the keys of T, if that is enough.
template <typename T, typename F>
void with_tap_type(const PoolShape& s, const F& f) {
  using Narrow = UnsignedOfSize<sizeof(typename Order<T>::Key)>;
  int64_t max_taps = 1;
  for (int d = 0; d < 3; ++d) {
    int64_t longest = s.adaptive ? 0 : s.kernel[d];
    for (int64_t o = 0; s.adaptive && o < s.out[d]; ++o) {
      const auto r = s.window(d, o);
      longest = std::max(longest, r.end - r.begin);
    }
    max_taps *= std::max<int64_t>(longest, 1);
  }
  if (static_cast<uint64_t>(max_taps - 1) <= std::numeric_limits<Narrow>::max()) f(Narrow());
  else f(int64_t());
}

// The windows of a line at once, in loops that GCC vectorizes.
template <typename T, typename Tap>
class LineMaxima {
 public:
  explicit LineMaxima(const PoolShape& s)
      : s_(s),
        rows_(s, lowest<T>()),
        keys_(rows_.windows()),
        taps_(keys_.size()),
        first_taps_(keys_.size()),
        values_(keys_.size()) {}

  void operator()(const T* plane, int64_t line, int64_t column, int64_t count, bool is_first,
                  T* output, int64_t* indices) {
    if (is_first) begin(plane, column, count);
    const auto r0 = s_.window(0, line / s_.out[1]), r1 = s_.window(1, line % s_.out[1]);
    const auto n = static_cast<int64_t>(keys_.size());
    Maxima<T, Tap> maxima{keys_.data(), taps_.data(), values_.data()};
    maxima.clear_padded(first_taps_.data(), n);
    index_of_.clear();
    for (int64_t x = r0.begin; x < r0.end; x += r0.step) {
      for (int64_t y = r1.begin; y < r1.end; y += r1.step) {
        const T* row = rows_.row(x, y);
        const int64_t index = (x * s_.in[1] + y) * s_.in[2] + column * s_.stride[2] - s_.padding[2];
        for (int64_t z = 0; z < s_.kernel[2]; ++z) {
          maxima.take_larger(row + rows_.tap(z), static_cast<Tap>(index_of_.size()), n);
          index_of_.push_back(index + z * s_.dilation[2]);
        }
      }
    }
    if constexpr (Maxima<T, Tap>::kAreKeys) std::copy_n(keys_.data(), count, output);
    else std::copy_n(values_.data(), count, output);
    const int64_t *from = index_of_.data(), stride = s_.stride[2];
    for (int64_t c = 0; c < count; ++c) indices[c] = from[taps_[c]] + c * stride;
  }

 private:
  void begin(const T* plane, int64_t column, int64_t count) {
    rows_.begin(plane, column);
    for (int64_t c = 0; c < count; ++c) {
      const int64_t outside = s_.padding[2] - (column + c) * s_.stride[2];
      first_taps_[c] =
          static_cast<Tap>(outside > 0 ? (outside + s_.dilation[2] - 1) / s_.dilation[2] : 0);
    }
  }

  const PoolShape& s_;
  SplitRows<T, T> rows_;
  std::vector<typename Order<T>::Key> keys_;
  std::vector<Tap> taps_, first_taps_;
  std::vector<T> values_;
  std::vector<int64_t> index_of_;  // of the first window's elements in the plane
};

// Whether all windows lie in the input in part, and are regular.
bool has_lines(const PoolShape& s) {
  for (int d = 0; d < 3; ++d) {
    for (int64_t o = 0; !s.adaptive && o < s.out[d]; ++o) {
      const auto r = s.window(d, o);
      if (r.begin >= r.end) return false;
    }
  }
  return !s.adaptive;
}

template <typename T>
void max_planes(const PoolShape& s, const T* input, T* output, int64_t* indices) {
  if (s.adaptive ? turn_well(s) : has_small_planes(s)) {
    return with_tap_type<T>(
        s, [&]<typename Tap>(Tap) { max_small_planes<T, Tap>(s, input, output, indices); });
  }
  if (s.out[2] < 4 || !has_lines(s)) return max_single_windows(s, input, output, indices);
  const int64_t lines = s.out[0] * s.out[1];
  with_tap_type<T>(s, [&]<typename Tap>(Tap) {
    each_line(s, std::max<int64_t>(s.out[2], s.out[2] * s.mean_taps() / 8), [&] {
      return [&, maxima = LineMaxima<T, Tap>(s)](int64_t plane, int64_t line, int64_t column,
                                                 int64_t count, bool is_first) mutable {
        const int64_t at = (plane * lines + line) * s.out[2] + column;
        maxima(input + plane * s.in_numel(), line, column, count, is_first, output + at,
               indices + at);
      };
    });
  });
}

}  // namespace

static void max_pool_kernel(const PoolShape& s, const Tensor& input, const Tensor& output,
                            const Tensor& indices) {
  int64_t* at = static_cast<int64_t*>(indices.data_ptr());
  dispatch_types<RealTypes>(input.scalar_type(), "max_pool2d", [&]<typename T>(TypeTag<T>) {
    if (output.numel() == 0) return;
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(output.data_ptr());
    if (!s.channels_last) return max_planes(s, from, to, at);
    with_tap_type<T>(s, [&]<typename Tap>(Tap) { max_channels_last<T, Tap>(s, from, to, at); });
  });
}

// sums[index[i] * step + i * next] += from[i] for an index of a plane of `in` elements; others are
// left to came_from(i, index), which tells whether to add. Several are checked together, and read
// before the first sum is written: the compiler has to assume that a sum is what is read next.
template <typename T, typename S, typename F>
static void add_at(const int64_t* index, const T* from, int64_t n, int64_t in, const F& came_from,
                   S* sums, int64_t step = 1, int64_t next = 0) {
  using Wide = SumType<T>;
  using Index = Vec<double>::Mask;
  constexpr int64_t kTogether = Vec<double>::size;
  const auto add = [](S& sum, Wide x) { sum = static_cast<S>(static_cast<Wide>(sum) + x); };
  const auto one_by_one = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (came_from(i, index[i])) add(sums[index[i] * step + i * next], static_cast<Wide>(from[i]));
    }
  };
  int64_t i = 0;
  for (; i + kTogether <= n; i += kTogether) {
    Index indices;
    std::memcpy(&indices, index + i, sizeof indices);
    if (C10_UNLIKELY(any((indices < 0) | (indices >= in)))) {
      one_by_one(i, i + kTogether);
      continue;
    }
    Wide x[kTogether];
    S* to[kTogether];
#pragma GCC unroll 8
    for (int64_t k = 0; k < kTogether; ++k) {
      x[k] = static_cast<Wide>(from[i + k]);
      to[k] = sums + index[i + k] * step + (i + k) * next;
    }
#pragma GCC unroll 8
    for (int64_t k = 0; k < kTogether; ++k) add(*to[k], x[k]);
  }
  one_by_one(i, n);
}

static void max_pool_backward_kernel(const PoolShape& s, const Tensor& grad_output,
                                     const Tensor& indices, const Tensor& grad_input) {
  const int64_t* at = static_cast<const int64_t*>(indices.data_ptr());
  int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  // Whether output o of a plane came from `index`. Dilation can put every element of a window
  // outside: such a window has no maximum, and its index is arbitrary.
  auto came_from = [&s, in](int64_t o, int64_t index) {
    if (C10_LIKELY(index >= 0 && index < in)) return true;
    const int64_t at[] = {o / (s.out[1] * s.out[2]), o / s.out[2] % s.out[1], o % s.out[2]};
    bool empty = false;
    for (int d = 0; d < 3; ++d) {
      auto r = s.window(d, at[d]);
      empty |= r.begin >= r.end;
    }
    TORCH_CHECK(empty, "max_pool backward: index ", index, " is out of bounds for a plane of ", in,
                " elements");
    return false;
  };
  dispatch_types<FloatingAndReduced>(grad_output.scalar_type(), "max_pool2d_backward",
                                     [&]<typename T>(TypeTag<T>) {
    const T* g = static_cast<const T*>(grad_output.data_ptr());
    T* to = static_cast<T*>(grad_input.data_ptr());
    // Each element gets one gradient at most: half types need no wider sums.
    const bool single = kSumsAreWide<T> && !s.windows_overlap();
    if (s.channels_last) {
      parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
        const auto add_pixel = [&](int64_t k, auto* image) {
          const auto of_pixel = [&](int64_t, int64_t index) { return came_from(k % out, index); };
          add_at(at + k * channels, g + k * channels, channels, in, of_pixel, image, channels, 1);
        };
        WideSums<T> sums;
        for (int64_t image = begin; image < end; ++image) {
          T* result = to + image * in * channels;
          if (single) {
            std::fill_n(result, in * channels, T(0));
            for (int64_t k = image * out; k < (image + 1) * out; ++k) add_pixel(k, result);
            continue;
          }
          SumType<T>* wide = sums.open_zeros(result, in * channels);
          for (int64_t k = image * out; k < (image + 1) * out; ++k) add_pixel(k, wide);
          sums.close();
        }
      });
      return;
    }
    parallel_for(0, s.batch * channels, std::max<int64_t>(1, kGrainSize / 16 / (in + out)),
                 [&](int64_t begin, int64_t end) {
      WideSums<T> sums;
      for (int64_t p = begin; p < end; ++p) {
        if (single) {
          std::fill_n(to + p * in, in, T(0));
          add_at(at + p * out, g + p * out, out, in, came_from, to + p * in);
          continue;
        }
        SumType<T>* plane = sums.open_zeros(to + p * in, in);
        add_at(at + p * out, g + p * out, out, in, came_from, plane);
        sums.close();
      }
    });
  });
}

REGISTER_DISPATCH(max_pool_stub, &max_pool_kernel)
REGISTER_DISPATCH(max_pool_backward_stub, &max_pool_backward_kernel)

}  // namespace at::native
