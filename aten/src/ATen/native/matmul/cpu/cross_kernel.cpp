// Cross products of vectors of three elements.

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/matmul/matmul.h>

namespace at::native {
namespace {

// a d - b c
template <typename T>
T determinant(T a, T b, T c, T d) {
  return wrapping_difference(wrapping_product(a, d), wrapping_product(b, c));
}

}  // namespace

static void cross_kernel(const Tensor& out, const Tensor& a, const Tensor& b, int64_t d) {
  int64_t inner = product(out.sizes().slice(d + 1)), outer = product(out.sizes().slice(0, d));
  dispatch_types<NumberTypes>(out.scalar_type(), "cross", [&]<typename T>(TypeTag<T>) {
    const T* x = static_cast<const T*>(a.data_ptr());
    const T* y = static_cast<const T*>(b.data_ptr());
    T* to = static_cast<T*>(out.data_ptr());
    parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / (3 * inner)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          int64_t p = o * 3 * inner + i, q = p + inner, r = q + inner;
          to[p] = determinant(x[q], x[r], y[q], y[r]);
          to[q] = determinant(x[r], x[p], y[r], y[p]);
          to[r] = determinant(x[p], x[q], y[p], y[q]);
        }
      }
    });
  });
}

REGISTER_DISPATCH(cross_stub, &cross_kernel)

}  // namespace at::native
