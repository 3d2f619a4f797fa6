#pragma once
// Maxima of windows side by side, with the numbers of their elements.

#include <algorithm>
#include <cstring>
#include <limits>

#include <ATen/native/common/cpu/Order.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename K>
K lowest_key() {
  if constexpr (std::numeric_limits<K>::is_integer) return std::numeric_limits<K>::lowest();
  else return -std::numeric_limits<K>::infinity();
}

// The maximum of a window that lies in the padding.
template <typename T>
T lowest() {
  if constexpr (std::is_same_v<typename Order<T>::Key, T>) return lowest_key<T>();
  else return static_cast<T>(-std::numeric_limits<float>::infinity());
}

// The maxima of windows so far: their keys, the numbers of their elements in the window, and, where
// keys are not the values themselves, the values. The windows are those of all channels of a pixel,
// or those of a line.
template <typename T, typename Tap>
struct Maxima {
  using O = Order<T>;
  using Key = typename O::Key;
  static constexpr bool kAreKeys = std::is_same_v<T, Key>;
  Key* __restrict keys;
  Tap* __restrict taps;
  T* __restrict values;

  void clear(int64_t n) {
    std::fill_n(taps, n, Tap(0));
    std::fill_n(keys, n, lowest_key<Key>());
    if constexpr (!kAreKeys) std::fill_n(values, n, lowest<T>());
  }
  // The same for elements of which some are padding, the lowest value: they are never taken.
  // `first`: the first tap of each window that is none.
  void clear_padded(const Tap* first, int64_t n) {
    std::copy_n(first, n, taps);
    std::fill_n(keys, n, O::key(lowest<T>()));
    if constexpr (!kAreKeys) std::fill_n(values, n, lowest<T>());
  }

  // Takes those elements `tap` that are larger, or NaN.
  void take_larger(const T* __restrict from, Tap tap, int64_t n) {
    int64_t c = 0;
    if constexpr (std::is_integral_v<Key> && sizeof(Key) == sizeof(Tap)) {
      // Explicit vectors: GCC widens integers that are narrower than int.
      constexpr int kLanes = kVecBytes / sizeof(Key);
      typedef Key Keys __attribute__((vector_size(kVecBytes)));
      typedef Tap Taps __attribute__((vector_size(kVecBytes)));
      auto load = [](auto& to, const auto* p) { std::memcpy(&to, p, sizeof to); };
      auto store = [](const auto& v, auto* p) { std::memcpy(static_cast<void*>(p), &v, sizeof v); };
      for (; c + kLanes <= n; c += kLanes) {
        Keys bits, max;
        Taps where;
        load(bits, from + c);
        load(max, keys + c);
        load(where, taps + c);
        Keys v = bits;
        if constexpr (!kAreKeys) v = O::keys(bits);
        auto take = v > max;
        if constexpr (!kAreKeys) {
          take |= v == O::kNaN;
          Keys value;
          load(value, values + c);
          value = take ? bits : value;
          store(value, values + c);
        }
        max = take ? v : max;
        where = take ? Taps{} + tap : where;
        store(max, keys + c);
        store(where, taps + c);
      }
    }
#pragma GCC ivdep
    for (; c < n; ++c) {
      const Key v = O::key(from[c]);
      const bool take = (v > keys[c]) | O::is_nan(from[c]);
      keys[c] = take ? v : keys[c];
      taps[c] = take ? tap : taps[c];
      if constexpr (!kAreKeys) values[c] = take ? from[c] : values[c];
    }
  }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
