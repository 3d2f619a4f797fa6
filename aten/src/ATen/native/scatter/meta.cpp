// Shapes of reductions over pieces of a dimension.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_segment_reduce_backward_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/segment_reduce_native.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::native {

Tensor segment_reduce_meta(const Tensor& data, std::string_view /*reduce*/,
                           const std::optional<Tensor>& lengths,
                           const std::optional<Tensor>& /*indices*/,
                           const std::optional<Tensor>& offsets, int64_t axis, bool /*unsafe*/,
                           const std::optional<Scalar>& /*initial*/) {
  const bool by_offsets = offsets && offsets->defined();
  TORCH_CHECK(by_offsets || (lengths && lengths->defined()),
              "segment_reduce(): Either lengths or offsets must be defined.");
  check_all_meta("segment_reduce()", {&data, by_offsets ? &*offsets : &*lengths});
  axis = c10::maybe_wrap_dim(axis, data.dim());
  DimVector sizes(data.sizes());
  sizes[static_cast<size_t>(axis)] =
      by_offsets ? offsets->sizes().back() - 1 : lengths->sizes().back();
  return at::empty(sizes, data.options());
}

Tensor segment_reduce_backward_meta(const Tensor& grad, const Tensor& output, const Tensor& data,
                                    std::string_view /*reduce*/,
                                    const std::optional<Tensor>& /*lengths*/,
                                    const std::optional<Tensor>& /*offsets*/, int64_t /*axis*/,
                                    const std::optional<Scalar>& /*initial*/) {
  check_all_meta("_segment_reduce_backward", {&grad, &output, &data});
  return at::empty(data.sizes(), data.options());
}

}  // namespace at::native
