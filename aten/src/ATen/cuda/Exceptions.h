#pragma once
// PyTorch's names of the checks of CUDA calls.

#include <c10/cuda/CUDAException.h>

#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)
