#include <ATen/Parallel.h>

#include <exception>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

namespace at {

#if defined(_OPENMP)
int get_num_threads() { return omp_get_max_threads(); }
int get_thread_num() { return omp_get_thread_num(); }
bool in_parallel_region() { return omp_in_parallel(); }
#else  // USE_OPENMP=0: everything runs on the calling thread
int get_num_threads() { return 1; }
int get_thread_num() { return 0; }
bool in_parallel_region() { return false; }
#endif

void set_num_threads(int n) {
  TORCH_CHECK(n > 0, "set_num_threads: expected a positive number of threads, got ", n);
#if defined(_OPENMP)
  omp_set_num_threads(n);
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

void run_parallel(int64_t begin, int64_t end, int64_t grain,
                  c10::function_ref<void(int64_t, int64_t)> f) {
  int64_t pieces = std::min<int64_t>(get_num_threads(), divup(end - begin, grain));
  if (pieces <= 1 || in_parallel_region()) {
    f(begin, end);
    return;
  }
#if defined(_OPENMP)
  std::exception_ptr error;
  c10::impl::LocalState state = c10::impl::tls_local_state;
#pragma omp parallel num_threads(pieces)
  {
    // A runtime may start fewer threads than it was asked for.
    int64_t each = divup(end - begin, omp_get_num_threads());
    int64_t b = begin + omp_get_thread_num() * each;
    if (b < end) {
      c10::impl::LocalState mine = c10::impl::tls_local_state;
      c10::impl::tls_local_state = state;
      try {
        f(b, std::min(end, b + each));
      } catch (...) {
#pragma omp critical(at_parallel_error)
        if (!error) error = std::current_exception();
      }
      c10::impl::tls_local_state = mine;
    }
  }
  if (error) std::rethrow_exception(error);
#endif
}

}  // namespace internal
}  // namespace at
