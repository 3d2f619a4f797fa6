"""Extensions with CUDA sources of their own, compiled for the emulated device."""

import subprocess
import sys

import pytest

import torch
from torch.utils import cpp_extension

CPP = "torch::Tensor scaled(torch::Tensor x, double by); torch::Tensor row_sums(torch::Tensor x);"
CUDA = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

// A kernel<<<in a comment>>>(is left alone).
template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, scalar_t* y, int64_t n, scalar_t by) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * by;
}

__global__ void sum_kernel(torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> x, float* y) {
  extern __shared__ float parts[];
  float sum = 0;
  for (int k = threadIdx.x; k < x.size(1); k += blockDim.x) sum += x[blockIdx.x][k];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = parts[0];
}

torch::Tensor scaled(torch::Tensor x, double by) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "scaled: expected a contiguous tensor on a GPU");
  auto y = torch::empty_like(x);
  const int threads = 128;
  const int64_t blocks = (x.numel() + threads - 1) / threads;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled", [&] {
    scale_kernel<scalar_t><<<dim3(blocks), threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel(), static_cast<scalar_t>(by));
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor row_sums(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  sum_kernel<<<x.size(0), 64, 64 * sizeof(float)>>>(
      x.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), y.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
extension = CUDAExtension("shifted", ["main.cpp", "shift.cu"], extra_compile_args={"cxx": ["-O1"], "nvcc": ["-O2"]})
setup(name="shifted", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("extension")
    return cpp_extension.load_inline("scales", CPP, CUDA, functions=["scaled", "row_sums"], build_directory=str(folder))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_kernel_of_ones_own(module, dtype):
    x = torch.randn(1000, dtype=dtype)
    y = module.scaled(x.cuda(), 3)
    assert y.is_cuda and torch.equal(y.cpu(), x * 3)
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        assert torch.equal(module.scaled(x.cuda(), 2).cpu(), x * 2)


def test_shared_memory_and_accessors(module):
    x = torch.randn(7, 300)
    torch.testing.assert_close(module.row_sums(x.cuda()).cpu(), x.sum(1))
    torch.testing.assert_close(module.row_sums(x.cuda().t().contiguous().t()).cpu(), x.sum(1))


def test_errors_of_an_extension(module):
    with pytest.raises(RuntimeError, match="expected a contiguous tensor on a GPU"):
        module.scaled(torch.ones(3), 2)
    with pytest.raises(NotImplementedError, match="scaled"):
        module.scaled(torch.ones(3, dtype=torch.int64, device="cuda"), 2)


def test_a_source_that_does_not_compile_names_its_line(tmp_path):
    source = tmp_path / "wrong.cu"
    source.write_text("#include <torch/types.h>\n\n__global__ void f() { undeclared = 3; }\n")
    with pytest.raises(RuntimeError, match=r"wrong\.cu:3"):
        cpp_extension.load("wrong", [str(source)], build_directory=str(tmp_path))
    source.write_text("void g() { f<<<1>>>(); }\n")
    with pytest.raises(RuntimeError, match="line 1: expected kernel<<<grid, block"):
        cpp_extension.load("wrong", [str(source)], build_directory=str(tmp_path))


def test_setuptools(tmp_path):
    (tmp_path / "setup.py").write_text(SETUP)
    (tmp_path / "main.cpp").write_text(
        "#include <torch/extension.h>\n#include <map>\ntorch::Tensor shift(torch::Tensor x);\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("shift", &shift); }\n'
    )
    (tmp_path / "shift.cu").write_text(
        "#include <torch/types.h>\n#include <cuda_runtime.h>\n"
        "__global__ void shift_kernel(float* x) { x[threadIdx.x] += 1; }\n"
        "torch::Tensor shift(torch::Tensor x) {\n  shift_kernel<<<1, x.numel()>>>(x.data_ptr<float>());\n  return x;\n}\n"
    )
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    code = "import torch, shifted; print(shifted.shift(torch.zeros(3, device='cuda')).tolist())"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "[1.0, 1.0, 1.0]\n", done.stdout + done.stderr
