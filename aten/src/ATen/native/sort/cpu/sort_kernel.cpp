// Sorting and selection on order keys: Note [Order keys] in ATen/native/sort/sort.h.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/TensorBase.h>
#include <ATen/native/common/Pieces.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sort/cpu/elements.h>
#include <ATen/native/sort/cpu/in_order.h>
#include <ATen/native/sort/cpu/lines.h>
#include <ATen/native/sort/cpu/smallest_few.h>
#include <ATen/native/sort/order_key.h>
#include <ATen/native/sort/sort.h>

namespace at::native {
namespace {

// Sorts by one byte of the keys after the other, the least significant first; bytes that are the
// same everywhere are skipped. Several threads count and move pieces of the line: each piece has
// places of its own for every digit, in the order of the pieces, so that equal keys stay in order.
// Returns which of the two buffers has the result.
template <typename E>
const E* radix_sort(E* a, E* spare, const Pieces& pieces) {
  std::vector<uint64_t> differ(pieces.count);  // bits in which a key differs from the first one
  pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
    const uint64_t first = a[0].key();
    uint64_t bits = 0;
    for (int64_t i = begin; i < end; ++i) bits |= a[i].key() ^ first;
    differ[p] = bits;
  });
  for (int64_t p = 1; p < pieces.count; ++p) differ[0] |= differ[p];
  std::vector<std::array<int64_t, 256>> counts(pieces.count);
  E *from = a, *to = spare;
  for (int b = 0; b < E::kBytes; ++b) {
    if (!(differ[0] >> (8 * b) & 255)) continue;
    pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
      auto& count = counts[p];
      count.fill(0);
      for (int64_t i = begin; i < end; ++i) ++count[from[i].key() >> (8 * b) & 255];
    });
    int64_t at = 0;
    for (int digit = 0; digit < 256; ++digit)
      for (auto& count : counts) at += std::exchange(count[digit], at);
    pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
      auto& place = counts[p];
      for (int64_t i = begin; i < end; ++i) to[place[from[i].key() >> (8 * b) & 255]++] = from[i];
    });
    std::swap(from, to);
  }
  return from;
}

constexpr int64_t kRadixFrom = 512;

// Returns which of the two buffers has the sorted elements.
template <typename E>
const E* sort_elements(E* a, E* spare, const Pieces& pieces) {
  if (pieces.n >= kRadixFrom) return radix_sort(a, spare, pieces);
  std::sort(a,
            a + pieces.n);  // indices differ, so sorting pairs is stable without further measures
  return a;
}

// Puts the k smallest elements of a line into a[0, k), in no order. Elements that k others precede
// never enter the buffer, which is reduced to the k smallest whenever it is full. Returns whether
// an element that was left out equals the largest of them.
template <typename E, typename T>
bool min(const T* x, int64_t n, int64_t stride, uint64_t base, uint64_t flip, int64_t k, E* a,
         int64_t room) {
  int64_t held = 0;
  uint64_t limit = ~uint64_t(0), left_out = 0;
  bool any = false;
  auto cut = [&] {
    std::nth_element(a, a + (k - 1), a + held);
    const uint64_t greatest = a[k - 1].key();
    bool equal = any && left_out == greatest;
    for (int64_t i = k; i < held && !equal; ++i) equal = a[i].key() == greatest;
    held = k;
    limit = greatest;
    if (!equal) return;
    // Among equal keys the earlier indices are kept: later ones can no longer enter.
    any = true;
    left_out = greatest;
    if (greatest != 0) limit = greatest - 1;
  };
  for (int64_t i = 0; i < n; ++i) {
    uint64_t key = (key_of(x[i * stride]) - base) ^ flip;
    if (key > limit) continue;
    a[held++] = E::make(key, i);
    if (held >= room) cut();
  }
  if (k < held) cut();
  if (!any) return false;
  uint64_t greatest = 0;
  for (int64_t i = 0; i < k; ++i) greatest = std::max(greatest, a[i].key());
  return left_out == greatest;
}

// Note [Choices among equals]
// Among equal elements topk returns those that std::partial_sort, or std::nth_element and
// std::sort, find when they compare values alone: programs get the same indices as with PyTorch. If
// all values differ, the faster methods return the same. Where k is both above kRadixFrom and more
// than a 64th of the line, it returns the first ones.
template <typename E>
bool by_key(const E& x, const E& y) {
  return x.key() < y.key();
}

template <typename E>
bool any_equal(const E* sorted, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    if (sorted[i].key() == sorted[i - 1].key()) return true;
  }
  return false;
}

template <typename E>
void least_among_equals(E* a, int64_t n, int64_t k, bool sorted) {
  std::nth_element(a, a + (k - 1), a + n, by_key<E>);
  if (sorted) std::sort(a, a + (k - 1), by_key<E>);
}

// Sorts n elements without a branch that depends on a value.
template <int n, typename E>
void sort_few(E* a) {
  for (int i = 1; i < n; ++i) {
    for (int j = i; j > 0; --j) {
      const E x = a[j - 1], y = a[j];
      a[j - 1] = std::min(x, y);
      a[j] = std::max(x, y);
    }
  }
}

template <typename E>
E most_frequent(E* a, E* spare, int64_t n) {
  const E* sorted = sort_elements(a, spare, {n});
  E best = sorted[0];
  int64_t max = 0;
  for (int64_t i = 0; i < n;) {
    int64_t j = i;
    while (j + 1 < n && sorted[j + 1].key() == sorted[i].key()) ++j;
    if (j - i + 1 > max) {
      max = j - i + 1;
      best = sorted[j];
    }
    i = j + 1;
  }
  return best;
}

// The selected elements of a[0, n), in order; in a or in spare, which are both overwritten.
template <typename E>
const E* choose(const OrderRequest& r, E* a, E* spare, const Pieces& pieces) {
  const int64_t n = pieces.n;
  if (r.kind == OrderKind::sort) return sort_elements(a, spare, pieces);
  if (r.kind == OrderKind::topk) {
    if (r.k > 0 && r.k < n) std::nth_element(a, a + (r.k - 1), a + n);
    return r.sorted ? sort_elements(a, spare, {r.k}) : a;
  }
  spare[0] = most_frequent(a, spare, n);
  return spare;
}

// topk: the fast method, and again with the exact one if equal elements leave a choice.
template <typename E, typename T, typename Fill>
const E* choose_by_value(const OrderRequest& r, const T* x, int64_t n, int64_t stride,
                         uint64_t base, uint64_t flip, E* a, E* spare, bool& equals,
                         const Fill& fill) {
  // See Note [Choices among equals].
  if (r.k * 64 <= n) {
    heap_select(x, n, stride, base, flip, r.k, a);
    return a;
  }
  const bool large = r.k >= kRadixFrom;
  if ((!equals || large) && r.sorted && r.k <= n / 8) {
    const bool few = r.k <= kMaxFew;
    const int64_t room = std::min(n, std::max<int64_t>(4 * r.k, 256));
    const bool tied = few ? smallest_few(x, n, stride, base, flip, r.k, a)
                          : min(x, n, stride, base, flip, r.k, a, room);
    const E* sorted = few ? a : sort_elements(a, spare, {r.k});
    if (large || (!tied && !any_equal(sorted, r.k))) return sorted;
  }
  fill();
  least_among_equals(a, n, r.k, r.sorted);
  equals = r.sorted && any_equal(a, r.k);
  return a;
}

// The order of key(x) - base is that of x.
template <typename E, typename T>
void order_lines(const OrderRequest& r, const T* in, T* values, int64_t* index_data, Dense3 s,
                 uint64_t base = 0) {
  const int64_t m = r.kind == OrderKind::sort ? s.n : r.kind == OrderKind::topk ? r.k : 1;
  const uint64_t ones = E::kBytes == 4 ? 0xffffffffull : ~0ull;
  const uint64_t flip = r.descending ? ones : 0;
  constexpr bool kHasNan = !std::is_integral_v<T>;
  const int64_t lines = s.outer * s.inner;
  // Few lines are taken one after the other, each by all threads.
  const bool alone = lines < get_num_threads();
  const Pieces pieces = alone ? Pieces::for_threads(s.n) : Pieces{s.n};
  const bool by_value =
      r.kind == OrderKind::topk && r.k > 0 && (r.k < kRadixFrom || r.k <= s.n / 8);
  auto work = [&](int64_t begin, int64_t end) {
    const Scratch<E> a(s.n), spare(s.n);
    bool equals = false;  // whether the last line had equal elements: then this one is likely to
    for (int64_t u = begin; u < end; ++u) {
      const T* x = in + u / s.inner * s.n * s.inner + u % s.inner;
      const int64_t to = u / s.inner * m * s.inner + u % s.inner;
      const E* chosen = a.get();
      auto fill = [&] {
        parallel_for(0, s.n, kGrainSize, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i)
            a[i] = E::make((key_of(x[i * s.inner]) - base) ^ flip, i);
        });
      };
      if (by_value) {
        chosen =
            choose_by_value(r, x, s.n, s.inner, base, flip, a.get(), spare.get(), equals, fill);
      } else {
        fill();
        chosen = choose(r, a.get(), spare.get(), pieces);
      }
      parallel_for(0, m, kGrainSize, [&](int64_t first, int64_t last) {
        // Local pointers: bytes that are stored could be anything else.
        const E* from = chosen;
        T* to_values = values + to;
        int64_t *to_indices = index_data + to, step = s.inner;
        for (int64_t i = first; i < last; ++i) {
          const int64_t index = from[i].index();
          to_indices[i * step] = index;
          // The value by its key, where that has all of it, saves a read at a random place.
          if constexpr (kHasNan) to_values[i * step] = x[index * step];
          else to_values[i * step] = integer_of<T>((from[i].key() ^ flip) + base);
        }
      });
    }
  };
  if (alone) {
    work(0, lines);
  } else {
    parallel_for(0, lines, std::max<int64_t>(1, kGrainSize / 16 / s.n), work);
  }
}

// The element of a sorted short line that kthvalue, median or nanmedian returns. `again` fills the
// line in its original order.
template <typename E, typename Fill>
C10_NOINLINE E one_of_sorted(const OrderRequest& r, E* a, int64_t n, uint64_t nan_key, bool has_nan,
                             const Fill& again) {
  if (r.kind == OrderKind::kth) {
    const int64_t k = r.k - 1;
    const bool equal =
        (k > 0 && a[k - 1].key() == a[k].key()) || (k + 1 < n && a[k + 1].key() == a[k].key());
    if (!equal) return a[k];
    again();
    return ranked_among_equals(a, n, k);
  }
  int64_t numbers = n;
  while (has_nan && numbers > 0 && a[numbers - 1].key() == nan_key) --numbers;
  // The first NaN, as in choose().
  if (numbers < n && (r.kind == OrderKind::median || numbers == 0)) return a[numbers];
  return a[(numbers - 1) / 2];
}

// Lines of up to n elements, in registers.
template <int n, typename E, typename T>
void order_short_lines(const OrderRequest& r, const T* in, T* values, int64_t* index_data, Dense3 s,
                       uint64_t base) {
  const bool single = r.kind != OrderKind::sort && r.kind != OrderKind::topk;
  const int64_t m = single ? 1 : r.kind == OrderKind::sort ? s.n : r.k, inner = s.inner;
  const uint64_t ones = E::kBytes == 4 ? 0xffffffffull : ~0ull, flip = r.descending ? ones : 0;
  parallel_for(0, s.outer * inner, kGrainSize / 16 / n, [&](int64_t begin, int64_t end) {
    int64_t o = begin / inner, i = begin % inner;
    for (int64_t u = begin; u < end; ++u) {
      const T* x = in + o * s.n * inner + i;
      const int64_t to = o * m * inner + i;
      E a[n];
      const auto fill = [&] {
        for (int k = 0; k < s.n; ++k) a[k] = E::make((key_of(x[k * inner]) - base) ^ flip, k);
      };
      fill();
      for (int k = static_cast<int>(s.n); k < n; ++k) a[k] = E::make(ones, k);  // they stay last
      sort_few<n>(a);
      if (single) a[0] = one_of_sorted(r, a, s.n, ones, !std::is_integral_v<T>, fill);
      // See Note [Choices among equals].
      if (r.kind == OrderKind::topk && any_equal(a, std::min(m + 1, s.n))) {
        fill();
        least_among_equals(a, s.n, m, true);
      }
      for (int64_t k = 0; k < m; ++k) {
        const int64_t index = a[k].index();
        index_data[to + k * inner] = index;
        values[to + k * inner] = x[index * inner];
      }
      if (++i == inner) i = 0, ++o;
    }
  });
}

// Whether lines are so short that they are sorted in registers.
bool is_short(const OrderRequest& r, int64_t n) {
  if (n < 2 || n > 8 || r.kind == OrderKind::mode) return false;
  return r.kind != OrderKind::topk || (r.sorted && r.k > 0);
}

template <typename E, typename T>
void order_all(const OrderRequest& r, const T* in, T* values, int64_t* index_data, Dense3 s,
               uint64_t base = 0) {
  if (r.kind == OrderKind::sort && s.n > 8 && are_in_order(in, s, r.descending))
    return copy_in_order(in, values, index_data, s);
  if (!is_short(r, s.n)) return order_lines<E>(r, in, values, index_data, s, base);
  if (s.n == 2) return order_short_lines<2, E>(r, in, values, index_data, s, base);
  if (s.n == 3) return order_short_lines<3, E>(r, in, values, index_data, s, base);
  if (s.n == 4) return order_short_lines<4, E>(r, in, values, index_data, s, base);
  order_short_lines<8, E>(r, in, values, index_data, s, base);
}

}  // namespace

static void order_kernel(OrderRequest request, const Tensor& in, const Tensor& values,
                         const Tensor& indices, int64_t dim) {
  const Dense3 shape = dense_shape(in, dim);
  TORCH_CHECK_NOT_IMPLEMENTED(in.itemsize() == 8 || shape.n <= UINT32_MAX, name_of(request.kind),
                              ": more than 2^32 elements along the dimension, got ", shape.n);
  if (count_lines(request, in, values, indices, dim)) return;
  const bool selects = request.kind == OrderKind::kth || request.kind == OrderKind::median ||
                       request.kind == OrderKind::nanmedian;
  if (selects && !is_short(request, shape.n))
    return select_lines(request, in, values, indices, dim);
  auto* index_data = static_cast<int64_t*>(indices.data_ptr());
  dispatch_types<OrderedTypes>(in.scalar_type(), name_of(request.kind),
                               [&]<typename T>(TypeTag<T>) {
    const T* x = static_cast<const T*>(in.data_ptr());
    T* v = static_cast<T*>(values.data_ptr());
    if constexpr (sizeof(T) == 8) {
      uint64_t base = 0;
      if (fit_in_32_bits(x, shape.outer * shape.n * shape.inner, base))
        return order_all<Narrow>(request, x, v, index_data, shape, base);
      order_all<Wide>(request, x, v, index_data, shape);
    } else {
      order_all<Narrow>(request, x, v, index_data, shape);
    }
  });
}

static void order_keys_kernel(c10::ScalarType dtype, const void* in, uint64_t* keys, int64_t n) {
  dispatch_types<OrderedTypes>(dtype, "unique", [&]<typename T>(TypeTag<T>) {
    const T* x = static_cast<const T*>(in);
    parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) keys[i] = key_of(x[i]);
    });
  });
}

REGISTER_DISPATCH(order_stub, &order_kernel)
REGISTER_DISPATCH(order_keys_stub, &order_keys_kernel)

}  // namespace at::native
