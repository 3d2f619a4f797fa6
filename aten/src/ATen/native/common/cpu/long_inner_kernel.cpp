// Products with a long inner dimension and a small result: a few dot products of long vectors. The
// inner dimension is divided among threads.

#include <array>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/IntegerGemm.h>
#include <ATen/native/common/cpu/Interleaved.h>
#include <ATen/native/common/cpu/OuterSums.h>
#include <ATen/native/common/cpu/RowDots.h>

namespace at::native {
namespace {

// Positions of the inner dimension that are taken at once. All vectors of a piece are in the cache,
// where copies that were a power of two apart would push each other out.
template <typename T>
constexpr int64_t kPieceOf = 4096 / sizeof(T);
template <typename T>
constexpr int64_t kDistanceOf = kPieceOf<T> + 64 / sizeof(T);

// Vectors along the inner dimension: where they are in memory, or copied there.
template <typename T>
struct LongVectors {
  static constexpr int64_t kDistance = kDistanceOf<T>;
  const T* data;
  int64_t count, step, inner_step;

  // Positions p to p + n. They are `distance` elements apart.
  const T* read(int64_t p, int64_t n, T* buffer, int64_t& distance) const {
    const T* from = data + p * inner_step;
    distance = step;
    if (inner_step == 1) return from;
    distance = kDistance;
    // Integers of the elements' size move in registers.
    using U = std::conditional_t<sizeof(T) <= 8, UnsignedOfSize<sizeof(T)>, T>;
    const U* bits = reinterpret_cast<const U*>(from);
    U* to = reinterpret_cast<U*>(buffer);
    if (step == 1 && inner_step == count) {
      with_constant<1, kMaxLongVectors>(
          count, [&]<int N>(std::integral_constant<int, N>) { separate<N>(bits, to, n); });
    } else {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t k = 0; k < n; ++k) to[i * kDistance + k] = bits[i * step + k * inner_step];
      }
    }
    return buffer;
  }

  template <int N, typename U>
  static void separate(const U* from, U* to, int64_t n) {
    if constexpr (sizeof(U) <= 8 && N != 5 && N != 7) {
      split_rows<N, N>(to, kDistance, from, n);
    } else {
      for (int i = 0; i < N; ++i) {
#pragma GCC ivdep
        for (int64_t k = 0; k < n; ++k) to[i * kDistance + k] = from[k * N + i];
      }
    }
  }
};

template <typename T>
struct LazyIntegerSum {
  using type = IntegerSum<T>;
};
// Sums of a piece, and of all pieces. Those of integers wrap around.
template <typename T>
using PartSum = typename std::conditional_t<std::is_integral_v<T>, LazyIntegerSum<T>,
                                            std::common_type<SumType<T>>>::type;
template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, PartSum<T>,
                       std::conditional_t<!c10::is_complex_v<T>, double, c10::complex<double>>>;
template <typename T>
using Sums = std::array<Wide<T>, kMaxLongVectors * kMaxLongVectors>;

// The dot products of `rows` vectors with x.
template <typename T>
void piece_dots(const T* vectors, int64_t step, const T* x, int64_t n, int64_t rows,
                PartSum<T>* sums) {
  if constexpr (std::is_integral_v<T>) {
    using S = PartSum<T>;
    for (int64_t r = 0; r < rows; ++r) {
      S sum = 0;
      for (int64_t k = 0; k < n; ++k)
        sum = static_cast<S>(sum + 1u * S(vectors[r * step + k]) * S(x[k]));
      sums[r] = sum;
    }
  } else {
    many_row_dots(vectors, step, x, n, rows, sums);
  }
}

template <typename T>
constexpr bool kHasOuterSums = std::is_same_v<Real<T>, float> || std::is_same_v<Real<T>, double>;

// Whether the right vectors lie beside each other and fill at least half a register together.
template <typename T>
bool fit_outer_sums(const LongVectors<T>& right) {
  if constexpr (!kHasOuterSums<T>) {
    return false;
  } else {
    using R = Real<T>;
    const int64_t columns = right.count * static_cast<int64_t>(sizeof(T) / sizeof(R));
    return right.step == 1 && right.inner_step >= right.count && 2 * columns >= Vec<R>::size &&
           columns <= kMaxOuterColumns<R>;
  }
}

// As `dots`, for vectors that fit outer sums.
template <typename T>
Sums<T> outer_dots(const LongVectors<T>& left, const LongVectors<T>& right, int64_t begin,
                   int64_t end) {
  using R = Real<T>;
  // The parts of a complex number.
  constexpr int64_t kParts = sizeof(T) / sizeof(R), kStep = kMaxOuterColumns<R>;
  // After so many positions, sums are added up in a wider type.
  constexpr int64_t kPositions = 512;
  Sums<T> sums{};
  R piece[kParts][kMaxLongVectors * kStep];
  for (int64_t p = begin; p < end; p += kPositions) {
    const int64_t n = std::min(kPositions, end - p);
    const R* a = reinterpret_cast<const R*>(left.data + p * left.inner_step);
    const R* b = reinterpret_cast<const R*>(right.data + p * right.inner_step);
    for (int64_t part = 0; part < kParts; ++part)
      outer_sums<R>({a + part, left.step * kParts, left.inner_step * kParts}, left.count, b,
                    right.inner_step * kParts, right.count * kParts, n, piece[part]);
    for (int64_t i = 0; i < left.count; ++i) {
      for (int64_t j = 0; j < right.count; ++j) {
        Wide<T>& sum = sums[i * right.count + j];
        const int64_t at = i * kStep + j * kParts;
        if constexpr (kParts == 1) {
          sum += piece[0][at];
        } else {
          const auto x = [&](int64_t part, int64_t k) -> double { return piece[part][at + k]; };
          sum += Wide<T>(x(0, 0) - x(1, 1), x(0, 1) + x(1, 0));
        }
      }
    }
  }
  return sums;
}

// sums[i * right.count + j] = the dot products of the left with the right vectors, for positions
// begin to end.
template <typename T>
Sums<T> dots(const LongVectors<T>& left, const LongVectors<T>& right, int64_t begin, int64_t end) {
  constexpr int64_t kPiece = kPieceOf<T>;
  Sums<T> sums{};
  alignas(64) T buffers[2][kMaxLongVectors * kDistanceOf<T>];
  for (int64_t p = begin; p < end; p += kPiece) {
    const int64_t n = std::min(kPiece, end - p);
    int64_t left_step, right_step;
    const T* x = left.read(p, n, buffers[0], left_step);
    const T* y = right.read(p, n, buffers[1], right_step);
    for (int64_t i = 0; i < left.count; ++i) {
      PartSum<T> part[kMaxLongVectors];
      piece_dots(y, right_step, x + i * left_step, n, right.count, part);
      for (int64_t j = 0; j < right.count; ++j)
        sums[i * right.count + j] =
            static_cast<Wide<T>>(sums[i * right.count + j] + static_cast<Wide<T>>(part[j]));
    }
  }
  return sums;
}

template <typename T>
void long_inner_as(const GemmArgs& g) {
  LongVectors<T> left{static_cast<const T*>(g.a), g.m, g.trans_a ? 1 : g.lda,
                      g.trans_a ? g.lda : 1};
  LongVectors<T> right{static_cast<const T*>(g.b), g.n, g.trans_b ? g.ldb : 1,
                       g.trans_b ? 1 : g.ldb};
  // Several vectors on the right share the loads of the left one.
  const bool swapped = left.count > right.count;
  if (swapped) std::swap(left, right);
  const bool is_outer = fit_outer_sums(right);
  const Sums<T> sums =
      parallel_reduce(int64_t(0), g.k, std::max<int64_t>(kPieceOf<T>, 2 * kGrainSize / (g.m + g.n)),
                      Sums<T>{}, [&](int64_t begin, int64_t end, const Sums<T>&) {
    if constexpr (kHasOuterSums<T>) {
      if (is_outer) return outer_dots(left, right, begin, end);
    }
    return dots(left, right, begin, end);
  }, [](Sums<T> a, const Sums<T>& b) {
    for (size_t k = 0; k < a.size(); ++k) a[k] = static_cast<Wide<T>>(a[k] + b[k]);
    return a;
  });
  using V = PartSum<T>;
  V alpha, beta;
  if constexpr (std::is_integral_v<T>) {
    alpha = static_cast<V>(static_cast<int64_t>(g.alpha.real()));
    beta = static_cast<V>(static_cast<int64_t>(g.beta.real()));
  } else if constexpr (!c10::is_complex_v<T>) {
    alpha = static_cast<V>(g.alpha.real()), beta = static_cast<V>(g.beta.real());
  } else {
    alpha = static_cast<V>(g.alpha), beta = static_cast<V>(g.beta);
  }
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      T& to = static_cast<T*>(g.c)[i * g.ldc + j];
      const V sum = static_cast<V>(sums[swapped ? j * g.m + i : i * g.n + j]);
      const V product = wrapping_product(alpha, sum);
      to = static_cast<T>(beta == V(0) ? product
                                       : product + wrapping_product(beta, static_cast<V>(to)));
    }
  }
}

}  // namespace

static void long_inner_kernel(const GemmArgs& g) {
  dispatch_types<FloatingAndReduced, ComplexTypes, IntegralTypes>(
      g.dtype, "addmm_impl_cpu_", [&]<typename T>(TypeTag<T>) { long_inner_as<T>(g); });
}

REGISTER_DISPATCH(long_inner_gemm_stub, &long_inner_kernel)

}  // namespace at::native
