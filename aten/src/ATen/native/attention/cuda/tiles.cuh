#pragma once
// What the kernels of attention share: operands, blocks of rows in shared memory, dropout.

#include <cmath>

#include <ATen/native/attention/cuda/fused.h>
#include <ATen/native/common/TypeDispatch.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/attention/cuda/WarpTile.cuh>
#include <ATen/native/common/cuda/Philox.cuh>

namespace at::native::attention {

// Rows of a block of kWarps warps, and their padding in shared memory: 16 bytes, so that rows start
// in different banks.
constexpr int kWarpRows = 16;
template <typename T>
constexpr int kPad = 16 / static_cast<int>(sizeof(T));

__device__ inline float exp_2(float x) { return exp2f(x); }
__device__ inline double exp_2(double x) { return exp2(x); }
constexpr double kLog2E = 1.4426950408889634;

template <typename M>
constexpr M kNegativeInfinity = -static_cast<M>(INFINITY);

// The larger one; NaN if one is.
template <typename M>
__device__ M larger(M a, M b) {
  return b > a || b != b ? b : a;
}

// One head of an operand.
template <typename T>
__device__ T* head_of(const Heads& heads, int64_t batch, int64_t head) {
  return static_cast<T*>(heads.data) + batch * heads.batch + head * heads.head;
}

// Copies `rows` rows of `width` elements into shared memory, in a tile of kRows x columns with
// zeros around them. `is_aligned`: rows are read in pieces of 16 bytes.
template <typename T>
__device__ void load_rows(const T* from, int64_t row, int rows, int width, bool is_aligned, T* to,
                          int ld, int tile_rows, int columns) {
  constexpr int V = 16 / static_cast<int>(sizeof(T));
  const int threads = static_cast<int>(blockDim.x);
  if (is_aligned) {
    const int pieces = columns / V;
    for (int i = static_cast<int>(threadIdx.x); i < tile_rows * pieces; i += threads) {
      const int r = i / pieces, c = i % pieces * V;
      uint4 value{0, 0, 0, 0};
      if (r < rows && c < width) value = *reinterpret_cast<const uint4*>(from + r * row + c);
      *reinterpret_cast<uint4*>(to + r * ld + c) = value;
    }
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < tile_rows * columns; i += threads) {
      const int r = i / columns, c = i % columns;
      to[r * ld + c] = r < rows && c < width ? from[r * row + c] : T(0);
    }
  }
}

// Writes a warp's rows, which it has in shared memory.
template <typename T, typename M>
__device__ void write_rows(const M* from, int ld, int rows, int width, T* to, int64_t row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int r = 0; r < rows && r < kWarpRows; ++r) {
    for (int c = lane; c < width; c += 32) to[r * row + c] = static_cast<T>(from[r * ld + c]);
  }
}

// Which weights are kept. The numbers are those of Philox at a place that the weight's row and
// column determine, so that backward draws them again.
class Dropout {
 public:
  __device__ explicit Dropout(const FusedArgs& a)
      : is_on_(a.dropout > 0), keep_(static_cast<float>(1 - a.dropout)), scale_(1 / keep_) {
    if (!is_on_) return;
    state_ = a.random;
    if (a.seed && !a.draws) {
      state_.seed = static_cast<uint64_t>(*a.seed);
      state_.offset = static_cast<uint64_t>(*a.offset);
    }
  }
  __device__ bool is_on() const { return is_on_; }
  // Factors of the weights of four columns, the first of which is a multiple of four.
  __device__ void factors(int64_t row, int64_t column, float* to) const {
    const auto drawn = uniform_numbers<float>(words(row, column));
#pragma unroll
    for (int k = 0; k < 4; ++k) to[k] = drawn.value[k] < keep_ ? scale_ : 0;
  }
  __device__ float factor(int64_t row, int64_t column) const {
    const auto drawn = uniform_numbers<float>(words(row, column));
    return drawn.value[column % 4] < keep_ ? scale_ : 0;
  }

 private:
  __device__ uint4 words(int64_t row, int64_t column) const {
    cuda::PhiloxState at = state_;
    at.offset += static_cast<uint64_t>(column / 4 * 4);
    return Philox(at, static_cast<uint64_t>(row))();
  }
  bool is_on_;
  float keep_, scale_;
  cuda::PhiloxState state_{};
};

// Calls f with the padded width of a head as a constant.
template <typename F>
void with_width(int64_t width, const F& f) {
  if (width <= 64) f(std::integral_constant<int, 64>());
  else if (width <= 128) f(std::integral_constant<int, 128>());
  else f(std::integral_constant<int, 256>());
}

}  // namespace at::native::attention
