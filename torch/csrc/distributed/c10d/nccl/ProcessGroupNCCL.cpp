// A group of ranks by NCCL: its communicators, and what looks after the calls under way.

#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/nccl/NcclWork.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <pthread.h>
#include <torch/csrc/distributed/c10d/failure_notes.h>
#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {
namespace {

// How often the thread of a group looks at what is under way, and when somebody waits for a future.
constexpr Milliseconds kLook(100), kQuickLook(1);

}  // namespace

namespace nccl {

void check(Result result, Comm comm, const char* call) {
  if (result == kSuccess || result == kInProgress) return;
  const Functions& f = functions();
  throw DistBackendError(
      format("NCCL error in {}: {}, {}", call, f.error_string(result), f.last_error(comm)));
}

}  // namespace nccl

// --- a call under way --------------------------------------------------------------------------

NcclWork::NcclWork(ProcessGroupNCCL& group, std::string description, Milliseconds timeout,
                   c10::cuda::CUDAStream stream, nccl::Comm comm)
    : group_(group.weak_from_this()),
      comm_(comm),
      blocks_host_(group.options().blocking_wait),
      device_(stream.device()),
      description_(std::move(description)),
      timeout_(timeout),
      deadline_(Clock::now() + timeout) {
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&ended_on_device_, cudaEventDisableTiming));
}

NcclWork::~NcclWork() { C10_CUDA_IGNORE(cudaEventDestroy(ended_on_device_)); }

void NcclWork::record(c10::cuda::CUDAStream stream) {
  C10_CUDA_CHECK(cudaEventRecord(ended_on_device_, stream));
}

bool NcclWork::has_ended_on_device() {
  c10::cuda::CUDAGuard guard(device_);
  cudaError_t state = cudaEventQuery(ended_on_device_);
  if (state == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  C10_CUDA_CHECK(state);
  return true;
}

bool NcclWork::is_completed() {
  if (Work::is_completed()) return true;
  if (!has_ended_on_device() || failed_on_device() != nccl::kSuccess) return false;
  finish();
  return true;
}

nccl::Result NcclWork::failed_on_device() const {
  nccl::Result result = nccl::kSuccess;
  if (nccl::functions().async_error(comm_, &result) != nccl::kSuccess) return nccl::kInternalError;
  return result == nccl::kInProgress ? nccl::kSuccess : result;
}

bool NcclWork::wait(Milliseconds timeout) {
  if (auto error = exception()) std::rethrow_exception(error);
  bool waits_on_host = blocks_host_ || timeout.count() > 0;
  auto limit = timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max();
  auto next_check = Clock::now() + kInterruptInterval;
  while (waits_on_host && !is_completed()) {
    auto now = Clock::now();
    if (now >= limit)
      throw DistBackendError(
          format("Work.wait(): {} has not ended after {} ms", description_, timeout.count()));
    if (now >= next_check) {
      check_interrupts();
      next_check = now + kInterruptInterval;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  if (auto error = exception()) std::rethrow_exception(error);
  c10::cuda::CUDAGuard guard(device_);
  C10_CUDA_CHECK(cudaStreamWaitEvent(c10::cuda::getCurrentCUDAStream(), ended_on_device_, 0));
  // What frees the tensors now is behind the collective on this stream.
  release();
  return true;
}

void NcclWork::abort() {
  if (auto group = group_.lock()) group->abort();
}

void NcclWork::release() {
  std::lock_guard<std::mutex> lock(mutex_);
  used.clear();
}

bool NcclWork::has_callbacks() {
  std::lock_guard<std::mutex> lock(mutex_);
  return !callbacks_.empty();
}

// --- the group ---------------------------------------------------------------------------------

ProcessGroupNCCL::ProcessGroupNCCL(std::shared_ptr<Store> store, int rank, int size,
                                   Options options)
    : Backend(rank, size), store_(std::move(store)), options_(options) {
  TORCH_CHECK_VALUE(rank >= 0 && rank < size, "ProcessGroupNCCL: expected a rank from 0 to ",
                    size - 1, ", got ", rank);
  TORCH_CHECK(c10::cuda::device_count() > 0,
              "ProcessGroupNCCL: NCCL works on tensors on GPUs, and no GPU was found");
  nccl::functions();
}

ProcessGroupNCCL::~ProcessGroupNCCL() {
  stop_thread();
  for (nccl::Comm comm : communicators()) nccl::functions().abort(comm);
}

std::vector<nccl::Comm> ProcessGroupNCCL::communicators() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<nccl::Comm> all;
  for (auto& [where, channel] : channels_) all.push_back(channel.comm);
  return all;
}

void ProcessGroupNCCL::check_rank(const char* name, const char* argument, int64_t rank) const {
  TORCH_CHECK(rank >= 0 && rank < size_, name, "(): expected ", argument,
              " to be a rank of the group, from 0 to ", size_ - 1, ", got ", rank);
}

void ProcessGroupNCCL::check_usable() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  TORCH_CHECK(!stopping_, "ProcessGroupNCCL: the group was shut down");
}

// Returns when all ranks are about to connect: NCCL itself would wait for ever for those that do
// not come. One key per rank says who came, one counts them, and the last rank sets one for all.
void ProcessGroupNCCL::meet(const std::string& key, int rank, int size, bool is_pair) {
  auto here = [&](int i) { return format("{}/here/{}", key, i); };
  store_->set(here(rank), "1");
  if (store_->add(key + "/count", 1) == size) store_->set(key + "/all", "1");
  try {
    store_->wait({key + "/all"}, options_.timeout);
  } catch (const DistStoreError&) {
    std::vector<int> missing;
    for (int i = 0; i < size; ++i) {
      if (!store_->check({here(i)})) missing.push_back(i);
    }
    std::string what = is_pair ? format("first message of the pair {}", key) : "first collective";
    throw DistBackendError(
        format("ProcessGroupNCCL: rank {} of {} waited {} ms for the others to begin their {}; "
               "missing ranks [{}]",
               rank_, size_, options_.timeout.count(), what, join(missing, ", ")));
  }
}

ProcessGroupNCCL::Channel& ProcessGroupNCCL::connect(std::pair<int, int> where,
                                                     const std::string& key, int rank, int size,
                                                     int peer_rank) {
  check_usable();
  const nccl::Functions& f = nccl::functions();
  nccl::UniqueId id;
  if (rank == 0) {
    nccl::check(f.unique_id(&id), nullptr, "ncclGetUniqueId");
    store_->set(key, std::string(id.bytes, sizeof id.bytes));
  }
  meet(key, rank, size, peer_rank >= 0);
  std::string text = store_->get(key);
  TORCH_CHECK(text.size() == sizeof id.bytes, "ProcessGroupNCCL: the store has another value at ",
              key);
  std::copy(text.begin(), text.end(), id.bytes);
  nccl::Comm comm = nullptr;
  nccl::check(f.init_rank(&comm, size, id, rank), nullptr, "ncclCommInitRank");
  if (f.set_timeout) f.set_timeout(comm, options_.timeout);
  auto stream = c10::cuda::getStreamFromPool(options_.is_high_priority_stream,
                                             static_cast<c10::DeviceIndex>(where.first));
  std::lock_guard<std::mutex> lock(mutex_);
  return channels_.emplace(where, Channel{comm, stream, peer_rank}).first->second;
}

ProcessGroupNCCL::Channel& ProcessGroupNCCL::channel(c10::Device device) {
  std::pair<int, int> where{device.index(), -1};
  if (auto found = channels_.find(where); found != channels_.end()) return found->second;
  // Ranks count their communicators: a program may use several devices in one process.
  return connect(where, format("nccl/{}", channels_.size()), rank_, size_, -1);
}

ProcessGroupNCCL::Channel& ProcessGroupNCCL::channel_to(c10::Device device, int peer) {
  std::pair<int, int> where{device.index(), peer};
  if (auto found = channels_.find(where); found != channels_.end()) return found->second;
  bool is_first = rank_ < peer;
  return connect(where, format("nccl/{}:{}", std::min(rank_, peer), std::max(rank_, peer)),
                 is_first ? 0 : 1, 2, is_first ? 1 : 0);
}

WorkPtr ProcessGroupNCCL::submit(const char* name, Channel& on, const Tensors& used, Tensors result,
                                 const CollectiveOptions& options,
                                 const std::function<void()>& prepare, const Begin& begin,
                                 const End& end) {
  check_usable();
  c10::NoGradGuard no_grad;
  c10::cuda::CUDAGuard guard(on.stream.device());
  auto current = c10::cuda::getCurrentCUDAStream();
  int64_t number = sequence_++;
  std::string description = format("{} (call {})", name, number);
  if (!used.empty() && used[0].defined())
    description = format("{} of {} elements, {} (call {})", name, used[0].numel(),
                         c10::toString(used[0].scalar_type()), number);
  auto work =
      std::make_shared<NcclWork>(*this, std::move(description),
                                 options.timeout.value_or(options_.timeout), on.stream, on.comm);
  work->used = used;
  work->result = std::move(result);
  // The stream begins when what the caller has queued is done.
  work->record(current);
  C10_CUDA_CHECK(cudaStreamWaitEvent(on.stream, work->event(), 0));
  {
    c10::cuda::CUDAStreamGuard on_stream(on.stream);
    if (prepare) prepare();
    nccl::check(begin(on), on.comm, name);
    if (end) end();
  }
  work->record(on.stream);
  // In the capture of a graph nothing has begun, and no event may be asked.
  if (c10::cuda::is_capturing(on.stream)) return work;
  std::lock_guard<std::mutex> lock(mutex_);
  under_way_.push_back(work);
  if (!thread_.joinable()) thread_ = std::thread([this] { look_after(); });
  changed_.notify_all();
  return work;
}

void ProcessGroupNCCL::start_coalescing() {
  TORCH_CHECK(!coalescing_, "ProcessGroupNCCL: messages are collected already");
  check_usable();
  coalescing_ = true;
}

WorkPtr ProcessGroupNCCL::end_coalescing() {
  TORCH_CHECK(coalescing_, "ProcessGroupNCCL: no messages are collected");
  coalescing_ = false;
  auto messages = std::exchange(messages_, {});
  if (messages.empty()) return nullptr;
  Tensors used;
  for (const auto& m : messages) {
    TORCH_CHECK(m.tensor.device() == messages[0].tensor.device(),
                "batch_isend_irecv(): expected all tensors on ", messages[0].tensor.device(),
                ", got one on ", m.tensor.device());
    used.push_back(m.tensor);
  }
  const nccl::Functions& f = nccl::functions();
  return submit("batch_isend_irecv", channel(used[0].device()), used, used, CollectiveOptions(),
                nullptr, [&](const Channel& on) {
    nccl::check(f.group_start(), on.comm, "ncclGroupStart");
    nccl::Result result = nccl::kSuccess;
    for (const auto& m : messages) {
      if (result == nccl::kSuccess) result = m.begin(on);
    }
    nccl::Result ended = f.group_end();
    return result == nccl::kSuccess ? ended : result;
  }, [&] {
    for (const auto& m : messages) {
      if (m.end) m.end();
    }
  });
}

// --- what looks after the calls ----------------------------------------------------------------

void ProcessGroupNCCL::fail(NcclWork& work, std::string reason) {
  if (size_ > 1) {
    try {
      reason += compare_failures(*store_, rank_, size_, work.description(), work.timeout());
    } catch (const c10::Error& e) {
      reason += format("; {}", e.what_without_backtrace());
    }
  }
  auto error = std::make_exception_ptr(DistBackendError(reason));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    error_ = error;
  }
  for (nccl::Comm comm : communicators()) nccl::functions().abort(comm);
  if (!work.blocks_host()) {
    // Kernels behind the collective compute with what it has left: the program must not go on.
    std::fprintf(stderr,
                 "%s\nThe process ends, as later results on the GPU would be undefined. With "
                 "TORCH_NCCL_BLOCKING_WAIT=1, Work.wait() raises this error instead.\n",
                 reason.c_str());
    std::fflush(stderr);
    std::abort();
  }
  std::deque<std::shared_ptr<NcclWork>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all.swap(under_way_);
  }
  for (auto& w : all) w->finish(error);
}

void ProcessGroupNCCL::look_after() {
  pthread_setname_np(pthread_self(), "nccl_watch");
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  bool is_urgent = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (under_way_.empty()) {
      if (stopping_) return;
      changed_.wait(lock);
      continue;
    }
    auto all = under_way_;
    lock.unlock();
    is_urgent = false;
    size_t ended = 0;
    for (auto& work : all) {
      try {
        nccl::Result failed = work->failed_on_device();
        if (failed == nccl::kSuccess && work->is_completed()) {
          work->release();
          ++ended;
          continue;
        }
        if (failed == nccl::kSuccess) failed = work->failed_on_device();
        if (failed != nccl::kSuccess) {
          fail(*work, format("ProcessGroupNCCL: rank {} of {} failed in {}: {}, {}", rank_, size_,
                             work->description(), nccl::functions().error_string(failed),
                             nccl::functions().last_error(work->comm())));
          break;
        }
        if (Clock::now() >= work->deadline()) {
          fail(*work, format("ProcessGroupNCCL: rank {} of {} timed out in {}, timeout {} ms",
                             rank_, size_, work->description(), work->timeout().count()));
          break;
        }
      } catch (const std::exception& e) {
        fail(*work, format("ProcessGroupNCCL: rank {} of {} failed in {}: {}", rank_, size_,
                           work->description(), e.what()));
        break;
      }
      is_urgent |= work->has_callbacks();
    }
    all.clear();
    lock.lock();
    auto is_done = [](const std::shared_ptr<NcclWork>& w) { return w->Work::is_completed(); };
    under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(), is_done),
                     under_way_.end());
    if (!under_way_.empty() && !stopping_ && ended == 0)
      changed_.wait_for(lock, is_urgent ? kQuickLook : kLook);
  }
}

void ProcessGroupNCCL::wait_for_all() {
  std::deque<std::shared_ptr<NcclWork>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all = under_way_;
  }
  for (auto& work : all) {
    while (!work->is_completed()) {
      check_interrupts();
      std::this_thread::sleep_for(Milliseconds(1));
    }
  }
}

void ProcessGroupNCCL::stop_thread() {
  std::deque<std::shared_ptr<NcclWork>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    all.swap(under_way_);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  // Programs may keep a work longer than its group.
  for (auto& work : all)
    work->finish(
        std::make_exception_ptr(DistBackendError("ProcessGroupNCCL: the process group has ended")));
}

void ProcessGroupNCCL::abort() {
  auto error =
      std::make_exception_ptr(DistBackendError("ProcessGroupNCCL: the process group was aborted"));
  std::deque<std::shared_ptr<NcclWork>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!error_) error_ = error;
    all.swap(under_way_);
  }
  for (nccl::Comm comm : communicators()) nccl::functions().abort(comm);
  for (auto& work : all) work->finish(error);
}

void ProcessGroupNCCL::shutdown() {
  bool has_failed = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    has_failed = error_ != nullptr;
  }
  if (!has_failed) wait_for_all();
  stop_thread();
  if (!has_failed) {
    for (nccl::Comm comm : communicators()) nccl::functions().destroy(comm);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  channels_.clear();
}

}  // namespace c10d
