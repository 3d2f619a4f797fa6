#pragma once
// The part of NCCL that the collectives call, declared here so that building needs no copy of it:
// libnccl is opened on first use. Enumerations are passed as int. Source: the manual of NCCL 2.
// gpu/nccl.cpp compares the values with the header of the library where that is installed.

#include <cuda_runtime_api.h>
#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d::nccl {

using Comm = struct Communicator*;  // ncclComm_t
using Result = int;                 // ncclResult_t

// Passed by value, as the library takes it.
struct UniqueId {
  char bytes[128];
};

enum ResultCode : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};
enum DataType : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
};
enum Reduction : int { kSum = 0, kProduct = 1, kMax = 2, kMin = 3, kAverage = 4 };

struct Functions {
  Result (*version)(int*);
  Result (*unique_id)(UniqueId*);
  Result (*init_rank)(Comm*, int size, UniqueId id, int rank);
  Result (*destroy)(Comm);
  Result (*abort)(Comm);
  // The error of a collective that was under way.
  Result (*async_error)(Comm, Result*);
  const char* (*error_string)(Result);
  // What went wrong last, in words; null is allowed for the communicator.
  const char* (*last_error)(Comm);
  Result (*group_start)();
  Result (*group_end)();
  Result (*all_reduce)(const void* input, void* output, size_t count, int type, int op, Comm,
                       cudaStream_t);
  Result (*broadcast)(const void* input, void* output, size_t count, int type, int root, Comm,
                      cudaStream_t);
  Result (*reduce)(const void* input, void* output, size_t count, int type, int op, int root, Comm,
                   cudaStream_t);
  // `count` is that of the smaller of both memories.
  Result (*all_gather)(const void* input, void* output, size_t count, int type, Comm, cudaStream_t);
  Result (*reduce_scatter)(const void* input, void* output, size_t count, int type, int op, Comm,
                           cudaStream_t);
  Result (*send)(const void* input, size_t count, int type, int peer, Comm, cudaStream_t);
  Result (*receive)(void* output, size_t count, int type, int peer, Comm, cudaStream_t);
  // Null in the real library, whose collectives wait for ever: the emulated ones wait on the host.
  void (*set_timeout)(Comm, Milliseconds);
};

// Opens the library. Throws if it is not there.
const Functions& functions();

}  // namespace c10d::nccl
