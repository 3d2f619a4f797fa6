#pragma once
// The functions that libtorch_blas (OpenBLAS with LAPACK) and libtorch_mkldnn (oneDNN) provide, as
// tables.
//
// The two libraries are in the folder of libtorch_cpu and are opened when an operator first needs
// them, so that a program that multiplies no matrices pays neither start-up time nor memory for
// them. Null if this build lacks the library.

#include <mutex>

#include <ATen/native/common/Gemm.h>

namespace at::native {

struct BlasLibrary {
  // Column-major, as in Fortran; on this thread. T: float, double, c10::complex<float>,
  // c10::complex<double>.
  void (*sgemm)(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
                int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
  void (*dgemm)(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a,
                int64_t lda, const double* b, int64_t ldb, double beta, double* c, int64_t ldc);
  void (*cgemm)(char ta, char tb, int64_t m, int64_t n, int64_t k, ComplexDouble alpha,
                const void* a, int64_t lda, const void* b, int64_t ldb, ComplexDouble beta, void* c,
                int64_t ldc);
  void (*zgemm)(char ta, char tb, int64_t m, int64_t n, int64_t k, ComplexDouble alpha,
                const void* a, int64_t lda, const void* b, int64_t ldb, ComplexDouble beta, void* c,
                int64_t ldc);
  // The address of a LAPACK function: symbol("sgetrf").
  void* (*symbol)(const char* name);
  // The number of threads of the library's calls; one, unless a LAPACK routine asks for more.
  void (*set_threads)(int n);
};

struct ConvolutionArgs;

struct MkldnnLibrary {
  // float, any sizes.
  void (*sgemm)(const GemmArgs& args);
  // A primitive made for this shape. `create`: makes it if it does not exist; returns whether it
  // exists.
  bool (*matmul)(const GemmArgs& args, bool create);
  // The same for a batch; false where alpha is not 1.
  bool (*batched_matmul)(const GemmArgs& first, const GemmBatch& batch);
  // int8 or uint8 (dtype, of A) times int8, summed in int32. alpha and beta are not used.
  void (*int8_gemm)(const GemmArgs& args);
  // Whether the processor multiplies this type faster than through float, or int8 than through
  // int32.
  bool (*has_type)(ScalarType dtype);
  // Tensors for which oneDNN has no kernel of its own are undefined.
  Tensor (*convolution)(const ConvolutionArgs& args);
  std::tuple<Tensor, Tensor, Tensor> (*convolution_backward)(const ConvolutionArgs& args,
                                                             const Tensor& grad_output,
                                                             std::array<bool, 3> mask);
};

// Held while a library is opened, and while it creates what it caches: oneDNN's own cache lets a
// second thread wait for the primitive that a first one makes, and a forked child has no first one.
std::mutex& native_library_mutex();

const BlasLibrary* blas_library();

// Note [Threads of OpenBLAS]
// OpenBLAS has one number of threads for the whole process, and one set of buffers for those
// threads. So calls on one thread each may run side by side (BlasCall), and a call on several
// threads runs while there is no other (BlasThreads). It does not wait for others: then it has one
// thread as well.

// Lives while a function of the library runs.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

 private:
  bool locked_;
};

// While it lives, calls from this thread may use all threads of the pool, if `large` and if no
// other thread calls the library. Does nothing inside parallel_for: there each thread has work of
// its own.
class BlasThreads {
 public:
  explicit BlasThreads(bool large);
  ~BlasThreads();
  // Whether this thread has taken them all. No other thread may be waited for that calls the
  // library.
  static bool taken();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  bool locked_ = false;
};

const MkldnnLibrary* mkldnn_library();

}  // namespace at::native
