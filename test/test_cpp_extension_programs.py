"""Extensions as people write them for PyTorch compile as they are, and compute what Python computes."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import torch
from torch.utils import cpp_extension

pytestmark = pytest.mark.skipif(shutil.which(cpp_extension.get_cxx_compiler()) is None, reason="no C++ compiler")

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpp_extensions")


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("cell"))
    return cpp_extension.load("gru_cell", os.path.join(SOURCES, "gru_cell.cpp"), build_directory=folder)


@pytest.fixture(scope="module")
def operators(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("muladd"))
    cpp_extension.load("muladd", os.path.join(SOURCES, "muladd.cpp"), build_directory=folder)
    return torch.ops.extension_cpp


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("values"))
    return cpp_extension.load("values", os.path.join(SOURCES, "values.cpp"), build_directory=folder)


def cell_in_python(x, weights, bias, h):
    update, candidate = torch.addmm(bias, torch.cat([h, x], 1), weights.t()).chunk(2, 1)
    update = torch.sigmoid(update)
    return (1 - update) * torch.tanh(candidate) + update * h


def test_cell_with_forward_and_backward(cell):
    class Cell(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weights, bias, h):
            new_h, *saved = cell.forward(x, weights, bias, h)
            ctx.save_for_backward(*saved, weights, h)
            return new_h

        @staticmethod
        def backward(ctx, grad_h):
            return tuple(cell.backward(grad_h.contiguous(), *ctx.saved_tensors))

    def inputs():
        torch.manual_seed(0)
        shapes = [(4, 3), (10, 8), (1, 10), (4, 5)]
        return [torch.randn(*s, dtype=torch.float64, requires_grad=True) for s in shapes]

    ours, reference = inputs(), inputs()
    result, expected = Cell.apply(*ours), cell_in_python(*reference)
    torch.testing.assert_close(result, expected)
    result.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    for a, b in zip(ours, reference):
        torch.testing.assert_close(a.grad, b.grad)
    assert torch.autograd.gradcheck(Cell.apply, inputs())
    assert "next state" in cell.forward.__doc__


def test_checks_of_a_cell_reach_python(cell):
    x, w, b, h = torch.ones(3, 4).t(), torch.ones(10, 8), torch.ones(1, 10), torch.ones(4, 5)
    with pytest.raises(RuntimeError, match="input must be contiguous"):
        cell.forward(x, w, b, h)
    with pytest.raises(RuntimeError, match=r"weights of sizes \[10, 8\] do not fit input \[4, 4\]"):
        cell.forward(torch.ones(4, 4), w, b, h)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        cell.forward(1, w, b, h)


def test_operators_on_the_cpu(operators):
    a, b = torch.randn(5), torch.randn(5)
    torch.testing.assert_close(operators.mymuladd(a, b, 2.0), a * b + 2)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x, y = a.to(dtype), b.to(dtype)
        torch.testing.assert_close(operators.mymul(x, y), x * y)
    big = torch.randn(100_000)
    torch.testing.assert_close(operators.mymul(big, big), big * big)
    out = torch.empty(5)
    assert operators.myadd_out(a, b, out) is None
    torch.testing.assert_close(out, a + b)
    assert [t.item() for t in operators.extremes(a)] == [a.min(), a.max()]
    assert operators.extremes(torch.tensor([[3, 1], [2, 5]]), 1)[0].tolist() == [1, 2]
    assert operators.total([torch.ones(2), torch.ones(2)], [3, 4]).tolist() == [7, 7]


def test_errors_of_operators_have_python_types(operators):
    with pytest.raises(NotImplementedError, match="\"mymul\" not implemented for 'Int'"):
        operators.mymul(torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32))
    with pytest.raises(RuntimeError, match=r"\[2\] and \[3\] differ"):
        operators.mymul(torch.ones(2), torch.ones(3))
    with pytest.raises(RuntimeError, match="expected 1 dims but tensor has 2"):
        operators.myadd_out(torch.ones(1, 2), torch.ones(1, 2), torch.ones(1, 2))
    with pytest.raises(ValueError, match="1 tensors and 2 weights"):
        operators.total([torch.ones(2)], [3, 4])
    with pytest.raises((RuntimeError, NotImplementedError)):
        operators.mymuladd(torch.ones(2, device="meta"), torch.ones(2, device="meta"), 1.0)


def test_gradients_from_python_and_from_cpp(operators):
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a, None

    torch.library.register_autograd("extension_cpp::mymuladd", backward, setup_context=setup_context)
    a, b = (torch.randn(5, requires_grad=True) for _ in range(2))
    operators.mymuladd(a, b, 1.0).sum().backward()
    torch.testing.assert_close(a.grad, b.detach())
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(operators.mysquare, x)
    assert operators.mysquare(x).grad_fn is not None and not operators.mysquare(x.detach()).requires_grad


def test_values_pass_both_ways(values):
    assert values.describe(torch.float16, torch.device("cpu"), 2.5, None, [1, 2]) == "Half cpu 2.5 0 [1, 2]"
    assert values.describe(torch.int64, torch.device("cpu"), 3, torch.ones(1), (7,)) == "Long cpu 3 1 [7]"
    assert values.dtype_of(torch.ones(1)) is torch.float32 and values.device_of(torch.ones(1)) == torch.device("cpu")
    assert values.sizes_of(torch.ones(2, 3)) == (2, 3)
    assert values.largest(torch.tensor([1, 5, 2])) == 5 and isinstance(values.largest(torch.tensor([1.5])), float)
    assert [t.tolist() for t in values.made()] == [[1, 2, 3], [[1.5, 2], [3, 4]], [0, 1], [True, False]]
    torch.manual_seed(5)
    expected = torch.rand(3)
    assert torch.equal(values.numbers(5), expected)
    assert values.text(torch.arange(4.0).view(2, 2)) == " 0  1\n 2  3\n[ CPUFloatType{2,2} ]"
    with pytest.raises(TypeError, match="incompatible function arguments"):
        values.describe("float", torch.device("cpu"), 2.5, None, [1, 2])
    with pytest.raises(TypeError, match="incompatible function arguments"):
        values.describe(torch.float16, torch.device("cpu"), 2.5, None, ["a"])


KINDS = {"index": IndexError, "value": ValueError, "type": TypeError, "not": NotImplementedError, "": RuntimeError}


@pytest.mark.parametrize("kind, error", KINDS.items())
def test_errors_become_those_of_python(values, kind, error):
    with pytest.raises(error, match="what was wrong") as caught:
        values.fail(kind)
    assert type(caught.value) is error and "frame #" not in str(caught.value)


def test_what_is_absent_says_so_when_it_is_compiled(tmp_path):
    source = 'struct Stack { };\nTORCH_LIBRARY(absent_test, m) { m.class_<Stack>("Stack"); }'
    with pytest.raises(RuntimeError, match="there is no TorchScript"):
        cpp_extension.load_inline("absent", source, is_python_module=False, build_directory=str(tmp_path))
    source = 'int64_t f(int x) { return x; }\nTORCH_LIBRARY(absent_test, m) { m.def("f", &f); }'
    with pytest.raises(RuntimeError, match="an integer of an operator is an int64_t"):
        cpp_extension.load_inline("narrow", source, is_python_module=False, build_directory=str(tmp_path))


def test_every_header_stands_alone():
    """The headers that programs include by name are there, each complete by itself."""
    headers = """torch/torch.h
        torch/all.h torch/types.h torch/library.h torch/script.h torch/autograd.h torch/cuda.h torch/version.h
        torch/csrc/autograd/custom_function.h torch/csrc/autograd/autograd.h ATen/ATen.h ATen/Dispatch.h
        ATen/Dispatch_v2.h ATen/Parallel.h
        ATen/TensorIndexing.h ATen/Tensor.h ATen/TensorIterator.h ATen/TensorOperators.h ATen/Operators.h ATen/core/Tensor.h
        ATen/core/TensorAccessor.h ATen/core/LegacyTypeDispatch.h ATen/native/TensorIterator.h ATen/ops/from_blob.h
        ATen/ops/tensor.h ATen/core/dispatch/Dispatcher.h c10/util/Exception.h c10/util/irange.h c10/util/Optional.h
        c10/util/accumulate.h c10/util/ArrayRef.h c10/util/Half.h c10/util/BFloat16.h c10/util/string_view.h
        c10/core/ScalarType.h c10/core/Device.h c10/core/InferenceMode.h
        c10/core/SymInt.h ATen/OpMathType.h
        ATen/AccumulateType.h c10/macros/Macros.h c10/macros/Export.h""".split()
    flags = [f"-I{p}" for p in cpp_extension.include_paths()]
    for header in headers:
        source = f"#include <{header}>\n#include <{header}>\n"
        command = [cpp_extension.get_cxx_compiler(), "-std=c++17", "-fsyntax-only", *flags, "-x", "c++", "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        assert done.returncode == 0, (header, done.stderr)


def test_installed_headers_are_complete(tmp_path):
    """What a wheel carries is enough for an extension."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    generated = os.path.join(root, "build", "generated")
    if not os.path.isdir(generated):
        pytest.skip("torch was not built in this tree")
    spec = importlib.util.spec_from_file_location("bundle", os.path.join(root, "tools", "setup_helpers", "bundle.py"))
    bundle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bundle)
    bundle.copy_headers(Path(root), Path(generated), tmp_path)
    compiler = [cpp_extension.get_cxx_compiler(), "-std=c++17", "-fsyntax-only", "-I", str(tmp_path), "-x", "c++", "-"]
    source = "#include <torch/torch.h>\nint main() { return torch::ones({2})[0].item<int>(); }\n"
    done = subprocess.run(compiler, input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
