// Products of complex matrices by real ones.
//
// A row of complex numbers is a row of twice as many real ones, so that A (m x k) and C (m x n) are
// real matrices as they are. C = A B holds for these if each number of B becomes a 2 x 2 matrix:
//
//   x + iy  ->   x  y
//               -y  x
//
// Where the inner dimension is short, this copy of B takes less time than the library's complex
// kernels lose.

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/Scratch.h>

namespace at::native {
namespace {

// f(row) for rows of n numbers, in parallel.
template <typename F>
void over_rows(int64_t rows, int64_t n, const F& f) {
  const int64_t grain = std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, n));
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// Two rows for each row of B, times alpha: the numbers z as they are and iz; for a transposed B
// conj(z) and i conj(z).
void widen(const GemmArgs& g, float* to) {
  const int64_t rows = g.trans_b ? g.n : g.k, n = g.trans_b ? g.k : g.n;
  const float re = static_cast<float>(g.alpha.real()), im = static_cast<float>(g.alpha.imag()),
              sign = g.trans_b ? -1.0f : 1.0f;
  over_rows(rows, 4 * n, [&](int64_t i) {
    const float* from = static_cast<const float*>(g.b) + 2 * i * g.ldb;
    float *first = to + i * 4 * n, *second = first + 2 * n;
    const auto write = [&](int64_t j, float x, float y) {
      first[2 * j] = x;
      first[2 * j + 1] = y * sign;
      second[2 * j] = -y * sign;
      second[2 * j + 1] = x;
    };
    if (im == 0) {  // without 0 times infinity
      for (int64_t j = 0; j < n; ++j) write(j, from[2 * j] * re, from[2 * j + 1] * re);
      return;
    }
    for (int64_t j = 0; j < n; ++j) {
      const float x = from[2 * j], y = from[2 * j + 1];
      write(j, x * re - y * im, x * im + y * re);
    }
  });
}

// Two rows for each row of a transposed A: real and imaginary parts.
void part_rows(const GemmArgs& g, float* to) {
  over_rows(g.k, 2 * g.m, [&](int64_t i) {
    const float* from = static_cast<const float*>(g.a) + 2 * i * g.lda;
    float *first = to + i * 2 * g.m, *second = first + g.m;
    for (int64_t j = 0; j < g.m; ++j) {
      first[j] = from[2 * j];
      second[j] = from[2 * j + 1];
    }
  });
}

void complex_gemm_kernel(const GemmArgs& g) {
  const Scratch<float> b(4 * g.n * g.k), a(g.trans_a ? 2 * g.m * g.k : 0);
  widen(g, b.get());
  GemmArgs r = g;
  r.dtype = kFloat;
  r.n = 2 * g.n;
  r.k = 2 * g.k;
  r.b = b.get();
  r.ldb = g.trans_b ? r.k : r.n;
  r.lda = 2 * g.lda;
  r.ldc = 2 * g.ldc;
  r.alpha = {1, 0};
  if (g.trans_a) {
    part_rows(g, a.get());
    r.a = a.get();
    r.lda = g.m;
  }
  gemm(r);
}

}  // namespace

REGISTER_DISPATCH(complex_gemm_stub, &complex_gemm_kernel)

}  // namespace at::native
