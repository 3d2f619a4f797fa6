#pragma once
// Which plane and place an element of a pooled tensor belongs to, in either memory format.

#include <ATen/native/pooling/PoolShape.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {

// For elements of a tensor with planes of `sizes`: their coordinates, and where the same plane of
// another tensor lies.
class PoolIndex {
 public:
  PoolIndex(const PoolShape& s, const int64_t* sizes, int64_t other_numel)
      : channels_last_(s.channels_last), other_(other_numel) {
    const int64_t limit = s.batch * s.channels * sizes[0] * sizes[1] * sizes[2];
    plane_ = Dense4Division(sizes, limit);
    channels_ = IndexDivision(s.channels, limit);
  }
  struct Place {
    int64_t at[3];
    int64_t first, step;  // of the other tensor's plane: its first element, and the next one
  };
  __device__ Place operator()(int64_t i) const {
    if (channels_last_) {
      const auto pixel = channels_.divide(i);
      const Dense4Index index = plane_.divide(pixel.quotient);
      return {{index.at[0], index.at[1], index.at[2]},
              index.outer * other_ * channels_.size() + pixel.remainder,
              channels_.size()};
    }
    const Dense4Index index = plane_.divide(i);
    return {{index.at[0], index.at[1], index.at[2]}, index.outer * other_, 1};
  }

 private:
  bool channels_last_;
  int64_t other_;
  Dense4Division plane_;
  IndexDivision channels_;
};

}  // namespace at::native
