#pragma once
// PyTorch's names of the checks of calls of CUDA and its libraries.

#include <c10/cuda/CUDAException.h>

#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)

// The statuses of the libraries are 0 for success. Their own headers need not be there.
#define AT_CUDA_LIBRARY_CHECK(library, call)                                                 \
  do {                                                                                       \
    const auto at_library_status = (call);                                                   \
    TORCH_CHECK(static_cast<int>(at_library_status) == 0, "CUDA error: " library " status ", \
                static_cast<int>(at_library_status), " when calling `" #call "`");           \
  } while (false)
#define TORCH_CUDABLAS_CHECK(call) AT_CUDA_LIBRARY_CHECK("cuBLAS", call)
#define TORCH_CUSPARSE_CHECK(call) AT_CUDA_LIBRARY_CHECK("cuSPARSE", call)
#define TORCH_CUSOLVER_CHECK(call) AT_CUDA_LIBRARY_CHECK("cuSOLVER", call)
#define AT_CUDNN_CHECK(call, ...) AT_CUDA_LIBRARY_CHECK("cuDNN", call)
#define AT_CUDA_DRIVER_CHECK(call) AT_CUDA_LIBRARY_CHECK("driver", call)
