#pragma once
// The rows of a transform along one dimension: all combinations of the other indices, as offsets
// into two tensors.

#include <algorithm>

#include <ATen/core/Tensor.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

class FFTRows {
 public:
  FFTRows(const Tensor& in, const Tensor& out, int64_t dim) {
    for (int64_t d = 0; d < in.dim(); ++d) {
      if (d != dim && in.size(d) == 0) count_ = 0;
    }
    // Strides that lead nowhere may be too large to be added.
    if (count_ == 0) return;
    for (int64_t d = 0; d < in.dim(); ++d) {
      if (d != dim && in.size(d) != 1) axes_.push_back({in.size(d), in.stride(d), out.stride(d)});
    }
    // The innermost first, so that neighbouring rows are neighbours in memory.
    std::stable_sort(axes_.begin(), axes_.end(),
                     [](const Axis& a, const Axis& b) { return a.in + a.out < b.in + b.out; });
    for (const Axis& a : axes_) count_ *= a.size;
  }
  // Rows at equal distances.
  FFTRows(int64_t count, int64_t in_step, int64_t out_step) : count_(count) {
    axes_.push_back({count, in_step, out_step});
  }
  int64_t count() const { return count_; }

  // The offsets, in elements, of `n` rows from `first` on.
  void offsets(int64_t first, int64_t n, int64_t* in, int64_t* out) const {
    if (axes_.empty()) {
      in[0] = out[0] = 0;
      return;
    }
    const Axis& inner = axes_.front();
    for (int64_t k = 0; k < n;) {
      int64_t place = (first + k) % inner.size, rest = (first + k) / inner.size;
      int64_t from = place * inner.in, to = place * inner.out;
      for (size_t a = 1; a < axes_.size(); ++a) {
        const int64_t i = rest % axes_[a].size;
        rest /= axes_[a].size;
        from += i * axes_[a].in;
        to += i * axes_[a].out;
      }
      for (; k < n && place < inner.size; ++k, ++place, from += inner.in, to += inner.out) {
        in[k] = from;
        out[k] = to;
      }
    }
  }

 private:
  struct Axis {
    int64_t size, in, out;
  };
  c10::SmallVector<Axis, 8> axes_;
  int64_t count_ = 1;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
