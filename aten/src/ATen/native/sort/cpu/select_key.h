#pragma once
// The key of a rank of a line, without its index.

#include <algorithm>
#include <cstdint>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename K>
struct SelectedKey {
  K key;
  int64_t before, equal;  // how many keys are less, and how many are the same
};

// The key of this rank (from 0) among key_at(0) ... key_at(n - 1), of type K. A sample tells two
// bounds that it most likely lies between, so that one pass leaves few keys (Floyd and Rivest 1975,
// "Expected time bounds for selection"). `kept` has room for n keys.
template <typename K, typename KeyAt>
SelectedKey<K> select_key(const KeyAt& key_at, int64_t n, int64_t rank, K* kept) {
  K low = 0, high = static_cast<K>(~K(0));
  if (n > 256) {
    constexpr int64_t kMaxSize = 1024;
    // The bounds are 2.5 standard deviations of the rank of a sample away.
    const int64_t size = n < 4096    ? 64
                         : n < 65536 ? 256
                                     : kMaxSize,
                  reach = n < 4096    ? 10
                          : n < 65536 ? 20
                                      : 40;
    K sample[kMaxSize];
    for (int64_t i = 0; i < size; ++i) sample[i] = key_at((2 * i + 1) * n / (2 * size));
    std::sort(sample, sample + size);
    const int64_t place = rank * size / n;
    if (place >= reach) low = sample[place - reach];
    if (place + reach < size) high = sample[place + reach];
  }
  int64_t held = 0, before = 0;
  const auto keep = [&] {
    const K width = high - low;
    held = before = 0;
    for (int64_t i = 0; i < n; ++i) {
      const K key = key_at(i);
      kept[held] = key;
      held += static_cast<K>(key - low) <= width;
      before += key < low;
    }
  };
  keep();
  if (rank < before || rank >= before + held) {
    low = 0;
    high = static_cast<K>(~K(0));
    keep();
  }
  if (low == high) return {low, before, held};
  std::nth_element(kept, kept + (rank - before), kept + held);
  const K key = kept[rank - before];
  int64_t less = 0, equal = 0;
  for (int64_t i = 0; i < held; ++i) {
    less += kept[i] < key;
    equal += kept[i] == key;
  }
  return {key, before + less, equal};
}

// The index of number `which` (from 0) of the elements with this key, which are more than that.
template <typename K, typename KeyAt>
int64_t index_of_key(const KeyAt& key_at, int64_t n, K key, int64_t which) {
  constexpr int64_t kBlock = 64;
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    K equal = 0;
    for (int64_t k = i; k < i + kBlock; ++k) equal += static_cast<K>(key_at(k) == key);
    if (which < static_cast<int64_t>(equal)) break;
    which -= static_cast<int64_t>(equal);
  }
  for (; i < n - 1; ++i) {
    if (key_at(i) == key && which-- == 0) break;
  }
  return i;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
