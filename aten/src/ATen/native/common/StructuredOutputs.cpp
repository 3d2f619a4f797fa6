// Makes and checks the outputs of structured operators.

#include <ATen/native/common/StructuredOutputs.h>

#include <ATen/native/common/LiftedConstants.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/fill__ops.h>
#include <ATen/ops/item.h>
#include <ATen/ops/lift_fresh.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

static Storage storage_for(size_t nbytes, Device device) {
  if (device.is_meta()) {
    return Storage(make_intrusive<StorageImpl>(nbytes, DataPtr(nullptr, device), nullptr, true));
  }
  if (C10_LIKELY(device.is_cpu())) return Storage::allocate(nbytes, GetAllocator(kCPU));
  // Allocators use the current device.
  c10::OptionalDeviceGuard guard(device);
  return Storage::allocate(nbytes, GetAllocator(device.type()));
}

// A device without an index is the current one of its type.
static Device with_index(Device device) {
  if (device.has_index() || device.is_meta() || !c10::impl::hasDeviceGuardImpl(device.type()))
    return device;
  return c10::impl::getDeviceGuardImpl(device.type())->getDevice();
}

Tensor empty_tensor(IntArrayRef sizes, ScalarType dtype, Device device) {
  if (C10_UNLIKELY(!device.is_cpu())) device = with_index(device);
  int64_t numel = checked_numel(sizes, "empty");
  int64_t nbytes;
  TORCH_CHECK(!__builtin_mul_overflow(numel, static_cast<int64_t>(elementSize(dtype)), &nbytes),
              "empty: Storage size calculation overflowed with sizes=", sizes);
  auto impl = make_intrusive<TensorImpl>(storage_for(nbytes, device),
                                         computeDispatchKey(device.type()), dtype, device);
  impl->set_sizes_contiguous(sizes);
  return Tensor(std::move(impl));
}

Tensor empty_strided_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype,
                            Device device) {
  if (C10_UNLIKELY(!device.is_cpu())) device = with_index(device);
  TORCH_CHECK(sizes.size() == strides.size(), "empty_strided: got ", sizes.size(), " sizes and ",
              strides.size(), " strides");
  checked_numel(sizes, "empty_strided");
  for (int64_t s : strides)
    TORCH_CHECK(s >= 0, "empty_strided: strides must not be negative, got ", strides);
  size_t nbytes = checked_nbytes(sizes, strides, 0, elementSize(dtype), "empty_strided");
  auto impl = make_intrusive<TensorImpl>(storage_for(nbytes, device),
                                         computeDispatchKey(device.type()), dtype, device);
  impl->set_sizes_and_strides(sizes, strides);
  return Tensor(std::move(impl));
}

void maybe_resize_storage(TensorImpl* impl, size_t nbytes) {
  if (nbytes <= impl->storage().nbytes()) return;
  c10::StorageImpl* storage = impl->storage().unsafeGetStorageImpl();
  impl->device().is_meta() ? storage->set_nbytes(nbytes) : storage->resize(nbytes);
}

void resize_contiguous(const Tensor& self, IntArrayRef sizes, const char* op) {
  TensorImpl* impl = self.unsafeGetTensorImpl();
  checked_numel(sizes, op);
  DimVector strides = contiguous_strides(sizes);
  size_t needed = checked_nbytes(sizes, strides, impl->storage_offset(), impl->itemsize(), op);
  maybe_resize_storage(impl, needed);
  impl->set_sizes_contiguous(sizes);
}

bool resize_output(const Tensor& out, IntArrayRef sizes, const char* op) {
  if (out.sizes() == sizes) return false;
  if (out.numel() != 0) {
    TORCH_WARN(
        "An output with one or more elements was resized since it had shape ", out.sizes(),
        ", which does not match the required output shape ", sizes, ". (", op,
        ") Reuse an out tensor only with its own shape, or empty it first with t.resize_(0).");
  }
  resize_contiguous(out, sizes, op);
  return true;
}

void MetaBase::set_output(int i, IntArrayRef sizes, TensorOptions options, IntArrayRef strides) {
  Tensor& out = outputs_[i];
  switch (form_) {
    case OutputForm::functional:
      out = strides.empty()
                ? empty_tensor(sizes, options.dtype(), options.device())
                : empty_strided_tensor(sizes, strides, options.dtype(), options.device());
      break;
    case OutputForm::inplace:
      TORCH_CHECK(out.sizes() == sizes, op_, ": Bad in-place call: input tensor size ", out.sizes(),
                  " and output tensor size ", sizes, " should match");
      TORCH_CHECK(canCast(options.dtype(), out.scalar_type()), op_, ": result type ",
                  toString(options.dtype()), " can't be cast to the desired output type ",
                  toString(out.scalar_type()));
      break;
    case OutputForm::out:
      TORCH_CHECK(out.scalar_type() == options.dtype(), op_, ": Expected out tensor to have dtype ",
                  dtypeName(options.dtype()), ", but got ", dtypeName(out.scalar_type()),
                  " instead");
      TORCH_CHECK(out.device() == options.device(), op_, ": Expected out tensor to have device ",
                  options.device(), ", but got ", out.device(), " instead");
      if (resize_output(out, sizes, op_) && !strides.empty())
        out.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
      break;
  }
}

Tensor& copy_to_output(const char* op, Tensor& out, const Tensor& result) {
  TORCH_CHECK(canCast(result.scalar_type(), out.scalar_type()), op, ": result type ",
              toString(result.scalar_type()), " can't be cast to the desired output type ",
              toString(out.scalar_type()));
  TORCH_CHECK(out.device() == result.device(), op, ": Expected out tensor to have device ",
              result.device(), ", but got ", out.device(), " instead");
  assert_no_internal_overlap(out, op);
  // A resized output gets the result's layout, as if the operator had written there itself.
  if (resize_output(out, result.sizes(), op) &&
      result.unsafeGetTensorImpl()->is_non_overlapping_and_dense())
    out.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides());
  _ops::copy_::call(out, result, false);
  return out;
}

void check_output_dtype(const char* op, const Tensor& out, ScalarType dtype) {
  TORCH_CHECK(out.scalar_type() == dtype, op, ": Expected out tensor to have dtype ",
              dtypeName(dtype), ", but got ", dtypeName(out.scalar_type()), " instead");
}

Tensor& copy_to_exact_output(const char* op, Tensor& out, const Tensor& result) {
  check_output_dtype(op, out, result.scalar_type());
  return copy_to_output(op, out, result);
}

void copy_to_exact_outputs(const char* op, TensorList outs, const std::vector<Tensor>& results) {
  for (size_t i = 0; i < std::min(outs.size(), results.size()); ++i)
    check_output_dtype(op, outs[i], results[i].scalar_type());
  copy_to_outputs(op, outs, results);
}

Tensor& copy_to_exact_self(const char* op, Tensor& self, const Tensor& result) {
  TORCH_CHECK(self.scalar_type() == result.scalar_type(), op, ": the result has dtype ",
              dtypeName(result.scalar_type()), ", which the in-place form does not convert to ",
              dtypeName(self.scalar_type()));
  return copy_to_self(op, self, result);
}

void copy_to_outputs(const char* op, TensorList outs, const std::vector<Tensor>& results) {
  TORCH_CHECK(outs.size() == results.size(), op, ": out= has ", outs.size(),
              " tensors, the result has ", results.size());
  for (size_t i = 0; i < outs.size(); ++i)
    copy_to_output(op, const_cast<Tensor&>(outs[i]), results[i]);
}

Tensor& copy_to_self(const char* op, Tensor& self, const Tensor& result) {
  TORCH_CHECK(self.sizes() == result.sizes(), op, ": output with shape ", self.sizes(),
              " doesn't match the broadcast shape ", result.sizes());
  TORCH_CHECK(canCast(result.scalar_type(), self.scalar_type()), op, ": result type ",
              toString(result.scalar_type()), " can't be cast to the desired output type ",
              toString(self.scalar_type()));
  _ops::copy_::call(self, result, false);
  return self;
}

static Tensor new_scalar_tensor(const Scalar& s, ScalarType dtype, Device device) {
  Tensor t = empty_tensor({}, dtype, device);
  if (device.is_cpu()) {
    dispatch_types<AllTypes>(dtype, "scalar_tensor", [&]<typename T>(TypeTag<T>) {
      *static_cast<T*>(t.data_ptr()) = s.cast<T>();
    });
  } else if (!device.is_meta()) {
    // Filled there, with what the type makes of the number: a copy would wait for the device.
    _ops::fill__Scalar::call(t, at::item(new_scalar_tensor(s, dtype, kCPU)));
  }
  return t;
}

Tensor lifted(Tensor t) {
  const c10::impl::LocalState& tls = c10::impl::tls_local_state;
  const uint64_t python =
      (DispatchKeySet(DispatchKey::Python) | DispatchKeySet(DispatchKey::PreDispatch)).raw_repr();
  return C10_LIKELY(!(tls.included & ~tls.excluded & python)) ? t : at::lift_fresh(t);
}

Tensor scalar_tensor_of(const Scalar& s, ScalarType dtype, Device device) {
  return lifted(new_scalar_tensor(s, dtype, device));
}

Tensor wrapped_scalar_tensor(const Scalar& s, Device device) {
  Tensor t = new_scalar_tensor(s, s.type(), device);
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

}  // namespace at
