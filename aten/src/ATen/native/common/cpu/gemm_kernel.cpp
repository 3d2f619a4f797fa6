// Our own matrix products of floating-point numbers.
//
// R rows by N vectors of C are held in registers during the loop over k. B's rows are contiguous; A
// may have any strides, since its elements are broadcast one by one.

#include <optional>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
namespace {

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

// Rows of a tile: as many sums as hide the time of an addition, within the registers there are.
template <int N>
constexpr int kTileRows = N == 1                      ? 8
                          : kVecBytes == 64 || N == 2 ? 6
                                                      : 4;

template <typename T, int N, typename V = SumType<T>>
void columns(const V* a, int64_t ars, int64_t acs, const V* b, int64_t ldb, T* c, int64_t ldc,
             int64_t m, int64_t k, int64_t tail, V alpha, V beta) {
  constexpr int R = kTileRows<N>;
  int64_t i = 0;
  for (; i + R <= m; i += R)
    tile<T, R, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
  for (; i + 2 <= m; i += 2)
    tile<T, 2, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
  for (; i < m; ++i)
    tile<T, 1, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
}

// Products with little to add up are bound by C, which is written row by row: c = alpha a b + beta
// c for K rows of B.
template <int K, typename T, typename V = SumType<T>>
void few_terms(const GemmArgs& g, const V* a, int64_t row_step, int64_t step, const V* b,
               int64_t ldb) {
  constexpr int64_t W = Vec<V>::size, kColumns = 1024;
  const V alpha = static_cast<V>(g.alpha.real()), beta = static_cast<V>(g.beta.real());
  const auto over = [&](const auto& finish) {
    for (int64_t first = 0; first < g.n; first += kColumns) {
      const int64_t last = std::min(g.n, first + kColumns);
      for (int64_t i = 0; i < g.m; ++i) {
        T* row = static_cast<T*>(g.c) + i * g.ldc;
        Vec<V> x[K];
#pragma GCC unroll 4
        for (int p = 0; p < K; ++p) x[p] = Vec<V>(a[i * row_step + p * step]);
        const auto write = [&](int64_t j, const auto&... count) {
          Vec<V> sum = x[0] * Vec<V>::load(b + j, count...);
#pragma GCC unroll 4
          for (int p = 1; p < K; ++p) sum += x[p] * Vec<V>::load(b + p * ldb + j, count...);
          store_narrow(finish(sum, row + j, count...), row + j, count...);
        };
        int64_t j = first;
        for (; j + W <= last; j += W) write(j);
        if (j < last) write(j, last - j);
      }
    }
  };
  if (alpha == V(1) && beta == V(0)) {
    over([](Vec<V> sum, const auto&...) { return sum; });
  } else {
    over([=](Vec<V> sum, const T* old, const auto&... count) {
      sum = sum * Vec<V>(alpha);
      return beta == V(0) ? sum : sum + Vec<V>(beta) * load_wide(old, count...);
    });
  }
}

// k rows of n elements, `width` apart.
template <int64_t width, typename V>
void pack(const V* from, int64_t ld, int64_t k, int64_t n, V* to) {
  constexpr int64_t W = Vec<V>::size;
  for (int64_t r = 0; r < k; ++r, from += ld, to += width) {
    int64_t q = 0;
    for (; q + W <= n; q += W) Vec<V>::load(from + q).store(to + q);
    for (; q < n; ++q) to[q] = from[q];
  }
}

// The same of n rows of k elements, transposed.
template <typename V>
void pack_transposed(const V* from, int64_t ld, int64_t k, int64_t n, V* to, int64_t width) {
  constexpr int64_t item = sizeof(V);
  transpose_copy_stub(kCPU, reinterpret_cast<char*>(to), width * item,
                      reinterpret_cast<const char*>(from), ld * item, n, k, item);
}

// The loops over tiles. A panel is up to three vectors of columns of B. Panels are packed one after
// the other where there is one block of rows, else many at once, which stay in the second cache.
template <typename T>
class Product {
  using V = SumType<T>;
  static constexpr int64_t W = Vec<V>::size, kWidth = 3 * W, kDepth = 256;
  // Rows are taken in blocks, so that what they write stays together. Those of a transposed A are
  // packed in groups, which tiles of all heights divide.
  static constexpr int64_t kRows = 96, kGroup = 24;
  // From so many rows on B is packed: vectors are aligned then, and its stride does not matter.
  static constexpr int64_t kManyRows = 48, kPacked = (128 << 10) / sizeof(V);
  // A transposed A is read as it is by few tiles, or where it stays in the first cache.
  static constexpr int64_t kFewColumns = 4 * kWidth, kNear = (16 << 10) / sizeof(V);

 public:
  Product(const GemmArgs& g, Operand<T> a, Operand<T> b)
      : g_(g),
        a_(a),
        b_(b),
        c_(static_cast<T*>(g.c)),
        alpha_(static_cast<V>(g.alpha.real())),
        panel_(std::min(kDepth, g.k) * kWidth),
        packs_(g.trans_b || (g.m >= kManyRows && b.ld > kWidth)),
        packs_rows_(g.trans_a && g.k * a.ld > kNear && g.n > kFewColumns) {}

  void run() {
    if (run_short()) return;
    const bool keeps = packs_ && g_.m > kRows;
    const int64_t panels =
        keeps ? std::min(divup(g_.n, kWidth), std::max<int64_t>(1, kPacked / (panel_ + 1))) : 1;
    const int64_t side = keeps ? panels * kWidth : g_.n;
    alignas(64) V one_panel[kDepth * kWidth];
    std::optional<Scratch<V>> many, rows;
    if (panels > 1) many.emplace((panels + 1) * panel_);
    if (packs_rows_) rows.emplace(kRows * panel_ / kWidth);
    packed_ = many ? many->get() : one_panel;
    panel_step_ = many ? panel_ : 0;
    rows_ = rows ? rows->get() : nullptr;
    for (int64_t p = 0; p == 0 || p < g_.k; p += kDepth) {
      for (int64_t j = 0; j < g_.n; j += side) {
        for (int64_t i = 0; i < g_.m; i += kRows)
          block(p, i, j, std::min(g_.n, j + side), !keeps || i == 0);
      }
    }
  }

 private:
  // Runs few_terms if that is faster; false if not.
  bool run_short() const {
    constexpr int64_t kTerms = 4;
    if (g_.k == 0 || g_.k > kTerms || g_.n < kWidth) return false;
    std::optional<Scratch<V>> rows;
    if (g_.trans_b) {
      rows.emplace(g_.k * g_.n);
      pack_transposed(b_.data, b_.ld, g_.k, g_.n, rows->get(), g_.n);
    }
    with_constant<1, kTerms>(g_.k, [&]<int K>(std::integral_constant<int, K>) {
      few_terms<K, T>(g_, a_.data, g_.trans_a ? 1 : a_.ld, g_.trans_a ? a_.ld : 1,
                      rows ? rows->get() : b_.data, rows ? g_.n : b_.ld);
    });
    return true;
  }

  // Rows [i, i + kRows) and columns [j, end) of C get what rows [p, p + kDepth) of B add to them.
  void block(int64_t p, int64_t i, int64_t j, int64_t end, bool is_first) {
    const int64_t k = std::min(kDepth, g_.k - p), m = std::min(kRows, g_.m - i);
    const V beta = p == 0 ? static_cast<V>(g_.beta.real()) : V(1);
    const V* const left = a_.data + (g_.trans_a ? p * a_.ld + i : i * a_.ld + p);
    for (int64_t r = 0; packs_rows_ && r < m; r += kGroup)
      pack<kGroup>(left + r, a_.ld, k, std::min(kGroup, m - r), rows_ + r * k);
    V* to = packed_;
    for (int64_t n; j < end; j += n, to += panel_step_) {
      n = panel_width(end - j);
      const V* right = b_.data + (g_.trans_b ? j * b_.ld + p : p * b_.ld + j);
      if (packs_ && is_first) {
        if (g_.trans_b) pack_transposed(right, b_.ld, k, n, to, kWidth);
        else pack<kWidth>(right, b_.ld, k, n, to);
      }
      if (packs_) right = to;
      const int64_t ldb = packs_ ? kWidth : b_.ld;
      const auto write = [&](const V* a, int64_t row_step, int64_t step, int64_t r, int64_t count) {
        T* c = c_ + (i + r) * g_.ldc + j;
        const int64_t vectors = divup(n, W), tail = n - (vectors - 1) * W;
        const auto with = [&](auto tile_columns) {
          tile_columns(a, row_step, step, right, ldb, c, g_.ldc, count, k, tail, alpha_, beta);
        };
        if (vectors == 1) with(columns<T, 1>);
        else if (vectors == 2) with(columns<T, 2>);
        else with(columns<T, 3>);
      };
      if (!packs_rows_) write(left, g_.trans_a ? 1 : a_.ld, g_.trans_a ? a_.ld : 1, 0, m);
      for (int64_t r = 0; packs_rows_ && r < m; r += kGroup)
        write(rows_ + r * k, 1, kGroup, r, std::min(kGroup, m - r));
    }
  }

  // A last panel of one vector would wait for its few sums: the last four vectors make two panels.
  static int64_t panel_width(int64_t n) {
    return n > 3 * W && n <= 4 * W ? 2 * W : std::min(kWidth, n);
  }

  const GemmArgs& g_;
  Operand<T> a_, b_;
  T* c_;
  V alpha_;
  int64_t panel_, panel_step_ = 0;  // elements of a packed panel, and from one to the next
  bool packs_, packs_rows_;
  V *packed_ = nullptr, *rows_ = nullptr;
};

template <typename T>
void native_gemm(const GemmArgs& g) {
  using V = SumType<T>;
  const int64_t ka = kSumsAreWide<T> ? g.m * g.k : 0, kb = kSumsAreWide<T> ? g.k * g.n : 0;
  constexpr int64_t kInline = kSumsAreWide<T> ? 2048 : 1;
  V few[kInline];
  std::optional<Scratch<V>> many;
  if (ka + kb > kInline) many.emplace(ka + kb);
  V* buffer = many ? many->get() : few;
  const auto a = Operand<T>::read(g.a, g.trans_a ? g.k : g.m, g.trans_a ? g.m : g.k, g.lda, buffer);
  const auto b =
      Operand<T>::read(g.b, g.trans_b ? g.n : g.k, g.trans_b ? g.k : g.n, g.ldb, buffer + ka);
  Product<T>(g, a, b).run();
}

}  // namespace

static void native_gemm_kernel(const GemmArgs& g) {
  dispatch_types<FloatingAndReduced>(g.dtype, "addmm_impl_cpu_",
                                     [&]<typename T>(TypeTag<T>) { native_gemm<T>(g); });
}

REGISTER_DISPATCH(native_gemm_stub, &native_gemm_kernel)

}  // namespace at::native
