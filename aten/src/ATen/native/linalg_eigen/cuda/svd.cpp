// Singular values and vectors on CUDA devices, by cuSOLVER.

#include <ATen/cuda/CusolverApi.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Workspaces.h>
#include <ATen/native/linalg_eigen/cuda/finite.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_solve/linalg_solve.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/slice.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

namespace cusolver = cuda::cusolver;

constexpr int64_t kSmall = 32;  // of the batched form of Jacobi's method

// A = U S V^H for m >= n. V is complete and not transposed; U is complete or reduced.
struct Decomposition {
  ColumnMatrices a;  // overwritten
  Tensor u, s, v;
  bool vectors;
  int* infos;

  int64_t m() const { return a.rows; }
  int64_t n() const { return a.columns; }
  bool is_full() const { return columns_of(u) > n(); }
  int mode() const { return vectors ? cusolver::kVectors : cusolver::kNoVectors; }
  char* values(int64_t b) const {
    return static_cast<char*>(s.data_ptr()) + b * n() * static_cast<int64_t>(s.element_size());
  }
};

struct JacobiOptions {
  JacobiOptions() {
    cusolver::check(cusolver::functions().create_jacobi(&options), "cusolverDnCreateGesvdjInfo");
  }
  ~JacobiOptions() { cusolver::functions().destroy_jacobi(options); }
  cusolver::Jacobi options = nullptr;
};

Tensor workspace(const Decomposition& d, int elements) {
  return empty_tensor({std::max(elements, 1)}, d.a.type, d.a.device);
}

void by_jacobi(const Decomposition& d) {
  const cusolver::TypedFunctions& f = cusolver::functions().typed[type_index(d.a.type)];
  const cusolver::Handle handle = cusolver::handle();
  const JacobiOptions jacobi;
  const ColumnMatrices u(d.u), v(d.v);
  const int m = vendor_int(d.m()), n = vendor_int(d.n()), lda = vendor_int(d.a.ld),
            ldu = vendor_int(u.ld), ldv = vendor_int(v.ld), econ = d.is_full() ? 0 : 1;
  int lwork = 0;
  cusolver::check(f.gesvdj_size(handle, d.mode(), econ, m, n, d.a[0], lda, d.values(0), u[0], ldu,
                                v[0], ldv, &lwork, jacobi.options),
                  "cusolverDngesvdj_bufferSize");
  const Tensor work = workspace(d, lwork);
  for (int64_t b = 0; b < d.a.count; ++b)
    cusolver::check(f.gesvdj(handle, d.mode(), econ, m, n, d.a[b], lda, d.values(b), u[b], ldu,
                             v[b], ldv, work.data_ptr(), lwork, d.infos + b, jacobi.options),
                    "cusolverDngesvdj");
}

void by_batched_jacobi(const Decomposition& d) {
  const cusolver::TypedFunctions& f = cusolver::functions().typed[type_index(d.a.type)];
  const cusolver::Handle handle = cusolver::handle();
  const JacobiOptions jacobi;
  // It has complete vectors only.
  Tensor complete = d.u;
  if (columns_of(d.u) < d.m())
    complete = empty_by_columns(with_sizes(batch_sizes(d.u), {d.m(), d.m()}), d.a.type, d.a.device);
  const ColumnMatrices u(complete), v(d.v);
  const int m = vendor_int(d.m()), n = vendor_int(d.n()), lda = vendor_int(d.a.ld),
            count = vendor_int(d.a.count);
  int lwork = 0;
  cusolver::check(f.gesvdj_batched_size(handle, d.mode(), m, n, d.a[0], lda, d.values(0), u[0], m,
                                        v[0], n, &lwork, jacobi.options, count),
                  "cusolverDngesvdjBatched_bufferSize");
  const Tensor work = workspace(d, lwork);
  cusolver::check(f.gesvdj_batched(handle, d.mode(), m, n, d.a[0], lda, d.values(0), u[0], m, v[0],
                                   n, work.data_ptr(), lwork, d.infos, jacobi.options, count),
                  "cusolverDngesvdjBatched");
  if (d.vectors && !complete.is_same(d.u))
    copy_into(d.u, at::slice(complete, -1, 0, columns_of(d.u)));
}

void by_qr_iteration(const Decomposition& d) {
  const cusolver::Functions& f = cusolver::functions();
  const cusolver::Handle handle = cusolver::handle();
  const int type = vendor_type(d.a.type), real = vendor_type(d.s.scalar_type());
  const Tensor Vh = empty_by_columns(d.v.sizes(), d.a.type, d.a.device);
  const ColumnMatrices u(d.u), vh(Vh);
  const auto job = static_cast<signed char>(!d.vectors ? 'N' : d.is_full() ? 'A' : 'S');
  with_workspaces(d.a.device, [&](size_t* on_device, size_t* on_host) {
    cusolver::check(
        f.gesvd_size(handle, cusolver::params(), job, job, d.m(), d.n(), type, d.a[0], d.a.ld, real,
                     d.values(0), type, u[0], u.ld, type, vh[0], vh.ld, type, on_device, on_host),
        "cusolverDnXgesvd_bufferSize");
  }, [&](void* memory, size_t bytes, void* host_memory, size_t host_bytes) {
    for (int64_t b = 0; b < d.a.count; ++b)
      cusolver::check(f.gesvd(handle, cusolver::params(), job, job, d.m(), d.n(), type, d.a[b],
                              d.a.ld, real, d.values(b), type, u[b], u.ld, type, vh[b], vh.ld, type,
                              memory, bytes, host_memory, host_bytes, d.infos + b),
                      "cusolverDnXgesvd");
  });
  if (d.vectors) copy_into(d.v, at::mH(Vh));
}

void by_gram_matrix(const Decomposition& d) {
  const cusolver::TypedFunctions& f = cusolver::functions().typed[type_index(d.a.type)];
  const cusolver::Handle handle = cusolver::handle();
  const ColumnMatrices u(d.u), v(d.v);
  const int m = vendor_int(d.m()), n = vendor_int(d.n()), count = vendor_int(d.a.count),
            lda = vendor_int(d.a.ld), ldu = vendor_int(u.ld), ldv = vendor_int(v.ld);
  int lwork = 0;
  cusolver::check(f.gesvda_size(handle, d.mode(), n, m, n, d.a[0], lda, d.a.step, d.values(0), n,
                                u[0], ldu, u.step, v[0], ldv, v.step, &lwork, count),
                  "cusolverDngesvdaStridedBatched_bufferSize");
  const Tensor work = workspace(d, lwork);
  cusolver::check(
      f.gesvda(handle, d.mode(), n, m, n, d.a[0], lda, d.a.step, d.values(0), n, u[0], ldu, u.step,
               v[0], ldv, v.step, work.data_ptr(), lwork, d.infos, nullptr, count),
      "cusolverDngesvdaStridedBatched");
}

void decompose(const Decomposition& d, std::optional<std::string_view> driver, const Tensor& info) {
  const bool is_small = d.m() <= kSmall && d.a.count > 1;
  if (driver == "gesvd") return by_qr_iteration(d);
  if (driver == "gesvda" && !d.is_full()) return by_gram_matrix(d);
  // Jacobi's method, by name or for the complete vectors that gesvda lacks.
  if (driver) return is_small ? by_batched_jacobi(d) : by_jacobi(d);
  const Tensor spare = copy_by_columns(d.a.tensor);
  if (is_small) by_batched_jacobi(d);
  else by_jacobi(d);
  int64_t index = -1, value = 0;
  first_error_stub(d.a.device.type(), info, index, value);
  if (index < 0) return;
  // It did not converge; this does nearly always.
  by_qr_iteration({ColumnMatrices(spare), d.u, d.s, d.v, d.vectors, d.infos});
}

void svd_cuda(const Tensor& A, const Tensor& U, const Tensor& S, const Tensor& Vh,
              const Tensor& info, std::optional<std::string_view> driver) {
  TORCH_CHECK(!driver || driver == "gesvd" || driver == "gesvdj" || driver == "gesvda",
              "linalg.svd: unknown driver ", driver.value_or(""),
              ": it must be 'gesvd', 'gesvdj' or 'gesvda'");
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0) {
    set_zero(info);
    if (U.defined()) {
      set_identity_cuda(ColumnMatrices(U));
      set_identity_cuda(ColumnMatrices(Vh));
    }
    return;
  }
  check_finite_cuda(ColumnMatrices(A), "linalg.svd");
  const bool vectors = U.defined(), is_wide = rows_of(A) < columns_of(A);
  const int64_t m = std::max(rows_of(A), columns_of(A)), n = std::min(rows_of(A), columns_of(A));
  const ScalarType type = A.scalar_type();
  auto matrices = [&](int64_t rows, int64_t columns) {
    return empty_by_columns(with_sizes(batch_sizes(A), {rows, columns}), type, A.device());
  };
  // A wide matrix is A^H = V S U^H. The functions want memory for vectors in any case.
  const bool full = vectors && (is_wide ? rows_of(Vh) : columns_of(U)) > n;
  const Tensor u = vectors && !is_wide ? U : matrices(m, full ? m : n),
               v = vectors && is_wide ? U : matrices(n, n);
  decompose({ColumnMatrices(is_wide ? copy_by_columns(at::mH(A)) : A), u, S, v, vectors,
             static_cast<int*>(info.data_ptr())},
            driver, info);
  if (vectors) copy_into(Vh, at::mH(is_wide ? u : v));
}

}  // namespace

REGISTER_CUDA_DISPATCH(svd_stub, &svd_cuda)

}  // namespace at::native
