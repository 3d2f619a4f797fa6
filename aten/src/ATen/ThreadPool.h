#pragma once
// The threads that parallel_for and oneDNN share.
//
// A job has one queue of pieces per thread. A thread works through its own queue from the front, so
// that it reuses the data that it touched in the last job; then it takes pieces from the back of
// the other queues. A thread that the scheduler delays before it starts therefore holds up nobody:
// the caller does its share.
//
// The pool runs one job at a time. It survives fork (the child starts its own threads), and its
// threads handle no signals.

#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace at::internal {

// The maximum number of threads of a job, including the calling one.
constexpr int kMaxThreads = 512;

// Starts threads as needed and returns how many are available, at most `requested`.
int start_threads(int requested);

// The calling thread's number within the running job, 0 for the thread that started the job.
int pool_thread_num();
// Whether the calling thread is running a piece of a job.
bool in_pool_job();

// Calls `piece(i)` for every i in [0, count), in queues of count / threads pieces. Returns false
// without doing anything if another thread's job occupies the pool. `piece` must not throw.
bool try_run_pieces(int64_t count, int threads, c10::function_ref<void(int64_t)> piece);

// The two halves of an OpenMP parallel region: `begin_team` hands function(data) to `threads` - 1
// other threads, each of which runs it once; the caller runs it too, then calls `end_team`, which
// returns when all are done. Waits until the pool is free. Pieces may wait for each other at
// `team_barrier`.
void begin_team(void (*function)(void*), void* data, int threads);
void end_team();
// The same as begin_team, but returns false without doing anything if the pool is not free, or has
// fewer threads than `threads`.
bool try_begin_team(void (*function)(void*), void* data, int threads);
// The calling thread's number and the size of its team; a team inside a job has one thread.
int team_thread_num();
int team_num_threads();
void team_barrier();

}  // namespace at::internal
