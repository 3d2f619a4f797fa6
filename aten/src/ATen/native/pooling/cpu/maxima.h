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

  void clear(int64_t n, Tap first) {
    std::fill_n(taps, n, first);
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

  // Whether find() is there.
  static constexpr bool kInRegisters =
      std::is_floating_point_v<T> && kAreKeys && sizeof(Tap) == sizeof(T);
  // The maxima of a window in n channels: those of tap k begin at from + pixels[k], and names[k] is
  // what is noted where they are the largest. Four registers of channels at a time, which see all
  // taps.
  void find(const T* from, const int64_t* pixels, const Tap* names, int64_t taps_in_window,
            int64_t n) {
    using V = Vec<T>;
    using Numbers = typename V::Mask;
    constexpr int64_t kStep = 4 * V::size;
    const auto run = [&](int64_t c, auto registers, int64_t last) {
      constexpr int64_t R = registers;
      using Number = std::make_signed_t<Tap>;
      V max[R];
      Numbers place[R];
      for (int64_t r = 0; r < R; ++r) {
        max[r] = V(lowest_key<T>());
        place[r] = Numbers{} + static_cast<Number>(names[0]);
      }
      for (int64_t k = 0; k < taps_in_window; ++k) {
        const Numbers here = Numbers{} + static_cast<Number>(names[k]);
        const T* at = from + pixels[k] + c;
        for (int64_t r = 0; r < R; ++r) {
          const bool whole = r + 1 < R || last == V::size;
          const V v = whole ? V::load(at + r * V::size) : V::load(at + r * V::size, last);
          const auto take = (v > max[r]) | (v != v);
          max[r] = where(take, v, max[r]);
          place[r] = take ? here : place[r];
        }
      }
      for (int64_t r = 0; r < R; ++r) {
        const int64_t count = r + 1 < R ? int64_t(V::size) : last;
        if (count == V::size) max[r].store(keys + c + r * V::size);
        else max[r].store(keys + c + r * V::size, count);
        std::memcpy(taps + c + r * V::size, &place[r], count * sizeof(Tap));
      }
    };
    int64_t c = 0;
    for (; c + kStep <= n; c += kStep) run(c, std::integral_constant<int64_t, 4>(), V::size);
    const int64_t left = n - c, count = (left + V::size - 1) / V::size,
                  last = left - (count - 1) * V::size;
    if (count == 1) run(c, std::integral_constant<int64_t, 1>(), last);
    if (count == 2) run(c, std::integral_constant<int64_t, 2>(), last);
    if (count == 3) run(c, std::integral_constant<int64_t, 3>(), last);
    if (count == 4) run(c, std::integral_constant<int64_t, 4>(), last);
  }

  // The same for keys that are integers, where there are channels for a register of `kBytes`. The
  // last ones overlap those before them.
  static constexpr bool kHasIntegerKeys = std::is_integral_v<Key> && sizeof(Key) == sizeof(Tap);
  template <int kBytes>
  static constexpr int64_t kLanesOf = kBytes / static_cast<int64_t>(sizeof(Key));
  template <int kBytes>
  void find_by_keys(const T* from, const int64_t* pixels, const Tap* names, int64_t taps_in_window,
                    int64_t n) {
    constexpr int64_t kKeyLanes = kLanesOf<kBytes>;
    typedef Key Keys __attribute__((vector_size(kBytes)));
    typedef Tap Taps __attribute__((vector_size(kBytes)));
    const auto run = [&](auto registers, const auto& channel) {
      constexpr int64_t R = registers;
      Keys max[R], value[R];
      Taps place[R];
      T nothing[kKeyLanes];
      std::fill_n(nothing, kKeyLanes, lowest<T>());
      for (int64_t r = 0; r < R; ++r) {
        max[r] = Keys{} + lowest_key<Key>();
        std::memcpy(&value[r], nothing, sizeof(Keys));
        place[r] = Taps{} + names[0];
      }
      for (int64_t k = 0; k < taps_in_window; ++k) {
        const Taps here = Taps{} + names[k];
        const T* at = from + pixels[k];
        for (int64_t r = 0; r < R; ++r) {
          Keys bits;
          std::memcpy(&bits, at + channel(r), sizeof(bits));
          Keys v = bits;
          if constexpr (!kAreKeys) v = O::keys(bits);
          auto take = v > max[r];
          if constexpr (!kAreKeys) {
            take |= v == O::kNaN;
            value[r] = take ? bits : value[r];
          }
          max[r] = take ? v : max[r];
          place[r] = take ? here : place[r];
        }
      }
      for (int64_t r = 0; r < R; ++r) {
        const int64_t c = channel(r);
        std::memcpy(static_cast<void*>(values + c), kAreKeys ? &max[r] : &value[r], sizeof(Keys));
        std::memcpy(taps + c, &place[r], sizeof(Taps));
      }
    };
    using One = std::integral_constant<int64_t, 1>;
    using Two = std::integral_constant<int64_t, 2>;
    int64_t c = 0;
    for (; c + 2 * kKeyLanes <= n; c += 2 * kKeyLanes)
      run(Two(), [c](int64_t r) { return c + r * kKeyLanes; });
    if (n - c > kKeyLanes) run(Two(), [c, n](int64_t r) { return r == 0 ? c : n - kKeyLanes; });
    else if (n > c) run(One(), [n](int64_t) { return n - kKeyLanes; });
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
