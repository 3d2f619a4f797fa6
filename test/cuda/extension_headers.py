"""An extension that includes what extensions for PyTorch include: guards, events, handles, random states, atomics."""

import pytest

import torch
from torch.utils import cpp_extension

CPP = """
#include <vector>
torch::Tensor histogram(torch::Tensor x, int64_t bins);
torch::Tensor softplus(torch::Tensor x);
torch::Tensor uniform(int64_t n, std::optional<at::Generator> generator);
std::vector<int64_t> devices(torch::Tensor x, int64_t other);
torch::Tensor produced(torch::Tensor x);
std::vector<int64_t> facts();
torch::Tensor product(torch::Tensor a);
void sparse();
"""
CUDA = r"""
#include <torch/extension.h>
#include <torch/library.h>
#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
#include <ATen/DeviceGuard.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ceil_div.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/Exceptions.h>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/cuda/detail/UnpackRaw.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <c10/cuda/CUDAStream.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")

template <typename scalar_t>
__global__ void C10_LAUNCH_BOUNDS_1(256)
    histogram_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ counts, int n, int bins) {
  CUDA_KERNEL_LOOP(i, n) {
    gpuAtomicAdd(&counts[static_cast<int>(x[i]) % bins], static_cast<scalar_t>(1));
    gpuAtomicMax(&counts[bins], x[i]);
  }
}

torch::Tensor histogram(torch::Tensor x, int64_t bins) {
  CHECK_CUDA(x);
  const at::cuda::OptionalCUDAGuard device_guard(device_of(x));
  auto counts = torch::zeros({bins + 1}, x.options());
  const int n = static_cast<int>(x.numel());
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "histogram", [&] {
        histogram_kernel<scalar_t><<<at::cuda::detail::GET_BLOCKS(n, 256), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), counts.data_ptr<scalar_t>(), n, static_cast<int>(bins));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return counts;
}

template <typename scalar_t>
__global__ void softplus_kernel(const scalar_t* x, scalar_t* y, int64_t n) {
  using opmath_t = at::opmath_type<scalar_t>;
  static_assert(std::is_same<at::acc_type<float, true>, float>::value, "on GPUs, floats are summed in float");
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const opmath_t value = static_cast<opmath_t>(x[i]);
  y[i] = static_cast<scalar_t>(c10::cuda::compat::max(value, opmath_t(0)) +
                               c10::cuda::compat::log1p(c10::cuda::compat::exp(-c10::cuda::compat::abs(value))));
}

torch::Tensor softplus(torch::Tensor x) {
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  const int64_t n = x.numel(), threads = 128;
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "softplus", [&] {
    softplus_kernel<scalar_t><<<at::ceil_div(n, threads), threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);
  });
  AT_CUDA_CHECK(cudaGetLastError());
  return y;
}

// Not Philox's numbers: what the state is, as numbers that a test can read.
__global__ void state_kernel(at::PhiloxCudaState state, int64_t* out, int n) {
  const auto seeds = at::cuda::philox::unpack(state);
  if (threadIdx.x < n) out[threadIdx.x] = static_cast<int64_t>(threadIdx.x == 0 ? std::get<0>(seeds) : std::get<1>(seeds));
}

torch::Tensor uniform(int64_t n, std::optional<at::Generator> generator) {
  auto gen = at::get_generator_or_default<at::CUDAGeneratorImpl>(generator, at::cuda::detail::getDefaultCUDAGenerator());
  at::PhiloxCudaState state;
  {
    std::lock_guard<std::mutex> lock(gen->mutex_);
    state = gen->philox_cuda_state(6);
  }
  auto out = torch::empty({n}, torch::dtype(torch::kInt64).device(torch::kCUDA));
  state_kernel<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(state, out.data_ptr<int64_t>(), static_cast<int>(n));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

std::vector<int64_t> devices(torch::Tensor x, int64_t other) {
  std::vector<int64_t> seen;
  {
    at::cuda::CUDAGuard guard(x.device());
    seen.push_back(c10::cuda::current_device());
    guard.set_index(static_cast<c10::DeviceIndex>(other));
    seen.push_back(at::cuda::current_device());
    seen.push_back(guard.original_device().index());
    at::cuda::OptionalCUDAGuard none;
    TORCH_CHECK(!none.original_device() && !none.current_device());
    none.reset_device(x.device());
    seen.push_back(c10::cuda::current_device());
  }
  seen.push_back(c10::cuda::current_device());
  return seen;
}

torch::Tensor produced(torch::Tensor x) {
  auto producer = at::cuda::getStreamFromPool(false, x.device().index());
  at::cuda::CUDAEvent before, after(cudaEventDefault), start(cudaEventDefault);
  TORCH_CHECK(before.query() && !before.isCreated());
  before.record(at::cuda::getCurrentCUDAStream());
  torch::Tensor y;
  {
    at::cuda::CUDAStreamGuard guard(producer);
    TORCH_CHECK(guard.current_stream() == producer && guard.original_stream() != producer);
    before.block(producer);
    start.record();
    y = x * 2;
    after.record(producer);
  }
  after.block(at::cuda::getCurrentCUDAStream());
  at::cuda::CUDAEvent moved = std::move(after);
  moved.synchronize();
  TORCH_CHECK(moved.query() && start.elapsed_time(moved) >= 0 && !after.isCreated());
  {
    at::cuda::CUDAMultiStreamGuard guard(std::vector<at::cuda::CUDAStream>{producer});
    TORCH_CHECK(at::cuda::getCurrentCUDAStream() == producer);
  }
  TORCH_CHECK(at::cuda::getCurrentCUDAStream() != producer);
  return y;
}

std::vector<int64_t> facts() {
  const auto* properties = at::cuda::getCurrentDeviceProperties();
  at::cuda::assertNotCapturing("facts");
  return {properties->multiProcessorCount, at::cuda::warp_size(), at::cuda::getNumGPUs(), C10_WARP_SIZE,
          at::hasCUDA(), torch::cuda::is_available(), static_cast<int64_t>(torch::cuda::device_count())};
}

torch::Tensor product(torch::Tensor a) {
  TORCH_CHECK(at::cuda::getCurrentCUDABlasHandle() != nullptr);
  TORCH_CHECK(at::cuda::getCurrentCUDABlasLtHandle() != nullptr);
  TORCH_CHECK(at::cuda::getCurrentCUDASolverDnHandle() != nullptr);
  TORCH_CUDABLAS_CHECK(0);
  auto block = at::cuda::getCUDADeviceAllocator()->allocate(1024);
  TORCH_CHECK(block.get() != nullptr);
  return at::matmul(a, a);
}

void sparse() { at::cuda::getCurrentCUDASparseHandle(); }
"""
FUNCTIONS = ["histogram", "softplus", "uniform", "devices", "produced", "facts", "product", "sparse"]


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("headers")
    return cpp_extension.load_inline("headers", CPP, CUDA, functions=FUNCTIONS, build_directory=str(folder))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_atomics_and_loops(module, dtype):
    x = torch.arange(600) % 7
    counts = module.histogram(x.to(dtype).cuda(), 7).cpu()
    assert counts.tolist() == [*torch.bincount(x).tolist(), 6]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_mathematics(module, dtype):
    x = torch.randn(300, dtype=dtype)
    torch.testing.assert_close(module.softplus(x.cuda()).cpu(), torch.nn.functional.softplus(x))


def test_random_states(module):
    torch.cuda.manual_seed(5)
    assert [module.uniform(2, None).tolist() for _ in range(2)] == [[5, 0], [5, 8]]
    generator = torch.Generator("cuda").manual_seed(9)
    assert module.uniform(2, generator).tolist() == [9, 0]
    with pytest.raises(RuntimeError, match="not of the expected kind"):
        module.uniform(2, torch.Generator())


def test_random_states_in_a_graph(module):
    torch.cuda.manual_seed(5)
    module.uniform(2, None)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = module.uniform(2, None)
    graph.replay()
    assert out.tolist() == [5, 8]
    graph.replay()
    assert out.tolist() == [5, 16]


def test_guards(module):
    last = torch.cuda.device_count() - 1
    assert module.devices(torch.ones(1, device=f"cuda:{last}"), 0) == [last, 0, 0, last, 0]


def test_events_and_streams(module):
    assert module.produced(torch.ones(5, device="cuda")).tolist() == [2.0] * 5


def test_the_device(module):
    properties = torch.cuda.get_device_properties(0)
    devices = torch.cuda.device_count()
    assert module.facts() == [properties.multi_processor_count, 32, devices, 32, 1, 1, devices]


def test_handles(module):
    a = torch.randn(8, 8)
    torch.testing.assert_close(module.product(a.cuda()).cpu(), a @ a)
    with pytest.raises(NotImplementedError, match="does not use cuSPARSE"):
        module.sparse()
