#pragma once
// What torch::cuda says in a build for CPUs.

#include <cstddef>

namespace torch::cuda {
inline size_t device_count() { return 0; }
inline bool is_available() { return false; }
inline bool cudnn_is_available() { return false; }
}  // namespace torch::cuda
