// cat, stack and related operators.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/joining/joining.h>
#include <ATen/ops/atleast_1d.h>
#include <ATen/ops/atleast_2d.h>
#include <ATen/ops/atleast_3d.h>
#include <ATen/ops/block_diag_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cat_native.h>
#include <ATen/ops/column_stack_native.h>
#include <ATen/ops/concat_native.h>
#include <ATen/ops/concatenate_native.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/dstack_native.h>
#include <ATen/ops/hstack_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/row_stack_native.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/stack_native.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/vstack_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

ScalarType common_type(TensorList tensors) {
  bool same = true;
  for (const Tensor& t : tensors) same &= t.scalar_type() == tensors[0].scalar_type();
  if (same) return tensors[0].scalar_type();
  ResultTypeState state;
  for (const Tensor& t : tensors) state.add(*t.unsafeGetTensorImpl());
  return state.result();
}

struct CatShape {
  DimVector sizes;
  int64_t dim;
  MemoryFormat format = MemoryFormat::Contiguous;
};

CatShape cat_shape(TensorList tensors, int64_t dim) {
  TORCH_CHECK_VALUE(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  const Tensor* first = nullptr;
  bool channels_last = true, channels_last_3d = true;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& t = tensors[k];
    TORCH_CHECK(t.defined(), "torch.cat(): tensor number ", k, " is undefined");
    TORCH_CHECK(t.dim() > 0, "zero-dimensional tensor (at position ", k,
                ") cannot be concatenated");
    TORCH_CHECK(t.device() == tensors[0].device(),
                "torch.cat(): Expected all tensors to be on the same device, but found at least "
                "two devices, ",
                tensors[0].device(), " and ", t.device(), "!");
    if (is_skipped(t)) continue;
    if (!first) first = &t;
    channels_last &= t.is_contiguous(MemoryFormat::ChannelsLast) && !t.is_contiguous();
    channels_last_3d &= t.is_contiguous(MemoryFormat::ChannelsLast3d) && !t.is_contiguous();
  }
  if (!first) {
    maybe_wrap_dim(dim, 1, "cat");
    return {{0}, 0};
  }
  CatShape shape{DimVector(first->sizes()), maybe_wrap_dim(dim, first->dim(), "cat")};
  int64_t length = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& t = tensors[k];
    if (is_skipped(t)) continue;
    TORCH_CHECK(t.dim() == first->dim(), "Tensors must have same number of dimensions: got ",
                first->dim(), " and ", t.dim());
    for (int64_t d = 0; d < t.dim(); ++d) {
      TORCH_CHECK(d == shape.dim || t.sizes()[d] == shape.sizes[d],
                  "Sizes of tensors must match except in dimension ", shape.dim, ". Expected size ",
                  shape.sizes[d], " but got size ", t.sizes()[d], " for tensor number ", k,
                  " in the list.");
    }
    length += t.sizes()[shape.dim];
  }
  shape.sizes[shape.dim] = length;
  if (channels_last) shape.format = MemoryFormat::ChannelsLast;
  if (channels_last_3d) shape.format = MemoryFormat::ChannelsLast3d;
  return shape;
}

Tensor piece_of(const Tensor& out, int64_t dim, int64_t begin, int64_t length) {
  auto impl = out.unsafeGetTensorImpl()->shallow_copy();
  DimVector sizes(out.sizes());
  sizes[dim] = length;
  impl->set_sizes_and_strides(sizes, out.strides());
  impl->set_storage_offset(out.storage_offset() + begin * out.strides()[dim]);
  return Tensor(std::move(impl));
}

// Whether all have the type and the memory format of `out`.
bool are_runs(const Tensor& out, TensorList tensors, MemoryFormat format) {
  if (!out.is_contiguous(format) || !cat_runs_stub.has_kernel(out.device().type())) return false;
  for (const Tensor& t : tensors) {
    if (!is_skipped(t) && (!t.is_contiguous(format) || t.scalar_type() != out.scalar_type()))
      return false;
  }
  return true;
}

// The tensor with its channels as the last dimension.
Tensor channels_at_end(const Tensor& t) {
  auto impl = t.unsafeGetTensorImpl()->shallow_copy();
  DimVector sizes(t.sizes()), strides(t.strides());
  for (DimVector* v : {&sizes, &strides}) {
    v->push_back((*v)[1]);
    v->erase(v->begin() + 1);
  }
  impl->set_sizes_and_strides(sizes, strides);
  return Tensor(std::move(impl));
}

void cat_into(const Tensor& out, TensorList tensors, int64_t dim) {
  if (are_runs(out, tensors, MemoryFormat::Contiguous))
    return cat_runs_stub(out.device().type(), out, tensors, dim);
  for (MemoryFormat format : {MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d}) {
    if (!are_runs(out, tensors, format)) continue;
    std::vector<Tensor> moved;
    for (const Tensor& t : tensors) moved.push_back(is_skipped(t) ? t : channels_at_end(t));
    const int64_t place = dim == 0 ? 0 : dim == 1 ? out.dim() - 1 : dim - 1;
    return cat_runs_stub(out.device().type(), channels_at_end(out), moved, place);
  }
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped(t)) continue;
    Tensor piece = piece_of(out, dim, at, t.sizes()[dim]);
    at::_ops::copy_::call(piece, t, false);
    at += t.sizes()[dim];
  }
}

DimVector strides_in(MemoryFormat format, IntArrayRef sizes) {
  if (format == MemoryFormat::Contiguous) return {};
  // Channels innermost, then the others from the last to the first.
  DimVector strides(sizes.size());
  int64_t step = 1;
  strides[1] = step;
  step *= sizes[1];
  for (size_t d = sizes.size() - 1; d > 1; --d) {
    strides[d] = step;
    step *= sizes[d];
  }
  strides[0] = step;
  return strides;
}

}  // namespace

Tensor cat(TensorList tensors, int64_t dim) {
  CatShape shape = cat_shape(tensors, dim);
  DimVector strides = strides_in(shape.format, shape.sizes);
  ScalarType dtype = common_type(tensors);
  Tensor out = strides.empty()
                   ? empty_tensor(shape.sizes, dtype, tensors[0].device())
                   : empty_strided_tensor(shape.sizes, strides, dtype, tensors[0].device());
  if (out.numel() > 0) cat_into(out, tensors, shape.dim);
  return out;
}

Tensor& cat_out(TensorList tensors, int64_t dim, Tensor& out) {
  CatShape shape = cat_shape(tensors, dim);
  ScalarType dtype = common_type(tensors);
  TORCH_CHECK_TYPE(canCast(dtype, out.scalar_type()),
                   "torch.cat(): input types can't be cast to the desired output type ",
                   toString(out.scalar_type()));
  for (const Tensor& t : tensors) {
    TORCH_CHECK(t.device() == out.device(), "torch.cat(): Expected out tensor to have device ",
                t.device(), ", but got ", out.device(), " instead");
    TORCH_CHECK(!t.is_alias_of(out) || t.numel() == 0 || out.numel() == 0,
                "torch.cat(): unsupported operation: the input tensors cannot refer to any of the "
                "output memory locations");
  }
  resize_output(out, shape.sizes, "cat");
  if (out.numel() > 0) cat_into(out, tensors, shape.dim);
  return out;
}

Tensor concat(TensorList tensors, int64_t dim) { return at::cat(tensors, dim); }
Tensor concatenate(TensorList tensors, int64_t dim) { return at::cat(tensors, dim); }

Tensor stack(TensorList tensors, int64_t dim) {
  TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  IntArrayRef sizes = tensors[0].sizes();
  dim = maybe_wrap_dim(dim, tensors[0].dim() + 1, "stack");
  std::vector<Tensor> parts;
  parts.reserve(tensors.size());
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& t = tensors[k];
    TORCH_CHECK(t.sizes() == sizes, "stack expects each tensor to be equal size, but got ", sizes,
                " at entry 0 and ", t.sizes(), " at entry ", k);
    auto impl = t.unsafeGetTensorImpl()->shallow_copy();
    DimVector s(t.sizes()), st(t.strides());
    int64_t stride = dim < t.dim() ? s[dim] * st[dim] : 1;
    s.insert(s.begin() + dim, 1);
    st.insert(st.begin() + dim, stride);
    impl->set_sizes_and_strides(s, st);
    parts.emplace_back(std::move(impl));
  }
  return native::cat(parts, dim);
}

Tensor hstack(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  std::vector<Tensor> parts = at::atleast_1d(tensors);
  return at::cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  return at::cat(at::atleast_2d(tensors), 0);
}

Tensor row_stack(TensorList tensors) { return native::vstack(tensors); }

Tensor dstack(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "dstack expects a non-empty TensorList");
  return at::cat(at::atleast_3d(tensors), 2);
}

Tensor column_stack(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "column_stack expects a non-empty TensorList");
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors)
    parts.push_back(t.dim() <= 1 ? at::reshape(t, {t.numel(), 1}) : t);
  return native::hstack(parts);
}

Tensor block_diag(TensorList tensors) {
  if (tensors.empty()) return at::zeros({1, 0}, TensorOptions(get_default_dtype()));
  int64_t rows = 0, columns = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& t = tensors[k];
    TORCH_CHECK(t.dim() <= 2,
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ", k,
                " has ", t.dim(), " dimensions");
    TORCH_CHECK(t.device() == tensors[0].device(),
                "torch.block_diag: input tensors must all be on the same device.");
    rows += t.dim() == 2 ? t.sizes()[0] : 1;
    columns += t.dim() == 0 ? 1 : t.sizes()[t.dim() - 1];
  }
  Tensor result =
      at::zeros({rows, columns}, TensorOptions(common_type(tensors)).device(tensors[0].device()));
  int64_t row = 0, column = 0;
  for (const Tensor& t : tensors) {
    int64_t h = t.dim() == 2 ? t.sizes()[0] : 1, w = t.dim() == 0 ? 1 : t.sizes()[t.dim() - 1];
    Tensor block = piece_of(piece_of(result, 0, row, h), 1, column, w);
    if (t.numel() > 0) at::_ops::copy_::call(block, t, false);
    row += h;
    column += w;
  }
  return result;
}

}  // namespace at::native
