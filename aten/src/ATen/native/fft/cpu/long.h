// No #pragma once, like ducc.h, which must come first.
//
// Single transforms that are too long for the caches, made of many short ones.

namespace at::native {
namespace {

// exp(-2 pi i k / n) for all k < n, as products of two numbers of small tables.
template <typename T>
class Roots {
 public:
  explicit Roots(int64_t n) : n_(n), low_(kLow), high_(n / kLow + 1) {
    fill(low_, 1);
    fill(high_, kLow);
  }
  ducc0::Cmplx<T> operator()(int64_t k) const {
    const auto &a = low_[k % kLow], &b = high_[k / kLow];
    return {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
  }

  // f(j, real, imag) for all j < count with the root at j * step, or with its conjugate. The roots
  // of the first few places are kept: those of later places are products with them.
  template <typename F>
  void for_each(int64_t step, int64_t count, bool conjugate, const F& f) const {
    constexpr int64_t kNear = 64;
    const T sign = conjugate ? -1 : 1;
    T near_r[kNear], near_i[kNear];
    for (int64_t j = 0; j < kNear; ++j) {
      const ducc0::Cmplx<T> w = j < count ? (*this)(step * j) : ducc0::Cmplx<T>{1, 0};
      near_r[j] = w.r;
      near_i[j] = sign * w.i;
    }
    for (int64_t first = 0; first < count; first += kNear) {
      const ducc0::Cmplx<T> far = (*this)(step * first);
      const T far_r = far.r, far_i = sign * far.i;
      const int64_t size = std::min(kNear, count - first);
      for (int64_t j = 0; j < size; ++j)
        f(first + j, near_r[j] * far_r - near_i[j] * far_i, near_r[j] * far_i + near_i[j] * far_r);
    }
  }

 private:
  static constexpr int64_t kLow = 1024;
  void fill(std::vector<ducc0::Cmplx<T>>& table, int64_t step) const {
    for (size_t k = 0; k < table.size(); ++k) {
      const double angle =
          2 * M_PI * static_cast<double>(int64_t(k) * step) / static_cast<double>(n_);
      table[k] = {static_cast<T>(std::cos(angle)), static_cast<T>(-std::sin(angle))};
    }
  }
  int64_t n_;
  std::vector<ducc0::Cmplx<T>> low_, high_;
};

// The largest divisor of n up to its root; 0 if n has none that is large enough.
inline int64_t balanced_factor(int64_t n) {
  constexpr int64_t kMinFactor = 64;
  for (int64_t k = static_cast<int64_t>(std::sqrt(static_cast<double>(n))); k >= kMinFactor; --k) {
    if (n % k == 0) return k;
  }
  return 0;
}

inline int64_t largest_prime_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t k = 2; k * k <= n; ++k) {
    for (; n % k == 0; n /= k) largest = k;
  }
  return std::max(largest, n);
}

// A length that is a product of two large factors becomes many short transforms, of the columns and
// then of the rows of a matrix (D. Bailey, "FFTs in external or hierarchical memory", 1990). They
// run in lanes and in parallel. A length with a large prime factor becomes a convolution of a
// length of the first kind (L. Bluestein, "A linear filtering approach to the computation of
// discrete Fourier transform", 1970).
template <typename T>
class LongPlan {
 public:
  using Complex = ducc0::Cmplx<T>;

  static bool takes(int64_t n) {
    return n >= kMinLength && (balanced_factor(n) != 0 || needs_convolution(n));
  }
  static bool needs_convolution(int64_t n) {
    return n >= kMinLength && balanced_factor(n) == 0 && largest_prime_factor(n) >= kLargePrime;
  }

  LongPlan(size_t n, bool)
      : n_(static_cast<int64_t>(n)), m_(padded(n_)), n1_(balanced_factor(m_)), roots_(m_) {
    if (m_ != n_) prepare_convolution();
  }
  size_t bufsize() const { return m_ == n_ ? n_ : 2 * m_; }

  // One row: job.in and job.out are its first elements, which may be the same.
  C10_NOINLINE void exec(const Job<T>& job, Complex* buffer) const {
    if (m_ == n_) return exec_matrix(job, buffer);
    Complex* const padded = buffer + m_;
    multiply(job.in, job.in_stride, chirp_, job.forward, 1, numbers(padded), 1);
    std::fill(padded + n_, padded + m_, Complex{0, 0});
    exec_matrix(whole(padded, true), buffer);
    multiply(numbers(padded), 1, kernel_, !job.forward, 1, numbers(padded), 1);
    exec_matrix(whole(padded, false), buffer);
    multiply(numbers(padded), 1, chirp_, job.forward, job.scale, job.out, job.out_stride);
  }

 private:
  static constexpr int64_t kMinLength = 1 << 14;
  // DUCC has fast passes for smaller primes.
  static constexpr int64_t kLargePrime = 1000;

  static T* numbers(Complex* values) { return reinterpret_cast<T*>(values); }

  static int64_t padded(int64_t n) {
    if (!needs_convolution(n)) return n;
    int64_t m = 2 * n - 1;
    do m = fft::util1d::good_size_cmplx(m);
    while (balanced_factor(m) == 0 && ++m);
    return m;
  }

  // The transform of all m_ values of the convolution, in place.
  Job<T> whole(Complex* values, bool forward) const {
    return {FFTKind::c2c, m_, numbers(values), numbers(values), 1, 1, 1, forward};
  }

  // exp(i pi k^2 / n), and the transform of that sequence, which is repeated backwards.
  void prepare_convolution() {
    chirp_.resize(n_);
    kernel_.assign(m_, Complex{0, 0});
    const T scale = T(1) / static_cast<T>(m_);
    for (int64_t k = 0, square = 0; k < n_; ++k) {
      const double angle = M_PI * static_cast<double>(square) / static_cast<double>(n_);
      const Complex w{static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
      chirp_[k] = w;
      kernel_[k] = kernel_[k == 0 ? 0 : m_ - k] = {w.r * scale, w.i * scale};
      square = (square + 2 * k + 1) % (2 * n_);
    }
    ducc0::aligned_array<Complex> buffer(m_);
    exec_matrix(whole(kernel_.data(), true), buffer.data());
  }

  // out = in * factors * scale; the factors are conjugated if asked for.
  C10_NOINLINE static void multiply(const T* in, int64_t in_stride,
                                    const std::vector<Complex>& factors, bool conjugate, T scale,
                                    T* out, int64_t out_stride) {
    const T sign = conjugate ? -scale : scale;
    const auto* w = reinterpret_cast<const T*>(factors.data());
    parallel_for(0, static_cast<int64_t>(factors.size()), 4 * kGrainPoints,
                 [&](int64_t begin, int64_t end) {
      const auto loop = [&](int64_t from, int64_t to) {
        for (int64_t k = begin; k < end; ++k) {
          const T r = in[2 * k * from], i = in[2 * k * from + 1], w_r = w[2 * k] * scale,
                  w_i = w[2 * k + 1] * sign;
          out[2 * k * to] = r * w_r - i * w_i;
          out[2 * k * to + 1] = r * w_i + i * w_r;
        }
      };
      if (in_stride == 1 && out_stride == 1) {
        loop(1, 1);
      } else {
        loop(in_stride, out_stride);
      }
    });
  }

  C10_NOINLINE void exec_matrix(const Job<T>& job, Complex* matrix) const {
    const int64_t n1 = n1_, n2 = m_ / n1_;
    Job<T> columns = job;
    columns.n = n1;
    columns.out = numbers(matrix);
    columns.in_stride = n2 * job.in_stride;
    columns.out_stride = n2;
    columns.scale = 1;
    transform_complex(columns, FFTRows(n2, job.in_stride, 1));
    parallel_for(0, n1, divup(kGrainPoints, n2), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        T* const row = numbers(matrix + k * n2);
        roots_.for_each(k, n2, !job.forward, [&](int64_t j, T w_r, T w_i) {
          const T r = row[2 * j], i = row[2 * j + 1];
          row[2 * j] = r * w_r - i * w_i;
          row[2 * j + 1] = r * w_i + i * w_r;
        });
      }
    });
    Job<T> lines = job;
    lines.n = n2;
    lines.in = numbers(matrix);
    lines.in_stride = 1;
    lines.out_stride = n1 * job.out_stride;
    transform_complex(lines, FFTRows(n1, n2, job.out_stride));
  }

  int64_t n_, m_, n1_;  // points, points of the matrix, rows of the matrix
  Roots<T> roots_;
  std::vector<Complex> chirp_, kernel_;  // empty unless it is a convolution
};

}  // namespace
}  // namespace at::native
