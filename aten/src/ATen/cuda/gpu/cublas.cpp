// The functions of the real cuBLAS.

#include <string>

#include <ATen/cuda/CublasApi.h>
#include <ATen/cuda/VendorLibrary.h>

namespace at::cuda::cublas {

static Functions open() {
  void* library = open_vendor_library("libcublas.so.13", "nvidia-cublas");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f.create, "cublasCreate_v2");
  find(f.destroy, "cublasDestroy_v2");
  find(f.set_stream, "cublasSetStream_v2");
  find(f.set_workspace, "cublasSetWorkspace_v2");
  find(f.set_pointer_mode, "cublasSetPointerMode_v2");
  find(f.status_name, "cublasGetStatusName");
  find(f.gemm, "cublasGemmEx");
  find(f.gemm_batched, "cublasGemmStridedBatchedEx");
  find(f.dot, "cublasDotEx");
  find(f.dot_conj, "cublasDotcEx");
  for (int i = 0; i < 4; ++i) {
    TypedFunctions& typed = f.typed[i];
    const std::string prefix = std::string("cublas") + "SDCZ"[i];
    find(typed.trsm, (prefix + "trsm_v2").c_str());
    find(typed.trsm_batched, (prefix + "trsmBatched").c_str());
    find(typed.getrf_batched, (prefix + "getrfBatched").c_str());
  }
  return f;
}

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

}  // namespace at::cuda::cublas
