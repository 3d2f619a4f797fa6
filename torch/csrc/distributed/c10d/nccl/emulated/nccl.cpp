// NCCL for the emulated device: the same arguments and error codes. The host carries the messages,
// by Gloo, when the stream comes to them. Ranks are processes of one machine.

#include <torch/csrc/distributed/c10d/nccl/NcclApi.h>

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include <cuda_runtime.h>
#include <torch/csrc/distributed/c10d/FileStore.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.h>
#include <torch/csrc/distributed/c10d/tensor_ops.h>

namespace c10d::nccl {

struct Communicator {
  std::shared_ptr<ProcessGroupGloo> group;
  int rank = 0, size = 1, device = 0;
  std::atomic<Result> error{kSuccess};
  std::mutex mutex;
  std::string text;  // of the error
};

namespace {

thread_local std::string t_last_error;

std::string text_of(const std::exception& e) {
  auto* error = dynamic_cast<const c10::Error*>(&e);
  return error ? error->what_without_backtrace() : e.what();
}

Result fail(Result code, std::string text) {
  t_last_error = std::move(text);
  return code;
}

bool type_of(int type, at::ScalarType& dtype) {
  static const at::ScalarType all[] = {
      at::kChar, at::kByte,  at::kInt,    at::ScalarType::UInt32, at::kLong, at::ScalarType::UInt64,
      at::kHalf, at::kFloat, at::kDouble, at::kBFloat16};
  if (type < 0 || type >= static_cast<int>(std::size(all))) return false;
  dtype = all[type];
  return true;
}

// A copy in the host's memory, and back.
at::Tensor read(const void* from, size_t count, at::ScalarType dtype) {
  at::Tensor made = at::empty({static_cast<int64_t>(count)}, at::TensorOptions(dtype));
  if (count) std::memcpy(made.data_ptr(), from, made.numel() * made.element_size());
  return made;
}
void write(void* to, const at::Tensor& from) {
  if (from.numel()) std::memcpy(to, from.data_ptr(), from.numel() * from.element_size());
}

// A call: what begins it, and what writes its result when it has ended.
struct Call {
  Comm comm;
  cudaStream_t stream;
  std::function<WorkPtr(ProcessGroupGloo&)> begin;
  std::function<void()> end;
};
thread_local int t_depth = 0;
thread_local std::vector<Call> t_calls;

void run(const std::vector<Call>& calls) {
  std::vector<WorkPtr> works;
  for (const Call& call : calls) {
    WorkPtr work;
    if (call.comm->error == kSuccess) {
      try {
        work = call.begin(*call.comm->group);
      } catch (const std::exception& e) {
        std::lock_guard<std::mutex> lock(call.comm->mutex);
        call.comm->text = text_of(e);
        call.comm->error = kInternalError;
      }
    }
    works.push_back(work);
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!works[i]) continue;
    try {
      works[i]->wait();
      if (calls[i].end) calls[i].end();
    } catch (const std::exception& e) {
      std::lock_guard<std::mutex> lock(calls[i].comm->mutex);
      calls[i].comm->text = text_of(e);
      calls[i].comm->error = kRemoteError;
    }
  }
}

Result enqueue(std::vector<Call> calls) {
  if (calls.empty()) return kSuccess;
  cudaStream_t stream = calls.back().stream;
  for (const Call& call : calls) {
    if (call.stream != stream)
      return fail(kInvalidUsage, "the emulated NCCL takes groups on one stream only");
  }
  const auto error =
      torch_emulated_cuda::enqueue(stream, [calls = std::move(calls)] { run(calls); }, "nccl");
  return error == cudaSuccess ? kSuccess : kUnhandledCudaError;
}

Result submit(Comm comm, cudaStream_t stream, std::function<WorkPtr(ProcessGroupGloo&)> begin,
              std::function<void()> end) {
  if (!comm) return fail(kInvalidArgument, "the communicator is null");
  Call call{comm, stream, std::move(begin), std::move(end)};
  if (t_depth > 0) {
    t_calls.push_back(std::move(call));
    return kSuccess;
  }
  return enqueue({std::move(call)});
}

bool op_of(int op, ReduceOp& result) {
  static const ReduceOp::RedOpType all[] = {ReduceOp::SUM, ReduceOp::PRODUCT, ReduceOp::MAX,
                                            ReduceOp::MIN, ReduceOp::AVG};
  if (op < 0 || op >= static_cast<int>(std::size(all))) return false;
  result = all[op];
  return true;
}

Result version(int* version) {
  *version = 22800;
  return kSuccess;
}

// Where the ranks meet: a file.
Result unique_id(UniqueId* id) {
  char path[] = "/tmp/torch_nccl_XXXXXX";
  int file = ::mkstemp(path);
  if (file < 0) return fail(kSystemError, "cannot make a file in /tmp");
  ::close(file);
  std::memset(id->bytes, 0, sizeof id->bytes);
  std::memcpy(id->bytes, path, sizeof path);
  return kSuccess;
}

Result init_rank(Comm* result, int size, UniqueId id, int rank) {
  if (rank < 0 || rank >= size) return fail(kInvalidArgument, "there is no such rank");
  auto comm = std::make_unique<Communicator>();
  comm->rank = rank;
  comm->size = size;
  cudaGetDevice(&comm->device);
  try {
    auto store = std::make_shared<FileStore>(id.bytes, size);
    ProcessGroupGloo::Options options;
    comm->group = std::make_shared<ProcessGroupGloo>(store, rank, size, options);
    // As NCCL does, which cannot put two ranks on one GPU.
    at::Tensor own = at::zeros({1}, at::TensorOptions(at::kInt)),
               all = at::zeros({size}, at::TensorOptions(at::kInt));
    *own.data_ptr<int>() = comm->device;
    comm->group->allgather_base(all, own, AllgatherOptions())->wait();
    const int* devices = all.data_ptr<int>();
    for (int i = 0; i < size; ++i) {
      if (i != rank && devices[i] == comm->device)
        return fail(kInvalidUsage, "Duplicate GPU detected : rank " + std::to_string(rank) +
                                       " and rank " + std::to_string(i) + " both on CUDA device " +
                                       std::to_string(comm->device));
    }
  } catch (const std::exception& e) {
    return fail(kRemoteError, text_of(e));
  }
  ::unlink(id.bytes);
  *result = comm.release();
  return kSuccess;
}

Result abort(Comm comm) {
  // Memory of the communicator stays: work in a queue may name it.
  if (comm->error == kSuccess) comm->error = kInternalError;
  comm->group->abort();
  return kSuccess;
}
Result destroy(Comm comm) {
  if (comm->error == kSuccess) {
    try {
      comm->group->shutdown();
    } catch (const std::exception&) {
    }
  }
  return kSuccess;
}
Result async_error(Comm comm, Result* error) {
  *error = comm->error;
  return kSuccess;
}
const char* error_string(Result result) {
  static const char* const all[] = {"no error",
                                    "unhandled cuda error",
                                    "unhandled system error",
                                    "internal error",
                                    "invalid argument",
                                    "invalid usage",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress"};
  return result >= 0 && result < static_cast<int>(std::size(all)) ? all[result] : "unknown error";
}
const char* last_error(Comm comm) {
  if (comm) {
    std::lock_guard<std::mutex> lock(comm->mutex);
    if (!comm->text.empty()) t_last_error = comm->text;
  }
  return t_last_error.c_str();
}

Result group_start() {
  ++t_depth;
  return kSuccess;
}
Result group_end() {
  if (t_depth == 0) return fail(kInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  return --t_depth > 0 ? kSuccess : enqueue(std::exchange(t_calls, {}));
}

Result all_reduce(const void* input, void* output, size_t count, int type, int op, Comm comm,
                  cudaStream_t stream) {
  at::ScalarType dtype;
  AllreduceOptions options;
  if (!type_of(type, dtype) || !op_of(op, options.reduce_op)) return kInvalidArgument;
  auto values = std::make_shared<Tensors>();
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    values->push_back(read(input, count, dtype));
    return group.allreduce(*values, options);
  }, [=] { write(output, (*values)[0]); });
}

Result broadcast(const void* input, void* output, size_t count, int type, int root, Comm comm,
                 cudaStream_t stream) {
  at::ScalarType dtype;
  if (!type_of(type, dtype)) return kInvalidArgument;
  auto values = std::make_shared<Tensors>();
  BroadcastOptions options;
  options.root_rank = root;
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    values->push_back(read(input, count, dtype));
    return group.broadcast(*values, options);
  }, [=] { write(output, (*values)[0]); });
}

Result reduce(const void* input, void* output, size_t count, int type, int op, int root, Comm comm,
              cudaStream_t stream) {
  at::ScalarType dtype;
  ReduceOptions options;
  options.root_rank = root;
  if (!type_of(type, dtype) || !op_of(op, options.reduce_op)) return kInvalidArgument;
  auto values = std::make_shared<Tensors>();
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    values->push_back(read(input, count, dtype));
    return group.reduce(*values, options);
  }, [=] {
    if (comm->rank == root) write(output, (*values)[0]);
  });
}

Result all_gather(const void* input, void* output, size_t count, int type, Comm comm,
                  cudaStream_t stream) {
  at::ScalarType dtype;
  if (!type_of(type, dtype)) return kInvalidArgument;
  auto all = std::make_shared<at::Tensor>();
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    at::Tensor own = read(input, count, dtype);
    *all = at::empty({static_cast<int64_t>(count) * comm->size}, own.options());
    return group.allgather_base(*all, own, AllgatherOptions());
  }, [=] { write(output, *all); });
}

Result reduce_scatter(const void* input, void* output, size_t count, int type, int op, Comm comm,
                      cudaStream_t stream) {
  at::ScalarType dtype;
  ReduceScatterOptions options;
  if (!type_of(type, dtype) || !op_of(op, options.reduce_op)) return kInvalidArgument;
  auto own = std::make_shared<at::Tensor>();
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    at::Tensor all = read(input, count * static_cast<size_t>(comm->size), dtype);
    *own = at::empty({static_cast<int64_t>(count)}, all.options());
    return group.reduce_scatter_base(*own, all, options);
  }, [=] { write(output, *own); });
}

// Messages to itself pass by the host's memory; a group has the send and the receive.
Result send(const void* input, size_t count, int type, int peer, Comm comm, cudaStream_t stream) {
  at::ScalarType dtype;
  if (!type_of(type, dtype) || peer < 0 || peer >= comm->size || peer == comm->rank)
    return fail(kInvalidArgument, "the emulated NCCL cannot send to this rank");
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    Tensors values{read(input, count, dtype)};
    return group.send(values, peer, 0);
  }, nullptr);
}

Result receive(void* output, size_t count, int type, int peer, Comm comm, cudaStream_t stream) {
  at::ScalarType dtype;
  if (!type_of(type, dtype) || peer < 0 || peer >= comm->size || peer == comm->rank)
    return fail(kInvalidArgument, "the emulated NCCL cannot receive from this rank");
  auto values = std::make_shared<Tensors>();
  return submit(comm, stream, [=](ProcessGroupGloo& group) {
    values->push_back(at::empty({static_cast<int64_t>(count)}, at::TensorOptions(dtype)));
    return group.recv(*values, peer, 0);
  }, [=] { write(output, (*values)[0]); });
}

void set_timeout(Comm comm, Milliseconds timeout) { comm->group->set_timeout(timeout); }

}  // namespace

const Functions& functions() {
  static const Functions all{version,     unique_id,    init_rank,  destroy,     abort,
                             async_error, error_string, last_error, group_start, group_end,
                             all_reduce,  broadcast,    reduce,     all_gather,  reduce_scatter,
                             send,        receive,      set_timeout};
  return all;
}

}  // namespace c10d::nccl
