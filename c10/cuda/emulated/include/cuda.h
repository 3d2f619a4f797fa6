#pragma once
// The part of the driver's interface that c10/cuda uses, for the emulated device: addresses that
// are reserved, memory that is mapped there, and parts of a GPU. Names and values are those of CUDA
// 13.

#define CUDA_VERSION 13010

#include <cuda_runtime_api.h>

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_INVALID_DEVICE = 101,
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemGenericAllocationHandle = unsigned long long;

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
};
struct CUgreenCtx_st;
struct CUdevResourceDesc_st;
using CUgreenCtx = CUgreenCtx_st*;
using CUdevResourceDesc = CUdevResourceDesc_st*;
using CUstream = cudaStream_t;

enum CUdevResourceType : int {
  CU_DEV_RESOURCE_TYPE_INVALID = 0,
  CU_DEV_RESOURCE_TYPE_SM = 1,
  CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG = 1000,
};
enum CUdevWorkqueueConfigScope : int {
  CU_WORKQUEUE_SCOPE_DEVICE_CTX = 0,
  CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED = 1,
};
enum CUgreenCtxCreate_flags : int { CU_GREEN_CTX_DEFAULT_STREAM = 1 };
enum CUstream_flags : int { CU_STREAM_NON_BLOCKING = 1 };
struct CUdevResource {
  CUdevResourceType type;
  struct {
    unsigned smCount, minSmPartitionSize, smCoscheduledAlignment;
  } sm;
  struct {
    CUdevice device;
    unsigned wqConcurrencyLimit;
    CUdevWorkqueueConfigScope sharingScope;
  } wqConfig;
};

enum CUmemAllocationType : int { CU_MEM_ALLOCATION_TYPE_PINNED = 1 };
enum CUmemAllocationHandleType : int {
  CU_MEM_HANDLE_TYPE_NONE = 0,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
};
enum CUmemLocationType : int { CU_MEM_LOCATION_TYPE_DEVICE = 1 };
enum CUmemAccess_flags : int {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
};
enum CUmemAllocationGranularity_flags : int { CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0 };

struct CUmemLocation {
  CUmemLocationType type;
  int id;
};
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
};
struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};

extern "C" {
CUresult cuGetErrorString(CUresult, const char**);
CUresult cuDeviceGetAttribute(int*, CUdevice_attribute, CUdevice);
CUresult cuDeviceGetDevResource(CUdevice, CUdevResource*, CUdevResourceType);
CUresult cuDevSmResourceSplitByCount(CUdevResource*, unsigned* groups, const CUdevResource*,
                                     CUdevResource* rest, unsigned flags, unsigned at_least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc*, CUdevResource*, unsigned count);
CUresult cuGreenCtxCreate(CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned flags);
CUresult cuGreenCtxDestroy(CUgreenCtx);
CUresult cuGreenCtxStreamCreate(CUstream*, CUgreenCtx, unsigned flags, int priority);
CUresult cuMemGetAllocationGranularity(size_t*, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags);
CUresult cuMemAddressReserve(CUdeviceptr*, size_t size, size_t alignment, CUdeviceptr address,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr, size_t size);
CUresult cuMemCreate(CUmemGenericAllocationHandle*, size_t size, const CUmemAllocationProp*,
                     unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle);
CUresult cuMemMap(CUdeviceptr, size_t size, size_t offset, CUmemGenericAllocationHandle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr, size_t size);
CUresult cuMemSetAccess(CUdeviceptr, size_t size, const CUmemAccessDesc*, size_t count);
CUresult cuMemExportToShareableHandle(void* result, CUmemGenericAllocationHandle,
                                      CUmemAllocationHandleType, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle*, void* handle,
                                        CUmemAllocationHandleType);
}
