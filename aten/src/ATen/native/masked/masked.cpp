// Elements chosen by a mask: masked_fill, masked_select, masked_scatter, nonzero.

#include <ATen/Parallel.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/indexing/indexing.h>
#include <ATen/native/masked/masked.h>
#include <ATen/ops/_local_scalar_dense.h>
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
  if (iter.needs_kernel()) masked_fill_stub(kCPU, iter, value);
  return out;
}

Scalar number_in(const Tensor& value) {
  TORCH_CHECK(value.dim() == 0,
              "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
              value.dim(), " dimension(s).");
  return value.is_meta() ? Scalar(0) : at::_local_scalar_dense(value);
}

// The counts of pieces of a mask, as the position where each piece's elements begin. The last entry
// is the total.
struct MaskPieces {
  explicit MaskPieces(const bool* mask, int64_t numel) : numel(numel) {
    int64_t n = numel < kGrainSize ? 1 : get_num_threads();
    each = std::max<int64_t>(1, divup(divup(numel, n), 64) * 64);
    n = std::max<int64_t>(1, divup(numel, each));
    begins.assign(n + 1, 0);
    parallel_for(0, n, 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k)
        begins[k + 1] = count_true_stub(kCPU, mask + k * each, length(k));
    });
    for (int64_t k = 0; k < n; ++k) begins[k + 1] += begins[k];
  }
  int64_t size() const { return static_cast<int64_t>(begins.size()) - 1; }
  int64_t length(int64_t k) const { return std::min(each, numel - k * each); }
  int64_t count(int64_t k) const { return begins[k + 1] - begins[k]; }
  int64_t total() const { return begins.back(); }

  int64_t numel, each;
  std::vector<int64_t> begins;
};

Tensor expanded(const Tensor& t, IntArrayRef sizes) {
  return at::contiguous(t.sizes() == sizes ? t : at::expand(t, sizes));
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
  return native::masked_fill(self, mask, number_in(value));
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value) {
  check_mask(mask, "masked_fill_");
  TORCH_CHECK(is_expandable_to(mask.sizes(), self.sizes()), "masked_fill_: output with shape ",
              self.sizes(), " doesn't match the broadcast shape of mask ", mask.sizes());
  return fill_into(self, self, mask, value);
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value) {
  return native::masked_fill_(self, mask, number_in(value));
}

// --- masked_select -------------------------------------------------------------------------------

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask, got ",
              dtypeName(mask.scalar_type()));
  DimVector shape = infer_broadcast_sizes(self.sizes(), mask.sizes(), "masked_select");
  Tensor m = expanded(mask, shape), x = expanded(self, shape);
  const bool* bits = static_cast<const bool*>(m.data_ptr());
  MaskPieces pieces(bits, m.numel());
  Tensor result = empty_tensor({pieces.total()}, self.scalar_type());
  char* to = static_cast<char*>(result.data_ptr());
  const char* from = static_cast<const char*>(x.data_ptr());
  int64_t item = static_cast<int64_t>(self.itemsize());
  parallel_for(0, pieces.size(), 1, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      int64_t begin = k * pieces.each;
      compress_stub(kCPU, to + pieces.begins[k] * item, from + begin * item, bits + begin,
                    pieces.length(k), pieces.count(k), item);
    }
  });
  return result;
}

Tensor masked_select_backward(const Tensor& grad, const Tensor& input, const Tensor& mask) {
  // The engine sums over what broadcasting added to the input.
  DimVector shape = infer_broadcast_sizes(input.sizes(), mask.sizes(), "masked_select");
  return at::masked_scatter(at::zeros(shape, grad.options()), mask, grad);
}

// --- masked_scatter ------------------------------------------------------------------------------

Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
  check_mask(mask, "masked_scatter_");
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "masked_scatter_: expected self and source to have same dtypes but got ",
              toString(self.scalar_type()), " and ", toString(source.scalar_type()));
  TORCH_CHECK(is_expandable_to(mask.sizes(), self.sizes()), "masked_scatter_: mask of shape ",
              mask.sizes(), " cannot be broadcast to self of shape ", self.sizes());
  if (self.is_meta()) return self;
  Tensor m = expanded(mask, self.sizes()), from = at::contiguous(source);
  Tensor to = self.is_contiguous() ? self : at::clone(self, MemoryFormat::Contiguous);
  const bool* bits = static_cast<const bool*>(m.data_ptr());
  MaskPieces pieces(bits, m.numel());
  TORCH_CHECK(pieces.total() <= source.numel(), "masked_scatter: Number of elements of source (",
              source.numel(), ") < number of ones in mask (", pieces.total(), ")");
  Tensor positions = empty_tensor({pieces.total()}, kLong);
  int64_t* at = static_cast<int64_t*>(positions.data_ptr());
  int64_t item = static_cast<int64_t>(self.itemsize());
  parallel_for(0, pieces.size(), 1, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      compress_positions_stub(kCPU, at + pieces.begins[k], bits + k * pieces.each, pieces.length(k),
                              k * pieces.each, pieces.count(k));
    }
  });
  index_copy_rows_stub(kCPU, static_cast<char*>(to.data_ptr()),
                       static_cast<const char*>(from.data_ptr()), at, 1, to.numel(), pieces.total(),
                       item, item);
  if (!to.is_same(self)) at::_ops::copy_::call(self, to, false);
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

// One row of the stored result for each dimension; the caller sees the transpose.
Tensor nonzero(const Tensor& self) {
  Tensor m = self.scalar_type() == kBool ? self : at::_to_copy(self, TensorOptions(kBool));
  m = at::contiguous(m);
  const bool* bits = static_cast<const bool*>(m.data_ptr());
  MaskPieces pieces(bits, m.numel());
  int64_t n = pieces.total(), rank = self.dim();
  Tensor rows = empty_tensor({rank, n}, kLong);
  int64_t* at = static_cast<int64_t*>(rows.data_ptr());
  if (rank > 0 && n > 0) {
    IntArrayRef sizes = self.sizes();
    parallel_for(0, pieces.size(), 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        int64_t begin = pieces.begins[k], count = pieces.count(k);
        int64_t* innermost = at + (rank - 1) * n + begin;
        compress_positions_stub(kCPU, innermost, bits + k * pieces.each, pieces.length(k),
                                k * pieces.each, count);
        for (int64_t i = 0; i < count && rank > 1; ++i) {
          int64_t rest = innermost[i];
          for (int64_t d = rank - 1; d > 0; --d) {
            at[d * n + begin + i] = rest % sizes[d];
            rest /= sizes[d];
          }
          at[begin + i] = rest;
        }
      }
    });
  }
  auto impl = rows.unsafeGetTensorImpl();
  impl->set_sizes_and_strides({n, rank}, {1, std::max<int64_t>(n, 1)});
  return rows;
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  if (self.dim() == 0) return at::unbind(at::nonzero(at::unsqueeze(self, 0)), 1);
  return at::unbind(at::nonzero(self), 1);
}

Tensor argwhere(const Tensor& self) { return at::nonzero(self); }

}  // namespace at::native
