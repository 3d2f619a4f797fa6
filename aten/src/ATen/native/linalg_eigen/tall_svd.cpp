// Singular values of matrices with many more rows than columns. They are those of the factor R, as
// are the right vectors; LAPACK knows that as well, but its reflectors take longer than ours.
//
// Long matrices are divided into blocks of rows that stay in a cache, which threads factor on their
// own; their factors R, one below the other, are a shorter matrix with the same singular values
// (Demmel, Grigori, Hoemmen and Langou, "Communication-optimal parallel and sequential QR and LU
// factorizations", 2012).

#include <ATen/native/linalg_eigen/tall_svd.h>

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/view.h>

namespace at::native {
namespace {

constexpr int64_t kBlockBytes = 256 << 10;

Tensor rows(const Tensor& t, int64_t begin, int64_t end) { return at::slice(t, -2, begin, end); }

void assign(Tensor to, const Tensor& from) { at::_ops::copy_::call(to, from, false); }

void clear(Tensor t) { at::fill_(t, 0); }

// A matrix whose rows are taken in blocks of `size`; what is missing in the last one is zero.
struct RowBlocks {
  RowBlocks(const Tensor& matrix, int64_t size)
      : batch(batch_sizes(matrix)),
        columns(columns_of(matrix)),
        total(rows_of(matrix)),
        size(size),
        whole(total / size),
        count((total + size - 1) / size) {}

  // New blocks, of `height` rows each.
  Tensor empty(const Tensor& like, int64_t height) const {
    return empty_by_columns(with_sizes(batch, {count, height, columns}), like.scalar_type(),
                            like.device());
  }
  // f(rows of the matrix, rows of the blocks) for whole blocks, and for the last one.
  template <typename F>
  void each(const Tensor& matrix, const Tensor& blocks, const F& f) const {
    f(at::view(rows(matrix, 0, whole * size), with_sizes(batch, {whole, size, columns})),
      at::slice(blocks, -3, 0, whole));
    if (whole < count)
      f(rows(matrix, whole * size, total),
        rows(at::select(blocks, -3, whole), 0, total - whole * size));
  }

  DimVector batch;
  int64_t columns, total, size, whole, count;
};

// U of a matrix from U of its factor R: Q U, or Q times U and further columns of the identity.
void apply_factor(const Tensor& reflectors, const Tensor& tau, const Tensor& small,
                  const Tensor& U) {
  const int64_t k = columns_of(small), columns = columns_of(U);
  clear(U);
  assign(at::slice(rows(U, 0, k), -1, 0, k), small);
  if (columns > k) {
    Tensor ones = at::diagonal(at::slice(rows(U, k, columns), -1, k, columns), 0, -2, -1);
    at::fill_(ones, 1);
  }
  ormqr_stub(U.device().type(), reflectors, tau, U, true, false);
}

Tensor empty_tau(const Tensor& A) {
  return empty_tensor(with_sizes(batch_sizes(A), {columns_of(A)}), A.scalar_type(), A.device());
}

void svd_by_blocks(const RowBlocks& blocks, const Tensor& A, const Tensor& U, const Tensor& S,
                   const Tensor& Vh, const Tensor& info) {
  const int64_t n = blocks.columns;
  Tensor parts = blocks.empty(A, blocks.size);
  if (blocks.whole < blocks.count) clear(at::select(parts, -3, blocks.whole));
  blocks.each(A, parts, [](const Tensor& from, const Tensor& to) { assign(to, from); });
  Tensor tau = empty_tau(parts);
  geqrf_stub(A.device().type(), parts, tau);
  const DimVector stacked = with_sizes(blocks.batch, {blocks.count * n, n});
  Tensor R = at::reshape(at::triu(rows(parts, 0, n)), stacked), small;
  if (U.defined()) small = empty_by_columns(stacked, A.scalar_type(), A.device());
  svd_of_tall(R, small, S, Vh, info);
  if (!U.defined()) return;
  Tensor factors = blocks.empty(A, blocks.size);
  clear(factors);
  assign(rows(factors, 0, n), at::view(small, with_sizes(blocks.batch, {blocks.count, n, n})));
  ormqr_stub(A.device().type(), parts, tau, factors, true, false);
  blocks.each(U, factors, [](const Tensor& to, const Tensor& from) { assign(to, from); });
}

}  // namespace

void svd_of_tall(const Tensor& A, const Tensor& U, const Tensor& S, const Tensor& Vh,
                 const Tensor& info) {
  const int64_t n = columns_of(A), row_bytes = n * static_cast<int64_t>(A.itemsize());
  const RowBlocks blocks(A, std::max(4 * n, kBlockBytes / row_bytes));
  const bool complete = U.defined() && columns_of(U) > n;
  if (blocks.whole >= 4 && !complete) return svd_by_blocks(blocks, A, U, S, Vh, info);
  Tensor a = copy_by_columns(A), tau = empty_tau(A);
  geqrf_stub(A.device().type(), a, tau);
  Tensor R = copy_by_columns(at::triu(rows(a, 0, n))), small;
  if (U.defined()) small = empty_by_columns(R.sizes(), A.scalar_type(), A.device());
  svd_stub(A.device().type(), R, small, S, Vh, info, std::nullopt);
  if (U.defined()) apply_factor(a, tau, small, U);
}

}  // namespace at::native
