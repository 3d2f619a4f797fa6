// Picks a GEMM for the type, the sizes and the machine. See Note [Which GEMM].

#include <ATen/native/common/Gemm.h>

#include <algorithm>
#include <climits>

#include <ATen/Parallel.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/Float8.h>
#include <ATen/native/common/MatrixTilesStub.h>
#include <ATen/native/common/NativeLibraries.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/StructuredOutputs.h>

namespace at::native {
namespace {

// Below this many multiplications our own kernel is faster than any library call.
constexpr int64_t kSmall = 32 * 32 * 32;
// Above this, oneDNN's threads pay off.
constexpr int64_t kLarge = 64 * 64 * 64;
// Inner dimensions from this size on are divided among threads, if the result is small.
constexpr int64_t kLongInner = 2048;
// Small results of complex numbers are dot products from this size on: libraries pack matrices.
constexpr int64_t kLongComplexInner = 192;
// Up to this, a product of half types is bound by its result; that of others with less.
constexpr int64_t kShortInner = 16, kVeryShortInner = 4;
// Rows of so many floats, or a multiple, fall into few sets of the cache.
constexpr int64_t kAliasing = 512;

int64_t work(const GemmArgs& g) { return g.m * g.n * g.k; }

bool fits_int(const GemmArgs& g) {
  return std::max({g.m, g.n, g.k, g.lda, g.ldb, g.ldc}) < INT_MAX;
}

bool is_reduced(ScalarType t) { return t == kHalf || t == kBFloat16; }

// C = beta * C, for an empty product.
void scale_only(const GemmArgs& g) {
  GemmArgs empty = g;
  empty.k = 0;
  if (g.dtype == kFloat || g.dtype == kDouble) native_gemm_stub(kCPU, empty);
  else plain_gemm_stub(kCPU, empty);
}

const char* element(const void* p, int64_t index, ScalarType t) {
  return static_cast<const char*>(p) + index * static_cast<int64_t>(elementSize(t));
}

// Rows [i, i + m) and columns [j, j + n) of C.
GemmArgs block(const GemmArgs& g, int64_t i, int64_t m, int64_t j, int64_t n) {
  GemmArgs part = g;
  part.m = m;
  part.n = n;
  part.a = element(g.a, g.trans_a ? i : i * g.lda, g.dtype);
  part.b = element(g.b, g.trans_b ? j * g.ldb : j, g.dtype);
  part.c = const_cast<char*>(element(g.c, i * g.ldc + j, g.dtype));
  return part;
}

// One call of OpenBLAS. Row-major C = A B is column-major C' = B' A'.
void blas_gemm(const BlasLibrary& blas, const GemmArgs& g) {
  char ta = g.trans_b ? 'T' : 'N', tb = g.trans_a ? 'T' : 'N';
  BlasCall lock;
  switch (g.dtype) {
    case kFloat:
      return blas.sgemm(ta, tb, g.n, g.m, g.k, static_cast<float>(g.alpha.real()),
                        static_cast<const float*>(g.b), g.ldb, static_cast<const float*>(g.a),
                        g.lda, static_cast<float>(g.beta.real()), static_cast<float*>(g.c), g.ldc);
    case kDouble:
      return blas.dgemm(ta, tb, g.n, g.m, g.k, g.alpha.real(), static_cast<const double*>(g.b),
                        g.ldb, static_cast<const double*>(g.a), g.lda, g.beta.real(),
                        static_cast<double*>(g.c), g.ldc);
    case kComplexFloat:
      return blas.cgemm(ta, tb, g.n, g.m, g.k, g.alpha, g.b, g.ldb, g.a, g.lda, g.beta, g.c, g.ldc);
    default:
      return blas.zgemm(ta, tb, g.n, g.m, g.k, g.alpha, g.b, g.ldb, g.a, g.lda, g.beta, g.c, g.ldc);
  }
}

// Blocks of C for our threads: split by rows if there are more rows, else by columns.
template <typename F>
void over_blocks(const GemmArgs& g, const F& f) {
  int64_t threads = get_num_threads();
  if (work(g) < kLarge || threads == 1 || in_parallel_region() || BlasThreads::taken()) return f(g);
  bool rows = g.m >= g.n;
  int64_t length = rows ? g.m : g.n;
  int64_t each = divup(divup(length, threads), 16) * 16;
  parallel_for(0, divup(length, each), 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t from = t * each, n = std::min(each, length - from);
      f(rows ? block(g, from, n, 0, g.n) : block(g, 0, g.m, from, n));
    }
  });
}

// Converts the operands to float, and the result back.
void gemm_by_float(const GemmArgs& g) {
  auto convert = [&](const void* p, int64_t rows, int64_t columns, int64_t ld) {
    Tensor t = empty_tensor({rows, columns}, kFloat);
    float* to = static_cast<float*>(t.data_ptr());
    parallel_for(0, rows, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, columns)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        convert_elements(g.dtype, element(p, i * ld, g.dtype), kFloat, to + i * columns, columns);
    });
    return t;
  };
  Tensor a = g.trans_a ? convert(g.a, g.k, g.m, g.lda) : convert(g.a, g.m, g.k, g.lda);
  Tensor b = g.trans_b ? convert(g.b, g.n, g.k, g.ldb) : convert(g.b, g.k, g.n, g.ldb);
  bool overwrite = g.beta.real() == 0;
  Tensor c = overwrite ? empty_tensor({g.m, g.n}, kFloat) : convert(g.c, g.m, g.n, g.ldc);
  GemmArgs f = g;
  f.dtype = kFloat;
  f.a = a.data_ptr();
  f.lda = std::max<int64_t>(1, g.trans_a ? g.m : g.k);
  f.b = b.data_ptr();
  f.ldb = std::max<int64_t>(1, g.trans_b ? g.k : g.n);
  f.c = c.data_ptr();
  f.ldc = std::max<int64_t>(1, g.n);
  gemm(f);
  const float* from = static_cast<const float*>(c.data_ptr());
  parallel_for(0, g.m, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, g.n)),
               [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      convert_elements(kFloat, from + i * g.n, g.dtype,
                       const_cast<char*>(element(g.c, i * g.ldc, g.dtype)), g.n);
    }
  });
}

bool is_real(ScalarType t) { return t == kFloat || t == kDouble || is_reduced(t); }

// A small result of long dot products.
bool is_long_inner(const GemmArgs& g) {
  const int64_t length = isComplexType(g.dtype) ? kLongComplexInner : kLongInner;
  return g.k >= length && std::max(g.m, g.n) <= kMaxLongVectors &&
         (is_real(g.dtype) || isComplexType(g.dtype) || isIntegralType(g.dtype, false));
}

// oneDNN, if it multiplies bfloat16 faster than we do; not within parallel_for.
const MkldnnLibrary* bfloat16_library(int64_t work) {
  const MkldnnLibrary* mkldnn = work > kSmall && !in_parallel_region() ? mkldnn_library() : nullptr;
  return mkldnn && mkldnn->has_type(kBFloat16) ? mkldnn : nullptr;
}

// Fewer multiplications, and fewer to add up, are faster as floats.
bool in_matrix_tiles(const GemmArgs& g) {
  return g.dtype == kBFloat16 && work(g) > kSmall && g.k > kVeryShortInner &&
         has_matrix_tiles_stub.cpu()();
}

// A few rows with many, which are the dense rows of a transposed B or of A: bound by the memory of
// the many.
bool is_few_rows(const GemmArgs& g) {
  constexpr int64_t kInner = 128, kShortest = 64, kFewest = 4;
  if (!is_real(g.dtype) || g.k < kShortest) return false;
  if (g.dtype == kBFloat16 && bfloat16_library(work(g))) return false;
  // More halves are worth a copy as floats; more rows of A, or of doubles, are faster in a library.
  int64_t max_rows = 32, max_columns = 32;
  if (g.dtype == kFloat) max_columns = 12;
  if (g.dtype == kDouble) max_rows = max_columns = 16;
  // With AVX-512 only the fewest have been tried, and some of halves.
  if (g_cpu_capability == CPUCapability::AVX512) {
    constexpr int64_t kFewHalves = 12;
    max_rows = max_columns = g.dtype == kHalf ? kFewHalves : kFewest;
  }
  if (g.k < kInner) max_rows = max_columns = kFewest;
  return (g.trans_b && g.m <= max_rows) || (!g.trans_a && g.n <= max_columns);
}

// Whether OpenBLAS multiplies floats faster than oneDNN, which reads few sets of the cache where
// rows are a multiple of 2 KiB apart.
//
// Measured on a Zen 3 without AVX-512, in GFLOP/s on one thread (OpenBLAS, oneDNN):
//   1024 x 1024 x 1024               86  75
//    128 x 3072 x 768                73  58
//   1024 x 256 x 1792, A transposed  63  30  the gradient of a layer's weights
//   1000 x 1000 x 1000, B transposed 82  81
//   1024 x 1024 x 1024, B transposed 77  69
//    768 x 768 x 256                 78  84  most products whose rows do not alias
// With A transposed and many columns OpenBLAS is as fast or up to 1.4 times as fast.
bool prefers_blas(const GemmArgs& g) {
  constexpr int64_t kShort = 128, kManyColumns = 256, kManyRows = 512, kLongRows = 1024;
  if (g_cpu_capability == CPUCapability::AVX512 || g.k <= kShort || work(g) <= kLarge) return false;
  if (g.trans_a && (g.lda % kAliasing == 0 || g.n >= kManyColumns)) return true;
  return g.trans_b ? g.m >= kManyRows && g.k >= kLongRows : g.ldb % kAliasing == 0;
}

// Whether our own kernel is faster than the libraries for a product of floats or doubles.
//
// Measured on a Zen 3, in microseconds on one thread (ours, library):
//   double  512 x 512 x 8        140   330   the library is slow to start; with more to add up
//           1000 x 32 x 128      174   222   and a large result it is faster
//   float   512 x 512 x 8         69   116
// With AVX-512 only the shortest have been measured.
bool is_native(const GemmArgs& g) {
  const int64_t size = g.m * g.n;
  if (g.k <= kVeryShortInner || work(g) <= kSmall) return true;
  if (g_cpu_capability == CPUCapability::AVX512) return false;
  constexpr int64_t kLargeResult = 1 << 20, kManyRows = 1024;
  if (g.dtype == kFloat) {
    if (work(g) <= kLarge) return true;
    if (prefers_blas(g) || (g.trans_b && !in_parallel_region())) return false;
    return (!g.trans_b && g.ldb % kAliasing == 0 && g.m <= kManyRows) ||
           g.k <= (size <= kLargeResult ? 128 : 32);
  }
  if (size > kLargeResult) return g.k <= 32;
  return g.k <= (g.trans_a || g.trans_b ? 64 : 128);
}

// Products with little to add up are bound by their result: that of half types is converted as it
// is stored.
bool as_native(const GemmArgs& g) {
  if (g.dtype == kBFloat16 && g.k > kVeryShortInner && bfloat16_library(work(g))) return false;
  if (is_reduced(g.dtype)) {
    if (g.k > kMaxHalfInner || (g.k > kShortInner && work(g) > kSmall)) return false;
  } else if (!is_real(g.dtype) || !is_native(g)) {
    return false;
  }
  over_blocks(g, [](const GemmArgs& part) { native_gemm_stub(kCPU, part); });
  return true;
}

bool as_gemv(const GemmArgs& g) {
  if (!is_real(g.dtype) || (g.m != 1 && g.n != 1)) return false;
  GemvArgs v{g.dtype, 0, g.k, nullptr, 0, 0, nullptr, 0, nullptr, 0, g.alpha.real(), g.beta.real()};
  v.y = g.c;
  if (g.n == 1) {
    v.m = g.m;
    v.a = g.a;
    v.row_stride = g.trans_a ? 1 : g.lda;
    v.column_stride = g.trans_a ? g.lda : 1;
    v.x = g.b;
    v.incx = g.trans_b ? 1 : g.ldb;
    v.incy = g.ldc;
  } else {
    v.m = g.n;
    v.a = g.b;
    v.row_stride = g.trans_b ? g.ldb : 1;
    v.column_stride = g.trans_b ? 1 : g.ldb;
    v.x = g.a;
    v.incx = g.trans_a ? g.lda : 1;
    v.incy = 1;
  }
  gemv_stub(kCPU, v);
  return true;
}

// The library takes up to twice as long for these as for their real product.
bool is_short_complex(const GemmArgs& g) {
  constexpr int64_t kInner = 32, kRows = 32, kResult = 64 * 64;
  return g.dtype == kComplexFloat && g.k <= kInner && g.m >= kRows && g.m * g.n >= kResult &&
         g.beta.imag() == 0;
}

bool is_small_complex(const GemmArgs& g) {
  return (g.dtype == kComplexFloat || g.dtype == kComplexDouble) && work(g) > 0 &&
         std::max({g.m, g.n, g.k}) <= kMaxSmallComplex;
}

}  // namespace

void gemm(const GemmArgs& g) {
  if (g.m == 0 || g.n == 0) return;
  if (is_small_complex(g)) return small_complex_gemm_stub(kCPU, g);
  if (is_signed_float8(g.dtype)) return gemm_by_float(g);
  if (g.k == 0 && !is_reduced(g.dtype)) return scale_only(g);
  if (is_long_inner(g)) return long_inner_gemm_stub(kCPU, g);
  if (as_gemv(g)) return;
  if (in_matrix_tiles(g)) return matrix_tiles_gemm_stub(kCPU, g);
  if (is_few_rows(g)) return few_rows_gemm_stub(kCPU, g);
  if (as_native(g)) return;
  switch (g.dtype) {
    case kFloat: {
      const MkldnnLibrary* mkldnn =
          work(g) >= kLarge && !in_parallel_region() && fits_int(g) && !prefers_blas(g)
              ? mkldnn_library()
              : nullptr;
      if (mkldnn) {
        // Shapes that occur repeatedly are worth a primitive of their own.
        if (g.trans_b && mkldnn->matmul(g, false)) return;
        return mkldnn->sgemm(g);
      }
      break;
    }
    case kDouble:
      break;
    case kComplexFloat:
    case kComplexDouble:
      if (is_short_complex(g)) return complex_gemm_stub(kCPU, g);
      break;
    case kBFloat16: {
      const MkldnnLibrary* mkldnn = bfloat16_library(work(g));
      if (mkldnn && mkldnn->matmul(g, true)) return;
      return gemm_by_float(g);
    }
    case kHalf:
      return gemm_by_float(g);
    default:
      return plain_gemm_stub(kCPU, g);
  }
  const BlasLibrary* blas = fits_int(g) ? blas_library() : nullptr;
  if (blas) return over_blocks(g, [&](const GemmArgs& part) { blas_gemm(*blas, part); });
  if (isComplexType(g.dtype)) return plain_gemm_stub(kCPU, g);
  over_blocks(g, [](const GemmArgs& part) { native_gemm_stub(kCPU, part); });
}

namespace {

// The matrices of a batch, each dense, that begin `step` elements after each other.
struct BatchOperand {
  const void* first;
  int64_t numel, step;
  // Matrices begin to begin + count as floats; one matrix if all are the same.
  void read(ScalarType dtype, int64_t begin, int64_t count, float* to) const {
    if (step == 0 || step == numel) {
      const int64_t n = step == 0 ? numel : count * numel;
      return convert_elements(dtype, element(first, begin * step, dtype), kFloat, to, n);
    }
    for (int64_t i = 0; i < count; ++i)
      convert_elements(dtype, element(first, (begin + i) * step, dtype), kFloat, to + i * numel,
                       numel);
  }
};

// Small products of a half type: a group of matrices is converted at once. Dense matrices only.
bool small_products_by_float(const GemmArgs& first, int64_t count, int64_t step_a, int64_t step_b,
                             int64_t step_c) {
  const int64_t m = first.m, n = first.n, k = first.k;
  // Of large matrices each is converted by itself.
  constexpr int64_t kFew = 256;
  if (!is_reduced(first.dtype) || m * n > kFew || work(first) > kSmall || k == 0 || m * n == 0 ||
      first.lda != (first.trans_a ? m : k) || first.ldb != (first.trans_b ? k : n) ||
      first.ldc != n)
    return false;
  const BatchOperand a{first.a, m * k, step_a}, b{first.b, k * n, step_b},
      c{first.c, m * n, step_c};
  const int64_t each = a.numel + b.numel + c.numel, group = std::max<int64_t>(1, 8192 / each);
  parallel_for(0, count, std::max<int64_t>(1, 4 * kGrainSize / work(first)),
               [&](int64_t begin, int64_t end) {
    Scratch<float> floats(group * each);
    float *fa = floats.get(), *fb = fa + group * a.numel, *fc = fb + group * b.numel;
    for (int64_t i = begin; i < end; i += group) {
      const int64_t some = std::min(group, end - i);
      a.read(first.dtype, i, some, fa);
      b.read(first.dtype, i, some, fb);
      if (first.beta.real() != 0) c.read(first.dtype, i, some, fc);
      for (int64_t r = 0; r < some; ++r) {
        GemmArgs one = first;
        one.dtype = kFloat;
        one.a = fa + (step_a == 0 ? 0 : r * a.numel);
        one.b = fb + (step_b == 0 ? 0 : r * b.numel);
        one.c = fc + r * c.numel;
        gemm(one);
      }
      for (int64_t r = 0; r < some; ++r) {
        convert_elements(kFloat, fc + r * c.numel, first.dtype,
                         const_cast<char*>(element(first.c, (i + r) * step_c, first.dtype)),
                         c.numel);
      }
    }
  });
  return true;
}

// Whether products are of a row with a column, both dense and too short to be divided.
bool are_dots(const GemmArgs& g) {
  constexpr int64_t kLong = 16384;
  const bool dense_a = !g.trans_a || g.lda == 1, dense_b = g.trans_b || g.ldb == 1;
  const bool has_dots = is_real(g.dtype) || g.dtype == kComplexFloat || g.dtype == kComplexDouble;
  return g.m == 1 && g.n == 1 && g.k <= kLong && dense_a && dense_b && has_dots &&
         g.alpha == ComplexDouble(1, 0) && g.beta == ComplexDouble(0, 0);
}

}  // namespace

void gemm_batched(const GemmArgs& first, int64_t count, int64_t step_a, int64_t step_b,
                  int64_t step_c) {
  // Products that are worth a primitive of oneDNN together are so many times as many as alone.
  constexpr int64_t kEnough = 8;
  if (are_dots(first)) return batched_dots_stub(kCPU, first, {count, step_a, step_b, step_c});
  if (small_products_by_float(first, count, step_a, step_b, step_c)) return;
  if (first.dtype == kBFloat16 && !is_long_inner(first) && count > 1 && first.k > 0 && step_c > 0 &&
      step_a + step_b > 0 && fits_int(first)) {
    const MkldnnLibrary* mkldnn = bfloat16_library(work(first) * count / kEnough);
    if (mkldnn && mkldnn->batched_matmul(first, {count, step_a, step_b, step_c})) return;
  }
  auto one = [&](int64_t i) {
    GemmArgs g = first;
    g.a = element(first.a, i * step_a, first.dtype);
    g.b = element(first.b, i * step_b, first.dtype);
    g.c = const_cast<char*>(element(first.c, i * step_c, first.dtype));
    gemm(g);
  };
  // A few large products are split internally; many or small ones are distributed over the threads.
  if (count < get_num_threads() ||
      (work(first) >= 256 * 256 * 256 && count % get_num_threads() != 0 && count < 8)) {
    for (int64_t i = 0; i < count; ++i) one(i);
    return;
  }
  parallel_for(0, count,
               std::max<int64_t>(1, 64 * kGrainSize / 16 / std::max<int64_t>(1, work(first))),
               [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) one(i);
  });
}

void strided_gemm(ScalarType dtype, int64_t m, int64_t n, int64_t k, GemmOperand a, GemmOperand b,
                  double beta, void* c, int64_t ldc) {
  GemmArgs g{dtype};
  g.trans_a = a.trans;
  g.trans_b = b.trans;
  g.m = m;
  g.n = n;
  g.k = k;
  g.a = a.data;
  g.lda = std::max<int64_t>(1, a.ld);
  g.b = b.data;
  g.ldb = std::max<int64_t>(1, b.ld);
  g.c = c;
  g.ldc = std::max<int64_t>(1, ldc);
  g.beta = {beta, 0};
  gemm(g);
}

void dense_gemm(ScalarType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                const void* a, const void* b, double beta, void* c) {
  strided_gemm(dtype, m, n, k, {a, trans_a ? m : k, trans_a}, {b, trans_b ? k : n, trans_b}, beta,
               c, n);
}

}  // namespace at::native
