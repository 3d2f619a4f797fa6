#pragma once
// Kernels whose results need a sum over their row: softmax, layer norm, and their gradients.
//
//   run_rows(op, shape, device);
//
// An operation has a Part, what is summed, with start(), add(part, at, k, row) for the element k of
// a row, at a position in memory, and merge(part, part); finish(whole, row, is_first), run by all
// threads of a row once its parts are merged, and store(finished, at, k), which writes a result.
//
// Note [Long rows on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~
// A column of a block's threads has a row. Where rows are too few to fill the device, each is
// divided among blocks, in two launches: the first writes the part of each block; in the second,
// all blocks of a row merge its parts, in the same order, and write their results. So a result
// never depends on timing.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Rows.cuh>

namespace at::native {

enum class RowStage { kWhole, kParts, kResults };

template <typename Op>
__global__ void __launch_bounds__(kRowThreads)
    rows_kernel(Op op, Dense3 shape, RowStage stage, int64_t each, typename Op::Part* parts) {
  using Part = typename Op::Part;
  alignas(16) __shared__ char memory[kRowThreads * sizeof(Part)];
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * each,
                end = begin + each < shape.n ? begin + each : shape.n;
  for_rows(shape, [&](int64_t first, int64_t row) {
    Part mine = Op::start();
    if (row >= 0 && stage == RowStage::kResults) {
      for (unsigned k = threadIdx.y; k < gridDim.y; k += blockDim.y)
        mine = Op::merge(mine, parts[row * gridDim.y + k]);
    } else if (row >= 0) {
      for (int64_t k = begin + threadIdx.y; k < end; k += blockDim.y)
        op.add(mine, first + k * shape.inner, k, row);
    }
    const Part whole = reduce_column(mine, reinterpret_cast<Part*>(memory),
                                     [](Part a, Part b) { return Op::merge(a, b); });
    if (row < 0) return;
    if (stage == RowStage::kParts) {
      if (threadIdx.y == 0) parts[row * gridDim.y + blockIdx.y] = whole;
      return;
    }
    const auto finished = op.finish(whole, row, threadIdx.y == 0 && blockIdx.y == 0);
    for (int64_t k = begin + threadIdx.y; k < end; k += blockDim.y)
      op.store(finished, first + k * shape.inner, k);
  });
}

// Calls start once or twice, as the note above says. part_bytes: of a Part.
using StartRows = c10::function_ref<void(const c10::cuda::LaunchShape& shape, cudaStream_t stream,
                                         RowStage stage, int64_t each, void* parts)>;
inline void start_rows(Dense3 shape, c10::Device device, size_t part_bytes, StartRows start) {
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  const RowLayout layout = row_layout(shape);
  // Enough blocks to fill the device, and at least 16 elements for each of their threads.
  const int64_t blocks = layout.grid.x, threads = layout.block.y;
  const int64_t filling = 8 * c10::cuda::device_properties(device.index()).multiProcessorCount;
  int64_t allowed = shape.n / (16 * threads);
  if (allowed > filling / blocks) allowed = filling / blocks;
  if (allowed <= 1)
    return start({layout.grid, layout.block}, stream, RowStage::kWhole, shape.n, nullptr);
  const int64_t each = (shape.n + allowed - 1) / allowed, count = (shape.n + each - 1) / each;
  const Tensor memory = empty_tensor(
      {shape.outer * shape.inner * count * static_cast<int64_t>(part_bytes)}, kByte, device);
  const dim3 grid(layout.grid.x, static_cast<unsigned>(count));
  for (const RowStage stage : {RowStage::kParts, RowStage::kResults})
    start({grid, layout.block}, stream, stage, each, memory.data_ptr());
}

template <typename Op>
void run_rows(const Op& op, Dense3 shape, c10::Device device) {
  using Part = typename Op::Part;
  start_rows(shape, device, sizeof(Part),
             [&](const c10::cuda::LaunchShape& grid, cudaStream_t stream, RowStage stage,
                 int64_t each, void* parts) {
    c10::cuda::launch(rows_kernel<Op>, grid, stream, op, shape, stage, each,
                      static_cast<Part*>(parts));
  });
}

}  // namespace at::native
