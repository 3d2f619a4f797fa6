// Views of all elements with another shape.

#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/_unsafe_view_native.h>
#include <ATen/ops/atleast_1d_native.h>
#include <ATen/ops/atleast_2d_native.h>
#include <ATen/ops/atleast_3d_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/flatten_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/ravel_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/reshape_as_native.h>
#include <ATen/ops/reshape_native.h>
#include <ATen/ops/squeeze__native.h>
#include <ATen/ops/squeeze_native.h>
#include <ATen/ops/unflatten_native.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/unsqueeze__native.h>
#include <ATen/ops/unsqueeze_native.h>
#include <ATen/ops/view.h>
#include <ATen/ops/view_as_native.h>
#include <ATen/ops/view_native.h>

namespace at::native {

Tensor view(const Tensor& self, IntArrayRef size) {
  DimVector shape = infer_size(size, self.numel());
  if (self.is_contiguous()) return alias_contiguous(self, shape);
  DimVector strides;
  TORCH_CHECK(strides_of_view(self.sizes(), self.strides(), shape, strides), "view(", size,
              "): view size is not compatible with input tensor's size ", self.sizes(),
              " and stride ", self.strides(),
              " (at least one dimension spans across two contiguous subspaces). Use .reshape(...) "
              "instead.");
  return alias_with_sizes_and_strides(self, shape, strides, self.storage_offset());
}

Tensor _unsafe_view(const Tensor& self, IntArrayRef size) {
  // Nobody else holds self, so there is no need to record it as a base.
  Tensor result = native::view(self, size);
  result.unsafeGetTensorImpl()->drop_view_base();
  result.unsafeGetTensorImpl()->set_autograd_key(false);
  return result;
}

Tensor _reshape_alias(const Tensor& self, IntArrayRef size, IntArrayRef stride) {
  check_in_storage(self, size, stride, self.storage_offset(), self.itemsize(), "_reshape_alias");
  return alias_with_sizes_and_strides(self, size, stride, self.storage_offset());
}

// Reinterprets the bytes as another type. A smaller type splits the last dimension, a larger one
// joins its elements.
Tensor view_dtype(const Tensor& self, ScalarType dtype) {
  if (self.scalar_type() == dtype)
    return alias_with_sizes_and_strides(self, self.sizes(), self.strides(), self.storage_offset());
  TORCH_CHECK(!self.is_conj() && !self.is_neg(), "view: the memory of this tensor holds the ",
              self.is_conj() ? "conjugates" : "negatives",
              " of its elements, which cannot be viewed as ", dtypeName(dtype), "; call resolve_",
              self.is_conj() ? "conj" : "neg", "() first");
  int64_t from = static_cast<int64_t>(self.itemsize()),
          to = static_cast<int64_t>(elementSize(dtype));
  TORCH_CHECK(to > 0, "view: dtype ", toString(dtype), " has no elements to view");
  DimVector sizes(self.sizes()), strides(self.strides());
  int64_t offset = self.storage_offset();
  if (from != to) {
    TORCH_CHECK(self.dim() > 0, "self.dim() cannot be 0 to view ", dtypeName(self.scalar_type()),
                " as ", dtypeName(dtype), " (different element sizes)");
    TORCH_CHECK(strides.back() == 1, "self.stride(-1) must be 1 to view ",
                dtypeName(self.scalar_type()), " as ", dtypeName(dtype),
                " (different element sizes), but got ", strides.back());
    if (to < from) {
      int64_t parts = from / to;
      for (size_t d = 0; d + 1 < strides.size(); ++d) strides[d] *= parts;
      sizes.back() *= parts;
      offset *= parts;
    } else {
      int64_t parts = to / from;
      TORCH_CHECK(sizes.back() % parts == 0, "self.size(-1) must be divisible by ", parts,
                  " to view ", dtypeName(self.scalar_type()), " as ", dtypeName(dtype),
                  " (different element sizes), but got ", sizes.back());
      TORCH_CHECK(offset % parts == 0, "self.storage_offset() must be divisible by ", parts,
                  " to view ", dtypeName(self.scalar_type()), " as ", dtypeName(dtype),
                  " (different element sizes), but got ", offset);
      for (size_t d = 0; d + 1 < strides.size(); ++d) {
        TORCH_CHECK(strides[d] % parts == 0 || sizes[d] <= 1, "self.stride(", d,
                    ") must be divisible by ", parts, " to view ", dtypeName(self.scalar_type()),
                    " as ", dtypeName(dtype), " (different element sizes), but got ", strides[d]);
        strides[d] /= parts;
      }
      sizes.back() /= parts;
      offset /= parts;
    }
  }
  Tensor result = alias_with_sizes_and_strides(self, sizes, strides, offset);
  result.unsafeGetTensorImpl()->set_dtype(dtype);
  result.unsafeGetTensorImpl()->drop_view_base();  // bits of another type have no history
  return result;
}

Tensor reshape(const Tensor& self, IntArrayRef shape) {
  if (self.is_contiguous()) return at::view(self, shape);
  DimVector sizes = infer_size(shape, self.numel()), strides;
  if (strides_of_view(self.sizes(), self.strides(), sizes, strides)) return at::view(self, sizes);
  return at::_unsafe_view(at::clone(self, MemoryFormat::Contiguous), sizes);
}

Tensor view_as(const Tensor& self, const Tensor& other) { return at::view(self, other.sizes()); }
Tensor reshape_as(const Tensor& self, const Tensor& other) {
  return at::reshape(self, other.sizes());
}
Tensor ravel(const Tensor& self) { return at::view(at::contiguous(self), {-1}); }

Tensor flatten(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  int64_t start = maybe_wrap_dim(start_dim, self.dim(), "flatten"),
          end = maybe_wrap_dim(end_dim, self.dim(), "flatten");
  TORCH_CHECK(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim, got ",
              start_dim, " and ", end_dim);
  if (self.dim() == 0) return at::reshape(self, {1});
  if (start == end) return self;
  DimVector shape(self.sizes().slice(0, start));
  int64_t merged = 1;
  for (int64_t d = start; d <= end; ++d) merged *= self.sizes()[d];
  shape.push_back(merged);
  for (int64_t d = end + 1; d < self.dim(); ++d) shape.push_back(self.sizes()[d]);
  return at::reshape(self, shape);
}

Tensor unflatten(const Tensor& self, int64_t dim, IntArrayRef sizes) {
  int64_t d = maybe_wrap_dim(dim, self.dim(), "unflatten");
  TORCH_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  TORCH_CHECK(self.dim() > 0, "unflatten: the input has no dimension to unflatten");
  int64_t known = 1, size = self.sizes()[d];
  bool open = false, overflow = false;
  for (int64_t s : sizes) {
    open |= s == -1;
    if (s != -1) overflow |= __builtin_mul_overflow(known, s, &known);
  }
  TORCH_CHECK(!overflow && (open ? known != 0 && size % known == 0 : known == size),
              "unflatten: Provided sizes ", sizes, " don't multiply up to the size of dim ", d,
              " (", size, ") in the input tensor");
  DimVector shape(self.sizes().slice(0, d));
  DimVector inferred = infer_size(sizes, size);
  shape.append(inferred.begin(), inferred.end());
  IntArrayRef rest = self.sizes().slice(d + 1);
  shape.append(rest.begin(), rest.end());
  return at::view(self, shape);
}

// --- dimensions of size 1 ------------------------------------------------------------------------

namespace {
struct Shape {
  DimVector sizes, strides;
};

Shape with_unit_dim(const Tensor& self, int64_t dim) {
  int64_t rank = self.dim();
  int64_t at = maybe_wrap_dim(dim, rank + 1, "unsqueeze");
  Shape s{DimVector(self.sizes()), DimVector(self.strides())};
  int64_t stride = at >= rank ? 1 : s.sizes[at] * s.strides[at];
  s.sizes.insert(s.sizes.begin() + at, 1);
  s.strides.insert(s.strides.begin() + at, stride);
  return s;
}

// Without the dimensions of size 1 that are in the set.
Shape without_unit_dims(const Tensor& self, uint64_t bits) {
  Shape s;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.sizes()[d] == 1 && (d >= 64 || (bits >> d & 1))) continue;
    s.sizes.push_back(self.sizes()[d]);
    s.strides.push_back(self.strides()[d]);
  }
  return s;
}

Tensor with_shape(const Tensor& self, const Shape& s) {
  return alias_with_sizes_and_strides(self, s.sizes, s.strides, self.storage_offset());
}
Tensor& take_shape(Tensor& self, const Shape& s) {
  self.unsafeGetTensorImpl()->set_sizes_and_strides(s.sizes, s.strides);
  return self;
}
uint64_t one_dim(const Tensor& self, int64_t dim) {
  return uint64_t(1) << (maybe_wrap_dim(dim, self.dim(), "squeeze") & 63);
}
}  // namespace

Tensor unsqueeze(const Tensor& self, int64_t dim) {
  return with_shape(self, with_unit_dim(self, dim));
}
Tensor& unsqueeze_(Tensor& self, int64_t dim) { return take_shape(self, with_unit_dim(self, dim)); }
Tensor squeeze(const Tensor& self) {
  return with_shape(self, without_unit_dims(self, ~uint64_t(0)));
}
Tensor squeeze(const Tensor& self, int64_t dim) {
  return with_shape(self, without_unit_dims(self, one_dim(self, dim)));
}
Tensor squeeze(const Tensor& self, IntArrayRef dim) {
  return with_shape(self, without_unit_dims(self, dim_bits(dim, self.dim(), "squeeze")));
}
Tensor& squeeze_(Tensor& self) { return take_shape(self, without_unit_dims(self, ~uint64_t(0))); }
Tensor& squeeze_(Tensor& self, int64_t dim) {
  return take_shape(self, without_unit_dims(self, one_dim(self, dim)));
}
Tensor& squeeze_(Tensor& self, IntArrayRef dim) {
  return take_shape(self, without_unit_dims(self, dim_bits(dim, self.dim(), "squeeze_")));
}

Tensor atleast_1d(const Tensor& self) { return self.dim() == 0 ? at::reshape(self, {1}) : self; }

Tensor atleast_2d(const Tensor& self) {
  if (self.dim() == 0) return at::reshape(self, {1, 1});
  return self.dim() == 1 ? at::unsqueeze(self, 0) : self;
}

Tensor atleast_3d(const Tensor& self) {
  switch (self.dim()) {
    case 0:
      return at::reshape(self, {1, 1, 1});
    case 1:
      return at::unsqueeze(at::unsqueeze(self, 0), -1);
    case 2:
      return at::unsqueeze(self, -1);
    default:
      return self;
  }
}

static std::vector<Tensor> each(TensorList tensors, Tensor (*f)(const Tensor&)) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& t : tensors) result.push_back(f(t));
  return result;
}

std::vector<Tensor> atleast_1d(TensorList tensors) { return each(tensors, &atleast_1d); }
std::vector<Tensor> atleast_2d(TensorList tensors) { return each(tensors, &atleast_2d); }
std::vector<Tensor> atleast_3d(TensorList tensors) { return each(tensors, &atleast_3d); }

}  // namespace at::native
