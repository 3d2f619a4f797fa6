// dlopen searches the RUNPATH of this library: beside it, and where NVIDIA's packages are.

#include <ATen/cuda/VendorLibrary.h>

#include <dlfcn.h>

#include <c10/util/Exception.h>

namespace at::cuda {

void* open_vendor_library(const char* name, const char* package) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    TORCH_CHECK(false, "cannot open ", name,
                ", which is needed here: ", reason ? reason : "unknown reason", ". pip install ",
                package, " installs it.");
  }
  return library;
}

void* vendor_function(void* library, const char* name) {
  void* function = dlsym(library, name);
  TORCH_CHECK(function, "the installed library has no ", name, ": it is too old for this build");
  return function;
}

}  // namespace at::cuda
