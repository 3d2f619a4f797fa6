// gather and scatter along one dimension.
//
// The other dimensions are walked as lines: `rest` coordinates, each with a run of `run` adjacent
// elements. A thread owns some of those and goes through `dim` for them in order, so that repeated
// indices are written in the same order as by one thread.

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/indexing/indexing.h>
#include <ATen/native/scatter/scatter.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/transpose.h>
#include <c10/util/SmallVector.h>

namespace at::native {
namespace {

// Element strides of three tensors: the indexed one, index, the other one.
struct Lines {
  DimVector sizes, strides[3];  // of the dimensions that are neither dim nor the run
  int64_t run = 1, run_stride[3] = {};
  int64_t length = 1, length_stride[3] = {};  // along dim

  Lines(const Tensor& indexed, const Tensor& index, const Tensor& other, int64_t dim) {
    const Tensor* all[] = {&indexed, &index, &other};
    int64_t rank = index.dim(), inner = -1;
    for (int64_t d = rank - 1; d >= 0 && inner < 0; --d) {
      if (d != dim) inner = d;
    }
    for (int64_t d = 0; d < rank; ++d) {
      int64_t size = index.sizes()[d];
      if (d == dim) length = size;
      else if (d == inner) run = size;
      else sizes.push_back(size);
      for (int k = 0; k < 3; ++k) {
        // A single element that is used for all has no dimensions.
        int64_t stride = all[k]->dim() == rank ? all[k]->strides()[d] : 0;
        if (d == dim) length_stride[k] = stride;
        else if (d == inner) run_stride[k] = stride;
        else strides[k].push_back(stride);
      }
    }
  }

  // One index for all elements of a run, which are adjacent, as an index vector that was expanded
  // along rows has.
  bool index_is_shared() const {
    return run > 1 && run_stride[0] == 1 && run_stride[1] == 0 && run_stride[2] == 1;
  }

  int64_t rest() const {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
  }

  // Calls f(offset of each tensor, run length), distributed over the threads.
  template <typename F>
  void walk(const F& f) const {
    int64_t grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(length, 1));
    parallel_for(0, rest() * run, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t line = begin / run, first = begin % run, n = std::min(end - begin, run - first);
        int64_t offset[3];
        for (int k = 0; k < 3; ++k) offset[k] = first * run_stride[k];
        for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
          int64_t at = line % sizes[d];
          line /= sizes[d];
          for (int k = 0; k < 3; ++k) offset[k] += at * strides[k][d];
        }
        f(offset, n);
        begin += n;
      }
    });
  }
};

inline int64_t checked(int64_t at, int64_t dim, int64_t size) {
  if (C10_UNLIKELY(static_cast<uint64_t>(at) >= static_cast<uint64_t>(size)))
    fail_index(at, dim, size);
  return at;
}

// op(to[r], from[r]) for n adjacent elements that do not overlap.
template <typename T, typename Op>
void each_of_run(int64_t n, T* to, const T* from, const Op& op) {
#pragma GCC ivdep
  for (int64_t r = 0; r < n; ++r) op(to[r], from[r]);
}

// Checks n indices.
void check_all(const int64_t* at, int64_t n, int64_t dim, int64_t size) {
  // Negative ones become large. GCC vectorizes this, but not the or of comparisons.
  uint64_t largest = 0;
  for (int64_t d = 0; d < n; ++d) largest = std::max(largest, static_cast<uint64_t>(at[d]));
  const bool outside = largest >= static_cast<uint64_t>(size);
  for (int64_t d = 0; outside && d < n; ++d) checked(at[d], dim, size);
}

// So many indices are still in the cache when they are used after they were checked.
constexpr int64_t kCheckedPiece = 1024;

// f(first, end) for pieces of a run of indices that have been checked, so that the loop which uses
// them has no branches.
template <typename F>
void for_checked_pieces(const int64_t* at, int64_t n, int64_t dim, int64_t size, const F& f) {
  for (int64_t first = 0; first < n; first += kCheckedPiece) {
    const int64_t end = std::min(n, first + kCheckedPiece);
    check_all(at + first, end - first, dim, size);
    f(first, end);
  }
}

// f(row) for rows of n indices that follow each other, of which many are checked together.
template <typename F>
void for_checked_rows(const int64_t* at, int64_t rows, int64_t n, int64_t dim, int64_t size,
                      const F& f) {
  const int64_t together = kCheckedPiece / n;
  for (int64_t first = 0; first < rows; first += together) {
    const int64_t end = std::min(rows, first + together);
    check_all(at + first * n, (end - first) * n, dim, size);
    for (int64_t row = first; row < end; ++row) f(row);
  }
}

// op(to[at[j]], from[j]) for n indices, each checked before it is used. Where indices repeat, as
// sorted ones do, eight elements are joined before their target is touched, which would have to
// wait for itself.
template <typename A, typename T, typename Op>
void join_at(A* to, const int64_t* at, const T* from, int64_t n, int64_t dim, int64_t size,
             const Op& op) {
  constexpr int64_t kBlock = 8;
  int64_t j = 0;
  for (; j + kBlock <= n; j += kBlock) {
    // Without a branch before the last index: few targets would make it a guess.
    int64_t others = 0;
    for (int64_t k = 0; k < kBlock; ++k) others |= at[j + k] ^ at[j];
    if (others != 0) {
      for (int64_t k = j; k < j + kBlock; ++k) op(to[checked(at[k], dim, size)], from[k]);
      continue;
    }
    A joined = from[j];
    for (int64_t k = j + 1; k < j + kBlock; ++k) op(joined, from[k]);
    op(to[checked(at[j], dim, size)], joined);
  }
  for (; j < n; ++j) op(to[checked(at[j], dim, size)], from[j]);
}

// Loops over fewer elements take longer to start than to run.
constexpr int64_t kShortLine = 4;
// So few indices are checked one by one: to look at them first takes longer.
constexpr int64_t kCheckedLine = 16;

// f(j, index number j) for n indices that are `step` apart. What f uses should be its own: it may
// write to bytes, which might be anything for all that the compiler knows.
template <typename F>
void for_indices(const int64_t* at, int64_t step, int64_t n, int64_t dim, int64_t size, const F f) {
  if (step == 1 && n >= kCheckedLine) {
    for_checked_pieces(at, n, dim, size, [&](int64_t first, int64_t end) {
      for (int64_t j = first; j < end; ++j) f(j, at[j]);
    });
    return;
  }
  for (int64_t j = 0; j < n; ++j) f(j, checked(at[j * step], dim, size));
}

template <typename T>
void gather_as(const Tensor& out, const Tensor& self, int64_t dim, const Tensor& index) {
  Lines lines(self, index, out, dim);
  const T* from = static_cast<const T*>(self.data_ptr());
  const int64_t* at = static_cast<const int64_t*>(index.data_ptr());
  T* to = static_cast<T*>(out.data_ptr());
  int64_t size = self.dim() == 0 ? 1 : self.sizes()[dim];
  int64_t step = lines.length_stride[0];
  lines.walk([&](const int64_t* offset, int64_t n) {
    const T* f0 = from + offset[0];
    const int64_t* a0 = at + offset[1];
    T* t0 = to + offset[2];
    if (lines.index_is_shared()) {
      for (int64_t d = 0; d < lines.length; ++d) {
        const int64_t place = checked(a0[d * lines.length_stride[1]], dim, size);
        each_of_run(n, t0 + d * lines.length_stride[2], f0 + place * step,
                    [](T& t, const T& f) { t = f; });
      }
      return;
    }
    if (lines.length_stride[1] == 1 && lines.length_stride[2] == 1 &&
        (lines.length >= kShortLine || n < kShortLine)) {
      // Elements first to end of line r.
      const auto gather_line = [&](int64_t r, int64_t first, int64_t end) {
        const T* f = f0 + r * lines.run_stride[0];
        const int64_t* a = a0 + r * lines.run_stride[1];
        T* t = t0 + r * lines.run_stride[2];
        if (step == 1) {
#pragma GCC unroll 4
          for (int64_t d = first; d < end; ++d) t[d] = f[a[d]];
        } else {
          for (int64_t d = first; d < end; ++d) t[d] = f[a[d] * step];
        }
      };
      if (lines.length > 0 && lines.run_stride[1] == lines.length &&
          lines.length <= kCheckedPiece / 2)
        return for_checked_rows(a0, n, lines.length, dim, size,
                                [&](int64_t r) { gather_line(r, 0, lines.length); });
      for (int64_t r = 0; r < n; ++r)
        for_checked_pieces(a0 + r * lines.run_stride[1], lines.length, dim, size,
                           [&](int64_t first, int64_t end) { gather_line(r, first, end); });
      return;
    }
    // Short rows across dim that follow each other.
    if (lines.run_stride[1] == 1 && lines.length_stride[1] == n && n >= kShortLine &&
        n < kCheckedLine) {
      const int64_t f_step = lines.run_stride[0], t_step = lines.run_stride[2];
      return for_checked_rows(a0, lines.length, n, dim, size, [&](int64_t d) {
        const int64_t* a = a0 + d * n;
        T* t = t0 + d * lines.length_stride[2];
        for (int64_t j = 0; j < n; ++j) t[j * t_step] = f0[a[j] * step + j * f_step];
      });
    }
    // The longer loop is the inner one.
    const auto walk_both = [&](int64_t outer, const int64_t* outer_stride, int64_t outer_step,
                               int64_t inner, const int64_t* inner_stride, int64_t inner_step) {
      for (int64_t i = 0; i < outer; ++i) {
        const T* f = f0 + i * outer_step;
        const int64_t* a = a0 + i * outer_stride[1];
        T* t = t0 + i * outer_stride[2];
        for_indices(a, inner_stride[1], inner, dim, size,
                    [=, to_step = inner_stride[2]](int64_t j, int64_t place) {
          t[j * to_step] = f[j * inner_step + place * step];
        });
      }
    };
    // Along dim the index alone says which element is read.
    if (n < kShortLine)
      walk_both(n, lines.run_stride, lines.run_stride[0], lines.length, lines.length_stride, 0);
    else walk_both(lines.length, lines.length_stride, 0, n, lines.run_stride, lines.run_stride[0]);
  });
}

template <typename T, typename Op>
void scatter_as(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                const Op& op) {
  Lines lines(self, index, src, dim);
  T* to = static_cast<T*>(self.data_ptr());
  const int64_t* at = static_cast<const int64_t*>(index.data_ptr());
  const T* from = static_cast<const T*>(src.data_ptr());
  int64_t size = self.dim() == 0 ? 1 : self.sizes()[dim];
  const auto scatter_lines = [&](T* t0, int64_t run_step, int64_t step, const int64_t* a0,
                                 const T* f0, int64_t n, bool is_near) {
    if (lines.index_is_shared()) {
      for (int64_t d = 0; d < lines.length; ++d) {
        const int64_t place = checked(a0[d * lines.length_stride[1]], dim, size);
        each_of_run(n, t0 + place * step, f0 + d * lines.length_stride[2], op);
      }
      return;
    }
    // Lines side by side do not wait for each other's elements, where few are written often.
    const bool beside = is_near && n > 1 && lines.run_stride[1] == 1;
    bool along_dim =
        (lines.length_stride[1] == 1 || n < kShortLine) && lines.length >= kShortLine && !beside;
    int64_t outer = along_dim ? n : lines.length, inner = along_dim ? lines.length : n;
    const int64_t* outer_stride = along_dim ? lines.run_stride : lines.length_stride;
    const int64_t* inner_stride = along_dim ? lines.length_stride : lines.run_stride;
    // Along dim the offset is given by the index alone.
    int64_t outer_step = along_dim ? run_step : 0, inner_step = along_dim ? 0 : run_step;
    for (int64_t i = 0; i < outer; ++i) {
      T* t = t0 + i * outer_step;
      const int64_t* a = a0 + i * outer_stride[1];
      const T* f = f0 + i * outer_stride[2];
      if (inner_stride[1] == 1 && inner >= kShortLine && inner_step == 0 && step == 1 &&
          inner_stride[2] == 1) {
        join_at(t, a, f, inner, dim, size, op);
        continue;
      }
      for_indices(a, inner_stride[1], inner, dim, size,
                  [=, from_step = inner_stride[2]](int64_t j, int64_t place) {
        op(t[j * inner_step + place * step], f[j * from_step]);
      });
    }
  };
  lines.walk([&](const int64_t* offset, int64_t n) {
    T* t0 = to + offset[0];
    const int64_t* a0 = at + offset[1];
    const T* f0 = from + offset[2];
    const int64_t run_step = lines.run_stride[0], step = lines.length_stride[0];
    // Few elements, to which much is added, are copied: threads would share their cache lines.
    constexpr int64_t kNear = 4096 / sizeof(T);
    if (size * n > kNear || lines.length < 8 * size)
      return scatter_lines(t0, run_step, step, a0, f0, n, false);
    T near[kNear];
    for (int64_t k = 0; k < size; ++k) {
      for (int64_t r = 0; r < n; ++r) near[k * n + r] = t0[k * step + r * run_step];
    }
    scatter_lines(near, 1, n, a0, f0, n, true);
    for (int64_t k = 0; k < size; ++k) {
      for (int64_t r = 0; r < n; ++r) t0[k * step + r * run_step] = near[k * n + r];
    }
  });
}

// The same for types that are not accumulated in themselves: the lines that a piece reaches are
// held in a wider type meanwhile, `width` lines side by side.
template <typename T, typename Op>
void scatter_wide(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  const Op& op) {
  using A = SumType<T>;
  Lines lines(self, index, src, dim);
  T* to = static_cast<T*>(self.data_ptr());
  const int64_t* at = static_cast<const int64_t*>(index.data_ptr());
  const T* from = static_cast<const T*>(src.data_ptr());
  const int64_t size = self.dim() == 0 ? 1 : self.sizes()[dim], step = lines.length_stride[0],
                index_step = lines.length_stride[1], from_step = lines.length_stride[2];
  // Adjacent elements are converted fast.
  const bool is_few = lines.length < size / (step == 1 ? kFewAdditions : 4);
  // A table of the targets that are reached, by their places, twice as long as they are many.
  struct Target {
    int64_t place;
    A sum;
  };
  const int bits = is_few ? 64 - __builtin_clzll(static_cast<uint64_t>(2 * lines.length) | 1) : 0;
  auto few = [&](std::vector<Target>& targets, T* t, const int64_t* a, const T* f) {
    targets.assign(size_t{1} << bits, {-1, A(0)});
    const uint64_t mask = targets.size() - 1;
    for (int64_t d = 0; d < lines.length; ++d) {
      const int64_t place = checked(a[d * index_step], dim, size);
      // Fibonacci hashing: neighbours are spread over the table.
      uint64_t slot = static_cast<uint64_t>(place) * 0x9e3779b97f4a7c15u >> (64 - bits);
      while (targets[slot].place != place && targets[slot].place >= 0) slot = (slot + 1) & mask;
      Target& target = targets[slot];
      if (target.place < 0) target = {place, static_cast<A>(t[place * step])};
      op(target.sum, static_cast<A>(f[d * from_step]));
    }
    for (const Target& target : targets)
      if (target.place >= 0) t[target.place * step] = static_cast<T>(target.sum);
  };
  auto add = [&](A* sums, const int64_t* a, const T* f, int64_t w) {
    constexpr int64_t kPiece = 1024;
    A values[kPiece];
    if (w == 1) {
      for (int64_t first = 0; first < lines.length; first += kPiece) {
        const int64_t n = std::min(kPiece, lines.length - first);
        if (from_step == 1) convert_run(f + first, values, n);
        if (from_step == 1 && index_step == 1) {
          join_at(sums, a + first, values, n, dim, size, op);
          continue;
        }
        for (int64_t d = 0; d < n; ++d) {
          op(sums[checked(a[(first + d) * index_step], dim, size)],
             from_step == 1 ? values[d] : static_cast<A>(f[(first + d) * from_step]));
        }
      }
      return;
    }
    const bool dense = lines.run_stride[2] == 1 && w >= 8 && w <= kPiece;
    for (int64_t d = 0; d < lines.length; ++d) {
      const T* row = f + d * from_step;
      if (dense) convert_run(row, values, w);
      for (int64_t j = 0; j < w; ++j) {
        int64_t target = checked(a[d * index_step + j * lines.run_stride[1]], dim, size);
        op(sums[target * w + j], dense ? values[j] : static_cast<A>(row[j * lines.run_stride[2]]));
      }
    }
  };
  // One index for each row of n elements: the rows of a target are added up one after the other.
  auto rows = [&](T* t, const int64_t* a, const T* f, int64_t n) {
    const auto order = sorted_by_index(
        lines.length, [&](int64_t d) { return checked(a[d * index_step], dim, size); }, size);
    WideSums<T> sums;
    Widened<T> row;
    for (size_t i = 0; i < order.size();) {
      const int64_t here = order[i].first;
      A* target = sums.open(t + here * step, n);
      for (; i < order.size() && order[i].first == here; ++i)
        each_of_run(n, target, row.read(f + order[i].second * from_step, n), op);
      sums.close();
    }
  };
  lines.walk([&](const int64_t* offset, int64_t n) {
    if (lines.index_is_shared()) return rows(to + offset[0], at + offset[1], from + offset[2], n);
    // Lines of adjacent elements are converted one at a time.
    const bool by_line = is_few || (step == 1 && from_step == 1);
    const int64_t width =
        by_line ? 1 : std::min(n, std::max<int64_t>(16, 16384 / std::max<int64_t>(1, size)));
    std::vector<A> sums(is_few ? 0 : size * width);
    std::vector<Target> targets;
    for (int64_t r = 0; r < n; r += width) {
      T* t = to + offset[0] + r * lines.run_stride[0];
      const int64_t* a = at + offset[1] + r * lines.run_stride[1];
      const T* f = from + offset[2] + r * lines.run_stride[2];
      if (is_few) {
        few(targets, t, a, f);
        continue;
      }
      const int64_t w = std::min(width, n - r);
      // Adjacent elements are along the lines or across them.
      const bool along = step == 1 && w == 1, across = lines.run_stride[0] == 1 && w >= 8;
      if (along) convert_run(t, sums.data(), size);
      for (int64_t k = 0; k < size && !along; ++k) {
        if (across) {
          convert_run(t + k * step, sums.data() + k * w, w);
          continue;
        }
        for (int64_t j = 0; j < w; ++j)
          sums[k * w + j] = static_cast<A>(t[k * step + j * lines.run_stride[0]]);
      }
      add(sums.data(), a, f, w);
      if (along) convert_run(sums.data(), t, size);
      for (int64_t k = 0; k < size && !along; ++k) {
        if (across) {
          convert_run(sums.data() + k * w, t + k * step, w);
          continue;
        }
        for (int64_t j = 0; j < w; ++j)
          t[k * step + j * lines.run_stride[0]] = static_cast<T>(sums[k * w + j]);
      }
    }
  });
}

template <typename T, typename Op>
void scatter_reduced(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                     const Op& op) {
  if constexpr (kSumsAreWide<T>) scatter_wide<T>(self, dim, index, src, op);
  else scatter_as<T>(self, dim, index, src, op);
}

}  // namespace

static void gather_kernel(const Tensor& out, const Tensor& self, int64_t dim, const Tensor& index) {
  by_size(self.itemsize(), [&](auto tag) { gather_as<decltype(tag)>(out, self, dim, index); });
}

namespace {

template <typename T>
bool is_nan(T x) {
  return x != x;
}

}  // namespace

static void scatter_elements(const Tensor& self, int64_t dim, const Tensor& index,
                             const Tensor& src, ScatterReduce reduce) {
  if (reduce == ScatterReduce::assign) {
    by_size(self.itemsize(), [&](auto tag) {
      using T = decltype(tag);
      scatter_as<T>(self, dim, index, src, [](T& to, const T& from) { to = from; });
    });
    return;
  }
  if (reduce == ScatterReduce::amax || reduce == ScatterReduce::amin) {
    bool larger = reduce == ScatterReduce::amax;
    dispatch_types<RealTypes, bool>(self.scalar_type(), "scatter", [&]<typename T>(TypeTag<T>) {
      using A = SumType<T>;
      if (larger) {
        scatter_reduced<T>(self, dim, index, src,
                           [](A& to, const A& from) { to = is_nan(to) || to >= from ? to : from; });
      } else {
        scatter_reduced<T>(self, dim, index, src,
                           [](A& to, const A& from) { to = is_nan(to) || to <= from ? to : from; });
      }
    });
    return;
  }
  bool product = reduce == ScatterReduce::prod;
  dispatch_types<NumberTypes, bool, c10::complex<c10::Half>>(self.scalar_type(), "scatter",
                                                             [&]<typename T>(TypeTag<T>) {
    using A = SumType<T>;
    if (product) {
      scatter_reduced<T>(self, dim, index, src,
                         [](A& to, const A& from) { to = wrapping_product(to, from); });
    } else {
      scatter_reduced<T>(self, dim, index, src,
                         [](A& to, const A& from) { to = wrapping_sum(to, from); });
    }
  });
}

// Rows of adjacent elements that share an index are reduced as vectors, which is worth copies.
static void scatter_kernel(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                           ScatterReduce reduce) {
  const bool has_rows = src.sizes() == index.sizes() && has_one_index_per_slice(index, dim);
  if (has_rows && dim + 1 < index.dim()) {
    const bool is_adjacent = src.sizes().back() == 1 || src.strides().back() == 1;
    return scatter_elements(self, dim, index, is_adjacent ? src : at::contiguous(src), reduce);
  }
  if (!has_rows || self.itemsize() > 2 || !covers_slices(index, self, dim))
    return scatter_elements(self, dim, index, src, reduce);
  const auto moved = [&](const Tensor& t) { return at::transpose(t, 0, dim); };
  Tensor rows = at::contiguous(moved(self)), target = self;
  scatter_elements(rows, 0, moved(index), at::contiguous(moved(src)), reduce);
  at::_ops::copy_::call(target, moved(rows), false);
}

REGISTER_DISPATCH(gather_stub, &gather_kernel)
REGISTER_DISPATCH(scatter_stub, &scatter_kernel)

}  // namespace at::native
