// x[i, :, j] and x[i, :, j] = y with tensors as indices.

#include <ATen/Parallel.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/TensorIterator.h>
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

// self in the shape of the result, with stride 0 where the offsets say how to move.
Tensor in_result_shape(const Tensor& self, const IndexPlan& plan) {
  auto impl = self.unsafeGetTensorImpl()->shallow_copy();
  impl->set_sizes_and_strides(plan.result_sizes, plan.strides);
  return Tensor(std::move(impl));
}

TensorIterator index_iterator(const char* op, const Tensor& out, const Tensor& in,
                              const Tensor& offsets) {
  return TensorIteratorConfig(op)
      .add_output(out)
      .add_input(in)
      .add_input(offsets)
      .check_all_same_dtype(false)
      .resize_outputs(false)
      .set_check_mem_overlap(false)
      .build();
}

// Adds up where places repeat. Threads divide the largest dimension that is no index dimension, so
// that none of them writes where another one does.
void accumulate(const Tensor& self, const Tensor& values, const IndexPlan& plan) {
  Tensor places = in_result_shape(self, plan);
  int64_t split = -1, rank = places.dim();
  for (int64_t d = 0; d < rank; ++d) {
    bool is_index = plan.strides[d] == 0;
    if (!is_index && (split < 0 || places.sizes()[d] > places.sizes()[split])) split = d;
  }
  int64_t pieces = split < 0 || places.numel() < kGrainSize
                       ? 1
                       : std::min<int64_t>(get_num_threads(), places.sizes()[split] / 8);
  if (pieces <= 1) {
    auto iter = index_iterator("index_put_", places, values, plan.offsets);
    index_put_accumulate_stub(kCPU, iter);
    return;
  }
  int64_t each = divup(places.sizes()[split], pieces);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t from = k * each, n = std::min(each, places.sizes()[split] - from);
      if (n <= 0) continue;
      auto part = [&](const Tensor& t) {
        auto impl = t.unsafeGetTensorImpl()->shallow_copy();
        DimVector sizes(t.sizes());
        sizes[split] = n;
        impl->set_sizes_and_strides(sizes, t.strides());
        impl->set_storage_offset(t.storage_offset() + from * t.strides()[split]);
        return Tensor(std::move(impl));
      };
      Tensor to = part(places), what = part(values);
      auto iter = index_iterator("index_put_", to, what, plan.offsets);
      index_put_accumulate_stub(kCPU, iter);
    }
  });
}

// x[mask] = number, the commonest of all writes with a mask.
bool is_masked_fill(const Tensor& self, OptionalTensorList indices, const Tensor& values) {
  if (values.numel() != 1 || indices.empty() || !values.is_cpu()) return false;
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
  if (result.numel() == 0 || result.is_meta()) return result;
  Tensor places = in_result_shape(self, plan);
  auto iter = index_iterator("index", result, places, plan.offsets);
  index_stub(kCPU, iter);
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
  IndexPlan plan(self, indices, "index_put_");
  TORCH_CHECK(is_expandable_to(values.sizes(), plan.result_sizes),
              "shape mismatch: value tensor of shape ", values.sizes(),
              " cannot be broadcast to indexing result of shape ", IntArrayRef(plan.result_sizes));
  if (self.is_meta()) return self;
  TORCH_CHECK(values.is_cpu(), "index_put_: values should be on the same device as self, got ",
              values.device());
  assert_no_internal_overlap(self, "index_put_");
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  Tensor source = values.is_alias_of(self) ? at::clone(values) : values;
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
    Tensor places = in_result_shape(self, plan);
    auto iter = index_iterator("index_put_", places, source, plan.offsets);
    index_put_stub(kCPU, iter);
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
