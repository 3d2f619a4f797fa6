// Threads, errors and the life of a group. The collectives are in gloo_collectives.cpp.

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.h>

#include <c10/core/GradMode.h>
#include <gloo/allgather.h>
#include <gloo/barrier.h>
#include <pthread.h>
#include <torch/csrc/distributed/c10d/failure_notes.h>
#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {
namespace {

// How much longer than rank 0 the others wait for what it says about a monitored barrier.
constexpr Milliseconds kVerdictTime(1500);

std::string lost_store(const c10::Error& e) {
  return format("; {}: it has ended, or this process is cut off from the others",
                e.what_without_backtrace());
}

}  // namespace

ProcessGroupGloo::ProcessGroupGloo(const std::shared_ptr<Store>& store, int rank, int size,
                                   Options options)
    : Backend(rank, size), options_(std::move(options)), store_(store) {
  TORCH_CHECK_VALUE(store_, "ProcessGroupGloo: expected a store, got None");
  TORCH_CHECK_VALUE(size >= 1 && rank >= 0 && rank < size, "ProcessGroupGloo: rank ", rank,
                    " is not in a group of ", size);
  TORCH_CHECK_VALUE(options_.timeout.count() > 0,
                    "ProcessGroupGloo: expected a timeout above 0, got ", options_.timeout.count(),
                    " ms");
  if (!options_.device) options_.device = default_gloo_device(*store_);
  context_ = std::make_shared<GlooContext>(rank, size);
  context_->connect(*store_, options_.device, options_.timeout);
  wait_for_all();
}

// Until every rank has all of its connections: Gloo ends the process when a connection is closed
// while it is made, as by a rank that makes a group and destroys it at once.
void ProcessGroupGloo::wait_for_all() {
  Call call{"joining the group", 0, ~uint32_t{0}, options_.timeout};
  gloo::BarrierOptions o(context_);
  o.setTag(call.tag);
  o.setTimeout(call.timeout);
  InterruptGuard guard([this] { abort(); });
  try {
    gloo::barrier(o);
  } catch (const gloo::Exception& e) {
    check_interrupts();
    explain(call, e);
  }
}

ProcessGroupGloo::~ProcessGroupGloo() {
  // Of a group that was not destroyed, at the end of the program: collectives that the other ranks
  // have begun end soon; one that they have not would keep the program.
  constexpr Milliseconds kLastCollectives(1000);
  stop_threads(Clock::now() + kLastCollectives);
}

// Ends the threads when the queue is empty.
void ProcessGroupGloo::stop_threads(Clock::time_point deadline) {
  std::vector<std::thread> threads;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
    changed_.notify_all();
    auto is_idle = [&] { return queue_.empty() && running_ == 0; };
    if (deadline != Clock::time_point::max() && !changed_.wait_until(lock, deadline, is_idle)) {
      lock.unlock();
      abort();  // which also ends those in the queue, one after the other
    }
  }
  for (auto& thread : threads) thread.join();
}

void ProcessGroupGloo::abort() {
  aborted_ = true;
  context_->abort();
}

void ProcessGroupGloo::shutdown() {
  {
    InterruptGuard guard([this] { abort(); });
    stop_threads(Clock::time_point::max());
  }
  // A rank that is ahead must not take the end of this one for a failure: messages on their way are
  // delivered before the connection closes.
  context_->closeConnections();
}

WorkPtr ProcessGroupGloo::submit(const char* name, const at::Tensor& example, Tensors result,
                                 const CollectiveOptions& options, Body body, uint64_t kind) {
  Job job;
  // The description is for errors; other ranks compare theirs with it.
  job.call.description = example.defined()
                             ? format("{} of {} elements, shape {}, {}", name, example.numel(),
                                      format("[{}]", join(example.sizes(), ", ")),
                                      c10::toString(example.scalar_type()))
                             : name;
  job.call.number = sequence_++;
  if (kind == 0 && example.defined()) kind = example.nbytes();
  job.call.tag = tag_of(job.call.number, name, kind);
  job.call.timeout = options.timeout.value_or(options_.timeout);
  job.run = std::move(body);
  job.work = std::make_shared<Work>();
  job.work->result = std::move(result);
  if (!options.async_op) return run_now(std::move(job));
  WorkPtr work = job.work;
  std::lock_guard<std::mutex> lock(mutex_);
  TORCH_CHECK(!stopping_, "ProcessGroupGloo: the group was destroyed");
  queue_.push_back(std::move(job));
  if (static_cast<int>(threads_.size()) < options_.threads)
    threads_.emplace_back([this] { serve(); });
  changed_.notify_one();
  return work;
}

WorkPtr ProcessGroupGloo::run_now(Job job) {
  InterruptGuard guard([this] { abort(); });
  run(job);
  return job.work;
}

void ProcessGroupGloo::run(Job& job) {
  c10::NoGradGuard no_grad;
  std::exception_ptr error;
  ++begun_;
  try {
    try {
      if (options_.compare) compare(job.call);
      job.run(job.call);
    } catch (const gloo::Exception& e) {
      check_interrupts();
      explain(job.call, e);
    }
  } catch (...) {
    error = std::current_exception();
  }
  ++ended_;
  job.run = nullptr;  // gives the tensors free before those that wait go on
  job.work->finish(std::move(error));
}

// Every rank learns what all others are about to do. The message has one size for all collectives.
void ProcessGroupGloo::compare(const Call& call) {
  constexpr size_t kSize = 256;
  std::string own = call.description, all(kSize * static_cast<size_t>(size_), '\0');
  own.resize(kSize);
  gloo::AllgatherOptions o(context_);
  // Tags of collectives lack the highest bit: these have it, and nothing of the collective.
  o.setTag(call.number | 0x80000000u);
  o.setTimeout(call.timeout);
  o.setInput(own.data(), own.size());
  o.setOutput(all.data(), all.size());
  gloo::allgather(o);
  std::string differing;
  for (size_t i = 0; i < static_cast<size_t>(size_); ++i) {
    std::string other = all.substr(i * kSize, kSize);
    if (other != own) differing += format("; rank {} is in {}", i, other.c_str());
  }
  if (!differing.empty()) {
    throw DistBackendError(format("ProcessGroupGloo: rank {} is in {} (call {}){}", rank_,
                                  call.description, call.number, differing));
  }
}

void ProcessGroupGloo::serve() {
  ::pthread_setname_np(::pthread_self(), "pg_gloo");
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    {
      Job job = std::move(queue_.front());
      queue_.pop_front();
      ++running_;
      lock.unlock();
      run(job);
    }
    lock.lock();
    --running_;
    if (stopping_) changed_.notify_all();
  }
}

// What the notes of others say of a call that a broken connection or the watch has ended.
std::string ProcessGroupGloo::blame(const std::string& own) {
  // A rank that ran out of time closes its connections just before it leaves its note.
  constexpr Milliseconds kNoteTime(200);
  ShortReplies short_replies(*store_);
  const auto deadline = Clock::now() + (others_failed_ ? Milliseconds(0) : kNoteTime);
  std::vector<int> peers;
  if (others_failed_) {  // and the watch closes all connections
    for (int i = 0; i < size_; ++i) {
      if (i != rank_) peers.push_back(i);
    }
  } else {
    peers = context_->broken_peers();
  }
  std::string ended, failed;
  for (int i : peers) {
    std::string note = read_note(*store_, i, deadline);
    if (!note.empty()) {
      failed += format("; rank {} failed in {}", i, note);
    } else if (!others_failed_) {
      ended += format(
          "; the connection to rank {} is broken: its process has ended or is not reachable", i);
    }
  }
  try {
    leave_note(*store_, rank_, own + ended);
    if (!ended.empty()) {
      tell_cause(*store_, ended);
    } else if (!failed.empty()) {
      std::string cause = read_cause(*store_);
      if (failed.find(cause) == std::string::npos) failed += cause;
    }
  } catch (const c10::Error& e) {
    failed += lost_store(e);
  }
  return ended + failed;
}

// Each rank that fails leaves a note in the store, with the collective it was in and the ranks it
// blames, and reads those of the others. Blamed are ranks whose connection broke, or, after a
// timeout, ranks that left no note or were in another collective.
void ProcessGroupGloo::explain(const Call& call, const std::exception& error) {
  std::string text = error.what();
  // "[folder/pair.cc:534] Connection closed by peer": the place in Gloo's sources helps nobody.
  if (text.rfind('[', 0) == 0 && text.find("] ") != std::string::npos)
    text = text.substr(text.find("] ") + 2);
  bool timed_out =
      text.find("imed out") != std::string::npos || text.find("imeout") != std::string::npos;
  std::string own = format("{} (call {})", call.description, call.number);
  if (aborted_) {
    throw DistBackendError(format("ProcessGroupGloo: rank {} of {} aborted {}", rank_, size_, own));
  }
  std::string reason;
  if (timed_out && !others_failed_) {
    try {
      reason = compare_failures(*store_, rank_, size_, own, call.timeout);
    } catch (const c10::Error& e) {
      reason = lost_store(e);
    }
  } else {
    reason = blame(own);
  }
  throw DistBackendError(format("ProcessGroupGloo: rank {} of {} failed in {}, timeout {} ms: {}{}",
                                rank_, size_, own, call.timeout.count(), text, reason));
}

void ProcessGroupGloo::check_rank(const char* name, const char* argument, int64_t rank) const {
  TORCH_CHECK(rank >= 0 && rank < size_, name, "(): expected ", argument,
              " to be a rank of the group, from 0 to ", size_ - 1, ", got ", rank);
}

void ProcessGroupGloo::monitored_barrier(OptionalTimeout timeout, bool wait_all_ranks) {
  // Through the store and not through Gloo: after a timeout Gloo closes all connections.
  auto limit = timeout.value_or(options_.timeout);
  auto deadline = Clock::now() + limit;
  std::string prefix = format("monitored_barrier/{}/", barriers_++);
  std::string verdict = prefix + "verdict";
  if (rank_ != 0) {
    store_->set(prefix + std::to_string(rank_), "1");
    // Rank 0 decides at its own deadline, which may be later than ours.
    try {
      store_->wait({verdict}, limit + kVerdictTime);
    } catch (const DistStoreError&) {
      throw DistBackendError(
          format("monitored_barrier(): rank {} heard nothing from rank 0 for {} ms", rank_,
                 limit.count()));
    }
    std::string text = store_->get(verdict);
    if (text != "passed") throw DistBackendError("monitored_barrier(): " + text);
    return;
  }
  std::vector<int> missing;
  for (int i = 1; i < size_; ++i) {
    try {
      store_->wait({prefix + std::to_string(i)}, left_until(deadline));
    } catch (const DistStoreError&) {
      missing.push_back(i);
      if (!wait_all_ranks) break;
    }
  }
  std::string text =
      missing.empty() ? "passed"
                      : format("rank{} {} did not come within {} ms", missing.size() > 1 ? "s" : "",
                               join(missing, ", "), limit.count());
  store_->set(verdict, text);
  if (!missing.empty()) throw DistBackendError("monitored_barrier(): " + text);
}

}  // namespace c10d
