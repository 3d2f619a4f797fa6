#pragma once
// The units of work of attention without the matrix of scores: chunks of queries of one head, which
// share the packing of a block of keys.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/attention/attention.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int64_t kChunk = 128;  // queries

template <typename T>
T* at_head(const HeadsView& v, int64_t batch, int64_t head) {
  return static_cast<T*>(v.data) + batch * v.batch + head * v.head;
}

// Calls make() once for each range of units, and what it returns with each unit's batch, head and
// first and last query. `grain`: the products of numbers that are worth a range.
template <typename Make>
void for_each_chunk(const FlashArgs& a, int64_t grain, const Make& make) {
  const int64_t chunks = divup(a.queries, kChunk);
  const int64_t work = std::min(kChunk, a.queries) * std::max<int64_t>(1, a.keys * a.width);
  parallel_for(0, a.batch * a.heads * chunks, std::max<int64_t>(1, grain / work),
               [&](int64_t begin, int64_t end) {
    auto&& run = make();
    for (int64_t u = begin; u < end; ++u) {
      const int64_t head = u / chunks, c = u % chunks;
      // First, last, second, last but one: with is_causal late chunks are more work, and threads
      // take consecutive units.
      const int64_t chunk = c % 2 == 0 ? c / 2 : chunks - 1 - c / 2;
      run(head / a.heads, head % a.heads, chunk * kChunk,
          std::min(a.queries, (chunk + 1) * kChunk));
    }
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
