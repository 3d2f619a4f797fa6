// Opens libtorch_mkldnn and libtorch_blas on first use.

#include <ATen/native/common/NativeLibraries.h>

#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <string>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ThreadPool.h>
#include <c10/util/ForkMutex.h>
#include <c10/util/Logging.h>

namespace at::native {

// The path of a file in this library's folder.
static std::string beside(const char* name) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&beside), &info) || !info.dli_fname) return name;
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(name) : path.substr(0, slash + 1) + name;
}

static std::mutex g_mutex;
static c10::HoldDuringFork g_hold(g_mutex);

std::mutex& native_library_mutex() { return g_mutex; }

struct Library {
  std::atomic<bool> opened{false};
  const void* table = nullptr;
};

[[maybe_unused]] C10_NOINLINE static void open(Library& library, const char* file,
                                               const char* entry) {
  std::string path = beside(file), problem;
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    if (library.opened.load(std::memory_order_relaxed)) return;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      auto get = reinterpret_cast<const void* (*)()>(dlsym(handle, entry));
      if (get) library.table = get();
    } else {
      const char* why = dlerror();
      problem = why ? why : "unknown reason";
    }
    library.opened.store(true, std::memory_order_release);
  }
  // Called without the lock: listeners may run Python code.
  if (problem.empty()) {
    C10_LOG(INFO, "loaded ", path);
  } else {
    TORCH_WARN("cannot open ", path, ": ", problem, ". Slower code of our own is used instead.");
  }
}

const BlasLibrary* blas_library() {
#ifdef AT_BLAS_ENABLED
  static Library library;
  if (C10_UNLIKELY(!library.opened.load(std::memory_order_acquire)))
    open(library, "libtorch_blas.so", "torch_blas_library");
  return static_cast<const BlasLibrary*>(library.table);
#else
  return nullptr;
#endif
}

const MkldnnLibrary* mkldnn_library() {
#ifdef AT_MKLDNN_ENABLED
  if (!globalContext().userEnabledMkldnn()) return nullptr;
  static Library library;
  if (C10_UNLIKELY(!library.opened.load(std::memory_order_acquire))) {
    // oneDNN requests threads from the pool, and the thread that holds the pool may wait for this
    // lock.
    internal::start_threads(get_num_threads());
    open(library, "libtorch_mkldnn.so", "torch_mkldnn_library");
  }
  return static_cast<const MkldnnLibrary*>(library.table);
#else
  return nullptr;
#endif
}

}  // namespace at::native
