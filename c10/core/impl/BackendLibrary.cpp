// Finds and opens the library of a backend.

#include <c10/core/impl/BackendLibrary.h>

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include <c10/util/Environment.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

namespace c10::impl {
namespace {

enum State : int { kUnknown, kMissing, kLoaded };
std::atomic<int> g_cuda{kUnknown};

std::string folder_of_this_library() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&load_backend_library), &info) || !info.dli_fname) return "";
  std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

// The emulated device is a test tool: beside a real one it has to be asked for.
std::string cuda_library() {
  std::string folder = folder_of_this_library();
  auto there = [](const std::string& path) { return ::access(path.c_str(), R_OK) == 0; };
  std::string real = folder + "libtorch_cuda.so", emulated = folder + "libtorch_cuda_emulated.so";
  const char* asked = std::getenv("TORCH_CUDA_EMULATED");
  bool is_emulated = asked && *asked ? env_flag("TORCH_CUDA_EMULATED") : !there(real);
  if (is_emulated) return there(emulated) ? emulated : "";
  return there(real) ? real : "";
}

bool load_cuda() {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (int state = g_cuda.load(); state != kUnknown) return state == kLoaded;
  std::string path = cuda_library();
  if (path.empty()) {
    g_cuda = kMissing;
    return false;
  }
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    const char* why = dlerror();
    TORCH_CHECK(false, "cannot load ", path, ": ", why ? why : "unknown reason");
  }
  C10_LOG(INFO, "loaded ", path);
  g_cuda = kLoaded;
  return true;
}

}  // namespace

bool backend_library_is_loaded(DeviceType type) {
  return type == DeviceType::CUDA && g_cuda.load() == kLoaded;
}

std::string backend_library(DeviceType type) {
  return type == DeviceType::CUDA ? cuda_library() : "";
}

bool load_backend_library(DeviceType type) {
  if (type != DeviceType::CUDA) return false;
  int state = g_cuda.load(std::memory_order_acquire);
  return state == kUnknown ? load_cuda() : state == kLoaded;
}

}  // namespace c10::impl
