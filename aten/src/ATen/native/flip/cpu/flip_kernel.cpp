// Reorders elements along dimensions, as bytes.

#include <algorithm>
#include <array>
#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/ShortRuns.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/flip/flip.h>

namespace at::native {
namespace {

int64_t num_bytes(const Tensor& t) { return t.numel() * static_cast<int64_t>(t.itemsize()); }

// The place in the source of what is at `place` in the target.
int64_t source_of(int64_t place, ArrayRef<RolledDim> dims) {
  int64_t from = place;
  for (const RolledDim& d : dims) {
    const int64_t k = place / d.row % d.size;
    from += (k < d.shift ? d.size - d.shift : -d.shift) * d.row;
  }
  return from;
}

// Blocks of fewer bytes are moved element by element, with others.
constexpr int64_t kShortBlock = 128, kMaxTile = 1024;

// Moves the elements of tiles by a table of places, which is the same for each tile:
// target[i] = source[place_in_tile(i)], in bytes. source_of_tile(t) is where tile t is read.
template <typename P, typename F>
void move_tiles(const Tensor& out, const Tensor& in, int64_t tile, const P& place_in_tile,
                const F& source_of_tile) {
  by_size(in.itemsize(), [&](auto tag) {
    using T = decltype(tag);
    constexpr int64_t S = sizeof(T);
    char* target = static_cast<char*>(out.data_ptr());
    const char* source = static_cast<const char*>(in.data_ptr());
    uint16_t from[kMaxTile];
    for (int64_t i = 0; i < tile / S; ++i)
      from[i] = static_cast<uint16_t>(place_in_tile(i * S) / S);
    const int64_t bytes = num_bytes(in);
    parallel_for(0, divup(bytes, tile), std::max<int64_t>(1, 65536 / tile),
                 [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        T* to = reinterpret_cast<T*>(target + t * tile);
        const T* of_tile = reinterpret_cast<const T*>(source + source_of_tile(t));
        const int64_t n = std::min(tile, bytes - t * tile) / S;
        for (int64_t i = 0; i < n; ++i) to[i] = of_tile[from[i]];
      }
    });
  });
}

// Rolls short blocks, of all of which first the heads and then the rest are copied.
void roll_blocks(const Tensor& out, const Tensor& in, int64_t block, int64_t head) {
  char* to = static_cast<char*>(out.data_ptr());
  const char* from = static_cast<const char*>(in.data_ptr());
  // What is written stays in the cache in between.
  const int64_t together = 16384 / block;
  parallel_for(0, num_bytes(in) / block, 131072 / block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += together) {
      const int64_t n = std::min(together, end - i), at = i * block;
      copy_runs({to + at, block, from + at + block - head, block, n}, head);
      copy_runs({to + at + head, block, from + at, block, n}, block - head);
    }
  });
}

}  // namespace

// Blocks of the innermost dimension are copied in two pieces; the outer dimensions say from where.
static void roll_dims_kernel(const Tensor& out, const Tensor& in, ArrayRef<RolledDim> dims) {
  const RolledDim inner = dims.back();
  const int64_t block = inner.size * inner.row, head = inner.shift * inner.row;
  const char* source = static_cast<const char*>(in.data_ptr());
  char* target = static_cast<char*>(out.data_ptr());
  const bool has_others = dims.size() > 1 || num_bytes(in) > block;
  // A table is faster for two runs of a few bytes.
  if (dims.size() == 1 && has_others && block > 8 && block <= kMaxTile)
    return roll_blocks(out, in, block, head);
  if (has_others && block < kShortBlock) {
    size_t first = dims.size() - 1;
    while (first > 0 && dims[first - 1].size * dims[first - 1].row <= kMaxTile) --first;
    const auto around = dims.slice(0, first), within = dims.slice(first, dims.size() - first);
    const int64_t size = within[0].size * within[0].row;
    // If none is rolled around them, a tile has several.
    const int64_t tile = around.empty() ? std::min(kMaxTile, num_bytes(in)) / size * size : size;
    return move_tiles(out, in, tile, [&](int64_t place) { return source_of(place, within); },
                      [&](int64_t t) { return source_of(t * tile, around); });
  }
  const ArrayRef<RolledDim> outer = dims.slice(0, dims.size() - 1);
  parallel_for(0, num_bytes(in), 131072, [&](int64_t begin, int64_t end) {
    int64_t within = begin % block, from = source_of(begin - within, outer);
    while (begin < end) {
      const bool in_head = within < head;
      const int64_t n = std::min((in_head ? head : block) - within, end - begin);
      copy_bytes(target + begin, source + from + within + (in_head ? block - head : -head), n);
      begin += n;
      within += n;
      if (within == block && begin < end) {
        within = 0;
        from = source_of(begin, outer);
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
    const auto reverse = [&](int64_t at) {
      Vector v;
      std::memcpy(&v, from_end - (at + kLanes) * kSize, sizeof v);
      v = __builtin_shuffle(v, reversed);
      std::memcpy(to + at * kSize, &v, sizeof v);
    };
    for (; i + kLanes <= n; i += kLanes) reverse(i);
    // What is left, with some that are there already.
    if (i > 0 && i < n) {
      reverse(n - kLanes);
      return;
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

// Registers of reversed rows of K numbers, as many rows as a register has lanes. Each of the K
// registers comes from two in the source, which overlap, in an order of lanes.
template <typename T, int K>
struct ReversedRows {
  static constexpr int W = kVecBytes / sizeof(T);
  std::array<std::array<T, W>, K> order{};
  int low[K]{}, high[K]{};  // where the two begin
  constexpr ReversedRows() {
    for (int k = 0; k < K; ++k) {
      const auto source = [k](int lane) {
        const int place = k * W + lane;
        return K * (W - 1 - place / K) + place % K;
      };
      int last = low[k] = source(0);
      for (int lane = 1; lane < W; ++lane) {
        low[k] = std::min(low[k], source(lane));
        last = std::max(last, source(lane));
      }
      high[k] = last - (W - 1);
      for (int lane = 0; lane < W; ++lane) {
        const int place = source(lane) - low[k];
        order[k][lane] = static_cast<T>(place < W ? place : W + source(lane) - high[k]);
      }
    }
  }
};

// Copies rows of K numbers before from_end in reverse order. Returns how many it did.
template <typename T, int K>
int64_t reverse_rows_of(char* to, const char* from_end, int64_t n) {
  static constexpr ReversedRows<T, K> kRows;
  constexpr int W = kRows.W, kSize = sizeof(T);
  typedef T Vector __attribute__((vector_size(kVecBytes)));
  int64_t i = 0;
  for (; i + W <= n; i += W) {
    const char* from = from_end - (i + W) * K * kSize;
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      Vector low, high, order;
      std::memcpy(&low, from + kRows.low[k] * kSize, sizeof low);
      std::memcpy(&high, from + kRows.high[k] * kSize, sizeof high);
      std::memcpy(&order, kRows.order[k].data(), sizeof order);
      low = __builtin_shuffle(low, high, order);
      std::memcpy(to + (i * K + k * W) * kSize, &low, sizeof low);
    }
  }
  return i;
}

// The same for rows of some bytes; 0 if they are not made of a few numbers that registers permute.
int64_t reverse_rows_in_registers(char* to, const char* from_end, int64_t n, int64_t row) {
  const auto rows_of = [&]<typename T>(T) {
    int64_t done = 0;
    with_constant<3, 7>(row / static_cast<int64_t>(sizeof(T)),
                        [&]<int K>(std::integral_constant<int, K>) {
      done = reverse_rows_of<T, K>(to, from_end, n);
    });
    return done;
  };
  if (row % 8 == 0) return rows_of(uint64_t());
  if (row % 4 == 0) return rows_of(uint32_t());
  // AVX2 permutes no numbers of 16 bits across a register.
  if constexpr (kVecBytes == 64) {
    if (row % 2 == 0) return rows_of(uint16_t());
  }
  return 0;
}

// Copies n rows before from_end in reverse order, as many at a time as fit in a register.
void reverse_short_rows(char* to, const char* from_end, int64_t n, int64_t row) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  const int64_t step = 16 / row, unused = 16 - step * row;
  Bytes order;
  for (int64_t i = 0; i < 16; ++i) {
    const int64_t source = unused + (step - 1 - i / row) * row + i % row;
    order[i] = static_cast<uint8_t>(i < step * row ? source : i);
  }
  int64_t i = 0;
  // What is written past these rows is written again by the next ones.
  for (; (n - i) * row >= 16; i += step) {
    Bytes v;
    std::memcpy(&v, from_end - i * row - 16, 16);
    v = __builtin_shuffle(v, order);
    std::memcpy(to + i * row, &v, 16);
  }
  for (; i < n; ++i) std::memcpy(to + i * row, from_end - (i + 1) * row, row);
}

// Copies n rows of 16 to 32 bytes before from_end in reverse order: the two halves may overlap.
void reverse_medium_rows(char* to, const char* from_end, int64_t n, int64_t row) {
  for (int64_t i = 0; i < n; ++i) {
    const char* from = from_end - (i + 1) * row;
    char head[16], tail[16];
    std::memcpy(head, from, 16);
    std::memcpy(tail, from + row - 16, 16);
    std::memcpy(to + i * row, head, 16);
    std::memcpy(to + i * row + row - 16, tail, 16);
  }
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
  const bool by_elements = row == 1 || row == 2 || row == 4 || row == 8 || row == 16;
  const int64_t block = size * row;
  const bool fills_register = by_elements && row <= 8 && block >= 32;
  if (block < kShortBlock && !fills_register) {
    const int64_t tile = kMaxTile / 2 / block * block;
    return move_tiles(out, in, tile, [=](int64_t place) {
      const int64_t within = place % block;
      return place - within + (size - 1 - within / row) * row + within % row;
    }, [=](int64_t t) { return t * tile; });
  }
  const int64_t grain = std::max<int64_t>(1, 131072 / std::max<int64_t>(row, 8));
  auto walk = [&](const auto& copy) {
    parallel_for(0, outer * size, grain, [&](int64_t begin, int64_t end) {
      int64_t k = begin % size;
      while (begin < end) {
        // Positions k to k + n of this block come from those that end at size - k.
        const int64_t n = std::min(end - begin, size - k);
        copy(dst + begin * row, src + (begin + size - 2 * k) * row, n);
        begin += n;
        k = 0;
      }
    });
  };
  auto elements = [&](auto tag) {
    walk([](char* to, const char* from_end, int64_t n) {
      reverse_elements<decltype(tag)>(to, from_end, n);
    });
  };
  if (by_elements) return by_size(row, elements);
  if (row <= 32) {
    return walk([row](char* to, const char* from_end, int64_t n) {
      const int64_t done = reverse_rows_in_registers(to, from_end, n, row);
      const auto reverse_rest = row < 16 ? &reverse_short_rows : &reverse_medium_rows;
      reverse_rest(to + done * row, from_end - done * row, n - done, row);
    });
  }
  walk([row](char* to, const char* from_end, int64_t n) {
    for (int64_t i = 0; i < n; ++i) copy_bytes(to + i * row, from_end - (i + 1) * row, row);
  });
}

REGISTER_DISPATCH(roll_dims_stub, &roll_dims_kernel)
REGISTER_DISPATCH(reverse_rows_stub, &reverse_rows_kernel)

}  // namespace at::native
