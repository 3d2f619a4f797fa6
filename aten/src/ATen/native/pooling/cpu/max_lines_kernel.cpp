// Maxima of the windows of lines, without their indices: max_pool1d of what needs no derivative.

#include <cstring>
#include <limits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {
namespace {

// Several lines, or a part of one, as the windows read them: columns `stride` apart are adjacent,
// in rows called phases. Each line has `pitch` places in a phase, so that one loop computes the
// windows of all lines; the last ones of a line are of no use if they reach into the next one.
template <typename T>
class MaxLines {
 public:
  // Half types are compared as floats, which represent them exactly.
  using A = std::conditional_t<std::is_integral_v<T>, T, SumType<T>>;

  explicit MaxLines(const PoolShape& s)
      : s_(s),
        width_(std::min(s.out[2], kWindows)),
        pitch_(width_ + (s.kernel[2] - 1) * s.dilation[2] / s.stride[2]),
        lines_(width_ == s.out[2] ? std::max<int64_t>(1, kWindows / pitch_) : 1),
        phase_of_(s.stride[2], -1) {
    for (int64_t z = 0; z < s.kernel[2]; ++z) {
      const int64_t at = z * s.dilation[2], phase = at % s.stride[2];
      if (phase_of_[phase] < 0) phase_of_[phase] = num_phases_++;
      taps_.push_back(phase_of_[phase] * lines_ * pitch_ + at / s.stride[2]);
    }
    // A window of the last places reads beyond its line, of the last line beyond its phase.
    rows_.resize(num_phases_ * lines_ * pitch_ + pitch_, kLowest);
    maxima_.resize(lines_ * pitch_);
  }

  void operator()(const T* in, T* out, int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, A>) {
      if (s_.out[2] >= kLongLine || s_.stride[2] > 2) {
        for (int64_t line = begin; line < end; ++line)
          take_line(in + line * s_.in[2], out + line * s_.out[2]);
        return;
      }
    }
    for (int64_t line = begin; line < end; line += lines_) {
      const int64_t lines = std::min(lines_, end - line);
      for (int64_t first = 0; first < s_.out[2]; first += width_) {
        const int64_t count = std::min(width_, s_.out[2] - first);
        for (int64_t k = 0; k < lines; ++k) store_line(in + (line + k) * s_.in[2], first, k);
        find(lines * pitch_);
        for (int64_t k = 0; k < lines; ++k) {
          const A* from = maxima_.data() + k * pitch_;
          T* to = out + (line + k) * s_.out[2] + first;
          if constexpr (std::is_same_v<T, A>) copy(from, to, count);
          else convert_run(from, to, count);
        }
      }
    }
  }

 private:
  static constexpr int64_t kWindows = 1024;
  // Windows of longer lines read the input itself, but for those at the ends. So do all that are
  // more than two apart.
  static constexpr int64_t kLongLine = 64;

  void take_line(const T* in, T* out) {
    const int64_t stride = s_.stride[2], step = s_.dilation[2], reach = (s_.kernel[2] - 1) * step;
    const int64_t first = std::min(divup(s_.padding[2], stride), s_.out[2]);
    // The first window that reaches beyond the end.
    const int64_t room = s_.in[2] + s_.padding[2] - reach,
                  last = std::clamp(room > 0 ? divup(room, stride) : 0, first, s_.out[2]);
    const auto single = [&](int64_t o) {
      const auto r = s_.window(2, o);
      T max = in[r.begin];
      for (int64_t z = r.begin + step; z < r.end; z += step)
        max = (in[z] > max) | (in[z] != in[z]) ? in[z] : max;
      out[o] = max;
    };
    for (int64_t o = 0; o < first; ++o) single(o);
    for (int64_t o = first; o < last; o += kWindows) {
      const T* from = in + o * stride - s_.padding[2];
      const int64_t n = std::min(kWindows, last - o);
      if (stride == 1) take_windows<1>(from, out + o, n);
      else if (stride == 2) take_windows<2>(from, out + o, n);
      else take_windows_apart(from, out + o, n);
    }
    for (int64_t o = last; o < s_.out[2]; ++o) single(o);
  }

  // NaN is larger than all numbers.
  template <int64_t stride>
  void take_windows(const A* from, A* __restrict max, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) max[i] = from[i * stride];
    for (int64_t z = 1; z < s_.kernel[2]; ++z) {
      const A* at = from + z * s_.dilation[2];
      for (int64_t i = 0; i < n; ++i) {
        const bool take = (at[i * stride] > max[i]) | (at[i * stride] != at[i * stride]);
        max[i] = take ? at[i * stride] : max[i];
      }
    }
  }
  // With larger strides one window after the other, since no two elements of a tap share a
  // register.
  void take_windows_apart(const A* from, A* max, int64_t n) const {
    const auto take = [&](auto size) {
      const int64_t stride = s_.stride[2], step = s_.dilation[2];
      for (int64_t i = 0; i < n; ++i) {
        const A* at = from + i * stride;
        A found = *at;
        bool is_nan = false;  // of those after the first
        for (int64_t z = 1; z < size; ++z) {
          const A x = at[z * step];
          is_nan |= x != x;
          found = x > found ? x : found;  // without a branch, whose way nobody could guess
        }
        max[i] = is_nan ? std::numeric_limits<A>::quiet_NaN() : found;
      }
    };
    if (!with_constant<2, 8>(s_.kernel[2], take)) take(s_.kernel[2]);
  }
  static constexpr A kLowest = std::is_integral_v<A> ? std::numeric_limits<A>::lowest()
                                                     : -std::numeric_limits<A>::infinity();

  // A call of memcpy takes longer than a few elements do.
  static void copy(const A* from, A* to, int64_t n) {
    if (n >= 16) return static_cast<void>(std::memcpy(to, from, n * sizeof(A)));
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  }

  void store_line(const T* line, int64_t first, int64_t place) {
    const int64_t stride = s_.stride[2], length = s_.in[2];
    for (int64_t phase = 0; phase < stride; ++phase) {
      if (phase_of_[phase] < 0) continue;
      const int64_t start = first * stride - s_.padding[2] + phase;
      const int64_t begin = std::min(start < 0 ? divup(-start, stride) : 0, pitch_);
      const int64_t end =
          start < length ? std::max(begin, std::min(divup(length - start, stride), pitch_)) : begin;
      A* to = rows_.data() + (phase_of_[phase] * lines_ + place) * pitch_;
      for (int64_t i = 0; i < begin; ++i) to[i] = kLowest;
      const T* from = line + start + begin * stride;
      const int64_t n = end - begin;
      if (stride != 1) {
        for (int64_t i = 0; i < n; ++i) to[begin + i] = static_cast<A>(from[i * stride]);
      } else if constexpr (std::is_same_v<T, A>) {
        copy(from, to + begin, n);
      } else {
        convert_run(from, to + begin, n);
      }
      for (int64_t i = end; i < pitch_; ++i) to[i] = kLowest;
    }
  }

  void find(int64_t n) {
    A* __restrict max = maxima_.data();
    const A* from = rows_.data() + taps_[0];
    for (int64_t i = 0; i < n; ++i) max[i] = from[i];
    for (size_t z = 1; z < taps_.size(); ++z) {
      from = rows_.data() + taps_[z];
      for (int64_t i = 0; i < n; ++i) {
        const bool take = (from[i] > max[i]) | (from[i] != from[i]);
        max[i] = take ? from[i] : max[i];
      }
    }
  }

  const PoolShape& s_;
  const int64_t width_, pitch_, lines_;
  int64_t num_phases_ = 0;
  std::vector<int64_t> phase_of_, taps_;
  std::vector<A> rows_, maxima_;
};

}  // namespace

static void max_lines_kernel(const PoolShape& s, const Tensor& input, const Tensor& output) {
  dispatch_types<RealTypes>(input.scalar_type(), "max_pool1d", [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(output.data_ptr());
    parallel_for(0, s.batch * s.channels,
                 std::max<int64_t>(1, kGrainSize / 2 / (s.in[2] + s.out[2])),
                 [&](int64_t begin, int64_t end) {
      MaxLines<T> maxima(s);
      maxima(from, to, begin, end);
    });
  });
}

REGISTER_DISPATCH(max_lines_stub, &max_lines_kernel)

}  // namespace at::native
