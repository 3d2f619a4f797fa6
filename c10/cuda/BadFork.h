#pragma once
// Processes that were forked from one that uses CUDA.

#include <c10/macros/Export.h>

namespace c10::cuda {

// Whether this process was forked from one that uses CUDA: nothing of it works here.
C10_API bool is_in_bad_fork() noexcept;

}  // namespace c10::cuda
