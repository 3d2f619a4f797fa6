// gather and scatter: checks, forms and derivatives. The loops are in cpu/scatter_kernel.cpp.

#include <cmath>

#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/indexing/indexing.h>
#include <ATen/native/scatter/scatter.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/gather_backward_native.h>
#include <ATen/ops/gather_native.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter_add_native.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/scatter_native.h>
#include <ATen/ops/scatter_reduce_native.h>
#include <ATen/ops/take_along_dim_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

int64_t rank_of(const Tensor& t) { return std::max<int64_t>(t.dim(), 1); }
int64_t size_of(const Tensor& t, int64_t d) { return t.dim() == 0 ? 1 : t.sizes()[d]; }

Tensor long_index(const Tensor& index, const char* op) {
  if (index.numel() == 0) return index;
  TORCH_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt, op,
              "(): Expected dtype int32/int64 for index, got ", dtypeName(index.scalar_type()));
  return index.scalar_type() == kInt ? at::_to_copy(index, TensorOptions(kLong)) : index;
}

// A view with one dimension instead of none, so that ranks agree.
Tensor at_least_1d(const Tensor& t) {
  if (t.dim() > 0) return t;
  auto impl = t.unsafeGetTensorImpl()->shallow_copy();
  impl->set_sizes_contiguous({1});
  return Tensor(std::move(impl));
}

Tensor& scatter_into(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                     ScatterReduce reduce, const char* op, bool one_value) {
  dim = maybe_wrap_dim(dim, self.dim(), op);
  Tensor at = long_index(index, op);
  TORCH_CHECK(self.scalar_type() == src.scalar_type(), op,
              "(): Expected self.dtype to be equal to src.dtype, got ",
              toString(self.scalar_type()), " and ", toString(src.scalar_type()));
  assert_no_internal_overlap(self, op);
  if (at.numel() == 0) return self;
  TORCH_CHECK(rank_of(index) == rank_of(self), op,
              "(): Index tensor must have the same number of dimensions as self tensor, got ",
              index.dim(), " and ", self.dim());
  TORCH_CHECK(one_value || rank_of(index) == rank_of(src), op,
              "(): Index tensor must have the same number of dimensions as src tensor, got ",
              index.dim(), " and ", src.dim());
  for (int64_t d = 0; d < rank_of(index); ++d) {
    bool fits = d == dim || size_of(index, d) <= size_of(self, d);
    TORCH_CHECK(fits && (one_value || size_of(index, d) <= size_of(src, d)), op,
                "(): Expected index ", index.sizes(), " to be no larger than self ", self.sizes(),
                " apart from dimension ", dim,
                one_value ? "" : " and to be no larger size than src ",
                one_value ? std::string() : to_string(src.sizes()));
  }
  Tensor from = src.is_alias_of(self) && !one_value ? at::clone(src) : src;
  if (at.is_alias_of(self)) at = at::clone(at);
  scatter_stub(self.device().type(), at_least_1d(self), dim, at_least_1d(at),
               one_value ? from : at_least_1d(from), reduce);
  return self;
}

ScatterReduce old_reduction(std::string_view reduce, const char* op) {
  if (reduce == "add") return ScatterReduce::sum;
  TORCH_CHECK(reduce == "multiply", op, "(): reduce argument must be either add or multiply, got ",
              reduce);
  return ScatterReduce::prod;
}

Tensor number(const Scalar& value, const Tensor& self) {
  return scalar_tensor_of(value, self.scalar_type(), self.device());
}

}  // namespace

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  dim = maybe_wrap_dim(dim, self.dim(), "gather");
  Tensor at = long_index(index, "gather");
  Tensor result = empty_tensor(index.sizes(), self.scalar_type(), self.device());
  if (index.numel() == 0) return result;
  TORCH_CHECK(
      rank_of(index) == rank_of(self),
      "gather(): Index tensor must have the same number of dimensions as input tensor, got ",
      index.dim(), " and ", self.dim());
  for (int64_t d = 0; d < rank_of(index); ++d) {
    TORCH_CHECK(d == dim || size_of(index, d) <= size_of(self, d),
                "gather(): Size does not match at dimension ", d, " expected index ", index.sizes(),
                " to be no larger than self ", self.sizes(), " apart from dimension ", dim);
  }
  gather_stub(self.device().type(), at_least_1d(result), at_least_1d(self), dim, at_least_1d(at));
  return result;
}

Tensor gather_backward(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index,
                       bool /*sparse_grad*/) {
  Tensor zeros = at::new_zeros(grad, self.sizes());
  return at::_ops::scatter_add_::call(zeros, dim, index, grad);
}

Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_into(self, dim, index, src, ScatterReduce::assign, "scatter", false);
}
Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return scatter_into(self, dim, index, number(value, self), ScatterReduce::assign, "scatter",
                      true);
}
Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce) {
  return scatter_into(self, dim, index, src, old_reduction(reduce, "scatter"), "scatter", false);
}
Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                 std::string_view reduce) {
  return scatter_into(self, dim, index, number(value, self), old_reduction(reduce, "scatter"),
                      "scatter", true);
}
Tensor& scatter_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_into(self, dim, index, src, ScatterReduce::sum, "scatter_add", false);
}

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::scatter_(result, dim, index, src);
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::scatter_(result, dim, index, value);
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::scatter_(result, dim, index, src, reduce);
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::scatter_(result, dim, index, value, reduce);
}
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::scatter_add_(result, dim, index, src);
}

// --- scatter_reduce ------------------------------------------------------------------------------

// The initial value of an element that does not take part in its own reduction.
static Scalar identity(ScatterReduce reduce, ScalarType dtype) {
  if (reduce == ScatterReduce::prod) return 1;
  if (reduce == ScatterReduce::sum) return 0;
  bool lowest = reduce == ScatterReduce::amax;
  if (isFloatingType(dtype)) return Scalar(lowest ? -INFINITY : INFINITY);
  if (dtype == kBool) return Scalar(!lowest);
  if (isComplexType(dtype)) return 0;  // complex numbers have no order: the kernel reports it
  int bits = static_cast<int>(8 * elementSize(dtype));
  if (!isSignedType(dtype))
    return Scalar(lowest ? int64_t(0) : static_cast<int64_t>(~uint64_t(0) >> (64 - bits)));
  int64_t max = static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
  return Scalar(lowest ? -max - 1 : max);
}

// By what a sum is divided to be a mean: how many elements each place of self got, its own included
// or not. Where the elements of a slice have one index, there is one count for them.
static Tensor counts(const Tensor& self, int64_t dim, const Tensor& index, bool include_self) {
  DimVector sizes(self.sizes()), index_sizes(index.sizes());
  const int64_t along = maybe_wrap_dim(dim, self.dim(), "scatter_reduce");
  const bool is_shared = has_one_index_per_slice(index, along) && covers_slices(index, self, along);
  for (int64_t d = 0; is_shared && d < self.dim(); ++d) {
    if (d != along) sizes[d] = index_sizes[d] = 1;
  }
  const Tensor at =
      is_shared ? at::as_strided(index, index_sizes, index.strides(), index.storage_offset())
                : index;
  Tensor count = include_self ? at::ones(sizes, self.options()) : at::zeros(sizes, self.options());
  scatter_into(count, dim, at, number(1, self), ScatterReduce::sum, "scatter_reduce", true);
  if (include_self) return count;
  // Elements that no index reaches keep their value.
  Tensor untouched = at::ones_like(count);
  scatter_into(untouched, dim, at, number(0, self), ScatterReduce::assign, "scatter_reduce", true);
  return at::_ops::add_Tensor::call(count, untouched, 1);
}

Tensor& scatter_reduce_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                        std::string_view reduce, bool include_self) {
  bool mean = reduce == "mean";
  TORCH_CHECK(
      mean || reduce == "sum" || reduce == "prod" || reduce == "amax" || reduce == "amin",
      "scatter_reduce(): reduce argument must be either sum, prod, mean, amax or amin, got ",
      reduce);
  ScatterReduce how = reduce == "prod"   ? ScatterReduce::prod
                      : reduce == "amax" ? ScatterReduce::amax
                      : reduce == "amin" ? ScatterReduce::amin
                                         : ScatterReduce::sum;
  if (!include_self) {
    scatter_into(self, dim, index, number(identity(how, self.scalar_type()), self),
                 ScatterReduce::assign, "scatter_reduce", true);
  }
  scatter_into(self, dim, index, src, how, "scatter_reduce", false);
  if (mean && index.numel() > 0) {
    const Tensor count = counts(self, dim, index, include_self);
    bool is_integer = isIntegralType(self.scalar_type(), true);
    at::_ops::copy_::call(self,
                          is_integer ? at::_ops::div_Tensor_mode::call(self, count, "floor")
                                     : at::_ops::div_Tensor::call(self, count),
                          false);
  }
  return self;
}

Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self) {
  Tensor result = at::clone(self, MemoryFormat::Contiguous);
  return native::scatter_reduce_(result, dim, index, src, reduce, include_self);
}

// --- take_along_dim ------------------------------------------------------------------------------

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> opt_dim) {
  TORCH_CHECK(indices.scalar_type() == kLong,
              "torch.take_along_dim(): dtype of indices should be Long but got ",
              toString(indices.scalar_type()));
  if (!opt_dim) return at::gather(at::reshape(self, {-1}), 0, at::reshape(indices, {-1}));
  TORCH_CHECK(
      self.dim() == indices.dim(),
      "torch.take_along_dim(): input and indices should have the same number of dimensions, "
      "but got ",
      self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices");
  TORCH_CHECK_INDEX(self.dim() > 0, "torch.take_along_dim(): Dimension specified as ", *opt_dim,
                    " but tensor has no dimensions");
  int64_t dim = maybe_wrap_dim(*opt_dim, self.dim(), "take_along_dim");
  DimVector self_sizes(self.sizes()), index_sizes(indices.sizes());
  if (!self_sizes.empty()) {
    self_sizes[dim] = index_sizes[dim] = 1;
    DimVector both = infer_broadcast_sizes(self_sizes, index_sizes, "take_along_dim");
    self_sizes = both;
    index_sizes = both;
    self_sizes[dim] = self.sizes()[dim];
    index_sizes[dim] = indices.sizes()[dim];
  }
  // Indices count modulo the size, as in PyTorch: -1 is the last place.
  Tensor places = self.sizes()[dim] ? at::remainder(indices, self.sizes()[dim]) : indices;
  return at::gather(at::expand(self, self_sizes), dim, at::expand(places, index_sizes));
}

}  // namespace at::native
