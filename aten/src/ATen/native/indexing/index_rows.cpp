// Rows of one dimension: index_select, index_copy, index_add, index_fill, take, put.

#include <ATen/Parallel.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/indexing/indexing.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_add_native.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_native.h>
#include <ATen/ops/index_fill_native.h>
#include <ATen/ops/index_put__ops.h>
#include <ATen/ops/index_select_backward_native.h>
#include <ATen/ops/index_select_native.h>
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

// The blocks that a contiguous tensor is made of at a dimension.
struct Blocks {
  int64_t outer, size, inner;
  Blocks(const Tensor& t, int64_t dim) {
    IntArrayRef sizes = t.sizes();
    if (sizes.empty()) {
      outer = size = inner = 1;
    } else {
      outer = product(sizes.slice(0, dim));
      size = sizes[dim];
      inner = product(sizes.slice(dim + 1));
    }
  }
};

// Runs f on self itself if it is contiguous, else on a contiguous copy that is written back.
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

// Shapes but for dim must agree, as far as both have dimensions.
void check_source(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                  const char* op) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), op, "(): self (",
              toString(self.scalar_type()), ") and source (", toString(source.scalar_type()),
              ") must have the same scalar type");
  int64_t n = source.dim() == 0 ? 1 : source.dim() > dim ? source.sizes()[dim] : -1;
  TORCH_CHECK_INDEX(source.dim() == self.dim() || source.dim() == 0 || self.dim() == 0, op,
                    "(): When source and destination are not scalars, their dimensionality must "
                    "match. Source dimensionality (",
                    source.dim(), "), destination dimensionality (", self.dim(), ")");
  TORCH_CHECK(index.numel() == n, op, "(): Number of indices (", index.numel(),
              ") should be equal to source.size(dim): (", n, "), for dim: ", dim);
  for (int64_t d = 0; d < std::min(self.dim(), source.dim()); ++d) {
    TORCH_CHECK(d == dim || self.sizes()[d] == source.sizes()[d], op,
                "(): source tensor shape must match self tensor shape, excluding the specified "
                "dimension. Got self.shape = ",
                self.sizes(), " source.shape = ", source.sizes());
  }
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
  Tensor result = empty_tensor(sizes, self.scalar_type(), self.device());
  if (result.numel() == 0 || result.is_meta()) return result;
  Tensor from = at::contiguous(self);
  Blocks b(from, dim);
  index_rows_stub(kCPU, static_cast<char*>(result.data_ptr()),
                  static_cast<const char*>(from.data_ptr()),
                  static_cast<const int64_t*>(at.data_ptr()), b.outer, b.size, at.numel(),
                  b.inner * static_cast<int64_t>(self.itemsize()));
  return result;
}

Tensor index_select_backward(const Tensor& grad, IntArrayRef self_sizes, int64_t dim,
                             const Tensor& index) {
  Tensor zeros = at::zeros(self_sizes, grad.options());
  return at::_ops::index_add_::call(zeros, dim, index, grad, 1);
}

Tensor& index_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha) {
  Tensor at = long_index(index, "index_add_");
  dim = maybe_wrap_dim(dim, self.dim(), "index_add_");
  check_source(self, dim, at, source, "index_add_");
  if (self.is_meta() || at.numel() == 0 || source.numel() == 0) return self;
  const int64_t* places = static_cast<const int64_t*>(at.data_ptr());
  check_indices(places, at.numel(), self.dim() ? self.sizes()[dim] : 1, dim, "index_add_", false);
  Tensor from = source.is_alias_of(self) ? at::clone(source, MemoryFormat::Contiguous)
                                         : at::contiguous(source);
  return on_contiguous(self, "index_add_", [&](const Tensor& to) {
    Blocks b(to, dim);
    index_add_rows_stub(kCPU, to.scalar_type(), to.data_ptr(), from.data_ptr(), places, b.outer,
                        b.size, at.numel(), b.inner, alpha);
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
  Tensor at = at::contiguous(index);
  dim = maybe_wrap_dim(dim, self.dim(), "index_copy_");
  check_source(self, dim, at, source, "index_copy_");
  if (self.is_meta() || at.numel() == 0 || source.numel() == 0) return self;
  const int64_t* places = static_cast<const int64_t*>(at.data_ptr());
  check_indices(places, at.numel(), self.dim() ? self.sizes()[dim] : 1, dim, "index_copy_()", true);
  Tensor from = source.is_alias_of(self) ? at::clone(source, MemoryFormat::Contiguous)
                                         : at::contiguous(source);
  return on_contiguous(self, "index_copy_", [&](const Tensor& to) {
    Blocks b(to, dim);
    int64_t row = b.inner * static_cast<int64_t>(to.itemsize());
    index_copy_rows_stub(kCPU, static_cast<char*>(to.data_ptr()),
                         static_cast<const char*>(from.data_ptr()), places, b.outer, b.size,
                         at.numel(), row, row);
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
  if (self.is_meta()) return self;
  Tensor at = at::clone(index, MemoryFormat::Contiguous);
  int64_t* places = static_cast<int64_t*>(at.data_ptr());
  int64_t size = self.dim() ? self.sizes()[dim] : 1;
  for (int64_t k = 0; k < at.numel(); ++k) {
    TORCH_CHECK_INDEX(places[k] >= -size && places[k] < size, "index_fill_(): index ", places[k],
                      " is out of bounds for dimension ", dim, " with size ", size);
    if (places[k] < 0) places[k] += size;
  }
  if (at.numel() == 0 || self.numel() == 0) return self;
  return on_contiguous(self, "index_fill_", [&](const Tensor& to) {
    Blocks b(to, dim);
    Tensor row = at::contiguous(at::zeros({b.inner}, to.options()));
    Tensor number = scalar_tensor_of(value, to.scalar_type());
    at::_ops::copy_::call(row, number, false);
    index_copy_rows_stub(kCPU, static_cast<char*>(to.data_ptr()),
                         static_cast<const char*>(row.data_ptr()), places, b.outer, b.size,
                         at.numel(), b.inner * static_cast<int64_t>(to.itemsize()), 0);
  });
}

static Scalar number_in(const Tensor& value) {
  TORCH_CHECK(value.dim() == 0,
              "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
              value.dim(), " dimension(s).");
  if (value.is_complex()) {
    Tensor wide = at::_to_copy(value, TensorOptions(kComplexDouble));
    return Scalar(*static_cast<c10::complex<double>*>(wide.data_ptr()));
  }
  if (value.is_floating_point()) {
    Tensor wide = at::_to_copy(value, TensorOptions(kDouble));
    return Scalar(*static_cast<double*>(wide.data_ptr()));
  }
  Tensor wide = at::_to_copy(value, TensorOptions(kLong));
  return Scalar(*static_cast<int64_t*>(wide.data_ptr()));
}

Tensor& index_fill_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  if (self.is_meta()) return self;
  return native::index_fill_(self, dim, index, number_in(value));
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

static Tensor flat_index(const Tensor& self, const Tensor& index, const char* op) {
  TORCH_CHECK(index.scalar_type() == kLong, op, "(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  TORCH_CHECK_INDEX(self.numel() != 0 || index.numel() == 0, op,
                    "(): tried to take from an empty tensor");
  if (self.is_meta()) return index;
  Tensor flat = at::clone(index, MemoryFormat::Contiguous);
  int64_t* places = static_cast<int64_t*>(flat.data_ptr());
  int64_t n = self.numel();
  parallel_for(0, flat.numel(), kGrainSize, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      TORCH_CHECK_INDEX(places[k] >= -n && places[k] < n, op,
                        "(): out of range: tried to access index ", places[k], " on a tensor of ",
                        n, " elements.");
      if (places[k] < 0) places[k] += n;
    }
  });
  return flat;
}

Tensor take(const Tensor& self, const Tensor& index) {
  Tensor at = flat_index(self, index, "take");
  Tensor result = empty_tensor(index.sizes(), self.scalar_type(), self.device());
  if (result.numel() == 0 || result.is_meta()) return result;
  Tensor from = at::contiguous(self);
  index_rows_stub(kCPU, static_cast<char*>(result.data_ptr()),
                  static_cast<const char*>(from.data_ptr()),
                  static_cast<const int64_t*>(at.data_ptr()), 1, self.numel(), at.numel(),
                  static_cast<int64_t>(self.itemsize()));
  return result;
}

Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "put_(): self and source expected to have the same dtype, but got self.dtype = ",
              toString(self.scalar_type()), " and source.dtype = ", toString(source.scalar_type()));
  TORCH_CHECK_INDEX(
      index.numel() == source.numel(),
      "put_(): Expected source and index to have the same number of elements, but got "
      "source.numel() = ",
      source.numel(), ", index.numel() = ", index.numel());
  Tensor at = flat_index(self, index, "put_");
  if (self.is_meta() || at.numel() == 0) return self;
  Tensor from = source.is_alias_of(self) ? at::clone(source, MemoryFormat::Contiguous)
                                         : at::contiguous(source);
  const int64_t* places = static_cast<const int64_t*>(at.data_ptr());
  return on_contiguous(self, "put_", [&](const Tensor& to) {
    if (accumulate) {
      index_add_rows_stub(kCPU, to.scalar_type(), to.data_ptr(), from.data_ptr(), places, 1,
                          to.numel(), at.numel(), 1, 1);
    } else {
      int64_t item = static_cast<int64_t>(to.itemsize());
      index_copy_rows_stub(kCPU, static_cast<char*>(to.data_ptr()),
                           static_cast<const char*>(from.data_ptr()), places, 1, to.numel(),
                           at.numel(), item, item);
    }
  });
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  Tensor result = at::clone(self);
  return native::put_(result, index, source, accumulate);
}

}  // namespace at::native
