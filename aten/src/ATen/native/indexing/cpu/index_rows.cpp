// Rows of one dimension on the CPU: operands for the loops of cpu/index_rows_kernel.cpp.

#include <ATen/native/indexing/index_rows.h>
#include <ATen/native/indexing/indexing.h>

namespace at::native {
namespace {

char* bytes(const Tensor& t) { return static_cast<char*>(t.data_ptr()); }
int64_t* indices(const Tensor& t) { return static_cast<int64_t*>(t.data_ptr()); }
int64_t row_bytes(const Tensor& t, const RowBlocks& b) {
  return b.inner * static_cast<int64_t>(t.itemsize());
}

}  // namespace

bool are_in_range(const Tensor& index, int64_t size) {
  const int64_t* at = indices(index);
  constexpr int64_t kPiece = 4096;
  for (int64_t i = 0; i < index.numel(); i += kPiece) {
    const int64_t stop = std::min(index.numel(), i + kPiece);
    int64_t min = 0, max = 0;
    for (int64_t k = i; k < stop; ++k) {
      min = std::min(min, at[k]);
      max = std::max(max, at[k]);
    }
    if (min < 0 || max >= size) return false;
  }
  return true;
}

static void check_indices_kernel(const Tensor& index, int64_t size, int64_t dim, const char* op,
                                 bool index_error) {
  const int64_t* at = indices(index);
  for (int64_t i = 0; i < index.numel(); ++i) {
    if (C10_LIKELY(static_cast<uint64_t>(at[i]) < static_cast<uint64_t>(size))) continue;
    TORCH_CHECK_INDEX(!index_error, op, ": index ", at[i], " is out of bounds for dimension ", dim,
                      " with size ", size);
    fail_index(at[i], dim, size);
  }
}

static void select_rows_kernel(const Tensor& result, const Tensor& self, const Tensor& index,
                               const RowBlocks& b) {
  index_rows_stub(kCPU, bytes(result), bytes(self), indices(index), b.outer, b.size, index.numel(),
                  row_bytes(self, b));
}

static void copy_rows_kernel(const Tensor& self, const Tensor& source, const Tensor& index,
                             const RowBlocks& b, bool one_row) {
  const int64_t row = row_bytes(self, b);
  index_copy_rows_stub(kCPU, bytes(self), bytes(source), indices(index), b.outer, b.size,
                       index.numel(), row, one_row ? 0 : row);
}

static void add_rows_kernel(const Tensor& self, const Tensor& source, const Tensor& index,
                            const RowBlocks& b, const Scalar& alpha) {
  index_add_rows_stub(kCPU, self.scalar_type(), self.data_ptr(), source.data_ptr(), indices(index),
                      b.outer, b.size, index.numel(), b.inner, alpha);
}

REGISTER_ALL_CPU_DISPATCH(check_indices_stub, &check_indices_kernel)
REGISTER_ALL_CPU_DISPATCH(select_rows_stub, &select_rows_kernel)
REGISTER_ALL_CPU_DISPATCH(copy_rows_stub, &copy_rows_kernel)
REGISTER_ALL_CPU_DISPATCH(add_rows_stub, &add_rows_kernel)

}  // namespace at::native
