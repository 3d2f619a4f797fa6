// Reduces the rows of each bag, and adds the gradients of bags to rows, on CUDA devices.
//
// Half types are summed in float.

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/embedding/cuda/sum_rows.h>
#include <ATen/native/embedding_bag/embedding_bag.h>
#include <ATen/ops/_embedding_bag_dense_backward_native.h>
#include <ATen/ops/_embedding_bag_forward_only_native.h>
#include <ATen/ops/_embedding_bag_native.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/zero_.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/Atomics.cuh>
#include <ATen/native/common/cuda/ForEach.cuh>
#include <ATen/native/common/cuda/OrderedWrites.cuh>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;

constexpr int kThreads = 256;

Tensor as_int64(const Tensor& t) {
  return at::contiguous(t.scalar_type() == kLong ? t : at::_to_copy(t, kLong));
}
const int64_t* int64_data(const Tensor& t) { return static_cast<const int64_t*>(t.data_ptr()); }

Tensor given(const OptionalTensor& t) { return t && t->defined() ? at::contiguous(*t) : Tensor(); }

unsigned blocks_for(int64_t threads) {
  return static_cast<unsigned>(std::min<int64_t>((threads + kThreads - 1) / kThreads, 0x7fffffff));
}

// The bag of each index: the last one whose offset is not above it. Indices after the last offset
// belong to no bag: they have the number after that of the last one.
Tensor bag_numbers(const Tensor& offsets, int64_t num_indices) {
  const Tensor at = at::arange(num_indices, offsets.options());
  return at::clamp_min(at::searchsorted(offsets, at, false, true) - Scalar(1), 0);
}

void write_numbers(const Tensor& out, const Tensor& from) {
  Tensor to = out;
  if (from.defined()) copy_(to, from, false);
  else at::zero_(to);
}

struct Bags {
  const int64_t *indices, *offsets;
  int64_t num_indices, num_offsets, num_bags, width, num_rows, padding_idx;
  BagMode mode;

  __device__ int64_t end(int64_t bag) const {
    return bag + 1 < num_offsets ? offsets[bag + 1] : num_indices;
  }
};

// A thread for each element of the result.
template <typename T, typename M>
__global__ void __launch_bounds__(kThreads)
    reduce_bags(Bags bags, const T* table, const T* weights, T* out, int64_t* counts,
                int64_t* max_indices) {
  const int64_t columns = bags.width > 0 ? bags.width : 1, total = bags.num_bags * columns;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; k < total;
       k += step) {
    const int64_t bag = k / columns, column = k % columns;
    const int64_t begin = bags.offsets[bag], end = bags.end(bag);
    C10_DEVICE_ASSERT((bag > 0 || begin == 0) && "offsets[0] has to be 0");
    C10_DEVICE_ASSERT(begin >= 0 && begin <= end && end <= bags.num_indices &&
                      "offsets must not decrease, nor exceed the number of indices");
    M sum = 0;
    int64_t count = 0, from = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = bags.indices[i];
      C10_DEVICE_ASSERT(row >= 0 && row < bags.num_rows && "index out of bounds");
      if (row == bags.padding_idx) continue;
      ++count;
      if (bags.width == 0) continue;
      const auto x = static_cast<M>(table[row * bags.width + column]);
      if (bags.mode != BagMode::Max) {
        sum += weights != nullptr ? static_cast<M>(weights[i]) * x : x;
      } else if (count == 1 || x > sum) {
        sum = x;
        from = row;
      }
    }
    if (column == 0) counts[bag] = count;
    if (bags.width == 0) continue;
    if (bags.mode == BagMode::Mean && count > 0) sum /= static_cast<M>(count);
    out[k] = static_cast<T>(sum);
    if (max_indices != nullptr) max_indices[k] = from;
  }
}

// The gradient of a maximum goes to the row that it was taken from.
template <typename T, typename M>
__global__ void __launch_bounds__(kThreads)
    add_to_maxima(int64_t n, int64_t width, int64_t num_rows, const T* grad, const int64_t* rows,
                  const int64_t* counts, M* result) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; k < n; k += step) {
    const int64_t row = rows[k];
    C10_DEVICE_ASSERT(row >= 0 && row < num_rows && "index out of bounds");
    if (counts[k / width] > 0)
      atomic_add(&result[row * width + k % width], static_cast<M>(grad[k]));
  }
}

// The element that each of these gradients goes to; -1 for those of empty bags.
struct MaximumPlaces {
  const int64_t *rows, *counts;
  int64_t width, num_rows;
  __device__ int64_t operator()(int64_t k) const {
    C10_DEVICE_ASSERT(rows[k] >= 0 && rows[k] < num_rows && "index out of bounds");
    return counts[k / width] > 0 ? rows[k] * width + k % width : -1;
  }
};
template <typename T, typename M>
struct Widened {
  const T* from;
  __device__ M operator()(int64_t k) const { return static_cast<M>(from[k]); }
};

// A warp for each index.
template <typename T, typename M>
__global__ void __launch_bounds__(kThreads)
    factor_gradients(Bags bags, const T* grad, const T* table, const int64_t* bag_of, T* out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
       i < bags.num_indices; i += step) {
    const int64_t row = bags.indices[i], bag = bag_of[i];
    C10_DEVICE_ASSERT(row >= 0 && row < bags.num_rows && "index out of bounds");
    M sum = 0;
    if (row != bags.padding_idx && bag >= 0 && bag < bags.num_bags) {
      for (int64_t k = threadIdx.x; k < bags.width; k += 32)
        sum += static_cast<M>(grad[bag * bags.width + k]) *
               static_cast<M>(table[row * bags.width + k]);
    }
    for (unsigned delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(~0u, sum, delta);
    if (threadIdx.x == 0) out[i] = static_cast<T>(sum);
  }
}

}  // namespace

static void embedding_bag_cuda(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                               bool, int64_t mode, bool, const OptionalTensor& per_sample_weights,
                               bool, int64_t padding_idx, const Tensor& output,
                               const Tensor& offset2bag, const Tensor& bag_size,
                               const Tensor& max_indices) {
  const Tensor factors = given(per_sample_weights);
  check_same_device("embedding_bag", {&weight, &indices, &offsets, &factors});
  c10::OptionalDeviceGuard guard(weight.device());
  const Tensor table = at::contiguous(weight), index = at::reshape(as_int64(indices), {-1});
  const Tensor starts = as_int64(offsets);
  const Bags bags{int64_data(index), int64_data(starts), index.numel(),
                  starts.numel(),    output.sizes()[0],  table.sizes()[1],
                  table.sizes()[0],  padding_idx,        static_cast<BagMode>(mode)};
  const bool is_max = bags.mode == BagMode::Max;
  const Tensor counts = empty_tensor({bags.num_bags}, kLong, weight.device());
  Tensor from;
  if (is_max) from = empty_tensor(max_indices.sizes(), kLong, weight.device());
  DenseResult result(output, output.scalar_type());
  if (bags.num_bags > 0) {
    dispatch_types<FloatingAndReduced>(weight.scalar_type(), "embedding_bag",
                                       [&]<typename T>(TypeTag<T>) {
      const T* w = factors.defined() ? static_cast<const T*>(factors.data_ptr()) : nullptr;
      c10::cuda::launch(
          reduce_bags<T, opmath_type<T>>,
          {blocks_for(bags.num_bags * std::max<int64_t>(bags.width, 1)), kThreads},
          c10::cuda::getCurrentCUDAStream(), bags, static_cast<const T*>(table.data_ptr()), w,
          static_cast<T*>(result.tensor().data_ptr()), static_cast<int64_t*>(counts.data_ptr()),
          is_max ? static_cast<int64_t*>(from.data_ptr()) : nullptr);
    });
  }
  result.finish();
  if (offset2bag.numel() > 0) write_numbers(offset2bag, bag_numbers(starts, index.numel()));
  const bool is_sum = bags.mode == BagMode::Sum;
  write_numbers(bag_size, is_sum ? Tensor() : counts);
  write_numbers(max_indices, is_max ? from : is_sum ? Tensor() : counts);
}

static void embedding_bag_dense_backward_cuda(const Tensor& grad, const Tensor& indices,
                                              const Tensor& offset2bag, const Tensor& bag_size,
                                              const Tensor& maximum_indices, int64_t num_weights,
                                              bool scale_grad_by_freq, int64_t mode,
                                              const OptionalTensor& per_sample_weights,
                                              int64_t padding_idx, const Tensor& output) {
  const Tensor factors = given(per_sample_weights);
  check_same_device("embedding_bag_backward", {&grad, &indices, &factors});
  c10::OptionalDeviceGuard guard(grad.device());
  const Tensor g = at::contiguous(grad);
  const int64_t bags = g.sizes()[0], width = g.sizes()[1];
  const ScalarType math = grad.scalar_type() == kDouble ? kDouble : kFloat;
  if (static_cast<BagMode>(mode) == BagMode::Max) {
    const Tensor rows = as_int64(maximum_indices), counts = as_int64(bag_size);
    check_same_device("embedding_bag_backward", {&grad, &rows, &counts});
    DenseResult result(output, math);
    Tensor to = result.tensor();
    at::zero_(to);
    if (g.numel() > 0) {
      dispatch_types<FloatingAndReduced>(grad.scalar_type(), "embedding_bag_backward",
                                         [&]<typename T>(TypeTag<T>) {
        using M = opmath_type<T>;
        if (globalContext().deterministicAlgorithms())
          return write_in_order<M>(
              to, g.numel(),
              MaximumPlaces{int64_data(rows), int64_data(counts), width, num_weights},
              Widened<T, M>{static_cast<const T*>(g.data_ptr())}, ordered::AddTo<M>());
        c10::cuda::launch(add_to_maxima<T, M>, {blocks_for(g.numel()), kThreads},
                          c10::cuda::getCurrentCUDAStream(), g.numel(), width, num_weights,
                          static_cast<const T*>(g.data_ptr()), int64_data(rows), int64_data(counts),
                          static_cast<M*>(to.data_ptr()));
      });
    }
    return result.finish();
  }
  DenseResult result(output, output.scalar_type());
  Tensor to = result.tensor();
  at::zero_(to);
  const Tensor index = as_int64(indices), bag_of = as_int64(offset2bag);
  check_same_device("embedding_bag_backward", {&grad, &bag_of});
  if (index.numel() == 0 || bags == 0) return result.finish();
  const Tensor is_left_out = at::logical_or(
      at::lt(bag_of, 0), at::logical_or(at::ge(bag_of, bags), at::eq(index, padding_idx)));
  const Tensor source = at::contiguous(at::masked_fill(bag_of, is_left_out, 0));
  Tensor scale;
  auto multiply = [&](const Tensor& by) { scale = scale.defined() ? scale * by : by; };
  auto divide = [&](const Tensor& counts) {
    multiply(Scalar(1) / at::_to_copy(at::clamp_min(counts, 1), math));
  };
  if (factors.defined()) multiply(at::_to_copy(factors, math));
  if (static_cast<BagMode>(mode) == BagMode::Mean)
    divide(at::index_select(as_int64(bag_size), 0, source));
  if (scale_grad_by_freq)
    divide(at::index_select(at::bincount(index, std::nullopt, num_weights), 0, index));
  if (scale.defined()) scale = at::contiguous(scale);
  sum_rows_cuda(g, at::masked_fill(index, is_left_out, -1), source, scale, to);
  result.finish();
}

static void per_sample_weights_backward_cuda(const Tensor& grad, const Tensor& weight,
                                             const Tensor& indices, const Tensor& offsets,
                                             const Tensor& offset2bag, int64_t, int64_t padding_idx,
                                             const Tensor& output) {
  check_same_device("embedding_bag_backward", {&grad, &weight, &indices, &offsets, &offset2bag});
  c10::OptionalDeviceGuard guard(grad.device());
  const Tensor g = at::contiguous(grad), table = at::contiguous(weight), index = as_int64(indices);
  const int64_t n = index.numel();
  DenseResult result(output, output.scalar_type());
  if (n > 0) {
    const Tensor bag_of =
        offset2bag.numel() > 0 ? as_int64(offset2bag) : bag_numbers(as_int64(offsets), n);
    const Bags bags{int64_data(index), nullptr,          n,           0,           g.sizes()[0],
                    g.sizes()[1],      table.sizes()[0], padding_idx, BagMode::Sum};
    constexpr unsigned kWarps = kThreads / 32;
    const auto blocks = static_cast<unsigned>(std::min<int64_t>((n + kWarps - 1) / kWarps, 65535));
    dispatch_types<FloatingAndReduced>(grad.scalar_type(), "embedding_bag_backward",
                                       [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(factor_gradients<T, opmath_type<T>>, {blocks, dim3(32, kWarps)},
                        c10::cuda::getCurrentCUDAStream(), bags,
                        static_cast<const T*>(g.data_ptr()),
                        static_cast<const T*>(table.data_ptr()), int64_data(bag_of),
                        static_cast<T*>(result.tensor().data_ptr()));
    });
  }
  result.finish();
}

REGISTER_CUDA_DISPATCH(_embedding_bag_stub, &embedding_bag_cuda)
REGISTER_CUDA_DISPATCH(_embedding_bag_forward_only_stub, &embedding_bag_cuda)
REGISTER_CUDA_DISPATCH(_embedding_bag_dense_backward_stub, &embedding_bag_dense_backward_cuda)
REGISTER_CUDA_DISPATCH(_embedding_bag_per_sample_weights_backward_stub,
                       &per_sample_weights_backward_cuda)

}  // namespace at::native
