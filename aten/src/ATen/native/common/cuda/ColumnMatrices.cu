// Layouts of batches of matrices for NVIDIA's libraries.

#include <climits>

#include <ATen/native/common/cuda/ColumnMatrices.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

struct Addresses {
  int64_t first, step;
  int64_t* to;
  __device__ void operator()(int64_t i) const { to[i] = first + i * step; }
};

// The distance of the matrices; -1 if there is no single one.
int64_t batch_step(const Tensor& t) {
  int64_t step = 0, expected = -1;
  for (int64_t d = t.dim() - 3; d >= 0; --d) {
    if (t.sizes()[d] == 1) continue;
    if (expected < 0) step = t.strides()[d];
    else if (t.strides()[d] != expected) return -1;
    expected = t.strides()[d] * t.sizes()[d];
  }
  return step;
}

}  // namespace

ColumnMatrices::ColumnMatrices(const Tensor& t)
    : tensor(t),
      type(t.scalar_type()),
      device(t.device()),
      data(static_cast<char*>(t.data_ptr())),
      rows(rows_of(t)),
      columns(columns_of(t)),
      ld(columns > 1 ? t.strides()[t.dim() - 1] : std::max<int64_t>(rows, 1)),
      step(batch_step(t)),
      element(static_cast<int64_t>(elementSize(t.scalar_type()))) {
  for (int64_t n : batch_sizes(t)) count *= n;
}

Tensor as_column_matrices(const Tensor& t) {
  const int64_t down = t.strides()[t.dim() - 2], across = t.strides()[t.dim() - 1];
  const bool are_columns = (down == 1 || rows_of(t) <= 1) &&
                           (across >= std::max<int64_t>(rows_of(t), 1) || columns_of(t) <= 1);
  return are_columns && batch_step(t) >= 0 ? t : copy_by_columns(t);
}

void copy_into(const Tensor& to, const Tensor& from) {
  Tensor target = to;
  at::_ops::copy_::call(target, from, false);
}

void set_zero(const Tensor& t) {
  Tensor target = t;
  at::_ops::zero_::call(target);
}

Tensor addresses(const ColumnMatrices& m) {
  Tensor result = empty_tensor({m.count}, kLong, m.device);
  gpu_for_each(result, m.count,
               Addresses{static_cast<int64_t>(reinterpret_cast<intptr_t>(m.data)),
                         m.step * m.element, static_cast<int64_t*>(result.data_ptr())});
  return result;
}

int type_index(ScalarType dtype) {
  switch (dtype) {
    case kFloat:
      return 0;
    case kDouble:
      return 1;
    case kComplexFloat:
      return 2;
    default:
      TORCH_INTERNAL_ASSERT(dtype == kComplexDouble);
      return 3;
  }
}

cuda::cublas::DataType vendor_type(ScalarType dtype) {
  namespace cublas = cuda::cublas;
  constexpr cublas::DataType types[] = {cublas::kR32F, cublas::kR64F, cublas::kC32F, cublas::kC64F};
  return types[type_index(dtype)];
}

const void* number_one(ScalarType dtype) {
  static const c10::complex<float> narrow(1);
  static const c10::complex<double> wide(1);
  return type_index(dtype) % 2 ? static_cast<const void*>(&wide) : &narrow;
}

int vendor_int(int64_t value) {
  TORCH_CHECK(value <= INT_MAX, "linalg: a matrix is too large for cuSOLVER and cuBLAS: a size of ",
              value);
  return static_cast<int>(value);
}

}  // namespace at::native
