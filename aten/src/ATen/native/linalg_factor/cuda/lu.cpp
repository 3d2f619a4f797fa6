// LU factors with partial pivoting on CUDA devices, and solutions from them.

#include <ATen/cuda/CusolverApi.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Workspaces.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_factor/cuda/lu.h>
#include <ATen/native/linalg_factor/cuda/small.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/native/linalg_solve/cuda/triangular.h>
#include <ATen/ops/contiguous.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {

namespace cublas = cuda::cublas;
namespace cusolver = cuda::cusolver;

// Up to this order one call for the whole batch is better than a call for each matrix.
static constexpr int64_t kBatchedOrder = 256;

void factor_lu_cuda(const ColumnMatrices& a, const Tensor& pivots, const Tensor& info, bool pivot) {
  int* infos = static_cast<int*>(info.data_ptr());
  int* own_pivots = static_cast<int*>(pivots.data_ptr());
  const int64_t steps = std::min(a.rows, a.columns);
  if (std::max(a.rows, a.columns) <= kSmallMatrixCuda)
    return small_lu_cuda(a, own_pivots, infos, pivot);
  // The libraries leave rows where they are if there is no place for pivots.
  if (!pivot) set_no_exchange_cuda(a, own_pivots, steps);
  if (a.count > 1 && a.rows == a.columns && a.rows <= kBatchedOrder) {
    const Tensor all = addresses(a);
    return cublas::check(cublas::functions().typed[type_index(a.type)].getrf_batched(
                             cublas::handle(), vendor_int(a.rows), pointers(all), vendor_int(a.ld),
                             pivot ? own_pivots : nullptr, infos, vendor_int(a.count)),
                         "cublasgetrfBatched");
  }
  const cusolver::Functions& f = cusolver::functions();
  const cusolver::Handle handle = cusolver::handle();
  const int type = vendor_type(a.type);
  // The library's pivots have 64 bits.
  Tensor found = empty_tensor(pivots.sizes(), kLong, a.device);
  auto* wide = static_cast<int64_t*>(found.data_ptr());
  with_workspaces(a.device, [&](size_t* on_device, size_t* on_host) {
    cusolver::check(f.getrf_size(handle, cusolver::params(), a.rows, a.columns, type, a[0], a.ld,
                                 type, on_device, on_host),
                    "cusolverDnXgetrf_bufferSize");
  }, [&](void* memory, size_t bytes, void* host_memory, size_t host_bytes) {
    for (int64_t b = 0; b < a.count; ++b)
      cusolver::check(f.getrf(handle, cusolver::params(), a.rows, a.columns, type, a[b], a.ld,
                              pivot ? wide + b * steps : nullptr, type, memory, bytes, host_memory,
                              host_bytes, infos + b),
                      "cusolverDnXgetrf");
  });
  if (pivot) copy_into(pivots, found);
}

void solve_lu_cuda(const ColumnMatrices& factors, const int* pivots, const ColumnMatrices& x,
                   bool left, bool adjoint) {
  const auto solve = [&](bool upper) {
    solve_triangles_cuda(factors, x, {left, upper, !upper},
                         adjoint ? cublas::kConjugateTranspose : cublas::kNone);
  };
  // A = P L U; P is the product of the interchanges from the first to the last.
  const bool permutes_first = left != adjoint;
  if (permutes_first) swap_by_pivots_cuda(x, pivots, factors.rows, !left, false);
  // L comes first where A X = B, or X A^H = B, begins with it.
  solve(!permutes_first);
  solve(permutes_first);
  if (!permutes_first) swap_by_pivots_cuda(x, pivots, factors.rows, !left, true);
}

static void lu_factor_cuda(const Tensor& A, const Tensor& LU, const Tensor& pivots,
                           const Tensor& info, bool pivot) {
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0) return set_zero(info);
  copy_into(LU, A);
  factor_lu_cuda(ColumnMatrices(LU), pivots, info, pivot);
}

static void lu_solve_cuda(const Tensor& LU, const Tensor& pivots, const Tensor& X, bool left,
                          bool adjoint) {
  c10::OptionalDeviceGuard guard(X.device());
  if (X.numel() == 0) return;
  const Tensor dense = at::contiguous(pivots);
  solve_lu_cuda(ColumnMatrices(as_column_matrices(LU)), static_cast<const int*>(dense.data_ptr()),
                ColumnMatrices(X), left, adjoint);
}

REGISTER_CUDA_DISPATCH(lu_factor_stub, &lu_factor_cuda)
REGISTER_CUDA_DISPATCH(lu_solve_stub, &lu_solve_cuda)

}  // namespace at::native
