#include <ATen/native/common/NativeLibraries.h>

#include <dlfcn.h>

#include <string>

#include <c10/util/Logging.h>

namespace at::native {

// The file beside the one that this function is in.
static std::string beside(const char* name) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&beside), &info) || !info.dli_fname) return name;
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(name) : path.substr(0, slash + 1) + name;
}

[[maybe_unused]] static const void* open_table(const char* file, const char* entry) {
  std::string path = beside(file);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    TORCH_WARN("cannot open ", path, ": ", why ? why : "unknown reason",
               ". Slower code of our own is used instead.");
    return nullptr;
  }
  C10_LOG(INFO, "loaded ", path);
  auto get = reinterpret_cast<const void* (*)()>(dlsym(handle, entry));
  return get ? get() : nullptr;
}

const BlasLibrary* blas_library() {
#ifdef AT_BLAS_ENABLED
  static const auto* table =
      static_cast<const BlasLibrary*>(open_table("libtorch_blas.so", "torch_blas_library"));
  return table;
#else
  return nullptr;
#endif
}

const MkldnnLibrary* mkldnn_library() {
#ifdef AT_MKLDNN_ENABLED
  static const auto* table =
      static_cast<const MkldnnLibrary*>(open_table("libtorch_mkldnn.so", "torch_mkldnn_library"));
  return table;
#else
  return nullptr;
#endif
}

}  // namespace at::native
