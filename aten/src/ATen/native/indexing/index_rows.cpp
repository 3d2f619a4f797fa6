// Rows of one dimension: index_select, index_copy, index_add, index_fill, take, put.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/fill/fill.h>
#include <ATen/native/indexing/index_rows.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_unique2.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_add_native.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_native.h>
#include <ATen/ops/index_fill_native.h>
#include <ATen/ops/index_put_.h>
#include <ATen/ops/index_put__ops.h>
#include <ATen/ops/index_select_backward_native.h>
#include <ATen/ops/index_select_native.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/put__native.h>
#include <ATen/ops/put_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/take_native.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

// Index vectors as contiguous longs.
Tensor long_index(const Tensor& index, const char* op) {
  TORCH_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt, op,
              "(): Expected dtype int32 or int64 for index, got ", dtypeName(index.scalar_type()));
  TORCH_CHECK_INDEX(index.dim() <= 1, op, "(): Index is supposed to be a vector, got ", index.dim(),
                    " dimensions");
  Tensor longs = index.scalar_type() == kInt ? at::_to_copy(index, TensorOptions(kLong)) : index;
  return at::contiguous(longs);
}

// Runs f on self if it is contiguous, else on a contiguous copy that is written back.
template <typename F>
Tensor& on_contiguous(Tensor& self, const char* op, const F& f) {
  assert_no_internal_overlap(self, op);
  if (self.is_contiguous()) {
    f(self);
    return self;
  }
  Tensor copy = at::clone(self, MemoryFormat::Contiguous);
  f(copy);
  return at::_ops::copy_::call(self, copy, false);
}

// The elements of an operand, dense, and not where self is written.
Tensor dense_apart_from(const Tensor& self, const Tensor& operand) {
  return operand.is_alias_of(self) ? at::clone(operand, MemoryFormat::Contiguous)
                                   : at::contiguous(operand);
}

// One index for each of source's rows, which have the shape of self's. A source without dimensions
// is one row.
void check_source(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                  const char* op) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), op, "(): self (",
              toString(self.scalar_type()), ") and source (", toString(source.scalar_type()),
              ") must have the same scalar type");
  auto row_of = [dim](const Tensor& t) {
    DimVector sizes(t.sizes());
    if (dim < t.dim()) sizes.erase(sizes.begin() + dim);
    return sizes;
  };
  TORCH_CHECK(IntArrayRef(row_of(self)) == IntArrayRef(row_of(source)), op,
              "(): source tensor shape must match self tensor shape, excluding the specified "
              "dimension. Got self.shape = ",
              self.sizes(), " source.shape = ", source.sizes());
  const int64_t num_rows = source.dim() > 0 ? source.sizes()[dim] : 1;
  TORCH_CHECK(index.numel() == num_rows, op, "(): Number of indices (", index.numel(),
              ") should be equal to source.size(dim): (", num_rows, "), for dim: ", dim);
}

}  // namespace

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  Tensor at = long_index(index, "index_select");
  dim = maybe_wrap_dim(dim, self.dim(), "index_select");
  DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[dim] = at.numel();
  else
    TORCH_CHECK(at.numel() == 1, "index_select(): Index to a scalar can have only 1 value, got ",
                at.numel(), " value(s)");
  if (self.dim() > 0 && self.numel() > 0 && !self.is_contiguous() &&
      at.numel() < self.sizes()[dim]) {
    // Reading few rows through strides costs less than a dense copy of all of them.
    check_indices_stub(self.device().type(), at, self.sizes()[dim], dim,
                       "index_select: index out of range in self", true);
    std::vector<std::optional<Tensor>> indices(dim + 1);
    indices.back() = at::reshape(at, {-1});
    return at::contiguous(at::index(self, indices));
  }
  Tensor result = empty_tensor(sizes, self.scalar_type(), self.device());
  if (result.numel() == 0) return result;
  select_rows_stub(result.device().type(), result, at::contiguous(self), at, RowBlocks(self, dim));
  return result;
}

Tensor index_select_backward(const Tensor& grad, IntArrayRef self_sizes, int64_t dim,
                             const Tensor& index) {
  Tensor zeros = at::new_zeros(grad, self_sizes);
  return at::_ops::index_add_::call(zeros, dim, index, grad, 1);
}

Tensor& index_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha) {
  Tensor at = dense_apart_from(self, long_index(index, "index_add_"));
  dim = maybe_wrap_dim(dim, self.dim(), "index_add_");
  check_source(self, dim, at, source, "index_add_");
  if (at.numel() == 0 || source.numel() == 0) return self;
  const RowBlocks blocks(self, dim);
  check_indices_stub(self.device().type(), at, blocks.size, dim, "index_add_", false);
  Tensor from = dense_apart_from(self, source);
  return on_contiguous(self, "index_add_", [&](const Tensor& to) {
    add_rows_stub(to.device().type(), to, from, at, blocks, alpha);
  });
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::index_add_(result, dim, index, source, alpha);
}

Tensor& index_copy_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_copy_(): Index should have dimension 1 or 0 (got ",
                    index.dim(), ")");
  TORCH_CHECK(index.scalar_type() == kLong,
              "index_copy_(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  Tensor at = dense_apart_from(self, index);
  dim = maybe_wrap_dim(dim, self.dim(), "index_copy_");
  TORCH_CHECK_INDEX(source.dim() == self.dim() || source.dim() == 0 || self.dim() == 0,
                    "index_copy_(): source has ", source.dim(), " dimensions, self ", self.dim());
  TORCH_CHECK_INDEX(
      source.dim() != self.dim() || dim >= source.dim() || at.numel() == source.sizes()[dim],
      "index_copy_(): Number of indices (", at.numel(), ") should be equal to source.size(dim): (",
      dim < source.dim() ? source.sizes()[dim] : 1, ")");
  check_source(self, dim, at, source, "index_copy_");
  if (at.numel() == 0 || source.numel() == 0) return self;
  const RowBlocks blocks(self, dim);
  check_indices_stub(self.device().type(), at, blocks.size, dim, "index_copy_()", true);
  Tensor from = dense_apart_from(self, source);
  if (!self.is_contiguous() && source.dim() == self.dim() && 4 * at.numel() < blocks.size) {
    // Few rows are written where they are.
    std::vector<std::optional<Tensor>> indices(static_cast<size_t>(dim) + 1);
    indices.back() = at::reshape(at, {-1});
    return at::_ops::index_put_::call(self, indices, from, false);
  }
  return on_contiguous(self, "index_copy_", [&](const Tensor& to) {
    copy_rows_stub(to.device().type(), to, from, at, blocks, false);
  });
}

Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::index_copy_(result, dim, index, source);
}

Tensor& index_fill_(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  TORCH_CHECK_INDEX(index.scalar_type() == kLong,
                    "index_fill_(): Expected dtype int64 for index, got ",
                    dtypeName(index.scalar_type()));
  TORCH_CHECK(index.dim() <= 1, "index_fill_(): Index has to be a vector/scalar, got ", index.dim(),
              " dimensions");
  TORCH_CHECK(self.is_complex() || !value.isComplex(),
              "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  dim = maybe_wrap_dim(dim, self.dim(), "index_fill_");
  const RowBlocks blocks(self, dim);
  Tensor at = at::clone(index, MemoryFormat::Contiguous);
  wrap_indices_stub(self.device().type(), at, blocks.size, dim, "index_fill_");
  if (at.numel() == 0 || self.numel() == 0) return self;
  // More indices than there are: each once.
  if (at.is_cpu() && at.numel() > blocks.size) at = std::get<0>(at::_unique2(at));
  return on_contiguous(self, "index_fill_", [&](const Tensor& to) {
    Tensor row = at::contiguous(at::zeros({blocks.inner}, to.options()));
    fill_elements(row, value);
    copy_rows_stub(to.device().type(), to, row, at, blocks, true);
  });
}

Tensor& index_fill_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  return native::index_fill_(self, dim, index, number_in(value, "index_fill_"));
}
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  Tensor result = at::clone(self);
  return native::index_fill_(result, dim, index, value);
}
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  Tensor result = at::clone(self);
  return native::index_fill_(result, dim, index, value);
}

// --- by position in the whole tensor -------------------------------------------------------------

static void check_flat_index(const Tensor& self, const Tensor& index, const char* op) {
  TORCH_CHECK(index.scalar_type() == kLong, op, "(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  TORCH_CHECK_INDEX(self.numel() != 0 || index.numel() == 0, op,
                    "(): tried to take from an empty tensor");
}

static Tensor flat_index(const Tensor& self, const Tensor& index, const char* op) {
  check_flat_index(self, index, op);
  if (index.is_cpu() && index.is_contiguous() && are_in_range(index, self.numel())) return index;
  Tensor flat = at::clone(index, MemoryFormat::Contiguous);
  wrap_indices_stub(self.device().type(), flat, self.numel(), std::nullopt, op);
  return flat;
}

// The whole tensor as one block of single elements.
static RowBlocks single_elements(const Tensor& t) { return {1, t.numel(), 1}; }

Tensor take(const Tensor& self, const Tensor& index) {
  check_flat_index(self, index, "take");
  Tensor result = empty_tensor(index.sizes(), self.scalar_type(), self.device());
  if (result.numel() == 0) return result;
  if (self.is_cpu() && index.is_cpu()) {
    take_elements_stub(result.device().type(), result, at::contiguous(self), at::contiguous(index),
                       false);
    return result;
  }
  const Tensor at = flat_index(self, index, "take");
  select_rows_stub(result.device().type(), result, at::contiguous(self), at, single_elements(self));
  return result;
}

// A tensor that is written by one thread, as it stays in its cache.
constexpr int64_t kFewElements = 16384;

Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "put_(): self and source expected to have the same dtype, but got self.dtype = ",
              toString(self.scalar_type()), " and source.dtype = ", toString(source.scalar_type()));
  TORCH_CHECK_INDEX(
      index.numel() == source.numel(),
      "put_(): Expected source and index to have the same number of elements, but got "
      "source.numel() = ",
      source.numel(), ", index.numel() = ", index.numel());
  Tensor at = dense_apart_from(self, flat_index(self, index, "put_"));
  if (at.numel() == 0) return self;
  Tensor from = dense_apart_from(self, source);
  return on_contiguous(self, "put_", [&](const Tensor& to) {
    if (accumulate) {
      add_rows_stub(to.device().type(), to, from, at, single_elements(to), 1);
    } else if (to.is_cpu() && to.numel() < kFewElements) {  // threads would share cache lines
      copy_rows_stub(to.device().type(), to, from, at, single_elements(to), false);
    } else {  // in parallel: where indices repeat, any of their values may remain
      Tensor flat = at::view(to, {-1});
      at::index_put_(flat, {at::view(at, {-1})}, at::view(from, {-1}));
    }
  });
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  Tensor result = at::clone(self);
  return native::put_(result, index, source, accumulate);
}

}  // namespace at::native
