// Our own matrix products: small ones, and types that the libraries lack.

#include <optional>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/IntegerGemm.h>
#include <ATen/native/common/cpu/Interleaved.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
namespace {

// --- small products ------------------------------------------------------------------------------
//
// R rows by N vectors of C are held in registers during the loop over k. B's rows are contiguous; A
// may have any strides, since its elements are broadcast one by one.

// A dense operand, or a transposed one. Halves are converted to floats.
template <typename T>
struct Operand {
  using V = SumType<T>;
  const V* data;
  int64_t ld;

  // `rows` rows of `columns` elements in memory.
  static Operand read(const void* p, int64_t rows, int64_t columns, int64_t ld, V* buffer) {
    const T* from = static_cast<const T*>(p);
    if constexpr (!kSumsAreWide<T>) {
      return {from, ld};
    } else {
      if (ld == columns) convert_run(from, buffer, rows * columns);
      for (int64_t i = 0; i < rows && ld != columns; ++i)
        convert_run(from + i * ld, buffer + i * columns, columns);
      return {buffer, columns};
    }
  }
};

template <typename T, int R, int N, typename V = SumType<T>>
inline void tile(const V* a, int64_t ars, int64_t acs, const V* b, int64_t ldb, T* c, int64_t ldc,
                 int64_t k, int64_t tail, V alpha, V beta) {
  constexpr int64_t W = Vec<V>::size;
  Vec<V> acc[R][N] = {};
  for (int64_t p = 0; p < k; ++p) {
    Vec<V> row[N];
    for (int v = 0; v < N - 1; ++v) row[v] = Vec<V>::load(b + p * ldb + v * W);
    row[N - 1] = tail == W ? Vec<V>::load(b + p * ldb + (N - 1) * W)
                           : Vec<V>::load(b + p * ldb + (N - 1) * W, tail);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      Vec<V> x(a[r * ars + p * acs]);
#pragma GCC unroll 3
      for (int v = 0; v < N; ++v) acc[r][v] += x * row[v];
    }
  }
  // Loops over registers must be unrolled: registers have no index.
  auto write = [&](const auto& add_old) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 3
      for (int v = 0; v < N; ++v) {
        T* to = c + r * ldc + v * W;
        Vec<V> x = acc[r][v] * Vec<V>(alpha);
        if (v < N - 1 || tail == W) {
          add_old(x, [to] { return load_wide(to); });
          store_narrow(x, to);
        } else {
          add_old(x, [to, tail] { return load_wide(to, tail); });
          store_narrow(x, to, tail);
        }
      }
    }
  };
  if (beta == V(0)) write([](Vec<V>&, const auto&) {});
  else write([beta](Vec<V>& x, const auto& old) { x += Vec<V>(beta) * old(); });
}

template <typename T, int N, typename V = SumType<T>>
void columns(const V* a, int64_t ars, int64_t acs, const V* b, int64_t ldb, T* c, int64_t ldc,
             int64_t m, int64_t k, int64_t tail, V alpha, V beta) {
  constexpr int R = kVecBytes == 64 ? 6 : 4;
  int64_t i = 0;
  for (; i + R <= m; i += R)
    tile<T, R, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
  for (; i + 2 <= m; i += 2)
    tile<T, 2, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
  for (; i < m; ++i)
    tile<T, 1, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
}

// to[r * width + q] = from[q * ld + r], for k rows and n columns. Short columns that are dense are
// taken apart in vectors.
template <int64_t width, typename V>
void pack_transposed(const V* from, int64_t ld, int64_t k, int64_t n, V* to) {
  if (k == ld && n >= Vec<V>::size &&
      for_interleaved(
          k, [&]<int K>(std::integral_constant<int, K>) { split_rows<K, K>(to, width, from, n); }))
    return;
  for (int64_t q = 0; q < n; ++q) {
    for (int64_t r = 0; r < k; ++r) to[r * width + q] = from[q * ld + r];
  }
}

template <typename T>
void small_gemm(const GemmArgs& g) {
  using V = SumType<T>;
  // Rows are taken in blocks, so that what they write stays together.
  constexpr int64_t W = Vec<V>::size, kDepth = 256, kWidth = 3 * W, kRows = 96;
  const int64_t ka = kSumsAreWide<T> ? g.m * g.k : 0, kb = kSumsAreWide<T> ? g.k * g.n : 0;
  constexpr int64_t kInline = kSumsAreWide<T> ? 2048 : 1;
  alignas(64) V few[kInline], packed[kDepth * kWidth];
  std::optional<Scratch<V>> many;
  if (ka + kb > kInline) many.emplace(ka + kb);
  V* buffer = many ? many->get() : few;
  const Operand<T> a =
      Operand<T>::read(g.a, g.trans_a ? g.k : g.m, g.trans_a ? g.m : g.k, g.lda, buffer);
  const Operand<T> b =
      Operand<T>::read(g.b, g.trans_b ? g.n : g.k, g.trans_b ? g.k : g.n, g.ldb, buffer + ka);
  T* c = static_cast<T*>(g.c);
  int64_t ars = g.trans_a ? 1 : a.ld, acs = g.trans_a ? a.ld : 1;
  V alpha = static_cast<V>(g.alpha.real()), first_beta = static_cast<V>(g.beta.real());
  for (int64_t p = 0; p == 0 || p < g.k; p += kDepth) {
    int64_t k = std::min(kDepth, g.k - p);
    V beta = p == 0 ? first_beta : V(1);
    for (int64_t i = 0; i < g.m; i += kRows) {
      const int64_t m = std::min(kRows, g.m - i);
      for (int64_t j = 0; j < g.n; j += kWidth) {
        int64_t n = std::min(kWidth, g.n - j), vectors = (n + W - 1) / W,
                tail = n - (vectors - 1) * W;
        const V* rows;
        int64_t ldb;
        if (g.trans_b) {
          pack_transposed<kWidth>(b.data + j * b.ld + p, b.ld, k, n, packed);
          rows = packed;
          ldb = kWidth;
        } else {
          rows = b.data + p * b.ld + j;
          ldb = b.ld;
        }
        const V* left = a.data + i * ars + p * acs;
        T* to = c + i * g.ldc + j;
        if (vectors == 1)
          columns<T, 1>(left, ars, acs, rows, ldb, to, g.ldc, m, k, tail, alpha, beta);
        else if (vectors == 2)
          columns<T, 2>(left, ars, acs, rows, ldb, to, g.ldc, m, k, tail, alpha, beta);
        else columns<T, 3>(left, ars, acs, rows, ldb, to, g.ldc, m, k, tail, alpha, beta);
      }
    }
  }
}

}  // namespace

static void native_gemm_kernel(const GemmArgs& g) {
  dispatch_types<FloatingAndReduced>(g.dtype, "addmm_impl_cpu_",
                                     [&]<typename T>(TypeTag<T>) { small_gemm<T>(g); });
}

namespace {

// --- other types ---------------------------------------------------------------------------------

template <typename T>
void complex_gemm(const GemmArgs& g) {
  using R = typename T::value_type;
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  int64_t ars = g.trans_a ? 1 : g.lda, acs = g.trans_a ? g.lda : 1;
  int64_t brs = g.trans_b ? 1 : g.ldb, bcs = g.trans_b ? g.ldb : 1;
  const T alpha(static_cast<R>(g.alpha.real()), static_cast<R>(g.alpha.imag())),
      beta(static_cast<R>(g.beta.real()), static_cast<R>(g.beta.imag()));
  parallel_for(0, g.m, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, g.n * g.k)),
               [&](int64_t begin, int64_t end) {
    std::vector<T> row(g.n);
    for (int64_t i = begin; i < end; ++i) {
      std::fill(row.begin(), row.end(), T(0));
      T* sums = row.data();
      for (int64_t p = 0; p < g.k; ++p) {
        const T x = a[i * ars + p * acs];
        const T* from = b + p * brs;
        for (int64_t j = 0; j < g.n; ++j) sums[j] += x * from[j * bcs];
      }
      T* to = c + i * g.ldc;
      const bool overwrite = beta == T(0);
      for (int64_t j = 0; j < g.n; ++j)
        to[j] = overwrite ? alpha * sums[j] : alpha * sums[j] + beta * to[j];
    }
  });
}

}  // namespace

static void plain_gemm_kernel(const GemmArgs& g) {
  dispatch_types<IntegralTypes, ComplexTypes>(g.dtype, "addmm_impl_cpu_",
                                              [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) IntegerGemm<T>(g).run();
    else complex_gemm<T>(g);
  });
}

REGISTER_DISPATCH(native_gemm_stub, &native_gemm_kernel)
REGISTER_DISPATCH(plain_gemm_stub, &plain_gemm_kernel)

}  // namespace at::native
