#pragma once
// The matrices of a tensor of shape (..., rows, columns), as pointers and strides for kernels.

#include <algorithm>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TransposeStub.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Any layout; dimensions of the batch may be expanded.
template <typename T>
class MatrixBatch {
 public:
  explicit MatrixBatch(const Tensor& t)
      : data_(static_cast<T*>(t.data_ptr())),
        sizes_(t.sizes().slice(0, t.dim() - 2)),
        strides_(t.strides().slice(0, t.dim() - 2)),
        rows(t.sizes()[t.dim() - 2]),
        columns(t.sizes()[t.dim() - 1]),
        row_stride(t.strides()[t.dim() - 2]),
        column_stride(t.strides()[t.dim() - 1]) {
    for (int64_t n : sizes_) count *= n;
    // One stride for the whole batch, if there is one.
    uniform_ = true;
    int64_t expected = -1;
    for (int64_t d = static_cast<int64_t>(sizes_.size()) - 1; d >= 0; --d) {
      if (sizes_[d] == 1) continue;
      if (expected < 0) step_ = strides_[d];
      else if (strides_[d] != expected) uniform_ = false;
      expected = strides_[d] * sizes_[d];
    }
  }

  // The first element of matrix i.
  T* operator[](int64_t i) const {
    if (uniform_) return data_ + i * step_;
    int64_t offset = 0;
    for (int64_t d = static_cast<int64_t>(sizes_.size()) - 1; d >= 0; --d) {
      offset += i % sizes_[d] * strides_[d];
      i /= sizes_[d];
    }
    return data_ + offset;
  }
  // The distance of columns in a batch made by empty_by_columns.
  int64_t ld() const { return std::max<int64_t>(rows, 1); }

 private:
  T* data_;
  DimVector sizes_, strides_;
  int64_t step_ = 0;
  bool uniform_;

 public:
  int64_t rows, columns, row_stride, column_stride, count = 1;
};

// Copies a matrix, in any layout, to columns that are `ld` apart.
template <typename T>
void copy_to_columns(const T* from, int64_t row_stride, int64_t column_stride, int64_t rows,
                     int64_t columns, T* to, int64_t ld) {
  if (from == to && row_stride == 1 && column_stride == ld) return;
  if (row_stride == 1 || rows * columns <= 256) {
    for (int64_t j = 0; j < columns; ++j) {
      const T* source = from + j * column_stride;
      T* column = to + j * ld;
      if (row_stride == 1) {
        std::copy(source, source + rows, column);
      } else {
        for (int64_t i = 0; i < rows; ++i) column[i] = source[i * row_stride];
      }
    }
    return;
  }
  if (column_stride == 1) {
    constexpr int64_t kItem = sizeof(T);
    return transpose_copy_stub(c10::kCPU, reinterpret_cast<char*>(to), ld * kItem,
                               reinterpret_cast<const char*>(from), row_stride * kItem, rows,
                               columns, kItem);
  }
  // Tiles, so that both sides stay in the cache.
  constexpr int64_t kTile = 16;
  for (int64_t j = 0; j < columns; j += kTile) {
    const int64_t end_j = std::min(columns, j + kTile);
    for (int64_t i = 0; i < rows; i += kTile) {
      const int64_t end_i = std::min(rows, i + kTile);
      for (int64_t c = j; c < end_j; ++c) {
        for (int64_t r = i; r < end_i; ++r)
          to[c * ld + r] = from[r * row_stride + c * column_stride];
      }
    }
  }
}

template <typename T>
void copy_to_columns(const MatrixBatch<T>& from, int64_t i, T* to, int64_t ld) {
  copy_to_columns<T>(from[i], from.row_stride, from.column_stride, from.rows, from.columns, to, ld);
}

// Matrix i of a batch as columns that are `ld` apart: where it is if it lies so, else a copy.
template <typename T>
class ColumnsOf {
 public:
  ColumnsOf(const MatrixBatch<T>& from, int64_t i)
      : data(from[i]), ld(std::max<int64_t>(from.column_stride, 1)) {
    if (from.row_stride == 1 && from.column_stride >= from.rows) return;
    ld = std::max<int64_t>(from.rows, 1);
    copy_.emplace(ld * from.columns);
    copy_to_columns(from, i, copy_->get(), ld);
    data = copy_->get();
  }

 private:
  std::optional<Scratch<T>> copy_;

 public:
  const T* data;
  int64_t ld;
};

// Calls f(i) for every matrix of a batch, on several threads if the batch is large. `work` is
// roughly the number of operations for one matrix.
template <typename F>
void for_each_matrix(int64_t count, double work, const F& f) {
  const int64_t grain =
      std::max<int64_t>(1, static_cast<int64_t>(kGrainSize / std::max(work, 1.0)));
  parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
