// Functional tensors: Note [Functionalization].

#include <ATen/functionalization/FunctionalTensorWrapper.h>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::functionalization {
namespace {

const c10::DispatchKeySet kKey{c10::DispatchKey::Functionalize};
thread_local bool t_reapply_views = true;

// Without memory: whoever reads it gets an error. It has the size of the value's storage, which
// views are checked against. Views share it, so that they count as aliases.
c10::Storage no_memory(const Tensor& value) {
  const size_t nbytes = value.unsafeGetTensorImpl()->has_storage() ? value.storage().nbytes() : 0;
  return c10::Storage::from_blob(nullptr, nbytes, nullptr, nullptr, c10::Device(c10::kMeta));
}

c10::DispatchKeySet keys_of(const Tensor& value) {
  // Not the bits of lazy conjugates: operators with values see to them.
  return (value.key_set() & c10::backend_keyset) | kKey;
}

}  // namespace

FunctionalTensorWrapper::FunctionalTensorWrapper(Tensor value)
    : TensorImpl(no_memory(value), keys_of(value), value.scalar_type(), value.device()),
      value_(std::move(value)),
      storage_state_(std::make_shared<FunctionalStorage>()) {
  storage_state_->base = value_;
  refresh_shape();
}

FunctionalTensorWrapper::FunctionalTensorWrapper(const FunctionalTensorWrapper& base, ViewMeta step,
                                                 Tensor value)
    : TensorImpl(base.storage(), keys_of(value), value.scalar_type(), value.device()),
      value_(std::move(value)),
      generation_(base.generation_),
      storage_state_(base.storage_state_),
      chain_(base.chain_) {
  chain_.push_back(std::move(step));
  refresh_shape();
}

void FunctionalTensorWrapper::refresh_shape() {
  set_sizes_and_strides(value_.sizes(), value_.strides());
  set_storage_offset(value_.storage_offset());
  set_dtype(value_.scalar_type());
  if (value_.unsafeGetTensorImpl()->is_wrapped_number()) set_wrapped_number(true);
}

const Tensor& FunctionalTensorWrapper::value() {
  if (generation_ != storage_state_->generation) {
    WithoutFunctionalization calls_values;
    Tensor value = storage_state_->base;
    for (const ViewMeta& step : chain_) value = step.view_of(value);
    value_ = std::move(value);
    generation_ = storage_state_->generation;
  }
  return value_;
}

void FunctionalTensorWrapper::replace(Tensor value) {
  WithoutFunctionalization calls_values;
  // Views of the tensor, as_strided above all, depend on its strides.
  if (value.strides() != strides() && is_non_overlapping_and_dense()) {
    Tensor like = at::empty_strided(sizes(), strides(), value.options());
    value = at::copy(like, value);
  }
  std::vector<Tensor> bases{storage_state_->base};
  for (const ViewMeta& step : chain_) bases.push_back(step.view_of(bases.back()));
  Tensor changed = value;
  for (size_t i = chain_.size(); i-- > 0;) changed = chain_[i].inverse(bases[i], changed);
  storage_state_->base = std::move(changed);
  storage_state_->was_changed = true;
  ++storage_state_->generation;
  if (chain_.empty()) {
    value_ = std::move(value);
    generation_ = storage_state_->generation;
  }
  bump_version();
}

void FunctionalTensorWrapper::mutate_view(ViewMeta step, Tensor value) {
  chain_.push_back(std::move(step));
  value_ = std::move(value);
  refresh_shape();
  bump_version();
}

void FunctionalTensorWrapper::reset(Tensor value) {
  value_ = std::move(value);
  chain_.clear();
  storage_state_ = std::make_shared<FunctionalStorage>();
  storage_state_->base = value_;
  storage_state_->was_changed = true;
  generation_ = 0;
  const uint32_t changes = version() + 1;
  set_storage(no_memory(value_));
  storage().unsafeGetStorageImpl()->version = changes;
  refresh_shape();
}

c10::intrusive_ptr<c10::TensorImpl> FunctionalTensorWrapper::shallow_copy() const {
  auto copy = c10::make_intrusive<FunctionalTensorWrapper>(value_);
  copy->set_storage(storage());
  copy->generation_ = generation_;
  copy->storage_state_ = storage_state_;
  copy->chain_ = chain_;
  return copy;
}

void FunctionalTensorWrapper::release_resources() {
  TensorImpl::release_resources();
  value_ = Tensor();
  chain_.clear();
  storage_state_.reset();
}

FunctionalTensorWrapper* maybe_functional(const TensorBase& t) {
  if (!t.defined() || !t.key_set().has(c10::Functionality::Functionalize)) return nullptr;
  return static_cast<FunctionalTensorWrapper*>(t.unsafeGetTensorImpl());
}

Tensor to_functional(const Tensor& value) {
  return value.defined() ? Tensor(c10::make_intrusive<FunctionalTensorWrapper>(value)) : value;
}

Tensor from_functional(const Tensor& t) {
  FunctionalTensorWrapper* impl = maybe_functional(t);
  return impl ? impl->value() : t;
}

void set_functionalization(bool on, bool reapply_views) {
  uint64_t& included = c10::impl::tls_local_state.included;
  included = on ? included | kKey.raw_repr() : included & ~kKey.raw_repr();
  t_reapply_views = reapply_views;
}

bool is_functionalizing() {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Functionalize);
}
bool reapplies_views() { return t_reapply_views; }

// What an outer derivative records are the calls with values, so autograd is on for them.
WithoutFunctionalization::WithoutFunctionalization()
    : included_(c10::impl::tls_local_state.included),
      excluded_(c10::impl::tls_local_state.excluded) {
  c10::impl::tls_local_state.included = included_ & ~kKey.raw_repr();
  c10::impl::set_excluded(excluded_ & ~c10::autograd_dispatch_keyset.raw_repr());
}

WithoutFunctionalization::~WithoutFunctionalization() {
  c10::impl::tls_local_state.included = included_;
  c10::impl::set_excluded(excluded_);
}

}  // namespace at::functionalization
