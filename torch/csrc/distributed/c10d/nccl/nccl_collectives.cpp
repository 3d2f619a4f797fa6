// The collectives of ProcessGroupNCCL.

#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/nccl/NcclWork.h>

#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/distributed/c10d/collective_arguments.h>

namespace c10d {
namespace {

using nccl::functions;

size_t count_of(const at::Tensor& t) { return static_cast<size_t>(t.numel()); }

// Elements that are moved and not looked at: their type, and how many there are of it.
struct Bytes {
  explicit Bytes(const at::Tensor& t)
      : data(t.data_ptr()), count(count_of(t) * static_cast<size_t>(t.element_size())) {}
  void* data;
  size_t count;
  static constexpr int type = nccl::kUint8;
};

int number_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::ScalarType::Char:
      return nccl::kInt8;
    case at::ScalarType::Byte:
    case at::ScalarType::Bool:
      return nccl::kUint8;
    case at::ScalarType::Int:
      return nccl::kInt32;
    case at::ScalarType::UInt32:
      return nccl::kUint32;
    case at::ScalarType::Long:
      return nccl::kInt64;
    case at::ScalarType::UInt64:
      return nccl::kUint64;
    case at::ScalarType::Half:
      return nccl::kFloat16;
    case at::ScalarType::Float:
      return nccl::kFloat32;
    case at::ScalarType::Double:
      return nccl::kFloat64;
    case at::ScalarType::BFloat16:
      return nccl::kBfloat16;
    default:
      return -1;
  }
}

// -1 where NCCL has none. Sums of bool are "or", products are "and".
int operation(at::ScalarType dtype, ReduceOp::RedOpType op) {
  bool is_bool = dtype == at::kBool;
  switch (op) {
    case ReduceOp::SUM:
      return is_bool ? nccl::kMax : nccl::kSum;
    case ReduceOp::AVG:
      return is_bool ? -1 : nccl::kAverage;
    case ReduceOp::PRODUCT:
      return is_bool ? nccl::kMin : nccl::kProduct;
    case ReduceOp::MIN:
      return nccl::kMin;
    case ReduceOp::MAX:
      return nccl::kMax;
    default:
      return -1;
  }
}

// How the elements of a tensor are combined.
struct Reduction {
  Reduction(const at::Tensor& t, ReduceOp::RedOpType kind)
      : type(number_type(t.scalar_type())), op(operation(t.scalar_type(), kind)) {
    TORCH_CHECK(type >= 0 && op >= 0, "ProcessGroupNCCL: NCCL has no ReduceOp.", name_of(kind),
                " for tensors of ", c10::toString(t.scalar_type()));
  }
  int type, op;
};

// A tensor that is made dense on the stream of the collective.
struct DenseLater {
  explicit DenseLater(const at::Tensor& t) : original(t) {}
  void prepare() { tensor = at::contiguous(original); }
  void write_back() const {
    if (tensor.data_ptr() != original.data_ptr()) copy_into(original, tensor);
  }
  at::Tensor original, tensor;
};

void check_on_device(const char* name, const at::Tensor& t, const at::Tensor& example) {
  check_dense(name, t, at::kCUDA);
  TORCH_CHECK(t.device() == example.device(), name, "(): expected all tensors on ",
              example.device(), ", got one on ", t.device());
}

void check_list(const char* name, const Tensors& tensors, bool one_dtype = true) {
  TORCH_CHECK(!tensors.empty(), name, "(): expected at least one tensor");
  for (const auto& t : tensors) {
    check_on_device(name, t, tensors[0]);
    TORCH_CHECK_VALUE(!one_dtype || t.scalar_type() == tensors[0].scalar_type(), name,
                      "(): all tensors must have one dtype, got ",
                      c10::toString(tensors[0].scalar_type()), " and ",
                      c10::toString(t.scalar_type()));
  }
}

void check_pairs(const char* name, const Tensors& inputs, const Tensors& outputs) {
  TORCH_CHECK(outputs.size() == inputs.size(), name, "(): expected as many outputs as inputs, got ",
              outputs.size(), " and ", inputs.size());
  check_list(name, inputs, false);
  for (const auto& t : outputs) check_on_device(name, t, inputs[0]);
}

// Several calls that begin together.
template <typename F>
nccl::Result as_group(const F& calls) {
  nccl::Result result = functions().group_start();
  if (result != nccl::kSuccess) return result;
  result = calls();
  nccl::Result ended = functions().group_end();
  return result == nccl::kSuccess ? ended : result;
}

Tensors with(Tensors list, const at::Tensor& t) {
  list.insert(list.begin(), t);
  return list;
}

}  // namespace

WorkPtr ProcessGroupNCCL::broadcast(Tensors& tensors, const BroadcastOptions& options) {
  const at::Tensor& t = only("broadcast", tensors, at::kCUDA);
  check_rank("broadcast", "the source", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  DenseLater dense(t);
  return submit("broadcast", channel(t.device()), tensors, tensors, options,
                [&] { dense.prepare(); }, [&](const Channel& on) {
    Bytes bytes(dense.tensor);
    return functions().broadcast(bytes.data, bytes.data, bytes.count, bytes.type, root, on.comm,
                                 on.stream);
  }, [&] {
    if (rank_ != root) dense.write_back();
  });
}

WorkPtr ProcessGroupNCCL::allreduce(Tensors& tensors, const AllreduceOptions& options) {
  const at::Tensor& t = only("all_reduce", tensors, at::kCUDA);
  Reduction how(t, options.reduce_op.op);
  DenseLater dense(t);
  return submit("all_reduce", channel(t.device()), tensors, tensors, options,
                [&] { dense.prepare(); }, [&](const Channel& on) {
    void* data = dense.tensor.data_ptr();
    return functions().all_reduce(data, data, count_of(t), how.type, how.op, on.comm, on.stream);
  }, [&] { dense.write_back(); });
}

WorkPtr ProcessGroupNCCL::allreduce_coalesced(Tensors& tensors,
                                              const AllreduceCoalescedOptions& options) {
  check_list("all_reduce_coalesced", tensors, false);
  std::vector<DenseLater> all(tensors.begin(), tensors.end());
  std::vector<Reduction> how;
  for (const auto& t : tensors) how.emplace_back(t, options.reduce_op.op);
  return submit("all_reduce_coalesced", channel(tensors[0].device()), tensors, tensors, options,
                [&] {
    for (auto& dense : all) dense.prepare();
  }, [&](const Channel& on) {
    return as_group([&] {
      for (size_t i = 0; i < all.size(); ++i) {
        void* data = all[i].tensor.data_ptr();
        nccl::Result result = functions().all_reduce(data, data, count_of(all[i].tensor),
                                                     how[i].type, how[i].op, on.comm, on.stream);
        if (result != nccl::kSuccess) return result;
      }
      return static_cast<nccl::Result>(nccl::kSuccess);
    });
  }, [&] {
    for (auto& dense : all) dense.write_back();
  });
}

WorkPtr ProcessGroupNCCL::reduce(Tensors& tensors, const ReduceOptions& options) {
  const at::Tensor& t = only("reduce", tensors, at::kCUDA);
  check_rank("reduce", "the destination", options.root_rank);
  int root = static_cast<int>(options.root_rank);
  Reduction how(t, options.reduce_op.op);
  DenseLater dense(t);
  return submit("reduce", channel(t.device()), tensors, tensors, options, [&] { dense.prepare(); },
                [&](const Channel& on) {
    void* data = dense.tensor.data_ptr();
    return functions().reduce(data, data, count_of(t), how.type, how.op, root, on.comm, on.stream);
  }, [&] {
    if (rank_ == root) dense.write_back();
  });
}

WorkPtr ProcessGroupNCCL::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                    const AllgatherOptions& options) {
  const at::Tensor& input = only("all_gather", inputs, at::kCUDA);
  const Tensors& list = list_for_ranks("all_gather", outputs, input, size_);
  DenseLater own(input);
  at::Tensor joined;
  return submit("all_gather", channel(input.device()), with(list, input), list, options, [&] {
    own.prepare();
    joined = at::empty({input.numel() * size_}, input.options().requires_grad(false));
  }, [&](const Channel& on) {
    Bytes bytes(own.tensor);
    return functions().all_gather(bytes.data, joined.data_ptr(), bytes.count, bytes.type, on.comm,
                                  on.stream);
  }, [&] { split_into(joined, list); });
}

// One call for each pair of an input and an output; they begin together.
WorkPtr ProcessGroupNCCL::submit_pairs(const char* name, Tensors& inputs, Tensors& outputs,
                                       const CollectiveOptions& options, const PairCall& call) {
  std::vector<DenseLater> in(inputs.begin(), inputs.end()), out(outputs.begin(), outputs.end());
  Tensors used = inputs;
  used.insert(used.end(), outputs.begin(), outputs.end());
  return submit(name, channel(inputs[0].device()), used, outputs, options, [&] {
    for (auto& dense : in) dense.prepare();
    for (auto& dense : out) dense.prepare();
  }, [&](const Channel& on) {
    return as_group([&] {
      nccl::Result result = nccl::kSuccess;
      for (size_t i = 0; i < in.size() && result == nccl::kSuccess; ++i)
        result = call(i, in[i].tensor, out[i].tensor, on);
      return result;
    });
  }, [&] {
    for (auto& dense : out) dense.write_back();
  });
}

WorkPtr ProcessGroupNCCL::allgather_base(at::Tensor& output, at::Tensor& input,
                                         const AllgatherOptions& options) {
  Tensors outputs{output}, inputs{input};
  return allgather_into_tensor_coalesced(outputs, inputs, options);
}

WorkPtr ProcessGroupNCCL::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                          const AllgatherOptions& options) {
  const char* name = "all_gather_into_tensor";
  check_pairs(name, inputs, outputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    check_parts(name, "output", "input", outputs[i], inputs[i], size_, at::kCUDA);
  return submit_pairs(name, inputs, outputs, options,
                      [](size_t, const at::Tensor& in, const at::Tensor& out, const Channel& on) {
    Bytes bytes(in);
    return functions().all_gather(bytes.data, out.data_ptr(), bytes.count, bytes.type, on.comm,
                                  on.stream);
  });
}

WorkPtr ProcessGroupNCCL::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                         const ReduceScatterOptions& options) {
  const at::Tensor& output = only("reduce_scatter", outputs, at::kCUDA);
  const Tensors& list = list_for_ranks("reduce_scatter", inputs, output, size_);
  Reduction how(output, options.reduce_op.op);
  DenseLater out(output);
  at::Tensor joined;
  return submit("reduce_scatter", channel(output.device()), with(list, output), {output}, options,
                [&] {
    out.prepare();
    joined = flat(list);
  }, [&](const Channel& on) {
    return functions().reduce_scatter(joined.data_ptr(), out.tensor.data_ptr(), count_of(output),
                                      how.type, how.op, on.comm, on.stream);
  }, [&] { out.write_back(); });
}

WorkPtr ProcessGroupNCCL::reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                              const ReduceScatterOptions& options) {
  Tensors outputs{output}, inputs{input};
  return reduce_scatter_tensor_coalesced(outputs, inputs, options);
}

WorkPtr ProcessGroupNCCL::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                          const ReduceScatterOptions& options) {
  const char* name = "reduce_scatter_tensor";
  check_pairs(name, inputs, outputs);
  std::vector<Reduction> how;
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_parts(name, "input", "output", inputs[i], outputs[i], size_, at::kCUDA);
    how.emplace_back(inputs[i], options.reduce_op.op);
  }
  return submit_pairs(
      name, inputs, outputs, options,
      [&](size_t i, const at::Tensor& in, const at::Tensor& out, const Channel& on) {
    return functions().reduce_scatter(in.data_ptr(), out.data_ptr(), count_of(out), how[i].type,
                                      how[i].op, on.comm, on.stream);
  });
}

// --- what NCCL has no call for: messages between the ranks that begin together -----------------

// Sends and receives a tensor of each rank; undefined ones are none. That of this rank is copied.
WorkPtr ProcessGroupNCCL::exchange(const char* name, Channel& on, const Tensors& used,
                                   Tensors result, const CollectiveOptions& options,
                                   const std::function<void()>& prepare,
                                   const std::shared_ptr<Tensors>& sent,
                                   const std::shared_ptr<Tensors>& received, const End& end) {
  return submit(name, on, used, std::move(result), options, prepare, [&](const Channel& c) {
    return as_group([&] {
      nccl::Result code = nccl::kSuccess;
      for (int peer = 0; peer < size_ && code == nccl::kSuccess; ++peer) {
        const at::Tensor& out = (*sent)[static_cast<size_t>(peer)];
        const at::Tensor& in = (*received)[static_cast<size_t>(peer)];
        if (peer == rank_) continue;
        if (out.defined() && out.numel()) {
          Bytes bytes(out);
          code = functions().send(bytes.data, bytes.count, bytes.type, peer, c.comm, c.stream);
        }
        if (code == nccl::kSuccess && in.defined() && in.numel()) {
          Bytes bytes(in);
          code = functions().receive(bytes.data, bytes.count, bytes.type, peer, c.comm, c.stream);
        }
      }
      return code;
    });
  }, [&] {
    const at::Tensor& out = (*sent)[static_cast<size_t>(rank_)];
    const at::Tensor& in = (*received)[static_cast<size_t>(rank_)];
    if (out.defined() && in.defined()) copy_into(in, out);
    if (end) end();
  });
}

WorkPtr ProcessGroupNCCL::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                 const GatherOptions& options) {
  const at::Tensor& input = only("gather", inputs, at::kCUDA);
  check_rank("gather", "the destination", options.root_rank);
  bool is_root = rank_ == options.root_rank;
  Tensors list;
  if (is_root) {
    list = list_for_ranks("gather", outputs, input, size_);
  } else {
    TORCH_CHECK(outputs.empty() || outputs[0].empty(),
                "gather(): only the destination takes a list of tensors");
  }
  auto n = static_cast<size_t>(size_);
  auto sent = std::make_shared<Tensors>(n), received = std::make_shared<Tensors>(n);
  return exchange("gather", channel(input.device()), with(list, input), list, options, [&] {
    (*sent)[static_cast<size_t>(options.root_rank)] = at::contiguous(input);
    for (size_t i = 0; i < list.size(); ++i) (*received)[i] = at::contiguous(list[i]);
  }, sent, received, [&] {
    for (size_t i = 0; i < list.size(); ++i) {
      if ((*received)[i].data_ptr() != list[i].data_ptr()) copy_into(list[i], (*received)[i]);
    }
  });
}

WorkPtr ProcessGroupNCCL::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                  const ScatterOptions& options) {
  const at::Tensor& output = only("scatter", outputs, at::kCUDA);
  check_rank("scatter", "the source", options.root_rank);
  Tensors list;
  if (rank_ == options.root_rank) {
    list = list_for_ranks("scatter", inputs, output, size_);
  } else {
    TORCH_CHECK(inputs.empty() || inputs[0].empty(),
                "scatter(): only the source takes a list of tensors");
  }
  auto n = static_cast<size_t>(size_);
  auto sent = std::make_shared<Tensors>(n), received = std::make_shared<Tensors>(n);
  DenseLater out(output);
  return exchange("scatter", channel(output.device()), with(list, output), {output}, options, [&] {
    for (size_t i = 0; i < list.size(); ++i) (*sent)[i] = at::contiguous(list[i]);
    out.prepare();
    (*received)[static_cast<size_t>(options.root_rank)] = out.tensor;
  }, sent, received, [&] { out.write_back(); });
}

WorkPtr ProcessGroupNCCL::alltoall(Tensors& outputs, Tensors& inputs,
                                   const AllToAllOptions& options) {
  TORCH_CHECK(static_cast<int>(outputs.size()) == size_ && static_cast<int>(inputs.size()) == size_,
              "all_to_all(): expected lists of ", size_, " tensors, one per rank, got ",
              outputs.size(), " and ", inputs.size());
  Tensors used = inputs;
  used.insert(used.end(), outputs.begin(), outputs.end());
  check_list("all_to_all", used);
  auto own = static_cast<size_t>(rank_);
  TORCH_CHECK(inputs[own].numel() == outputs[own].numel(), "all_to_all(): rank ", rank_, " sends ",
              inputs[own].numel(), " elements to itself and receives ", outputs[own].numel());
  auto sent = std::make_shared<Tensors>(inputs), received = std::make_shared<Tensors>(outputs);
  return exchange("all_to_all", channel(inputs[0].device()), used, outputs, options, [&] {
    for (auto& t : *sent) t = at::contiguous(t);
    for (auto& t : *received) t = at::contiguous(t);
  }, sent, received, [&] {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if ((*received)[i].data_ptr() != outputs[i].data_ptr()) copy_into(outputs[i], (*received)[i]);
    }
  });
}

WorkPtr ProcessGroupNCCL::alltoall_base(at::Tensor& output, at::Tensor& input,
                                        std::vector<int64_t>& output_splits,
                                        std::vector<int64_t>& input_splits,
                                        const AllToAllOptions& options) {
  check_list("all_to_all_single", {input, output});
  auto out_parts = elements_of_splits(output, output_splits, "output", size_);
  auto in_parts = elements_of_splits(input, input_splits, "input", size_);
  auto own = static_cast<size_t>(rank_);
  TORCH_CHECK(out_parts[own] == in_parts[own], "all_to_all_single(): rank ", rank_, " sends ",
              in_parts[own], " elements to itself and receives ", out_parts[own]);
  auto sent = std::make_shared<Tensors>(), received = std::make_shared<Tensors>();
  DenseLater in(input), out(output);
  auto cut = [](const at::Tensor& t, const std::vector<int64_t>& parts, Tensors& into) {
    int64_t begin = 0;
    for (int64_t part : parts) {
      into.push_back(at::narrow(flattened(t), 0, begin, part));
      begin += part;
    }
  };
  return exchange("all_to_all_single", channel(input.device()), {input, output}, {output}, options,
                  [&] {
    in.prepare();
    out.prepare();
    cut(in.tensor, in_parts, *sent);
    cut(out.tensor, out_parts, *received);
  }, sent, received, [&] { out.write_back(); });
}

WorkPtr ProcessGroupNCCL::message(const char* name, Tensors& tensors, int peer, bool receives) {
  const at::Tensor& t = only(name, tensors, at::kCUDA);
  check_rank(name, receives ? "the source" : "the destination", peer);
  TORCH_CHECK(peer != rank_, name, "(): rank ", rank_, " cannot talk to itself");
  auto call = [receives](const at::Tensor& dense, int other, const Channel& on) {
    Bytes bytes(dense);
    return receives
               ? functions().receive(bytes.data, bytes.count, bytes.type, other, on.comm, on.stream)
               : functions().send(bytes.data, bytes.count, bytes.type, other, on.comm, on.stream);
  };
  if (coalescing_) {
    // Made dense on the caller's stream, which the group's stream waits for.
    auto dense = std::make_shared<DenseLater>(t);
    dense->prepare();
    messages_.push_back({t, [dense, call, peer](const Channel& on) {
      return call(dense->tensor, peer, on);
    }, [dense, receives] {
      if (receives) dense->write_back();
    }});
    return nullptr;
  }
  DenseLater dense(t);
  return submit(name, channel_to(t.device(), peer), tensors, tensors, CollectiveOptions(), [&] {
    dense.prepare();
  }, [&](const Channel& on) { return call(dense.tensor, on.peer_rank, on); }, [&] {
    if (receives) dense.write_back();
  });
}

// NCCL has no tags: messages between two ranks arrive in the order in which they were sent.
WorkPtr ProcessGroupNCCL::send(Tensors& tensors, int destination, int) {
  return message("send", tensors, destination, false);
}
WorkPtr ProcessGroupNCCL::recv(Tensors& tensors, int source, int) {
  return message("recv", tensors, source, true);
}

WorkPtr ProcessGroupNCCL::barrier(const BarrierOptions& options) {
  int count = c10::cuda::device_count();
  // One that the group uses already, or the one that this rank is likely to use.
  int index = channels_.empty() ? rank_ % count : channels_.begin()->first.first;
  if (!options.device_ids.empty()) {
    index = static_cast<int>(options.device_ids[0]);
    TORCH_CHECK_VALUE(index >= 0 && index < count, "barrier(): expected device_ids from 0 to ",
                      count - 1, ", got ", index);
  }
  at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
  c10::cuda::CUDAGuard guard(device);
  at::Tensor one = at::zeros({1}, at::TensorOptions(at::kInt).device(device));
  auto work =
      submit("barrier", channel(device), {one}, {}, options, nullptr, [&](const Channel& on) {
    return functions().all_reduce(one.data_ptr(), one.data_ptr(), 1, nccl::kInt32, nccl::kSum,
                                  on.comm, on.stream);
  });
  static_cast<NcclWork&>(*work).block_host();
  return work;
}

}  // namespace c10d
