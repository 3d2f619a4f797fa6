// Copies or adds whole rows selected by index along one dimension: index_select, embedding,
// index_copy, index_add.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/Blocks.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/indexing/indexing.h>

namespace at::native {
namespace {

constexpr int64_t kGrainBytes = 64 * 1024;

// Short rows have a size that the compiler knows; 0 stands for any other.
template <typename F>
void by_row_size(int64_t row, const F& f) {
  switch (row) {
    case 1:
      return f(std::integral_constant<int64_t, 1>{});
    case 2:
      return f(std::integral_constant<int64_t, 2>{});
    case 4:
      return f(std::integral_constant<int64_t, 4>{});
    case 8:
      return f(std::integral_constant<int64_t, 8>{});
    case 16:
      return f(std::integral_constant<int64_t, 16>{});
    case 32:
      return f(std::integral_constant<int64_t, 32>{});
    case 64:
      return f(std::integral_constant<int64_t, 64>{});
    default:
      return f(std::integral_constant<int64_t, 0>{});
  }
}

template <int64_t Row>
void copy_rows_from(char* dst, const char* src, const int64_t* index, int64_t begin, int64_t end,
                    int64_t n, int64_t row) {
  for (int64_t k = begin; k < end; ++k) {
    int64_t at = index[k];
    if (C10_UNLIKELY(static_cast<uint64_t>(at) >= static_cast<uint64_t>(n)))
      fail_index_in_self("index_select");
    copy_bytes(dst + k * (Row ? Row : row), src + at * (Row ? Row : row), Row ? Row : row);
  }
}

// The same elements from each of several rows: by a table of their places in some rows.
template <typename T>
void select_columns(T* dst, const T* src, const int64_t* index, int64_t outer, int64_t n,
                    int64_t m) {
  const int64_t rows = std::max<int64_t>(1, 512 / m);
  std::vector<int32_t> places(static_cast<size_t>(rows * m));
  for (int64_t i = 0; i < rows * m; ++i) {
    const int64_t at = index[i % m];
    if (C10_UNLIKELY(static_cast<uint64_t>(at) >= static_cast<uint64_t>(n)))
      fail_index_in_self("index_select");
    places[i] = static_cast<int32_t>((i / m * n + at) * static_cast<int64_t>(sizeof(T)));
  }
  parallel_for(0, divup(outer, rows), std::max<int64_t>(1, kGrainBytes / (rows * m)),
               [&](int64_t begin, int64_t end) {
    for (int64_t b = begin * rows; b < std::min(end * rows, outer); b += rows)
      gather_places(dst + b * m, reinterpret_cast<const char*>(src + b * n), places.data(),
                    std::min(rows, outer - b) * m);
  });
}

}  // namespace

static void index_rows_kernel(char* dst, const char* src, const int64_t* index, int64_t outer,
                              int64_t n, int64_t m, int64_t row) {
  if (m == 0) return;
  constexpr int64_t kMaxTable = 1 << 14;
  if (outer >= (m <= 32 ? 64 : 4) && m <= kMaxTable && n <= (1 << 16) &&
      (row == 1 || row == 2 || row == 4 || row == 8 || row == 16)) {
    return by_size(static_cast<size_t>(row), [&](auto element) {
      using T = decltype(element);
      select_columns(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), index, outer, n,
                     m);
    });
  }
  int64_t grain = std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(row, 8));
  auto run = [&](auto copy) {
    parallel_for(0, outer * m, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t o = begin / m, k = begin % m, stop = std::min(end - o * m, m);
        copy(dst + o * m * row, src + o * n * row, index, k, stop, n, row);
        begin = o * m + stop;
      }
    });
  };
  by_row_size(
      row, [&]<int64_t Row>(std::integral_constant<int64_t, Row>) { run(&copy_rows_from<Row>); });
}

namespace {

// Writes columns `begin` to `end` (bytes) of rows in order, since indices may repeat.
template <int64_t Row>
void copy_rows_to(char* dst, const char* src, const int64_t* index, int64_t m, int64_t row,
                  int64_t src_stride, int64_t begin, int64_t end) {
  const int64_t size = Row ? Row : end - begin;
  for (int64_t k = 0; k < m; ++k)
    copy_bytes(dst + index[k] * (Row ? Row : row) + begin, src + k * src_stride + begin, size);
}

}  // namespace

// Threads divide outer blocks, or the columns of long rows.
static void index_copy_rows_kernel(char* dst, const char* src, const int64_t* index, int64_t outer,
                                   int64_t n, int64_t m, int64_t row, int64_t src_stride) {
  if (outer == 1 && row >= 2 * kGrainBytes) {
    return parallel_for(0, row, kGrainBytes, [&](int64_t begin, int64_t end) {
      copy_rows_to<0>(dst, src, index, m, row, src_stride, begin, end);
    });
  }
  by_row_size(row, [&]<int64_t Row>(std::integral_constant<int64_t, Row>) {
    parallel_for(0, outer, std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(row * m, 1)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        copy_rows_to<Row>(dst + o * n * row, src + o * m * src_stride, index, m, row, src_stride, 0,
                          row);
    });
  });
}

namespace {

constexpr int64_t kShortRow = 16;

template <typename T, bool Plain>
void add_row(T* __restrict to, const T* __restrict from, int64_t n, T alpha) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = wrapping_sum(to[i], Plain ? from[i] : wrapping_product(from[i], alpha));
}

// f(constant) with the number of columns if it is small, or 0 for any other.
template <typename F>
void by_short_width(int64_t width, const F& f) {
  if (!with_constant<1, 2>(width, f)) f(std::integral_constant<int64_t, 0>());
}

// Adds rows of one block, or some columns of them, from position to position.
template <typename T, bool Plain>
void add_block(T* to, const T* from, const int64_t* index, int64_t m, int64_t row, int64_t width,
               SumType<T> alpha) {
  by_short_width(width, [&](auto constant) {
    constexpr int64_t kWidth = decltype(constant)::value;
    for (int64_t k = 0; k < m; ++k)
      add_row<T, Plain>(to + index[k] * row, from + k * row, kWidth ? kWidth : width, alpha);
  });
}

// sums[i] += alpha * from[i]. Halves are widened in registers.
template <typename T, bool Plain>
void add_wide_row(SumType<T>* sums, const T* from, int64_t n, SumType<T> alpha) {
  if constexpr (std::is_same_v<SumType<T>, float>) {
    constexpr int64_t W = Vec<float>::size;
    const Vec<float> scale(alpha);
    int64_t i = 0;
    for (; i + W <= n; i += W) {
      const Vec<float> x = load_wide(from + i);
      (Vec<float>::load(sums + i) + (Plain ? x : x * scale)).store(sums + i);
    }
    from += i;
    sums += i;
    n -= i;
  }
  for (int64_t i = 0; i < n; ++i)
    sums[i] += Plain ? static_cast<SumType<T>>(from[i]) : static_cast<SumType<T>>(from[i]) * alpha;
}

// The same for types that are not accumulated in themselves: sorted by index, so that one row of
// sums suffices; or, without an order, with the whole block in a wider type. Many short rows are
// converted at once.
template <typename T, bool Plain>
void add_wide_block(T* to, const T* from, const int64_t* index, int64_t n, int64_t m, int64_t row,
                    int64_t width, SumType<T> alpha,
                    const std::vector<std::pair<int64_t, int64_t>>& order) {
  using A = SumType<T>;
  if (!order.empty()) {
    WideSums<T> sums;
    for (size_t i = 0; i < order.size();) {
      int64_t target = order[i].first;
      A* line = sums.open(to + target * row, width);
      for (; i < order.size() && order[i].first == target; ++i)
        add_wide_row<T, Plain>(line, from + order[i].second * row, width, alpha);
      sums.close();
    }
    return;
  }
  const Scratch<A> block(n * width);
  // Whole rows are one run.
  const int64_t runs = width == row ? 1 : n, length = width == row ? n * row : width;
  for (int64_t r = 0; r < runs; ++r) convert_run(to + r * row, block.get() + r * width, length);
  if (width == row && row < kShortRow) {
    const int64_t rows = std::max<int64_t>(1, 4096 / row);
    std::vector<A> values(rows * row);
    for (int64_t first = 0; first < m; first += rows) {
      const int64_t count = std::min(rows, m - first);
      convert_run(from + first * row, values.data(), count * row);
      add_block<A, Plain>(block.get(), values.data(), index + first, count, row, row, alpha);
    }
  } else {
    for (int64_t k = 0; k < m; ++k)
      add_wide_row<T, Plain>(block.get() + index[k] * width, from + k * row, width, alpha);
  }
  for (int64_t r = 0; r < runs; ++r) convert_run(block.get() + r * width, to + r * row, length);
}

template <typename T, bool Plain>
void add_rows(T* dst, const T* src, const int64_t* index, int64_t outer, int64_t n, int64_t m,
              int64_t row, SumType<T> alpha) {
  // Threads share no element: they divide outer blocks, or else the columns of the rows.
  constexpr int64_t kInCache = 1 << 20;
  const bool short_rows = row < kShortRow;
  const bool whole_blocks =
      kSumsAreWide<T> &&
      (short_rows ? m >= n / kFewAdditions
                  : m >= n && n * row * static_cast<int64_t>(sizeof(SumType<T>)) <= kInCache);
  std::vector<std::pair<int64_t, int64_t>> order;
  if (kSumsAreWide<T> && !whole_blocks)
    order = sorted_by_index(m, [index](int64_t k) { return index[k]; }, n);
  bool by_block = outer > 1 || (whole_blocks && short_rows);
  int64_t units = by_block ? outer : row;
  int64_t grain = std::max<int64_t>(1, kGrainBytes / static_cast<int64_t>(sizeof(T)) /
                                           std::max<int64_t>(1, by_block ? m * row : m));
  if (!by_block) grain = std::max<int64_t>(grain, 64 / sizeof(T));
  parallel_for(0, units, grain, [&](int64_t begin, int64_t end) {
    int64_t first = by_block ? begin : 0, last = by_block ? end : outer;
    int64_t column = by_block ? 0 : begin, width = by_block ? row : end - begin;
    for (int64_t o = first; o < last; ++o) {
      T* to = dst + o * n * row + column;
      const T* from = src + o * m * row + column;
      if constexpr (kSumsAreWide<T>)
        add_wide_block<T, Plain>(to, from, index, n, m, row, width, alpha, order);
      else add_block<T, Plain>(to, from, index, m, row, width, alpha);
    }
  });
}

}  // namespace

static void index_add_rows_kernel(ScalarType dtype, void* dst, const void* src,
                                  const int64_t* index, int64_t outer, int64_t n, int64_t m,
                                  int64_t row, const Scalar& alpha) {
  bool plain = alpha.equal(1.0);
  dispatch_types<NumberTypes, bool, c10::complex<c10::Half>>(dtype, "index_add",
                                                             [&]<typename T>(TypeTag<T>) {
    auto run = plain ? &add_rows<T, true> : &add_rows<T, false>;
    run(static_cast<T*>(dst), static_cast<const T*>(src), index, outer, n, m, row,
        alpha.cast<SumType<T>>());
  });
}

REGISTER_DISPATCH(index_rows_stub, &index_rows_kernel)
REGISTER_DISPATCH(index_copy_rows_stub, &index_copy_rows_kernel)
REGISTER_DISPATCH(index_add_rows_stub, &index_add_rows_kernel)

}  // namespace at::native
