// Group normalization of channels-last images: an image stays in the cache while its groups'
// statistics and the result are computed.

#include <cmath>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Moments.h>
#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/common/cpu/RunSums.h>
#include <ATen/native/normalization/cpu/Data.h>
#include <ATen/native/normalization/normalization.h>

namespace at::native {
namespace {

// Some groups of an image.
template <typename T>
class GroupsOfImage {
 public:
  using V = OpMath<T>;
  GroupsOfImage(const GroupShape& s, int64_t groups, double eps)
      : s_(s),
        width_(s.C / s.group),
        eps_(eps),
        means_(groups * width_),
        squares_(groups * width_),
        sums_(groups * width_),
        centers_(groups * width_),
        scales_(groups * width_) {}

  // x, y, weight and bias begin at the first channel, mean and rstd at the first group.
  void operator()(const T* x, int64_t groups, const V* weight, const V* bias, T* y, V* mean,
                  V* rstd) {
    const int64_t n = groups * width_;
    read(x, n);
    for (int64_t g = 0; g < groups; ++g) {
      const auto [middle, variance] = moments_of_group(g * width_);
      mean[g] = static_cast<V>(middle);
      rstd[g] = static_cast<V>(1.0 / std::sqrt(variance + eps_));
      for (int64_t c = g * width_; c < (g + 1) * width_; ++c) {
        centers_[c] = mean[g];
        scales_[c] = weight ? rstd[g] * weight[c] : rstd[g];
      }
    }
    write(x, n, bias, y);
  }

 private:
  // The mean of each channel, and the sum of its squares about it. Blocks of rows are read twice
  // while they are in the first cache.
  void read(const T* x, int64_t n) {
    constexpr int64_t kBlock = 32768, kMinRows = 8, kMaxRows = 64;
    const int64_t rows =
        std::clamp(kBlock / (n * static_cast<int64_t>(sizeof(T))), kMinRows, kMaxRows);
    const V* centers = centers_.data();
    for (int64_t first = 0; first < s_.HxW; first += rows) {
      const int64_t count = std::min(rows, s_.HxW - first);
      const T* block = x + first * s_.C;
      const auto sum_columns = [&](const auto& term) {
        sum_in_registers<Vec<V>>(count, n, [&](int64_t i, int64_t c, auto... lanes) {
          return term(load_wide(block + i * s_.C + c, lanes...), c, lanes...);
        }, [this](Vec<V> sum, int64_t c, auto... lanes) { sum.store(&sums_[c], lanes...); });
      };
      // Differences from the first row: those of equal numbers are exact.
      sum_columns(
          [block](auto v, int64_t c, auto... lanes) { return v - load_wide(block + c, lanes...); });
      convert_run(block, centers_.data(), n);
      for (int64_t c = 0; c < n; ++c) centers_[c] += sums_[c] / static_cast<V>(count);
      sum_columns([centers](auto v, int64_t c, auto... lanes) {
        const auto d = v - Vec<V>::load(centers + c, lanes...);
        return d * d;
      });
      for (int64_t c = 0; c < n; ++c) {
        merge_moments(means_[c], squares_[c], static_cast<double>(first),
                      static_cast<double>(centers_[c]), static_cast<double>(sums_[c]),
                      static_cast<double>(count));
      }
    }
  }

  // The mean and the variance of the group whose first channel is c.
  std::pair<double, double> moments_of_group(int64_t c) const {
    const auto n = static_cast<double>(width_);
    double mean = 0, squares = 0, apart = 0;
    for (int64_t k = c; k < c + width_; ++k) mean += means_[k] / n;
    for (int64_t k = c; k < c + width_; ++k) {
      squares += squares_[k];
      apart += (means_[k] - mean) * (means_[k] - mean);
    }
    return {mean, (squares / static_cast<double>(s_.HxW) + apart) / n};
  }

  // The mean is subtracted first: x * scale - mean * scale would lose the digits that they share.
  void write(const T* x, int64_t n, const V* bias, T* y) const {
    for (int64_t i = 0; i < s_.HxW; ++i, x += s_.C, y += s_.C) {
      for_vectors<V>(n, [&](int64_t c, int64_t k) {
        const Vec<V> centered = load_part(x + c, k) - load_part(centers_.data() + c, k);
        Vec<V> result = centered * load_part(scales_.data() + c, k);
        if (bias) result += load_part(bias + c, k);
        k == Vec<V>::size ? store_narrow(result, y + c) : store_narrow(result, y + c, k);
      });
    }
  }

  const GroupShape& s_;
  const int64_t width_;
  const double eps_;
  std::vector<double> means_, squares_;
  std::vector<V> sums_, centers_, scales_;
};

// Images are divided among threads, and where there are few of them, ranges of groups, which have
// a line of the cache at least.
template <typename T>
void group_norm_last(const GroupShape& s, const T* x, const OpMath<T>* weight,
                     const OpMath<T>* bias, double eps, T* y, OpMath<T>* mean, OpMath<T>* rstd) {
  const int64_t width = s.C / s.group, line = 64 / static_cast<int64_t>(sizeof(T));
  const int64_t threads = s.N % get_num_threads() == 0 ? 1 : get_num_threads();
  const int64_t ranges = std::clamp<int64_t>(std::min(s.group, s.C / line), 1, threads);
  const int64_t each = divup(s.group, ranges);
  parallel_for(0, s.N * ranges,
               std::max<int64_t>(1, kGrainSize / 4 / (s.HxW * std::max<int64_t>(1, each * width))),
               [&](int64_t begin, int64_t end) {
    GroupsOfImage<T> normalize(s, each, eps);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t image = k / ranges, first = k % ranges * each;
      if (first >= s.group) continue;
      const int64_t at = image * s.HxW * s.C + first * width, group = image * s.group + first;
      normalize(x + at, std::min(each, s.group - first), weight ? weight + first * width : nullptr,
                bias ? bias + first * width : nullptr, y + at, mean + group, rstd + group);
    }
  });
}

}  // namespace

static void group_norm_last_kernel(const GroupShape& s, const Tensor& x, const Tensor& weight,
                                   const Tensor& bias, double eps, const Tensor& y,
                                   const Tensor& mean, const Tensor& rstd) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "group_norm", [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    group_norm_last(s, static_cast<const T*>(x.data_ptr()), data_or_null<const V>(weight),
                    data_or_null<const V>(bias), eps, static_cast<T*>(y.data_ptr()),
                    static_cast<V*>(mean.data_ptr()), static_cast<V*>(rstd.data_ptr()));
  });
}

REGISTER_DISPATCH(group_norm_last_stub, &group_norm_last_kernel)

}  // namespace at::native
