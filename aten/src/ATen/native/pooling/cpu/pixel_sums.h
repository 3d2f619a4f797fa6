#pragma once
// Sums of windows where channels are innermost, forward and backward: what a pixel of the result
// adds up are runs of channels, whose sums stay in registers.

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/RunSums.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/pooling/cpu/windows.h>
#include <ATen/native/pooling/window_mean.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// to[c] = finish(the sum of run(k)[c] over k from 0 to `count`) for n numbers; 0 if there are none.
template <typename T, typename Run, typename Finish>
C10_ALWAYS_INLINE void sum_runs(const Run& run, int64_t count, T* to, int64_t n,
                                const Finish& finish) {
  using A = SumType<T>;
  using V = Vec<std::conditional_t<std::is_integral_v<A>, float, A>>;
  if (count == 0) {
    std::fill_n(to, n, T(0));
  } else if (n < V::size && !kSumsAreWide<T>) {  // half types are narrowed by vectors
    for (int64_t c = 0; c < n; ++c) {
      A sum(0);
      for (int64_t k = 0; k < count; ++k) sum = wrapping_sum(sum, static_cast<A>(run(k)[c]));
      to[c] = static_cast<T>(finish(sum));
    }
  } else if constexpr (std::is_integral_v<A>) {
    std::fill_n(to, n, T(0));
    for (int64_t k = 0; k < count; ++k) add_run(run(k), to, n);
    for (int64_t c = 0; c < n; ++c) to[c] = finish(to[c]);
  } else {
    sum_in_registers<V>(count, n, [run](int64_t k, int64_t c, auto... size) {
      return load_wide(run(k) + c, size...);
    }, [to, finish](V sum, int64_t c, auto... size) {
      store_narrow(finish(sum), to + c, size...);
    });
  }
}

// to[c] = the sum of run(k)[c] divided; 0 where the divisor is 0.
template <typename T, typename Run>
void mean_of_runs(const Run& run, int64_t count, SumType<T> divisor, T* to, int64_t n) {
  sum_runs(run, divisor == 0 ? 0 : count, to, n, [divisor](auto sum) {
    if constexpr (std::is_same_v<decltype(sum), SumType<T>>) return window_mean(sum, divisor);
    else return sum / decltype(sum)(divisor);
  });
}

// The means of the windows of one pixel of the result.
template <typename T>
class PixelMeans {
 public:
  PixelMeans(const PoolShape& s, int64_t channels) : s_(s), channels_(channels) {}

  void operator()(const T* image, const Window& w, T* to) {
    runs_.clear();
    for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
      for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
        const T* line = image + (x * s_.in[1] + y) * s_.in[2] * channels_;
        for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) runs_.push_back(line + z * channels_);
      }
    }
    mean_of_runs([runs = runs_.data()](int64_t k) {
      return runs[k];
    }, static_cast<int64_t>(runs_.size()), static_cast<SumType<T>>(w.divisor), to, channels_);
  }

 private:
  const PoolShape& s_;
  const int64_t channels_;
  std::vector<const T*> runs_;
};

// The gradients of an image: each pixel adds up the shares of the windows that it is in. Lines of
// windows are added up first, and serve all pixels of the lines that are in the same windows.
template <typename T>
class PixelGradients {
 public:
  using A = SumType<T>;
  explicit PixelGradients(const PoolShape& s) : s_(s), windows_(s) {
    for (int d = 0; d < 3; ++d) {
      for (int64_t x = 0; x < s.in[d]; ++x) {
        around_[d].push_back(s.windows_around(d, x));
        max_around_[d] = std::max(max_around_[d], around_[d][x].second - around_[d][x].first);
      }
    }
  }

  // What a thread keeps.
  struct Buffers {
    Widened<T> grads;
    // The lines of windows that the current pixels are in, in turns: line i is at i % kept_lines().
    std::vector<A> shares;
    int64_t lines = 0;           // those that were computed
    std::vector<const A*> runs;  // lines that are added up, and their sums
    std::vector<A> sums;
  };

  // Of n channels; pixels are `step` elements apart.
  void operator()(const T* grad, T* to, int64_t step, int64_t n, Buffers& b) const {
    b.shares.resize(kept_lines() * s_.out[2] * n);
    b.lines = 0;
    for (const Around& r0 : around_[0]) {
      const A* line = nullptr;
      Around lines_of;
      for (const Around& r1 : around_[1]) {
        if (!line || r1 != lines_of) line = sum_lines(grad, step, r0, r1, n, b);
        lines_of = r1;
        for (const Around& r2 : around_[2]) {
          const A* first = line + r2.first * n;
          sum_runs([first, n](int64_t z) { return first + z * n; }, r2.second - r2.first, to, n,
                   kAsItIs);
          to += step;
        }
      }
    }
  }

 private:
  using Around = std::pair<int64_t, int64_t>;  // a range of windows
  static constexpr auto kAsItIs = [](auto sum) { return sum; };

  // All lines of planes that one pixel is in are needed again by the next plane.
  int64_t kept_lines() const {
    const bool has_planes = s_.in[0] > 1 || s_.out[0] > 1;
    return has_planes ? max_around_[0] * s_.out[1] : max_around_[1];
  }

  // What the windows of a line give to each of their pixels.
  void write_shares(const T* grad, int64_t step, int64_t line, int64_t n, Buffers& b) const {
    A* share = b.shares.data() + line % kept_lines() * s_.out[2] * n;
    for (int64_t z = 0; z < s_.out[2]; ++z, share += n) {
      const A* g = b.grads.read(grad + (line * s_.out[2] + z) * step, n);
      const A divisor = static_cast<A>(windows_.divisor(line / s_.out[1], line % s_.out[1], z));
      for (int64_t c = 0; c < n; ++c) share[c] = window_mean(g[c], divisor);
    }
  }

  // The sums of lines of shares.
  const A* sum_lines(const T* grad, int64_t step, const Around& r0, const Around& r1, int64_t n,
                     Buffers& b) const {
    const int64_t length = s_.out[2] * n;
    b.runs.clear();
    for (int64_t x = r0.first; x < r0.second; ++x) {
      for (int64_t y = r1.first; y < r1.second; ++y) {
        const int64_t line = x * s_.out[1] + y;
        for (; b.lines <= line; ++b.lines) write_shares(grad, step, b.lines, n, b);
        b.runs.push_back(b.shares.data() + line % kept_lines() * length);
      }
    }
    if (b.runs.size() == 1) return b.runs[0];
    b.sums.resize(length);
    sum_runs([runs = b.runs.data()](int64_t k) { return runs[k]; },
             static_cast<int64_t>(b.runs.size()), b.sums.data(), length, kAsItIs);
    return b.sums.data();
  }

  const PoolShape& s_;
  Windows windows_;
  std::vector<Around> around_[3];
  int64_t max_around_[3] = {};  // windows
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
