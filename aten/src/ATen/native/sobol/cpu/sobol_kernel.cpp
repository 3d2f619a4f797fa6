// Points of Sobol sequences in the order of Gray codes (Antonov and Saleev 1979): from one to the
// next a single bit changes.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sobol/sobol.h>

namespace at::native {
namespace {

template <typename T>
void draw(int64_t* quasi, const int64_t* directions, int64_t num_generated, T* out, int64_t n,
          int64_t dimension) {
  constexpr T unit = T(1) / (int64_t(1) << kSobolBits);
  for (int64_t i = 0; i < n; ++i, out += dimension) {
    const int64_t* direction = directions + __builtin_ctzll(~(num_generated + i)) * dimension;
#pragma GCC ivdep
    for (int64_t d = 0; d < dimension; ++d) {
      quasi[d] ^= direction[d];
      out[d] = static_cast<T>(quasi[d]) * unit;
    }
  }
}

}  // namespace

static void sobol_draw_kernel(const Tensor& quasi, const Tensor& directions, int64_t num_generated,
                              const Tensor& out) {
  dispatch_types<FloatingTypes>(out.scalar_type(), "_sobol_engine_draw",
                                [&]<typename T>(TypeTag<T>) {
    draw(static_cast<int64_t*>(quasi.data_ptr()),
         static_cast<const int64_t*>(directions.data_ptr()), num_generated,
         static_cast<T*>(out.data_ptr()), out.size(0), out.size(1));
  });
}

REGISTER_DISPATCH(sobol_draw_stub, &sobol_draw_kernel)

}  // namespace at::native
