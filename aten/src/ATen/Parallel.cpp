// Splits ranges into pieces for the threads of the pool, and keeps the number of threads.

#include <ATen/Parallel.h>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>

#include <ATen/ThreadPool.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

namespace at {
namespace {

int available_cores() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max<int>(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

// OMP_NUM_THREADS may be a list with one number per nesting level; the first one counts.
int default_num_threads() {
  int cores = available_cores();
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (!text || !*text) return cores;
  char* end;
  errno = 0;
  long long threads = std::strtoll(text, &end, 10);
  if (end == text || (*end && *end != ',') || threads < 1) {
    TORCH_WARN("OMP_NUM_THREADS=", text, " is ignored: expected a positive number. Using ", cores,
               " threads");
    return cores;
  }
  if (threads > internal::kMaxThreads) {
    TORCH_WARN("OMP_NUM_THREADS=", text, ": using ", internal::kMaxThreads,
               " threads, the largest number supported");
    return internal::kMaxThreads;
  }
  return static_cast<int>(threads);
}

// Threads that did not set a number of their own use the number that was set last.
std::atomic<int>& num_threads() {
#if AT_PARALLEL_NATIVE
  static std::atomic<int> threads{default_num_threads()};
#else  // USE_OPENMP=0: everything runs on the calling thread
  static std::atomic<int> threads{1};
#endif
  return threads;
}
thread_local int t_own_num_threads = 0;

}  // namespace

int get_num_threads() {
  return t_own_num_threads ? t_own_num_threads : num_threads().load(std::memory_order_relaxed);
}
int get_thread_num() { return internal::pool_thread_num(); }
bool in_parallel_region() { return internal::in_pool_job(); }

void set_num_threads(int n) {
  TORCH_CHECK(n > 0, "set_num_threads: expected a positive number of threads, got ", n);
#if AT_PARALLEL_NATIVE
  TORCH_CHECK(n <= internal::kMaxThreads, "set_num_threads: expected at most ",
              internal::kMaxThreads, " threads, got ", n);
  num_threads().store(n, std::memory_order_relaxed);
  t_own_num_threads = n;
#else
  if (n > 1) TORCH_WARN_ONCE("set_num_threads: this library was built without threads");
#endif
}

static int g_interop_threads = 1;
int get_num_interop_threads() { return g_interop_threads; }
void set_num_interop_threads(int n) {
  TORCH_CHECK(n > 0, "set_num_interop_threads: expected a positive number of threads, got ", n);
  g_interop_threads = n;
}

namespace internal {

// Pieces per thread. More pieces balance the load on a busy machine; each costs a call.
constexpr int64_t kPiecesPerThread = 4;

void run_parallel(int64_t begin, int64_t end, int64_t grain,
                  c10::function_ref<void(int64_t, int64_t)> f) {
  int threads = get_num_threads();
  int64_t grains = divup(end - begin, grain);
  if (threads <= 1 || grains <= 1 || in_parallel_region()) {
    f(begin, end);
    return;
  }
  // Piece boundaries depend only on the range and the number of threads, so results are
  // reproducible.
  threads = static_cast<int>(std::min<int64_t>(threads, grains));
  int64_t each = divup(end - begin, std::min(grains, threads * kPiecesPerThread));
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  c10::impl::LocalState state = c10::impl::tls_local_state;
  auto run = [&](int64_t k) {
    int64_t b = begin + k * each;
    c10::impl::LocalState mine = c10::impl::tls_local_state;
    c10::impl::tls_local_state = state;
    try {
      f(b, std::min(end, b + each));
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
    c10::impl::tls_local_state = mine;
  };
  int64_t pieces = divup(end - begin, each);
  // While another thread's job uses the pool, this thread runs its job alone.
  if (!try_run_pieces(pieces, threads, run)) {
    for (int64_t k = 0; k < pieces; ++k) run(k);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace internal
}  // namespace at
