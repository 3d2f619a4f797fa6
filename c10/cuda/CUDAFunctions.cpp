// Counting and selecting devices.

#include <c10/cuda/CUDAFunctions.h>

#include <c10/cuda/BadFork.h>

#include <pthread.h>

#include <deque>
#include <mutex>

namespace c10::cuda {
namespace {

// A child of fork() shares the driver's state with its parent, and can use none of it.
bool g_is_in_bad_fork = false;

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { g_is_in_bad_fork = true; });
}

void check_fork() {
  TORCH_CHECK(!g_is_in_bad_fork,
              "CUDA cannot be used in a process that was forked from one that uses it; start "
              "processes by multiprocessing's 'spawn' or 'forkserver' method");
}

}  // namespace

bool is_in_bad_fork() noexcept { return g_is_in_bad_fork; }

// The first call of the runtime: from here on a child of fork() is lost for CUDA.
static cudaError_t count_devices(int* count) {
  static int known = -1;
  static cudaError_t error = cudaSuccess;
  static std::once_flag once;
  std::call_once(once, [] {
    int found = 0;
    error = cudaGetDeviceCount(&found);
    (void)cudaGetLastError();
    known = error == cudaSuccess ? found : 0;
    if (known > 0) watch_forks();
  });
  *count = known;
  return error;
}

DeviceIndex device_count() noexcept {
  int count;
  count_devices(&count);
  return static_cast<DeviceIndex>(count);
}

DeviceIndex device_count_ensure_non_zero() {
  check_fork();
  int count;
  cudaError_t error = count_devices(&count);
  if (error == cudaErrorInsufficientDriver) {
    int version = 0;  // stays 0 where there is no driver
    (void)cudaDriverGetVersion(&version);
    TORCH_CHECK(version != 0,
                "No CUDA GPUs are available: this machine has no NVIDIA driver. Install one for "
                "CUDA ",
                CUDART_VERSION / 1000, " or newer; `nvidia-smi` shows whether it is there");
    TORCH_CHECK(false, "No CUDA GPUs are available: the NVIDIA driver serves CUDA up to ",
                version / 1000, ".", version % 1000 / 10, ", and this build of torch needs CUDA ",
                CUDART_VERSION / 1000,
                ". Install a newer driver, or build against a toolkit that it serves (CUDA_HOME)");
  }
  TORCH_CHECK(count > 0, "No CUDA GPUs are available (", cudaGetErrorString(error),
              "); CUDA_VISIBLE_DEVICES may hide them");
  return static_cast<DeviceIndex>(count);
}

DeviceIndex current_device() {
  check_fork();
  int device;
  cudaError_t error = cudaGetDevice(&device);
  if (C10_UNLIKELY(error != cudaSuccess)) {
    (void)cudaGetLastError();
    device_count_ensure_non_zero();
    C10_CUDA_CHECK(error);
  }
  return static_cast<DeviceIndex>(device);
}

void check_device(DeviceIndex device) {
  DeviceIndex count = device_count_ensure_non_zero();
  TORCH_CHECK(device >= 0 && device < count, "cuda:", static_cast<int>(device),
              ": there is no device of that number; this process sees ", static_cast<int>(count));
}

void set_device(DeviceIndex device) {
  check_device(device);
  C10_CUDA_CHECK(cudaSetDevice(device));
}

DeviceIndex exchange_device(DeviceIndex device) {
  DeviceIndex before = current_device();
  if (device >= 0 && device != before) set_device(device);
  return before;
}

void device_synchronize() {
  check_fork();
  C10_CUDA_CHECK(cudaDeviceSynchronize());
}

const cudaDeviceProp& device_properties(DeviceIndex device) {
  check_device(device);
  static std::mutex mutex;
  static auto* known = new std::deque<std::pair<bool, cudaDeviceProp>>();
  std::lock_guard<std::mutex> lock(mutex);
  known->resize(static_cast<size_t>(device_count()));
  auto& [is_known, properties] = (*known)[static_cast<size_t>(device)];
  if (!is_known) C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  is_known = true;
  return properties;
}

}  // namespace c10::cuda
