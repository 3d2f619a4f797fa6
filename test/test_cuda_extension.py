"""How CUDA sources of extensions are compiled: what needs no device."""

import os
import runpy
import subprocess
import sysconfig

import pytest
from surroundings import ROOT

import torch
from torch.utils import _cuda_extension, cpp_extension


@pytest.mark.parametrize(
    "source, expected",
    [
        ("f<<<1, 2>>>();", "::c10::cuda::launch(f, {dim3(1), dim3(2), static_cast<size_t>(0)}, nullptr);"),
        (
            "ns::f<T, g<int>> <<< dim3(a, b), t, 4 * sizeof(T), s >>> (x, h(y));",
            "::c10::cuda::launch(ns::f<T, g<int>>, {dim3(dim3(a, b)), dim3(t), static_cast<size_t>(4 * sizeof(T))}, s, x, h(y));",
        ),
        (
            "f<<<n, t, 8>>>(\"<<<\", ')');",
            "::c10::cuda::launch(f, {dim3(n), dim3(t), static_cast<size_t>(8)}, nullptr, \"<<<\", ')');",
        ),
        ("extern __shared__ double s[];", "double* s = ::c10::cuda::dynamic_shared<double>();"),
    ],
)
def test_launches_become_calls(source, expected):
    assert _cuda_extension.as_cpp(source).splitlines()[-1] == expected


@pytest.mark.parametrize("source", ["f<<<1>>>();", "f<<<1, 2>>>;", "f<<<1, 2, 3, 4, 5>>>();", "<<<1, 2>>>();", "f<<<1, 2>>>(;"])
def test_launches_that_cannot_be_read(source):
    with pytest.raises(SyntaxError, match="line 1"):
        _cuda_extension.as_cpp(source)


def test_architectures(monkeypatch):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0;9.0+PTX")
    assert _cuda_extension.architectures() == [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90,code=sm_90",
        "-gencode=arch=compute_90,code=compute_90",
    ]
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "Hopper+PTX Ampere")
    named = _cuda_extension.architectures()
    assert [flag.rpartition("=")[2] for flag in named] == ["sm_90", "compute_90", "sm_80", "sm_86"]
    assert cpp_extension._get_cuda_arch_flags() == named == cpp_extension._get_cuda_arch_flags(["-O2"])
    assert cpp_extension._get_cuda_arch_flags(["-gencode=arch=compute_80,code=sm_80"]) == []
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "newest")
    with pytest.raises(ValueError, match="newest"):
        _cuda_extension.architectures()


def test_flags_that_name_gpus_replace_those_of_torch(monkeypatch):
    monkeypatch.setattr(_cuda_extension, "is_emulated", lambda: False)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    assert "code=sm_90" in _cuda_extension.compile_command(["-O2"])[0]
    command = _cuda_extension.compile_command(["-gencode=arch=compute_80,code=sm_80"])[0]
    assert "sm_90" not in command and command.count("-gencode") == 1


def test_names_that_set_up_scripts_ask_for(monkeypatch, tmp_path):
    from torch.utils.cpp_extension import CUDNN_HOME, IS_HIP_EXTENSION, ROCM_HOME, SHARED_FLAG  # noqa: F401

    assert not IS_HIP_EXTENSION and ROCM_HOME is None and "--expt-relaxed-constexpr" in cpp_extension.COMMON_NVCC_FLAGS
    assert cpp_extension._is_cuda_file("a/b.cu") and not cpp_extension._is_cuda_file("a.cpp")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert cpp_extension._find_cuda_home() == str(tmp_path)
    assert cpp_extension._join_cuda_home("bin", "nvcc") == str(tmp_path / "bin" / "nvcc")
    monkeypatch.setattr(_cuda_extension, "root", lambda: None)
    with pytest.raises(OSError, match="CUDA_HOME"):
        cpp_extension._join_cuda_home("bin")
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        cpp_extension.no_such_name  # noqa: B018


SMALL = """
#include <torch/types.h>
#include <c10/cuda/CUDAException.h>
__global__ void f(torch::PackedTensorAccessor32<float, 1> x) { x[threadIdx.x] = 1; }
void g(torch::Tensor x) {
  f<<<1, 32>>>(x.packed_accessor32<float, 1>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""


@pytest.mark.skipif(_cuda_extension.root() is None, reason="needs nvcc: pip install -r requirements-nvcc.txt")
@pytest.mark.parametrize("kind", ["small", "many headers"])
def test_nvcc_compiles_a_source_that_uses_torch(kind, tmp_path):
    source = tmp_path / "kernel.cu"
    tested = os.path.join(ROOT, "test", "cuda", "extension_headers.py")
    source.write_text(SMALL if kind == "small" else runpy.run_path(tested)["CUDA"])
    root = _cuda_extension.root()
    folders = [*cpp_extension.include_paths(), *cpp_extension._pybind_paths(), sysconfig.get_paths()["include"]]
    command = [
        os.path.join(root, "bin", "nvcc"),
        "-std=c++17",
        "--expt-relaxed-constexpr",
        "-DTORCH_EXTENSION_NAME=kernel",
        "-arch=sm_90",
        "-c",
        str(source),
        "-o",
        str(tmp_path / "kernel.o"),
        *(f"-isystem={folder}" for folder in [*folders, os.path.join(root, "include")]),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(bool(torch._C._cuda_extension()), reason="is about builds without CUDA")
def test_builds_without_cuda_refuse():
    with pytest.raises(RuntimeError, match="this build has no CUDA"):
        cpp_extension.CUDAExtension("mine", ["mine.cu"])
    with pytest.raises(RuntimeError, match="this build has no CUDA"):
        cpp_extension.load_inline("mine", "", "__global__ void f() {}")
