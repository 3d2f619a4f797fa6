#pragma once
// Triangular factors as columns in memory, for equations. One that lies row by row is its transpose
// column by column, so that only other layouts need a copy.

#include <optional>

#include <ATen/native/common/cpu/BlockedMatrices.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class FactorColumns {
 public:
  // For equations with `columns` right-hand sides. Few of them are solved by loops, which read
  // columns that are the same memory; products do not.
  FactorColumns(const MatrixBatch<T>& factors, int64_t columns) : factors_(factors) {
    const int64_t smallest = columns <= 2 ? 0 : factors.rows;
    by_columns_ = factors.row_stride == 1 && factors.column_stride >= smallest;
    by_rows_ = !by_columns_ && factors.column_stride == 1 && factors.row_stride >= smallest;
  }

  // Matrix b, while this object lasts.
  class Matrix {
   public:
    Matrix(const FactorColumns& all, int64_t b)
        : size_(all.factors_.rows), transposed_(all.by_rows_) {
      const MatrixBatch<T>& factors = all.factors_;
      data_ = factors[b];
      ld_ = all.by_rows_ ? factors.row_stride : factors.column_stride;
      if (all.by_columns_ || all.by_rows_) return;
      ld_ = size_;
      copy_.emplace(size_ * size_);
      copy_to_columns(factors, b, copy_->get(), ld_);
      data_ = copy_->get();
    }
    // Solves with a triangle of the matrix; the right-hand sides are replaced.
    void solve(Triangle t, T* b, int64_t columns) const {
      if (transposed_) t = {!t.upper, t.unit, !t.transpose};
      solve_triangle(data_, size_, ld_, t, b, columns, size_);
    }

   private:
    const T* data_;
    int64_t size_, ld_;
    bool transposed_;
    std::optional<Scratch<T>> copy_;
  };

 private:
  const MatrixBatch<T>& factors_;
  bool by_columns_, by_rows_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
