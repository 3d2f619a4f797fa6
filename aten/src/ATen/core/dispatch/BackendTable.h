#pragma once
// How a backend that is a library of its own (CUDA) brings its kernels.
//
// Note [Backend tables]
// torchgen writes the kernels that entries name for such a backend into Kernels_CUDA_FAMILY.cpp,
// as constant tables of (operator, kernel), and join_CUDA() beside them. The library calls that
// when it is loaded. From then on the backend's slots hold its kernels, and the composite kernels
// of operators that it has none for, as the slots of the CPU do. Kernels that were registered at
// run time stay in force.

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

struct BackendKernel {
  OperatorEntry* op;
  void* kernel;  // Ret(DispatchKeySet, Args...)
};
struct BackendTable {
  const BackendKernel* kernels;
  int count;
  const BackendKernel* begin() const { return kernels; }
  const BackendKernel* end() const { return kernels + count; }
};

// Fills the slots of a backend's key. Joining a second time replaces what was there.
void join_backend(c10::DispatchKey key, const BackendTable* const* tables, int num_tables);

}  // namespace at
