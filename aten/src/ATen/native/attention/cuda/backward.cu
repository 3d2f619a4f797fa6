// The gradients of attention, from scores that are computed again tile by tile.
//
// Two kernels with the same loop: a block has rows, goes over tiles of columns, and sums products
// of the scores' gradients with them. Rows are queries for the gradient of the queries, and keys
// for those of keys and values. No sum is made by several blocks, so that results are the same each
// time. See Note [Flash attention].

#include <algorithm>

#include <ATen/native/attention/cuda/tiles.cuh>

namespace at::native::attention {
namespace {

// Which gradients a kernel computes.
enum Gradients { kOfQuery, kOfKey, kOfValue, kOfKeyAndValue };

// Sizes of tiles, so that a block needs less than 64 KiB of shared memory.
template <typename T, int D>
struct BackwardShape {
  static constexpr int kBytes = static_cast<int>(sizeof(T)) * D;  // of a row
  static constexpr int kWarps = kBytes <= 128 ? 4 : kBytes <= 512 ? 2 : 1;
  // Tensor cores take 16 at once.
  static constexpr int kColumns = sizeof(T) > 2 ? 8 : D <= 128 ? 32 : 16;
  static constexpr int kRows = kWarps * kWarpRows;
};

template <typename T, int D>
struct BackwardShared {
  using M = opmath_type<T>;
  using Shape = BackwardShape<T, D>;
  static constexpr int kT = static_cast<int>(sizeof(T)), kM = static_cast<int>(sizeof(M));
  static constexpr int kRow = D + kPad<T>;
  static constexpr int kScore = Shape::kColumns + kPad<M>;
  static constexpr int kWeight = Shape::kColumns + kPad<T>;
  static constexpr int kOut = D + kPad<M>;
  static constexpr int kOfWarp = std::max(kWarpRows * kScore, 256);  // scores
  // Bytes from the start: two operands of the rows, two of the columns.
  static constexpr int kColumn = 2 * Shape::kRows * kRow * kT;
  static constexpr int kScores = kColumn + 2 * Shape::kColumns * kRow * kT;
  static constexpr int kWeights = kScores + 2 * Shape::kWarps * kOfWarp * kM;
  static constexpr int kEnd = kWeights + 2 * Shape::kRows * kWeight * kT;
  static constexpr int kBytes = std::max(kEnd, Shape::kRows * kOut * kM);
};

// Writes a warp's sums through its part of shared memory.
template <typename T, typename Tile, typename M>
__device__ void write_tile(const Tile& tile, M* shared, int ld, int rows, int width, T* to,
                           int64_t row) {
  tile.store(shared, ld);
  __syncwarp();
  write_rows(shared, ld, rows, width, to, row);
  __syncwarp();
}

template <typename T, int D, Gradients gradients_of>
__global__ void __launch_bounds__(32 * BackwardShape<T, D>::kWarps) backward_kernel(FusedArgs a) {
  using M = opmath_type<T>;
  using Shape = BackwardShape<T, D>;
  using Shared = BackwardShared<T, D>;
  constexpr int kColumns = Shape::kColumns;
  constexpr bool kRowsAreQueries = gradients_of == kOfQuery;
  constexpr bool kNeedsScores = gradients_of != kOfValue,
                 kNeedsValue = gradients_of == kOfValue || gradients_of == kOfKeyAndValue;
  char* shared = c10::cuda::dynamic_shared<char>();
  // Queries and keys are in the first operands, the output's gradient and values in the second.
  T* row_first = reinterpret_cast<T*>(shared);
  T* row_second = row_first + Shape::kRows * Shared::kRow;
  T* column_first = reinterpret_cast<T*>(shared + Shared::kColumn);
  T* column_second = column_first + kColumns * Shared::kRow;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  M* scores = reinterpret_cast<M*>(shared + Shared::kScores) + 2 * warp * Shared::kOfWarp;
  M* products = scores + Shared::kOfWarp;
  T* weights =
      reinterpret_cast<T*>(shared + Shared::kWeights) + 2 * warp * kWarpRows * Shared::kWeight;
  T* gradients = weights + kWarpRows * Shared::kWeight;

  const int64_t num_rows = kRowsAreQueries ? a.queries : a.keys;
  const int64_t num_columns = kRowsAreQueries ? a.keys : a.queries;
  const int64_t tiles = (num_rows + Shape::kRows - 1) / Shape::kRows;
  const int64_t head = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  // With is_causal, the last queries and the first keys are the longest work.
  const int64_t first = (kRowsAreQueries ? tiles - 1 - tile : tile) * Shape::kRows;
  const int64_t batch = head / a.heads, number = head % a.heads;
  const int rows = static_cast<int>(std::min<int64_t>(Shape::kRows, num_rows - first));
  const int width = (a.width + 15) / 16 * 16;

  const Heads& first_rows = kRowsAreQueries ? a.query : a.key;
  const Heads& second_rows = kRowsAreQueries ? a.grad_out : a.value;
  const Heads& first_columns = kRowsAreQueries ? a.key : a.query;
  const Heads& second_columns = kRowsAreQueries ? a.value : a.grad_out;
  auto load = [&](const Heads& from, int64_t at, int count, T* to, int size) {
    load_rows(head_of<T>(from, batch, number) + at * from.row, from.row, count, a.width,
              a.is_aligned, to, Shared::kRow, size, width);
  };
  load(first_rows, first, rows, row_first, Shape::kRows);
  load(second_rows, first, rows, row_second, Shape::kRows);

  const Dropout dropout(a);
  WarpTile<T, kColumns> product(scores);
  WarpTile<T, D> sum(scores);
  // The second sum of a kernel that has two.
  WarpTile<T, gradients_of == kOfKeyAndValue ? D : 16> other(scores);

  const int r = lane / 2;
  const int64_t warp_row = first + warp * kWarpRows, row = warp_row + r;
  const M scale = static_cast<M>(a.scale * kLog2E);
  const M* mask = a.mask.data ? head_of<const M>(a.mask, batch, number) : nullptr;
  const M* lse = static_cast<const M*>(a.logsumexp) + head * a.queries;
  const M* delta = static_cast<const M*>(a.delta) + head * a.queries;
  const int64_t begin = a.is_causal && !kRowsAreQueries ? first / kColumns * kColumns : 0;
  const int64_t end = a.is_causal && kRowsAreQueries
                          ? std::min<int64_t>(num_columns, first + Shape::kRows)
                          : num_columns;
  for (int64_t c0 = begin; c0 < end; c0 += kColumns) {
    const int count = static_cast<int>(std::min<int64_t>(kColumns, num_columns - c0));
    __syncthreads();
    load(first_columns, c0, count, column_first, kColumns);
    load(second_columns, c0, count, column_second, kColumns);
    __syncthreads();
    // No row of this warp sees a column, or is seen by one.
    if (a.is_causal &&
        (kRowsAreQueries ? c0 > warp_row + kWarpRows - 1 : c0 + kColumns - 1 < warp_row))
      continue;

    product.zero();
    product.template add<kByColumns>(row_first + warp * kWarpRows * Shared::kRow, Shared::kRow,
                                     column_first, Shared::kRow, width, kColumns);
    product.store(scores, Shared::kScore);
    if constexpr (kNeedsScores) {
      product.zero();
      product.template add<kByColumns>(row_second + warp * kWarpRows * Shared::kRow, Shared::kRow,
                                       column_second, Shared::kRow, width, kColumns);
      product.store(products, Shared::kScore);
    }
    __syncwarp();

    for (int j = lane % 2; j < kColumns; j += 2) {
      const int64_t column = c0 + j, q = kRowsAreQueries ? row : column,
                    k = kRowsAreQueries ? column : row;
      M p = 0, ds = 0, kept = 1;
      if (row < num_rows && j < count && !(a.is_causal && k > q)) {
        M s = scores[r * Shared::kScore + j] * scale;
        if (mask) s += mask[q * a.mask.row + k * a.mask_column] * static_cast<M>(kLog2E);
        // Of a row that sees no keys, -inf: its weights are 0.
        const M shift = lse[q] == kNegativeInfinity<M> ? M(0) : lse[q];
        p = exp_2(s - shift * static_cast<M>(kLog2E));
        if (dropout.is_on()) kept = static_cast<M>(dropout.factor(head * a.queries + q, k));
        if constexpr (kNeedsScores)
          ds = p * (products[r * Shared::kScore + j] * kept - delta[q]) * static_cast<M>(a.scale);
      }
      weights[r * Shared::kWeight + j] = static_cast<T>(p * kept);
      gradients[r * Shared::kWeight + j] = static_cast<T>(ds);
    }
    __syncwarp();
    if constexpr (gradients_of == kOfValue) {
      sum.template add<kByRows>(weights, Shared::kWeight, column_second, Shared::kRow, kColumns,
                                width);
    } else {
      sum.template add<kByRows>(gradients, Shared::kWeight, column_first, Shared::kRow, kColumns,
                                width);
    }
    if constexpr (gradients_of == kOfKeyAndValue)
      other.template add<kByRows>(weights, Shared::kWeight, column_second, Shared::kRow, kColumns,
                                  width);
    __syncwarp();
  }

  __syncthreads();
  M* results = reinterpret_cast<M*>(shared) + warp * kWarpRows * Shared::kOut;
  auto write = [&](const auto& from, const Heads& to) {
    write_tile(from, results, Shared::kOut, rows - warp * kWarpRows, a.width,
               head_of<T>(to, batch, number) + warp_row * to.row, to.row);
  };
  write(sum, gradients_of == kOfQuery                  ? a.grad_query
             : kNeedsValue && gradients_of == kOfValue ? a.grad_value
                                                       : a.grad_key);
  if constexpr (gradients_of == kOfKeyAndValue) write(other, a.grad_value);
}

constexpr int kDeltaThreads = 128;

// A warp sums the products along a row.
template <typename T>
__global__ void __launch_bounds__(kDeltaThreads) delta_kernel(FusedArgs a) {
  using M = opmath_type<T>;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * (kDeltaThreads / 32) + threadIdx.x / 32;
  if (i >= a.batch * a.heads * a.queries) return;
  const int64_t head = i / a.queries, row = i % a.queries;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const T* out = head_of<T>(a.out, head / a.heads, head % a.heads) + row * a.out.row;
  const T* grad = head_of<T>(a.grad_out, head / a.heads, head % a.heads) + row * a.grad_out.row;
  M sum = 0;
  for (int c = lane; c < a.width; c += 32) sum += static_cast<M>(out[c]) * static_cast<M>(grad[c]);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0) static_cast<M*>(a.delta)[i] = sum;
}

unsigned checked_blocks(int64_t blocks) {
  TORCH_CHECK(blocks <= 0x7fffffff, "attention on CUDA devices: a grid of ", blocks,
              " blocks is too large");
  return static_cast<unsigned>(blocks);
}

template <typename T, int D, Gradients gradients_of>
void run(const FusedArgs& a) {
  using Shape = BackwardShape<T, D>;
  using Shared = BackwardShared<T, D>;
  static_assert(Shared::kBytes <= 64 * 1024, "as much as all GPUs have");
  const int64_t rows = gradients_of == kOfQuery ? a.queries : a.keys;
  const int64_t blocks = a.batch * a.heads * ((rows + Shape::kRows - 1) / Shape::kRows);
  if (blocks == 0) return;
  c10::cuda::launch(backward_kernel<T, D, gradients_of>,
                    {checked_blocks(blocks), 32 * Shape::kWarps, Shared::kBytes},
                    c10::cuda::getCurrentCUDAStream(), a);
}

}  // namespace

void fused_attention_backward(const FusedArgs& a) {
  dispatch_types<FloatingAndReduced>(a.dtype, "fused_attention", [&]<typename T>(TypeTag<T>) {
    const int64_t rows = a.batch * a.heads * a.queries;
    if (rows > 0)
      c10::cuda::launch(
          delta_kernel<T>,
          {checked_blocks((rows + kDeltaThreads / 32 - 1) / (kDeltaThreads / 32)), kDeltaThreads},
          c10::cuda::getCurrentCUDAStream(), a);
    with_width(a.width, [&](auto d) {
      if constexpr (sizeof(T) * d <= 1024) {
        if (a.grad_query.data) run<T, d, kOfQuery>(a);
        if (!a.grad_key.data) return;
        // The sums of wide heads fill the registers of one kernel each.
        if constexpr (sizeof(opmath_type<T>) * d <= 512) {
          run<T, d, kOfKeyAndValue>(a);
        } else {
          run<T, d, kOfKey>(a);
          run<T, d, kOfValue>(a);
        }
      }
    });
  });
}

}  // namespace at::native::attention
