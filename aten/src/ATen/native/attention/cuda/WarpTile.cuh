#pragma once
// Products of a warp: 16 rows of results, which its lanes hold together, from operands in shared
// memory. Half types use tensor cores, others the lanes' own arithmetic.
//
//   WarpTile<T, N> tile(scratch);        // 16 x N zeros; scratch: 256 numbers of shared memory
//   tile.add<kByRows>(a, lda, b, ldb, k, n);    // += a (16 x k) b (k x n): b's rows are dense
//   tile.add<kByColumns>(a, lda, b, ldb, k, n);  // the same, b's columns are dense
//   tile.scale_rows(factors);            // 16 numbers in shared memory
//   tile.store(to, ld);                  // to shared memory
//
// k is a multiple of 16 and so is n, up to N. All lanes call, with the same arguments.

#include <type_traits>

#include <ATen/OpMathType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace at::native::attention {

namespace wmma = nvcuda::wmma;

enum Order : bool { kByRows, kByColumns };

// Lane l holds rows 4 * (l / 8) to 4 * (l / 8) + 3, and each eighth column from l % 8 on.
template <typename T, int N>
class LanesTile {
 public:
  using M = opmath_type<T>;
  __device__ explicit LanesTile(M*) { zero(); }
  __device__ void zero() {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
      for (int c = 0; c < N / 8; ++c) sum_[r][c] = 0;
    }
  }
  template <Order order>
  __device__ void add(const T* a, int lda, const T* b, int ldb, int k, int n) {
    a += row() * lda;
    b += order == kByRows ? column() : column() * ldb;
    const int step = order == kByRows ? 8 : 8 * ldb, next = order == kByRows ? ldb : 1;
#pragma unroll 2
    for (int i = 0; i < k; ++i) {
      M x[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) x[r] = static_cast<M>(a[r * lda + i]);
#pragma unroll
      for (int c = 0; c < N / 8; ++c) {
        if (c * 8 >= n) break;
        const M y = static_cast<M>(b[i * next + c * step]);
#pragma unroll
        for (int r = 0; r < 4; ++r) sum_[r][c] += x[r] * y;
      }
    }
  }
  __device__ void scale_rows(const M* factors) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
      for (int c = 0; c < N / 8; ++c) sum_[r][c] *= factors[row() + r];
    }
  }
  __device__ void store(M* to, int ld) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
      for (int c = 0; c < N / 8; ++c) to[(row() + r) * ld + column() + 8 * c] = sum_[r][c];
    }
  }

 private:
  static __device__ int row() { return static_cast<int>(threadIdx.x) % 32 / 8 * 4; }
  static __device__ int column() { return static_cast<int>(threadIdx.x) % 8; }
  M sum_[4][N / 8];
};

// What tensor cores call the types.
template <typename T>
struct TensorCoreType;
template <>
struct TensorCoreType<c10::Half> {
  using type = __half;
};
template <>
struct TensorCoreType<c10::BFloat16> {
  using type = __nv_bfloat16;
};

template <typename T, int N>
class TensorCoreTile {
 public:
  using M = float;
  // Which lane holds which element is not specified, so that a matrix of row numbers tells.
  __device__ explicit TensorCoreTile(float* scratch) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    __syncwarp();
    for (int i = lane; i < 256; i += 32) scratch[i] = static_cast<float>(i / 16);
    __syncwarp();
    wmma::load_matrix_sync(rows_, scratch, 16, wmma::mem_row_major);
    __syncwarp();
    zero();
  }
  __device__ void zero() {
#pragma unroll
    for (int c = 0; c < N / 16; ++c) wmma::fill_fragment(sum_[c], 0.0f);
  }
  template <Order order>
  __device__ void add(const T* a, int lda, const T* b, int ldb, int k, int n) {
    using Layout = std::conditional_t<order == kByRows, wmma::row_major, wmma::col_major>;
    const auto* left = reinterpret_cast<const E*>(a);
    const auto* right = reinterpret_cast<const E*>(b);
    for (int i = 0; i < k; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, E, wmma::row_major> x;
      wmma::load_matrix_sync(x, left + i, lda);
#pragma unroll
      for (int c = 0; c < N / 16; ++c) {
        if (c * 16 >= n) break;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, E, Layout> y;
        wmma::load_matrix_sync(y, right + (order == kByRows ? i * ldb + c * 16 : c * 16 * ldb + i),
                               ldb);
        wmma::mma_sync(sum_[c], x, y, sum_[c]);
      }
    }
  }
  __device__ void scale_rows(const float* factors) {
#pragma unroll
    for (int i = 0; i < Sum::num_elements; ++i) {
      const float factor = factors[static_cast<int>(rows_.x[i])];
#pragma unroll
      for (int c = 0; c < N / 16; ++c) sum_[c].x[i] *= factor;
    }
  }
  __device__ void store(float* to, int ld) const {
#pragma unroll
    for (int c = 0; c < N / 16; ++c)
      wmma::store_matrix_sync(to + c * 16, sum_[c], ld, wmma::mem_row_major);
  }

 private:
  using E = typename TensorCoreType<T>::type;
  using Sum = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
  Sum sum_[N / 16], rows_;
};

template <typename T>
constexpr bool kHasTensorCores = std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>;
// GPUs before capability 8.0 have none for bfloat16.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <>
constexpr bool kHasTensorCores<c10::BFloat16> = false;
#endif

template <typename T, int N>
using WarpTile = std::conditional_t<kHasTensorCores<T>, TensorCoreTile<T, N>, LanesTile<T, N>>;

}  // namespace at::native::attention
