// Implements the table of NativeLibraries.h with OpenBLAS.
//
// OpenBLAS runs on one thread here: our own threads divide the work, since two pools in one process
// compete for processors. For one large matrix of a LAPACK routine it may use several; these are
// threads of our pool as well.

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ThreadPool.h>
#include <ATen/native/common/NativeLibraries.h>

extern "C" {
#define TORCH_DECLARE_GEMM(name, T)                                                              \
  void scipy_##name##_(const char* ta, const char* tb, const int* m, const int* n, const int* k, \
                       const T* alpha, const T* a, const int* lda, const T* b, const int* ldb,   \
                       const T* beta, T* c, const int* ldc, size_t, size_t);
TORCH_DECLARE_GEMM(sgemm, float)
TORCH_DECLARE_GEMM(dgemm, double)
TORCH_DECLARE_GEMM(cgemm, void)
TORCH_DECLARE_GEMM(zgemm, void)
#undef TORCH_DECLARE_GEMM
void scipy_openblas_set_num_threads(int n);
using JobFunction = void (*)(int, void*, int);
void scipy_openblas_set_threads_callback_function(void (*run)(int sync, JobFunction job, int jobs,
                                                              size_t size, void* data, int extra));
}

namespace at::native {
namespace {

void sgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  int ia = static_cast<int>(lda), ib = static_cast<int>(ldb), ic = static_cast<int>(ldc);
  scipy_sgemm_(&ta, &tb, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic, 1, 1);
}

void dgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a,
           int64_t lda, const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  int ia = static_cast<int>(lda), ib = static_cast<int>(ldb), ic = static_cast<int>(ldc);
  scipy_dgemm_(&ta, &tb, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic, 1, 1);
}

void cgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, ComplexDouble alpha, const void* a,
           int64_t lda, const void* b, int64_t ldb, ComplexDouble beta, void* c, int64_t ldc) {
  int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  int ia = static_cast<int>(lda), ib = static_cast<int>(ldb), ic = static_cast<int>(ldc);
  float al[2] = {static_cast<float>(alpha.real()), static_cast<float>(alpha.imag())};
  float be[2] = {static_cast<float>(beta.real()), static_cast<float>(beta.imag())};
  scipy_cgemm_(&ta, &tb, &im, &in, &ik, al, a, &ia, b, &ib, be, c, &ic, 1, 1);
}

void zgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, ComplexDouble alpha, const void* a,
           int64_t lda, const void* b, int64_t ldb, ComplexDouble beta, void* c, int64_t ldc) {
  int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  int ia = static_cast<int>(lda), ib = static_cast<int>(ldb), ic = static_cast<int>(ldc);
  double al[2] = {alpha.real(), alpha.imag()}, be[2] = {beta.real(), beta.imag()};
  scipy_zgemm_(&ta, &tb, &im, &in, &ik, al, a, &ia, b, &ib, be, c, &ic, 1, 1);
}

void* symbol(const char* name) {
  static void* handle = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&scipy_openblas_set_num_threads), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  std::string full = std::string("scipy_") + name + "_";
  return handle ? dlsym(handle, full.c_str()) : nullptr;
}

// Runs the pieces of a job. They wait for each other, so each needs a thread of its own.
struct Jobs {
  JobFunction job;
  int count;
  size_t size;
  char* data;
  int extra;
  void run(int i) const { job(i, data + static_cast<size_t>(i) * size, extra); }
};

void run_in_team(void* data) {
  const Jobs& jobs = *static_cast<Jobs*>(data);
  jobs.run(internal::team_thread_num());
}

void run_jobs(int, JobFunction job, int count, size_t size, void* data, int extra) {
  Jobs jobs{job, count, size, static_cast<char*>(data), extra};
  if (count == 1) return jobs.run(0);
  // OpenBLAS holds a lock here, which threads of the pool may wait for: so this must not wait for
  // the pool.
  if (internal::try_begin_team(&run_in_team, &jobs, count)) {
    run_in_team(&jobs);
    internal::end_team();
    return;
  }
  std::vector<std::thread> threads;
  for (int i = 1; i < count; ++i) threads.emplace_back([&jobs, i] { jobs.run(i); });
  jobs.run(0);
  for (std::thread& t : threads) t.join();
}

const BlasLibrary kTable = {&sgemm, &dgemm,  &cgemm,
                            &zgemm, &symbol, &scipy_openblas_set_num_threads};

}  // namespace
}  // namespace at::native

extern "C" __attribute__((visibility("default"))) const void* torch_blas_library() {
  scipy_openblas_set_threads_callback_function(&at::native::run_jobs);
  scipy_openblas_set_num_threads(1);
  return &at::native::kTable;
}
