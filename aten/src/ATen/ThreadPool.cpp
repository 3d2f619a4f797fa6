// The shared thread pool. See Note [Queues of a job] and Note [Busy machines].

#include <ATen/ThreadPool.h>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include <ATen/SignalMask.h>

namespace at::internal {
namespace {

// Note [Queues of a job]
// ~~~~~~~~~~~~~~~~~~~~~~
// A queue is one word: the number of the job it belongs to, and the range of its pieces that are
// still available. Taking a piece is a compare-and-swap of that word. A thread that is late by a
// whole job finds another number in the queues and takes nothing. So the fields of a job are read
// only by threads that hold a piece of it, and the job cannot end before they are done.

constexpr int kCacheLine = 64;

struct alignas(kCacheLine) Queue {
  std::atomic<uint64_t> word;
};

constexpr uint64_t pack(uint32_t job, uint32_t front, uint32_t back) {
  return uint64_t{job} << 32 | uint64_t{front} << 16 | back;
}
constexpr uint32_t job_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
constexpr uint32_t front_of(uint64_t word) { return word >> 16 & 0xffff; }
constexpr uint32_t back_of(uint64_t word) { return word & 0xffff; }

using PieceFunction = void (*)(void* context, int64_t piece);

struct Pool {
  pthread_mutex_t owner = PTHREAD_MUTEX_INITIALIZER;  // locked by the thread whose job runs
  std::atomic<int> started{0};                        // pool threads, without the callers
  alignas(kCacheLine) std::atomic<uint32_t> job{0};   // number of the job; idle threads sleep on it
  std::atomic<int> sleeping{0};
  std::atomic<int> caller_cpu{-1};
  std::atomic<int> threads{1};
  std::atomic<int64_t> pieces_per_queue{1};
  std::atomic<PieceFunction> function{nullptr};
  std::atomic<void*> context{nullptr};
  alignas(kCacheLine) std::atomic<uint32_t> unfinished{0};  // pieces left; the caller sleeps on it
  std::atomic<bool> caller_sleeps{false};
  alignas(kCacheLine) std::atomic<uint32_t> barrier_round{0};
  std::atomic<int> barrier_arrived{0};
  Queue queues[kMaxThreads];
};

// Never destroyed: threads may look at it while the process exits.
Pool g_pool;

thread_local int t_thread_num = 0;
thread_local bool t_in_job = false;

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Note [Busy machines]
// ~~~~~~~~~~~~~~~~~~~~
// On a quiet machine a spinning thread is ready at once, while waking a sleeping one takes tens of
// microseconds. On a busy machine spinning uses up the processor time that the work itself needs. A
// spinning thread can tell the two apart: when two clock readings are far apart, another process
// ran in between. The lost time is added up, less a tenth of the elapsed time; while the sum is
// large, no thread spins.

constexpr int64_t kSpin = 100'000;  // ns; about the pause between two operators of a training step
constexpr int64_t kSpinWhenBusy = 2'000;
constexpr int64_t kGap =
    50'000;  // a longer gap between two clock readings means that another process ran
constexpr int64_t kBusy = 6'000'000;  // the machine counts as busy once this much time was lost
constexpr int64_t kMaxLost =
    60'000'000;  // upper limit of the sum, so that a quiet machine is noticed soon

std::atomic<int64_t> g_lost{0};
std::atomic<int64_t> g_lost_as_of{0};

int64_t lost_now(int64_t now) {
  return g_lost.load(std::memory_order_relaxed) -
         (now - g_lost_as_of.load(std::memory_order_relaxed)) / 10;
}

void record_lost(int64_t now, int64_t gap) {
  g_lost.store(std::clamp<int64_t>(lost_now(now), 0, kMaxLost) + gap, std::memory_order_relaxed);
  g_lost_as_of.store(now, std::memory_order_relaxed);
}

// Spins until done() or until spinning stops being worthwhile; returns done().
template <typename F>
bool spin_until(const F& done) {
  int64_t last = now_ns();
  int64_t end = last + (lost_now(last) > kBusy ? kSpinWhenBusy : kSpin);
  while (true) {
    for (int k = 0; k < 16; ++k) {
      if (done()) return true;
      pause_briefly();
    }
    int64_t now = now_ns();
    if (now - last > kGap) {
      record_lost(now, now - last);
      return done();
    }
    if (now >= end) return done();
    last = now;
  }
}

int64_t take_front(Queue& queue, uint32_t job) {
  uint64_t word = queue.word.load(std::memory_order_acquire);
  while (job_of(word) == job && front_of(word) < back_of(word)) {
    if (queue.word.compare_exchange_weak(word, pack(job, front_of(word) + 1, back_of(word)),
                                         std::memory_order_acq_rel, std::memory_order_acquire))
      return front_of(word);
  }
  return -1;
}

int64_t take_back(Queue& queue, uint32_t job) {
  uint64_t word = queue.word.load(std::memory_order_acquire);
  while (job_of(word) == job && front_of(word) < back_of(word)) {
    if (queue.word.compare_exchange_weak(word, pack(job, front_of(word), back_of(word) - 1),
                                         std::memory_order_acq_rel, std::memory_order_acquire))
      return back_of(word) - 1;
  }
  return -1;
}

// Note [Leaving the caller's processor]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// The scheduler tends to wake a thread on the processor of the thread that woke it. Where
// every processor is busy, the two would take turns on one of them for the whole job. A pool
// thread that finds itself on the caller's processor therefore moves to the others that it
// may use.

struct Affinity {
  cpu_set_t allowed;  // what this thread may use, as restricted from outside
  cpu_set_t chosen;
  int avoided = -1;

  void avoid(int caller_cpu) {
    if (caller_cpu < 0 || sched_getcpu() != caller_cpu || avoided == caller_cpu) return;
    cpu_set_t now;
    if (sched_getaffinity(0, sizeof(now), &now) != 0) return;
    if (avoided < 0 || !CPU_EQUAL(&now, &chosen)) allowed = now;
    chosen = allowed;
    CPU_CLR(caller_cpu, &chosen);
    if (CPU_COUNT(&chosen) > 0 && sched_setaffinity(0, sizeof(chosen), &chosen) == 0)
      avoided = caller_cpu;
  }
};

void run_piece(int queue, int64_t offset) {
  int64_t per_queue = g_pool.pieces_per_queue.load(std::memory_order_relaxed);
  g_pool.function.load(std::memory_order_relaxed)(g_pool.context.load(std::memory_order_relaxed),
                                                  queue * per_queue + offset);
  if (g_pool.unfinished.fetch_sub(1) == 1 && g_pool.caller_sleeps.load())
    futex_wake(g_pool.unfinished, 1);
}

// Runs pieces of the job as its thread `self` until none is left.
void work(uint32_t job, int self) {
  int threads = g_pool.threads.load(std::memory_order_relaxed);
  if (self < threads) {
    for (int64_t k; (k = take_front(g_pool.queues[self], job)) >= 0;) run_piece(self, k);
  }
  for (int step = 1; step <= threads; ++step) {
    int other = (self + step) % threads;
    for (int64_t k; (k = take_back(g_pool.queues[other], job)) >= 0;) run_piece(other, k);
  }
}

void* thread_main(void* number) {
  int self = static_cast<int>(reinterpret_cast<intptr_t>(number));
  t_thread_num = self;
  t_in_job = true;
  Affinity affinity;
  uint32_t seen = g_pool.job.load(std::memory_order_acquire);
  // The job that this thread was started for may have been published already.
  work(seen, self);
  while (true) {
    auto is_new = [&] { return g_pool.job.load(std::memory_order_acquire) != seen; };
    if (!spin_until(is_new)) {
      g_pool.sleeping.fetch_add(1);
      while (g_pool.job.load() == seen) futex_wait(g_pool.job, seen);
      g_pool.sleeping.fetch_sub(1);
    }
    seen = g_pool.job.load(std::memory_order_acquire);
    affinity.avoid(g_pool.caller_cpu.load(std::memory_order_relaxed));
    work(seen, self);
  }
}

// After a fork only the forking thread exists in the child. The pieces left of the parent's job do
// not belong to the child: its first new thread would take them, count them as pieces of the
// child's first job, and leave its caller waiting forever.
void forget_threads() {
  Pool& pool = g_pool;
  for (int t = 0; t < pool.threads.load(); ++t) pool.queues[t].word.store(0);
  pthread_mutex_init(&pool.owner, nullptr);
  pool.started.store(0);
  pool.sleeping.store(0);
  pool.unfinished.store(0);
  pool.barrier_arrived.store(0);
  t_in_job = false;
  t_thread_num = 0;
}

// Before the first job, because a fork may happen while another thread starts it.
[[maybe_unused]] const int g_fork_handler = pthread_atfork(nullptr, nullptr, &forget_threads);

bool start_thread(int number) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Signal handlers run on the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int failed = pthread_create(&thread, &attributes, &thread_main,
                              reinterpret_cast<void*>(static_cast<intptr_t>(number)));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed) return false;
  pthread_setname_np(thread, "torch-pool");
  return true;
}

// Requires that `owner` is held.
int start_threads_locked(int requested) {
  requested = std::min(requested, kMaxThreads);
  int started = g_pool.started.load(std::memory_order_relaxed);
  while (started + 1 < requested && start_thread(started + 1)) ++started;
  g_pool.started.store(started, std::memory_order_relaxed);
  return std::min(started + 1, requested);
}

// Requires that `owner` is held. Thread 0's queue gets `own` pieces, the others share the rest.
void publish(int64_t count, int64_t per_queue, int threads, bool own, PieceFunction function,
             void* context) {
  Pool& pool = g_pool;
  uint32_t job = pool.job.load(std::memory_order_relaxed) + 1;
  pool.caller_cpu.store(sched_getcpu(), std::memory_order_relaxed);
  pool.threads.store(threads, std::memory_order_relaxed);
  pool.pieces_per_queue.store(per_queue, std::memory_order_relaxed);
  pool.function.store(function, std::memory_order_relaxed);
  pool.context.store(context, std::memory_order_relaxed);
  pool.unfinished.store(static_cast<uint32_t>(own ? count : count - per_queue),
                        std::memory_order_relaxed);
  pool.caller_sleeps.store(false, std::memory_order_relaxed);
  for (int t = 0; t < threads; ++t) {
    int64_t pieces = std::clamp<int64_t>(count - t * per_queue, 0, per_queue);
    uint32_t front = t == 0 && !own ? static_cast<uint32_t>(pieces) : 0;
    pool.queues[t].word.store(pack(job, front, static_cast<uint32_t>(pieces)),
                              std::memory_order_release);
  }
  pool.job.store(job);
  if (pool.sleeping.load() > 0) futex_wake(pool.job, threads - 1);
}

void wait_for_pieces() {
  Pool& pool = g_pool;
  auto done = [&] { return pool.unfinished.load(std::memory_order_acquire) == 0; };
  if (done() || spin_until(done)) return;
  pool.caller_sleeps.store(true);
  for (uint32_t left; (left = pool.unfinished.load()) != 0;) futex_wait(pool.unfinished, left);
}

}  // namespace

int pool_thread_num() { return t_thread_num; }
bool in_pool_job() { return t_in_job; }

int start_threads(int requested) {
  if (requested <= g_pool.started.load(std::memory_order_relaxed) + 1) return requested;
  if (t_in_job) return std::min(requested, g_pool.started.load() + 1);
  pthread_mutex_lock(&g_pool.owner);
  int there = start_threads_locked(requested);
  pthread_mutex_unlock(&g_pool.owner);
  return there;
}

bool try_run_pieces(int64_t count, int threads, c10::function_ref<void(int64_t)> piece) {
  if (t_in_job || pthread_mutex_trylock(&g_pool.owner) != 0) return false;
  threads = start_threads_locked(threads);
  int64_t per_queue = (count + threads - 1) / threads;
  publish(count, per_queue, threads, true, [](void* context, int64_t k) {
    (*static_cast<c10::function_ref<void(int64_t)>*>(context))(k);
  }, &piece);
  t_in_job = true;
  work(g_pool.job.load(std::memory_order_relaxed), 0);
  t_in_job = false;
  wait_for_pieces();
  pthread_mutex_unlock(&g_pool.owner);
  return true;
}

// Note [Teams]
// ~~~~~~~~~~~~
// The pieces of a team are the runs of one function as thread 0, 1, ... of the team. They may wait
// for each other, so each needs a thread. A thread that is done may still take the place of one
// that has not begun: its own run passed all barriers without the other, so the other's run has no
// barrier left to wait at.

struct Team {
  void (*function)(void*);
  void* data;
};

static Team g_team;  // belongs to the thread that holds `owner`
static thread_local int t_nested_teams = 0;

static void run_as_team_thread(void* context, int64_t number) {
  auto* team = static_cast<Team*>(context);
  int own = t_thread_num;
  t_thread_num = static_cast<int>(number);
  SignalMask mask;  // Note [oneDNN and signals]
  team->function(team->data);
  t_thread_num = own;
}

// The caller owns the pool.
static void begin_team_locked(void (*function)(void*), void* data, int threads) {
  g_team = {function, data};
  g_pool.barrier_arrived.store(0, std::memory_order_relaxed);
  publish(threads, 1, threads, false, &run_as_team_thread, &g_team);
  t_in_job = true;
}

bool try_begin_team(void (*function)(void*), void* data, int threads) {
  if (t_in_job || pthread_mutex_trylock(&g_pool.owner) != 0) return false;
  if (start_threads_locked(threads) < threads) {
    pthread_mutex_unlock(&g_pool.owner);
    return false;
  }
  begin_team_locked(function, data, threads);
  return true;
}

void begin_team(void (*function)(void*), void* data, int threads) {
  // A team inside a job has one thread, the caller.
  if (t_in_job) {
    ++t_nested_teams;
    return;
  }
  pthread_mutex_lock(&g_pool.owner);
  begin_team_locked(function, data, start_threads_locked(threads));
}

void end_team() {
  if (t_nested_teams > 0) {
    --t_nested_teams;
    return;
  }
  work(g_pool.job.load(std::memory_order_relaxed), 0);
  t_in_job = false;
  wait_for_pieces();
  pthread_mutex_unlock(&g_pool.owner);
}

int team_thread_num() { return t_nested_teams > 0 ? 0 : t_thread_num; }
int team_num_threads() {
  return t_in_job && t_nested_teams == 0 ? g_pool.threads.load(std::memory_order_relaxed) : 1;
}

void team_barrier() {
  int threads = team_num_threads();
  if (threads == 1) return;
  uint32_t round = g_pool.barrier_round.load();
  if (g_pool.barrier_arrived.fetch_add(1) + 1 == threads) {
    g_pool.barrier_arrived.store(0);
    g_pool.barrier_round.store(round + 1);
    futex_wake(g_pool.barrier_round, threads);
    return;
  }
  if (spin_until([&] { return g_pool.barrier_round.load() != round; })) return;
  while (g_pool.barrier_round.load() == round) futex_wait(g_pool.barrier_round, round);
}

}  // namespace at::internal
