"""torch.utils.explain and torch.utils.dispatch_trace: which kernel runs, and why."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

import torch
import torch.nn.functional as F
from torch.utils.explain import UnknownName, explain, facts

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IN_TREE = os.path.exists(os.path.join(ROOT, "aten"))


def lines_at(place):
    """The line that `file:line` names, and the next few."""
    path, _, line = place.rpartition(":")
    with open(os.path.join(ROOT, path)) as f:
        return "".join(f.read().splitlines(True)[max(0, int(line) - 3) : int(line) + 2])


# --- the trace --------------------------------------------------------------------------------------------


def run(program, **env):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ROOT, **env}
    )


def test_trace_of_a_program():
    lines = run(
        "import torch; x = torch.ones(2, requires_grad=True); (x + 1).sum()", TORCH_SHOW_DISPATCH_TRACE="1"
    ).stderr.splitlines()
    assert (
        "[call] op=[aten::add.Tensor], key=[AutogradCPU]" in lines or "[call] op=[aten::add.Scalar], key=[AutogradCPU]" in lines
    )
    assert any(re.match(r" \[redispatch\] op=\[aten::add\.\w+\], key=\[CPU\]$", line) for line in lines)


def test_no_line_is_lost_when_the_process_dies():
    done = run("import os, torch; torch.ones(3).exp(); os.abort()", TORCH_SHOW_DISPATCH_TRACE="1")
    assert done.returncode < 0 and "[call] op=[aten::exp], key=[CPU]" in done.stderr.splitlines()


def test_details():
    lines = run(
        "import torch; torch.ones(2, 3).add(1.5)", TORCH_SHOW_DISPATCH_TRACE="1", TORCH_DISPATCH_TRACE_DETAILS="all"
    ).stderr.splitlines()
    (line,) = [s for s in lines if s.startswith("[call] op=[aten::add.")]
    assert "add_kernel at aten/src/ATen/native/arithmetic/cpu/" in line and "float32[2, 3]" in line
    assert any(re.match(r"\[return\] op=\[aten::add\.\w+\], time=\[[\d.e+-]+ us\]", s) for s in lines)


def test_records():
    x = torch.ones(2, 3, requires_grad=True)
    with torch.utils.dispatch_trace(print=False) as records:
        assert len(records) == 0
        torch.addmm(torch.zeros(2), x, torch.ones(3, 2))
    top = [r for r in records if r.depth == 0]
    assert [r.op for r in top if r.kind == "call"][-1] == "aten::addmm"
    inner = [r for r in records if r.op == "aten::addmm" and r.key == "CPU"]
    assert len(inner) == 1 and inner[0].depth == 1 and inner[0].kind == "redispatch"
    assert "float32[2, 3]" in inner[0].args and inner[0].kernel and inner[0].microseconds > 0
    torch.ones(1)
    assert len(records) == len([*records])  # nothing is added after the block


def test_boxed_kernels_are_said_to_be_boxed():
    lib = torch.library.Library("explain_test", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2, "CPU")
    with torch.utils.dispatch_trace(print=False, details="args") as records:
        torch.ops.explain_test.twice(torch.ones(2))
    assert any(r.kind == "callBoxed" and r.op == "explain_test::twice" for r in records)


def test_the_trace_is_off_again_and_prints_nothing(capfd):
    with torch.utils.dispatch_trace(print=False):
        torch.ones(2)
    torch.ones(2)
    assert capfd.readouterr().err == ""
    with pytest.raises(ValueError, match="kernel, args, time, all"):
        torch.utils.dispatch_trace(details="everything")


def test_convolution_says_which_way():
    for x, w, kwargs, way in (
        (torch.rand(1, 4, 8, 8), torch.rand(4, 1, 3, 3), {"groups": 4}, "depthwise"),
        (torch.rand(1, 4, 16, 16), torch.rand(4, 4, 1, 1), {}, "pointwise"),
        (torch.rand(1, 4, 8, 8).double(), torch.rand(4, 4, 3, 3).double(), {}, "slow_convolution"),
    ):
        assert any(r.kind == "way" and way in r.key for r in explain(F.conv2d, x, w, **kwargs).path)


# --- kernels of an operator ---------------------------------------------------------------------------------


@pytest.mark.skipif(not IN_TREE, reason="places are looked up in the source tree")
@pytest.mark.parametrize("name", ["add.Tensor", "conv2d", "sum.dim_IntList", "view", "convolution", "sort"])
def test_places_are_where_they_say(name):
    (facts,) = [o for o in explain("aten::" + name).operators]
    yaml = lines_at(facts.yaml)
    assert name.split(".")[0] in yaml and "func:" in yaml
    assert facts.kernels
    for kernel in facts.kernels:
        if kernel.place and not kernel.place.startswith("build/"):
            words = {kernel.name.rpartition("::")[2], kernel.symbol.rpartition("::")[2], "["}
            assert any(w and w in lines_at(kernel.place) for w in words), kernel


def test_a_page():
    page = str(explain("add"))
    for part in (
        "torch.add",
        "aten::add.Tensor(Tensor self",
        "arithmetic/native_functions.yaml:",
        "add_kernel",
        "AddBackward0",
        "break at::native::add",
        "torch.Tensor.add",
    ):
        assert part in page


def test_what_a_composite_calls():
    if IN_TREE:
        (facts,) = explain("aten::linear").operators[:1]
        assert facts.calls
    assert "composite" in str(explain("F.linear")) or "LinearBackward" in str(explain("F.linear"))


@pytest.mark.parametrize(
    "target",
    [
        "nn.Linear",
        "torch.nn.Conv2d",
        "F.cross_entropy",
        "Tensor.view",
        "torch.linalg.vector_norm",
        "relu_",
        torch.nn.LSTM,
        torch.add,
        F.gelu,
        torch.Tensor.sum,
        torch.nn.Linear(2, 3),
        torch.ops.aten.mul.Tensor,
    ],
)
def test_names_and_objects(target):
    found = explain(target)
    assert found.entries or found.operators
    assert found.operators, f"{target} leads to no operator"


def test_every_operator_of_the_registry():
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::"):
            found = explain(name)
            assert [o.name for o in found.operators] == [name] and found.operators[0].yaml


def test_the_path_of_a_call():
    found = explain(F.conv2d, torch.rand(1, 3, 8, 8), torch.rand(4, 3, 3, 3, requires_grad=True))
    ops = [r.op for r in found.path]
    assert ops[0] == "aten::conv2d" and "aten::convolution" in ops
    assert "[1, 4, 6, 6]" in found.result and "ConvolutionBackward0" in found.result
    assert "This call" in str(found)


def test_json_and_picture(tmp_path):
    picture = tmp_path / "conv.svg"
    done = subprocess.run(
        [sys.executable, "-m", "torch.utils.explain", "conv2d", "--json", "--graph", str(picture)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
        check=True,
    )
    facts = json.loads(done.stdout)
    assert facts["name"] == "conv2d" and facts["operators"][0]["kernels"][0]["place"]
    root = xml.etree.ElementTree.parse(picture).getroot()
    assert root.tag.endswith("svg") and any("conv2d" in (t.text or "") for t in root.iter() if t.tag.endswith("text"))


def test_misspelled():
    with pytest.raises(UnknownName, match="conv2d"):
        explain("convv2d")
    done = subprocess.run(
        [sys.executable, "-m", "torch.utils.explain", "sofmax"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    assert done.returncode == 1 and "softmax" in done.stderr and done.stdout == ""
    with pytest.raises(UnknownName):
        explain(3.5)


@pytest.mark.skipif(not IN_TREE, reason="places are looked up in the source tree")
def test_what_a_composite_calls_by_way_of_others():
    def calls(name):
        return explain("aten::" + name).operators[0].calls

    assert {"sum", "bmm"} <= set(calls("einsum"))  # by way of functions of the same file
    assert calls("subtract.Tensor") == ["sub.Tensor"] and calls("max_pool1d")[0] == "max_pool2d_with_indices"
    every = [facts.operator_facts(o) for o in torch._C._dispatch_get_all_op_names() if o.startswith("aten::")]
    answers = "native/properties/"  # is_distributed, stride and their like, which call nothing
    none = [f for f in every if f.composite and not f.calls and not any(answers in k.place for k in f.kernels)]
    assert len(none) < 20, [(f.name, f.kernels[0].place) for f in none]  # detach_, lift_fresh and their like


def test_a_module_begins_with_its_own_operator():
    assert explain("nn.LSTM").operators[0].name.startswith("aten::lstm")
    assert not any("debug_builds" in place for place in explain("nn.Linear").tests)


# --- from an operator to the kernel of this CPU -------------------------------------------------------------

COMMON = """
add mul div exp relu sigmoid gelu layer_norm softmax log_softmax sum mean var std max argmax sort topk mm matmul bmm
linear addmm embedding conv2d batch_norm group_norm max_pool2d avg_pool2d cumsum gather scatter index_select masked_fill
cross_entropy mse_loss uniform_ zeros nonzero unique norm
""".split()


@pytest.mark.skipif(not IN_TREE, reason="the source tree is not here")
@pytest.mark.parametrize("name", COMMON)
def test_explain_names_the_kernel_of_the_capability(name):
    kernels = [k for o in explain(name).operators for k in o.kernels]
    files = [k.place.rpartition(":")[0] for k in kernels]
    assert any("/cpu/" in file or "/mkldnn/" in file for file in files), files
    for k in kernels:
        if k.by and k.place and "/native/" in k.place:
            assert k.name.rpartition("::")[2] in lines_at(k.place)


@pytest.mark.skipif(not IN_TREE, reason="the source tree is not here")
@pytest.mark.parametrize("name, operator, place", [
    ("AddBackward0", "aten::add.Tensor", ""),
    ("add_stub", "aten::add.Tensor", "native/arithmetic/cpu/arithmetic_kernel.cpp"),
    ("layer_norm_stub", "aten::native_layer_norm", "native/normalization/cpu/layer_norm_kernel.cpp"),
    ("at::native::layer_norm_kernel", "aten::native_layer_norm", "native/normalization/cpu/layer_norm_kernel.cpp"),
    ("at::native::add", "aten::add.Tensor", ""),
    ("optim.AdamW", "aten::_fused_adamw_", "torch/optim/adamw.py"),
    ("SGD", "aten::_fused_sgd_", "torch/optim/sgd.py"),
    ("StepLR", None, "torch/optim/lr_scheduler/"),
    ("__getitem__", "aten::select.int", ""),
    ("__add__", "aten::add.Tensor", ""),
    ("__itruediv__", "aten::div_.Tensor", ""),
    ("__matmul__", "aten::matmul", ""),
])  # fmt: skip
def test_explain_answers_for_what_users_type(name, operator, place):
    e = explain(name)
    assert operator is None or operator in [o.name for o in e.operators]
    assert not place or place in e.entries[0][1]
    assert e.entries


@pytest.mark.skipif(not IN_TREE, reason="the source tree is not here")
def test_every_operator_has_its_entry_of_the_table():
    bases = {facts.sources.base_name(n).rstrip("_") for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")}
    bases = {b for b in bases if "cudnn" not in b}  # test/cuda/recurrent.py
    missing = [b for b in sorted(bases) if not any(t.startswith("test/ops/") for t in facts.sources.tests_of(b))]
    assert not missing


def test_the_trace_names_kernels_behind_stubs():
    with torch.utils.dispatch_trace(print=False, details="kernel") as records:
        F.layer_norm(torch.ones(3, 8), (8,))
        torch.ones(3, 8).sort()
        torch.ones(3, 8).sum(0)
    kernels = [r for r in records if r.kind == "kernel"]
    assert all("/cpu/" in r.file and r.line > 0 for r in kernels)
    assert {"layer_norm_stub", "order_stub"} <= {r.op for r in kernels}
    assert any("reduce" in r.op for r in kernels)
    assert "[kernel] layer_norm_stub=[" in "\n".join(map(str, records))
    with torch.utils.dispatch_trace(print=False, details="args") as records:
        torch.ones(3, 8).sort()
    assert not [r for r in records if r.kind == "kernel"]


def test_no_broken_pipe():
    command = f"{sys.executable} -m torch.utils.explain add | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == "" and done.stdout.startswith("add")


@pytest.mark.skipif(not IN_TREE, reason="the source tree is not here")
@pytest.mark.parametrize("name", ["add", "cumsum", "roll", "trace", "conv2d", "max_pool2d"])
def test_tests_and_benchmarks_stand_under_the_name_of_the_family(name):
    e = explain(name)
    family = e.operators[0].yaml.split("/")[-2]
    assert e.tests[0].startswith(f"test/ops/{family}.py:")
    cases = f"benchmarks/cases/{family}.py"
    if os.path.exists(os.path.join(ROOT, cases)):
        assert e.benchmarks[0].startswith(cases)


# --- layers over the dispatcher ----------------------------------------------------------------------------


def test_layers_of_operators():
    mm, linear, add_ = (facts.operator_facts(f"aten::{name}").layers for name in ("mm", "linear", "add_.Tensor"))
    assert mm == [
        "autocast: arguments in the type of the region", "vmap: its batching rule", "autograd: MmBackward0",
        "functionalization: the operator, with the values of functional tensors",
        "__torch_dispatch__ of modes and classes: the operator",
    ]  # fmt: skip
    assert linear[1:3] == ["vmap: the operators that it calls", "autograd: the operators that it calls"]
    assert linear[-1] == "__torch_dispatch__ of modes and classes: the operators that it calls"
    assert (
        add_[0] == "autocast: arguments as they are"
        and add_[3] == "functionalization: aten::add, whose result replaces the tensor"
    )
    assert "  layer       autocast: arguments in the widest of their types" in str(explain("aten::cat")).splitlines()


def test_layers_of_a_call():
    from torch.overrides import BaseTorchFunctionMode
    from torch.utils._python_dispatch import BaseTorchDispatchMode, TorchDispatchMode

    class Before(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    class Sub(torch.Tensor):
        pass

    class Wrapper(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return torch.zeros(2)

    x = torch.ones(2, requires_grad=True)
    assert explain(torch.add, x.detach(), 1).layers == []
    wrapper = torch.Tensor._make_wrapper_subclass(Wrapper, (2,))
    seen = []

    def inside(y):
        seen.extend(explain(torch.add, x, y).layers)
        return y

    with Before(torch._C.DispatchKey.PreDispatch), torch.autocast("cpu"), BaseTorchDispatchMode(), BaseTorchFunctionMode():
        torch.vmap(inside)(torch.ones(3, 2))
    assert seen == [
        "__torch_function__ of the mode BaseTorchFunctionMode", "__torch_dispatch__ of the mode Before, before all others",
        "vmap level 1: a batch of 3, randomness=error", "autocast to BFloat16", "autograd, which records the call",
        "__torch_dispatch__ of the mode BaseTorchDispatchMode",
    ]  # fmt: skip
    with torch.no_grad():
        shown = explain(torch.add, x.detach().as_subclass(Sub), 1)
    assert shown.layers == ["__torch_function__ of the class Sub", "grad mode is off"]
    assert "Layers of this call, the outermost first\n  __torch_function__ of the class Sub" in str(shown)
    assert explain(torch.add, wrapper, 1).layers == ["__torch_dispatch__ of the class Wrapper"]
    torch.func.functionalize(inside)(torch.ones(2))
    assert seen[-2:] == ["autograd, which records the call", "functionalization"]
    with torch.inference_mode():
        assert explain(torch.neg, torch.ones(2)).layers == ["inference mode"]


def test_the_trace_has_the_keys_of_layers():
    from torch.utils._python_dispatch import BaseTorchDispatchMode, TorchDispatchMode

    class Before(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 2)
    with torch.utils.dispatch_trace(details="kernel", print=False) as records:
        with Before(torch._C.DispatchKey.PreDispatch), torch.autocast("cpu"), BaseTorchDispatchMode():
            torch.vmap(lambda v: torch.mm(v, v))(torch.ones(3, 2, 2))
        torch.func.functionalize(lambda v: v.add_(1))(x.clone())
        torch.real(x.to(torch.complex64).conj()).sum()
        torch.conj(x.to(torch.complex64)).add(1)
    keys = {record.key for record in records}
    assert {"PreDispatch", "AutocastCPU", "FuncTorchBatched", "Python", "Functionalize", "Conjugate", "CPU"} <= keys
