// Convolutions of any type, dimension, stride, dilation and number of groups on CUDA devices.
//
// Note [Convolutions as products on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// A convolution has a larger side (the input, or the result of a transposed one), a smaller side
// and a weight; each of them is a product of matrices made of the other two. The matrix of windows
// is never stored: its elements are looked up where they are needed. A block computes 64x64
// elements of the result from tiles in shared memory. Products of few rows, as those of depthwise
// convolutions, are computed one element a thread. Where a weight has too few elements to fill the
// device, the depth is divided into parts, which are added up in order.

#include <algorithm>

#include <ATen/OpMathType.h>
#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/convolution/cuda/cudnn.h>
#include <ATen/native/convolution/unfold.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/convolution_backward_native.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/view.h>
#include <c10/core/DeviceGuard.h>
#include <ATen/native/convolution/cuda/WindowIndex.cuh>

namespace at::native {
namespace {

enum class Result { small, large, weight };

// For each group, result [rows, columns] = left [rows, depth] * right [depth, columns]:
//   small:  weight [small channels, large channels * kernel] * windows of large
//   large:  weight' [large channels, small channels * kernel] * the windows that cover an element
//   weight: small [small channels, batch * out] * windows of large'
struct Product {
  Result result;
  Windows w;
  int64_t groups, small_channels, large_channels;  // channels of a group
  int64_t rows, columns, depth;
  int64_t parts = 1, part_depth = 0;
  Dense4Division of_kernel, of_out, of_size;

  Product(Result which, const Windows& windows, int64_t batch, int64_t num_groups, int64_t small,
          int64_t large)
      : result(which),
        w(windows),
        groups(num_groups),
        small_channels(small),
        large_channels(large),
        rows(which == Result::large ? large : small),
        columns(which == Result::weight ? large * w.kernel_numel() : batch * places()),
        depth(which == Result::small   ? large * w.kernel_numel()
              : which == Result::large ? small * w.kernel_numel()
                                       : batch * w.out_numel()),
        part_depth(depth) {
    const int64_t limit = std::max(columns, depth);
    of_kernel = Dense4Division(w.kernel, limit);
    of_out = Dense4Division(w.out, limit);
    of_size = Dense4Division(w.size, limit);
  }
  int64_t places() const { return result == Result::large ? w.numel() : w.out_numel(); }

  __device__ Dense4Index column_index(int64_t n) const {
    return result == Result::weight  ? of_kernel.divide(n)
           : result == Result::small ? of_out.divide(n)
                                     : of_size.divide(n);
  }
  __device__ int64_t small_at(int64_t image, int64_t g, int64_t c, int64_t place) const {
    return ((image * groups + g) * small_channels + c) * w.out_numel() + place;
  }
  __device__ int64_t large_at(int64_t image, int64_t g, int64_t c, int64_t place) const {
    return ((image * groups + g) * large_channels + c) * w.numel() + place;
  }

  template <typename T>
  __device__ T left(const T* data, int64_t g, int64_t m, int64_t k) const {
    if (result == Result::small) return data[(g * small_channels + m) * depth + k];
    const int64_t n = result == Result::large ? w.kernel_numel() : w.out_numel();
    const int64_t outer = k / n, inner = k - outer * n;
    if (result == Result::weight) return data[small_at(outer, g, m, inner)];
    return data[((g * small_channels + outer) * large_channels + m) * n + inner];
  }
  template <typename T>
  __device__ T right(const T* data, int64_t g, int64_t k, const Dense4Index& column) const {
    if (result == Result::large) {
      const Dense4Index element = of_kernel.divide(k);
      const int64_t place = covering_window(w, column.at, element.at);
      return place >= 0 ? data[small_at(column.outer, g, element.outer, place)] : T{};
    }
    const bool is_weight = result == Result::weight;
    const Dense4Index other = is_weight ? of_out.divide(k) : of_kernel.divide(k);
    const Dense4Index &place = is_weight ? other : column, &element = is_weight ? column : other;
    const int64_t at = covered_element(w, place.at, element.at);
    return at >= 0 ? data[large_at(place.outer, g, element.outer, at)] : T{};
  }
  // Where an element of the result is.
  __device__ int64_t result_at(int64_t g, int64_t m, int64_t n) const {
    if (result == Result::weight) return (g * rows + m) * columns + n;
    const int64_t size = result == Result::large ? w.numel() : w.out_numel(), image = n / size;
    return ((image * groups + g) * rows + m) * size + (n - image * size);
  }
};

template <typename T>
struct Operands {
  using M = opmath_type<T>;
  const T *left, *right, *bias;  // bias may be null
  T* result;
  M* parts;  // the result in parts; null: there is one
};

template <typename T>
__device__ void store(const Product& p, const Operands<T>& at, int64_t part, int64_t g, int64_t m,
                      int64_t n, opmath_type<T> sum) {
  const int64_t i = p.result_at(g, m, n);
  if (at.parts) {
    at.parts[part * p.groups * p.rows * p.columns + i] = sum;
    return;
  }
  if (at.bias) sum += static_cast<opmath_type<T>>(at.bias[g * p.rows + m]);
  at.result[i] = static_cast<T>(sum);
}

template <typename T>
struct OneElement {
  using M = opmath_type<T>;
  Product p;
  Operands<T> at;
  __device__ void operator()(int64_t i) const {
    const int64_t n = i % p.columns, m = i / p.columns % p.rows, z = i / p.columns / p.rows,
                  g = z % p.groups, part = z / p.groups;
    const Dense4Index column = p.column_index(n);
    const int64_t begin = part * p.part_depth,
                  end = begin + p.part_depth < p.depth ? begin + p.part_depth : p.depth;
    M sum(0);
    for (int64_t k = begin; k < end; ++k)
      sum += static_cast<M>(p.left(at.left, g, m, k)) *
             static_cast<M>(p.right(at.right, g, k, column));
    store(p, at, part, g, m, n, sum);
  }
};

// A row of a tile in shared memory has an element more, so that columns are in different banks.
constexpr int kTile = 64, kTilePitch = kTile + 1, kTileDepth = 16, kTileThreads = 256;

template <typename T>
__global__ void __launch_bounds__(kTileThreads) product_tiles(Product p, Operands<T> at) {
  using M = opmath_type<T>;
  constexpr int kSide = 16, kEach = kTile / kSide;
  alignas(16) __shared__ char memory[2 * kTileDepth * kTilePitch * sizeof(M)];
  M* left = reinterpret_cast<M*>(memory);
  M* right = left + kTileDepth * kTilePitch;
  const int thread = static_cast<int>(threadIdx.x), x = thread % kSide, y = thread / kSide;
  const int64_t row_tiles = (p.rows + kTile - 1) / kTile,
                column_tiles = (p.columns + kTile - 1) / kTile,
                tiles = row_tiles * column_tiles * p.groups * p.parts;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t first_row = tile % row_tiles * kTile,
                  first_column = tile / row_tiles % column_tiles * kTile,
                  z = tile / row_tiles / column_tiles, g = z % p.groups, part = z / p.groups;
    const int64_t begin = part * p.part_depth,
                  end = begin + p.part_depth < p.depth ? begin + p.part_depth : p.depth;
    // The column that this thread loads.
    const int64_t own_column = first_column + thread % kTile;
    const Dense4Index column = p.column_index(own_column < p.columns ? own_column : 0);
    M sums[kEach][kEach];
    for (int i = 0; i < kEach; ++i)
      for (int j = 0; j < kEach; ++j) sums[i][j] = M(0);
    for (int64_t start = begin; start < end; start += kTileDepth) {
      for (int i = 0; i < kEach; ++i) {
        const int row = y + i * kSide;
        const int64_t k = start + x;
        left[x * kTilePitch + row] = first_row + row < p.rows && k < end
                                         ? static_cast<M>(p.left(at.left, g, first_row + row, k))
                                         : M(0);
      }
      for (int i = thread / kTile; i < kTileDepth; i += kTileThreads / kTile) {
        const int64_t k = start + i;
        right[i * kTilePitch + thread % kTile] =
            own_column < p.columns && k < end ? static_cast<M>(p.right(at.right, g, k, column))
                                              : M(0);
      }
      __syncthreads();
      for (int k = 0; k < kTileDepth; ++k) {
        M a[kEach], b[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
          a[i] = left[k * kTilePitch + y + i * kSide];
          b[i] = right[k * kTilePitch + x + i * kSide];
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i)
#pragma unroll
          for (int j = 0; j < kEach; ++j) sums[i][j] += a[i] * b[j];
      }
      __syncthreads();
    }
    for (int i = 0; i < kEach; ++i) {
      for (int j = 0; j < kEach; ++j) {
        const int64_t m = first_row + y + i * kSide, n = first_column + x + j * kSide;
        if (m < p.rows && n < p.columns) store(p, at, part, g, m, n, sums[i][j]);
      }
    }
  }
}

template <typename T>
struct AddParts {
  int64_t parts, n;
  const opmath_type<T>* from;
  T* to;
  __device__ void operator()(int64_t i) const {
    opmath_type<T> sum(0);
    for (int64_t part = 0; part < parts; ++part) sum += from[part * n + i];
    to[i] = static_cast<T>(sum);
  }
};

void multiply(Product p, const Tensor& left, const Tensor& right, const Tensor& bias,
              const Tensor& result) {
  const int64_t n = result.numel();
  if (n == 0) return;
  c10::OptionalDeviceGuard guard(result.device());
  const bool is_tiled = p.rows > 4;
  const int64_t tiles = (p.rows + kTile - 1) / kTile * ((p.columns + kTile - 1) / kTile) * p.groups;
  if (p.result == Result::weight && p.depth > 0) {
    constexpr int64_t kBlocks = 512, kThreads = 1 << 16, kMinDepth = 256;
    p.parts = std::clamp<int64_t>(is_tiled ? kBlocks / tiles : kThreads / n, 1,
                                  (p.depth + kMinDepth - 1) / kMinDepth);
    p.part_depth = (p.depth + p.parts - 1) / p.parts;
    p.parts = (p.depth + p.part_depth - 1) / p.part_depth;
  }
  dispatch_types<NumberTypes>(result.scalar_type(), "convolution", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    Tensor parts;
    if (p.parts > 1)
      parts = empty_tensor({p.parts * n}, c10::CppTypeToScalarType<M>::value, result.device());
    const Operands<T> at{static_cast<const T*>(left.data_ptr()),
                         static_cast<const T*>(right.data_ptr()),
                         bias.defined() ? static_cast<const T*>(bias.data_ptr()) : nullptr,
                         static_cast<T*>(result.data_ptr()),
                         parts.defined() ? static_cast<M*>(parts.data_ptr()) : nullptr};
    if (is_tiled) {
      const int64_t blocks = std::min<int64_t>(tiles * p.parts, 0x7fffffff);
      c10::cuda::launch(product_tiles<T>, {static_cast<unsigned>(blocks), kTileThreads},
                        c10::cuda::getCurrentCUDAStream(), p, at);
    } else {
      gpu_for_each(result, n * p.parts, OneElement<T>{p, at});
    }
    if (p.parts > 1) gpu_for_each(result, n, AddParts<T>{p.parts, n, at.parts, at.result});
  });
}

Product product_of(Result result, const ConvolutionArgs& a, const Tensor& large,
                   const Tensor& small) {
  return Product(result, windows_of(a, large.sizes(), small.sizes()), large.sizes()[0], a.groups,
                 small.sizes()[1] / a.groups, large.sizes()[1] / a.groups);
}

// By cuDNN, if it is there and takes it; undefined otherwise.
Tensor by_cudnn(const ConvolutionArgs& a, MemoryFormat format) {
  if (!cudnn_takes(a)) return {};
  const Tensor x = in_format(a.input, format), w = in_format(a.weight, format);
  Tensor out = empty_in_format(conv_output_sizes(a), x.options(), format);
  if (a.transposed ? !cudnn_convolution(a, ConvolutionSide::large, out, x, w)
                   : !cudnn_convolution(a, ConvolutionSide::small, x, out, w))
    return {};
  if (a.bias.defined()) {
    DimVector shape(a.spatial() + 1, 1);
    shape[0] = a.bias.numel();
    at::_ops::add__Tensor::call(out, at::view(at::contiguous(a.bias), shape), 1);
  }
  return out;
}

}  // namespace

Tensor convolution_cuda(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
                        int64_t groups) {
  const ConvolutionArgs a = convolution_args(input, weight, value_or_undefined(bias), stride,
                                             padding, dilation, transposed, output_padding, groups);
  if (Tensor out = by_cudnn(a, conv_memory_format(input, weight)); out.defined()) {
    record_backend("convolution", "cuDNN");
    return out;
  }
  record_backend("convolution", "products of windows");
  const Tensor x = at::contiguous(a.input), w = at::contiguous(a.weight),
               b = a.bias.defined() ? at::contiguous(a.bias) : a.bias;
  const Tensor out = empty_tensor(conv_output_sizes(a), x.scalar_type(), x.device());
  if (transposed) multiply(product_of(Result::large, a, out, x), w, x, b, out);
  else multiply(product_of(Result::small, a, x, out), w, x, b, out);
  return in_format(out, conv_memory_format(input, weight));
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward_cuda(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<IntArrayRef> /*bias_sizes*/, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups,
    std::array<bool, 3> output_mask) {
  const ConvolutionArgs a = convolution_gradient_args(grad_output, input, weight, stride, padding,
                                                      dilation, transposed, output_padding, groups);
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[2]) grad_bias = sum_but_channels(grad_output);
  if (cudnn_takes(a)) {
    const MemoryFormat format = conv_memory_format(input, weight);
    const Tensor x = in_format(a.input, format), w = in_format(a.weight, format),
                 g = in_format(grad_output, format);
    if (output_mask[0]) {
      Tensor out = empty_in_format(x.sizes(), x.options(), format);
      if (transposed ? cudnn_convolution(a, ConvolutionSide::small, g, out, w)
                     : cudnn_convolution(a, ConvolutionSide::large, out, g, w))
        grad_input = out;
    }
    if (output_mask[1]) {
      Tensor out = empty_in_format(w.sizes(), w.options(), format);
      if (transposed ? cudnn_convolution(a, ConvolutionSide::weight, g, x, out)
                     : cudnn_convolution(a, ConvolutionSide::weight, x, g, out))
        grad_weight = out;
    }
    output_mask[0] = output_mask[0] && !grad_input.defined();
    output_mask[1] = output_mask[1] && !grad_weight.defined();
    if (!output_mask[0] && !output_mask[1]) return {grad_input, grad_weight, grad_bias};
  }
  const Tensor x = at::contiguous(a.input), w = at::contiguous(a.weight),
               g = at::contiguous(grad_output);
  const Tensor &large = transposed ? g : x, &small = transposed ? x : g;
  if (output_mask[0]) {
    grad_input = empty_tensor(x.sizes(), x.scalar_type(), x.device());
    multiply(product_of(transposed ? Result::small : Result::large, a, large, small), w, g,
             Tensor(), grad_input);
  }
  if (output_mask[1]) {
    grad_weight = empty_tensor(w.sizes(), w.scalar_type(), w.device());
    multiply(product_of(Result::weight, a, large, small), small, large, Tensor(), grad_weight);
  }
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace at::native
