// Products of small complex matrices, on one thread: libraries take longer to start than these
// take.
//
// A register of B has real and imaginary parts side by side, and a row of C is
//
//   sum of re(a) b  +  i (sum of im(a) b)
//
// so that both sums are of real numbers times registers. Multiplying by i swaps the parts, once for
// each register of C.

#include <algorithm>
#include <utility>

#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
namespace {

// Registers of complex numbers whose parts are R.
template <typename R>
struct Parts {
  using V = Vec<R>;
  static constexpr int64_t kLanes = V::size;  // two for each number

  // i (x + iy) = -y + ix
  static V times_i(V z) {
    typename V::V sign;
    for (int q = 0; q < kLanes; ++q) sign[q] = q % 2 == 0 ? R(-1) : R(1);
    return V(Lane<c10::complex<R>>::swapped(z.v) * sign);
  }

  // The sum of x and that of y, as the first number.
  static V sums(V x, V y) {
    decltype(x.v < x.v) even, odd;
    for (int q = 0; q < kLanes; ++q) {
      even[q] = q % 2 == 0 ? q : static_cast<int>(kLanes) + q - 1;
      odd[q] = even[q] + 1;
    }
    return sum_of_numbers<kLanes / 2>(__builtin_shuffle(x.v, y.v, even) +
                                      __builtin_shuffle(x.v, y.v, odd));
  }
  // `half` is a template's argument, so that the lanes are constants.
  template <int half>
  static V sum_of_numbers(V z) {
    if constexpr (half > 1) {
      decltype(z.v < z.v) other;
      for (int q = 0; q < kLanes; ++q) other[q] = (q + half) % kLanes;
      return sum_of_numbers<half / 2>(z.v + __builtin_shuffle(z.v, other));
    } else {
      return z;
    }
  }
};

// Strides count parts: two for each complex number.
template <typename R>
struct Product {
  using V = Vec<R>;
  static constexpr int64_t kLanes = Parts<R>::kLanes;
  const R *a, *b;
  R* c;
  int64_t row_of_a, column_of_a, row_of_b, row_of_c, k;
  c10::complex<R> alpha, beta;

  // `count` parts of a row of C.
  void store(V sum, R* to, int64_t count) const {
    using Factor = LaneFactor<c10::complex<R>>;
    if (alpha != R(1)) sum = Factor(alpha).times(sum.v);
    if (beta != R(0)) sum += Factor(beta).times(V::load(to, count).v);
    if (count == kLanes) sum.store(to);
    else sum.store(to, count);
  }

  // M rows from row i on, J registers from part j on; kCut: the last of these has `count` parts.
  template <int M, int J, bool kCut>
  void tile(int64_t i, int64_t j, int64_t count) const {
    V re[M][J], im[M][J];
#pragma GCC unroll 4
    for (int r = 0; r < M; ++r)
#pragma GCC unroll 2
      for (int q = 0; q < J; ++q) re[r][q] = im[r][q] = V(R(0));
    const R *row = b + j, *from = a + i * row_of_a;
    for (int64_t p = 0; p < k; ++p, row += row_of_b, from += column_of_a) {
      V x[J];
#pragma GCC unroll 2
      for (int q = 0; q < J; ++q) {
        const R* at = row + q * kLanes;
        if constexpr (kCut) x[q] = q + 1 < J ? V::load(at) : V::load(at, count);
        else x[q] = V::load(at);
      }
#pragma GCC unroll 4
      for (int r = 0; r < M; ++r) {
        const V real(from[r * row_of_a]), imag(from[r * row_of_a + 1]);
#pragma GCC unroll 2
        for (int q = 0; q < J; ++q) {
          re[r][q] += real * x[q];
          im[r][q] += imag * x[q];
        }
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < M; ++r) {
#pragma GCC unroll 2
      for (int q = 0; q < J; ++q) {
        store(re[r][q] + Parts<R>::times_i(im[r][q]), c + (i + r) * row_of_c + j + q * kLanes,
              q + 1 < J || !kCut ? kLanes : count);
      }
    }
  }

  template <int J, bool kCut>
  void columns(int64_t m, int64_t j, int64_t count) const {
    constexpr int M = J == 1 ? 4 : 3;
    int64_t i = 0;
    for (; i + M <= m; i += M) tile<M, J, kCut>(i, j, count);
    for (; i + 2 <= m; i += 2) tile<2, J, kCut>(i, j, count);
    for (; i < m; ++i) tile<1, J, kCut>(i, j, count);
  }

  // Where B is one column and the rows of A are dense: with b = x + iy, the real part is the sum of
  // A's row times x, -y, x, -y and so on, and the imaginary part that of the row times y, x, y, x.
  void dots(int64_t m) const {
    R x[2 * kMaxSmallComplex], y[2 * kMaxSmallComplex];
    const int64_t whole = 2 * k / kLanes * kLanes, rest = 2 * k - whole;
    if (rest > 0) V(R(0)).store(x + whole), V(R(0)).store(y + whole);
    for (int64_t p = 0; p < k; ++p) {
      x[2 * p] = y[2 * p + 1] = b[p * row_of_b];
      y[2 * p] = b[p * row_of_b + 1];
      x[2 * p + 1] = -y[2 * p];
    }
    for (int64_t i = 0; i < m; ++i) {
      const R* row = a + i * row_of_a;
      V re(R(0)), im(R(0));
      for (int64_t p = 0; p < whole; p += kLanes) {
        const V from = V::load(row + p);
        re += from * V::load(x + p);
        im += from * V::load(y + p);
      }
      if (rest > 0) {
        const V from = V::load(row + whole, rest);
        re += from * V::load(x + whole);
        im += from * V::load(y + whole);
      }
      store(Parts<R>::sums(re, im), c + i * row_of_c, 2);
    }
  }

  void run(int64_t m, int64_t n) const {
    const int64_t parts = 2 * n;
    int64_t j = 0;
    for (; j + 2 * kLanes <= parts; j += 2 * kLanes) columns<2, false>(m, j, kLanes);
    const int64_t rest = parts - j;
    if (rest > kLanes) columns<2, true>(m, j, rest - kLanes);
    else if (rest == kLanes) columns<1, false>(m, j, kLanes);
    else if (rest > 0) columns<1, true>(m, j, rest);
  }
};

// The rows of B, which is transposed in memory, one after the other.
template <typename R>
void transpose(const GemmArgs& g, R* to) {
  const R* from = static_cast<const R*>(g.b);
  for (int64_t j = 0; j < g.n; ++j) {
    for (int64_t p = 0; p < g.k; ++p) {
      to[2 * (p * g.n + j)] = from[2 * (j * g.ldb + p)];
      to[2 * (p * g.n + j) + 1] = from[2 * (j * g.ldb + p) + 1];
    }
  }
}

template <typename R>
void run(const GemmArgs& g) {
  Product<R> product{static_cast<const R*>(g.a),
                     static_cast<const R*>(g.b),
                     static_cast<R*>(g.c),
                     2 * (g.trans_a ? 1 : g.lda),
                     2 * (g.trans_a ? g.lda : 1),
                     2 * g.ldb,
                     2 * g.ldc,
                     g.k,
                     c10::complex<R>(g.alpha),
                     c10::complex<R>(g.beta)};
  R transposed[2 * kMaxSmallComplex * kMaxSmallComplex];
  if (g.trans_b && g.n == 1) {
    product.row_of_b = 2;
  } else if (g.trans_b) {
    transpose(g, transposed);
    product.b = transposed;
    product.row_of_b = 2 * g.n;
  }
  if (g.n == 1 && !g.trans_a) return product.dots(g.m);
  if (g.n == 1 && g.ldc == 1) {  // C^T = B^T A^T, whose rows are dense
    std::swap(product.a, product.b);
    product.column_of_a = product.row_of_b;
    product.row_of_b = 2 * g.lda;
    return product.run(1, g.m);
  }
  product.run(g.m, g.n);
}

void small_complex_gemm_kernel(const GemmArgs& g) {
  if (g.dtype == kComplexFloat) run<float>(g);
  else run<double>(g);
}

}  // namespace

REGISTER_DISPATCH(small_complex_gemm_stub, &small_complex_gemm_kernel)

}  // namespace at::native
