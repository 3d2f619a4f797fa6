// Handles and errors of cuBLAS.

#include <ATen/cuda/CublasApi.h>
#include <ATen/cuda/HandlePool.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/util/Environment.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>

#if __has_include(<cublas_v2.h>) && !defined(TORCH_CUDA_EMULATED)
#include <cublas_v2.h>
#define AT_CUBLAS_VALUE(name, value) \
  static_assert(static_cast<int>(at::cuda::cublas::name) == static_cast<int>(value))
AT_CUBLAS_VALUE(kNone, CUBLAS_OP_N);
AT_CUBLAS_VALUE(kTranspose, CUBLAS_OP_T);
AT_CUBLAS_VALUE(kConjugateTranspose, CUBLAS_OP_C);
AT_CUBLAS_VALUE(kR32F, CUDA_R_32F);
AT_CUBLAS_VALUE(kR64F, CUDA_R_64F);
AT_CUBLAS_VALUE(kR16F, CUDA_R_16F);
AT_CUBLAS_VALUE(kC32F, CUDA_C_32F);
AT_CUBLAS_VALUE(kC64F, CUDA_C_64F);
AT_CUBLAS_VALUE(kR16BF, CUDA_R_16BF);
AT_CUBLAS_VALUE(kCompute32F, CUBLAS_COMPUTE_32F);
AT_CUBLAS_VALUE(kCompute64F, CUBLAS_COMPUTE_64F);
AT_CUBLAS_VALUE(kCompute32FFastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
AT_CUBLAS_VALUE(kHost, CUBLAS_POINTER_MODE_HOST);
AT_CUBLAS_VALUE(kDevice, CUBLAS_POINTER_MODE_DEVICE);
AT_CUBLAS_VALUE(kDefaultAlgorithm, CUBLAS_GEMM_DEFAULT);
AT_CUBLAS_VALUE(kLower, CUBLAS_FILL_MODE_LOWER);
AT_CUBLAS_VALUE(kUpper, CUBLAS_FILL_MODE_UPPER);
AT_CUBLAS_VALUE(kLeft, CUBLAS_SIDE_LEFT);
AT_CUBLAS_VALUE(kRight, CUBLAS_SIDE_RIGHT);
AT_CUBLAS_VALUE(kNonUnit, CUBLAS_DIAG_NON_UNIT);
AT_CUBLAS_VALUE(kUnit, CUBLAS_DIAG_UNIT);
static_assert(CUBLAS_STATUS_SUCCESS == 0);
#undef AT_CUBLAS_VALUE

#include <ATen/cuda/SameSignature.h>
namespace at::cuda::cublas {
AT_SAME_SIGNATURE(Functions::create, cublasCreate_v2);
AT_SAME_SIGNATURE(Functions::destroy, cublasDestroy_v2);
AT_SAME_SIGNATURE(Functions::set_stream, cublasSetStream_v2);
AT_SAME_SIGNATURE(Functions::set_workspace, cublasSetWorkspace_v2);
AT_SAME_SIGNATURE(Functions::set_pointer_mode, cublasSetPointerMode_v2);
AT_SAME_SIGNATURE(Functions::status_name, cublasGetStatusName);
AT_SAME_SIGNATURE(TypedFunctions::trsm, cublasStrsm_v2);
AT_SAME_SIGNATURE(TypedFunctions::trsm_batched, cublasStrsmBatched);
AT_SAME_SIGNATURE(TypedFunctions::getrf_batched, cublasZgetrfBatched);
}  // namespace at::cuda::cublas
#endif

namespace at::cuda::cublas {

namespace {

constexpr size_t kUnset = std::numeric_limits<size_t>::max();
std::atomic<size_t> g_requested{kUnset};

// The last product's, so that the next one on its stream gets it again.
// A pointer, so that it takes little of the C library's space for thread-local variables.
thread_local std::unique_ptr<c10::DataPtr> t_workspace;

// ":SIZE:COUNT" for each kind of buffer, SIZE in KiB.
size_t size_from_environment() {
  const char* text = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  if (!text || !*text) return kUnset;
  size_t all = 0;
  for (size_t size, count; *text;) {
    int length = 0;
    if (std::sscanf(text, ":%zu:%zu%n", &size, &count, &length) != 2) {
      c10::env_ignored("CUBLAS_WORKSPACE_CONFIG", "it is not :SIZE:COUNT, one or several");
      return kUnset;
    }
    all += size * count * 1024;
    text += length;
  }
  return all;
}

void* create() {
  Handle handle = nullptr;
  check(functions().create(&handle), "cublasCreate");
  return handle;
}

}  // namespace

void check(Status status, const char* call) {
  TORCH_CHECK(status == 0, "CUDA error: ", functions().status_name(status), " when calling `", call,
              "`");
}

Handle handle() {
  const Handle handle = handle_of_thread<create>();
  check(functions().set_stream(handle, c10::cuda::getCurrentCUDAStream()), "cublasSetStream");
  if (const size_t size = g_requested; size != kUnset) {
    t_workspace.reset();
    t_workspace =
        std::make_unique<c10::DataPtr>(c10::cuda::CUDACachingAllocator::get()->allocate(size));
    check(functions().set_workspace(handle, t_workspace->get(), size), "cublasSetWorkspace");
  }
  return handle;
}

size_t workspace_size() {
  if (const size_t size = g_requested; size != kUnset) return size;
  static const size_t from_environment = size_from_environment();
  if (from_environment != kUnset) return from_environment;
  const auto& properties = c10::cuda::device_properties(c10::cuda::current_device());
  return (size_t{properties.major >= 9 ? 32u : 4u}) << 20;
}

void set_workspace_size(size_t bytes) { g_requested = bytes; }

}  // namespace at::cuda::cublas
