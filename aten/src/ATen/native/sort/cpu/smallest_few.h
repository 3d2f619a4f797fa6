#pragma once
// The few smallest elements of a line, in one pass.

#include <algorithm>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/sort/order_key.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
using KeyOf = std::conditional_t<kKeyBytes<T> == 4, uint32_t, uint64_t>;

// Calls f(key, index) for the elements of a line whose keys are at most `limit`, which f may lower.
// Blocks without one are passed over in registers.
template <typename T, typename F>
void for_each_up_to(const KeyOf<T>& limit, const T* x, int64_t n, int64_t stride, uint64_t base,
                    uint64_t flip, const F& f) {
  using Key = KeyOf<T>;
  constexpr int64_t kBlock = 64;
  const Key low = static_cast<Key>(base), ones = static_cast<Key>(flip);
  Key keys[kBlock];
  const auto make_keys = [&](const auto* from, int64_t step, int64_t count) {
    for (int64_t j = 0; j < count; ++j)
      keys[j] = (static_cast<Key>(key_of(from[j * step])) - low) ^ ones;
  };
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    const T* from = x + i * stride;
    if (stride != 1) {
      make_keys(from, stride, count);
    } else if constexpr (is_reduced_float_v<T>) {
      float wide[kBlock];
      widen(from, wide, count);
      make_keys(wide, 1, count);
    } else {
      make_keys(from, 1, count);
    }
    Key smallest = keys[0];
    for (int64_t j = 1; j < count; ++j) smallest = std::min(smallest, keys[j]);
    if (smallest > limit) continue;
    for (int64_t j = 0; j < count; ++j) {
      if (keys[j] <= limit) f(keys[j], i + j);
    }
  }
}

// Beyond, insertion takes longer than buffers do.
constexpr int64_t kMaxFew = 64;

// Puts the k smallest elements of a line, k <= kMaxFew and k < n, into a[0, k) in order. Returns
// whether an element that was left out equals the largest of them.
template <typename E, typename T>
bool smallest_few(const T* x, int64_t n, int64_t stride, uint64_t base, uint64_t flip, int64_t k,
                  E* a) {
  using Key = KeyOf<T>;
  int64_t held = 0;
  Key limit = ~Key(0), left_out = ~Key(0);
  bool any_left_out = false;
  for_each_up_to(limit, x, n, stride, base, flip, [&](Key key, int64_t index) {
    if (held == k) {
      any_left_out = true;
      left_out = std::min(left_out, limit);  // this one, or the one that it displaces
      if (key == limit) return;
    } else {
      ++held;
    }
    // Behind all equal ones: they came earlier.
    int64_t at = held - 1;
    for (; at > 0 && a[at - 1].key() > key; --at) a[at] = a[at - 1];
    a[at] = E::make(key, index);
    if (held == k) limit = static_cast<Key>(a[k - 1].key());
  });
  return any_left_out && left_out == limit;
}

// The same by a heap, with the choice among equal elements that std::partial_sort makes. a has room
// for k + 1.
template <typename E, typename T>
void heap_select(const T* x, int64_t n, int64_t stride, uint64_t base, uint64_t flip, int64_t k,
                 E* a) {
  using Key = KeyOf<T>;
  const auto by_key = [](const E& p, const E& q) { return p.key() < q.key(); };
  int64_t held = 0;
  Key limit = ~Key(0);
  for_each_up_to(limit, x, n, stride, base, flip, [&](Key key, int64_t index) {
    if (held < k) {
      a[held++] = E::make(key, index);
      if (held < k) return;
      std::make_heap(a, a + k, by_key);
    } else {
      if (key >= static_cast<Key>(a[0].key())) return;
      // The root makes room, as std::partial_sort lets it.
      a[k] = E::make(key, index);
      std::pop_heap(a, a + k + 1, by_key);
    }
    // Elements that equal the root stay out: blocks that have no smaller ones are passed over.
    const auto root = static_cast<Key>(a[0].key());
    limit = root > 0 ? root - 1 : 0;
  });
  std::sort_heap(a, a + k, by_key);
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace at::native
