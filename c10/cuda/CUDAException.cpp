// Texts of CUDA's errors.

#include <c10/cuda/CUDAException.h>

#include <atomic>

#include <c10/util/Environment.h>

namespace c10::cuda {

static std::atomic<std::string (*)()> g_running{nullptr};

void name_operators_by(std::string (*running)()) { g_running = running; }

// What to do about an error whose text does not say so.
static const char* advice(cudaError_t error) {
  switch (error) {
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureInvalidated:
      return "A stream that is captured in a graph cannot be waited for, nor can results be read "
             "by the host: item(), nonzero(), printing, copies to the CPU, synchronize(). Do that "
             "before the capture or after it.";
    case cudaErrorDevicesUnavailable:
      return "Another process has the GPU for itself (nvidia-smi shows its processes and compute "
             "mode). Wait for it to end, or choose another GPU by CUDA_VISIBLE_DEVICES.";
    case cudaErrorInsufficientDriver:
      return "The driver is too old for the CUDA runtime of this build. Install a newer driver, or "
             "build against the toolkit that the driver supports (CUDA_HOME).";
    case cudaErrorNoKernelImageForDevice:
      return "This build has no machine code for the GPU. Build with TORCH_CUDA_ARCH_LIST set to "
             "its compute capability (nvidia-smi --query-gpu=compute_cap --format=csv).";
    case cudaErrorInvalidResourceHandle:
      return "A stream or event that was destroyed, or of another device, was used.";
    case cudaErrorAssert:
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
      return "The device cannot be used by this process any more; start it again.";
    default:
      return nullptr;
  }
}

void fail_cuda(cudaError_t error, const char* call, const char* file, int line) {
  (void)cudaGetLastError();  // what is left unread would be taken for the error of a later call
  std::string text = str("CUDA error: ", cudaGetErrorString(error), " (", cudaGetErrorName(error),
                         ") from ", call, " at ", file, ":", line);
  if (const auto running = g_running.load()) {
    const std::string op = running();
    if (!op.empty()) text += str(", in ", op);
  }
  if (const char* what_to_do = advice(error)) text += str("\n", what_to_do);
  static const bool is_blocking = env_flag("CUDA_LAUNCH_BLOCKING");
  if (!is_blocking)
    text +=
        "\nKernels run after the call that launches them: an error of one may be reported by a "
        "later call. With CUDA_LAUNCH_BLOCKING=1 in the environment it is reported where it "
        "happens.";
  throw AcceleratorError(std::move(text), static_cast<int>(error));
}

}  // namespace c10::cuda
