// Looks for values that are not finite on CUDA devices.

#include <ATen/native/linalg_eigen/cuda/finite.h>
#include <ATen/native/linalg_solve/linalg_solve.h>
#include <ATen/native/common/cuda/MatrixElements.cuh>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

template <typename T>
struct FindNotFinite {
  MatrixElements<T> elements;
  MatrixPart part;
  int* found;
  __device__ void operator()(int64_t i) const {
    elements.at(i, [&](T& x, int64_t b, int64_t row, int64_t column) {
      if (part == MatrixPart::lower ? row < column : part == MatrixPart::upper && row > column)
        return;
      // A product with zero is NaN if a factor is not finite.
      if (!(real_of(x) * 0 + imag_of(x) * 0 == 0)) found[b] = 1;
    });
  }
};

}  // namespace

int64_t first_not_finite_cuda(const ColumnMatrices& a, MatrixPart part) {
  Tensor found = empty_tensor({a.count}, kInt, a.device);
  set_zero(found);
  dispatch_lapack_types(a.type, "isfinite", [&]<typename T>(TypeTag<T>) {
    for_each_element(
        a, FindNotFinite<T>{MatrixElements<T>(a), part, static_cast<int*>(found.data_ptr())});
  });
  int64_t index = -1, value = 0;
  first_error_stub(a.device.type(), found, index, value);
  return index;
}

void check_finite_cuda(const ColumnMatrices& a, const char* op, MatrixPart part) {
  const int64_t b = first_not_finite_cuda(a, part);
  TORCH_CHECK_LINALG(b < 0, op, ": (Batch element ", b,
                     "): the algorithm cannot converge: the matrix has values that are not finite");
}

}  // namespace at::native
