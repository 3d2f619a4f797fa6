// x[i, :, j] and x[i, :, j] = y with tensors as indices.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/common/WideSums.h>
#include <ATen/native/indexing/index_plan.h>
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

// x[mask] = number, the most common write with a mask.
bool is_masked_fill(const Tensor& self, OptionalTensorList indices, const Tensor& values) {
  if (values.numel() != 1 || indices.empty() || values.device() != self.device()) return false;
  int masks = 0;
  for (const auto& i : indices) {
    if (!i || !i->defined()) continue;
    if (i->scalar_type() != kBool || ++masks > 1) return false;
    if (&i != &indices[0] || i->dim() == 0 ||
        i->sizes() != self.sizes().slice(0, std::min(i->dim(), self.dim())))
      return false;
  }
  return masks == 1;
}

}  // namespace

Tensor index(const Tensor& self, OptionalTensorList indices) {
  IndexPlan plan(self, indices, "index");
  Tensor result = empty_tensor(plan.result_sizes, self.scalar_type(), self.device());
  if (result.numel() == 0) return result;
  index_elements_stub(result.device().type(), result, in_result_shape(self, plan), plan.offsets);
  return result;
}

Tensor& _index_put_impl_(Tensor& self, OptionalTensorList indices, const Tensor& values,
                         bool accumulate_values, bool /*unsafe*/) {
  TORCH_CHECK(self.scalar_type() == values.scalar_type(),
              "Index put requires the source and destination dtypes match, got ",
              toString(self.scalar_type()), " for the destination and ",
              toString(values.scalar_type()), " for the source.");
  if (!accumulate_values && is_masked_fill(self, indices, values)) {
    Tensor mask = *indices[0];
    while (mask.dim() < self.dim()) {
      auto impl = mask.unsafeGetTensorImpl()->shallow_copy();
      DimVector sizes(mask.sizes()), strides(mask.strides());
      sizes.push_back(1);
      strides.push_back(0);
      impl->set_sizes_and_strides(sizes, strides);
      mask = Tensor(std::move(impl));
    }
    Tensor number = values;
    if (values.dim() != 0) {
      auto impl = values.unsafeGetTensorImpl()->shallow_copy();
      impl->set_sizes_contiguous({});
      number = Tensor(std::move(impl));
    }
    return native::masked_fill_(self, mask, number);
  }
  const bool is_number = values.dim() == 0 && values.is_cpu();
  TORCH_CHECK(values.device() == self.device() || is_number,
              "index_put_: values should be on the same device as self, got ", values.device());
  IndexPlan plan(self, indices, "index_put_");
  TORCH_CHECK(is_expandable_to(values.sizes(), plan.result_sizes),
              "shape mismatch: value tensor of shape ", values.sizes(),
              " cannot be broadcast to indexing result of shape ", IntArrayRef(plan.result_sizes));
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
