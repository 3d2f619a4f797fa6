#pragma once
// The part of cuBLAS that the kernels call, declared here so that building needs no copy of it:
// libcublas is opened on first use (CublasLibrary.cpp). Enumerations are passed as int.
// Source: the manual of cuBLAS 13. CublasLibrary.cpp compares the values with the header of the
// library where that is installed.

#include <cuda_runtime.h>

namespace at::cuda::cublas {

using Handle = void*;  // cublasHandle_t
using Status = int;    // cublasStatus_t; 0 is success

enum Operation : int { kNone = 0, kTranspose = 1, kConjugateTranspose = 2 };
enum DataType : int { kR32F = 0, kR64F = 1, kR16F = 2, kC32F = 4, kC64F = 5, kR16BF = 14 };
enum ComputeType : int { kCompute32F = 68, kCompute64F = 70, kCompute32FFastTF32 = 77 };
enum PointerMode : int { kHost = 0, kDevice = 1 };
enum Algorithm : int { kDefaultAlgorithm = -1 };
enum FillMode : int { kLower = 0, kUpper = 1 };
enum SideMode : int { kLeft = 0, kRight = 1 };
enum DiagonalType : int { kNonUnit = 0, kUnit = 1 };

// Functions that have a form for each type. Arrays of addresses are in device memory.
struct TypedFunctions {
  // op(A) X = alpha * B or X op(A) = alpha * B, in place of B, which is m x n.
  Status (*trsm)(Handle, int side, int uplo, int op, int diagonal, int m, int n, const void* alpha,
                 const void* a, int lda, void* b, int ldb);
  Status (*trsm_batched)(Handle, int side, int uplo, int op, int diagonal, int m, int n,
                         const void* alpha, const void* const* a, int lda, void* const* b, int ldb,
                         int count);
  // A = P L U in place; the pivots of one matrix follow those of another.
  Status (*getrf_batched)(Handle, int n, void* const* a, int lda, int* pivots, int* info,
                          int count);
};

struct Functions {
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*set_stream)(Handle, cudaStream_t);
  Status (*set_workspace)(Handle, void* memory, size_t bytes);  // holds until the next set_stream
  Status (*set_pointer_mode)(Handle, int);
  const char* (*status_name)(Status);
  // C = alpha * op(A) op(B) + beta * C, column-major; C is m x n.
  Status (*gemm)(Handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                 int type_a, int lda, const void* b, int type_b, int ldb, const void* beta, void* c,
                 int type_c, int ldc, int compute_type, int algorithm);
  Status (*gemm_batched)(Handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                         const void* a, int type_a, int lda, long long step_a, const void* b,
                         int type_b, int ldb, long long step_b, const void* beta, void* c,
                         int type_c, int ldc, long long step_c, int count, int compute_type,
                         int algorithm);
  Status (*dot)(Handle, int n, const void* x, int type_x, int incx, const void* y, int type_y,
                int incy, void* result, int type_result, int execution_type);
  Status (*dot_conj)(Handle, int n, const void* x, int type_x, int incx, const void* y, int type_y,
                     int incy, void* result, int type_result, int execution_type);
  TypedFunctions typed[4];  // float, double, complex float, complex double
};

// Opens the library. Throws if it is not there.
const Functions& functions();

// A handle of this thread and the current device that puts work on its current stream.
Handle handle();
// The memory that a product may use: what was set, what CUBLAS_WORKSPACE_CONFIG says, or what the
// library takes by itself.
size_t workspace_size();
void set_workspace_size(size_t bytes);
void check(Status status, const char* call);

}  // namespace at::cuda::cublas
