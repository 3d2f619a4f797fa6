// Matrix products of integers, which the libraries lack, and of complex numbers without a library.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/IntegerGemm.h>

namespace at::native {
namespace {

template <typename T>
void complex_gemm(const GemmArgs& g) {
  using R = typename T::value_type;
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  int64_t ars = g.trans_a ? 1 : g.lda, acs = g.trans_a ? g.lda : 1;
  int64_t brs = g.trans_b ? 1 : g.ldb, bcs = g.trans_b ? g.ldb : 1;
  const T alpha(static_cast<R>(g.alpha.real()), static_cast<R>(g.alpha.imag())),
      beta(static_cast<R>(g.beta.real()), static_cast<R>(g.beta.imag()));
  parallel_for(0, g.m, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, g.n * g.k)),
               [&](int64_t begin, int64_t end) {
    std::vector<T> row(g.n);
    for (int64_t i = begin; i < end; ++i) {
      std::fill(row.begin(), row.end(), T(0));
      T* sums = row.data();
      for (int64_t p = 0; p < g.k; ++p) {
        const T x = a[i * ars + p * acs];
        const T* from = b + p * brs;
        for (int64_t j = 0; j < g.n; ++j) sums[j] += x * from[j * bcs];
      }
      T* to = c + i * g.ldc;
      const bool overwrite = beta == T(0);
      for (int64_t j = 0; j < g.n; ++j)
        to[j] = overwrite ? alpha * sums[j] : alpha * sums[j] + beta * to[j];
    }
  });
}

}  // namespace

static void plain_gemm_kernel(const GemmArgs& g) {
  dispatch_types<IntegralTypes, ComplexTypes>(g.dtype, "addmm_impl_cpu_",
                                              [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) IntegerGemm<T>(g).run();
    else complex_gemm<T>(g);
  });
}

REGISTER_DISPATCH(plain_gemm_stub, &plain_gemm_kernel)

}  // namespace at::native
