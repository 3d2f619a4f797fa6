// cat of contiguous tensors: copies runs of bytes, one tensor after the other.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/joining/joining.h>

namespace at::native {
namespace {

constexpr int64_t kGrainBytes = 128 * 1024;

// Copies n runs of `bytes`, from one to two elements of type T, as two elements that may overlap.
template <typename T>
void copy_pairs(char* to, int64_t step, const char* from, int64_t bytes, int64_t n) {
  const int64_t last = bytes - static_cast<int64_t>(sizeof(T));
  for (int64_t k = 0; k < n; ++k, to += step, from += bytes) {
    std::memcpy(to, from, sizeof(T));
    std::memcpy(to + last, from + last, sizeof(T));
  }
}

// Copies n runs of `bytes` that are adjacent in the source.
void copy_run(char* to, int64_t step, const char* from, int64_t bytes, int64_t n) {
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) {
    return by_size(static_cast<size_t>(bytes), [&]<typename T>(T) {
      for (int64_t k = 0; k < n; ++k) std::memcpy(to + k * step, from + k * bytes, sizeof(T));
    });
  }
  if (bytes < 4) return copy_pairs<uint16_t>(to, step, from, bytes, n);
  if (bytes < 8) return copy_pairs<uint32_t>(to, step, from, bytes, n);
  if (bytes < 16) return copy_pairs<uint64_t>(to, step, from, bytes, n);
  if (bytes > 64) {
    for (int64_t k = 0; k < n; ++k) std::memcpy(to + k * step, from + k * bytes, bytes);
    return;
  }
  // Two or four pieces of 16 bytes, which overlap.
  for (int64_t k = 0; k < n; ++k) {
    char* t = to + k * step;
    const char* f = from + k * bytes;
    if (bytes > 32) {
      std::memcpy(t + 16, f + 16, 16);
      std::memcpy(t + bytes - 32, f + bytes - 32, 16);
    }
    std::memcpy(t, f, 16);
    std::memcpy(t + bytes - 16, f + bytes - 16, 16);
  }
}

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
  int64_t row = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped(t) || t.numel() == 0) continue;
    int64_t bytes = t.sizes()[dim] * inner;
    runs.push_back({static_cast<const char*>(t.data_ptr()), bytes, row});
    row += bytes;
  }
  char* to = static_cast<char*>(out.data_ptr());
  if (outer == 1) {
    for (const Run& r : runs) {
      parallel_for(0, r.bytes, kGrainBytes, [&](int64_t begin, int64_t end) {
        std::memcpy(to + r.at + begin, r.from + begin, end - begin);
      });
    }
    return;
  }
  parallel_for(0, outer, std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(row, 1)),
               [&](int64_t begin, int64_t end) {
    // In blocks that stay in the cache, so that short runs of one tensor follow each other.
    const int64_t block = std::max<int64_t>(1, 16384 / std::max<int64_t>(row, 1));
    for (int64_t first = begin; first < end; first += block) {
      const int64_t n = std::min(block, end - first);
      for (const Run& r : runs)
        copy_run(to + first * row + r.at, row, r.from + first * r.bytes, r.bytes, n);
    }
  });
}

REGISTER_DISPATCH(cat_runs_stub, &cat_runs_kernel)

}  // namespace at::native
