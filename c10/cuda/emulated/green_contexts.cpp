// The driver's calls for parts of a GPU. A part has numbers only: all kernels run on the CPU.

#include <cuda.h>

#include <memory>
#include <set>

#include "device.h"

using namespace torch_emulated_cuda;

struct CUdevResourceDesc_st {
  unsigned multiprocessors = 0;
};
struct CUgreenCtx_st {
  CUdevice device;
};

namespace {

constexpr unsigned kSmallestPart = 2;  // a GPU's is 2 to 8

unsigned multiprocessors(int device) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return 0;
  return static_cast<unsigned>(properties.multiProcessorCount);
}

std::set<CUgreenCtx>& contexts() {
  static auto* all = new std::set<CUgreenCtx>();
  return *all;
}

}  // namespace

extern "C" {

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  if (device < 0 || device >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  *resource = {};
  resource->type = type;
  if (type == CU_DEV_RESOURCE_TYPE_SM) {
    resource->sm.smCount = multiprocessors(device);
    resource->sm.minSmPartitionSize = resource->sm.smCoscheduledAlignment = kSmallestPart;
  } else if (type == CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG) {
    resource->wqConfig.device = device;
    resource->wqConfig.wqConcurrencyLimit = 8;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource* result, unsigned* groups,
                                     const CUdevResource* input, CUdevResource* rest, unsigned,
                                     unsigned at_least) {
  if (input->type != CU_DEV_RESOURCE_TYPE_SM || !result || at_least > input->sm.smCount)
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned size = (at_least + kSmallestPart - 1) / kSmallestPart * kSmallestPart;
  unsigned left = input->sm.smCount, made = 0;
  for (; made < *groups && left >= size; ++made, left -= size) {
    result[made] = *input;
    result[made].sm.smCount = size;
  }
  *groups = made;
  if (rest) *rest = *input, rest->sm.smCount = left;
  return CUDA_SUCCESS;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* result, CUdevResource* resources,
                                   unsigned count) {
  auto made = std::make_unique<CUdevResourceDesc_st>();
  for (unsigned k = 0; k < count; ++k) {
    const CUdevResource& r = resources[k];
    if (r.type == CU_DEV_RESOURCE_TYPE_SM) made->multiprocessors = r.sm.smCount;
    else if (r.type != CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG || r.wqConfig.wqConcurrencyLimit == 0)
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (made->multiprocessors == 0) return CUDA_ERROR_INVALID_VALUE;
  *result = made.release();  // CUDA has no call that frees it
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx* result, CUdevResourceDesc description, CUdevice device,
                          unsigned flags) {
  if (!description || flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  if (device < 0 || device >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock(device_mutex());
  *result = new CUgreenCtx_st{device};
  contexts().insert(*result);
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx context) {
  Lock lock(device_mutex());
  if (contexts().erase(context) == 0) return CUDA_ERROR_INVALID_VALUE;
  delete context;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx context, unsigned flags,
                                int priority) {
  Lock lock(device_mutex());
  if (contexts().count(context) == 0 || flags != CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  const int before = current_device();
  cudaSetDevice(context->device);
  const cudaError_t error = cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, priority);
  cudaSetDevice(before);
  return error == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

}  // extern "C"
