"""Extensions in C++ are compiled and run: inline, from files, through setuptools, and as programs of CMake."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

import torch
from torch.utils import cpp_extension

pytestmark = pytest.mark.skipif(shutil.which(cpp_extension.get_cxx_compiler()) is None, reason="no C++ compiler")

OPERATOR = """
#include <torch/torch.h>

namespace {

struct Cube : torch::autograd::Function<Cube> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x, double by) {
    ctx->save_for_backward({x});
    ctx->saved_data["by"] = by;
    return x * x * x * by;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
    at::Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * x * x * (3 * ctx->saved_data["by"].toDouble()), at::Tensor()};
  }
};

at::Tensor cube(const at::Tensor& x, double by) { return Cube::apply(x, by); }
at::Tensor cube_cpu(const at::Tensor& x, double by) { return x * x * x * by; }

}  // namespace

TORCH_LIBRARY(NAME, m) { m.def("cube(Tensor x, float by) -> Tensor"); }
TORCH_LIBRARY_IMPL(NAME, Autograd, m) { m.impl("cube", &cube); }
TORCH_LIBRARY_IMPL(NAME, CPU, m) { m.impl("cube", &cube_cpu); }
"""


def test_inline(tmp_path):
    source = "torch::Tensor twice(torch::Tensor x) { return x + x; }\nint64_t count(const torch::Tensor& x) { return x.numel(); }"
    module = cpp_extension.load_inline(
        "inline_test", source, functions={"twice": "x + x", "count": "numel"}, build_directory=str(tmp_path)
    )
    x = torch.arange(3.0, requires_grad=True)
    assert module.twice(x).tolist() == [0, 2, 4] and module.count(x) == 3 and "x + x" in module.twice.__doc__
    module.twice(x).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    with pytest.raises(TypeError):
        module.twice(3)
    # Unchanged sources are not rebuilt; changed ones are, even in the same process.
    stamp = os.stat(tmp_path / "inline_test.so").st_mtime_ns
    assert (
        cpp_extension.load_inline("inline_test", source, functions=["twice", "count"], build_directory=str(tmp_path)).count(x)
        == 3
    )
    assert os.stat(tmp_path / "inline_test.so").st_mtime_ns != stamp


def test_registered_operator_with_autograd(tmp_path):
    source = tmp_path / "cube.cpp"
    source.write_text(OPERATOR.replace("NAME", "extension_test"))
    cpp_extension.load("cube_test", str(source), is_python_module=False, build_directory=str(tmp_path / "build"))
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = torch.ops.extension_test.cube(x, 2.0)
    assert y.tolist() == [2, 16, 54]
    assert torch.autograd.gradcheck(lambda x: torch.ops.extension_test.cube(x, 2.0), x)
    assert torch.autograd.gradgradcheck(lambda x: torch.ops.extension_test.cube(x, 2.0), x)
    with torch.no_grad():
        assert not torch.ops.extension_test.cube(x, 1.0).requires_grad
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_errors(tmp_path):
    with pytest.raises(RuntimeError, match="Error building extension 'broken'"):
        cpp_extension.load_inline(
            "broken", "torch::Tensor f(torch::Tensor x) { return y; }", functions="f", build_directory=str(tmp_path)
        )
    with pytest.raises(FileNotFoundError):
        cpp_extension.load("none", "no-such-file.cpp", build_directory=str(tmp_path))
    with pytest.raises(RuntimeError, match="CUDA"):
        cpp_extension.CUDAExtension("x", [])


def test_setuptools(tmp_path):
    pytest.importorskip("setuptools")
    (tmp_path / "thrice.cpp").write_text(
        "#include <torch/extension.h>\n"
        "torch::Tensor thrice(const torch::Tensor& x) { return 3 * x; }\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("thrice", &thrice); }\n'
    )
    (tmp_path / "setup.py").write_text(
        textwrap.dedent("""
        from setuptools import setup
        from torch.utils.cpp_extension import BuildExtension, CppExtension
        setup(name="thrice", ext_modules=[CppExtension("thrice", ["thrice.cpp"], extra_compile_args=["-O1"])],
              cmdclass={"build_ext": BuildExtension})
    """)
    )
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, check=True, capture_output=True)
    program = "import torch, thrice; print(thrice.thrice(torch.ones(2)).tolist())"
    output = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert output.strip() == "[3.0, 3.0]"


def test_cmake_project(tmp_path):
    """examples/cpp finds the package and runs."""
    cmake = shutil.which("cmake") or os.path.join(os.path.dirname(sys.executable), "cmake")
    if not os.path.exists(cmake):
        pytest.skip("cmake is not installed")
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "cpp")
    configure = [cmake, "-S", source, "-B", str(tmp_path), f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(tmp_path)], check=True, capture_output=True)
    output = subprocess.run([str(tmp_path / "line")], check=True, capture_output=True, text=True).stdout
    assert output.startswith("y = ")
    torch.ops.load_library(str(tmp_path / "liboperators.so"))
    a, b = (torch.randn(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    torch.testing.assert_close(torch.ops.example.muladd(a, b, 2.0), a * b + 2)
    assert torch.autograd.gradcheck(lambda a, b: torch.ops.example.muladd(a, b, 2.0), (a, b))
