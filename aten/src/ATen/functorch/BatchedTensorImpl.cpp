// Batched tensors: Note [Batched tensors].

#include <ATen/functorch/BatchedTensorImpl.h>

namespace at::functorch {
namespace {

// Without memory: whoever reads it gets an error.
c10::Storage no_memory() {
  return c10::Storage::from_blob(nullptr, 0, nullptr, nullptr, c10::Device(c10::kMeta));
}

c10::DispatchKeySet keys_of(const Tensor& value) {
  return (value.key_set() & (c10::backend_keyset | c10::lazy_bits_keyset)) |
         c10::DispatchKeySet(c10::Functionality::FuncTorchBatched);
}

}  // namespace

BatchedTensorImpl::BatchedTensorImpl(Tensor value, int64_t level)
    : TensorImpl(no_memory(), keys_of(value), value.scalar_type(), value.device()),
      value_(std::move(value)),
      level_(level) {
  refresh_shape();
}

void BatchedTensorImpl::refresh_shape() {
  set_sizes_and_strides(value_.sizes().slice(1), value_.strides().slice(1));
  set_storage_offset(value_.storage_offset());
  set_dtype(value_.scalar_type());
}

c10::intrusive_ptr<c10::TensorImpl> BatchedTensorImpl::shallow_copy() const {
  return c10::make_intrusive<BatchedTensorImpl>(
      Tensor(value_.unsafeGetTensorImpl()->shallow_copy()), level_);
}

void BatchedTensorImpl::release_resources() {
  TensorImpl::release_resources();
  value_ = Tensor();
}

BatchedTensorImpl* maybe_batched(const TensorBase& t) {
  if (!t.defined() || !t.key_set().has(c10::Functionality::FuncTorchBatched)) return nullptr;
  return static_cast<BatchedTensorImpl*>(t.unsafeGetTensorImpl());
}

Tensor make_batched(Tensor value, int64_t level) {
  TORCH_CHECK(value.dim() > 0, "vmap: a batched tensor needs a value with a batch dimension");
  TORCH_CHECK(level > level_of(value), "vmap: a tensor of level ", level_of(value),
              " cannot be batched at level ", level);
  return Tensor(c10::make_intrusive<BatchedTensorImpl>(std::move(value), level));
}

int64_t level_of(const TensorBase& t) {
  const BatchedTensorImpl* impl = maybe_batched(t);
  return impl ? impl->level() : 0;
}

Tensor innermost_value(const Tensor& t) {
  Tensor value = t;
  while (const BatchedTensorImpl* impl = maybe_batched(value)) value = impl->value();
  return value;
}

}  // namespace at::functorch
