// The functions of the real cuFFT.

#include <ATen/cuda/CufftApi.h>
#include <ATen/cuda/VendorLibrary.h>

namespace at::cuda::cufft {

static Functions open() {
  void* library = open_vendor_library("libcufft.so.12", "nvidia-cufft");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f.create, "cufftCreate");
  find(f.destroy, "cufftDestroy");
  find(f.set_auto_allocation, "cufftSetAutoAllocation");
  find(f.make_plan, "cufftXtMakePlanMany");
  find(f.set_stream, "cufftSetStream");
  find(f.set_work_area, "cufftSetWorkArea");
  find(f.execute, "cufftXtExec");
  return f;
}

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

}  // namespace at::cuda::cufft
