// Texts of CUDA's errors.

#include <c10/cuda/CUDAException.h>

#include <c10/util/Environment.h>

namespace c10::cuda {

void fail_cuda(cudaError_t error, const char* call, const char* file, int line) {
  (void)cudaGetLastError();  // what is left unread would be taken for the error of a later call
  std::string text = str("CUDA error: ", cudaGetErrorString(error), " (", cudaGetErrorName(error),
                         ") from ", call, " at ", file, ":", line);
  static const bool is_blocking = env_flag("CUDA_LAUNCH_BLOCKING");
  if (!is_blocking)
    text +=
        "\nKernels run after the call that launches them: an error of one may be reported by a "
        "later call. With CUDA_LAUNCH_BLOCKING=1 in the environment it is reported where it "
        "happens.";
  throw AcceleratorError(std::move(text), static_cast<int>(error));
}

}  // namespace c10::cuda
