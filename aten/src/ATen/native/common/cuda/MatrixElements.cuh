#pragma once
// Elementwise passes over batches of matrices on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/ColumnMatrices.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {

template <typename T>
struct MatrixElements {
  T* data;
  IndexDivision rows, columns;
  int64_t ld, step;

  explicit MatrixElements(const ColumnMatrices& a)
      : data(reinterpret_cast<T*>(a.data)),
        rows(a.rows, a.rows * a.columns * a.count),
        columns(a.columns, a.columns * a.count),
        ld(a.ld),
        step(a.step) {}
  // f(element, b, row, column) for element i of the batch.
  template <typename F>
  __device__ void at(int64_t i, const F& f) const {
    const auto [column_number, row] = rows.divide(i);
    const auto [b, column] = columns.divide(column_number);
    f(data[b * step + column * ld + row], b, row, column);
  }
};

template <typename F>
void for_each_element(const ColumnMatrices& a, const F& f) {
  gpu_for_each(a.tensor, a.rows * a.columns * a.count, f);
}

template <typename F>
void dispatch_lapack_types(ScalarType dtype, const char* name, const F& f) {
  dispatch_types<JoinT<FloatingTypes, ComplexTypes>>(dtype, name, f);
}

}  // namespace at::native
