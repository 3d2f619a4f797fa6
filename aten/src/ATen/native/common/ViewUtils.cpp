// Shared checks and computations of operators that make views.

#include <ATen/native/common/ViewUtils.h>

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::native {

static intrusive_ptr<TensorImpl> new_alias(const TensorImpl* self) {
  auto impl = make_intrusive<TensorImpl>(
      self->storage(), self->key_set() - autograd_dispatch_keyset, self->dtype(), self->device());
  if (C10_UNLIKELY(self->is_wrapped_number())) impl->set_wrapped_number(true);
  impl->set_inference(self->is_inference());  // a view of an ordinary tensor is an ordinary tensor,
                                              // even in inference mode
  impl->share_version_of(*self);
  return impl;
}

static void remember_base(TensorImpl* view, TensorImpl* self) {
  if (C10_UNLIKELY(self->is_inference())) return;
  TensorImpl* base = self->view_base() ? self->view_base() : self;
  CreationMeta how = self == base ? CreationMeta::Default : self->creation_meta();
  if (how == CreationMeta::Default && !GradMode::is_enabled()) {
    how = c10::impl::tls_local_state.inference ? CreationMeta::InferenceMode
                                               : CreationMeta::NoGradMode;
  }
  view->set_view_base(intrusive_ptr<TensorImpl>::reclaim_copy(base), how);
}

void check_inference_mode() {
  TORCH_CHECK(InferenceMode::is_enabled(),
              "Inplace update to inference tensor outside InferenceMode is not allowed. A clone() "
              "of it is an ordinary tensor, which may be changed.");
}

Tensor alias_with_sizes_and_strides(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                                    int64_t storage_offset) {
  TensorImpl* from = self.unsafeGetTensorImpl();
  auto impl = new_alias(from);
  impl->set_sizes_and_strides(sizes, strides);
  impl->set_storage_offset(storage_offset);
  remember_base(impl.get(), from);
  return Tensor(std::move(impl));
}

Tensor alias_contiguous(const Tensor& self, IntArrayRef sizes) {
  TensorImpl* from = self.unsafeGetTensorImpl();
  auto impl = new_alias(from);
  impl->set_sizes_contiguous(sizes);
  impl->set_storage_offset(from->storage_offset());
  remember_base(impl.get(), from);
  return Tensor(std::move(impl));
}

DimVector infer_size(IntArrayRef shape, int64_t numel) {
  DimVector result(shape);
  int64_t known = 1, open = -1;
  bool overflow = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      TORCH_CHECK(open < 0, "only one dimension can be inferred, got shape ", shape);
      open = static_cast<int64_t>(d);
      continue;
    }
    TORCH_CHECK(shape[d] >= 0, "invalid shape dimension ", shape[d], " at index ", d, " of shape ",
                shape);
    overflow |= __builtin_mul_overflow(known, shape[d], &known);
  }
  if (!overflow && open >= 0 && known > 0 && numel % known == 0) {
    result[open] = numel / known;
    return result;
  }
  if (!overflow && open < 0 && known == numel) return result;
  TORCH_CHECK(overflow || open < 0 || known != 0 || numel != 0,
              "cannot reshape tensor of 0 elements into shape ", shape,
              " because the unspecified dimension size -1 can be any value and is ambiguous");
  TORCH_CHECK(false, "shape '", shape, "' is invalid for input of size ", numel);
  __builtin_unreachable();
}

bool strides_of_view(IntArrayRef sizes, IntArrayRef strides, IntArrayRef shape, DimVector& result) {
  int64_t to = static_cast<int64_t>(shape.size()) - 1;
  result.resize(shape.size());
  if (sizes.empty()) {
    for (int64_t& s : result) s = 1;
    return true;
  }
  for (int64_t size : sizes) {
    if (size != 0) continue;
    if (sizes == shape) {
      result = DimVector(strides);
      return true;
    }
    int64_t step = 1;
    for (int64_t d = to; d >= 0; --d) {
      result[d] = step;
      step *= std::max<int64_t>(shape[d], 1);
    }
    return true;
  }
  // Old dimensions that are contiguous with each other form a run; the new dimensions must fill
  // each run exactly.
  int64_t from = static_cast<int64_t>(sizes.size()) - 1;
  while (from >= 0) {
    int64_t step = strides[from], count = sizes[from];
    for (--from; from >= 0 && (sizes[from] == 1 || strides[from] == count * step); --from)
      count *= sizes[from];
    int64_t filled = 1;
    for (; to >= 0 && (filled < count || shape[to] == 1); --to) {
      result[to] = filled * step;
      filled *= shape[to];
    }
    if (filled != count) return false;
  }
  return to < 0;
}

void check_in_storage(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                      int64_t storage_offset, size_t itemsize, const char* op) {
  TORCH_CHECK(sizes.size() == strides.size(), op, ": mismatch in length of strides and shape: got ",
              strides, " and ", sizes);
  checked_numel(sizes, op);
  for (int64_t s : strides) {
    TORCH_CHECK(s >= 0, op,
                ": Negative strides are not supported at the moment, got strides: ", strides);
  }
  TORCH_CHECK(storage_offset >= 0, op, ": invalid storage offset ", storage_offset);
  size_t needed = checked_nbytes(sizes, strides, storage_offset, itemsize, op);
  TORCH_CHECK(needed <= self.storage().nbytes(), op, ": setStorage: sizes ", sizes, ", strides ",
              strides, ", storage offset ", storage_offset, ", and itemsize ", itemsize,
              " requiring a storage size of ", needed, " are out of bounds for storage of size ",
              self.storage().nbytes());
}

uint64_t dim_bits(IntArrayRef dims, int64_t rank, const char* op) {
  TORCH_CHECK(rank <= 64, op, ": only tensors with up to 64 dims are supported, got ", rank);
  uint64_t bits = 0;
  for (int64_t d : dims) {
    uint64_t bit = uint64_t(1) << maybe_wrap_dim(d, rank, op);
    TORCH_CHECK(!(bits & bit), op, ": dim ", maybe_wrap_dim(d, rank),
                " appears multiple times in the list of dims");
    bits |= bit;
  }
  return bits;
}

SliceRange slice_range(int64_t size, std::optional<int64_t> start, std::optional<int64_t> end) {
  int64_t a = start ? *start : 0, b = end ? *end : size;
  if (a < 0) a = std::max<int64_t>(a + size, 0);
  if (b < 0) b += size;
  a = std::min(a, size);
  return {a, std::min(std::max(a, b), size)};
}

}  // namespace at::native
