"""Modules with few names: what shows files and pickles, throughput, redispatch, layouts of gradients, guards, archives."""

import contextlib
import io
import json
import pickle
import subprocess
import sys
import types
import warnings
import zipfile

import numpy as np
import pytest

import torch
import torch.utils.cpp_extension as cpp_extension
from torch import nn
from torch.nn.attention.varlen import AuxRequest, varlen_attn, varlen_attn_out
from torch.overrides import TorchFunctionMode, enable_reentrant_dispatch, redispatch_function
from torch.utils import model_dump, show_pickle
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import CheckpointError, GraphExecGroup, checkpoint
from torch.utils.throughput_benchmark import ThroughputBenchmark, format_time


class Point:
    def __init__(self):
        self.x = 1


def shown(tmp_path, value, protocol=2):
    path = tmp_path / "x.pkl"
    path.write_bytes(pickle.dumps(value, protocol=protocol))
    out = io.StringIO()
    show_pickle.main(["show_pickle", str(path)], out)
    return out.getvalue().strip()


@pytest.mark.parametrize("protocol", [2, 4])
def test_show_pickle(tmp_path, protocol):
    assert shown(tmp_path, {"a": [1, None]}, protocol) == "{'a': [1, None]}"
    assert shown(tmp_path, Point(), protocol) == f"{__name__}.Point()(state={{'x': 1}})"
    assert "builtins.set" in shown(tmp_path, [{1}], protocol).replace("__builtin__", "builtins") or protocol == 4


def test_show_pickle_runs_nothing(tmp_path, capsys):
    class Bad:
        def __reduce__(self):
            return print, ("it ran",)

    assert "print('it ran',)" in shown(tmp_path, Bad())
    assert capsys.readouterr().out == ""


def test_show_pickle_of_a_checkpoint(tmp_path):
    path = tmp_path / "x.pth"
    torch.save({"a": torch.ones(2)}, path)
    done = subprocess.run([sys.executable, "-m", "torch.utils.show_pickle", f"{path}@*/data.pkl"], capture_output=True, text=True)
    assert done.returncode == 0 and "torch._utils._rebuild_tensor_v2" in done.stdout
    for wrong in (["x"], ["x", f"{path}@nothing"]):
        with pytest.raises(ValueError, match="expected one"):
            show_pickle.main(wrong)


def test_model_info(tmp_path):
    path = tmp_path / "x.pth"
    torch.save({"a": nn.Parameter(torch.ones(2, 3)), "b": [1, "c"]}, path)
    info = model_dump.get_model_info(path)
    weight, rest = info["model_data"]["values"]
    assert info["model_data"]["keys"] == ["a", "b"] and rest == [1, "c"]
    storage, offset, size, stride, *_ = weight["__tensor_v2__"]
    assert storage == ["torch.FloatStorage", "0", "cpu", 6] and offset == 0
    assert size == {"__tuple_values__": [2, 3]} and stride == {"__tuple_values__": [3, 1]}
    out = io.StringIO()
    model_dump.main(["model_dump", str(path)], stdout=out)
    assert json.loads(out.getvalue()) == json.loads(json.dumps(info))
    with pytest.raises(TypeError, match="holds no object"):
        model_dump.hierarchical_pickle(object())
    with pytest.raises(AssertionError, match="no storage"):
        model_dump.get_storage_info(3)


def test_throughput(tmp_path):
    calls = []
    benchmark = ThroughputBenchmark(lambda x, y=0: calls.append((x, y)))
    with pytest.raises(RuntimeError, match="add_input"):
        benchmark.benchmark()
    benchmark.add_input(1, y=2)
    stats = benchmark.benchmark(num_calling_threads=2, num_warmup_iters=3, num_iters=50)
    assert calls == [(1, 2)] * 56 and stats.num_iters == 50
    assert stats.iters_per_second == pytest.approx(50 / stats.total_time_seconds)
    assert "calls per second" in str(stats)
    with pytest.raises(RuntimeError, match="at least one thread"):
        benchmark.benchmark(num_calling_threads=0)
    failing = ThroughputBenchmark(lambda x: 1 / x)
    failing.add_input(0)
    with pytest.raises(ZeroDivisionError):
        failing.benchmark(num_warmup_iters=0)
    benchmark.benchmark(num_iters=2, profiler_output_path=str(tmp_path / "trace.json"))
    assert json.loads((tmp_path / "trace.json").read_text())
    with pytest.raises(AssertionError, match="got 2"):
        format_time(time_us=1, time_s=2)


def test_redispatch_shows_what_a_function_calls():
    seen = []

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return redispatch_function(func, types, args, kwargs)

    x = torch.randn(2, 3)
    y = nn.functional.layer_norm(x.as_subclass(Loud), (3,))
    assert seen == [nn.functional.layer_norm, torch.layer_norm] and type(y) is torch.Tensor
    assert torch.equal(y, nn.functional.layer_norm(x, (3,)))
    seen.clear()
    x.as_subclass(Loud) + 1
    assert len(seen) == 1


def test_redispatch_after_an_error():
    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return redispatch_function(func, types, args, kwargs)

    def no_question(x):
        raise ValueError

    x = torch.ones(2).as_subclass(Loud)
    with pytest.raises(ValueError):
        redispatch_function(no_question, (Loud,), (x,), {})
    assert torch.overrides.has_torch_function((x,))  # the next question gets its answer


def test_redispatch_in_a_mode():
    names = []

    class Names(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append(func.__name__)
            return redispatch_function(func, types, args, kwargs)

    x = torch.ones(1, 2)
    with Names():
        nn.functional.cosine_embedding_loss(x, x, torch.ones(1))
    assert "cosine_embedding_loss" in names


def test_reentrant_dispatch():
    class Square(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            with enable_reentrant_dispatch(), torch.enable_grad():
                x = args[0].detach().requires_grad_()
                return torch.autograd.grad((x**3).sum(), x)[0]

    x = torch.tensor([2.0])
    with Square():
        y = x.neg()
    assert y.item() == 12
    with pytest.raises(RuntimeError, match="inside __torch_dispatch__"), enable_reentrant_dispatch():
        pass


class _ColumnGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(3, 2).t()


def strides_of_gradient():
    x = torch.zeros(2, 3, requires_grad=True)
    _ColumnGradient.apply(x).sum().backward()
    return x.grad.stride()


def test_layout_policy():
    policy = torch.autograd.enforce_grad_layout_policy
    assert strides_of_gradient() == (3, 1)
    with policy(False):
        assert strides_of_gradient() == (1, 2)
        with policy():
            assert strides_of_gradient() == (3, 1)
        assert strides_of_gradient() == (1, 2)
    assert strides_of_gradient() == (3, 1) and policy(False)(strides_of_gradient)() == (1, 2)
    assert strides_of_gradient() == (3, 1)
    policy(False)
    try:
        assert strides_of_gradient() == (1, 2)
    finally:
        policy(True)
    with pytest.raises(ZeroDivisionError), policy(False):
        raise ZeroDivisionError
    assert strides_of_gradient() == (3, 1)


@pytest.mark.parametrize(("grouped", "runs"), [(False, 3), (True, 2)])
def test_groups_of_backward_passes(grouped, runs):
    count = 0

    def function(x):
        nonlocal count
        count += 1
        return x.sin().cos(), x.exp()

    x = torch.ones(2, requires_grad=True)
    first, second = checkpoint(function, x, use_reentrant=False)
    with GraphExecGroup() if grouped else contextlib.nullcontext():
        first.sum().backward()
        second.sum().backward()
    assert count == runs
    expected = torch.ones(2, requires_grad=True)
    (expected.sin().cos() + expected.exp()).sum().backward()
    torch.testing.assert_close(x.grad, expected.grad)


def test_groups_do_not_overlap():
    x = torch.ones(2, requires_grad=True)
    y = checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False)
    with GraphExecGroup():
        y.sum().backward(retain_graph=True)
        with pytest.raises(CheckpointError, match="must not overlap"):
            y.sum().backward()
        with pytest.raises(RuntimeError, match="inside another"), GraphExecGroup():
            pass
    y.sum().backward()


def causal(q, k):
    return torch.ones(q, k, dtype=torch.bool).tril(k - q)


@pytest.mark.parametrize(("window", "mask"), [((-1, -1), None), ((-1, 0), causal), ((1, 1), "band")])
def test_varlen(window, mask):
    torch.manual_seed(0)
    query, key, value = (torch.randn(n, 2, 4, requires_grad=True) for n in (7, 9, 9))
    borders_q, borders_k = torch.tensor([0, 2, 2, 7]), torch.tensor([0, 3, 4, 9])
    out, sums = varlen_attn(query, key, value, borders_q, borders_k, 5, 5, window_size=window, return_aux=AuxRequest(lse=True))
    pieces = []
    for q, k, v in zip(query.tensor_split([2, 2]), key.tensor_split([3, 4]), value.tensor_split([3, 4])):
        scores = torch.einsum("qhd,khd->hqk", q, k) / 2
        if mask == "band":
            distance = torch.arange(len(k)) - torch.arange(len(q))[:, None] - (len(k) - len(q))
            scores = scores.masked_fill(distance.abs() > 1, -torch.inf)
        elif mask is not None:
            scores = scores.masked_fill(~mask(len(q), len(k)), -torch.inf)
        pieces.append((torch.einsum("hqk,khd->qhd", scores.softmax(2), v), scores.logsumexp(2)))
    torch.testing.assert_close(out, torch.cat([p[0] for p in pieces]))
    torch.testing.assert_close(sums, torch.cat([p[1] for p in pieces], 1))
    grads = torch.autograd.grad(out.square().sum(), (query, key, value))
    for ours, expected in zip(grads, torch.autograd.grad(torch.cat([p[0] for p in pieces]).square().sum(), (query, key, value))):
        torch.testing.assert_close(ours, expected)


def test_varlen_options_and_errors():
    x, borders = torch.randn(5, 4, 2), torch.tensor([0, 5])
    few = torch.randn(5, 2, 2)
    with pytest.raises(RuntimeError, match="enable_gqa"):
        varlen_attn(x, few, few, borders, borders, 5, 5)
    repeated = few.repeat_interleave(2, 1)
    grouped = varlen_attn(x, few, few, borders, borders, 5, 5, enable_gqa=True)
    torch.testing.assert_close(grouped, varlen_attn(x, repeated, repeated, borders, borders, 5, 5))
    used = varlen_attn(x, x, x, borders, borders, 5, 5, seqused_k=torch.tensor([2]))
    torch.testing.assert_close(used, varlen_attn(x, x[:2], x[:2], borders, torch.tensor([0, 2]), 5, 2))
    out = torch.empty(5, 4, 2)
    assert varlen_attn_out(out, x, x, x, borders, borders, 5, 5) is out and out.isfinite().all()
    for wrong in (torch.tensor([1, 5]), torch.tensor([0, 6]), torch.tensor([0, 3, 2]), torch.tensor([0.0, 5.0])):
        with pytest.raises(RuntimeError, match="cu_seq_q"):
            varlen_attn(x, x, x, wrong, borders, 5, 5)
    with pytest.raises(NotImplementedError, match="block_table"):
        varlen_attn(x, x, x, borders, borders, 5, 5, block_table=torch.zeros(1, 1))


def test_compilers_of_extensions():
    assert cpp_extension.check_compiler_is_gcc("g++") == cpp_extension.get_compiler_abi_compatibility_and_version("g++")[0]
    for program in ("no such program", "ls"):
        assert not cpp_extension.check_compiler_ok_for_platform(program)
        with pytest.warns(UserWarning, match="may not fit"):
            assert cpp_extension.get_compiler_abi_compatibility_and_version(program) == (False, "0.0.0")
    with pytest.raises(OSError, match="XPU"):
        cpp_extension.SyclExtension("x", ["x.sycl"])


def test_guard_filters():
    def entry(kind, value, is_global, module):
        source = types.SimpleNamespace(
            is_unspecialized_nn_module=lambda: module, is_unspecialized_builtin_nn_module=lambda: module
        )
        return types.SimpleNamespace(
            guard_type=kind, value=value, is_global=is_global, orig_guard=types.SimpleNamespace(source=source)
        )

    entries = [entry("TENSOR_MATCH", torch.ones(1), True, False), entry("TENSOR_MATCH", nn.Parameter(torch.ones(1)), False, True),
               entry("ID_MATCH", 3, False, False), entry("SHAPE_ENV", None, False, False)]  # fmt: skip
    c = torch.compiler
    assert c.skip_all_guards_unsafe(entries) == [False] * 4
    assert c.skip_guard_on_globals_unsafe(entries) == [False, True, True, True]
    assert c.keep_tensor_guards_unsafe(entries) == [True, False, False, False]
    assert c.keep_tensor_guards_unsafe(entries, keep_parameters=True) == [True, True, False, False]
    assert c.keep_portable_guards_unsafe(entries) == [True, True, False, True]
    for function in (c.skip_guard_on_all_nn_modules_unsafe, c.skip_guard_on_inbuilt_nn_modules_unsafe):
        assert function(entries) == [True, False, True, True]
    assert c.set_enable_guard_collectives(True) is False and c.set_enable_guard_collectives(False) is True


def test_numpy_functions_of_tensors():
    wrapped = torch.compiler.wrap_numpy(lambda pair, axis: {"sum": pair[0].sum(axis) + pair[1], "n": 3})
    result = wrapped((torch.ones(2, 3), torch.arange(3.0)), axis=0)
    assert result["sum"].tolist() == [2, 3, 4] and result["n"] == 3


def test_settings_by_their_module():
    from torch.utils.serialization import config

    assert config.save.compute_crc32 is torch.serialization.get_crc32_options()
    torch.serialization.set_crc32_options(False)
    assert config.save.compute_crc32 is False
    config.save.compute_crc32 = True
    assert torch.serialization.get_crc32_options() is True and config.load.mmap is False and config.save.storage_alignment == 64
    assert torch.compiler.config.recompile_limit == 8
    with pytest.raises(AttributeError, match="no setting"):
        torch.compiler.config.nothing = 3


def test_file_writer(tmp_path):
    path = tmp_path / "x.pth"
    writer = torch.PyTorchFileWriter(str(path))
    writer.write_record("a/b.txt", b"abc", 2)
    writer.write_record("s", torch.arange(2.0).untyped_storage(), 8)
    writer.write_record_metadata("zeros", 10)
    assert writer.get_all_written_records() == {"a/b.txt", "s", "zeros"} and writer.archive_name() == "x"
    for name, size, problem in (("s", 0, "already"), ("long", 4, "4 bytes")):
        with pytest.raises(RuntimeError, match=problem):
            writer.write_record(name, b"abc", size)
    with pytest.raises(TypeError, match="got int"):
        writer.write_record("n", 3, 1)
    writer.set_min_version(9)
    writer.write_end_of_file()
    with pytest.raises(RuntimeError, match="finished"):
        writer.write_record("y", b"", 0)
    reader = torch.PyTorchFileReader(str(path))
    assert reader.get_record("a/b.txt") == b"ab" and reader.get_record("zeros") == bytes(10)
    assert reader.get_storage_from_record("s", 2, torch.float32).tolist() == [0, 1]
    assert reader.serialization_id() == writer.serialization_id() and len(writer.serialization_id()) == 40
    with zipfile.ZipFile(path) as archive:
        assert archive.read("x/.data/version") == b"9\n" and archive.testzip() is None
    with pytest.raises(NotImplementedError, match="storage_alignment"):
        torch.PyTorchFileWriter(io.BytesIO(), storage_alignment=32)


def test_schemas():
    schema = torch.parse_schema("f.x(Tensor a, int n, *, Scalar alpha=1) -> Tensor")
    assert isinstance(torch.ops.aten.add.Tensor._schema, torch.FunctionSchema) and isinstance(schema.arguments[0], torch.Argument)
    assert schema == torch.parse_schema(str(schema)) and hash(schema) == hash(torch.parse_schema(str(schema)))
    more = torch.parse_schema("f.x(Tensor a, int n, int more=2, *, Scalar alpha=1) -> Tensor")
    assert more.is_backward_compatible_with(schema) and not schema.is_backward_compatible_with(more)
    for different in ("f.y(Tensor a, int n, *, Scalar alpha=1) -> Tensor",
                      "f.x(Tensor a, int n, int more, *, Scalar alpha=1) -> Tensor",
                      "f.x(int n, Tensor a, *, Scalar alpha=1) -> Tensor"):  # fmt: skip
        assert not torch.parse_schema(different).is_backward_compatible_with(schema)
    with pytest.raises(RuntimeError):
        torch.parse_schema("bad(")


def test_ranges_of_sizes():
    torch.sym_constrain_range(5, min=2, max=7)
    torch.sym_constrain_range_for_size(1, min=0, max=7)
    for call, problem in (
        (lambda: torch.sym_constrain_range(5, min=6), "Invalid value range for 5"),
        (lambda: torch.sym_constrain_range(5, min=2, max=1), "max must be at least min"),
        (lambda: torch.sym_constrain_range_for_size(-1), "Invalid value range for -1"),
        (lambda: torch.sym_constrain_range_for_size(5, max=1), "greater than 2"),
    ):
        with pytest.raises(RuntimeError, match=problem):
            call()
    assert torch.sym_fresh_size(5) == 5


def test_classes_of_libraries():
    import torch.classes

    assert torch.classes.loaded_libraries is torch.ops.loaded_libraries
    with pytest.raises(RuntimeError, match="torch.classes.shelf.Book"):
        getattr(torch.classes.shelf, "Book")  # noqa: B009
    with pytest.raises(OSError):
        torch.classes.load_library("no such library.so")
    assert not hasattr(torch.classes, "__wrapped__")


def test_old_profiler():
    from torch.autograd.profiler_legacy import profile

    with profile(record_shapes=True) as record:
        torch.ones(3).sin()
    rows = {row.key for row in record.key_averages()}
    assert {"aten::ones", "aten::sin"} <= rows
    with pytest.warns(UserWarning, match="no CUDA"):
        profile(use_cuda=True)


def test_stack_of_the_call():
    text = torch.utils.cpp_backtrace.get_cpp_backtrace(0, 64)
    assert "cpp_backtrace" in text and "cpp_backtrace" not in torch.utils.cpp_backtrace.get_cpp_backtrace(8, 64)
    assert len(torch.utils.cpp_backtrace.get_cpp_backtrace(0, 1).splitlines()) == 2
    torch.utils.cpp_backtrace.get_cpp_backtrace(-5, 10**9)


def test_refused_names():
    import torch.jit.mobile
    import torch.jit.quantized

    with pytest.raises(NotImplementedError, match="oneDNN"):
        torch.utils.mkldnn.to_mkldnn(nn.Linear(1, 1))
    with pytest.raises(RuntimeError, match="dynamic.LSTM"):
        torch.jit.quantized.QuantizedLSTM(nn.LSTM(1, 1), torch.int8)
    with pytest.raises(NotImplementedError, match="compiler"):
        torch.jit.mobile.LiteScriptModule(None)
    with pytest.raises(RuntimeError, match="accelerator"):
        torch.accelerator.Graph()
    assert torch.xpu.memory.memory_allocated() == 0 and torch.mps.profiler.is_capturing_metal() is False
    with pytest.raises(RuntimeError, match="MPS"):
        torch.mps.profiler.start()


def test_old_worker_function():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.utils.data.backward_compatibility.worker_init_fn(1)
    assert "seed themselves" in str(caught[0].message)


def test_default_arguments():
    from torch.jit.frontend import get_default_args, is_reserved_name

    def function(a, b=2, *, c=np.pi):
        pass

    assert get_default_args(function) == {"b": 2, "c": np.pi} and get_default_args(None) == {}
    assert is_reserved_name("__jit_x") and not is_reserved_name("x")
