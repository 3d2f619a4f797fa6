#pragma once
// The vmaps that are running on a thread.

#include <ATen/core/Tensor.h>

namespace at::functorch {

enum class Randomness : uint8_t { Error, Different, Same };

struct VmapLevel {
  int64_t batch_size;
  Randomness randomness;
};

// Begins a level and returns its number; the outermost is 1.
int64_t enter_vmap(int64_t batch_size, Randomness randomness);
void exit_vmap();
// Makes random operators errors, without a level, until it is called with false as often.
void refuse_random(bool refuses);
bool is_random_refused();
// The number of levels; 0 outside of vmap.
int64_t current_level();
// The levels are numbered from 1.
const VmapLevel& vmap_level(int64_t level);

// Takes off the innermost level while a random operator is passed on to the outer ones.
class WithoutInnermostLevel {
 public:
  WithoutInnermostLevel();
  ~WithoutInnermostLevel();
  WithoutInnermostLevel(const WithoutInnermostLevel&) = delete;

 private:
  VmapLevel level_;
};

// --- levels and dimensions ---------------------------------------------------------------------
// The tensor as a member of batches at all levels from 1 to `levels`; a tensor that is the same in
// all examples is expanded.
Tensor batched_at_all_levels(const Tensor& t, int64_t levels);
// Makes the batches of the levels up to `levels` leading dimensions, outermost first. Inner levels
// stay.
Tensor levels_to_dims(const Tensor& t, int64_t levels);
// The reverse.
Tensor dims_to_levels(const Tensor& t, int64_t levels);
// Ends the batch of one level: its dimension becomes `dim` of the result. A tensor that is the same
// in all examples is expanded.
Tensor remove_batch_dim(const Tensor& t, int64_t level, int64_t batch_size, int64_t dim);

}  // namespace at::functorch
