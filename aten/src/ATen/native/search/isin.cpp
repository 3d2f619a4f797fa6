// isin: whether elements are among other values.

#include <ATen/native/search/isin.h>
#include <ATen/native/search/search.h>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isin_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sort.h>

#include <array>

namespace at::native {

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool /*assume_unique*/,
            bool invert) {
  for (const Tensor* t : {&elements, &test_elements}) {
    TORCH_CHECK(!t->is_complex() && t->scalar_type() != kBool && !isFloat8Type(t->scalar_type()),
                "Unsupported input type encountered for isin(): ", toString(t->scalar_type()));
  }
  const ScalarType type = result_type(std::array<Tensor, 2>{elements, test_elements});
  auto is_number = [](const Tensor& t) { return t.unsafeGetTensorImpl()->is_wrapped_number(); };
  // A number is a tensor of the CPU; the result is where the other tensor is.
  const Tensor& where = is_number(elements) ? test_elements : elements;
  auto dense = [&](const Tensor& t) {
    return at::contiguous(
        on_device(t.scalar_type() == type ? t : at::_to_copy(t, type), where.device()));
  };
  if (!is_number(elements) && !is_number(test_elements))
    check_same_device("isin", {&elements, &test_elements});
  Tensor out = at::empty(elements.sizes(), where.options().dtype(kBool));
  if (out.numel() == 0) return out;
  Tensor values = at::reshape(dense(test_elements), {-1});
  const bool fits = isIntegralType(type) && (type == kByte || isSignedType(type));
  if (out.is_cpu() && fits && values.numel() > kFewValues) {
    const auto [min, max] = integer_bounds_stub(out.device().type(), values);
    const uint64_t span = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
    if (span < static_cast<uint64_t>(8 * (values.numel() + elements.numel()))) {
      isin_table_stub(out.device().type(), dense(elements), values, min, max, invert, out);
      return out;
    }
  }
  if (values.numel() > 1) values = std::get<0>(at::sort(values));
  isin_stub(out.device().type(), dense(elements), values, invert, out);
  return out;
}

}  // namespace at::native
