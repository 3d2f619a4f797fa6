"""torch.jit as PyTorch's is with PYTORCH_JIT=0: functions and modules come back as they are; what needs a compiler is refused."""

import logging
import subprocess
import sys
from typing import Optional

import pytest

import torch
from torch import nn


def double(x):
    return 2 * x


def test_script_and_trace_return_what_they_get():
    module = nn.Linear(2, 2)
    assert torch.jit.script(double) is double and torch.jit.script(module) is module and torch.jit.script(nn.Linear) is nn.Linear
    assert torch.jit.script(double, example_inputs=[(torch.ones(1),)]) is double
    assert torch.jit.trace(double, torch.ones(1)) is double
    assert torch.jit.trace(module, torch.ones(1, 2), check_trace=False, strict=False) is module
    assert torch.jit.trace_module(module, {"forward": torch.ones(1, 2)}) is module
    for decorator in (torch.jit.script_method, torch.jit.script_if_tracing, torch.jit._overload_method, torch.jit._drop):
        assert decorator(double) is double
    assert not isinstance(torch.jit.script(module), torch.jit.ScriptModule)


def test_script_modules_are_modules():
    class Net(torch.jit.ScriptModule):
        __constants__ = ["n"]

        def __init__(self):
            super().__init__()
            self.n, self.linear = 3, nn.Linear(2, 2)

        @torch.jit.script_method
        def forward(self, x):
            return self.linear(x) * self.n

    net = Net()
    x = torch.ones(1, 2)
    assert torch.equal(net(x), net.linear(x) * 3) and set(net.state_dict()) == {"linear.weight", "linear.bias"}
    assert torch._C.ScriptModule is torch.ScriptModule is torch.jit.ScriptModule


def test_log_mentions_it_once():
    program = (
        "import logging, torch\nlogging.basicConfig(level=logging.INFO, format='%(name)s %(message)s')\n"
        "torch.jit.script(print); torch.jit.script(print); torch.jit.trace(print)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("nothing is compiled") == 1 and done.stderr.startswith("torch.jit ")


@pytest.mark.parametrize("call, error, match", [
    (lambda: torch.jit.save(nn.Linear(1, 1), "x.pt"), NotImplementedError, "torch.save"),
    (lambda: torch.jit.load("/no/such/file"), ValueError, "no file /no/such/file"),
    (lambda: torch.jit.load("/"), ValueError, "directory"),
    (lambda: torch.jit.load(__file__), NotImplementedError, "torch.load"),
    (lambda: torch.jit.freeze(nn.Linear(1, 1)), RuntimeError, "got Linear"),
    (lambda: torch.jit.optimize_for_inference(nn.Linear(1, 1)), RuntimeError, "got Linear"),
    (lambda: torch.jit.export_opnames(nn.Linear(1, 1)), NotImplementedError, "profiler"),
    (lambda: torch.jit.CompilationUnit("def f(x): return x"), NotImplementedError, "no compiler"),
    (lambda: torch.jit.ScriptFunction(), NotImplementedError, "no compiler"),
    (lambda: torch._C.Graph(), NotImplementedError, "torch.jit.Graph"),
    (lambda: torch.jit.interface(3), RuntimeError, "expected a class, got int"),
    (lambda: torch.jit._unwrap_optional(None), AssertionError, "None"),
    (lambda: torch.jit.set_fusion_strategy([("OTHER", 1)]), RuntimeError, "got 'OTHER'"),
    (lambda: torch.jit._get_trace_graph(double), NotImplementedError, "no graphs"),
    (lambda: torch.jit._state.enable(), NotImplementedError, "no compiler"),
])  # fmt: skip
def test_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_settings_are_kept():
    assert torch.jit.set_fusion_strategy([("STATIC", 1)]) == [("STATIC", 2), ("DYNAMIC", 10)]
    assert torch.jit.set_fusion_strategy([("STATIC", 2), ("DYNAMIC", 10)]) == [("STATIC", 1)]
    torch.jit.enable_onednn_fusion(True)
    assert torch.jit.onednn_fusion_enabled()
    torch.jit.enable_onednn_fusion(False)
    before = torch._C._jit_set_profiling_mode(False)
    assert torch._C._jit_set_profiling_mode(before) is False
    with torch.jit.strict_fusion(), torch.jit.fuser("fuser1"), torch.jit.optimized_execution(False):
        assert double(1) == 2


def test_fork_and_wait():
    future = torch.jit.fork(double, torch.ones(1))
    assert isinstance(future, torch.jit.Future) and torch.jit.wait(future).item() == 2 and torch.wait(future).item() == 2


def test_boolean_dispatch():
    from torch._jit_internal import boolean_dispatch

    chosen = boolean_dispatch("flag", 1, False, lambda x, flag=True: "yes", lambda x, flag=False: "no", "here", "chosen")
    assert (chosen(1), chosen(1, True), chosen(1, flag=True), chosen(1, False)) == ("no", "yes", "yes", "no")
    assert chosen.__name__ == "chosen" and chosen.__module__ == "here"


def test_questions_about_annotations():
    from torch import _jit_internal as internal

    assert internal.is_tuple(tuple[int, int]) and internal.is_list(list[int]) and internal.is_dict(dict[str, int])
    assert internal.is_optional(Optional[int]) and internal.is_optional(int | None) and not internal.is_optional(int)  # noqa: UP045
    assert internal._qualified_name(nn.Linear) == "__torch__.torch.nn.modules.linear.Linear"
    assert internal.get_callable_argument_names(double) == ["x"]
    assert internal.BroadcastingList2[int] is None


def test_names_of_the_extension():
    assert torch._C._get_tracing_state() is None and torch._C._log_api_usage_once("x") is None
    assert not torch._C._jit_can_fuse_on_cpu() and not torch._C._functorch.is_batchedtensor(torch.ones(1))
    with pytest.raises(AttributeError, match="no attribute '_nosuch'"):
        torch._C._nosuch  # noqa: B018
    with pytest.raises(ImportError):
        from torch._C import _nosuch  # noqa: F401
    assert logging.getLogger("torch.jit") is not None
