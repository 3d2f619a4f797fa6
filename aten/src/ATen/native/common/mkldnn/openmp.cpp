// The OpenMP runtime functions that oneDNN calls, implemented on our own threads.
//
// oneDNN is compiled for libgomp, whose threads would compete with ours, spin
// while the machine is busy, and leave a forked child hanging. The dynamic
// linker searches the library that was opened first, which contains this file,
// before libgomp.

#include <algorithm>
#include <cstdint>

#include <ATen/Parallel.h>
#include <ATen/ThreadPool.h>

using namespace at::internal;

#define TORCH_EXPORT extern "C" __attribute__((visibility("default")))

TORCH_EXPORT int omp_get_max_threads() { return start_threads(at::get_num_threads()); }
TORCH_EXPORT int omp_get_num_threads() { return team_num_threads(); }
TORCH_EXPORT int omp_get_thread_num() { return team_thread_num(); }
TORCH_EXPORT int omp_in_parallel() { return in_pool_job(); }

TORCH_EXPORT void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads) {
  begin_team(function, data, threads ? static_cast<int>(threads) : at::get_num_threads());
}
TORCH_EXPORT void GOMP_parallel_end() { end_team(); }
TORCH_EXPORT void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned) {
  GOMP_parallel_start(function, data, threads);
  function(data);
  GOMP_parallel_end();
}
TORCH_EXPORT void GOMP_barrier() { team_barrier(); }

// A loop `for (i = start; i != end; i += step)` with schedule(static). Without a chunk each thread
// has one range; with one, thread t has the chunks t, t + threads, t + 2 * threads, ...
namespace {
struct StaticLoop {
  long start, step, chunk;
  long iterations;
  long next;  // the first iteration of this thread's next range
};
thread_local StaticLoop t_loop;
}  // namespace

TORCH_EXPORT bool GOMP_loop_static_next(long* first, long* last) {
  StaticLoop& loop = t_loop;
  if (loop.next >= loop.iterations) return false;
  long end = std::min(loop.next + loop.chunk, loop.iterations);
  *first = loop.start + loop.next * loop.step;
  *last = loop.start + end * loop.step;
  loop.next += loop.chunk * team_num_threads();
  return true;
}

TORCH_EXPORT bool GOMP_loop_static_start(long start, long end, long step, long chunk, long* first,
                                         long* last) {
  long iterations = step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
  iterations = std::max(iterations, 0L);
  if (chunk <= 0) chunk = std::max(1L, (iterations + team_num_threads() - 1) / team_num_threads());
  t_loop = {start, step, chunk, iterations, team_thread_num() * chunk};
  return GOMP_loop_static_next(first, last);
}

TORCH_EXPORT void GOMP_loop_end_nowait() {}
