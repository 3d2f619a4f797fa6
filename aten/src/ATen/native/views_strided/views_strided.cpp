// Views that permute, select or repeat dimensions: transposes, select, slice, expand, diagonals,
// windows.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/adjoint_native.h>
#include <ATen/ops/as_strided__native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/broadcast_tensors_native.h>
#include <ATen/ops/broadcast_to_native.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/expand_as_native.h>
#include <ATen/ops/expand_native.h>
#include <ATen/ops/mH_native.h>
#include <ATen/ops/mT_native.h>
#include <ATen/ops/matrix_H_native.h>
#include <ATen/ops/moveaxis_native.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/movedim_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/narrow_native.h>
#include <ATen/ops/numpy_T_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/permute_native.h>
#include <ATen/ops/select_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/slice_native.h>
#include <ATen/ops/swapaxes__native.h>
#include <ATen/ops/swapaxes_native.h>
#include <ATen/ops/swapdims__native.h>
#include <ATen/ops/swapdims_native.h>
#include <ATen/ops/t__native.h>
#include <ATen/ops/t_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/transpose__native.h>
#include <ATen/ops/transpose__ops.h>
#include <ATen/ops/transpose_native.h>
#include <ATen/ops/unfold_native.h>

namespace at::native {

// --- any strides ---------------------------------------------------------------------------------

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> storage_offset) {
  int64_t offset = storage_offset ? *storage_offset : self.storage_offset();
  check_in_storage(self, size, stride, offset, self.itemsize(), "as_strided");
  return alias_with_sizes_and_strides(self, size, stride, offset);
}

Tensor& as_strided_(Tensor& self, IntArrayRef size, IntArrayRef stride,
                    std::optional<int64_t> storage_offset) {
  int64_t offset = storage_offset ? *storage_offset : self.storage_offset();
  check_in_storage(self, size, stride, offset, self.itemsize(), "as_strided_");
  self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
  self.unsafeGetTensorImpl()->set_storage_offset(offset);
  return self;
}

// --- order ---------------------------------------------------------------------------------------

static Tensor swapped(const Tensor& self, int64_t a, int64_t b) {
  DimVector sizes(self.sizes()), strides(self.strides());
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return alias_with_sizes_and_strides(self, sizes, strides, self.storage_offset());
}

static Tensor& swap_in_place(Tensor& self, int64_t a, int64_t b) {
  DimVector sizes(self.sizes()), strides(self.strides());
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return self;
}

Tensor t(const Tensor& self) {
  TORCH_CHECK(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ",
              self.dim(), "D");
  if (self.dim() == 2) return swapped(self, 0, 1);
  return alias_with_sizes_and_strides(self, self.sizes(), self.strides(), self.storage_offset());
}

Tensor& t_(Tensor& self) {
  TORCH_CHECK(self.dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is ",
              self.dim(), "D");
  return self.dim() == 2 ? swap_in_place(self, 0, 1) : self;
}

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  int64_t a = maybe_wrap_dim(dim0, self.dim(), "transpose"),
          b = maybe_wrap_dim(dim1, self.dim(), "transpose");
  if (self.dim() == 0)
    return alias_with_sizes_and_strides(self, self.sizes(), self.strides(), self.storage_offset());
  return swapped(self, a, b);
}

Tensor& transpose_(Tensor& self, int64_t dim0, int64_t dim1) {
  int64_t a = maybe_wrap_dim(dim0, self.dim(), "transpose_"),
          b = maybe_wrap_dim(dim1, self.dim(), "transpose_");
  return self.dim() == 0 ? self : swap_in_place(self, a, b);
}

Tensor swapaxes(const Tensor& self, int64_t axis0, int64_t axis1) {
  return at::transpose(self, axis0, axis1);
}
Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1) {
  return at::transpose(self, dim0, dim1);
}
Tensor& swapaxes_(Tensor& self, int64_t axis0, int64_t axis1) {
  return at::_ops::transpose_::call(self, axis0, axis1);
}
Tensor& swapdims_(Tensor& self, int64_t dim0, int64_t dim1) {
  return at::_ops::transpose_::call(self, dim0, dim1);
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  int64_t rank = self.dim();
  TORCH_CHECK(static_cast<int64_t>(dims.size()) == rank,
              "permute: number of dimensions in the tensor input does not match the length of the "
              "desired ordering of dimensions i.e. input.dim() = ",
              rank, " is not equal to len(dims) = ", dims.size());
  DimVector sizes(rank), strides(rank);
  uint64_t seen = 0;
  TORCH_CHECK(rank <= 64, "permute: only tensors with up to 64 dims are supported");
  for (int64_t d = 0; d < rank; ++d) {
    int64_t from = maybe_wrap_dim(dims[d], rank, "permute");
    TORCH_CHECK(!(seen >> from & 1), "permute(): duplicate dims are not allowed.");
    seen |= uint64_t(1) << from;
    sizes[d] = self.sizes()[from];
    strides[d] = self.strides()[from];
  }
  return alias_with_sizes_and_strides(self, sizes, strides, self.storage_offset());
}

Tensor numpy_T(const Tensor& self) {
  DimVector dims;
  for (int64_t d = self.dim(); d-- > 0;) dims.push_back(d);
  if (self.dim() != 2 && self.dim() != 0) {
    TORCH_WARN_ONCE(
        "x.T of a tensor that is not a matrix reverses all dimensions; this use is deprecated. "
        "Write "
        "x.mT for batches of matrices, or x.permute(*torch.arange(x.ndim - 1, -1, -1)) for the "
        "reverse.");
  }
  return at::permute(self, dims);
}

static void check_matrices(const Tensor& self, const char* what) {
  TORCH_CHECK(self.dim() >= 2, what, " is only supported on matrices or batches of matrices. Got ",
              self.dim(), "-D tensor.");
}

Tensor mT(const Tensor& self) {
  check_matrices(self, "tensor.mT");
  return at::transpose(self, -2, -1);
}

Tensor mH(const Tensor& self) {
  check_matrices(self, "tensor.mH");
  Tensor result = at::transpose(self, -2, -1);
  return self.is_complex() ? at::conj(result) : result;
}

Tensor matrix_H(const Tensor& self) {
  TORCH_CHECK(self.dim() == 2 || self.dim() == 0,
              "tensor.H is only supported on matrices (2-D tensors). Got ", self.dim(),
              "-D tensor.",
              self.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  if (self.dim() == 0) return self.is_complex() ? at::conj(self) : self;
  Tensor result = at::transpose(self, 0, 1);
  return self.is_complex() ? at::conj(result) : result;
}

Tensor adjoint(const Tensor& self) {
  check_matrices(self, "tensor.adjoint()");
  Tensor result = at::transpose(self, -2, -1);
  return self.is_complex() ? at::conj(result) : result;
}

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  TORCH_CHECK(source.size() == destination.size(),
              "movedim: Invalid source or destination dims: source (", source,
              " dims) should contain the same number of dims as destination (", destination,
              " dims)");
  int64_t rank = self.dim();
  uint64_t from = dim_bits(source, rank, "movedim: repeated dim in `source`"),
           to = dim_bits(destination, rank, "movedim: repeated dim in `destination`");
  if (rank == 0) return at::permute(self, IntArrayRef{});
  DimVector order(rank, -1);
  for (size_t k = 0; k < source.size(); ++k) {
    order[maybe_wrap_dim(destination[k], rank)] = maybe_wrap_dim(source[k], rank);
  }
  int64_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (to >> d & 1) continue;
    while (from >> next & 1) ++next;
    order[d] = next++;
  }
  return at::permute(self, order);
}

Tensor movedim(const Tensor& self, int64_t source, int64_t destination) {
  return at::movedim(self, IntArrayRef(source), IntArrayRef(destination));
}
Tensor moveaxis(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  return at::movedim(self, source, destination);
}
Tensor moveaxis(const Tensor& self, int64_t source, int64_t destination) {
  return at::movedim(self, IntArrayRef(source), IntArrayRef(destination));
}

// --- parts ---------------------------------------------------------------------------------------

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  int64_t rank = self.dim();
  TORCH_CHECK_INDEX(rank > 0, "select() cannot be applied to a 0-dim tensor.");
  dim = maybe_wrap_dim(dim, rank, "select");
  IntArrayRef sizes = self.sizes(), strides = self.strides();
  int64_t size = sizes[dim];
  TORCH_CHECK_INDEX(index >= -size && index < size, "select(): index ", index,
                    " out of range for tensor of size ", sizes, " at dimension ", dim);
  if (index < 0) index += size;
  DimVector new_sizes(rank - 1), new_strides(rank - 1);
  for (int64_t d = 0, to = 0; d < rank; ++d) {
    if (d == dim) continue;
    new_sizes[to] = sizes[d];
    new_strides[to++] = strides[d];
  }
  return alias_with_sizes_and_strides(self, new_sizes, new_strides,
                                      self.storage_offset() + index * strides[dim]);
}

Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start,
             std::optional<int64_t> end, int64_t step) {
  TORCH_CHECK_INDEX(self.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  dim = maybe_wrap_dim(dim, self.dim(), "slice");
  TORCH_CHECK(step > 0, "slice step must be positive, got ", step);
  DimVector sizes(self.sizes()), strides(self.strides());
  SliceRange r = slice_range(sizes[dim], start, end);
  int64_t offset = self.storage_offset() + r.start * strides[dim];
  sizes[dim] = (r.end - r.start) / step + ((r.end - r.start) % step != 0);
  if (step != 1 && __builtin_mul_overflow(strides[dim], step, &strides[dim]))
    strides[dim] = INT64_MAX;
  return alias_with_sizes_and_strides(self, sizes, strides, offset);
}

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  TORCH_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK(length >= 0, "narrow(): length must be non-negative, got ", length);
  dim = maybe_wrap_dim(dim, self.dim(), "narrow");
  int64_t size = self.sizes()[dim];
  TORCH_CHECK_INDEX(start >= -size && start <= size,
                    "start out of range (expected to be in range of [", -size, ", ", size,
                    "], but got ", start, ")");
  if (start < 0) start += size;
  TORCH_CHECK(start <= size - length, "start (", start, ") + length (", length,
              ") exceeds dimension size (", size, ").");
  return at::slice(self, dim, start, start + length, 1);
}

Tensor narrow(const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
  TORCH_CHECK(start.dim() == 0 && isIntegralType(start.scalar_type(), false),
              "start must be an 0-dim integral Tensor.");
  return at::narrow(self, dim, at::_local_scalar_dense(start).toLong(), length);
}

// Sliding windows over a dimension, in a new last dimension.
Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  int64_t dim = maybe_wrap_dim(dimension, self.dim(), "unfold");
  int64_t dim_size = self.dim() == 0 ? 1 : self.sizes()[dim];
  TORCH_CHECK(size >= 0, "size is ", size, " but must be >= 0");
  TORCH_CHECK(size <= dim_size, "maximum size for tensor at dimension ", dim, " is ", dim_size,
              " but size is ", size);
  TORCH_CHECK(step > 0, "step is ", step, " but must be > 0");
  DimVector sizes(self.sizes()), strides(self.strides());
  sizes.push_back(size);
  strides.push_back(self.dim() == 0 ? 1 : strides[dim]);
  if (self.dim() > 0) {
    sizes[dim] = (dim_size - size) / step + 1;
    if (__builtin_mul_overflow(strides[dim], step, &strides[dim])) strides[dim] = INT64_MAX;
  }
  return alias_with_sizes_and_strides(self, sizes, strides, self.storage_offset());
}

// --- repetition ----------------------------------------------------------------------------------

Tensor expand(const Tensor& self, IntArrayRef size, bool /*implicit*/) {
  int64_t rank = static_cast<int64_t>(size.size()), missing = rank - self.dim();
  TORCH_CHECK(missing >= 0, "expand: the number of sizes provided (", rank,
              ") must be greater or equal to the number of dimensions in the tensor (", self.dim(),
              ")");
  DimVector sizes(size), strides(rank);
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d < missing) {
      TORCH_CHECK(size[d] >= 0, "The expanded size of the tensor (", size[d],
                  ") isn't allowed in a leading, non-existing dimension ", d);
      strides[d] = d + 1 < rank ? sizes[d + 1] * strides[d + 1] : 1;
      if (sizes[d] != 1) strides[d] = 0;
      continue;
    }
    int64_t have = self.sizes()[d - missing];
    strides[d] = self.strides()[d - missing];
    if (size[d] == -1) sizes[d] = have;
    if (sizes[d] == have) continue;
    TORCH_CHECK(have == 1 && sizes[d] >= 0, "The expanded size of the tensor (", size[d],
                ") must match the existing size (", have, ") at non-singleton dimension ", d,
                ".  Target sizes: ", size, ".  Tensor sizes: ", self.sizes());
    strides[d] = 0;
  }
  checked_numel(sizes, "expand");
  return alias_with_sizes_and_strides(self, sizes, strides, self.storage_offset());
}

Tensor expand_as(const Tensor& self, const Tensor& other) {
  return at::expand(self, other.sizes());
}
Tensor broadcast_to(const Tensor& self, IntArrayRef size) { return at::expand(self, size); }

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  DimVector shape;
  for (const Tensor& t : tensors)
    shape = infer_broadcast_sizes(shape, t.sizes(), "broadcast_tensors");
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& t : tensors)
    result.push_back(t.sizes() == IntArrayRef(shape) ? t : at::expand(t, shape));
  return result;
}

}  // namespace at::native
