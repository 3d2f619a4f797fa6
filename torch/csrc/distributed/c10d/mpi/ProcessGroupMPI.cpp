// The collectives of ProcessGroupMPI.

#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/mpi/ProcessGroupMPI.h>

#include <algorithm>
#include <limits>

#include <c10/core/GradMode.h>
#include <pthread.h>
#include <torch/csrc/distributed/c10d/collective_arguments.h>
#include <torch/csrc/distributed/c10d/failure_notes.h>
#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {
namespace {

bool we_started_mpi = false;
// Whether an operation was left to itself after its timeout: MPI still reads and writes its memory,
// and MPI_Finalize would wait for it.
std::atomic<bool> has_abandoned{false};

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  ::MPI_Error_string(code, text, &length);
  throw DistBackendError(format("ProcessGroupMPI: {}", text));
}

void start_mpi() {
  int started = 0, level = MPI_THREAD_SINGLE;
  check(::MPI_Initialized(&started));
  if (started) {
    check(::MPI_Query_thread(&level));
  } else {
    check(::MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level));
    we_started_mpi = true;
    check(::MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  }
  TORCH_CHECK(level >= MPI_THREAD_MULTIPLE,
              "ProcessGroupMPI: it calls MPI from several threads, and this MPI ",
              started ? "was started" : "was built", " without MPI_THREAD_MULTIPLE");
}

bool mpi_has_ended() {
  int ended = 0;
  return ::MPI_Finalized(&ended) == MPI_SUCCESS && ended;
}

int count_of(int64_t count) {
  TORCH_CHECK(count <= std::numeric_limits<int>::max(), "ProcessGroupMPI: a message of ", count,
              " elements; MPI takes ", std::numeric_limits<int>::max(), " at most");
  return static_cast<int>(count);
}
int count_of(const at::Tensor& t) { return count_of(t.numel()); }

// Elements that are moved and not looked at.
MPI_Datatype plain_type(const at::Tensor& t) {
  switch (t.element_size()) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    case 8:
      return MPI_UINT64_T;
    default:
      return MPI_C_DOUBLE_COMPLEX;
  }
}

MPI_Datatype number_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::ScalarType::Byte:
    case at::ScalarType::Bool:
      return MPI_UINT8_T;
    case at::ScalarType::Char:
      return MPI_INT8_T;
    case at::ScalarType::Short:
      return MPI_INT16_T;
    case at::ScalarType::Int:
      return MPI_INT32_T;
    case at::ScalarType::Long:
      return MPI_INT64_T;
    case at::ScalarType::UInt16:
      return MPI_UINT16_T;
    case at::ScalarType::UInt32:
      return MPI_UINT32_T;
    case at::ScalarType::UInt64:
      return MPI_UINT64_T;
    case at::ScalarType::Float:
    case at::ScalarType::Half:  // which are combined in float32
    case at::ScalarType::BFloat16:
      return MPI_FLOAT;
    case at::ScalarType::Double:
      return MPI_DOUBLE;
    case at::ScalarType::ComplexFloat:
      return MPI_C_FLOAT_COMPLEX;
    case at::ScalarType::ComplexDouble:
      return MPI_C_DOUBLE_COMPLEX;
    default:
      return MPI_DATATYPE_NULL;
  }
}

MPI_Op operation(at::ScalarType dtype, ReduceOp::RedOpType op) {
  bool is_bool = dtype == at::kBool, is_integral = at::isIntegralType(dtype, true),
       is_complex = at::isComplexType(dtype);
  switch (op) {
    case ReduceOp::SUM:
      return is_bool ? MPI_LOR : MPI_SUM;
    case ReduceOp::AVG:
      return is_bool ? MPI_OP_NULL : MPI_SUM;
    case ReduceOp::PRODUCT:
      return is_bool ? MPI_LAND : MPI_PROD;
    case ReduceOp::MIN:
      return is_complex ? MPI_OP_NULL : MPI_MIN;
    case ReduceOp::MAX:
      return is_complex ? MPI_OP_NULL : MPI_MAX;
    case ReduceOp::BAND:
      return is_integral ? MPI_BAND : MPI_OP_NULL;
    case ReduceOp::BOR:
      return is_integral ? MPI_BOR : MPI_OP_NULL;
    case ReduceOp::BXOR:
      return is_integral ? MPI_BXOR : MPI_OP_NULL;
    default:
      return MPI_OP_NULL;
  }
}

// How the elements of a tensor are combined.
struct Reduction {
  Reduction(const at::Tensor& t, ReduceOp::RedOpType kind)
      : type(number_type(t.scalar_type())), op(operation(t.scalar_type(), kind)) {
    TORCH_CHECK(type != MPI_DATATYPE_NULL && op != MPI_OP_NULL, "ProcessGroupMPI: there is no ",
                "ReduceOp.", name_of(kind), " for tensors of ", c10::toString(t.scalar_type()));
    is_low = t.scalar_type() == at::kHalf || t.scalar_type() == at::kBFloat16;
  }
  // The elements as MPI takes them, one after the other.
  at::Tensor prepare(const at::Tensor& t) const { return at::contiguous(is_low ? to_float(t) : t); }
  MPI_Datatype type;
  MPI_Op op;
  bool is_low = false;
};

void average(const at::Tensor& t, ReduceOp::RedOpType op, int size) {
  if (op == ReduceOp::AVG) divide_by_size(t, size);
}

void copy_if_other(const at::Tensor& destination, const at::Tensor& source) {
  if (destination.data_ptr() != source.data_ptr()) copy_into(destination, source);
}

// Less often the longer nothing happens: other ranks may need the processor.
class Pause {
 public:
  void operator()() {
    auto passed = Clock::now() - start_;
    if (passed < std::chrono::microseconds(50)) {
      std::this_thread::yield();
    } else {
      bool is_long = passed > Milliseconds(10);
      std::this_thread::sleep_for(std::chrono::microseconds(is_long ? 500 : 20));
    }
  }

 private:
  Clock::time_point start_ = Clock::now();
};

}  // namespace

// An operation of MPI under way.
class MpiWork final : public Work {
 public:
  MpiWork(ProcessGroupMPI& group, std::string description, Milliseconds timeout)
      : store_(group.store_),
        rank_(group.rank_),
        size_(group.size_),
        description_(std::move(description)),
        timeout_(timeout),
        deadline_(Clock::now() + timeout) {}

  bool is_completed() override { return advance(); }

  bool wait(Milliseconds timeout) override {
    auto limit = Clock::now() + timeout, next_check = Clock::now() + kInterruptInterval;
    Pause pause;
    while (!advance()) {
      auto now = Clock::now();
      if (timeout.count() > 0 && now >= limit) {
        throw DistBackendError(
            format("Work.wait(): {} has not ended after {} ms", description_, timeout.count()));
      }
      if (now >= next_check) {
        check_interrupts();
        next_check = now + kInterruptInterval;
      }
      pause();
    }
    return Work::wait(Milliseconds(0));
  }

  // Whether the operation has ended, or ran out of time.
  bool advance() {
    std::unique_lock<std::mutex> lock(request_mutex_);
    if (ended_here_) return true;
    std::exception_ptr error;
    try {
      int done = 0;
      MPI_Status status{};
      check(::MPI_Test(&request, &done, &status));
      if (done) {
        c10::NoGradGuard no_grad;
        source_rank_ = status.MPI_SOURCE;  // of a message; no rank for a collective
        if (at_end) at_end();
      } else if (Clock::now() >= deadline_) {
        throw_timeout();
      } else {
        return false;
      }
    } catch (...) {
      error = std::current_exception();
    }
    ended_here_ = true;
    lock.unlock();
    if (!has_timed_out_) at_end = nullptr;  // gives the tensors free
    finish(error);
    return true;
  }

  MPI_Request request = MPI_REQUEST_NULL;
  std::function<void()> at_end;

 private:
  [[noreturn]] void throw_timeout() {
    // MPI goes on with the memory of the operation.
    has_timed_out_ = true;
    has_abandoned = true;
    new std::function<void()>(std::move(at_end));
    std::string reason;
    try {
      if (store_) reason = compare_failures(*store_, rank_, size_, description_, timeout_);
    } catch (const c10::Error& e) {
      reason = format("; {}", e.what_without_backtrace());
    }
    throw DistBackendError(format("ProcessGroupMPI: rank {} of {} timed out in {}, timeout {} ms{}",
                                  rank_, size_, description_, timeout_.count(), reason));
  }

  std::shared_ptr<Store> store_;
  int rank_, size_;
  std::string description_;
  Milliseconds timeout_;
  Clock::time_point deadline_;
  std::mutex request_mutex_;
  bool ended_here_ = false, has_timed_out_ = false;
};

std::pair<int, int> mpi_world() {
  start_mpi();
  int rank = 0, size = 0;
  check(::MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(::MPI_Comm_size(MPI_COMM_WORLD, &size));
  return {rank, size};
}

void mpi_finalize(bool failed) {
  if (!we_started_mpi || mpi_has_ended()) return;
  // The other ranks may wait for this one, in MPI_Finalize or elsewhere.
  if (failed || has_abandoned) ::MPI_Abort(MPI_COMM_WORLD, 1);
  ::MPI_Finalize();
}

ProcessGroupMPI::ProcessGroupMPI(std::shared_ptr<Store> store, const std::vector<int>& ranks,
                                 Milliseconds timeout)
    : Backend(0, static_cast<int>(ranks.size())), store_(std::move(store)), timeout_(timeout) {
  auto [own, world_size] = mpi_world();
  for (int rank : ranks) {
    TORCH_CHECK_VALUE(rank >= 0 && rank < world_size, "ProcessGroupMPI: there is no rank ", rank,
                      " among the ", world_size, " processes that mpirun started");
  }
  MPI_Group all, some;
  check(::MPI_Comm_group(MPI_COMM_WORLD, &all));
  check(::MPI_Group_incl(all, size_, ranks.data(), &some));
  int code = ::MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm_);
  ::MPI_Group_free(&some);
  ::MPI_Group_free(&all);
  check(code);
  TORCH_CHECK_VALUE(comm_ != MPI_COMM_NULL, "ProcessGroupMPI: this process, rank ", own,
                    " of MPI, is not among the ranks of the group");
  check(::MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  check(::MPI_Comm_rank(comm_, &rank_));
}

ProcessGroupMPI::~ProcessGroupMPI() { stop_thread(); }

void ProcessGroupMPI::stop_thread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void ProcessGroupMPI::shutdown() {
  stop_thread();
  if (comm_ != MPI_COMM_NULL && !has_abandoned && !mpi_has_ended()) ::MPI_Comm_free(&comm_);
}

void ProcessGroupMPI::abort() { ::MPI_Abort(MPI_COMM_WORLD, 1); }

// Asks MPI about works that nobody waits for, until all of them have ended.
void ProcessGroupMPI::serve() {
  ::pthread_setname_np(::pthread_self(), "pg_mpi");
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !under_way_.empty(); });
    if (under_way_.empty()) return;
    Pause pause;
    while (!under_way_.empty()) {
      auto works = under_way_;
      lock.unlock();
      bool any = false;
      for (auto& work : works) {
        if (!work->advance()) continue;
        any = true;
        std::lock_guard<std::mutex> relock(mutex_);
        under_way_.erase(std::find(under_way_.begin(), under_way_.end(), work));
      }
      works.clear();
      if (any) {
        pause = Pause();
      } else {
        pause();
      }
      lock.lock();
    }
  }
}

WorkPtr ProcessGroupMPI::start(std::string description, Tensors result, OptionalTimeout timeout,
                               const Start& start, Finish finish, bool in_background) {
  TORCH_CHECK(comm_ != MPI_COMM_NULL, "ProcessGroupMPI: the group was destroyed");
  auto work = std::make_shared<MpiWork>(*this, std::move(description), timeout.value_or(timeout_));
  work->result = std::move(result);
  work->at_end = std::move(finish);
  check(start(&work->request));
  if (in_background) {
    leave_to_thread(work);
    return work;
  }
  try {
    work->wait(Milliseconds(0));
  } catch (const DistError&) {
    // The caller's wait() raises it.
  } catch (...) {  // Ctrl-C; MPI goes on with the memory
    leave_to_thread(work);
    throw;
  }
  return work;
}

void ProcessGroupMPI::leave_to_thread(std::shared_ptr<MpiWork> work) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  under_way_.push_back(std::move(work));
  changed_.notify_one();
}

WorkPtr ProcessGroupMPI::submit(const char* name, const at::Tensor& example, Tensors result,
                                const CollectiveOptions& options, const Start& f, Finish finish) {
  std::string description = format("{} (call {})", name, sequence_++);
  if (example.defined())
    description = format("{} of {} elements, {} (call {})", name, example.numel(),
                         c10::toString(example.scalar_type()), sequence_ - 1);
  return start(std::move(description), std::move(result), options.timeout, f, std::move(finish),
               options.async_op);
}

void ProcessGroupMPI::check_rank(const char* name, const char* argument, int64_t rank) const {
  TORCH_CHECK(rank >= 0 && rank < size_, name, "(): expected ", argument,
              " to be a rank of the group, from 0 to ", size_ - 1, ", got ", rank);
}

WorkPtr ProcessGroupMPI::broadcast(Tensors& tensors, const BroadcastOptions& options) {
  const at::Tensor& t = only("broadcast", tensors);
  check_rank("broadcast", "the source", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  Dense dense(t);
  return submit("broadcast", t, tensors, options, [&](MPI_Request* request) {
    return ::MPI_Ibcast(bytes_of(dense.tensor), count_of(t), plain_type(t), root, comm_, request);
  }, [dense, is_root = rank_ == root]() mutable {
    if (!is_root) dense.write_back();
  });
}

WorkPtr ProcessGroupMPI::allreduce(Tensors& tensors, const AllreduceOptions& options) {
  const at::Tensor& t = only("all_reduce", tensors);
  auto op = options.reduce_op.op;
  Reduction how(t, op);
  at::Tensor values = how.prepare(t);
  return submit("all_reduce", t, tensors, options, [&](MPI_Request* request) {
    return ::MPI_Iallreduce(MPI_IN_PLACE, bytes_of(values), count_of(t), how.type, how.op, comm_,
                            request);
  }, [t, values, op, size = size_] {
    average(values, op, size);
    copy_if_other(t, values);
  });
}

WorkPtr ProcessGroupMPI::allreduce_coalesced(Tensors& tensors,
                                             const AllreduceCoalescedOptions& options) {
  TORCH_CHECK(!tensors.empty(), "all_reduce_coalesced(): expected at least one tensor");
  for (const auto& t : tensors) {
    check_dense("all_reduce_coalesced", t);
    TORCH_CHECK_VALUE(t.scalar_type() == tensors[0].scalar_type(),
                      "all_reduce_coalesced(): all tensors must have one dtype");
  }
  auto op = options.reduce_op.op;
  Reduction how(tensors[0], op);
  at::Tensor values = how.prepare(flat(tensors));
  return submit("all_reduce_coalesced", tensors[0], tensors, options, [&](MPI_Request* request) {
    return ::MPI_Iallreduce(MPI_IN_PLACE, bytes_of(values), count_of(values), how.type, how.op,
                            comm_, request);
  }, [tensors, values, op, size = size_] {
    average(values, op, size);
    split_into(values, tensors);
  });
}

WorkPtr ProcessGroupMPI::reduce(Tensors& tensors, const ReduceOptions& options) {
  const at::Tensor& t = only("reduce", tensors);
  check_rank("reduce", "the destination", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  auto op = options.reduce_op.op;
  Reduction how(t, op);
  at::Tensor values = how.prepare(t);
  bool is_root = rank_ == root;
  return submit("reduce", t, tensors, options, [&](MPI_Request* request) {
    void* data = bytes_of(values);
    return ::MPI_Ireduce(is_root ? MPI_IN_PLACE : data, is_root ? data : nullptr, count_of(t),
                         how.type, how.op, root, comm_, request);
  }, [t, values, op, is_root, size = size_] {
    if (!is_root) return;
    average(values, op, size);
    copy_if_other(t, values);
  });
}

WorkPtr ProcessGroupMPI::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                   const AllgatherOptions& options) {
  const at::Tensor& input = only("all_gather", inputs);
  const Tensors& list = list_for_ranks("all_gather", outputs, input, size_);
  at::Tensor own = at::contiguous(input);
  at::Tensor joined = at::empty({input.numel() * size_}, input.options().requires_grad(false));
  return submit("all_gather", input, list, options, [&](MPI_Request* request) {
    auto type = plain_type(input);
    return ::MPI_Iallgather(bytes_of(own), count_of(own), type, bytes_of(joined), count_of(own),
                            type, comm_, request);
  }, [own, joined, list] { split_into(joined, list); });
}

WorkPtr ProcessGroupMPI::allgather_base(at::Tensor& output, at::Tensor& input,
                                        const AllgatherOptions& options) {
  check_parts("all_gather_into_tensor", "output", "input", output, input, size_);
  at::Tensor own = at::contiguous(input);
  Dense out(output);
  return submit("all_gather_into_tensor", input, {output}, options, [&](MPI_Request* request) {
    auto type = plain_type(input);
    return ::MPI_Iallgather(bytes_of(own), count_of(own), type, bytes_of(out.tensor), count_of(own),
                            type, comm_, request);
  }, [own, out]() mutable { out.write_back(); });
}

WorkPtr ProcessGroupMPI::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                const GatherOptions& options) {
  const at::Tensor& input = only("gather", inputs);
  check_rank("gather", "the destination", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  Tensors list;
  at::Tensor own = at::contiguous(input), joined;
  if (rank_ == root) {
    list = list_for_ranks("gather", outputs, input, size_);
    joined = at::empty({input.numel() * size_}, input.options().requires_grad(false));
  } else {
    TORCH_CHECK(outputs.empty() || outputs[0].empty(),
                "gather(): only the destination takes a list of tensors");
  }
  return submit("gather", input, list, options, [&](MPI_Request* request) {
    auto type = plain_type(input);
    return ::MPI_Igather(bytes_of(own), count_of(own), type,
                         joined.defined() ? bytes_of(joined) : nullptr, count_of(own), type, root,
                         comm_, request);
  }, [own, joined, list] {
    if (joined.defined()) split_into(joined, list);
  });
}

WorkPtr ProcessGroupMPI::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                 const ScatterOptions& options) {
  const at::Tensor& output = only("scatter", outputs);
  check_rank("scatter", "the source", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  Dense out(output);
  at::Tensor joined;
  if (rank_ == root) {
    joined = flat(list_for_ranks("scatter", inputs, output, size_));
  } else {
    TORCH_CHECK(inputs.empty() || inputs[0].empty(),
                "scatter(): only the source takes a list of tensors");
  }
  return submit("scatter", output, outputs, options, [&](MPI_Request* request) {
    auto type = plain_type(output);
    return ::MPI_Iscatter(joined.defined() ? bytes_of(joined) : nullptr, count_of(output), type,
                          bytes_of(out.tensor), count_of(output), type, root, comm_, request);
  }, [out, joined]() mutable { out.write_back(); });
}

WorkPtr ProcessGroupMPI::reduce_parts(const char* name, const at::Tensor& output,
                                      const at::Tensor& input,
                                      const ReduceScatterOptions& options) {
  auto op = options.reduce_op.op;
  Reduction how(output, op);
  at::Tensor values = how.prepare(input);
  at::Tensor part = at::empty(output.sizes(), values.options().requires_grad(false));
  return submit(name, output, {output}, options, [&](MPI_Request* request) {
    return ::MPI_Ireduce_scatter_block(bytes_of(values), bytes_of(part), count_of(part), how.type,
                                       how.op, comm_, request);
  }, [output, values, part, op, size = size_] {
    average(part, op, size);
    copy_into(output, part);
  });
}

WorkPtr ProcessGroupMPI::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                        const ReduceScatterOptions& options) {
  const at::Tensor& output = only("reduce_scatter", outputs);
  const Tensors& list = list_for_ranks("reduce_scatter", inputs, output, size_);
  return reduce_parts("reduce_scatter", output, flat(list), options);
}

WorkPtr ProcessGroupMPI::reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                             const ReduceScatterOptions& options) {
  check_parts("reduce_scatter_tensor", "input", "output", input, output, size_);
  return reduce_parts("reduce_scatter_tensor", output, input, options);
}

namespace {

// How many elements go to each rank, and where they begin, as MPI takes them.
struct Parts {
  explicit Parts(const std::vector<int64_t>& sizes) {
    int64_t begin = 0;
    for (int64_t size : sizes) {
      counts.push_back(count_of(size));
      begins.push_back(count_of(begin));
      begin += size;
    }
  }
  std::vector<int> counts, begins;
};

}  // namespace

WorkPtr ProcessGroupMPI::alltoall(Tensors& outputs, Tensors& inputs,
                                  const AllToAllOptions& options) {
  TORCH_CHECK(static_cast<int>(outputs.size()) == size_ && static_cast<int>(inputs.size()) == size_,
              "all_to_all(): expected lists of ", size_, " tensors, one per rank, got ",
              outputs.size(), " and ", inputs.size());
  std::vector<int64_t> sent, received;
  int64_t total = 0;
  for (const auto* list : {&outputs, &inputs}) {
    for (const auto& t : *list) {
      check_dense("all_to_all", t);
      TORCH_CHECK_VALUE(t.scalar_type() == inputs[0].scalar_type(),
                        "all_to_all(): all tensors must have one dtype");
      (list == &outputs ? received : sent).push_back(t.numel());
      if (list == &outputs) total += t.numel();
    }
  }
  auto in_parts = std::make_shared<Parts>(sent), out_parts = std::make_shared<Parts>(received);
  at::Tensor in = flat(inputs), out = at::empty({total}, in.options());
  return submit("all_to_all", at::Tensor(), outputs, options, [&](MPI_Request* request) {
    auto type = plain_type(in);
    return ::MPI_Ialltoallv(bytes_of(in), in_parts->counts.data(), in_parts->begins.data(), type,
                            bytes_of(out), out_parts->counts.data(), out_parts->begins.data(), type,
                            comm_, request);
  }, [in, out, outputs, in_parts, out_parts] { split_into(out, outputs); });
}

WorkPtr ProcessGroupMPI::alltoall_base(at::Tensor& output, at::Tensor& input,
                                       std::vector<int64_t>& output_splits,
                                       std::vector<int64_t>& input_splits,
                                       const AllToAllOptions& options) {
  check_dense("all_to_all_single", output);
  check_dense("all_to_all_single", input);
  TORCH_CHECK_VALUE(output.scalar_type() == input.scalar_type(),
                    "all_to_all_single(): output and input must have one dtype");
  auto out_parts =
      std::make_shared<Parts>(elements_of_splits(output, output_splits, "output", size_));
  auto in_parts = std::make_shared<Parts>(elements_of_splits(input, input_splits, "input", size_));
  at::Tensor in = at::contiguous(input);
  Dense out(output);
  return submit("all_to_all_single", at::Tensor(), {output}, options, [&](MPI_Request* request) {
    auto type = plain_type(in);
    return ::MPI_Ialltoallv(bytes_of(in), in_parts->counts.data(), in_parts->begins.data(), type,
                            bytes_of(out.tensor), out_parts->counts.data(),
                            out_parts->begins.data(), type, comm_, request);
  }, [in, out, in_parts, out_parts]() mutable { out.write_back(); });
}

WorkPtr ProcessGroupMPI::message(const char* name, Tensors& tensors, int peer, int tag,
                                 bool receives) {
  const at::Tensor& t = only(name, tensors);
  TORCH_CHECK(tag >= 0, "ProcessGroupMPI: expected a tag of at least 0, got ", tag);
  if (peer != MPI_ANY_SOURCE) {
    check_rank(name, receives ? "the source" : "the destination", peer);
    TORCH_CHECK(peer != rank_, name, "(): rank ", rank_, " cannot talk to itself");
  }
  Dense dense(t);
  std::string other = peer == MPI_ANY_SOURCE ? "any rank" : format("rank {}", peer);
  auto work = start(format("{} of {} elements {} {}, tag {}", name, t.numel(),
                           receives ? "from" : "to", other, tag),
                    tensors, std::nullopt, [&](MPI_Request* request) {
    void* data = bytes_of(dense.tensor);
    return receives ? ::MPI_Irecv(data, count_of(t), plain_type(t), peer, tag, comm_, request)
                    : ::MPI_Isend(data, count_of(t), plain_type(t), peer, tag, comm_, request);
  }, [dense, receives]() mutable {
    if (receives) dense.write_back();
  }, true);
  return work;
}

WorkPtr ProcessGroupMPI::send(Tensors& tensors, int destination, int tag) {
  return message("send", tensors, destination, tag, false);
}
WorkPtr ProcessGroupMPI::recv(Tensors& tensors, int source, int tag) {
  return message("recv", tensors, source, tag, true);
}
WorkPtr ProcessGroupMPI::recv_anysource(Tensors& tensors, int tag) {
  return message("recv", tensors, MPI_ANY_SOURCE, tag, true);
}

WorkPtr ProcessGroupMPI::barrier(const BarrierOptions& options) {
  return submit("barrier", at::Tensor(), {}, options,
                [&](MPI_Request* request) { return ::MPI_Ibarrier(comm_, request); });
}

}  // namespace c10d
