#pragma once
// Collectives of tensors on the CPU, by MPI. It is in a library of its own, which is loaded when
// the first group of this kind is made.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#define OMPI_SKIP_MPICXX 1  // the classes of MPI for C++, which were withdrawn
#include <mpi.h>
#include <torch/csrc/distributed/c10d/Backend.h>

namespace c10d {

class MpiWork;

// Note [Progress of MPI]
// A collective is started on the calling thread by MPI's function that does not block, so that all
// ranks of a communicator start theirs in one order. MPI makes progress only while somebody asks
// it: whoever waits for a work does, and a thread of the group for works that nobody waits for.
class ProcessGroupMPI final : public Backend {
 public:
  // `ranks` counts the processes of MPI_COMM_WORLD, in the order of the group. All of them make it.
  ProcessGroupMPI(std::shared_ptr<Store> store, const std::vector<int>& ranks,
                  Milliseconds timeout);
  ~ProcessGroupMPI() override;

  std::string name() const override { return "mpi"; }

  WorkPtr broadcast(Tensors& tensors, const BroadcastOptions&) override;
  WorkPtr allreduce(Tensors& tensors, const AllreduceOptions&) override;
  WorkPtr allreduce_coalesced(Tensors& tensors, const AllreduceCoalescedOptions&) override;
  WorkPtr reduce(Tensors& tensors, const ReduceOptions&) override;
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const AllgatherOptions&) override;
  WorkPtr allgather_base(at::Tensor& output, at::Tensor& input, const AllgatherOptions&) override;
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const GatherOptions&) override;
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const ScatterOptions&) override;
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const ReduceScatterOptions&) override;
  WorkPtr reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                              const ReduceScatterOptions&) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions&) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const AllToAllOptions&) override;
  WorkPtr send(Tensors& tensors, int destination, int tag) override;
  WorkPtr recv(Tensors& tensors, int source, int tag) override;
  WorkPtr recv_anysource(Tensors& tensors, int tag) override;
  WorkPtr barrier(const BarrierOptions&) override;

  int64_t sequence_number() const override { return sequence_; }
  void set_timeout(Milliseconds timeout) override { timeout_ = timeout; }
  // Ends the processes of the whole job: MPI cannot stop a collective.
  void abort() override;
  void shutdown() override;

 private:
  friend class MpiWork;
  // Starts an operation of MPI, and what is done at its end.
  using Start = std::function<int(MPI_Request*)>;
  using Finish = std::function<void()>;

  WorkPtr submit(const char* name, const at::Tensor& example, Tensors result,
                 const CollectiveOptions& options, const Start& start, Finish finish = nullptr);
  WorkPtr start(std::string description, Tensors result, OptionalTimeout timeout,
                const Start& start, Finish finish, bool in_background);
  WorkPtr message(const char* name, Tensors& tensors, int peer, int tag, bool receives);
  WorkPtr reduce_parts(const char* name, const at::Tensor& output, const at::Tensor& input,
                       const ReduceScatterOptions& options);
  void check_rank(const char* name, const char* argument, int64_t rank) const;
  void leave_to_thread(std::shared_ptr<MpiWork> work);
  void serve();
  void stop_thread();

  std::shared_ptr<Store> store_;
  Milliseconds timeout_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::atomic<int64_t> sequence_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<MpiWork>> under_way_;
  std::thread thread_;
  bool stopping_ = false;
};

// The rank of this process in MPI_COMM_WORLD and the size of that. Starts MPI.
std::pair<int, int> mpi_world();
// Ends MPI, if mpi_world started it: with the other processes, or, after an error, by ending them.
void mpi_finalize(bool failed);

}  // namespace c10d
