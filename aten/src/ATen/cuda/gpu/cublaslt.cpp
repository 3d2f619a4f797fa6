// The functions of the real cuBLASLt.

#include <type_traits>

#include <ATen/cuda/CublasLtApi.h>
#include <ATen/cuda/VendorLibrary.h>

namespace at::cuda::cublaslt {

static Functions open() {
  void* library = open_vendor_library("libcublasLt.so.13", "nvidia-cublas");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f.create, "cublasLtCreate");
  find(f.status_name, "cublasLtGetStatusName");
  find(f.create_operation, "cublasLtMatmulDescCreate");
  find(f.set_operation, "cublasLtMatmulDescSetAttribute");
  find(f.destroy_operation, "cublasLtMatmulDescDestroy");
  find(f.create_layout, "cublasLtMatrixLayoutCreate");
  find(f.set_layout, "cublasLtMatrixLayoutSetAttribute");
  find(f.destroy_layout, "cublasLtMatrixLayoutDestroy");
  find(f.create_preference, "cublasLtMatmulPreferenceCreate");
  find(f.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(f.destroy_preference, "cublasLtMatmulPreferenceDestroy");
  find(f.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(f.matmul, "cublasLtMatmul");
  return f;
}

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

}  // namespace at::cuda::cublaslt
