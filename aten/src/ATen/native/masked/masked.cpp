// Operators on elements selected by a mask: masked_fill, masked_select, masked_scatter, nonzero.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/RepeatedZero.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/masked/masked.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/argwhere_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/masked_fill_native.h>
#include <ATen/ops/masked_scatter.h>
#include <ATen/ops/masked_scatter_backward_native.h>
#include <ATen/ops/masked_scatter_native.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/masked_select_backward_native.h>
#include <ATen/ops/masked_select_native.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/nonzero_native.h>
#include <ATen/ops/nonzero_numpy.h>
#include <ATen/ops/nonzero_numpy_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

void check_mask(const Tensor& mask, const char* op) {
  TORCH_CHECK(mask.scalar_type() == kBool, op,
              " only supports boolean masks, but got mask with dtype ",
              dtypeName(mask.scalar_type()));
}

Tensor& fill_into(Tensor& out, const Tensor& self, const Tensor& mask, const Scalar& value) {
  if (isFloatingType(self.scalar_type()) || isIntegralType(self.scalar_type(), true)) {
    TORCH_CHECK(!value.isComplex(), "masked_fill: value cannot be converted to type ",
                dtypeName(self.scalar_type()), " without overflow");
  }
  auto iter = TensorIteratorConfig("masked_fill")
                  .add_output(out)
                  .add_input(self)
                  .add_input(mask)
                  .check_all_same_dtype(false)
                  .resize_outputs(false)
                  .build();
  if (iter.needs_kernel()) masked_fill_stub(iter.device_type(), iter, value);
  return out;
}

}  // namespace

// --- masked_fill ---------------------------------------------------------------------------------

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  check_mask(mask, "masked_fill_");
  Tensor out = empty_tensor(infer_broadcast_sizes(self.sizes(), mask.sizes(), "masked_fill"),
                            self.scalar_type(), self.device());
  return fill_into(out, self, mask, value);
}
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return native::masked_fill(self, mask, number_in(value, "masked_fill_"));
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value) {
  check_mask(mask, "masked_fill_");
  TORCH_CHECK(is_expandable_to(mask.sizes(), self.sizes()), "masked_fill_: output with shape ",
              self.sizes(), " doesn't match the broadcast shape of mask ", mask.sizes());
  return fill_into(self, self, mask, value);
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value) {
  return native::masked_fill_(self, mask, number_in(value, "masked_fill_"));
}

// --- masked_select -------------------------------------------------------------------------------

Tensor masked_select_backward(const Tensor& grad, const Tensor& input, const Tensor& mask) {
  // The engine sums over the dimensions in which the input was broadcast.
  DimVector shape = infer_broadcast_sizes(input.sizes(), mask.sizes(), "masked_select");
  return at::masked_scatter(repeated_zero(shape, grad.options()), mask, grad);
}

// --- masked_scatter ------------------------------------------------------------------------------

Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
  check_mask(mask, "masked_scatter_");
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "masked_scatter_: expected self and source to have same dtypes but got ",
              toString(self.scalar_type()), " and ", toString(source.scalar_type()));
  TORCH_CHECK(is_expandable_to(mask.sizes(), self.sizes()), "masked_scatter_: mask of shape ",
              mask.sizes(), " cannot be broadcast to self of shape ", self.sizes());
  masked_scatter_stub(self.device().type(), self, mask, source);
  return self;
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  DimVector shape = infer_broadcast_sizes(self.sizes(), mask.sizes(), "masked_scatter");
  Tensor result = at::clone(at::expand(self, shape), MemoryFormat::Contiguous);
  return native::masked_scatter_(result, mask, source);
}

Tensor masked_scatter_backward(const Tensor& grad_output, const Tensor& mask, IntArrayRef sizes) {
  int64_t numel = checked_numel(sizes, "masked_scatter_backward");
  Tensor picked = at::masked_select(grad_output, mask);
  int64_t missing = numel - picked.numel();
  if (missing > 0) picked = at::cat({picked, at::zeros({missing}, grad_output.options())});
  else if (missing < 0) picked = at::slice(picked, 0, 0, numel);
  return at::reshape(picked, sizes);
}

// --- nonzero -------------------------------------------------------------------------------------

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  if (self.dim() == 0) return at::unbind(at::nonzero(at::unsqueeze(self, 0)), 1);
  return at::unbind(at::nonzero(self), 1);
}

Tensor argwhere(const Tensor& self) { return at::nonzero(self); }

}  // namespace at::native
