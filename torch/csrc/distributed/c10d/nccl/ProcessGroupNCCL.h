#pragma once
// Collectives of tensors on CUDA devices, by NCCL. It is in a library of its own, which is loaded
// when the first group of this kind is made.

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/Backend.h>
#include <torch/csrc/distributed/c10d/nccl/NcclApi.h>

namespace c10d {

class NcclWork;

// Note [Streams of ProcessGroupNCCL]
// Collectives run on a stream of the group, one for each device. That stream waits for what the
// current stream has been given, and Work.wait() makes the current stream wait for the collective:
// the host does not wait. A thread of the group looks after what is under way, holds its tensors
// until it has ended, and ends what failed or ran out of time.
//
// Messages have a communicator and a stream for each pair of ranks, as they are in no order with
// the collectives. Messages between start_coalescing and end_coalescing begin together.
class ProcessGroupNCCL final : public Backend,
                               public std::enable_shared_from_this<ProcessGroupNCCL> {
 public:
  struct Options {
    Milliseconds timeout = std::chrono::minutes(10);
    bool is_high_priority_stream = false;
    // Work.wait() waits on the host, and raises the error of the collective. Otherwise a failed
    // collective ends the process, as the results of what comes after it are not defined.
    bool blocking_wait = false;
  };

  ProcessGroupNCCL(std::shared_ptr<Store> store, int rank, int size, Options options);
  ~ProcessGroupNCCL() override;

  std::string name() const override { return "nccl"; }
  const Options& options() const { return options_; }

  WorkPtr broadcast(Tensors& tensors, const BroadcastOptions&) override;
  WorkPtr allreduce(Tensors& tensors, const AllreduceOptions&) override;
  WorkPtr allreduce_coalesced(Tensors& tensors, const AllreduceCoalescedOptions&) override;
  WorkPtr reduce(Tensors& tensors, const ReduceOptions&) override;
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const AllgatherOptions&) override;
  WorkPtr allgather_base(at::Tensor& output, at::Tensor& input, const AllgatherOptions&) override;
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const AllgatherOptions&) override;
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const GatherOptions&) override;
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const ScatterOptions&) override;
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const ReduceScatterOptions&) override;
  WorkPtr reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                              const ReduceScatterOptions&) override;
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const ReduceScatterOptions&) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions&) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const AllToAllOptions&) override;
  WorkPtr send(Tensors& tensors, int destination, int tag) override;
  WorkPtr recv(Tensors& tensors, int source, int tag) override;
  WorkPtr barrier(const BarrierOptions&) override;

  void start_coalescing();
  // The messages since then, as one work.
  WorkPtr end_coalescing();

  int64_t sequence_number() const override { return sequence_; }
  void set_timeout(Milliseconds timeout) override { options_.timeout = timeout; }
  void abort() override;
  void shutdown() override;

 private:
  // A communicator, and the stream that its calls are given to.
  struct Channel {
    nccl::Comm comm;
    c10::cuda::CUDAStream stream;
    int peer_rank;  // of the other one, where it is for messages
  };
  using Begin = std::function<nccl::Result(const Channel&)>;
  using End = std::function<void()>;
  struct Message {
    at::Tensor tensor;
    Begin begin;
    End end;
  };

  Channel& channel(c10::Device device);
  Channel& channel_to(c10::Device device, int peer);
  void meet(const std::string& key, int rank, int size, bool is_pair);
  Channel& connect(std::pair<int, int> where, const std::string& key, int rank, int size,
                   int peer_rank);
  // Begins calls on the stream of the channel. `prepare` makes the tensors that they work on,
  // `end` uses their results; both run on that stream.
  WorkPtr submit(const char* name, Channel& on, const Tensors& used, Tensors result,
                 const CollectiveOptions& options, const std::function<void()>& prepare,
                 const Begin& begin, const End& end = nullptr);
  using PairCall = std::function<nccl::Result(size_t index, const at::Tensor& input,
                                              const at::Tensor& output, const Channel&)>;
  WorkPtr submit_pairs(const char* name, Tensors& inputs, Tensors& outputs,
                       const CollectiveOptions& options, const PairCall& call);
  WorkPtr message(const char* name, Tensors& tensors, int peer, bool receives);
  WorkPtr exchange(const char* name, Channel& on, const Tensors& used, Tensors result,
                   const CollectiveOptions& options, const std::function<void()>& prepare,
                   const std::shared_ptr<Tensors>& sent, const std::shared_ptr<Tensors>& received,
                   const End& end);
  void check_rank(const char* name, const char* argument, int64_t rank) const;
  void check_usable();
  std::vector<nccl::Comm> communicators();
  void fail(NcclWork& work, std::string reason);
  void look_after();
  void stop_thread();
  void wait_for_all();

  std::shared_ptr<Store> store_;
  Options options_;
  std::atomic<int64_t> sequence_{0};
  // By the device and the peer, -1 for those of all ranks.
  std::map<std::pair<int, int>, Channel> channels_;
  bool coalescing_ = false;
  std::vector<Message> messages_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<NcclWork>> under_way_;
  std::exception_ptr error_;  // of the group, which can do nothing more
  std::thread thread_;
  bool stopping_ = false;
};

}  // namespace c10d
