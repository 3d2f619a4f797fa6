// Reorders elements along dimensions, as bytes.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/flip/flip.h>

namespace at::native {
namespace {

int64_t num_bytes(const Tensor& t) { return t.numel() * static_cast<int64_t>(t.itemsize()); }

}  // namespace

// Blocks of the innermost dimension are copied in two pieces; the outer dimensions say from where.
static void roll_dims_kernel(const Tensor& out, const Tensor& in, ArrayRef<RolledDim> dims) {
  const RolledDim inner = dims.back();
  const ArrayRef<RolledDim> outer = dims.slice(0, dims.size() - 1);
  const int64_t block = inner.size * inner.row, head = inner.shift * inner.row;
  const char* source = static_cast<const char*>(in.data_ptr());
  char* target = static_cast<char*>(out.data_ptr());
  // The place in the source of the block that is at `place` in the target.
  auto source_of = [&](int64_t place) {
    int64_t from = place;
    for (const RolledDim& d : outer) {
      const int64_t k = place / d.row % d.size;
      from += (k < d.shift ? d.size - d.shift : -d.shift) * d.row;
    }
    return from;
  };
  parallel_for(0, num_bytes(in), 131072, [&](int64_t begin, int64_t end) {
    int64_t within = begin % block, from = source_of(begin - within);
    while (begin < end) {
      const bool in_head = within < head;
      const int64_t n = std::min((in_head ? head : block) - within, end - begin);
      std::memcpy(target + begin, source + from + within + (in_head ? block - head : -head), n);
      begin += n;
      within += n;
      if (within == block && begin < end) {
        within = 0;
        from = source_of(begin);
      }
    }
  });
}

namespace {

// Copies the n elements before from_end in reverse order, a register of them at a time.
template <typename T>
void reverse_elements(char* to, const char* from_end, int64_t n) {
  constexpr int64_t kSize = sizeof(T);
  int64_t i = 0;
  if constexpr (kSize <= 8) {
    constexpr int kLanes = 32 / sizeof(T);
    typedef T Vector __attribute__((vector_size(32)));
    Vector reversed;
    for (int k = 0; k < kLanes; ++k) reversed[k] = static_cast<T>(kLanes - 1 - k);
    for (; i + kLanes <= n; i += kLanes) {
      Vector v;
      std::memcpy(&v, from_end - (i + kLanes) * kSize, sizeof v);
      v = __builtin_shuffle(v, reversed);
      std::memcpy(to + i * kSize, &v, sizeof v);
    }
  }
  for (; i < n; ++i) std::memcpy(to + i * kSize, from_end - (i + 1) * kSize, kSize);
}

// Reverses the rows in each of n blocks that are no larger than a register: as many blocks as fit
// in one are reordered at once.
void reverse_small_blocks(char* to, const char* from, int64_t n, int64_t size, int64_t row) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  const int64_t block = size * row, step = 16 / block * block;
  Bytes order;
  for (int64_t i = 0; i < 16; ++i) {
    const int64_t within = i % block, source = (size - 1 - within / row) * row + within % row;
    order[i] = static_cast<uint8_t>(i < step ? i - within + source : i);
  }
  int64_t i = 0;
  const auto reorder = [&](int64_t bytes) {
    Bytes v{};
    std::memcpy(&v, from + i, bytes);
    v = __builtin_shuffle(v, order);
    std::memcpy(to + i, &v, bytes);
  };
  // What is written past a step is written again by the next one.
  for (; i + 16 <= n * block; i += step) reorder(16);
  for (; i < n * block; i += step) reorder(std::min(step, n * block - i));
}

}  // namespace

static void reverse_rows_kernel(const Tensor& out, const Tensor& in, int64_t size, int64_t row) {
  const int64_t outer = num_bytes(in) / (size * row);
  const char* src = static_cast<const char*>(in.data_ptr());
  char* dst = static_cast<char*>(out.data_ptr());
  if (size * row <= 16) {
    return parallel_for(0, outer, 131072 / 16, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * size * row;
      reverse_small_blocks(dst + at, src + at, end - begin, size, row);
    });
  }
  const int64_t grain = std::max<int64_t>(1, 131072 / std::max<int64_t>(row, 8));
  auto walk = [&](const auto& copy) {
    parallel_for(0, outer * size, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t o = begin / size, k = begin % size, n = std::min(end - begin, size - k);
        // Positions k to k + n of this block come from those that end at size - k.
        copy(dst + begin * row, src + (o * size + size - k) * row, n);
        begin += n;
      }
    });
  };
  auto elements = [&](auto tag) {
    walk([](char* to, const char* from_end, int64_t n) {
      reverse_elements<decltype(tag)>(to, from_end, n);
    });
  };
  if (row == 1 || row == 2 || row == 4 || row == 8 || row == 16) return by_size(row, elements);
  walk([row](char* to, const char* from_end, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * row, from_end - (i + 1) * row, row);
  });
}

REGISTER_DISPATCH(roll_dims_stub, &roll_dims_kernel)
REGISTER_DISPATCH(reverse_rows_stub, &reverse_rows_kernel)

}  // namespace at::native
