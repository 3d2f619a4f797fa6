// The functions of the real cuSOLVER.

#include <string>

#include <ATen/cuda/CusolverApi.h>
#include <ATen/cuda/VendorLibrary.h>

namespace at::cuda::cusolver {
namespace {

TypedFunctions find_typed(void* library, char letter) {
  TypedFunctions f;
  // cusolverDnSorgqr, of which complex types have cusolverDnCungqr.
  auto find = [&](auto& function, const char* name, const char* complex_name) {
    const bool is_complex = letter == 'C' || letter == 'Z';
    const std::string full =
        std::string("cusolverDn") + letter + (is_complex ? complex_name : name);
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, full.c_str()));
  };
  find(f.potrf_batched, "potrfBatched", "potrfBatched");
  find(f.orgqr_size, "orgqr_bufferSize", "ungqr_bufferSize");
  find(f.orgqr, "orgqr", "ungqr");
  find(f.ormqr_size, "ormqr_bufferSize", "unmqr_bufferSize");
  find(f.ormqr, "ormqr", "unmqr");
  find(f.gesvdj_size, "gesvdj_bufferSize", "gesvdj_bufferSize");
  find(f.gesvdj, "gesvdj", "gesvdj");
  find(f.gesvdj_batched_size, "gesvdjBatched_bufferSize", "gesvdjBatched_bufferSize");
  find(f.gesvdj_batched, "gesvdjBatched", "gesvdjBatched");
  find(f.gesvda_size, "gesvdaStridedBatched_bufferSize", "gesvdaStridedBatched_bufferSize");
  find(f.gesvda, "gesvdaStridedBatched", "gesvdaStridedBatched");
  return f;
}

Functions open() {
  void* library = open_vendor_library("libcusolver.so.12", "nvidia-cusolver");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f.create, "cusolverDnCreate");
  find(f.destroy, "cusolverDnDestroy");
  find(f.set_stream, "cusolverDnSetStream");
  find(f.create_params, "cusolverDnCreateParams");
  find(f.create_jacobi, "cusolverDnCreateGesvdjInfo");
  find(f.destroy_jacobi, "cusolverDnDestroyGesvdjInfo");
  find(f.potrf_size, "cusolverDnXpotrf_bufferSize");
  find(f.potrf, "cusolverDnXpotrf");
  find(f.getrf_size, "cusolverDnXgetrf_bufferSize");
  find(f.getrf, "cusolverDnXgetrf");
  find(f.geqrf_size, "cusolverDnXgeqrf_bufferSize");
  find(f.geqrf, "cusolverDnXgeqrf");
  find(f.syevd_size, "cusolverDnXsyevd_bufferSize");
  find(f.syevd, "cusolverDnXsyevd");
  find(f.syev_batched_size, "cusolverDnXsyevBatched_bufferSize");
  find(f.syev_batched, "cusolverDnXsyevBatched");
  find(f.gesvd_size, "cusolverDnXgesvd_bufferSize");
  find(f.gesvd, "cusolverDnXgesvd");
  find(f.geev_size, "cusolverDnXgeev_bufferSize");
  find(f.geev, "cusolverDnXgeev");
  for (int i = 0; i < 4; ++i) f.typed[i] = find_typed(library, "SDCZ"[i]);
  return f;
}

}  // namespace

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

}  // namespace at::cuda::cusolver
