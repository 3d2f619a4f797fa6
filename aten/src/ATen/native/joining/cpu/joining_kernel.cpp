// cat of contiguous tensors: copies runs of bytes, one tensor after the other.

#include <algorithm>
#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/ShortRuns.h>
#include <ATen/native/joining/joining.h>

namespace at::native {
namespace {

constexpr int64_t kGrainBytes = 128 * 1024;

}  // namespace

// Copies a run of bytes of each tensor in turn, `outer` times.
static void cat_runs_kernel(const Tensor& out, TensorList tensors, int64_t dim) {
  int64_t outer = 1, inner = static_cast<int64_t>(out.itemsize());
  for (int64_t d = 0; d < dim; ++d) outer *= out.sizes()[d];
  for (int64_t d = dim + 1; d < out.dim(); ++d) inner *= out.sizes()[d];
  struct Run {
    const char* from;
    int64_t bytes, at;
  };
  SmallVector<Run, 8> runs;
  int64_t row = 0, shortest = INT64_MAX;
  for (const Tensor& t : tensors) {
    if (is_skipped(t) || t.numel() == 0) continue;
    int64_t bytes = t.sizes()[dim] * inner;
    runs.push_back({static_cast<const char*>(t.data_ptr()), bytes, row});
    row += bytes;
    shortest = std::min(shortest, bytes);
  }
  char* to = static_cast<char*>(out.data_ptr());
  if (outer == 1) {
    for (const Run& r : runs) {
      parallel_for(0, r.bytes, kGrainBytes, [&](int64_t begin, int64_t end) {
        copy_bytes(to + r.at + begin, r.from + begin, end - begin);
      });
    }
    return;
  }
  parallel_for(0, outer, std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(row, 1)),
               [&](int64_t begin, int64_t end) {
    // In blocks that stay in the cache, so that short runs of one tensor follow each other; of so
    // many rows that what is read is a cache line at least.
    const int64_t block = std::max({int64_t{1}, 16384 / std::max<int64_t>(row, 1), 64 / shortest});
    for (int64_t first = begin; first < end; first += block) {
      const int64_t n = std::min(block, end - first);
      for (const Run& r : runs)
        copy_runs({to + first * row + r.at, row, r.from + first * r.bytes, r.bytes, n}, r.bytes);
    }
  });
}

REGISTER_DISPATCH(cat_runs_stub, &cat_runs_kernel)

}  // namespace at::native
