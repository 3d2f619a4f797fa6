// Deterministic mode gives new memory its values.

#include <ATen/native/factories/uninitialized.h>

#include <cmath>
#include <limits>

#include <ATen/Context.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/fill/fill.h>

namespace at::native {

static bool fills_new_memory(const Tensor& t) {
  const Context& context = globalContext();
  return C10_UNLIKELY(context.deterministicAlgorithms()) &&
         context.deterministicFillUninitializedMemory() && t.numel() > 0;
}

static Scalar marking_value(ScalarType dtype) {
  if (isFloatingType(dtype) || isComplexType(dtype)) return Scalar(std::nan(""));
  if (dtype == kBool) return Scalar(true);
  Scalar value;
  dispatch_types<IntegralTypes, UnsignedTypes>(dtype, "empty", [&]<typename T>(TypeTag<T>) {
    value = Scalar(std::numeric_limits<T>::max());
  });
  return value;
}

// Types without numbers, such as bits8, stay as they are.
static bool has_marking_value(ScalarType dtype) {
  return isFloatingType(dtype) || isComplexType(dtype) || isIntegralType(dtype, true);
}

// By its address: torch.utils.explain follows calls, and need not show what this mode alone does.
static constexpr auto kFill = &fill_elements;

Tensor with_defined_values(Tensor t) {
  if (fills_new_memory(t) && has_marking_value(t.scalar_type()))
    kFill(t, marking_value(t.scalar_type()));
  return t;
}

void define_values_from(const Tensor& t, size_t from) {
  if (!fills_new_memory(t) || !has_marking_value(t.scalar_type())) return;
  const auto first = static_cast<int64_t>((from + t.itemsize() - 1) / t.itemsize()),
             end = static_cast<int64_t>(t.storage().nbytes() / t.itemsize());
  if (first >= end) return;
  auto impl = t.unsafeGetTensorImpl()->shallow_copy();
  impl->set_storage_offset(first);
  impl->set_sizes_and_strides({end - first}, {1});
  kFill(Tensor(std::move(impl)), marking_value(t.scalar_type()));
}

}  // namespace at::native
