// Statistics and affine transforms of channels.

#include <ATen/Parallel.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/common/cpu/WideBlocks.h>
#include <ATen/native/normalization/normalization.h>

namespace at::native {
namespace {

// The number of elements per thread.
constexpr int64_t kGrain = kGrainSize / 4;

// Calls f(thread's number, first row, last row) for pieces of the rows, and returns the number of
// pieces.
template <typename F>
int64_t over_rows(int64_t rows, int64_t row_length, const F& f) {
  int64_t max =
      std::max<int64_t>(1, std::min<int64_t>(get_num_threads(), rows * row_length / kGrain));
  int64_t each = divup(rows, max), pieces = divup(rows, each);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) f(p, p * each, std::min(rows, (p + 1) * each));
  });
  return pieces;
}

// --- statistics ----------------------------------------------------------------------------------
//
// Sums are taken over differences from the channel's first element, so that a large mean costs no
// digits, and over runs in the type of the data; runs are added up in double.

template <typename T>
void moments_of_planes(const ChannelShape& s, const T* x, OpMath<T>* mean, OpMath<T>* variance) {
  using V = OpMath<T>;
  int64_t plane = s.plane, step = s.channels * plane;
  parallel_for(0, s.channels, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.per_channel())),
               [&](int64_t begin, int64_t end) {
    constexpr int64_t kRun = 4096;
    for (int64_t c = begin; c < end; ++c) {
      const T* from = x + c * plane;
      V shift = static_cast<V>(from[0]);
      double sum = 0, squares = 0;
      for (int64_t b = 0; b < s.batch; ++b) {
        for (int64_t i = 0; i < plane; i += kRun) {
          int64_t n = std::min(kRun, plane - i);
          const T* row = from + b * step + i;
          constexpr int64_t W = Vec<V>::size;
          Vec<V> k(shift), s0(V(0)), s1(V(0)), q0(V(0)), q1(V(0));
          int64_t j = 0;
          for (; j + 2 * W <= n; j += 2 * W) {
            Vec<V> d0 = load_wide(row + j) - k, d1 = load_wide(row + j + W) - k;
            s0 += d0;
            s1 += d1;
            q0 += d0 * d0;
            q1 += d1 * d1;
          }
          for (; j < n; j += W) {
            const int64_t count = std::min(W, n - j);
            const Vec<V> d0 = first_lanes(load_part(row + j, count) - k, count, V(0));
            s0 += d0;
            q0 += d0 * d0;
          }
          sum += sum_lanes(s0 + s1);
          squares += sum_lanes(q0 + q1);
        }
      }
      double n = static_cast<double>(s.per_channel()), m = sum / n;
      mean[c] = static_cast<V>(m + shift);
      variance[c] = static_cast<V>(std::max(0.0, squares / n - m * m));
    }
  });
}

// Planes that are shorter than a few vectors: those of several channels are transposed, so that
// loops run over channels. Doubles fill a vector sooner, and cost more to transpose.
template <typename V>
constexpr int64_t kMaxTurned = sizeof(V) == 8 ? 4 : 32;

constexpr int64_t kTurnedChannels = 64;

// `read` returns the planes of an image from one channel on, [plane, kTurnedChannels]. One copy for
// all callers: the loops are long in code.
template <typename V>
[[gnu::noinline, gnu::noclone]] void moments_of_block(
    const ChannelShape& s, int64_t first,
    c10::function_ref<const V*(int64_t image, int64_t first)> read, V* mean, V* variance) {
  // Sums in the type of the data are of as many elements as in moments_of_planes.
  constexpr int64_t C = kTurnedChannels, kImages = 4096 / kMaxTurned<V>;
  V shift[C], sum[C], squares[C];
  double total[C] = {}, total_squares[C] = {};
  std::copy_n(read(0, first), C, shift);
  for (int64_t image = 0; image < s.batch; image += kImages) {
    std::fill_n(sum, C, V(0));
    std::fill_n(squares, C, V(0));
    for (int64_t b = image; b < std::min(s.batch, image + kImages); ++b) {
      const V* row = read(b, first);
      for (int64_t i = 0; i < s.plane; ++i, row += C) {
        for (int64_t c = 0; c < C; ++c) {
          const V d = row[c] - shift[c];
          sum[c] += d;
          squares[c] += d * d;
        }
      }
    }
    for (int64_t c = 0; c < C; ++c) {
      total[c] += sum[c];
      total_squares[c] += squares[c];
    }
  }
  const double n = static_cast<double>(s.per_channel());
  for (int64_t c = 0; c < std::min(C, s.channels - first); ++c) {
    const double m = total[c] / n;
    mean[first + c] = static_cast<V>(m + static_cast<double>(shift[c]));
    variance[first + c] = static_cast<V>(std::max(0.0, total_squares[c] / n - m * m));
  }
}

template <typename T>
void moments_of_transposed_planes(const ChannelShape& s, const T* x, OpMath<T>* mean,
                                  OpMath<T>* variance) {
  using V = OpMath<T>;
  constexpr int64_t C = kTurnedChannels, kItem = sizeof(T);
  const int64_t plane = s.plane, step = s.channels * plane;
  parallel_for(0, divup(s.channels, C),
               std::max<int64_t>(1, kGrain / (C * std::max<int64_t>(1, s.per_channel()))),
               [&](int64_t begin, int64_t end) {
    std::vector<T> transposed(C * plane);
    RowReader<T> read(C * plane);
    for (int64_t block = begin; block < end; ++block) {
      moments_of_block<V>(s, block * C, [&](int64_t image, int64_t first) {
        transpose_copy_stub(kCPU, reinterpret_cast<char*>(transposed.data()), C * kItem,
                            reinterpret_cast<const char*>(x + image * step + first * plane),
                            plane * kItem, std::min(C, s.channels - first), plane, kItem);
        return read(transposed.data(), C * plane);
      }, mean, variance);
    }
  });
}

template <typename T>
void moments_of_rows(const ChannelShape& s, const T* x, OpMath<T>* mean, OpMath<T>* variance) {
  using V = OpMath<T>;
  int64_t channels = s.channels, rows = s.per_channel();
  int64_t threads = get_num_threads();
  std::vector<double> sums(threads * channels * 2);
  RowReader<T> read_first(channels);
  const V* shift = read_first(x, channels);
  int64_t pieces = over_rows(rows, channels, [&](int64_t p, int64_t first, int64_t last) {
    double* total = sums.data() + p * channels * 2;
    constexpr int64_t kBlock = 64;
    std::vector<V> block(2 * channels);
    V *sum = block.data(), *squares = sum + channels;
    RowReader<T> read(channels);
    for (int64_t r = first; r < last; r += kBlock) {
      std::fill(block.begin(), block.end(), V(0));
      for (int64_t i = r; i < std::min(last, r + kBlock); ++i) {
        const V* row = read(x + i * channels, channels);
#pragma GCC ivdep
        for (int64_t c = 0; c < channels; ++c) {
          const V d = row[c] - shift[c];
          sum[c] += d;
          squares[c] += d * d;
        }
      }
      for (int64_t c = 0; c < channels; ++c) {
        total[c] += sum[c];
        total[channels + c] += squares[c];
      }
    }
  });
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (int64_t p = 0; p < pieces; ++p) {
      sum += sums[p * channels * 2 + c];
      squares += sums[p * channels * 2 + channels + c];
    }
    double n = static_cast<double>(rows), m = sum / n;
    mean[c] = static_cast<V>(m + static_cast<double>(shift[c]));
    variance[c] = static_cast<V>(std::max(0.0, squares / n - m * m));
  }
}

}  // namespace

namespace {

// Short planes of several images: their elements count as channels of their own, so that loops run
// over whole images.
bool has_short_planes(const ChannelShape& s) {
  const bool is_whole = s.other_planes == 0;  // images follow each other
  return is_whole && !s.channels_last && s.plane > 1 && s.plane <= 64 && s.batch >= 8 &&
         s.channels * s.plane <= 16384;
}
ChannelShape as_columns(const ChannelShape& s) { return {s.batch, s.channels * s.plane, 1, true}; }

// The number of each channel for all its elements.
template <typename V>
std::vector<V> repeated(const ChannelShape& s, const V* numbers) {
  std::vector<V> all;
  all.reserve(s.channels * s.plane);
  for (int64_t c = 0; c < s.channels; ++c) all.insert(all.end(), s.plane, numbers[c]);
  return all;
}

template <typename T>
void moments_of_columns(const ChannelShape& s, const T* x, OpMath<T>* mean, OpMath<T>* variance) {
  using V = OpMath<T>;
  std::vector<V> means(s.channels * s.plane), variances(means.size());
  moments_of_rows(as_columns(s), x, means.data(), variances.data());
  const double n = static_cast<double>(s.plane);
  for (int64_t c = 0; c < s.channels; ++c) {
    const V *m = means.data() + c * s.plane, *v = variances.data() + c * s.plane;
    double sum = 0, squares = 0, within = 0;
    for (int64_t k = 0; k < s.plane; ++k) {
      const double d = static_cast<double>(m[k]) - static_cast<double>(m[0]);
      sum += d;
      squares += d * d;
      within += static_cast<double>(v[k]);
    }
    mean[c] = static_cast<V>(sum / n + static_cast<double>(m[0]));
    variance[c] = static_cast<V>(std::max(0.0, (within + squares - sum * sum / n) / n));
  }
}

}  // namespace

static void channel_moments_kernel(const ChannelShape& s, const Tensor& x, void* mean,
                                   void* variance) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "batch_norm", [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    const T* from = static_cast<const T*>(x.data_ptr());
    if (s.channels_last) moments_of_rows(s, from, static_cast<V*>(mean), static_cast<V*>(variance));
    else if (has_short_planes(s))
      moments_of_columns(s, from, static_cast<V*>(mean), static_cast<V*>(variance));
    else if (s.plane > 1 && s.plane <= kMaxTurned<V> && s.channels >= 8)
      moments_of_transposed_planes(s, from, static_cast<V*>(mean), static_cast<V*>(variance));
    else moments_of_planes(s, from, static_cast<V*>(mean), static_cast<V*>(variance));
  });
}

namespace {

template <typename T>
void channel_sums(const ChannelShape& s, const T* g, const T* x, const OpMath<T>* mean,
                  OpMath<T>* sum, OpMath<T>* dot) {
  using V = OpMath<T>;
  int64_t channels = s.channels, plane = s.plane;
  if (!s.channels_last) {
    parallel_for(0, channels, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.per_channel())),
                 [&](int64_t begin, int64_t end) {
      constexpr int64_t kRun = 4096;
      for (int64_t c = begin; c < end; ++c) {
        double total = 0, total_dot = 0;
        for (int64_t b = 0; b < s.batch; ++b) {
          for (int64_t i = 0; i < plane; i += kRun) {
            const int64_t n = std::min(kRun, plane - i), at = s.place(b, c) + i;
            const auto [part, part_dot] = sum_and_dot(g + at, x + at, mean[c], n);
            total += part;
            total_dot += part_dot;
          }
        }
        sum[c] = static_cast<V>(total);
        dot[c] = static_cast<V>(total_dot);
      }
    });
    return;
  }
  std::vector<double> sums(get_num_threads() * channels * 2);
  int64_t pieces =
      over_rows(s.per_channel(), channels, [&](int64_t p, int64_t first, int64_t last) {
    double* total = sums.data() + p * channels * 2;
    constexpr int64_t kBlock = 64;
    std::vector<V> block(2 * channels);
    V *a = block.data(), *d = a + channels;
    RowReader<T> read_g(channels), read_x(channels);
    for (int64_t r = first; r < last; r += kBlock) {
      std::fill(block.begin(), block.end(), V(0));
      for (int64_t i = r; i < std::min(last, r + kBlock); ++i) {
        const V *gr = read_g(g + i * channels, channels), *xr = read_x(x + i * channels, channels);
#pragma GCC ivdep
        for (int64_t c = 0; c < channels; ++c) {
          a[c] += gr[c];
          d[c] += gr[c] * (xr[c] - mean[c]);
        }
      }
      for (int64_t c = 0; c < 2 * channels; ++c) total[c] += block[c];
    }
  });
  for (int64_t c = 0; c < channels; ++c) {
    double total = 0, total_dot = 0;
    for (int64_t p = 0; p < pieces; ++p) {
      total += sums[p * channels * 2 + c];
      total_dot += sums[p * channels * 2 + channels + c];
    }
    sum[c] = static_cast<V>(total);
    dot[c] = static_cast<V>(total_dot);
  }
}

}  // namespace

static void channel_sums_kernel(const ChannelShape& s, const Tensor& g, const Tensor& x,
                                const void* mean, void* sum, void* dot) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "batch_norm_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    if (has_short_planes(s)) {
      const std::vector<V> means = repeated(s, static_cast<const V*>(mean));
      std::vector<V> sums(means.size()), dots(means.size());
      channel_sums(as_columns(s), static_cast<const T*>(g.data_ptr()),
                   static_cast<const T*>(x.data_ptr()), means.data(), sums.data(), dots.data());
      const auto fold = [&](const std::vector<V>& from, void* to) {
        for (int64_t c = 0; c < s.channels; ++c) {
          double total = 0;
          for (int64_t k = 0; k < s.plane; ++k) total += static_cast<double>(from[c * s.plane + k]);
          static_cast<V*>(to)[c] = static_cast<V>(total);
        }
      };
      fold(sums, sum);
      return fold(dots, dot);
    }
    channel_sums(s, static_cast<const T*>(g.data_ptr()), static_cast<const T*>(x.data_ptr()),
                 static_cast<const V*>(mean), static_cast<V*>(sum), static_cast<V*>(dot));
  });
}

namespace {

// --- affine transforms ---------------------------------------------------------------------------

// Rows of few channels are taken several at once.
int64_t rows_together(const ChannelShape& s) {
  return s.channels_last ? std::max<int64_t>(1, 512 / s.channels) : 1;
}

// The numbers of channels in the form that over_runs needs: for channels last, a number for each
// element of the rows that are taken at once.
template <typename V>
class ChannelNumbers {
 public:
  ChannelNumbers(const ChannelShape& s, const void* numbers)
      : numbers_(static_cast<const V*>(numbers)) {
    if (has_short_planes(s)) all_ = repeated(s, numbers_);
    const ChannelShape shape = has_short_planes(s) ? as_columns(s) : s;
    const int64_t rows = rows_together(shape);
    if (rows > 1) {
      const std::vector<V> row(first(), first() + shape.channels);
      all_.clear();
      for (int64_t r = 0; r < rows; ++r) all_.insert(all_.end(), row.begin(), row.end());
    }
  }
  const V* first() const { return all_.empty() ? numbers_ : all_.data(); }
  V operator[](int64_t k) const { return first()[k]; }

 private:
  const V* numbers_;
  std::vector<V> all_;
};

// f(begin, count, channel): a run of one channel; or whole rows of all channels if channel is -1.
template <typename F>
void over_runs(const ChannelShape& shape, const F& f) {
  const ChannelShape s = has_short_planes(shape) ? as_columns(shape) : shape;
  if (s.channels_last) {
    const int64_t together = rows_together(s);
    parallel_for(0, s.per_channel(), std::max<int64_t>(1, kGrain / s.channels),
                 [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; r += together)
        f(r * s.channels, std::min(together, end - r) * s.channels, -1);
    });
    return;
  }
  parallel_for(0, s.batch * s.channels,
               std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.plane)),
               [&](int64_t begin, int64_t end) {
    int64_t image = begin / s.channels, c = begin % s.channels;
    for (int64_t p = begin; p < end; ++p) {
      f(s.place(image, c), s.plane, c);
      if (++c == s.channels) c = 0, ++image;
    }
  });
}

// Short planes of a half type: several are converted together.
template <typename T>
void affine_of_short_planes(const ChannelShape& s, const T* from, const OpMath<T>* a,
                            const OpMath<T>* b, T* to) {
  using V = OpMath<T>;
  const int64_t plane = s.plane, together = std::max<int64_t>(1, 1024 / plane);
  parallel_for(0, s.batch * s.channels, std::max<int64_t>(1, kGrain / plane),
               [&](int64_t begin, int64_t end) {
    constexpr int64_t W = Vec<V>::size;
    std::vector<V> wide(together * plane + W), result(wide.size());
    int64_t c = begin % s.channels;
    for (int64_t p = begin; p < end; p += together) {
      const int64_t count = std::min(together, end - p);
      widen(from + p * plane, wide.data(), count * plane);
      for (int64_t k = 0; k < count; ++k) {
        // Vectors reach into the next plane, which follows, or behind the last one.
        const V* values = wide.data() + k * plane;
        V* results = result.data() + k * plane;
        const Vec<V> ac(a[c]), bc(b[c]);
        if (++c == s.channels) c = 0;
        for (int64_t i = 0; i < plane; i += W)
          (Vec<V>::load(values + i) * ac + bc).store(results + i);
      }
      narrow(result.data(), to + p * plane, count * plane);
    }
  });
}

}  // namespace

static void channel_affine_kernel(const ChannelShape& s, const Tensor& x, const void* scale,
                                  const void* shift, const Tensor& y) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "batch_norm", [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    const T* from = static_cast<const T*>(x.data_ptr());
    T* to = static_cast<T*>(y.data_ptr());
    if constexpr (!std::is_same_v<T, V>) {
      if (!s.channels_last && s.plane <= 128)
        return affine_of_short_planes(s, from, static_cast<const V*>(scale),
                                      static_cast<const V*>(shift), to);
    }
    const ChannelNumbers<V> scales(s, scale), shifts(s, shift);
    over_runs(s, [&](int64_t at, int64_t n, int64_t c) {
      const T* in = from + at;
      T* out = to + at;
      if (c < 0) {
        map_row(in, out, n, [a = scales.first(), b = shifts.first()](V value, int64_t i) {
          return value * a[i] + b[i];
        });
      } else {
        map_row(in, out, n,
                [a = scales[c], b = shifts[c]](V value, int64_t) { return value * a + b; });
      }
    });
  });
}

static void channel_combine_kernel(const ChannelShape& s, const Tensor& g, const Tensor& x,
                                   const void* a, const void* b, const void* d, const Tensor& y) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "batch_norm_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    const T *gp = static_cast<const T*>(g.data_ptr()), *xp = static_cast<const T*>(x.data_ptr());
    T* to = static_cast<T*>(y.data_ptr());
    const ChannelNumbers<V> A(s, a), B(s, b), D(s, d);
    constexpr int64_t kPiece = std::is_same_v<T, V> ? int64_t(1) << 62 : kWideBlock;
    over_runs(s, [&](int64_t at, int64_t n, int64_t c) {
      WideBlock<const T> wide;
      for (int64_t first = 0; first < n; first += kPiece) {
        const int64_t count = std::min(kPiece, n - first);
        const V* gi = wide.open(gp + at + first, count);
        const T* xi = xp + at + first;
        T* out = to + at + first;
        if (c < 0) {
          map_row(xi, out, count,
                  [gi, a = A.first() + first, b = B.first() + first, d = D.first() + first](
                      V value, int64_t i) { return gi[i] * a[i] + value * b[i] + d[i]; });
        } else {
          map_row(xi, out, count, [gi, a = A[c], b = B[c], d = D[c]](V value, int64_t i) {
            return gi[i] * a + value * b + d;
          });
        }
      }
    });
  });
}

REGISTER_DISPATCH(channel_moments_stub, &channel_moments_kernel)
REGISTER_DISPATCH(channel_affine_stub, &channel_affine_kernel)
REGISTER_DISPATCH(channel_sums_stub, &channel_sums_kernel)
REGISTER_DISPATCH(channel_combine_stub, &channel_combine_kernel)

}  // namespace at::native
