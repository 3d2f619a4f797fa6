// unique and related operators on CUDA devices. Rows are sorted by number: a comparison reads the
// rows' elements up to the first difference.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/unique/unique.h>
#include <ATen/ops/any.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sort.h>
#include <ATen/native/sort/cuda/keys.cuh>
#include <ATen/native/sort/cuda/merge_sort.cuh>

namespace at::native {
namespace {

struct RowNumber {
  int64_t number;
  __device__ static RowNumber last() { return {INT64_MAX}; }
};

struct RowNumbers {
  using Element = RowNumber;
  KeySource keys;
  int64_t width;
  int64_t* order;
  __device__ RowNumber load(int64_t, int64_t i) const { return {i}; }
  __device__ void store(int64_t, int64_t i, RowNumber e) const { order[i] = e.number; }
  __device__ bool less(RowNumber a, RowNumber b) const {
    if (a.number == INT64_MAX || b.number == INT64_MAX) return a.number < b.number;
    for (int64_t k = 0; k < width; ++k) {
      const uint64_t x = keys(a.number * width + k), y = keys(b.number * width + k);
      if (x != y) return x < y;
    }
    return a.number < b.number;
  }
};

// The order of the rows of a matrix.
Tensor row_order(const Tensor& rows) {
  const int64_t n = rows.sizes()[0];
  if (rows.sizes()[1] == 1)
    return std::get<1>(at::sort(at::reshape(rows, {n}), std::optional<bool>(true)));
  Tensor order = empty_tensor({n}, kLong, rows.device());
  auto* to = static_cast<int64_t*>(order.data_ptr());
  const RowNumbers numbers{{rows.data_ptr(), rows.scalar_type()}, rows.sizes()[1], to};
  Tensor sorted = merge_sort::sort_rows(numbers, 1, n, false, true, rows.device());
  if (sorted.defined())
    C10_CUDA_CHECK(cudaMemcpyAsync(to, sorted.data_ptr(), sorted.nbytes(), cudaMemcpyDeviceToDevice,
                                   c10::cuda::getCurrentCUDAStream()));
  return order;
}

Tensor no_numbers(const Tensor& self) { return empty_tensor({0}, kLong, self.device()); }

// Element i + 1 from element i, along the first dimension.
Tensor differences(const Tensor& t) {
  const int64_t n = t.sizes()[0];
  return at::ne(at::narrow(t, 0, 1, n - 1), at::narrow(t, 0, 0, n - 1));
}

// Where runs begin, for each of the unordered elements the number of its run, and the lengths.
UniqueResult find_runs(const Tensor& differs, const Tensor& order, bool return_inverse,
                       bool return_counts) {
  const Tensor is_first = at::cat({at::ones({1}, differs.options()), differs});
  const Tensor first = at::reshape(at::nonzero(is_first), {-1});
  Tensor inverse = no_numbers(differs), counts = inverse;
  if (return_inverse) {
    inverse = at::cumsum(is_first, 0) - Scalar(1);
    if (order.defined()) {
      const Tensor number = inverse;
      inverse = at::empty_like(number);
      at::_ops::index_copy_::call(inverse, 0, order, number);
    }
  }
  if (return_counts) {
    const Tensor end = int64_tensor({is_first.numel()}, differs.device());
    counts = at::cat({at::narrow(first, 0, 1, first.numel() - 1), end}) - first;
  }
  return {first, inverse, counts};
}

}  // namespace

static UniqueResult unique_rows_cuda(const Tensor& rows, bool consecutive, bool return_inverse,
                                     bool return_counts) {
  c10::OptionalDeviceGuard guard(rows.device());
  const Tensor order = consecutive ? Tensor() : row_order(rows);
  const int64_t one = 1;
  const Tensor differs = at::any(
      differences(order.defined() ? at::index_select(rows, 0, order) : rows), IntArrayRef(&one, 1));
  auto [first, inverse, counts] = find_runs(differs, order, return_inverse, return_counts);
  return {order.defined() ? at::index_select(order, 0, first) : first, inverse, counts};
}

static UniqueResult unique_runs_cuda(const Tensor& self, const Tensor& values, const Tensor& order,
                                     bool return_inverse, bool return_counts) {
  dispatch_types<OrderedTypes>(values.scalar_type(), "unique", [](auto) {});
  const Tensor none = no_numbers(self);
  if (values.numel() == 0)
    return {values, return_inverse ? empty_tensor(self.sizes(), kLong, self.device()) : none, none};
  auto [first, inverse, counts] =
      find_runs(differences(values), order, return_inverse, return_counts);
  return {at::index_select(values, 0, first),
          return_inverse ? at::reshape(inverse, self.sizes()) : none, counts};
}

REGISTER_CUDA_DISPATCH(unique_rows_stub, &unique_rows_cuda)
REGISTER_CUDA_DISPATCH(unique_runs_stub, &unique_runs_cuda)

}  // namespace at::native
