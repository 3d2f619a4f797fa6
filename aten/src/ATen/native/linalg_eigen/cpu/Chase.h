#pragma once
// Steps of QR sweeps over Hessenberg matrices, and how they are applied.
//
// A step mixes a few neighboring rows of H, then the same columns of H and Z. H lies row by row, so
// that its rows are mixed in vectors. The columns are mixed at once only near the diagonal, where
// the next steps need them. The rest waits for the end of the sweep: then a vector of rows walks
// through all its steps. The columns of Z wait as well.

#include <algorithm>
#include <cmath>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/linalg_factor/cpu/SmallReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Real matrices: a reflector I - tau v v^T of three numbers, v[0] = 1. A reflector of two has zeros
// at the end, and needs a row and a column of zeros beyond the matrix.
template <typename T>
struct ChaseStep {
  static constexpr int kWidth = 3;
  T second = 0, third = 0, tau = 0, tau_second = 0, tau_third = 0;

  // The step that leaves only `first` of (x, y, z).
  ChaseStep(T x, T y, T z, T& first) {
    T column[3] = {x, y, z};
    tau = make_reflector(column, 3, y * y + z * z);
    first = column[0];
    if (tau == 0) return;
    second = column[1];
    third = column[2];
    tau_second = tau * second;
    tau_third = tau * third;
  }
  ChaseStep() {}

  // Of numbers or vectors of them.
  template <typename X>
  void mix(X (&x)[3]) const {
    const X sum = x[0] + (second * x[1] + third * x[2]);
    x[0] -= tau * sum;
    x[1] -= tau_second * sum;
    x[2] -= tau_third * sum;
  }
  // Rows and columns are mixed alike.
  using Rows = ChaseStep;
  using Columns = ChaseStep;
};

// Complex matrices: the rotation (c, s; -conj(s), c) of two rows, with a real c; columns are
// multiplied by its inverse.
template <typename R>
struct ChaseStep<c10::complex<R>> {
  using T = c10::complex<R>;
  using L = Lane<T>;
  static constexpr int kWidth = 2;
  R cosine = 1;
  T sine = T(0);

  // The step that leaves only `first` of (x, y).
  ChaseStep(T x, T y, T& first) {
    first = x;
    const R largest = std::max(pivot_size(x), pivot_size(y));
    if (y == T(0) || largest == 0) return;
    const T u(x.real() / largest, x.imag() / largest), v(y.real() / largest, y.imag() / largest);
    const R size = real_part(u * conj_value(u)),
            length = std::sqrt(size + real_part(v * conj_value(v)));
    const R root = std::sqrt(size);
    // The direction of x, or any where x is zero.
    const T direction = root == 0 ? T(1) : T(u.real() / root, u.imag() / root);
    cosine = root / length;
    sine = direction * conj_value(v) / length;
    first = direction * (length * largest);
  }
  ChaseStep() {}

  template <bool columns>
  class Mix {
   public:
    explicit Mix(const ChaseStep& s)
        : cosine_(s.cosine),
          sine_(columns ? conj_value(s.sine) : s.sine),
          plus_(sine_),
          minus_(T(0) - conj_value(sine_)) {}
    void mix(T (&x)[2]) const {
      const T first = x[0] * cosine_ + sine_ * x[1];
      x[1] = x[1] * cosine_ - conj_value(sine_) * x[0];
      x[0] = first;
    }
    void mix(typename L::Vector (&x)[2]) const {
      const auto first = cosine_ * x[0] + plus_.times(x[1]);
      x[1] = cosine_ * x[1] + minus_.times(x[0]);
      x[0] = first;
    }

   private:
    R cosine_;
    T sine_;
    LaneFactor<T> plus_, minus_;
  };
  using Rows = Mix<false>;
  using Columns = Mix<true>;
};

// A Hessenberg matrix that is made triangular, row by row, and the vectors, column by column.
template <typename T>
class ChasedMatrix {
  using L = Lane<T>;
  static constexpr int kWidth = ChaseStep<T>::kWidth;

 public:
  // Rows that wait together.
  static constexpr int kVectors = 2;
  static constexpr int64_t kRows = kVectors * L::kCount;

  ChasedMatrix(int64_t n, bool vectors)
      : n_(n),
        ld_(n + 2 * L::kCount),
        ldz_((n + L::kCount - 1) / L::kCount * L::kCount),
        // Rows that are walked through together may end past the last one.
        h_((n + kRows + 1) * ld_),
        z_(vectors ? ldz_ * (n + 1) : 0),
        block_((n + kWidth) * kRows),
        vectors_(vectors) {
    std::fill_n(h_.get(), (n + kRows + 1) * ld_, T(0));
    if (vectors) std::fill_n(z_.get() + n * ldz_, ldz_, T(0));
  }

  T& operator()(int64_t i, int64_t j) const { return h_[i * ld_ + j]; }
  T* row(int64_t i) const { return h_.get() + i * ld_; }
  T* z() const { return z_.get(); }
  int64_t size() const { return n_; }
  int64_t ldz() const { return ldz_; }
  bool vectors() const { return vectors_; }

  // Mixes rows k and the following in columns [begin, end).
  void mix_rows(const ChaseStep<T>& step, int64_t k, int64_t begin, int64_t end) const {
    const typename ChaseStep<T>::Rows rows(step);
    T* first = row(k);
    for (int64_t j = begin; j < end; j += L::kCount) {
      typename L::Vector x[kWidth];
#pragma GCC unroll 3
      for (int r = 0; r < kWidth; ++r) x[r] = L::load(first + r * ld_ + j);
      rows.mix(x);
#pragma GCC unroll 3
      for (int r = 0; r < kWidth; ++r) L::store(x[r], first + r * ld_ + j);
    }
  }

  // Mixes columns k and the following in the rows that do not wait, up to row `end`.
  void mix_columns(const ChaseStep<T>& step, int64_t k, int64_t end) const {
    const typename ChaseStep<T>::Columns columns(step);
    for (int64_t i = k / kRows * kRows; i < end; ++i) {
      T* from = row(i) + k;
      T x[kWidth];
#pragma GCC unroll 3
      for (int c = 0; c < kWidth; ++c) x[c] = from[c];
      columns.mix(x);
#pragma GCC unroll 3
      for (int c = 0; c < kWidth; ++c) from[c] = x[c];
    }
  }

  // The columns that wait: steps[k] for k in [begin, end), in rows from `first` on, and in Z.
  void finish(const ChaseStep<T>* steps, int64_t begin, int64_t end, int64_t first) const {
    for (int64_t i = first / kRows * kRows; i + kRows < end; i += kRows)
      finish_rows(steps, std::max(begin, i + kRows), end, i);
    if (!vectors_) return;
    constexpr int64_t kMany = 4 * L::kCount;
    int64_t i = 0;
    for (; i + kMany <= ldz_; i += kMany)
      walk<4>(steps, begin, end, z_.get() + begin * ldz_ + i, ldz_);
    for (; i < ldz_; i += L::kCount) walk<1>(steps, begin, end, z_.get() + begin * ldz_ + i, ldz_);
  }

 private:
  // `x` is column `begin` of a few rows; columns are `ld` apart.
  template <int vectors>
  static void walk(const ChaseStep<T>* steps, int64_t begin, int64_t end, T* x, int64_t ld) {
    typename L::Vector rows[vectors][kWidth];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 3
      for (int c = 0; c + 1 < kWidth; ++c) rows[v][c] = L::load(x + c * ld + v * L::kCount);
    }
    for (int64_t k = begin; k < end; ++k, x += ld) {
      const typename ChaseStep<T>::Columns columns(steps[k]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        rows[v][kWidth - 1] = L::load(x + (kWidth - 1) * ld + v * L::kCount);
        columns.mix(rows[v]);
        L::store(rows[v][0], x + v * L::kCount);
#pragma GCC unroll 3
        for (int c = 0; c + 1 < kWidth; ++c) rows[v][c] = rows[v][c + 1];
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 3
      for (int c = 0; c + 1 < kWidth; ++c) L::store(rows[v][c], x + c * ld + v * L::kCount);
    }
  }

  void finish_rows(const ChaseStep<T>* steps, int64_t begin, int64_t end, int64_t i) const {
    T* block = block_.get();
    const int64_t columns = end - begin + kWidth - 1;
    constexpr int64_t kItem = sizeof(T);
    char *rows = reinterpret_cast<char*>(row(i) + begin),
         *transposed = reinterpret_cast<char*>(block);
    transpose_copy_stub.cpu()(transposed, kRows * kItem, rows, ld_ * kItem, kRows, columns, kItem);
    walk<kVectors>(steps, begin, end, block, kRows);
    transpose_copy_stub.cpu()(rows, ld_ * kItem, transposed, kRows * kItem, columns, kRows, kItem);
  }

  int64_t n_, ld_, ldz_;
  Scratch<T> h_, z_, block_;
  bool vectors_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
