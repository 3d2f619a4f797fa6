// Keeps calls of OpenBLAS on several threads apart from all others. See Note [Threads of OpenBLAS].

#include <pthread.h>

#include <atomic>

#include <ATen/Parallel.h>
#include <ATen/native/common/NativeLibraries.h>

namespace at::native {
namespace {

pthread_rwlock_t g_lock = PTHREAD_RWLOCK_INITIALIZER;
// Set in a child that was forked while a call had several threads.
std::atomic<bool> g_reset{false};
std::atomic<bool> g_several{false};
thread_local bool t_exclusive = false;

void after_fork() {
  g_lock = PTHREAD_RWLOCK_INITIALIZER;
  if (g_several.exchange(false)) g_reset.store(true);
}

void handle_fork() {
  static const int handler = pthread_atfork(nullptr, nullptr, &after_fork);
  static_cast<void>(handler);
  if (C10_UNLIKELY(g_reset.load(std::memory_order_relaxed)) && g_reset.exchange(false))
    blas_library()->set_threads(1);
}

}  // namespace

BlasCall::BlasCall() : locked_(!t_exclusive) {
  if (!locked_) return;
  handle_fork();
  pthread_rwlock_rdlock(&g_lock);
}

BlasCall::~BlasCall() {
  if (locked_) pthread_rwlock_unlock(&g_lock);
}

BlasThreads::BlasThreads(bool large) {
  if (!large || t_exclusive || in_parallel_region() || get_num_threads() == 1) return;
  const BlasLibrary* library = blas_library();
  if (!library) return;
  handle_fork();
  if (pthread_rwlock_trywrlock(&g_lock) != 0) return;
  locked_ = t_exclusive = true;
  g_several.store(true);
  library->set_threads(get_num_threads());
}

bool BlasThreads::taken() { return t_exclusive; }

BlasThreads::~BlasThreads() {
  if (!locked_) return;
  blas_library()->set_threads(1);
  g_several.store(false);
  t_exclusive = false;
  pthread_rwlock_unlock(&g_lock);
}

}  // namespace at::native
