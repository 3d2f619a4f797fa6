#pragma once
// Registers a CUDA kernel for a stub.
//
//   REGISTER_CUDA_DISPATCH(add_stub, &add_kernel)

#include <ATen/native/common/DispatchStub.h>

// The entry of the operator names the stub for CUDA: `dispatch: {CPU, CUDA: add_stub}`.
#define REGISTER_CUDA_DISPATCH(stub, fn) \
  [[maybe_unused]] static const bool stub##_has_cuda = (decltype(stub)::CUDA = fn, true);
