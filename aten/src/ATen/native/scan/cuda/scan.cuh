#pragma once
// Running values along one dimension on CUDA devices.
//
// Note [Scans on CUDA]
// ~~~~~~~~~~~~~~~~~~~~
// Rows whose elements are apart are scanned by one thread each: neighbours read neighbours. Rows of
// adjacent elements are scanned by blocks, in pieces of 1,024 elements. Where there are fewer rows
// than the device has room for, the pieces of a row go to many blocks: one kernel computes the
// total of each piece, a second one scans the totals, a third one starts each piece with what came
// before.
//
// An Op has: T, elements of the result; M, a running value; load, join and store.

#include <ATen/native/common/DenseOperand.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native::scans {

constexpr int kThreads = 256, kItems = 4, kPiece = kThreads * kItems;

template <typename Op>
__global__ void __launch_bounds__(kThreads) scan_apart(Op op, Dense3 shape) {
  const int64_t rows = shape.outer * shape.inner, step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < rows;
       row += step) {
    int64_t at = row / shape.inner * shape.n * shape.inner + row % shape.inner;
    auto running = op.load(at, 0);
    op.store(at, running);
    for (int64_t k = 1; k < shape.n; ++k) {
      at += shape.inner;
      running = op.join(running, op.load(at, k));
      op.store(at, running);
    }
  }
}

// What the threads before this one have, joined; `has` is false for the first of them. total: of
// all threads, for each of them. Threads beyond `count` have no value.
template <typename Op, typename M>
__device__ M before_this_thread(const Op& op, M mine, int count, M* shared, M& total) {
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = mine;
  for (int reach = 1; reach < kThreads; reach *= 2) {
    __syncthreads();
    const bool joins = t >= reach && t < count;
    M joined = shared[t];
    if (joins) joined = op.join(shared[t - reach], joined);
    __syncthreads();
    shared[t] = joined;
  }
  __syncthreads();
  const M before = shared[t > 0 ? t - 1 : 0];
  total = shared[count - 1];
  __syncthreads();
  return before;
}

// Blocks (x: pieces of a row, y: rows). A block scans the pieces x, x + 1, ... up to `pieces` of
// them; `carry` has what comes before piece x > 0 of each row, at [row, x - 1].
template <typename Op, typename M>
__global__ void __launch_bounds__(kThreads)
    scan_adjacent(Op op, int64_t rows, int64_t n, int64_t pieces, const M* carry) {
  alignas(16) __shared__ char memory[kThreads * sizeof(M)];
  M* shared = reinterpret_cast<M*>(memory);
  const int t = static_cast<int>(threadIdx.x);
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    bool has_carry = carry != nullptr && blockIdx.x > 0;
    M running{};
    if (has_carry) running = carry[row * gridDim.x + blockIdx.x - 1];
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t start = (static_cast<int64_t>(blockIdx.x) * pieces + piece) * kPiece;
      if (start >= n) break;
      const int64_t first = start + static_cast<int64_t>(t) * kItems;
      const int64_t end = first + kItems < n ? first + kItems : n;
      const int count =
          static_cast<int>(n - start < kPiece ? (n - start + kItems - 1) / kItems : kThreads);
      M mine{};
      for (int64_t k = first; k < end; ++k) {
        const M value = op.load(row * n + k, k);
        mine = k == first ? value : op.join(mine, value);
      }
      M total;
      const M before = before_this_thread(op, mine, count, shared, total);
      bool has_value = t > 0 || has_carry;
      M value = t == 0 ? running : has_carry ? op.join(running, before) : before;
      for (int64_t k = first; k < end; ++k) {
        const M next = op.load(row * n + k, k);
        value = has_value ? op.join(value, next) : next;
        has_value = true;
        op.store(row * n + k, value);
      }
      running = has_carry ? op.join(running, total) : total;
      has_carry = true;
    }
  }
}

// The total of each run of `pieces` pieces, at [row, blockIdx.x].
template <typename Op, typename M>
__global__ void __launch_bounds__(kThreads)
    total_pieces(Op op, int64_t rows, int64_t n, int64_t pieces, M* totals) {
  alignas(16) __shared__ char memory[kThreads * sizeof(M)];
  M* shared = reinterpret_cast<M*>(memory);
  const int t = static_cast<int>(threadIdx.x);
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const int64_t length = pieces * kPiece, start = static_cast<int64_t>(blockIdx.x) * length;
    const int64_t end = start + length < n ? start + length : n;
    // Each thread joins adjacent elements: the order of a scan matters where joining does not
    // commute.
    const int64_t each = (end - start + kThreads - 1) / kThreads;
    const int64_t first = start + t * each, last = first + each < end ? first + each : end;
    M mine{};
    for (int64_t k = first; k < last; ++k) {
      const M value = op.load(row * n + k, k);
      mine = k == first ? value : op.join(mine, value);
    }
    M total;
    before_this_thread(op, mine, static_cast<int>((end - start + each - 1) / each), shared, total);
    if (t == 0) totals[row * gridDim.x + blockIdx.x] = total;
  }
}

// The running totals of a row, in place.
template <typename Op, typename M>
struct OfTotals {
  Op op;
  M* totals;
  __device__ M load(int64_t at, int64_t) const { return totals[at]; }
  __device__ M join(M a, M b) const { return op.join(a, b); }
  __device__ void store(int64_t at, M value) const { totals[at] = value; }
};

// The kernels of an Op as the host sees them.
struct Kernels {
  using Shape = c10::cuda::LaunchShape;
  size_t running_bytes;  // of M
  void (*apart)(const Shape&, cudaStream_t, const void* op, const Dense3& shape);
  void (*adjacent)(const Shape&, cudaStream_t, const void* op, int64_t rows, int64_t n,
                   int64_t pieces, const void* carry);
  void (*totals)(const Shape&, cudaStream_t, const void* op, int64_t rows, int64_t n,
                 int64_t pieces, void* totals);
  void (*scan_totals)(const Shape&, cudaStream_t, const void* op, int64_t rows, int64_t n,
                      int64_t pieces, void* totals);
};

template <typename Op>
void start_apart(const Kernels::Shape& grid, cudaStream_t stream, const void* op,
                 const Dense3& shape) {
  c10::cuda::launch(scan_apart<Op>, grid, stream, *static_cast<const Op*>(op), shape);
}
template <typename M, typename Op>
void start_adjacent(const Kernels::Shape& grid, cudaStream_t stream, const void* op, int64_t rows,
                    int64_t n, int64_t pieces, const void* carry) {
  c10::cuda::launch(scan_adjacent<Op, M>, grid, stream, *static_cast<const Op*>(op), rows, n,
                    pieces, static_cast<const M*>(carry));
}
template <typename M, typename Op>
void start_totals(const Kernels::Shape& grid, cudaStream_t stream, const void* op, int64_t rows,
                  int64_t n, int64_t pieces, void* totals) {
  c10::cuda::launch(total_pieces<Op, M>, grid, stream, *static_cast<const Op*>(op), rows, n, pieces,
                    static_cast<M*>(totals));
}
template <typename M, typename Op>
void start_scan_of_totals(const Kernels::Shape& grid, cudaStream_t stream, const void* op,
                          int64_t rows, int64_t n, int64_t pieces, void* totals) {
  using Totals = OfTotals<Op, M>;
  const Totals of_totals{*static_cast<const Op*>(op), static_cast<M*>(totals)};
  c10::cuda::launch(scan_adjacent<Totals, M>, grid, stream, of_totals, rows, n, pieces,
                    static_cast<const M*>(nullptr));
}
template <typename M, typename Op>
constexpr Kernels kKernels = {sizeof(M), start_apart<Op>, start_adjacent<M, Op>,
                              start_totals<M, Op>, start_scan_of_totals<M, Op>};

inline void run(const Kernels& kernels, const void* op, const Dense3& shape, c10::Device device) {
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  const int64_t rows = shape.outer * shape.inner;
  const auto resident =
      static_cast<int64_t>(2 * c10::cuda::device_properties(device.index()).multiProcessorCount);
  if (shape.inner > 1 || shape.n == 1) {
    const int64_t blocks = std::min<int64_t>((rows + kThreads - 1) / kThreads, 1 << 20);
    return kernels.apart({static_cast<unsigned>(blocks), kThreads}, stream, op, shape);
  }
  const int64_t pieces = (shape.n + kPiece - 1) / kPiece;
  const auto y = static_cast<unsigned>(std::min<int64_t>(rows, 65535));
  const c10::cuda::LaunchShape one_column = {dim3(1, y), kThreads};
  // At least four pieces for a block: totals cost a pass over the input.
  const int64_t columns = std::min((resident + rows - 1) / rows, pieces / 4);
  if (columns <= 1) return kernels.adjacent(one_column, stream, op, rows, shape.n, pieces, nullptr);
  const int64_t each = (pieces + columns - 1) / columns, used = (pieces + each - 1) / each;
  Tensor memory =
      empty_tensor({rows * used * static_cast<int64_t>(kernels.running_bytes)}, kByte, device);
  void* totals = memory.data_ptr();
  const c10::cuda::LaunchShape grid = {dim3(static_cast<unsigned>(used), y), kThreads};
  kernels.totals(grid, stream, op, rows, shape.n, each, totals);
  kernels.scan_totals(one_column, stream, op, rows, used, (used + kPiece - 1) / kPiece, totals);
  kernels.adjacent(grid, stream, op, rows, shape.n, each, totals);
}

template <typename M, typename Op>
void run(const Op& op, Dense3 shape, c10::Device device) {
  run(kKernels<M, Op>, &op, shape, device);
}

}  // namespace at::native::scans
