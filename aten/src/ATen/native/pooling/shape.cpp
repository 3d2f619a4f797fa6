// Runs a pooling whose geometry is known: outputs, formats, and the call of the kernel.

#include <ATen/native/pooling/pooling.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/zero__ops.h>

namespace at::native {

void begin_pool_shape(PoolShape& s, const Tensor& self, int n, const char* op,
                      bool channels_needed) {
  int64_t rank = self.dim();
  bool fits = rank == n + 1 || rank == n + 2;
  for (int64_t d = (rank == n + 2 ? 1 : 0) + !channels_needed; d < rank; ++d)
    fits &= self.sizes()[d] != 0;
  TORCH_CHECK(fits, op, ": non-empty ", n + 1, "D or ", n + 2,
              "D (batch mode) tensor expected for input, but got size ", self.sizes());
  s.batch = rank == n + 2 ? self.sizes()[0] : 1;
  s.channels = self.sizes()[rank - n - 1];
  for (int d = 3 - n; d < 3; ++d) s.in[d] = self.sizes()[rank - 3 + d];
  MemoryFormat format = self.suggest_memory_format();
  s.channels_last =
      rank == n + 2 && n > 1 &&
      (format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d);
}

static MemoryFormat format_of(const PoolShape& s, int n) {
  return !s.channels_last ? MemoryFormat::Contiguous
         : n == 2         ? MemoryFormat::ChannelsLast
                          : MemoryFormat::ChannelsLast3d;
}

static DimVector output_sizes(const PoolShape& s, const Tensor& self, int n) {
  DimVector sizes(self.sizes());
  for (int d = 3 - n; d < 3; ++d) sizes[self.dim() - 3 + d] = s.out[d];
  return sizes;
}

// One image, which the whole batch repeats, is pooled once.
static bool repeats_one_image(const PoolShape& s, const Tensor& self, int n) {
  return self.dim() == n + 2 && s.batch > 1 && self.strides()[0] == 0 && self.numel() > 0;
}
static PoolShape of_one_image(PoolShape s) {
  s.batch = 1;
  return s;
}
static Tensor repeated(const Tensor& one, const PoolShape& s, int n) {
  DimVector sizes(one.sizes());
  sizes[0] = s.batch;
  return at::clone(at::expand(one, sizes), format_of(s, n));
}

std::tuple<Tensor, Tensor> run_max_pool(const PoolShape& s, const Tensor& self, int n) {
  if (repeats_one_image(s, self, n)) {
    auto [values, indices] = run_max_pool(of_one_image(s), at::narrow(self, 0, 0, 1), n);
    return {repeated(values, s, n), repeated(indices, s, n)};
  }
  MemoryFormat format = format_of(s, n);
  DimVector sizes = output_sizes(s, self, n);
  Tensor out = at::empty(sizes, self.options(), format);
  Tensor indices = at::empty(sizes, TensorOptions(kLong).device(self.device()), format);
  max_pool_stub(out.device().type(), s, in_format(self, format), out, indices);
  return {out, indices};
}

Tensor run_max_lines(const PoolShape& s, const Tensor& self) {
  if (repeats_one_image(s, self, 1))
    return repeated(run_max_lines(of_one_image(s), at::narrow(self, 0, 0, 1)), s, 1);
  Tensor out = at::empty(output_sizes(s, self, 1), self.options());
  max_lines_stub(out.device().type(), s, at::contiguous(self), out);
  return out;
}

Tensor run_max_pool_backward(PoolShape s, const Tensor& grad, const Tensor& self, int n,
                             const Tensor& indices, const char* op) {
  DimVector sizes = output_sizes(s, self, n);
  TORCH_CHECK(grad.sizes() == IntArrayRef(sizes), op, ": expected the gradient to have sizes ",
              IntArrayRef(sizes), ", got ", grad.sizes());
  TORCH_CHECK(indices.sizes() == IntArrayRef(sizes) && indices.scalar_type() == kLong, op,
              ": expected indices of type long and sizes ", IntArrayRef(sizes), ", got ",
              indices.sizes());
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), op, ": expected dtype ",
              dtypeName(self.scalar_type()), " for the gradient but got dtype ",
              dtypeName(grad.scalar_type()));
  MemoryFormat format = format_of(s, n);
  Tensor out = at::empty(self.sizes(), self.options(), format);
  if (grad.numel() == 0) return at::_ops::zero_::call(out);
  max_pool_backward_stub(out.device().type(), s, in_format(grad, format),
                         in_format(indices, format), out);
  return out;
}

Tensor run_avg_pool(const PoolShape& s, const Tensor& self, int n) {
  if (repeats_one_image(s, self, n))
    return repeated(run_avg_pool(of_one_image(s), at::narrow(self, 0, 0, 1), n), s, n);
  MemoryFormat format = format_of(s, n);
  Tensor out = at::empty(output_sizes(s, self, n), self.options(), format);
  avg_pool_stub(out.device().type(), s, in_format(self, format), out);
  return out;
}

Tensor run_avg_pool_backward(const PoolShape& s, const Tensor& grad, const Tensor& self, int n,
                             const char* op) {
  DimVector sizes = output_sizes(s, self, n);
  TORCH_CHECK(grad.sizes() == IntArrayRef(sizes), op, ": expected the gradient to have sizes ",
              IntArrayRef(sizes), ", got ", grad.sizes());
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), op, ": expected dtype ",
              dtypeName(self.scalar_type()), " for the gradient but got dtype ",
              dtypeName(grad.scalar_type()));
  MemoryFormat format = format_of(s, n);
  Tensor out = at::empty(self.sizes(), self.options(), format);
  if (grad.numel() == 0) return at::_ops::zero_::call(out);
  avg_pool_backward_stub(out.device().type(), s, in_format(grad, format), out);
  return out;
}

}  // namespace at::native
