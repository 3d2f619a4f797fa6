#pragma once
// Rows that are ordered, and where the values and indices of the elements chosen go.

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/sort/cuda/keys.cuh>

namespace at::native {

// Rows of a dense tensor, seen as [outer, n, inner].
struct OrderedRows {
  KeySource keys;
  Dense3 shape;
  ScalarType type;

  // The place of element i of a row where rows have m elements.
  __device__ int64_t place(int64_t row, int64_t i, int64_t m) const {
    return (row / shape.inner * m + i) * shape.inner + row % shape.inner;
  }
  __device__ uint64_t key(int64_t row, int64_t i) const { return keys(place(row, i, shape.n)); }
  __device__ uint64_t bits(int64_t row, int64_t i) const {
    return keys.bits(place(row, i, shape.n));
  }
};

struct OrderResults {
  const void* from;
  void* values;
  int64_t* indices;
  int64_t m;  // elements of a row
  int bytes;  // of a value

  // Element `index` of the row is number i of those chosen.
  __device__ void store(const OrderedRows& rows, int64_t row, int64_t i, int64_t index) const {
    const int64_t to = rows.place(row, i, m), at = rows.place(row, index, rows.shape.n);
    indices[to] = index;
    if (bytes == 8) copy<uint64_t>(to, at);
    else if (bytes == 4) copy<uint32_t>(to, at);
    else if (bytes == 2) copy<uint16_t>(to, at);
    else copy<uint8_t>(to, at);
  }

 private:
  template <typename T>
  __device__ void copy(int64_t to, int64_t at) const {
    static_cast<T*>(values)[to] = static_cast<const T*>(from)[at];
  }
};

}  // namespace at::native
