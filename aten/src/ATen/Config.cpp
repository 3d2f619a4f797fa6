// Describes what this build contains and how it was compiled.

#include <ATen/Config.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/util/StringUtil.h>
#include <torch_build_facts.h>

#include <cstdlib>
#include <thread>

namespace at {

std::string get_cpu_capability() { return native::cpu_capability_name(native::g_cpu_capability); }

// The device that torch.cuda means.
static std::string cuda() {
  const std::string library = c10::impl::backend_library(kCUDA);
  if (library.empty()) return "off";
  return library.find("_emulated") == std::string::npos ? TORCH_BUILD_CUDA : "emulated device";
}

std::string show_config() {
  return c10::str("torch ", TORCH_BUILD_VERSION, " built with:\n", "  - ", TORCH_BUILD_COMPILER,
                  ", C++17, ", TORCH_BUILD_TYPE, "\n",
                  "  - CPU capabilities: ", TORCH_BUILD_CPU_CAPABILITIES,
                  "; in use: ", get_cpu_capability(), "\n",
                  "  - oneDNN: ", TORCH_BUILD_USE_MKLDNN ? TORCH_BUILD_ONEDNN : "off", "\n",
                  "  - OpenBLAS: ", TORCH_BUILD_USE_BLAS ? TORCH_BUILD_OPENBLAS : "off", "\n",
                  "  - SLEEF: ", TORCH_BUILD_SLEEF, "\n",
                  "  - Threads: ", TORCH_BUILD_USE_OPENMP ? "native thread pool" : "off", "\n",
                  "  - NumPy bindings: ", TORCH_BUILD_USE_NUMPY ? "on" : "off", "\n",
                  "  - CUDA: ", cuda(), "\n");
}

static std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return c10::str("  ", name, ": ", value ? value : "[not set]", "\n");
}

std::string get_parallel_info() {
  return c10::str("ATen/Parallel:\n\tat::get_num_threads() : ", get_num_threads(),
                  "\n\tat::get_num_interop_threads() : ", get_num_interop_threads(),
                  "\nstd::thread::hardware_concurrency() : ", std::thread::hardware_concurrency(),
                  "\nEnvironment variables:\n", environment("OMP_NUM_THREADS"),
                  "ATen parallel backend: ", has_openmp() ? "native thread pool" : "none", "\n");
}

bool has_mkldnn() { return TORCH_BUILD_USE_MKLDNN; }
bool has_blas() { return TORCH_BUILD_USE_BLAS; }
bool has_openmp() { return TORCH_BUILD_USE_OPENMP; }

std::string get_cxx_flags() { return TORCH_BUILD_CXX_FLAGS; }

}  // namespace at
