#pragma once
// parallel_for: splits a range over the threads of the shared pool (ThreadPool.h).
//
//   parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) { ... });
//
// Runs on the calling thread when the range holds no more than one grain, or inside another
// parallel_for. An exception in a piece is rethrown to the caller.

#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace at {

// Work on fewer elements than this costs less than waking a thread.
constexpr int64_t kGrainSize = 32768;

int get_num_threads();
void set_num_threads(int n);
int get_num_interop_threads();
void set_num_interop_threads(int n);
int get_thread_num();
bool in_parallel_region();

namespace internal {
constexpr int64_t GRAIN_SIZE = kGrainSize;
void run_parallel(int64_t begin, int64_t end, int64_t grain,
                  c10::function_ref<void(int64_t, int64_t)> f);
}  // namespace internal

// For x >= 0 and y > 0, as large as they may be.
inline int64_t divup(int64_t x, int64_t y) { return x / y + (x % y != 0); }

template <typename F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  if (begin >= end) return;
  if (end - begin <= grain) {
    f(begin, end);
  } else {
    internal::run_parallel(begin, end, grain > 1 ? grain : 1, f);
  }
}

// Combines the results of f(begin, end, identity) with `combine`, in the order of the pieces.
template <typename T, typename F, typename C>
T parallel_reduce(int64_t begin, int64_t end, int64_t grain, T identity, const F& f,
                  const C& combine) {
  if (begin >= end) return identity;
  if (grain < 1) grain = 1;
  if (end - begin <= grain || in_parallel_region() || get_num_threads() == 1)
    return f(begin, end, identity);
  constexpr int64_t kMaxPieces = 64;
  int64_t pieces = divup(end - begin, grain);
  if (pieces > get_num_threads()) pieces = get_num_threads();
  if (pieces > kMaxPieces) pieces = kMaxPieces;
  int64_t each = divup(end - begin, pieces);
  T partial[kMaxPieces];
  for (T& p : partial) p = identity;
  parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      int64_t b = begin + k * each;
      if (b < end) partial[k] = f(b, end - b < each ? end : b + each, identity);
    }
  });
  T result = partial[0];
  for (int64_t k = 1; k < pieces; ++k) result = combine(result, partial[k]);
  return result;
}

}  // namespace at
