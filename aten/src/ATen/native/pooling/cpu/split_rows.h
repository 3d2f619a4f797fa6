#pragma once
// Rows of planes as the windows of a line read them. The windows of a line of the result lie
// `stride` columns apart; a row is stored so that what one tap of these windows reads is adjacent,
// with its padding, and rounded up to whole vectors. Loops over the windows of a line then have
// neither bounds nor strides.

#include <algorithm>
#include <cstring>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// How a row is stored: `stride` phases of `columns` elements, element i of phase p being column
// i * stride + p of the padded row.
struct SplitLayout {
  // `max_windows` of a line are computed together, `lanes` in a vector.
  SplitLayout(const PoolShape& s, int64_t max_windows, int64_t lanes)
      : stride(s.stride[2]),
        windows(divup(std::min(s.out[2], max_windows), lanes) * lanes),
        columns(windows + (s.kernel[2] - 1) * s.dilation[2] / stride) {
    for (int64_t z = 0; z < s.kernel[2]; ++z) {
      const int64_t at = z * s.dilation[2];
      taps.push_back(at % stride * columns + at / stride);
    }
  }
  int64_t size() const { return stride * columns; }

  // f(where the phase begins, its column number 0, elements begin to end that are columns of the
  // row) for each phase of a row of `length` elements, of which column `first` is the first one
  // that is stored.
  template <typename F>
  void each_phase(int64_t first, int64_t length, const F& f) const {
    for (int64_t phase = 0; phase < stride; ++phase) {
      const int64_t start = first + phase;
      const int64_t begin = std::min(start < 0 ? divup(-start, stride) : 0, columns);
      const int64_t end = start < length ? std::min(divup(length - start, stride), columns) : 0;
      f(phase * columns, start, begin, std::max(begin, end));
    }
  }

  int64_t stride, windows, columns;
  std::vector<int64_t> taps;  // where the windows' elements number z are in a row
};

// T: the type of the input, A: of the stored rows.
template <typename T, typename A>
class SplitRows {
 public:
  // Windows of a line that are computed together.
  static constexpr int64_t kWindows = 1024;

  SplitRows(const PoolShape& s, A padding)
      : s_(s), padding_(padding), layout_(s, kWindows, kVecBytes / sizeof(A)) {
    for (int d = 0; d < 2; ++d) {
      span_[d] = std::min((s.kernel[d] - 1) * s.dilation[d] + 1, s.in[d]);
    }
    taken_.resize(span_[0] * span_[1]);
    rows_.resize(span_[0] * span_[1] * layout_.size());
  }

  int64_t windows() const { return layout_.windows; }

  // Begins another plane, or other windows of its lines, the first of which is number `first`.
  void begin(const T* plane, int64_t first) {
    plane_ = plane;
    first_ = first * s_.stride[2] - s_.padding[2];
    std::fill(taken_.begin(), taken_.end(), -1);
  }

  // Row (x, y) of the plane, as tap() takes it. The rows of a window are there at the same time.
  const A* row(int64_t x, int64_t y) {
    const int64_t number = x * s_.in[1] + y, place = x % span_[0] * span_[1] + y % span_[1];
    A* to = rows_.data() + place * layout_.size();
    if (taken_[place] != number) {
      taken_[place] = number;
      split(plane_ + number * s_.in[2], to);
    }
    return to;
  }

  int64_t tap(int64_t z) const { return layout_.taps[z]; }

 private:
  void split(const T* from, A* row) {
    const int64_t stride = layout_.stride;
    layout_.each_phase(first_, s_.in[2],
                       [&](int64_t at, int64_t start, int64_t begin, int64_t end) {
      A* to = row + at;
      std::fill(to, to + begin, padding_);
      copy(from + start + begin * stride, to + begin, end - begin, stride);
      std::fill(to + end, to + layout_.columns, padding_);
    });
  }

  void copy(const T* from, A* to, int64_t n, int64_t stride) {
    if constexpr (std::is_same_v<T, A>) {
      if (stride == 1) {
        std::memcpy(to, from, n * sizeof(T));
      } else if (stride == 2) {
        for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
      } else {
        for (int64_t i = 0; i < n; ++i) to[i] = from[stride * i];
      }
    } else if (stride == 1) {
      convert_run(from, to, n);
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<A>(from[stride * i]);
    }
  }

  const PoolShape& s_;
  const A padding_;
  const T* plane_ = nullptr;
  SplitLayout layout_;
  int64_t first_ = 0, span_[2];
  std::vector<int64_t> taken_;  // the row that is stored in each place
  std::vector<A> rows_;
};

// Sums for the rows of a plane, stored as SplitRows stores rows: each window adds to its elements.
template <typename A>
class SplitSums {
 public:
  explicit SplitSums(const PoolShape& s)
      : s_(s),
        layout_(s, s.out[2], kVecBytes / sizeof(A)),
        sums_(s.in[0] * s.in[1] * layout_.size()) {}
  int64_t windows() const { return layout_.windows; }
  void clear() { std::fill(sums_.begin(), sums_.end(), A(0)); }
  A* row(int64_t x, int64_t y) { return sums_.data() + (x * s_.in[1] + y) * layout_.size(); }
  int64_t tap(int64_t z) const { return layout_.taps[z]; }

  // Adds the sums to a plane.
  void add_to(A* plane) {
    const int64_t stride = layout_.stride;
    for (int64_t number = 0; number < s_.in[0] * s_.in[1]; ++number) {
      A* to = plane + number * s_.in[2];
      layout_.each_phase(-s_.padding[2], s_.in[2],
                         [&](int64_t at, int64_t start, int64_t begin, int64_t end) {
        const A* from = sums_.data() + number * layout_.size() + at;
        if (stride == 1) {
          for (int64_t i = begin; i < end; ++i) to[start + i] += from[i];
        } else if (stride == 2) {
          for (int64_t i = begin; i < end; ++i) to[start + 2 * i] += from[i];
        } else {
          for (int64_t i = begin; i < end; ++i) to[start + stride * i] += from[i];
        }
      });
    }
  }

 private:
  const PoolShape& s_;
  SplitLayout layout_;
  std::vector<A> sums_;
};

// make() gives each thread a function f(plane, line, first window, number of windows, whether they
// belong to another plane or other windows than in the last call), which is called for the lines of
// all planes.
template <typename Make>
void each_line(const PoolShape& s, int64_t work_of_line, const Make& make) {
  const int64_t lines = s.out[0] * s.out[1];
  constexpr int64_t kWindows = SplitRows<float, float>::kWindows;
  parallel_for(0, s.batch * s.channels * lines,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, work_of_line)),
               [&](int64_t begin, int64_t end) {
    auto f = make();
    while (begin < end) {
      const int64_t plane = begin / lines, first = begin % lines,
                    last = std::min(lines, first + end - begin);
      for (int64_t column = 0; column < s.out[2]; column += kWindows) {
        for (int64_t line = first; line < last; ++line)
          f(plane, line, column, std::min(kWindows, s.out[2] - column), line == first);
      }
      begin += last - first;
    }
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
