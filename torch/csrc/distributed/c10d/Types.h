#pragma once
// How values are combined, and the options of the collectives.

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

struct ReduceOp {
  enum RedOpType : uint8_t { SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM };

  ReduceOp() = default;
  /* implicit */ ReduceOp(RedOpType op) : op(op) {}
  operator RedOpType() const { return op; }

  RedOpType op = SUM;
};

const char* name_of(ReduceOp::RedOpType op);

// No timeout: that of the backend.
using OptionalTimeout = std::optional<Milliseconds>;

struct CollectiveOptions {
  OptionalTimeout timeout;
  // False: the caller waits at once, so that the backend may work on the calling thread.
  bool async_op = true;
};
struct AllreduceOptions : CollectiveOptions {
  ReduceOp reduce_op;
};
struct AllreduceCoalescedOptions : AllreduceOptions {};
struct ReduceOptions : CollectiveOptions {
  ReduceOp reduce_op;
  int64_t root_rank = 0;
  int64_t root_tensor = 0;
};
struct ReduceScatterOptions : CollectiveOptions {
  ReduceOp reduce_op;
};
struct BroadcastOptions : CollectiveOptions {
  int64_t root_rank = 0;
  int64_t root_tensor = 0;
};
struct AllgatherOptions : CollectiveOptions {};
struct GatherOptions : CollectiveOptions {
  int64_t root_rank = 0;
};
struct ScatterOptions : CollectiveOptions {
  int64_t root_rank = 0;
};
struct AllToAllOptions : CollectiveOptions {};
struct BarrierOptions : CollectiveOptions {
  std::vector<int64_t> device_ids;
};

}  // namespace c10d
