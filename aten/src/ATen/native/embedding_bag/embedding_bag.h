#pragma once
// The modes of embedding_bag, and which calls have no map from indices to bags.

#include <ATen/core/Tensor.h>

namespace at::native {

enum class BagMode : int64_t { Sum = 0, Mean = 1, Max = 2 };

// PyTorch returns an empty map from indices to bags for plain sums. The gradient then makes it from
// the offsets.
inline bool has_bag_map(const Tensor& weight, int64_t mode,
                        const std::optional<Tensor>& per_sample_weights, int64_t padding_idx) {
  bool dense =
      weight.strides().back() == 1 && (!per_sample_weights || !per_sample_weights->defined() ||
                                       per_sample_weights->strides().back() == 1);
  return mode != static_cast<int64_t>(BagMode::Sum) || padding_idx >= 0 ||
         weight.scalar_type() == kDouble || !dense;
}

}  // namespace at::native
