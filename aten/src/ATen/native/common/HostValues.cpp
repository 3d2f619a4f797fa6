// Copies values between host vectors and tensors.

#include <ATen/native/common/HostValues.h>

#include <ATen/native/common/LiftedConstants.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/item.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>

namespace at::native {

Tensor int64_tensor(ArrayRef<int64_t> values, Device device) {
  Tensor result = empty_tensor({static_cast<int64_t>(values.size())}, kLong);
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(result.data_ptr()));
  return on_device(lifted(std::move(result)), device);
}

std::vector<int64_t> int64_values(const Tensor& t) {
  TORCH_INTERNAL_ASSERT(t.scalar_type() == kLong);
  if (C10_UNLIKELY(t.key_set().has(Functionality::Python) ||
                   t.key_set().has(Functionality::Functionalize))) {
    // The tensor stands for others: they are asked for each element.
    std::vector<int64_t> values;
    const Tensor flat = at::reshape(t, {-1});
    for (int64_t i = 0; i < t.numel(); ++i)
      values.push_back(at::item(at::select(flat, 0, i)).toLong());
    return values;
  }
  Tensor held = at::contiguous(on_device(t, kCPU));
  const auto* data = static_cast<const int64_t*>(held.data_ptr());
  return {data, data + held.numel()};
}

Scalar number_in(const Tensor& value, const char* op) {
  TORCH_CHECK(value.dim() == 0, op,
              " only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
              " dimension(s).");
  return has_values(value) ? at::item(value) : Scalar(0);
}

Tensor on_device(const Tensor& t, Device device) {
  return t.device() == device ? t : at::_to_copy(t, TensorOptions(t.scalar_type()).device(device));
}

}  // namespace at::native
