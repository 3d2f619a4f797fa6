#pragma once
// The part of cuFFT that the kernels call, declared here so that building needs no copy of it:
// libcufft is opened on first use (CufftLibrary.cpp). Enumerations are passed as int.
// Source: the manual of cuFFT 12. CufftLibrary.cpp compares the values with the header of the
// library where that is installed.

#include <cuda_runtime.h>

namespace at::cuda::cufft {

using Plan = int;    // cufftHandle
using Status = int;  // cufftResult; 0 is success

enum DataType : int { kR32F = 0, kR64F = 1, kR16F = 2, kC32F = 4, kC64F = 5, kC16F = 6 };
enum Direction : int { kForward = -1, kInverse = 1 };

struct Functions {
  Status (*create)(Plan*);
  Status (*destroy)(Plan);
  Status (*set_auto_allocation)(Plan, int on);
  // Element (b, i, j, k) of a side is at b * distance + ((i * embed[1] + j) * embed[2] + k) *
  // stride. `work` gives the bytes of memory that the plan needs when it runs.
  Status (*make_plan)(Plan, int rank, long long* sizes, long long* in_embed, long long in_stride,
                      long long in_distance, int in_type, long long* out_embed,
                      long long out_stride, long long out_distance, int out_type, long long batch,
                      size_t* work, int compute_type);
  Status (*set_stream)(Plan, cudaStream_t);
  Status (*set_work_area)(Plan, void*);
  Status (*execute)(Plan, void* in, void* out, int direction);
};

// Opens the library. Throws if it is not there.
const Functions& functions();

void check(Status status, const char* call);

}  // namespace at::cuda::cufft
