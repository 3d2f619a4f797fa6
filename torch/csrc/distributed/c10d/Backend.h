#pragma once
// What a communication engine offers: the collectives of a group of ranks. A backend overrides
// those that it has; the others throw an error that names the backend and the collective.

#include <torch/csrc/distributed/c10d/Types.h>
#include <torch/csrc/distributed/c10d/Work.h>

namespace c10d {

using Tensors = std::vector<at::Tensor>;
using WorkPtr = std::shared_ptr<Work>;

class Backend {
 public:
  Backend(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~Backend() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  virtual std::string name() const { return "undefined"; }

  virtual WorkPtr broadcast(Tensors& tensors, const BroadcastOptions&);
  virtual WorkPtr allreduce(Tensors& tensors, const AllreduceOptions&);
  virtual WorkPtr allreduce_coalesced(Tensors& tensors, const AllreduceCoalescedOptions&);
  virtual WorkPtr reduce(Tensors& tensors, const ReduceOptions&);
  virtual WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                            const AllgatherOptions&);
  virtual WorkPtr allgather_base(at::Tensor& output, at::Tensor& input, const AllgatherOptions&);
  virtual WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                      const AllgatherOptions&);
  virtual WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const AllgatherOptions&);
  virtual WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const GatherOptions&);
  virtual WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const ScatterOptions&);
  virtual WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                 const ReduceScatterOptions&);
  virtual WorkPtr reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                      const ReduceScatterOptions&);
  virtual WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const ReduceScatterOptions&);
  virtual WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions&);
  // Empty splits: all parts have one size.
  virtual WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input,
                                std::vector<int64_t>& output_splits,
                                std::vector<int64_t>& input_splits, const AllToAllOptions&);
  virtual WorkPtr send(Tensors& tensors, int destination, int tag);
  virtual WorkPtr recv(Tensors& tensors, int source, int tag);
  virtual WorkPtr recv_anysource(Tensors& tensors, int tag);
  virtual WorkPtr barrier(const BarrierOptions&);
  virtual void monitored_barrier(OptionalTimeout timeout, bool wait_all_ranks);

  virtual int64_t sequence_number() const { return 0; }
  virtual void set_timeout(Milliseconds) {}
  virtual void abort() {}
  virtual void shutdown() {}

 protected:
  [[noreturn]] void refuse(const char* collective) const;

  int rank_, size_;
};

}  // namespace c10d
