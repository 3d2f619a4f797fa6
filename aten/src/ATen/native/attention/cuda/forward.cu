// Attention in tiles with an online softmax: the matrix of scores is never in device memory.
//
// A block has a tile of queries, 16 for each warp, and goes over tiles of keys and values, which
// its warps share. See Note [Flash attention]; how work is split among warps is that of T. Dao,
// "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning", 2023.
// Exponents are of base 2, whose exp2 is faster.

#include <algorithm>

#include <ATen/native/attention/cuda/tiles.cuh>

namespace at::native::attention {
namespace {

// Sizes of tiles, so that a block needs less than 64 KiB of shared memory.
template <typename T, int D>
struct ForwardShape {
  static constexpr int kBytes = static_cast<int>(sizeof(T)) * D;  // of a row
  static constexpr int kWarps = kBytes <= 256 ? 4 : kBytes <= 512 ? 2 : 1;
  static constexpr int kKeys = kBytes <= 128 ? 64 : D <= 128 && sizeof(T) <= 4 ? 32 : 16;
  static constexpr int kRows = kWarps * kWarpRows;
};

template <typename T, int D>
struct ForwardShared {
  using M = opmath_type<T>;
  using Shape = ForwardShape<T, D>;
  static constexpr int kRow = D + kPad<T>;
  static constexpr int kScore = Shape::kKeys + kPad<M>;
  static constexpr int kWeight = Shape::kKeys + kPad<T>;
  static constexpr int kOut = D + kPad<M>;
  // Bytes from the start. The results take the place of what is not needed any more.
  static constexpr int kKey = Shape::kRows * kRow * static_cast<int>(sizeof(T));
  static constexpr int kValue = kKey + Shape::kKeys * kRow * static_cast<int>(sizeof(T));
  static constexpr int kScores = kValue + Shape::kKeys * kRow * static_cast<int>(sizeof(T));
  static constexpr int kWeights =
      kScores + std::max(Shape::kRows * kScore, Shape::kWarps * 256) * static_cast<int>(sizeof(M));
  static constexpr int kFactors = kWeights + Shape::kRows * kWeight * static_cast<int>(sizeof(T));
  static constexpr int kEnd = kFactors + Shape::kRows * static_cast<int>(sizeof(M));
  static constexpr int kBytes = std::max(kEnd, Shape::kRows * kOut * static_cast<int>(sizeof(M)));
};

template <typename T, int D>
__global__ void __launch_bounds__(32 * ForwardShape<T, D>::kWarps) forward_kernel(FusedArgs a) {
  using M = opmath_type<T>;
  using Shape = ForwardShape<T, D>;
  using Shared = ForwardShared<T, D>;
  constexpr int kKeys = Shape::kKeys;
  char* shared = c10::cuda::dynamic_shared<char>();
  T *query = reinterpret_cast<T*>(shared), *key = reinterpret_cast<T*>(shared + Shared::kKey),
    *value = reinterpret_cast<T*>(shared + Shared::kValue);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  // This warp's parts.
  const T* own = query + warp * kWarpRows * Shared::kRow;
  M* scores = reinterpret_cast<M*>(shared + Shared::kScores) +
              warp * std::max(kWarpRows * Shared::kScore, 256);
  T* weights = reinterpret_cast<T*>(shared + Shared::kWeights) + warp * kWarpRows * Shared::kWeight;
  M* factors = reinterpret_cast<M*>(shared + Shared::kFactors) + warp * kWarpRows;

  // With is_causal the last queries are the longest work: they start first.
  const int64_t tiles = (a.queries + Shape::kRows - 1) / Shape::kRows;
  const int64_t head = blockIdx.x / tiles;
  const int64_t first = (tiles - 1 - blockIdx.x % tiles) * Shape::kRows;
  const int64_t batch = head / a.heads, number = head % a.heads;
  const int rows = static_cast<int>(std::min<int64_t>(Shape::kRows, a.queries - first));
  const int columns = (a.width + 15) / 16 * 16;
  if (a.draws && blockIdx.x == 0 && threadIdx.x == 0) {
    const uint64_t* replay = a.random.replay;
    *a.seed = static_cast<int64_t>(replay ? replay[0] : a.random.seed);
    *a.offset = static_cast<int64_t>(a.random.offset + (replay ? replay[1] : 0));
  }

  const Dropout dropout(a);
  WarpTile<T, kKeys> product(scores);
  WarpTile<T, D> out(scores);
  load_rows(head_of<T>(a.query, batch, number) + first * a.query.row, a.query.row, rows, a.width,
            a.is_aligned, query, Shared::kRow, Shape::kRows, columns);

  // Two lanes share a row of scores; lanes of a row have the same maximum and sum.
  const int r = lane / 2;
  const int64_t row = first + warp * kWarpRows + r;
  const int64_t last_row = first + warp * kWarpRows + kWarpRows - 1;
  M max = kNegativeInfinity<M>, sum = 0;
  const M scale = static_cast<M>(a.scale * kLog2E);
  const M* mask = a.mask.data && row < a.queries
                      ? head_of<const M>(a.mask, batch, number) + row * a.mask.row
                      : nullptr;
  const T *keys = head_of<T>(a.key, batch, number), *values = head_of<T>(a.value, batch, number);
  const int64_t end = a.is_causal ? std::min<int64_t>(a.keys, first + Shape::kRows) : a.keys;
  for (int64_t k0 = 0; k0 < end; k0 += kKeys) {
    const int count = static_cast<int>(std::min<int64_t>(kKeys, a.keys - k0));
    __syncthreads();
    load_rows(keys + k0 * a.key.row, a.key.row, count, a.width, a.is_aligned, key, Shared::kRow,
              kKeys, columns);
    load_rows(values + k0 * a.value.row, a.value.row, count, a.width, a.is_aligned, value,
              Shared::kRow, kKeys, columns);
    __syncthreads();
    if (a.is_causal && k0 > last_row) continue;  // of this warp

    product.zero();
    product.template add<kByColumns>(own, Shared::kRow, key, Shared::kRow, columns, kKeys);
    product.store(scores, Shared::kScore);
    __syncwarp();

    M* line = scores + r * Shared::kScore;
    const int64_t seen = a.is_causal ? std::min<int64_t>(count, row + 1 - k0) : count;
    M top = max;
    for (int j0 = lane % 2 * 4; j0 < kKeys; j0 += 8) {
#pragma unroll
      for (int j = j0; j < j0 + 4; ++j) {
        M s = kNegativeInfinity<M>;
        if (j < seen) {
          s = line[j] * scale;
          if (mask) s += mask[(k0 + j) * a.mask_column] * static_cast<M>(kLog2E);
        }
        line[j] = s;
        top = larger(top, s);
      }
    }
    top = larger(top, __shfl_xor_sync(0xffffffffu, top, 1));
    const M shift = top == kNegativeInfinity<M> ? M(0) : top;
    M added = 0;
    for (int j0 = lane % 2 * 4; j0 < kKeys; j0 += 8) {
      float kept[4] = {1, 1, 1, 1};
      if (dropout.is_on()) dropout.factors(head * a.queries + row, k0 + j0, kept);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const M p = exp_2(line[j0 + j] - shift);
        added += p;
        weights[r * Shared::kWeight + j0 + j] = static_cast<T>(p * static_cast<M>(kept[j]));
      }
    }
    added += __shfl_xor_sync(0xffffffffu, added, 1);
    const M shrink = exp_2(max - shift);
    sum = sum * shrink + added;
    max = top;
    if (lane % 2 == 0) factors[r] = shrink;
    __syncwarp();
    out.scale_rows(factors);
    out.template add<kByRows>(weights, Shared::kWeight, value, Shared::kRow, kKeys, columns);
    __syncwarp();
  }

  // A row that sees no keys is zero.
  if (lane % 2 == 0) {
    factors[r] = sum == M(0) ? M(0) : M(1) / sum;
    if (row < a.queries)
      static_cast<M*>(a.logsumexp)[head * a.queries + row] =
          (max + log2(sum)) / static_cast<M>(kLog2E);
  }
  __syncwarp();
  out.scale_rows(factors);
  __syncthreads();
  M* results = reinterpret_cast<M*>(shared) + warp * kWarpRows * Shared::kOut;
  out.store(results, Shared::kOut);
  __syncwarp();
  write_rows(results, Shared::kOut, rows - warp * kWarpRows, a.width,
             head_of<T>(a.out, batch, number) + (first + warp * kWarpRows) * a.out.row, a.out.row);
}

template <typename T, int D>
void run(const FusedArgs& a) {
  using Shape = ForwardShape<T, D>;
  using Shared = ForwardShared<T, D>;
  static_assert(Shared::kBytes <= 64 * 1024, "as much as all GPUs have");
  const int64_t blocks = a.batch * a.heads * ((a.queries + Shape::kRows - 1) / Shape::kRows);
  TORCH_CHECK(blocks <= 0x7fffffff, "attention on CUDA devices takes fewer queries than ",
              a.batch * a.heads * a.queries);
  c10::cuda::launch(forward_kernel<T, D>,
                    {static_cast<unsigned>(blocks), 32 * Shape::kWarps, Shared::kBytes},
                    c10::cuda::getCurrentCUDAStream(), a);
}

}  // namespace

void fused_attention(const FusedArgs& a) {
  dispatch_types<FloatingAndReduced>(a.dtype, "fused_attention", [&]<typename T>(TypeTag<T>) {
    with_width(a.width, [&](auto d) {
      if constexpr (sizeof(T) * d <= 1024) run<T, d>(a);
    });
  });
}

}  // namespace at::native::attention
