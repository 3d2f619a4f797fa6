#pragma once
// Collectives of tensors on the CPU, by Gloo over TCP.

#include <atomic>
#include <deque>
#include <thread>

#include <torch/csrc/distributed/c10d/Backend.h>
#include <torch/csrc/distributed/c10d/GlooContext.h>
#include <torch/csrc/distributed/c10d/gloo_reductions.h>

namespace c10d {

// Note [Threads of ProcessGroupGloo]
// A collective whose caller waits at once runs on the calling thread, the others on the threads of
// the group. Ranks must call collectives in one order: the position in that order is in the tag of
// the messages, so that collectives may overlap.

// Note [Tags of collectives]
// Gloo ends the process when a message is longer than the memory that waits for it. So the tag of
// the messages depends on what the collective is and on how many bytes it has: ranks that differ
// wait for each other until their time is over, and then say what they were in.
class ProcessGroupGloo final : public Backend,
                               public std::enable_shared_from_this<ProcessGroupGloo> {
 public:
  struct Options {
    Milliseconds timeout = std::chrono::minutes(30);
    // Null: the default.
    std::shared_ptr<gloo::transport::Device> device;
    int threads = 2;
    // Compare every collective between ranks before it runs: its name, shape, dtype and root.
    bool compare = false;
  };

  ProcessGroupGloo(const std::shared_ptr<Store>& store, int rank, int size, Options options);
  ~ProcessGroupGloo() override;

  std::string name() const override { return "gloo"; }
  const Options& options() const { return options_; }

  WorkPtr broadcast(Tensors& tensors, const BroadcastOptions&) override;
  WorkPtr allreduce(Tensors& tensors, const AllreduceOptions&) override;
  WorkPtr allreduce_coalesced(Tensors& tensors, const AllreduceCoalescedOptions&) override;
  WorkPtr reduce(Tensors& tensors, const ReduceOptions&) override;
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const AllgatherOptions&) override;
  WorkPtr allgather_base(at::Tensor& output, at::Tensor& input, const AllgatherOptions&) override;
  WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                              const AllgatherOptions&) override;
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
  WorkPtr recv_anysource(Tensors& tensors, int tag) override;
  WorkPtr barrier(const BarrierOptions&) override;
  void monitored_barrier(OptionalTimeout timeout, bool wait_all_ranks) override;

  int64_t sequence_number() const override { return sequence_; }
  void set_timeout(Milliseconds timeout) override { options_.timeout = timeout; }
  // Closes the connections: what is under way fails, here and on the other ranks.
  void abort() override;
  void shutdown() override;

  // What a collective knows while it runs.
  struct Call {
    std::string description;
    uint32_t number;
    uint32_t tag;
    Milliseconds timeout;
  };
  // Throws DistBackendError for an error of Gloo's, naming the ranks that caused it.
  std::string blame(const std::string& own);
  [[noreturn]] void explain(const Call& call, const std::exception& error);

  const std::shared_ptr<GlooContext>& context() const { return context_; }
  // Ends a collective that cannot end by itself, as another rank has failed.
  void look_after();

 private:
  struct Job {
    Call call;
    std::function<void(const Call&)> run;
    WorkPtr work;
  };
  using Body = std::function<void(const Call&)>;

  // `kind` is what the ranks must agree on beside the name: the bytes of the example by default.
  WorkPtr submit(const char* name, const at::Tensor& example, Tensors result,
                 const CollectiveOptions& options, Body body, uint64_t kind = 0);
  WorkPtr run_now(Job job);
  void run(Job& job);
  void compare(const Call& call);
  void serve();
  void stop_threads(Clock::time_point deadline);
  void wait_for_all();

  void allreduce_in_place(const Call& call, at::Tensor tensor, ReduceOp::RedOpType op);
  void exchange_and_reduce(const Call& call, const at::Tensor& output, const at::Tensor& input,
                           ReduceOp::RedOpType op);
  void reduce_by_doubling(const Call& call, const at::Tensor& values, const ReduceFunction& f);
  void exchange(const Call& call, char* output, const std::vector<int64_t>& output_bytes,
                char* input, const std::vector<int64_t>& input_bytes);
  void all_gather_flat(const Call& call, const at::Tensor& output, const at::Tensor& input);
  void check_rank(const char* name, const char* argument, int64_t rank) const;

  Options options_;
  std::shared_ptr<Store> store_;
  std::shared_ptr<GlooContext> context_;
  std::atomic<uint32_t> sequence_{0};
  std::atomic<uint32_t> barriers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::vector<std::thread> threads_;
  int running_ = 0;
  bool stopping_ = false;
  std::atomic<bool> aborted_{false}, others_failed_{false};
  // Collectives, and how many there were when they were looked after.
  std::atomic<uint32_t> begun_{0}, ended_{0};
  uint32_t begun_before_ = 0, ended_before_ = 0;
};

// Has somebody look after the collectives of a group, until it is destroyed.
void watch(const std::shared_ptr<ProcessGroupGloo>& group);

}  // namespace c10d
