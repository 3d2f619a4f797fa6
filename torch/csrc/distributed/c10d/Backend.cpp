// The collectives that a backend lacks, and names of operations.

#include <torch/csrc/distributed/c10d/Backend.h>

namespace c10d {

const char* name_of(ReduceOp::RedOpType op) {
  static const char* const names[] = {"SUM",  "AVG", "PRODUCT", "MIN",       "MAX",
                                      "BAND", "BOR", "BXOR",    "PREMUL_SUM"};
  return names[op];
}

void Backend::refuse(const char* collective) const {
  TORCH_CHECK(false, "backend ", name(), " does not have ", collective);
}

WorkPtr Backend::broadcast(Tensors&, const BroadcastOptions&) { refuse("broadcast"); }
WorkPtr Backend::allreduce(Tensors&, const AllreduceOptions&) { refuse("allreduce"); }
WorkPtr Backend::allreduce_coalesced(Tensors&, const AllreduceCoalescedOptions&) {
  refuse("allreduce_coalesced");
}
WorkPtr Backend::reduce(Tensors&, const ReduceOptions&) { refuse("reduce"); }
WorkPtr Backend::allgather(std::vector<Tensors>&, Tensors&, const AllgatherOptions&) {
  refuse("allgather");
}
WorkPtr Backend::allgather_base(at::Tensor&, at::Tensor&, const AllgatherOptions&) {
  refuse("_allgather_base");
}
WorkPtr Backend::allgather_coalesced(std::vector<Tensors>&, Tensors&, const AllgatherOptions&) {
  refuse("allgather_coalesced");
}
WorkPtr Backend::allgather_into_tensor_coalesced(Tensors&, Tensors&, const AllgatherOptions&) {
  refuse("allgather_into_tensor_coalesced");
}
WorkPtr Backend::gather(std::vector<Tensors>&, Tensors&, const GatherOptions&) { refuse("gather"); }
WorkPtr Backend::scatter(Tensors&, std::vector<Tensors>&, const ScatterOptions&) {
  refuse("scatter");
}
WorkPtr Backend::reduce_scatter(Tensors&, std::vector<Tensors>&, const ReduceScatterOptions&) {
  refuse("reduce_scatter");
}
WorkPtr Backend::reduce_scatter_base(at::Tensor&, at::Tensor&, const ReduceScatterOptions&) {
  refuse("_reduce_scatter_base");
}
WorkPtr Backend::reduce_scatter_tensor_coalesced(Tensors&, Tensors&, const ReduceScatterOptions&) {
  refuse("reduce_scatter_tensor_coalesced");
}
WorkPtr Backend::alltoall(Tensors&, Tensors&, const AllToAllOptions&) { refuse("alltoall"); }
WorkPtr Backend::alltoall_base(at::Tensor&, at::Tensor&, std::vector<int64_t>&,
                               std::vector<int64_t>&, const AllToAllOptions&) {
  refuse("alltoall_base");
}
WorkPtr Backend::send(Tensors&, int, int) { refuse("send"); }
WorkPtr Backend::recv(Tensors&, int, int) { refuse("recv"); }
WorkPtr Backend::recv_anysource(Tensors&, int) { refuse("recv from any source"); }
WorkPtr Backend::barrier(const BarrierOptions&) { refuse("barrier"); }
void Backend::monitored_barrier(OptionalTimeout, bool) { refuse("monitored_barrier"); }

}  // namespace c10d
