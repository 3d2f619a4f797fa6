// Elements at byte offsets on CUDA devices: x[i, :, j], and assignments to it.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/indexing/index_plan.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/reshape.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/Atomics.cuh>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/OrderedWrites.cuh>

namespace at::native {
namespace {

__global__ void __launch_bounds__(kLoopThreads)
    add_offsets_kernel(int64_t n, int64_t* offsets, const int64_t* index, IndexedDim d,
                       bool first) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kLoopThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x; i < n;
       i += step) {
    int64_t k = index[i];
    C10_DEVICE_ASSERT(k >= -d.size && k < d.size && "index out of bounds");
    k = (k + (k < 0 ? d.size : 0)) * d.byte_stride;
    offsets[i] = first ? k : offsets[i] + k;
  }
}

// f(written, read, offset) for each element.
template <typename F>
__global__ void __launch_bounds__(kLoopThreads)
    offset_kernel(int n, F f, loops::Strided<3> operands) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x;
  if (i >= n) return;
  char* address[3] = {operands.at.data[0], operands.at.data[1], operands.at.data[2]};
  loops::advance(operands, static_cast<uint32_t>(i), address);
  f(address[0], address[1], *reinterpret_cast<const int64_t*>(address[2]));
}

using StartOffsets =
    c10::function_ref<void(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int n,
                           const loops::Strided<3>& operands)>;
void start_offsets(const char* op, const Tensor& written, const Tensor& read, const Tensor& offsets,
                   StartOffsets start) {
  if (written.numel() == 0) return;
  c10::OptionalDeviceGuard guard(written.device());
  auto iter = TensorIteratorConfig(op)
                  .add_output(written)
                  .add_input(read)
                  .add_input(offsets)
                  .check_all_same_dtype(false)
                  .resize_outputs(false)
                  .set_check_mem_overlap(false)
                  .build();
  auto stream = c10::cuda::getCurrentCUDAStream();
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    const int64_t n = piece.numel(), blocks = (n + kLoopThreads - 1) / kLoopThreads;
    start({static_cast<unsigned>(blocks), kLoopThreads}, stream, static_cast<int>(n),
          loops::strided_of<3>(piece));
  });
}

template <typename F>
void for_offsets(const char* op, const Tensor& written, const Tensor& read, const Tensor& offsets,
                 const F& f) {
  start_offsets(op, written, read, offsets,
                [&](const c10::cuda::LaunchShape& shape, cudaStream_t stream, int n,
                    const loops::Strided<3>& operands) {
    c10::cuda::launch(offset_kernel<F>, shape, stream, n, f, operands);
  });
}

template <typename T>
struct Read {
  __device__ void operator()(char* to, const char* from, int64_t offset) const {
    *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from + offset);
  }
};
template <typename T>
struct Write {
  __device__ void operator()(char* to, const char* from, int64_t offset) const {
    *reinterpret_cast<T*>(to + offset) = *reinterpret_cast<const T*>(from);
  }
};
template <typename T>
struct Accumulate {
  __device__ void operator()(char* to, const char* from, int64_t offset) const {
    atomic_add(reinterpret_cast<T*>(to + offset), *reinterpret_cast<const T*>(from));
  }
};

// Where an element is written, in bytes from the beginning of the tensor.
struct Place {
  const char* begin;
  __device__ void operator()(char* place, const char* element, int64_t offset) const {
    *reinterpret_cast<int64_t*>(place) = element - begin + offset;
  }
};

// The same writes as for_offsets makes, in the order of the values.
template <typename T, typename Join>
void write_values_in_order(const Tensor& indexed, const Tensor& values, const Tensor& offsets,
                           const Join& join) {
  const Tensor places = empty_tensor(indexed.sizes(), kLong, indexed.device());
  for_offsets("index_put_", places, indexed, offsets,
              Place{static_cast<const char*>(indexed.data_ptr())});
  const Tensor dense = at::contiguous(values);
  write_in_order<T>(indexed.data_ptr(), at::reshape(places, {-1}),
                    ordered::Dense<T>{static_cast<const T*>(dense.data_ptr())}, join);
}

}  // namespace

static void add_index_offsets_cuda(const Tensor& result, const Tensor& index, const IndexedDim& d,
                                   bool first) {
  const int64_t n = index.numel();
  if (n == 0) return;
  c10::OptionalDeviceGuard guard(result.device());
  const int64_t blocks = std::min<int64_t>((n + kLoopThreads - 1) / kLoopThreads, 1 << 20);
  c10::cuda::launch(add_offsets_kernel, {static_cast<unsigned>(blocks), kLoopThreads},
                    c10::cuda::getCurrentCUDAStream(), n, static_cast<int64_t*>(result.data_ptr()),
                    static_cast<const int64_t*>(index.data_ptr()), d, first);
}

static void index_elements_cuda(const Tensor& result, const Tensor& indexed,
                                const Tensor& offsets) {
  gpu_dispatch_bits(result.itemsize(), [&]<typename T>(TypeTag<T>) {
    for_offsets("index", result, indexed, offsets, Read<T>());
  });
}

static void index_put_elements_cuda(const Tensor& indexed, const Tensor& values,
                                    const Tensor& offsets) {
  gpu_dispatch_bits(indexed.itemsize(), [&]<typename T>(TypeTag<T>) {
    if (globalContext().deterministicAlgorithms())
      return write_values_in_order<T>(indexed, values, offsets, ordered::Replace<T>());
    for_offsets("index_put_", indexed, values, offsets, Write<T>());
  });
}

static void accumulate_elements_cuda(const Tensor& indexed, const Tensor& values,
                                     const Tensor& offsets, IntArrayRef) {
  dispatch_types<NumberTypes, bool>(indexed.scalar_type(), "index_put_",
                                    [&]<typename T>(TypeTag<T>) {
    if (globalContext().deterministicAlgorithms())
      return write_values_in_order<T>(indexed, values, offsets, ordered::AddTo<T>());
    for_offsets("index_put_", indexed, values, offsets, Accumulate<T>());
  });
}

REGISTER_CUDA_DISPATCH(add_index_offsets_stub, &add_index_offsets_cuda)
REGISTER_CUDA_DISPATCH(index_elements_stub, &index_elements_cuda)
REGISTER_CUDA_DISPATCH(index_put_elements_stub, &index_put_elements_cuda)
REGISTER_CUDA_DISPATCH(accumulate_elements_stub, &accumulate_elements_cuda)

}  // namespace at::native
