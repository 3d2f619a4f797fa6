// Negative log likelihood. Inputs of (N, C), (C) and (N, C, H, W) are viewed as (N, C, inner).

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/nll_loss2d_backward_native.h>
#include <ATen/ops/nll_loss2d_forward_native.h>
#include <ATen/ops/nll_loss_backward_native.h>
#include <ATen/ops/nll_loss_forward_native.h>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr int64_t kNone = static_cast<int64_t>(Reduction::None);
constexpr int64_t kMean = static_cast<int64_t>(Reduction::Mean);
// Reading the element of a class is a cache miss.
constexpr int64_t kGrain = kGrainSize / 32;

// The operands of one call, dense.
struct Nll {
  Nll(const Tensor& self, const Tensor& target_, const OptionalTensor& weight_, int64_t ignore)
      : target(at::contiguous(target_.scalar_type() == kLong ? target_
                                                             : at::_to_copy(target_, kLong))),
        ignore(ignore) {
    if (weight_ && weight_->defined()) weight = at::contiguous(*weight_);
    const bool row = self.dim() == 1, images = self.dim() == 4;
    classes = self.sizes()[row ? 0 : 1];
    inner = images ? self.sizes()[2] * self.sizes()[3] : 1;
    strides[0] = row ? 0 : self.strides()[0];
    strides[1] = self.strides()[row ? 0 : 1];
    strides[2] = images ? self.strides()[3] : 0;
    positions = target.numel();
    labels = static_cast<const int64_t*>(target.data_ptr());
  }
  // f(position, offset of its class, label) for positions that are not ignored.
  template <typename F>
  void for_each(int64_t begin, int64_t end, const F& f) const {
    const int64_t* const of = labels;  // locals: f may write to memory
    const int64_t skipped = ignore, count = classes, pixels = inner;
    const int64_t of_row = strides[0], of_class = strides[1], of_pixel = strides[2];
    int64_t row = begin / std::max<int64_t>(pixels, 1), pixel = begin - row * pixels;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t label = of[i];
      if (label != skipped) {
        if (C10_UNLIKELY(static_cast<uint64_t>(label) >= static_cast<uint64_t>(count)))
          TORCH_CHECK_INDEX(false, "Target ", label, " is out of bounds.");
        f(i, row * of_row + label * of_class + pixel * of_pixel, label);
      }
      if (++pixel == pixels) ++row, pixel = 0;
    }
  }
  template <typename T>
  const T* weights() const {
    return weight.defined() ? static_cast<const T*>(weight.data_ptr()) : nullptr;
  }

  Tensor target, weight;
  int64_t ignore, classes, inner, positions, strides[3];
  const int64_t* labels;
};

// Whether the pixels of an image are one dimension, so that they can be read where they are.
Tensor with_flat_pixels(const Tensor& x) {
  const bool flat = x.dim() < 4 || x.strides()[2] == x.sizes()[3] * x.strides()[3];
  return flat ? x : at::contiguous(x);
}

struct Sums {
  double loss = 0, weight = 0;
};

}  // namespace

static void nll_loss_forward_kernel(const Tensor& self, const Tensor& target,
                                    const OptionalTensor& weight, int64_t reduction,
                                    int64_t ignore_index, const Tensor& output,
                                    const Tensor& total_weight) {
  Tensor x = with_flat_pixels(self);
  Nll nll(x, target, weight, ignore_index);
  const bool each = reduction == kNone && self.dim() != 1;
  Tensor dense =
      each && !output.is_contiguous() ? empty_tensor(output.sizes(), output.scalar_type()) : output;
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "nll_loss_out_frame",
                                     [&]<typename T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    T* out = static_cast<T*>(dense.data_ptr());
    T* total = static_cast<T*>(total_weight.data_ptr());
    const T* const weights = nll.weights<T>();
    if (each) {
      parallel_for(0, nll.positions, kGrain, [&](int64_t begin, int64_t end) {
        std::fill(out + begin, out + end, T(0));
        nll.for_each(begin, end, [=](int64_t i, int64_t at, int64_t label) {
          out[i] = static_cast<T>(-in[at] * (weights ? weights[label] : T(1)));
        });
      });
      *total = T(0);
      return;
    }
    Sums sums = at::parallel_reduce(0, nll.positions, kGrain, Sums(),
                                    [&](int64_t begin, int64_t end, Sums s) {
      // Several sums, since each addition waits for the one before.
      Sums parts[4];
      nll.for_each(begin, end, [&](int64_t i, int64_t at, int64_t label) {
        const double w = weights ? static_cast<double>(weights[label]) : 1.0;
        parts[i & 3].loss -= static_cast<double>(in[at]) * w;
        parts[i & 3].weight += w;
      });
      for (const Sums& part : parts) s.loss += part.loss, s.weight += part.weight;
      return s;
    }, [](Sums a, Sums b) { return Sums{a.loss + b.loss, a.weight + b.weight}; });
    *total = static_cast<T>(sums.weight);
    *out = static_cast<T>(reduction == kMean ? sums.loss / sums.weight : sums.loss);
  });
  if (!dense.is_same(output)) copy_to_output("nll_loss", const_cast<Tensor&>(output), dense);
}

static void nll_loss_backward_kernel(const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, const OptionalTensor& weight,
                                     int64_t reduction, int64_t ignore_index,
                                     const Tensor& total_weight, const Tensor& output) {
  const bool each = reduction == kNone && self.dim() != 1;
  Tensor grad = at::contiguous(grad_output);
  Tensor dense =
      output.is_contiguous() ? output : empty_tensor(output.sizes(), output.scalar_type());
  Nll nll(dense, target, weight, ignore_index);
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "nll_loss_backward_out_frame",
                                     [&]<typename T>(TypeTag<T>) {
    const T* g = static_cast<const T*>(grad.data_ptr());
    T* out = static_cast<T*>(dense.data_ptr());
    T one = each ? T(0) : *g;
    if (reduction == kMean)
      one = static_cast<T>(one / *static_cast<const T*>(total_weight.data_ptr()));
    // A piece is a range of rows (N), so that each thread clears what it writes to.
    const int64_t rows = nll.inner ? nll.positions / nll.inner : 0, row = nll.classes * nll.inner;
    const int64_t rows_at_once = std::max<int64_t>(1, 4096 / std::max<int64_t>(row, 1));
    const T* const weights = nll.weights<T>();
    parallel_for(0, rows, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(row, 1)),
                 [&](int64_t begin, int64_t end) {
      // A few rows at a time, so that they are still in the cache.
      for (int64_t first = begin; first < end; first += rows_at_once) {
        const int64_t last = std::min(first + rows_at_once, end);
        std::memset(static_cast<void*>(out + first * row), 0,
                    sizeof(T) * static_cast<size_t>((last - first) * row));
        nll.for_each(first * nll.inner, last * nll.inner,
                     [=](int64_t i, int64_t at, int64_t label) {
          out[at] = static_cast<T>(-(each ? g[i] : one) * (weights ? weights[label] : T(1)));
        });
      }
    });
  });
  if (!dense.is_same(output))
    copy_to_output("nll_loss_backward", const_cast<Tensor&>(output), dense);
}

REGISTER_DISPATCH(nll_loss_forward_stub, &nll_loss_forward_kernel)
REGISTER_DISPATCH(nll_loss2d_forward_stub, &nll_loss_forward_kernel)
REGISTER_DISPATCH(nll_loss_backward_stub, &nll_loss_backward_kernel)
REGISTER_DISPATCH(nll_loss2d_backward_stub, &nll_loss_backward_kernel)

}  // namespace at::native
