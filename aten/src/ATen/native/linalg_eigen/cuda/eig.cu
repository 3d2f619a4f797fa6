// Eigenvalues of general matrices on CUDA devices: cuSOLVER has large ones, LAPACK on the host has
// small ones and batches, which it does sooner.

#include <limits>

#include <ATen/cuda/CusolverApi.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Workspaces.h>
#include <ATen/native/linalg_eigen/cuda/finite.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

namespace cusolver = cuda::cusolver;

constexpr int64_t kLarge = 512;

// Two columns of a real matrix, the real and the imaginary part, stand for a conjugate pair.
template <typename R>
struct UnpackPairs {
  const R* packed;
  const c10::complex<R>* values;
  int64_t n;
  c10::complex<R>* vectors;
  __device__ void operator()(int64_t i) const {
    const int64_t column = i / n;
    if (values[column].imag() == 0) {
      vectors[i] = c10::complex<R>(packed[i]);
      return;
    }
    // The first of a pair has the positive imaginary part.
    const bool is_first = values[column].imag() > 0;
    const int64_t re = is_first ? i : i - n;
    vectors[i] = c10::complex<R>(packed[re], is_first ? packed[re + n] : -packed[re + n]);
  }
};

void on_host(const Tensor& A, const Tensor& values, const Tensor& vectors, const Tensor& info) {
  Tensor a = empty_by_columns(A.sizes(), A.scalar_type(), kCPU);
  copy_into(a, A);
  Tensor w = empty_tensor(values.sizes(), values.scalar_type()), v,
         status = empty_tensor(info.sizes(), kInt);
  if (vectors.defined()) v = empty_by_columns(vectors.sizes(), vectors.scalar_type(), kCPU);
  eig_stub(c10::DeviceType::CPU, a, w, v, status);
  copy_into(values, w);
  copy_into(info, status);
  if (vectors.defined()) copy_into(vectors, v);
}

void by_cusolver(const ColumnMatrices& a, const Tensor& values, const Tensor& vectors, int* info) {
  const cusolver::Functions& f = cusolver::functions();
  const cusolver::Handle handle = cusolver::handle();
  const cusolver::Params params = cusolver::params();
  const int64_t n = a.rows;
  const int type = vendor_type(a.type), complex = vendor_type(values.scalar_type());
  const int right = vectors.defined() ? cusolver::kVectors : cusolver::kNoVectors;
  Tensor found = vectors;
  if (vectors.defined() && !isComplexType(a.type))
    found = empty_by_columns({n, n}, a.type, a.device);
  void* v = found.defined() ? found.data_ptr() : nullptr;
  void* w = values.data_ptr();
  with_workspaces(a.device, [&](size_t* on_device, size_t* on_host) {
    cusolver::check(f.geev_size(handle, params, cusolver::kNoVectors, right, n, type, a[0], a.ld,
                                complex, w, type, nullptr, n, type, v, n, type, on_device, on_host),
                    "cusolverDnXgeev_bufferSize");
  }, [&](void* memory, size_t bytes, void* host_memory, size_t host_bytes) {
    cusolver::check(
        f.geev(handle, params, cusolver::kNoVectors, right, n, type, a[0], a.ld, complex, w, type,
               nullptr, n, type, v, n, type, memory, bytes, host_memory, host_bytes, info),
        "cusolverDnXgeev");
  });
  if (found.defined() && !found.is_same(vectors)) {
    auto unpack = [&]<typename R>(R) {
      gpu_for_each(vectors, n * n,
                   UnpackPairs<R>{static_cast<const R*>(v), static_cast<const c10::complex<R>*>(w),
                                  n, static_cast<c10::complex<R>*>(vectors.data_ptr())});
    };
    if (a.type == kFloat) unpack(float{});
    else unpack(double{});
  }
}

}  // namespace

static void eig_cuda(const Tensor& A, const Tensor& values, const Tensor& vectors,
                     const Tensor& info) {
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0) return set_zero(info);
  const ColumnMatrices a(A);
  // What is not finite is the host's case as well, which says what the result is.
  if (a.count > 1 || a.rows < kLarge || first_not_finite_cuda(a) >= 0)
    return on_host(A, values, vectors, info);
  by_cusolver(a, values, vectors, static_cast<int*>(info.data_ptr()));
}

REGISTER_CUDA_DISPATCH(eig_stub, &eig_cuda)

}  // namespace at::native
