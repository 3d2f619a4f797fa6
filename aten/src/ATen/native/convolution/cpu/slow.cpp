// Convolutions of any type: windows become columns of a matrix, which is then multiplied.

#include <cstring>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/convolution/cpu/convolution.h>
#include <ATen/native/convolution/unfold.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

// Walks the row of columns for one channel and one position of the kernel: calls f(position in the
// row, element of the channel's plane) for the elements inside the image; runs along the last
// dimension are passed as a whole.
template <typename F>
void walk_row(const Windows& w, int64_t kernel_index, const F& run) {
  int64_t k2 = kernel_index % w.kernel[2], k1 = kernel_index / w.kernel[2] % w.kernel[1],
          k0 = kernel_index / (w.kernel[2] * w.kernel[1]);
  // Positions [begin, end) of a line have x2 inside the image.
  const int64_t base = k2 * w.dilation[2] - w.padding[2];
  const int64_t begin = base >= 0 ? 0 : std::min(w.out[2], (-base + w.stride[2] - 1) / w.stride[2]);
  const int64_t end = std::max(
      begin, base >= w.size[2] ? 0 : std::min(w.out[2], (w.size[2] - 1 - base) / w.stride[2] + 1));
  const int64_t offset = base + begin * w.stride[2];
  for (int64_t i = 0; i < w.out[0]; ++i) {
    int64_t x0 = i * w.stride[0] - w.padding[0] + k0 * w.dilation[0];
    for (int64_t j = 0; j < w.out[1]; ++j) {
      int64_t x1 = j * w.stride[1] - w.padding[1] + k1 * w.dilation[1];
      int64_t to = (i * w.out[1] + j) * w.out[2];
      bool inside = x0 >= 0 && x0 < w.size[0] && x1 >= 0 && x1 < w.size[1];
      if (inside) run(to, begin, end, (x0 * w.size[1] + x1) * w.size[2] + offset);
      else run(to, 0, 0, 0);
    }
  }
}

// Small images have short lines, which cost more to find than to copy: what walk_row finds is
// written down once for all channels.
class Walk {
 public:
  Walk(const Windows& w, int64_t channels) {
    const int64_t length = w.out_numel(), kernel = w.kernel_numel();
    constexpr int64_t kShortLine = 16, kElements = 4096;
    if (channels < 4 || w.out[2] >= kShortLine || kernel * length > kElements) return;
    used_ = true;
    elements.assign(static_cast<size_t>(kernel * length), -1);
    for (int64_t k = 0; k < kernel; ++k) {
      walk_row(w, k, [&](int64_t to, int64_t first, int64_t last, int64_t at) {
        for (int64_t q = first; q < last; ++q, at += w.stride[2])
          elements[static_cast<size_t>(k * length + to + q)] = static_cast<int32_t>(at);
      });
    }
  }
  bool is_used() const { return used_; }

  // The element of a channel's plane for each element of its rows; -1 where it is outside.
  std::vector<int32_t> elements;

 private:
  bool used_ = false;
};

template <typename T>
void to_columns(const Windows& w, int64_t channels, const T* image, T* columns) {
  int64_t kernel = w.kernel_numel(), length = w.out_numel(), plane = w.numel();
  const Walk walk(w, channels);
  if (walk.is_used()) {
    const int64_t block = kernel * length;
    parallel_for(0, channels, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, block)),
                 [&](int64_t begin, int64_t end) {
      const int32_t* elements = walk.elements.data();
      for (int64_t c = begin; c < end; ++c) {
        const T* from = image + c * plane;
        T* to = columns + c * block;
        for (int64_t i = 0; i < block; ++i) to[i] = elements[i] < 0 ? T{} : from[elements[i]];
      }
    });
    return;
  }
  parallel_for(0, channels * kernel,
               std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, length)),
               [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* from = image + r / kernel * plane;
      T* row = columns + r * length;
      walk_row(w, r % kernel, [&](int64_t to, int64_t first, int64_t last, int64_t at) {
        T* line = row + to;
        for (int64_t q = 0; q < first; ++q) line[q] = T{};
        for (int64_t q = first; q < last; ++q, at += w.stride[2]) line[q] = from[at];
        for (int64_t q = last; q < w.out[2]; ++q) line[q] = T{};
      });
    }
  });
}

template <typename T>
void from_columns(const Windows& w, int64_t channels, const T* columns, T* image) {
  int64_t kernel = w.kernel_numel(), length = w.out_numel(), plane = w.numel();
  const Walk walk(w, channels);
  parallel_for(0, channels,
               std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, kernel * length)),
               [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    const auto add = [](SumType<T>& sum, T x) {
      sum = wrapping_sum(sum, static_cast<SumType<T>>(x));
    };
    for (int64_t c = begin; c < end; ++c) {
      SumType<T>* to_plane = sums.open(image + c * plane, plane);
      const T* rows = columns + c * kernel * length;
      if (walk.is_used()) {
        const int32_t* elements = walk.elements.data();
        for (int64_t i = 0; i < kernel * length; ++i) {
          if (elements[i] >= 0) add(to_plane[elements[i]], rows[i]);
        }
      }
      for (int64_t k = 0; k < kernel && !walk.is_used(); ++k) {
        walk_row(w, k, [&](int64_t to, int64_t first, int64_t last, int64_t at) {
          const T* line = rows + k * length + to;
          for (int64_t q = first; q < last; ++q, at += w.stride[2]) add(to_plane[at], line[q]);
        });
      }
      sums.close();
    }
  });
}

// Windows `first` to `first + count` of all, and how many columns they make.
struct WindowRange {
  Windows w;
  int64_t first, count;
};

// The windows in ranges whose columns, of `depth` elements each, stay in a cache. Half types take
// all at once: each range would round sums that windows of two of them share.
template <typename F>
void for_ranges(const Windows& all, ScalarType type, int64_t depth, const F& f) {
  constexpr int64_t kBytes = int64_t{2} << 20, kFew = 512;
  int d = 0;
  while (d < 2 && all.out[d] == 1) ++d;
  const int64_t slice = all.out_numel() / std::max<int64_t>(1, all.out[d]),
                bytes = depth * static_cast<int64_t>(elementSize(type));
  int64_t step = divup(std::max(kFew, kBytes / std::max<int64_t>(1, bytes)), slice);
  if (sum_type(type) != type) step = all.out[d];
  for (int64_t i = 0; i < all.out[d]; i += step) {
    Windows w = all;
    w.out[d] = std::min(step, all.out[d] - i);
    w.padding[d] -= i * all.stride[d];
    f(WindowRange{w, i * slice, w.out[d] * slice});
  }
}

// The number of columns of the longest range.
int64_t max_range(const Windows& all, ScalarType type, int64_t depth) {
  int64_t max = 0;
  for_ranges(all, type, depth, [&](const WindowRange& r) { max = std::max(max, r.count); });
  return max;
}

// small = weight * columns(large) + beta * small, sample by sample and group by group. weight:
// [rows, large channels / groups * kernel] for each group, with the channels of `small` as rows.
void large_to_small(const Windows& all, const Tensor& large, const Tensor& weight,
                    const Tensor& small, int64_t groups, double beta = 0) {
  int64_t cl = large.sizes()[1] / groups, cs = small.sizes()[1] / groups,
          depth = cl * all.kernel_numel(), length = all.out_numel();
  const ScalarType type = large.scalar_type();
  Tensor columns = empty_tensor({depth, max_range(all, type, depth)}, type);
  for (int64_t block = 0; block < large.sizes()[0] * groups; ++block) {
    for_ranges(all, type, depth, [&](const WindowRange& r) {
      windows_to_columns(r.w, type, cl, at_element(large, block * cl * all.numel()),
                         columns.data_ptr());
      strided_gemm(type, cs, r.count, depth,
                   {at_element(weight, block % groups * cs * depth), depth},
                   {columns.data_ptr(), r.count}, beta,
                   at_element(small, block * cs * length + r.first), length);
    });
  }
}

// large += windows of (weight' * small); large must be zero initially.
void small_to_large(const Windows& all, const Tensor& small, const Tensor& weight,
                    const Tensor& large, int64_t groups) {
  int64_t cl = large.sizes()[1] / groups, cs = small.sizes()[1] / groups,
          depth = cl * all.kernel_numel(), length = all.out_numel();
  const ScalarType type = large.scalar_type();
  Tensor columns = empty_tensor({depth, max_range(all, type, depth)}, type);
  for (int64_t block = 0; block < large.sizes()[0] * groups; ++block) {
    for_ranges(all, type, depth, [&](const WindowRange& r) {
      strided_gemm(type, depth, r.count, cs,
                   {at_element(weight, block % groups * cs * depth), depth, true},
                   {at_element(small, block * cs * length + r.first), length}, 0,
                   columns.data_ptr(), r.count);
      columns_to_windows(r.w, type, cl, columns.data_ptr(),
                         at_element(large, block * cl * all.numel()));
    });
  }
}

// weight = small * columns(large)', of at least one sample.
void weight_gradient(const Windows& all, const Tensor& large, const Tensor& small,
                     const Tensor& weight, int64_t groups) {
  int64_t cl = large.sizes()[1] / groups, cs = small.sizes()[1] / groups,
          depth = cl * all.kernel_numel(), length = all.out_numel();
  // Sums over the batch in a type that is wide enough; samples are converted one by
  // one.
  const ScalarType type = large.scalar_type(), wide = sum_type(type);
  Tensor columns = empty_tensor({depth, max_range(all, wide, depth)}, wide), sample, other,
         sums = wide == type ? weight : empty_tensor(weight.sizes(), wide);
  if (wide != type) {
    sample = empty_tensor({cl * all.numel()}, wide);
    other = empty_tensor({cs * length}, wide);
  }
  // Block number `block`: the elements themselves, or converted ones.
  auto widened = [&](const Tensor& from, int64_t block, int64_t n, const Tensor& buffer) {
    if (wide == type) return static_cast<const char*>(at_element(from, block * n));
    convert_elements(type, at_element(from, block * n), wide, buffer.data_ptr(), n);
    return static_cast<const char*>(buffer.data_ptr());
  };
  const int64_t item = static_cast<int64_t>(elementSize(wide));
  for (int64_t block = 0; block < large.sizes()[0] * groups; ++block) {
    const char *image = widened(large, block, cl * all.numel(), sample),
               *rows = widened(small, block, cs * length, other);
    for_ranges(all, wide, depth, [&](const WindowRange& r) {
      windows_to_columns(r.w, wide, cl, image, columns.data_ptr());
      strided_gemm(wide, cs, depth, r.count, {rows + r.first * item, length},
                   {columns.data_ptr(), r.count, true}, block < groups && r.first == 0 ? 0 : 1,
                   at_element(sums, block % groups * cs * depth), depth);
    });
  }
  if (wide != type) {
    Tensor to = weight;
    at::_ops::copy_::call(to, sums, false);
  }
}

}  // namespace

void windows_to_columns(const Windows& w, ScalarType dtype, int64_t channels, const void* image,
                        void* columns) {
  auto run = [&](auto tag) {
    using T = decltype(tag);
    to_columns(w, channels, static_cast<const T*>(image), static_cast<T*>(columns));
  };
  by_size(elementSize(dtype), run);
}

void columns_to_windows(const Windows& w, ScalarType dtype, int64_t channels, const void* columns,
                        void* image) {
  dispatch_types<NumberTypes>(dtype, "col2im", [&]<typename T>(TypeTag<T>) {
    from_columns(w, channels, static_cast<const T*>(columns), static_cast<T*>(image));
  });
}

Tensor bias_of_result(const ConvolutionArgs& a) {
  if (!a.bias.defined()) return {};
  DimVector shape(a.input.dim(), 1);
  shape[1] = a.bias.numel();
  return at::view(at::contiguous(a.bias), shape);
}

Tensor slow_convolution(const ConvolutionArgs& a) {
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  if (auto result = channels_last_convolution(a)) return *std::move(result);
  MemoryFormat format = conv_memory_format(a.input, a.weight);
  Tensor input = at::contiguous(a.input), weight = at::contiguous(a.weight);
  Tensor out = at::zeros(conv_output_sizes(a), input.options()), bias = bias_of_result(a);
  const bool empty = out.numel() == 0 || input.numel() == 0;
  // Products of a half type are added to the bias, so that sums are rounded once.
  const bool begins_with_bias =
      bias.defined() && !a.transposed && !empty && sum_type(out.scalar_type()) != out.scalar_type();
  if (begins_with_bias) at::_ops::copy_::call(out, bias, false);
  if (!empty && a.transposed)
    small_to_large(windows_of(a, out.sizes(), input.sizes()), input, weight, out, a.groups);
  else if (!empty)
    large_to_small(windows_of(a, input.sizes(), out.sizes()), input, weight, out, a.groups,
                   begins_with_bias ? 1 : 0);
  if (bias.defined() && !begins_with_bias) at::_ops::add__Tensor::call(out, bias, 1);
  return in_format(out, format);
}

Tensor bias_gradient(const Tensor& grad) {
  DimVector dims{0};
  for (int64_t d = 2; d < grad.dim(); ++d) dims.push_back(d);
  return at::sum(grad, IntArrayRef(dims), false, grad.scalar_type());
}

std::tuple<Tensor, Tensor, Tensor> slow_convolution_backward(const ConvolutionArgs& a,
                                                             const Tensor& grad_output,
                                                             std::array<bool, 3> mask) {
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  if (auto result = channels_last_convolution_backward(a, grad_output, mask))
    return *std::move(result);
  Tensor input = at::contiguous(a.input), weight = at::contiguous(a.weight),
         grad = at::contiguous(grad_output);
  bool empty = grad.numel() == 0 || input.numel() == 0;
  Tensor grad_input, grad_weight, grad_bias;
  const Tensor& large = a.transposed ? grad : input;
  const Tensor& small = a.transposed ? input : grad;
  Windows w = windows_of(a, large.sizes(), small.sizes());
  if (mask[0]) {
    grad_input = at::zeros(input.sizes(), input.options());
    if (!empty) {
      if (a.transposed) large_to_small(w, grad, weight, grad_input, a.groups);
      else small_to_large(w, grad, weight, grad_input, a.groups);
    }
  }
  if (mask[1]) {
    if (empty) {
      grad_weight = at::zeros(weight.sizes(), weight.options());
    } else {
      grad_weight = empty_tensor(weight.sizes(), weight.scalar_type());
      weight_gradient(w, large, small, grad_weight, a.groups);
    }
  }
  if (mask[2]) grad_bias = bias_gradient(grad);
  return {grad_input, grad_weight, grad_bias};
}

// --- unfold and fold -----------------------------------------------------------------------------

static void im2col_kernel(const Windows& w, const Tensor& images, const Tensor& columns) {
  const int64_t channels = images.sizes()[1];
  for (int64_t b = 0; b < images.sizes()[0]; ++b) {
    windows_to_columns(w, images.scalar_type(), channels,
                       at_element(images, b * channels * w.numel()),
                       at_element(columns, b * columns.sizes()[1] * columns.sizes()[2]));
  }
}

static void col2im_kernel(const Windows& w, const Tensor& columns, const Tensor& images) {
  const int64_t channels = images.sizes()[1];
  for (int64_t b = 0; b < images.sizes()[0]; ++b) {
    columns_to_windows(w, images.scalar_type(), channels,
                       at_element(columns, b * columns.sizes()[1] * columns.sizes()[2]),
                       at_element(images, b * channels * w.numel()));
  }
}

REGISTER_ALL_CPU_DISPATCH(im2col_stub, &im2col_kernel)
REGISTER_ALL_CPU_DISPATCH(col2im_stub, &col2im_kernel)

}  // namespace at::native
