#pragma once
// What the collectives of all engines check about their tensors, and how they join and split them.

#include <torch/csrc/distributed/c10d/Backend.h>
#include <torch/csrc/distributed/c10d/tensor_ops.h>

namespace c10d {

inline char* bytes_of(const at::Tensor& t) { return static_cast<char*>(t.data_ptr()); }

// The device is that of the engine's tensors, here and below.
inline void check_dense(const char* name, const at::Tensor& t, at::DeviceType device = at::kCPU) {
  TORCH_CHECK(t.defined() && t.device().type() == device, name, "(): expected a tensor on ",
              device == at::kCPU ? "the CPU" : "a GPU", ", got ",
              t.defined() ? t.device().str() : "None");
}

inline const at::Tensor& only(const char* name, const Tensors& tensors,
                              at::DeviceType device = at::kCPU) {
  TORCH_CHECK(tensors.size() == 1, name, "(): expected one tensor, got ", tensors.size());
  check_dense(name, tensors[0], device);
  return tensors[0];
}

inline void check_like(const char* name, const at::Tensor& example, const at::Tensor& t) {
  check_dense(name, t, example.device().type());
  TORCH_CHECK(t.device() == example.device(), name, "(): all tensors must be on one device, got ",
              example.device(), " and ", t.device());
  TORCH_CHECK_VALUE(t.scalar_type() == example.scalar_type(), name,
                    "(): all tensors must have one dtype, got ",
                    c10::toString(example.scalar_type()), " and ", c10::toString(t.scalar_type()));
  TORCH_CHECK(t.numel() == example.numel(), name, "(): all tensors must have one size, got ",
              example.sizes(), " and ", t.sizes());
}

// A tensor whose elements lie one after the other: the tensor itself, or a copy that goes back.
struct Dense {
  explicit Dense(const at::Tensor& t) : original(t), tensor(at::contiguous(t)) {}
  void write_back() {
    if (tensor.data_ptr() != original.data_ptr()) copy_into(original, tensor);
  }
  at::Tensor original, tensor;
};

inline at::Tensor flat(const Tensors& tensors) {
  Tensors rows;
  for (const auto& t : tensors) rows.push_back(flattened(t));
  return at::cat(rows);
}

inline void split_into(const at::Tensor& joined, const Tensors& outputs) {
  int64_t at = 0;
  for (const auto& t : outputs) {
    copy_into(t, at::view(at::narrow(joined, 0, at, t.numel()), t.sizes()));
    at += t.numel();
  }
}

// Sums of half and bfloat16 over more than two ranks are done in float32 and rounded once.
inline bool needs_float(const at::Tensor& t, ReduceOp::RedOpType op, int size) {
  bool low = t.scalar_type() == at::kHalf || t.scalar_type() == at::kBFloat16;
  bool rounds = op == ReduceOp::SUM || op == ReduceOp::AVG || op == ReduceOp::PRODUCT;
  return low && rounds && (size > 2 || op == ReduceOp::AVG);
}

inline void divide_by_size(at::Tensor t, int size) {
  if (at::isIntegralType(t.scalar_type(), true)) {
    at::div_out(t, t, at::Scalar(size), "trunc");
  } else {
    at::div_out(t, t, at::Scalar(size));
  }
}

// How many elements go to, or come from, each rank: splits count rows of the first dimension.
inline std::vector<int64_t> elements_of_splits(const at::Tensor& t,
                                               const std::vector<int64_t>& splits, const char* name,
                                               int size) {
  int64_t rows = t.dim() ? t.size(0) : t.numel();
  if (splits.empty()) {
    TORCH_CHECK(rows % size == 0, "all_to_all_single(): the first dimension of the ", name,
                " has size ", rows, ", which ", size, " does not divide");
    return std::vector<int64_t>(static_cast<size_t>(size), t.numel() / size);
  }
  TORCH_CHECK(static_cast<int>(splits.size()) == size, "all_to_all_single(): expected ", size,
              " sizes of splits of the ", name, ", got ", splits.size());
  std::vector<int64_t> result;
  int64_t sum = 0, row = rows ? t.numel() / rows : 0;
  for (int64_t split : splits) {
    TORCH_CHECK(split >= 0 && split <= rows, "all_to_all_single(): a split of the ", name,
                " has size ", split);
    sum += split;
    result.push_back(split * row);
  }
  TORCH_CHECK(sum == rows, "all_to_all_single(): the splits of the ", name, " add up to ", sum,
              "; its first dimension has size ", rows);
  return result;
}

// The list of one tensor per rank that a rank takes where the tensors of all ranks meet or part.
inline const Tensors& list_for_ranks(const char* name, const std::vector<Tensors>& lists,
                                     const at::Tensor& example, int size) {
  TORCH_CHECK(lists.size() == 1 && static_cast<int>(lists[0].size()) == size, name,
              "(): expected a list of ", size, " tensors, one per rank, got ",
              lists.empty() ? 0 : lists[0].size());
  for (const auto& t : lists[0]) check_like(name, example, t);
  return lists[0];
}

// Of `whole`, which has the parts of all ranks, and `part`.
inline void check_parts(const char* name, const char* whole_name, const char* part_name,
                        const at::Tensor& whole, const at::Tensor& part, int size,
                        at::DeviceType device = at::kCPU) {
  check_dense(name, whole, device);
  check_dense(name, part, device);
  TORCH_CHECK_VALUE(whole.scalar_type() == part.scalar_type(), name,
                    "(): output and input must have one dtype");
  TORCH_CHECK(whole.numel() == part.numel() * size, name, "(): expected an ", whole_name, " of ",
              part.numel() * size, " elements, ", size, " times those of the ", part_name, ", got ",
              whole.numel());
}

}  // namespace c10d
