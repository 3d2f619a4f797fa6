#pragma once
// The part of cuBLASLt that products of matrices call, declared here so that building needs no copy
// of it: libcublasLt is opened on first use (CublasLtLibrary.cpp). Enumerations are passed as int,
// descriptors as void*. Source: the manual of cuBLAS 13. CublasLtLibrary.cpp compares the values
// with the header of the library where that is installed.

#include <cstddef>
#include <cstdint>

#include <ATen/cuda/CublasApi.h>
#include <c10/macros/Macros.h>

namespace at::cuda::cublaslt {

using Handle = void*;      // cublasLtHandle_t
using Descriptor = void*;  // of an operation, of the layout of a matrix, or of preferences
using Status = int;        // cublasStatus_t; 0 is success

// Beside those of CublasApi.h.
enum DataType : int { kR8I = 3, kR32I = 10, kR8FE4M3 = 28, kR8FE5M2 = 29 };
enum ComputeType : int { kCompute32I = 72 };

// What happens to a result before it is written: sums of flags.
enum Epilogue : uint32_t { kNothing = 1, kRelu = 2, kBias = 4, kReluBias = 6, kGeluBias = 36 };

enum OperationAttribute : int {
  kTransposeA = 3,         // int32
  kTransposeB = 4,         // int32
  kEpilogue = 7,           // uint32
  kBiasPointer = 8,        // the address of one number for each row of the column-major result
  kScalePointerA = 17,     // an address; the numbers are float
  kScalePointerB = 18,     // an address; the numbers are float
  kFastAccumulation = 25,  // int8
  kBiasType = 26,          // int32
  kScaleModeA = 31,        // int32
  kScaleModeB = 32,        // int32
};
enum ScaleMode : int { kOneNumber = 0, kNumberOfEachRow = 3 };
enum LayoutAttribute : int {
  kBatchCount = 5,   // int32
  kBatchOffset = 6,  // int64, in elements
};
enum PreferenceAttribute : int {
  kMaxWorkspace = 1,  // uint64, in bytes
  kAlignmentA = 5,    // uint32, in bytes; B, C and D follow
  kAlignmentD = 8,
};

struct Algorithm {
  uint64_t data[8];
};
// cublasLtMatmulHeuristicResult_t
struct Candidate {
  Algorithm algorithm;
  size_t workspace;  // bytes
  Status status;
  float waves;
  int reserved[4];
};

struct Functions {
  Status (*create)(Handle*);
  const char* (*status_name)(Status);
  Status (*create_operation)(Descriptor*, int compute_type, int scale_type);
  Status (*set_operation)(Descriptor, int attribute, const void*, size_t bytes);
  Status (*destroy_operation)(Descriptor);
  Status (*create_layout)(Descriptor*, int type, uint64_t rows, uint64_t columns, int64_t ld);
  Status (*set_layout)(Descriptor, int attribute, const void*, size_t bytes);
  Status (*destroy_layout)(Descriptor);
  Status (*create_preference)(Descriptor*);
  Status (*set_preference)(Descriptor, int attribute, const void*, size_t bytes);
  Status (*destroy_preference)(Descriptor);
  Status (*heuristic)(Handle, Descriptor operation, Descriptor a, Descriptor b, Descriptor c,
                      Descriptor d, Descriptor preference, int requested, Candidate*,
                      int* returned);
  // D = epilogue(alpha * op(A) op(B) + beta * C), column-major.
  Status (*matmul)(Handle, Descriptor operation, const void* alpha, const void* a, Descriptor,
                   const void* b, Descriptor, const void* beta, const void* c, Descriptor, void* d,
                   Descriptor, const Algorithm*, void* workspace, size_t bytes, cudaStream_t);
};

// Opens the library. Throws if it is not there.
const Functions& functions();

// A handle of this thread and the current device.
Handle handle();
void check(Status status, const char* call);

// The memory that an algorithm may use, in bytes: CUBLASLT_WORKSPACE_SIZE (in KiB) or
// torch.backends.cuda.cublaslt_workspace_size.
C10_API size_t workspace_size();
C10_API void set_workspace_size(size_t bytes);

}  // namespace at::cuda::cublaslt
