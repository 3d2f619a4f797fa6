// x[i, :, j] and x[i, :, j] = y with tensors as indices.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/SumType.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/indexing/index_plan.h>
#include <ATen/native/indexing/index_rows.h>
#include <ATen/native/indexing/indexing.h>
#include <ATen/ops/_index_put_impl__native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/index_native.h>
#include <ATen/ops/index_put__native.h>
#include <ATen/ops/index_put_native.h>
#include <ATen/ops/masked_fill_native.h>

namespace at::native {
namespace {

// self in the shape of the result, with stride 0 in the dimensions addressed by offsets.
Tensor in_result_shape(const Tensor& self, const IndexPlan& plan) {
  auto impl = self.unsafeGetTensorImpl()->shallow_copy();
  impl->set_sizes_and_strides(plan.result_sizes, plan.strides);
  return Tensor(std::move(impl));
}

// Adds where indices repeat.
void accumulate(const Tensor& self, const Tensor& values, const IndexPlan& plan) {
  accumulate_elements_stub(self.device().type(), in_result_shape(self, plan), values, plan.offsets,
                           plan.strides);
}

// x[mask] = number and x[:, mask] = number, the most common writes with a mask: the mask, with a
// dimension of 1 for each dimension of self behind it; undefined for any other write.
Tensor mask_to_fill(const Tensor& self, OptionalTensorList indices, const Tensor& values) {
  if (values.numel() != 1) return Tensor();
  Tensor mask;
  int64_t first = 0;
  for (size_t k = 0; k < indices.size(); ++k) {
    if (!indices[k] || !indices[k]->defined()) continue;
    if (mask.defined() || indices[k]->scalar_type() != kBool) return Tensor();
    mask = *indices[k], first = static_cast<int64_t>(k);
  }
  if (!mask.defined() || mask.dim() == 0 || first + mask.dim() > self.dim() ||
      mask.sizes() != self.sizes().slice(first, mask.dim()))
    return Tensor();
  DimVector sizes(mask.sizes()), strides(mask.strides());
  sizes.resize(self.dim() - first, 1);
  strides.resize(self.dim() - first, 0);
  auto impl = mask.unsafeGetTensorImpl()->shallow_copy();
  impl->set_sizes_and_strides(sizes, strides);
  return Tensor(std::move(impl));
}

}  // namespace

// The result has the order of dimensions in memory of what it is read from.
static Tensor empty_result(const Tensor& indexed, const Tensor& self, const IndexPlan& plan) {
  if (self.is_contiguous() && plan.offsets.is_contiguous())
    return empty_tensor(plan.result_sizes, self.scalar_type(), self.device());
  auto iter = TensorIteratorConfig("index")
                  .add_output(Tensor())
                  .add_input(indexed)
                  .add_input(plan.offsets)
                  .check_all_same_dtype(false)
                  .set_check_mem_overlap(false)
                  .declare_static_dtype(self.scalar_type())
                  .build();
  return iter.take_output(0);
}

// vector[index], the most common read: without offsets in memory.
static bool is_vector_read(const Tensor& self, OptionalTensorList indices) {
  if (self.dim() != 1 || self.numel() == 0 || !self.is_cpu() || !self.is_contiguous() ||
      indices.size() != 1)
    return false;
  const std::optional<Tensor>& index = indices[0];
  return index && index->defined() && index->scalar_type() == kLong && index->is_cpu() &&
         index->is_contiguous();
}

Tensor index(const Tensor& self, OptionalTensorList indices) {
  if (is_vector_read(self, indices)) {
    Tensor result = empty_tensor(indices[0]->sizes(), self.scalar_type());
    take_elements_stub(result.device().type(), result, self, *indices[0], true);
    return result;
  }
  IndexPlan plan(self, indices, "index");
  Tensor indexed = in_result_shape(self, plan);
  Tensor result = empty_result(indexed, self, plan);
  if (result.numel() == 0) return result;
  index_elements_stub(result.device().type(), result, indexed, plan.offsets);
  return result;
}

static bool has_mask(OptionalTensorList indices) {
  for (const auto& index : indices) {
    if (index && index->defined() &&
        (index->scalar_type() == kBool || index->scalar_type() == kByte))
      return true;
  }
  return false;
}

Tensor& _index_put_impl_(Tensor& self, OptionalTensorList indices, const Tensor& values,
                         bool accumulate_values, bool /*unsafe*/) {
  const bool is_number = values.dim() == 0 && values.is_cpu();
  if (Tensor mask; !accumulate_values && (values.device() == self.device() || is_number) &&
                   (mask = mask_to_fill(self, indices, values)).defined()) {
    Tensor number = values;
    if (values.dim() != 0) {
      auto impl = values.unsafeGetTensorImpl()->shallow_copy();
      impl->set_sizes_contiguous({});
      number = Tensor(std::move(impl));
    }
    return native::masked_fill_(self, mask, number);
  }
  TORCH_CHECK(values.device() == self.device() || is_number,
              "index_put_: values should be on the same device as self, got ", values.device());
  if (!has_values(self) && has_mask(indices)) return self;  // the number of positions is not known
  IndexPlan plan(self, indices, "index_put_");
  TORCH_CHECK(is_expandable_to(values.sizes(), plan.result_sizes),
              "shape mismatch: value tensor of shape ", values.sizes(),
              " cannot be broadcast to indexing result of shape ", IntArrayRef(plan.result_sizes));
  TORCH_CHECK(self.scalar_type() == values.scalar_type(),
              "Index put requires the source and destination dtypes match, got ",
              toString(self.scalar_type()), " for the destination and ",
              toString(values.scalar_type()), " for the source.");
  assert_no_internal_overlap(self, "index_put_");
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  Tensor source = values.is_alias_of(self) ? at::clone(values) : on_device(values, self.device());
  source = at::expand(source, plan.result_sizes);
  if (source.numel() == 0) return self;
  const ScalarType wide = sum_type(self.scalar_type());
  if (accumulate_values && wide != self.scalar_type() &&
      source.numel() >= self.numel() / kFewAdditions) {
    Tensor sums = at::_to_copy(self, wide);
    accumulate(sums, at::_to_copy(source, wide), IndexPlan(sums, indices, "index_put_"));
    at::_ops::copy_::call(self, sums, false);
  } else if (accumulate_values) {
    accumulate(self, source, plan);
  } else {
    index_put_elements_stub(self.device().type(), in_result_shape(self, plan), source,
                            plan.offsets);
  }
  return self;
}

Tensor& index_put_(Tensor& self, OptionalTensorList indices, const Tensor& values,
                   bool accumulate) {
  return native::_index_put_impl_(self, indices, values, accumulate, false);
}

Tensor index_put(const Tensor& self, OptionalTensorList indices, const Tensor& values,
                 bool accumulate) {
  Tensor result = at::clone(self);
  return native::_index_put_impl_(result, indices, values, accumulate, false);
}

}  // namespace at::native
