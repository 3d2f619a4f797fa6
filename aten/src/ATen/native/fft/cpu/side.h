// No #pragma once, like ducc.h, which must come first.
//
// One side of a group of transforms: where its rows are in a tensor, and how they are moved into
// lanes and out of them.

namespace at::native {
namespace {

// `Item` numbers of type T make an element: 1 for real tensors, 2 for complex ones. Offsets and
// strides count elements.
template <typename T, int L, int Item>
struct Side {
  T* base;
  int64_t stride;  // along the transformed dimension
  int64_t offsets[L];
  int count;         // rows in this group
  bool consecutive;  // the rows are neighbours in memory

  void finish(int rows) {
    count = rows;
    for (int l = rows; l < L; ++l) offsets[l] = offsets[0];
    consecutive = rows == L;
    for (int l = 1; l < rows; ++l) consecutive &= offsets[l] == offsets[0] + l;
  }
  T* at(int lane, int64_t i) const { return base + Item * (offsets[lane] + i * stride); }

  RowPointers<T, L> rows(int64_t skip) const {
    RowPointers<T, L> found;
    for (int l = 0; l < L; ++l) found[l] = base + Item * offsets[l] + skip;
    return found;
  }
  RowPointers<const T, L> const_rows(int64_t skip) const {
    RowPointers<const T, L> found;
    for (int l = 0; l < L; ++l) found[l] = base + Item * offsets[l] + skip;
    return found;
  }

  // Element i of all rows, as vectors of L numbers.
  void read(int64_t i, T* real, T* imag) const {
    using P = Pack<T, L>;
    if (consecutive && Item == 1) {
      std::memcpy(real, at(0, i), L * sizeof(T));
    } else if (consecutive) {
      const T* p = at(0, i);
      const auto a = P::load(p), b = P::load(p + L);
      P::store(real, P::even(a, b));
      if (imag) P::store(imag, P::odd(a, b));
    } else {
      for (int l = 0; l < L; ++l) {
        real[l] = at(l, i)[0];
        if (Item == 2 && imag) imag[l] = at(l, i)[1];
      }
    }
  }
  // The first n elements of all rows, as vectors of L numbers: a real and an imaginary one for each
  // complex element.
  void read_all(int64_t n, T* lanes) const {
    if (stride == 1) return rows_to_lanes<T, L>(const_rows(0), Item * n, lanes);
    for (int64_t i = 0; i < n; ++i) {
      T* const real = lanes + Item * i * L;
      read(i, real, Item == 2 ? real + L : nullptr);
    }
  }
  void write_all(int64_t n, const T* lanes) const {
    if (stride == 1) return lanes_to_rows<T, L>(lanes, Item * n, rows(0), count);
    for (int64_t i = 0; i < n; ++i) {
      const T* const real = lanes + Item * i * L;
      write(i, real, Item == 2 ? real + L : nullptr);
    }
  }
  // A missing imaginary part is zero.
  void write(int64_t i, const T* real, const T* imag) const {
    using P = Pack<T, L>;
    if (consecutive && Item == 1) {
      std::memcpy(at(0, i), real, L * sizeof(T));
    } else if (consecutive) {
      const auto a = P::load(real), b = imag ? P::load(imag) : a - a;
      P::store(at(0, i), P::interleave_low(a, b));
      P::store(at(0, i) + L, P::interleave_high(a, b));
    } else {
      for (int l = 0; l < count; ++l) {
        at(l, i)[0] = real[l];
        if (Item == 2) at(l, i)[1] = imag ? imag[l] : T(0);
      }
    }
  }
};

}  // namespace
}  // namespace at::native
