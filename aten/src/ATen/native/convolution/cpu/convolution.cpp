// Picks the CPU implementation of a convolution. Pointwise and depthwise ones have kernels of our
// own; oneDNN computes float and, if the processor supports it, bfloat16. Other half types are
// computed in float; slow_convolution does the rest.

#include <ATen/Parallel.h>
#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/native/common/NativeLibraries.h>
#include <ATen/native/convolution/cpu/convolution.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/convolution_backward_native.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/mkldnn_convolution_native.h>

namespace at::native {

// Whether each weight is used so few times that bringing them into oneDNN's layout takes longer
// than the products. Those read the weights once for each sample.
static bool is_bound_by_weight(const ConvolutionArgs& a) {
  constexpr int64_t kLargeWeight = int64_t{1} << 20, kFewUses = 80, kFewSamples = 2;
  const Tensor& image = a.input;
  if ((image.scalar_type() != kFloat && !isReducedFloatingType(image.scalar_type())) ||
      a.weight.numel() < kLargeWeight)
    return false;
  int64_t uses = image.sizes()[0];
  for (int64_t d = 2; d < image.dim(); ++d) uses *= image.sizes()[d];
  return uses <= kFewUses && image.sizes()[0] <= kFewSamples;
}

// Whether bringing the operands into oneDNN's layout takes longer than columns and products do, by
// measurements with AVX2: few multiplications, and windows of one element.
static bool is_bound_by_layout(const ConvolutionArgs& a) {
  constexpr int64_t kFew = 30'000, kFewForPoints = 1'000'000;
  if (g_cpu_capability == CPUCapability::AVX512 || a.input.scalar_type() != kFloat ||
      conv_memory_format(a.input, a.weight) != MemoryFormat::Contiguous)
    return false;
  const DimVector sizes = a.transposed ? DimVector(a.input.sizes()) : conv_output_sizes(a);
  int64_t places = sizes[0], window = 1;
  for (int64_t d = 2; d < a.input.dim(); ++d) {
    places *= sizes[d];
    window *= a.weight.sizes()[d];
  }
  const int64_t multiplications = places * a.weight.numel();
  return multiplications < kFew ||
         (window == 1 && (a.transposed || multiplications < kFewForPoints));
}

// Whether preparing the operands for oneDNN takes longer than computing by columns.
static bool is_bound_by_operands(const ConvolutionArgs& a) {
  return is_bound_by_weight(a) || is_bound_by_layout(a);
}

static const MkldnnLibrary* library_for(const ConvolutionArgs& a) {
  if (a.input.numel() == 0 || a.weight.numel() == 0 || in_parallel_region()) return nullptr;
  if (a.input.scalar_type() != kFloat && a.input.scalar_type() != kBFloat16) return nullptr;
  // Rows that no window reaches, which happens only with dilation: oneDNN takes a negative padding.
  for (int64_t d = 0; a.transposed && d < a.spatial(); ++d) {
    if (a.output_padding[d] >= a.stride[d]) return nullptr;
  }
  const MkldnnLibrary* library = mkldnn_library();
  return library && library->has_type(a.input.scalar_type()) ? library : nullptr;
}

bool has_convolution_library(const ConvolutionArgs& a) { return library_for(a) != nullptr; }

// Half types without a kernel are computed in a wider one: converting them takes less time than
// their products do.
static ScalarType wider_type(ScalarType type) {
  return type == kComplexHalf ? kComplexFloat : kFloat;
}
static bool is_computed_wider(const ConvolutionArgs& a) {
  const ScalarType type = a.input.scalar_type();
  return (isReducedFloatingType(type) || type == kComplexHalf) && a.input.numel() > 0 &&
         a.weight.numel() > 0 && !is_bound_by_weight(a) && !library_for(a);
}

// Whether a tap of the kernel meets nothing but padding.
static bool has_idle_taps(const ConvolutionArgs& a, const Tensor& grad_output) {
  const Tensor &image = a.transposed ? grad_output : a.input,
               &result = a.transposed ? a.input : grad_output;
  for (int64_t d = 0; d < a.spatial(); ++d) {
    const int64_t stride = a.stride[d], last = result.sizes()[d + 2] - 1;
    for (int64_t k = 0; k < a.weight.sizes()[d + 2]; ++k) {
      const int64_t offset = k * a.dilation[d] - a.padding[d];
      // The first place of the kernel that has the tap inside of the image.
      const int64_t place = offset < 0 ? divup(-offset, stride) : 0;
      if (place > last || place * stride + offset >= image.sizes()[d + 2]) return true;
    }
  }
  return false;
}

// oneDNN's kernels for AVX2 work on blocks of 8 channels of the image, which are mostly empty where
// it has few. The image is the input, or the result if the convolution is transposed.
constexpr int64_t kFewChannels = 4;
static bool takes_columns(const ConvolutionArgs& a) {
  return a.groups == 1 && g_cpu_capability != CPUCapability::AVX512;
}

// Whether sums over windows that make an image are faster by columns: its gradient, and the result
// of a transposed convolution. Windows that do not overlap make columns as large as the image.
static bool image_by_columns(const ConvolutionArgs& a) {
  if (!takes_columns(a)) return false;
  bool overlap = false;
  for (int64_t d = 0; d < a.spatial(); ++d)
    overlap |= a.stride[d] < a.weight.sizes()[d + 2] || a.dilation[d] != 1;
  return a.weight.sizes()[1] <= kFewChannels || !overlap;
}

// Whether a result is: oneDNN's kernels are slow where few elements are summed in three dimensions.
static bool result_by_columns(const ConvolutionArgs& a) {
  constexpr int64_t kFewElements = 32;
  if (a.transposed) return image_by_columns(a);
  return takes_columns(a) && a.spatial() == 3 &&
         a.weight.numel() <= a.weight.sizes()[0] * kFewElements;
}

// Those of the image and of the weight that are faster by columns; for weights, oneDNN has a case
// of its own for three channels.
static std::array<bool, 3> gradients_by_columns(const ConvolutionArgs& a) {
  if (a.transposed) return {};
  const int64_t channels = a.weight.sizes()[1];
  return {image_by_columns(a), takes_columns(a) && channels <= kFewChannels && channels != 3,
          false};
}

// What is asked for and not found yet.
static std::array<bool, 3> missing(std::array<bool, 3> mask, const std::array<Tensor, 3>& found) {
  for (int k = 0; k < 3; ++k) mask[k] &= !found[k].defined();
  return mask;
}
static bool any_of(const std::array<bool, 3>& mask) { return mask[0] || mask[1] || mask[2]; }
static void add_found(const std::tuple<Tensor, Tensor, Tensor>& more,
                      std::array<Tensor, 3>* found) {
  const std::array<Tensor, 3> list{std::get<0>(more), std::get<1>(more), std::get<2>(more)};
  for (int k = 0; k < 3; ++k) {
    if (list[k].defined()) (*found)[k] = list[k];
  }
}

// By the library all that is not faster by columns. The bias goes with one of the others.
static void library_backward(const MkldnnLibrary& library, const ConvolutionArgs& a,
                             const Tensor& grad_output, std::array<bool, 3> mask,
                             std::array<Tensor, 3>* found) {
  const std::array<bool, 3> columns = gradients_by_columns(a);
  for (int k = 0; k < 2; ++k) mask[k] &= !columns[k];
  if (mask[0] || mask[1]) add_found(library.convolution_backward(a, grad_output, mask), found);
}

static Tensor as_type(const Tensor& t, ScalarType dtype) {
  return t.defined() ? at::_to_copy(t, TensorOptions(dtype)) : t;
}

Tensor convolution_cpu(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                       IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                       bool transposed, IntArrayRef output_padding, int64_t groups) {
  ConvolutionArgs a = convolution_args(input, weight, value_or_undefined(bias), stride, padding,
                                       dilation, transposed, output_padding, groups);
  if (is_computed_wider(a)) {
    const ScalarType wide = wider_type(input.scalar_type());
    record_backend("convolution", wide == kFloat ? "in float32" : "in complex64");
    const Tensor result =
        convolution_cpu(as_type(input, wide), as_type(weight, wide), as_type(a.bias, wide), stride,
                        padding, dilation, transposed, output_padding, groups);
    return as_type(result, input.scalar_type());
  }
  if (auto result = direct_convolution(a)) return *std::move(result);
  const bool by_columns = is_bound_by_operands(a) || result_by_columns(a);
  const MkldnnLibrary* library = by_columns ? nullptr : library_for(a);
  if (Tensor result = library ? library->convolution(a) : Tensor(); result.defined()) {
    record_backend("convolution", "oneDNN");
    return result;
  }
  record_backend("convolution", "slow_convolution: columns and matrix products");
  return slow_convolution(a);
}

Tensor mkldnn_convolution(const Tensor& self, const Tensor& weight,
                          const std::optional<Tensor>& bias, IntArrayRef padding,
                          IntArrayRef stride, IntArrayRef dilation, int64_t groups) {
  ConvolutionArgs a = convolution_args(self, weight, value_or_undefined(bias), stride, padding,
                                       dilation, false, IntArrayRef(int64_t(0)), groups);
  const MkldnnLibrary* library = library_for(a);
  TORCH_CHECK(
      library || a.input.numel() == 0 || a.weight.numel() == 0 || in_parallel_region(),
      "mkldnn_convolution: oneDNN computes float32, and bfloat16 where the processor has it, got ",
      dtypeName(self.scalar_type()), library ? "" : ", or this build has no oneDNN");
  const Tensor result = library && !is_bound_by_weight(a) ? library->convolution(a) : Tensor();
  return result.defined() ? result : slow_convolution(a);
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward_cpu(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<IntArrayRef> bias_sizes, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups,
    std::array<bool, 3> output_mask) {
  const ConvolutionArgs a = convolution_gradient_args(grad_output, input, weight, stride, padding,
                                                      dilation, transposed, output_padding, groups);
  // oneDNN does not write the gradients of some idle taps of half types.
  const bool is_unreliable = isReducedFloatingType(input.scalar_type()) && output_mask[1] &&
                             library_for(a) && has_idle_taps(a, grad_output);
  if (is_computed_wider(a) || is_unreliable) {
    const ScalarType dtype = input.scalar_type(), wide = wider_type(dtype);
    const auto [to_input, to_weight, to_bias] = convolution_backward_cpu(
        as_type(grad_output, wide), as_type(input, wide), as_type(weight, wide), bias_sizes, stride,
        padding, dilation, transposed, output_padding, groups, output_mask);
    return {as_type(to_input, dtype), as_type(to_weight, dtype), as_type(to_bias, dtype)};
  }
  std::array<Tensor, 3> found = direct_convolution_backward(a, grad_output, output_mask);
  std::array<bool, 3> rest = missing(output_mask, found);
  if (any_of(rest) && !is_bound_by_operands(a)) {
    if (const MkldnnLibrary* library = library_for(a))
      library_backward(*library, a, grad_output, rest, &found);
    rest = missing(output_mask, found);
  }
  if (any_of(rest)) add_found(slow_convolution_backward(a, grad_output, rest), &found);
  return {found[0], found[1], found[2]};
}

}  // namespace at::native
