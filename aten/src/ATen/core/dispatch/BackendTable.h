#pragma once
// Registers the kernels of a backend that is a separate library (CUDA).
//
// Note [Backend tables]
// torchgen writes the kernels that entries name for such a backend into Kernels_CUDA_FAMILY.cpp, as
// constant tables of (operator, kernel), together with join_CUDA(). The library calls that function
// when it is loaded. From then on the backend's slots hold its kernels, and composite kernels for
// the operators it does not implement, like the slots of the CPU. Kernels that were registered at
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

// Fills the slots of a backend's key. Joining a second time replaces the previous table.
void join_backend(c10::DispatchKey key, const BackendTable* const* tables, int num_tables);

}  // namespace at
