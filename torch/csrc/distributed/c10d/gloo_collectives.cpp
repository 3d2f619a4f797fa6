// The collectives of ProcessGroupGloo, in terms of Gloo's.

#include <cstring>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>
#include <gloo/types.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.h>
#include <torch/csrc/distributed/c10d/collective_arguments.h>
#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/gloo_reductions.h>
#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {
namespace {

// Gloo takes the size of an element from a type.
template <size_t size>
struct Element {
  char bytes[size];
};
template <typename F>
void with_element_type(int64_t size, F&& f) {
  switch (size) {
    case 1:
      return f(static_cast<Element<1>*>(nullptr));
    case 2:
      return f(static_cast<Element<2>*>(nullptr));
    case 4:
      return f(static_cast<Element<4>*>(nullptr));
    case 8:
      return f(static_cast<Element<8>*>(nullptr));
    case 16:
      return f(static_cast<Element<16>*>(nullptr));
    default:
      TORCH_CHECK(false, "ProcessGroupGloo: elements of ", size, " bytes");
  }
}

template <typename Options>
void set_call(Options& o, const ProcessGroupGloo::Call& call) {
  o.setTag(call.tag);
  o.setTimeout(call.timeout);
}

uint64_t total_bytes(const Tensors& tensors) {
  uint64_t sum = 0;
  for (const auto& t : tensors) sum += t.nbytes();
  return sum;
}

// What ranks that combine values must agree on: see Note [Tags of collectives].
uint64_t kind_of(uint64_t bytes, const at::Tensor& t, ReduceOp::RedOpType op) {
  return bytes ^ static_cast<uint64_t>(t.scalar_type()) << 56 ^ static_cast<uint64_t>(op) << 48;
}

// Up to here all_reduce sends more bytes rather than more messages: see docs/distributed.md. Two
// ranks send as many bytes as in a ring, but combine twice as many.
size_t bytes_of_doubling(int size) {
  constexpr size_t kMin = 256 << 10, kOfAllRanks = 4 << 20;
  return size == 2 ? kOfAllRanks : std::max(kMin, kOfAllRanks / static_cast<size_t>(size));
}
// What a ring sends at once. Each segment costs a wakeup on both sides: with Gloo's default of 1
// MiB 64 MB took a tenth longer.
constexpr size_t kSegment = 4 << 20;

// A message between two ranks. Gloo has it under way from the constructor on.
class Message final : public Work {
 public:
  Message(std::shared_ptr<ProcessGroupGloo> group, ProcessGroupGloo::Call call,
          const at::Tensor& tensor, bool receives)
      : group_(std::move(group)),
        call_(std::move(call)),
        dense_(tensor),
        receives_(receives),
        buffer_(group_->context()->createUnboundBuffer(dense_.tensor.data_ptr(),
                                                       dense_.tensor.nbytes())) {
    result = {tensor};
  }
  gloo::transport::UnboundBuffer& buffer() { return *buffer_; }

  bool wait(Milliseconds timeout) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (done_) {
        if (error_) std::rethrow_exception(error_);
        return true;
      }
    }
    std::exception_ptr error;
    InterruptGuard guard([this] { abort(); });
    try {
      auto limit = timeout.count() > 0 ? timeout : call_.timeout;
      bool completed =
          receives_ ? buffer_->waitRecv(&source_rank_, limit) : buffer_->waitSend(limit);
      if (!completed) check_interrupts();
      if (!completed)
        throw DistBackendError("ProcessGroupGloo: " + call_.description + " was aborted");
      c10::NoGradGuard no_grad;
      if (receives_) dense_.write_back();
    } catch (const gloo::Exception& e) {
      try {
        group_->explain(call_, e);
      } catch (...) {
        error = std::current_exception();
      }
    } catch (...) {
      error = std::current_exception();
    }
    finish(error);
    if (error) std::rethrow_exception(error);
    return true;
  }

  void abort() override {
    if (receives_) {
      buffer_->abortWaitRecv();
    } else {
      buffer_->abortWaitSend();
    }
  }

 private:
  std::shared_ptr<ProcessGroupGloo> group_;
  ProcessGroupGloo::Call call_;
  Dense dense_;
  bool receives_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
};

uint64_t slot_of(int tag) {
  TORCH_CHECK(tag >= 0, "ProcessGroupGloo: expected a tag of at least 0, got ", tag);
  return static_cast<uint64_t>(tag);
}

}  // namespace

WorkPtr ProcessGroupGloo::broadcast(Tensors& tensors, const BroadcastOptions& options) {
  const at::Tensor& t = only("broadcast", tensors);
  check_rank("broadcast", "the source", options.root_rank);
  return submit("broadcast", t, tensors, options,
                [this, t, root = static_cast<int>(options.root_rank)](const Call& call) {
    if (size_ == 1 || t.numel() == 0) return;
    Dense dense(t);
    gloo::BroadcastOptions o(context_);
    set_call(o, call);
    o.setRoot(root);
    o.setOutput(bytes_of(dense.tensor), dense.tensor.nbytes());
    gloo::broadcast(o);
    if (rank_ != root) dense.write_back();
  });
}

// Ranks exchange all that they have with the one whose number differs in one bit, for each bit.
// Gloo's ring sends fewer bytes from 3 ranks on, but has 2 (p - 1) messages one after the other,
// not log2(p). Ranks from the largest power of two on let the one that many below them do their
// part.
void ProcessGroupGloo::reduce_by_doubling(const Call& call, const at::Tensor& values,
                                          const ReduceFunction& f) {
  static constexpr size_t kPiece = 512 << 10;
  const size_t bytes = values.nbytes();
  const auto piece_at = [bytes](size_t at) { return std::min(kPiece, bytes - at); };
  at::Tensor received = at::empty_like(values);
  auto own = context_->createUnboundBuffer(bytes_of(values), values.nbytes());
  auto other = context_->createUnboundBuffer(bytes_of(received), received.nbytes());
  uint64_t slot = gloo::Slot::build(gloo::kAllreduceSlotPrefix, call.tag);
  int power = 1;
  while (2 * power <= size_) power *= 2;
  if (rank_ >= power) {
    own->send(rank_ - power, slot);
    own->waitSend(call.timeout);
    own->recv(rank_ - power, slot);
    own->waitRecv(call.timeout);
    return;
  }
  bool has_guest = rank_ + power < size_;
  // The values of the lower rank come first, so that all ranks get the same bits.
  auto combine = [&](int peer, size_t at, size_t n) {
    void *mine = bytes_of(values) + at, *theirs = bytes_of(received) + at;
    f(mine, peer < rank_ ? theirs : mine, peer < rank_ ? mine : theirs, n / values.itemsize());
  };
  if (has_guest) {
    other->recv(rank_ + power, slot);
    other->waitRecv(call.timeout);
    combine(rank_ + power, 0, bytes);
  }
  for (int bit = 1; bit < power; bit *= 2) {
    int peer = rank_ ^ bit;
    // In pieces, which are combined while they are in the cache. Each arrives, and is sent, after
    // the one before it.
    for (size_t at = 0; at < bytes; at += kPiece) other->recv(peer, slot, at, piece_at(at));
    for (size_t at = 0; at < bytes; at += kPiece) own->send(peer, slot, at, piece_at(at));
    for (size_t at = 0; at < bytes; at += kPiece) {
      other->waitRecv(call.timeout);
      own->waitSend(call.timeout);
      combine(peer, at, piece_at(at));
    }
  }
  if (has_guest) {
    own->send(rank_ + power, slot);
    own->waitSend(call.timeout);
  }
}

void ProcessGroupGloo::allreduce_in_place(const Call& call, at::Tensor tensor,
                                          ReduceOp::RedOpType op) {
  ReduceFunction f = reduce_function(tensor.scalar_type(), op);
  if (tensor.numel() > 0 && size_ > 1) {
    bool in_float = needs_float(tensor, op, size_);
    Dense dense(in_float ? to_float(tensor) : tensor);
    if (in_float) f = reduce_function(at::kFloat, op);
    if (dense.tensor.nbytes() <= bytes_of_doubling(size_)) {
      reduce_by_doubling(call, dense.tensor, f);
    } else {
      gloo::AllreduceOptions o(context_);
      set_call(o, call);
      o.setReduceFunction(f);
      with_element_type(dense.tensor.element_size(), [&](auto* type) {
        o.setOutput(reinterpret_cast<decltype(type)>(bytes_of(dense.tensor)), dense.tensor.numel());
      });
      o.setMaxSegmentSize(kSegment);
      gloo::allreduce(o);
    }
    if (op == ReduceOp::AVG) divide_by_size(dense.tensor, size_);
    dense.write_back();
    if (in_float) copy_into(tensor, dense.tensor);
  }
}

WorkPtr ProcessGroupGloo::allreduce(Tensors& tensors, const AllreduceOptions& options) {
  const at::Tensor& t = only("all_reduce", tensors);
  reduce_function(t.scalar_type(), options.reduce_op);
  return submit("all_reduce", t, tensors, options,
                [this, t, op = options.reduce_op.op](const Call& call) {
    allreduce_in_place(call, t, op);
  }, kind_of(t.nbytes(), t, options.reduce_op.op));
}

WorkPtr ProcessGroupGloo::allreduce_coalesced(Tensors& tensors,
                                              const AllreduceCoalescedOptions& options) {
  TORCH_CHECK(!tensors.empty(), "all_reduce_coalesced(): expected at least one tensor");
  for (const auto& t : tensors) {
    check_dense("all_reduce_coalesced", t);
    TORCH_CHECK_VALUE(t.scalar_type() == tensors[0].scalar_type(),
                      "all_reduce_coalesced(): all tensors must have one dtype");
  }
  reduce_function(tensors[0].scalar_type(), options.reduce_op);
  return submit("all_reduce_coalesced", tensors[0], tensors, options,
                [this, tensors, op = options.reduce_op.op](const Call& call) {
    at::Tensor joined = flat(tensors);
    allreduce_in_place(call, joined, op);
    split_into(joined, tensors);
  }, kind_of(total_bytes(tensors), tensors[0], options.reduce_op.op));
}

WorkPtr ProcessGroupGloo::reduce(Tensors& tensors, const ReduceOptions& options) {
  const at::Tensor& t = only("reduce", tensors);
  check_rank("reduce", "the destination", options.root_rank);
  auto op = options.reduce_op.op;
  reduce_function(t.scalar_type(), op);
  return submit("reduce", t, tensors, options,
                [this, t, op, root = static_cast<int>(options.root_rank)](const Call& call) {
    if (size_ == 1 || t.numel() == 0) return;
    bool in_float = needs_float(t, op, size_);
    // The tensors of ranks other than the destination keep their values.
    at::Tensor work = in_float        ? to_float(t)
                      : rank_ == root ? at::contiguous(t)
                                      : at::clone(t, at::MemoryFormat::Contiguous);
    gloo::ReduceOptions o(context_);
    set_call(o, call);
    o.setRoot(root);
    o.setReduceFunction(reduce_function(work.scalar_type(), op));
    with_element_type(work.element_size(), [&](auto* type) {
      o.setOutput(reinterpret_cast<decltype(type)>(bytes_of(work)), work.numel());
    });
    gloo::reduce(o);
    if (rank_ != root) return;
    if (op == ReduceOp::AVG) divide_by_size(work, size_);
    if (work.data_ptr() != t.data_ptr()) copy_into(t, work);
  }, kind_of(t.nbytes(), t, op));
}

void ProcessGroupGloo::all_gather_flat(const Call& call, const at::Tensor& output,
                                       const at::Tensor& input) {
  if (input.numel() == 0) return;
  Dense in(input), out(output);
  gloo::AllgatherOptions o(context_);
  set_call(o, call);
  o.setInput(bytes_of(in.tensor), in.tensor.nbytes());
  o.setOutput(bytes_of(out.tensor), out.tensor.nbytes());
  gloo::allgather(o);
  out.write_back();
}

WorkPtr ProcessGroupGloo::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                    const AllgatherOptions& options) {
  const at::Tensor& input = only("all_gather", inputs);
  const Tensors& list = list_for_ranks("all_gather", outputs, input, size_);
  return submit("all_gather", input, list, options, [this, input, list](const Call& call) {
    at::Tensor joined = at::empty({input.numel() * size_}, input.options().requires_grad(false));
    all_gather_flat(call, joined, input);
    split_into(joined, list);
  });
}

WorkPtr ProcessGroupGloo::allgather_base(at::Tensor& output, at::Tensor& input,
                                         const AllgatherOptions& options) {
  check_parts("all_gather_into_tensor", "output", "input", output, input, size_);
  return submit("all_gather_into_tensor", input, {output}, options,
                [this, output, input](const Call& call) { all_gather_flat(call, output, input); });
}

WorkPtr ProcessGroupGloo::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                              const AllgatherOptions& options) {
  TORCH_CHECK(!inputs.empty(), "all_gather_coalesced(): expected at least one tensor");
  TORCH_CHECK(static_cast<int>(outputs.size()) == size_, "all_gather_coalesced(): expected ", size_,
              " lists, one per rank, got ", outputs.size());
  Tensors all;
  for (const auto& list : outputs) {
    TORCH_CHECK(list.size() == inputs.size(), "all_gather_coalesced(): expected lists of ",
                inputs.size(), " tensors");
    for (size_t i = 0; i < list.size(); ++i) check_like("all_gather_coalesced", inputs[i], list[i]);
    all.insert(all.end(), list.begin(), list.end());
  }
  return submit("all_gather_coalesced", inputs[0], all, options,
                [this, outputs, inputs](const Call& call) {
    at::Tensor own = flat(inputs);
    at::Tensor joined = at::empty({own.numel() * size_}, own.options());
    all_gather_flat(call, joined, own);
    for (int i = 0; i < size_; ++i)
      split_into(at::narrow(joined, 0, i * own.numel(), own.numel()), outputs[i]);
  }, total_bytes(inputs));
}

WorkPtr ProcessGroupGloo::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                          const AllgatherOptions& options) {
  TORCH_CHECK(
      outputs.size() == inputs.size() && !inputs.empty(),
      "allgather_into_tensor_coalesced(): expected as many outputs as inputs, and at least one");
  for (size_t i = 0; i < inputs.size(); ++i) {
    TORCH_CHECK(outputs[i].numel() == inputs[i].numel() * size_ &&
                    outputs[i].scalar_type() == inputs[i].scalar_type(),
                "allgather_into_tensor_coalesced(): output ", i, " does not fit its input");
  }
  return submit("allgather_into_tensor_coalesced", inputs[0], outputs, options,
                [this, outputs, inputs](const Call& call) {
    for (size_t i = 0; i < inputs.size(); ++i) all_gather_flat(call, outputs[i], inputs[i]);
  }, total_bytes(inputs));
}

WorkPtr ProcessGroupGloo::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                 const GatherOptions& options) {
  const at::Tensor& input = only("gather", inputs);
  check_rank("gather", "the destination", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  Tensors list;
  if (rank_ == root) {
    list = list_for_ranks("gather", outputs, input, size_);
  } else {
    TORCH_CHECK(outputs.empty() || outputs[0].empty(),
                "gather(): only the destination takes a list of tensors");
  }
  return submit("gather", input, list, options, [this, input, list, root](const Call& call) {
    if (input.numel() == 0) return;
    Dense in(input);
    at::Tensor joined;
    gloo::GatherOptions o(context_);
    set_call(o, call);
    o.setRoot(root);
    o.setInput(bytes_of(in.tensor), in.tensor.nbytes());
    if (rank_ == root) {
      joined = at::empty({input.numel() * size_}, input.options().requires_grad(false));
      o.setOutput(bytes_of(joined), joined.nbytes());
    }
    gloo::gather(o);
    if (rank_ == root) split_into(joined, list);
  });
}

WorkPtr ProcessGroupGloo::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                  const ScatterOptions& options) {
  const at::Tensor& output = only("scatter", outputs);
  check_rank("scatter", "the source", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  Tensors list;
  if (rank_ == root) {
    list = list_for_ranks("scatter", inputs, output, size_);
  } else {
    TORCH_CHECK(inputs.empty() || inputs[0].empty(),
                "scatter(): only the source takes a list of tensors");
  }
  return submit("scatter", output, outputs, options, [this, output, list, root](const Call& call) {
    if (output.numel() == 0) return;
    Dense out(output);
    gloo::ScatterOptions o(context_);
    set_call(o, call);
    o.setRoot(root);
    o.setOutput(bytes_of(out.tensor), out.tensor.nbytes());
    Tensors held;
    std::vector<char*> parts;
    for (const auto& t : list) {
      held.push_back(at::contiguous(t));
      parts.push_back(bytes_of(held.back()));
    }
    if (rank_ == root) o.setInputs(parts, out.tensor.nbytes());
    gloo::scatter(o);
    out.write_back();
  });
}

// Every rank sends each other one its part and reduces what it gets: the bytes of a ring, and the
// sum of all ranks in one place, where it can be done in float32.
void ProcessGroupGloo::exchange_and_reduce(const Call& call, const at::Tensor& output,
                                           const at::Tensor& input, ReduceOp::RedOpType op) {
  if (output.numel() == 0) return;
  at::Tensor parts = at::empty({size_, output.numel()}, input.options().requires_grad(false));
  Dense in(input);
  gloo::AlltoallOptions o(context_);
  set_call(o, call);
  o.setInput(bytes_of(in.tensor), in.tensor.nbytes());
  o.setOutput(bytes_of(parts), parts.nbytes());
  gloo::alltoall(o);
  if (needs_float(parts, op, size_)) parts = to_float(parts);
  ReduceFunction f = reduce_function(parts.scalar_type(), op);
  at::Tensor sum = at::select(parts, 0, 0);
  for (int i = 1; i < size_; ++i)
    f(sum.data_ptr(), sum.data_ptr(), at::select(parts, 0, i).data_ptr(), sum.numel());
  if (op == ReduceOp::AVG) divide_by_size(sum, size_);
  copy_into(output, at::view(sum, output.sizes()));
}

WorkPtr ProcessGroupGloo::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                         const ReduceScatterOptions& options) {
  const at::Tensor& output = only("reduce_scatter", outputs);
  const Tensors& list = list_for_ranks("reduce_scatter", inputs, output, size_);
  reduce_function(output.scalar_type(), options.reduce_op);
  return submit("reduce_scatter", output, outputs, options,
                [this, output, list, op = options.reduce_op.op](const Call& call) {
    exchange_and_reduce(call, output, flat(list), op);
  }, kind_of(output.nbytes(), output, options.reduce_op.op));
}

WorkPtr ProcessGroupGloo::reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                              const ReduceScatterOptions& options) {
  check_parts("reduce_scatter_tensor", "input", "output", input, output, size_);
  reduce_function(output.scalar_type(), options.reduce_op);
  return submit("reduce_scatter_tensor", output, {output}, options,
                [this, output, input, op = options.reduce_op.op](const Call& call) {
    exchange_and_reduce(call, output, input, op);
  }, kind_of(output.nbytes(), output, options.reduce_op.op));
}

WorkPtr ProcessGroupGloo::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                          const ReduceScatterOptions& options) {
  TORCH_CHECK(
      outputs.size() == inputs.size() && !inputs.empty(),
      "reduce_scatter_tensor_coalesced(): expected as many outputs as inputs, and at least one");
  for (size_t i = 0; i < inputs.size(); ++i) {
    TORCH_CHECK(inputs[i].numel() == outputs[i].numel() * size_ &&
                    outputs[i].scalar_type() == inputs[i].scalar_type(),
                "reduce_scatter_tensor_coalesced(): input ", i, " does not fit its output");
    reduce_function(outputs[i].scalar_type(), options.reduce_op);
  }
  return submit("reduce_scatter_tensor_coalesced", outputs[0], outputs, options,
                [this, outputs, inputs, op = options.reduce_op.op](const Call& call) {
    for (size_t i = 0; i < inputs.size(); ++i) exchange_and_reduce(call, outputs[i], inputs[i], op);
  }, kind_of(total_bytes(inputs), inputs[0], options.reduce_op.op));
}

// Sends each rank its part of the input, one after the other in memory, and puts what comes from it
// into its part of the output. The ranks may disagree about a size, see Note [Tags of collectives].
void ProcessGroupGloo::exchange(const Call& call, char* output,
                                const std::vector<int64_t>& output_bytes, char* input,
                                const std::vector<int64_t>& input_bytes) {
  auto begins = [](const std::vector<int64_t>& sizes) {
    std::vector<size_t> result{0};
    for (int64_t size : sizes) result.push_back(result.back() + static_cast<size_t>(size));
    return result;
  };
  auto out_begins = begins(output_bytes), in_begins = begins(input_bytes);
  TORCH_CHECK(output_bytes[rank_] == input_bytes[rank_], "all_to_all(): rank ", rank_, " sends ",
              input_bytes[rank_], " bytes to itself and expects ", output_bytes[rank_]);
  if (input_bytes[rank_] > 0)
    std::memcpy(output + out_begins[rank_], input + in_begins[rank_],
                static_cast<size_t>(input_bytes[rank_]));
  auto in = context_->createUnboundBuffer(input, in_begins.back());
  auto out = context_->createUnboundBuffer(output, out_begins.back());
  auto slot = [&](int64_t bytes) {
    return static_cast<uint64_t>(
        gloo::Slot::build(gloo::kAlltoallSlotPrefix,
                          tag_of(call.number, "all_to_all", static_cast<uint64_t>(bytes))));
  };
  int sends = 0, receives = 0;
  for (int i = 1; i < size_; ++i) {
    int to = (rank_ + i) % size_, from = (rank_ + size_ - i) % size_;
    int64_t sent = input_bytes[to], received = output_bytes[from];
    if (received > 0) {
      out->recv(from, slot(received), out_begins[from], static_cast<size_t>(received));
      ++receives;
    }
    if (sent > 0) {
      in->send(to, slot(sent), in_begins[to], static_cast<size_t>(sent));
      ++sends;
    }
  }
  while (receives-- > 0) out->waitRecv(call.timeout);
  while (sends-- > 0) in->waitSend(call.timeout);
}

WorkPtr ProcessGroupGloo::alltoall(Tensors& outputs, Tensors& inputs,
                                   const AllToAllOptions& options) {
  TORCH_CHECK(static_cast<int>(outputs.size()) == size_ && static_cast<int>(inputs.size()) == size_,
              "all_to_all(): expected lists of ", size_, " tensors, one per rank, got ",
              outputs.size(), " and ", inputs.size());
  for (const auto* list : {&outputs, &inputs}) {
    for (const auto& t : *list) {
      check_dense("all_to_all", t);
      TORCH_CHECK_VALUE(t.scalar_type() == inputs[0].scalar_type(),
                        "all_to_all(): all tensors must have one dtype");
    }
  }
  return submit("all_to_all", at::Tensor(), outputs, options,
                [this, outputs, inputs](const Call& call) {
    std::vector<int64_t> in_sizes, out_sizes;
    int64_t received = 0;
    for (const auto& t : inputs) in_sizes.push_back(static_cast<int64_t>(t.nbytes()));
    for (const auto& t : outputs) {
      out_sizes.push_back(static_cast<int64_t>(t.nbytes()));
      received += t.numel();
    }
    at::Tensor in = flat(inputs), out = at::empty({received}, in.options());
    exchange(call, bytes_of(out), out_sizes, bytes_of(in), in_sizes);
    split_into(out, outputs);
  });
}

WorkPtr ProcessGroupGloo::alltoall_base(at::Tensor& output, at::Tensor& input,
                                        std::vector<int64_t>& output_splits,
                                        std::vector<int64_t>& input_splits,
                                        const AllToAllOptions& options) {
  check_dense("all_to_all_single", output);
  check_dense("all_to_all_single", input);
  TORCH_CHECK_VALUE(output.scalar_type() == input.scalar_type(),
                    "all_to_all_single(): output and input must have one dtype");
  int64_t size = output.element_size();
  auto out_bytes = elements_of_splits(output, output_splits, "output", size_);
  auto in_bytes = elements_of_splits(input, input_splits, "input", size_);
  for (auto* counts : {&out_bytes, &in_bytes}) {
    for (auto& n : *counts) n *= size;
  }
  return submit("all_to_all_single", at::Tensor(), {output}, options,
                [this, output, input, out_bytes, in_bytes](const Call& call) {
    Dense in(input), out(output);
    exchange(call, bytes_of(out.tensor), out_bytes, bytes_of(in.tensor), in_bytes);
    out.write_back();
  });
}

WorkPtr ProcessGroupGloo::send(Tensors& tensors, int destination, int tag) {
  const at::Tensor& t = only("send", tensors);
  check_rank("send", "the destination", destination);
  TORCH_CHECK(destination != rank_, "send(): rank ", rank_, " cannot send to itself");
  Call call{format("send of {} bytes to rank {}, tag {}", t.nbytes(), destination, tag), 0, 0,
            options_.timeout};
  auto work = std::make_shared<Message>(shared_from_this(), call, t, false);
  try {
    work->buffer().send(destination, slot_of(tag));
  } catch (const gloo::Exception& e) {
    explain(call, e);
  }
  return work;
}

WorkPtr ProcessGroupGloo::recv(Tensors& tensors, int source, int tag) {
  const at::Tensor& t = only("recv", tensors);
  check_rank("recv", "the source", source);
  TORCH_CHECK(source != rank_, "recv(): rank ", rank_, " cannot receive from itself");
  Call call{format("recv of {} bytes from rank {}, tag {}", t.nbytes(), source, tag), 0, 0,
            options_.timeout};
  auto work = std::make_shared<Message>(shared_from_this(), call, t, true);
  try {
    work->buffer().recv(source, slot_of(tag));
  } catch (const gloo::Exception& e) {
    explain(call, e);
  }
  return work;
}

WorkPtr ProcessGroupGloo::recv_anysource(Tensors& tensors, int tag) {
  const at::Tensor& t = only("recv", tensors);
  std::vector<int> sources;
  for (int i = 0; i < size_; ++i) {
    if (i != rank_) sources.push_back(i);
  }
  TORCH_CHECK(!sources.empty(), "recv(): a group of one rank has no sender");
  Call call{format("recv of {} bytes from any rank, tag {}", t.nbytes(), tag), 0, 0,
            options_.timeout};
  auto work = std::make_shared<Message>(shared_from_this(), call, t, true);
  try {
    work->buffer().recv(sources, slot_of(tag));
  } catch (const gloo::Exception& e) {
    explain(call, e);
  }
  return work;
}

WorkPtr ProcessGroupGloo::barrier(const BarrierOptions& options) {
  return submit("barrier", at::Tensor(), {}, options, [this](const Call& call) {
    gloo::BarrierOptions o(context_);
    set_call(o, call);
    gloo::barrier(o);
  });
}

}  // namespace c10d
