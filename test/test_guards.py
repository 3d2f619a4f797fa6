"""Queries that programs make before they use a GPU, autocast, a compiler or several machines get correct answers."""

import pickle
import subprocess
import sys
import threading
import typing
import warnings

import pytest

import torch

# --- torch.accelerator ------------------------------------------------------------------------------------------


def test_accelerator():
    assert torch.accelerator.is_available() is False and torch.accelerator.device_count() == 0
    assert torch.accelerator.current_accelerator() is None and torch.accelerator.current_accelerator(check_available=True) is None
    for call in (
        torch.accelerator.synchronize,
        torch.accelerator.current_device_index,
        torch.accelerator.empty_cache,
        torch.accelerator.memory_stats,
        torch.accelerator.current_stream,
    ):
        with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
            call()
    with pytest.raises(RuntimeError, match="Accelerator expected, got the device 'cpu'"):
        torch.accelerator.set_device_index("cpu")
    with torch.accelerator.device_index(None):
        pass
    with pytest.raises(RuntimeError), torch.accelerator.device_index(0):
        pass
    with pytest.warns(FutureWarning, match="Use `current_device_index`"), pytest.raises(RuntimeError):
        torch.accelerator.current_device_idx()
    # The line that scripts begin with.
    device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
    assert device == "cpu" and torch.get_device_module(device) is torch.cpu is torch.get_device_module()
    with pytest.raises(RuntimeError, match="'meta' does not have a corresponding module"):
        torch.get_device_module("meta")


# --- autocast and GradScaler ------------------------------------------------------------------------------------


def test_autocast_disabled():
    with torch.autocast("cuda", enabled=False), torch.amp.autocast("cpu", dtype=torch.bfloat16, enabled=False):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32 and not torch.is_autocast_enabled()

    @torch.autocast(device_type="cpu", enabled=False)
    def f(x):
        """Doc."""
        return x + 1

    assert f(1) == 2 and f.__doc__ == "Doc."
    with pytest.raises(ValueError, match="inside"), torch.autocast("cpu", enabled=False):
        raise ValueError("inside")


def test_autocast_refuses_and_warns():
    with pytest.warns(UserWarning, match="'cuda' is enabled, but that device is not available: it disables itself"):
        with torch.autocast("cuda"):
            pass
    with pytest.warns(UserWarning, match="not torch.float32: it disables itself"):
        torch.autocast("cpu", dtype=torch.float32)
    with pytest.raises(ValueError, match="type `str`"):
        torch.autocast(torch.device("cpu"), enabled=False)
    with pytest.raises(RuntimeError, match="'meta' has no autocast"):
        torch.autocast("meta")
    with pytest.raises(RuntimeError, match="nosuch"):
        torch.autocast("nosuch")


def test_autocast_settings():
    assert torch.is_autocast_enabled() is False and torch.is_autocast_enabled("cpu") is False
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16 and torch.get_autocast_dtype("cuda") == torch.float16
    assert torch.is_autocast_cache_enabled() and torch.amp.is_autocast_available("cpu")
    assert not torch.amp.is_autocast_available("meta")
    assert torch.autocast_increment_nesting() == 1 and torch.autocast_decrement_nesting() == 0
    torch.set_autocast_enabled("cpu", False)
    torch.set_autocast_dtype("cpu", torch.float16)
    assert torch.get_autocast_dtype("cpu") == torch.float16
    torch.set_autocast_dtype("cpu", torch.bfloat16)
    torch.clear_autocast_cache()
    with pytest.warns(DeprecationWarning, match=r"get_autocast_dtype\('cuda'\)"):
        assert torch.get_autocast_gpu_dtype() == torch.float16


def test_custom_fwd_and_bwd_change_nothing():
    class Double(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda")
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]


def one_step(scaler, factor):
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([p], 0.1)
    scaler.scale((p * factor).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return p.tolist()


def test_disabled_grad_scaler():
    scaler = torch.amp.GradScaler(enabled=False)
    assert one_step(scaler, 1.0) == pytest.approx([0.9, 0.9])
    assert scaler.state_dict() == {} and scaler.get_scale() == 1.0 and not scaler.is_enabled() and scaler.scale("x") == "x"
    with pytest.warns(UserWarning, match="CUDA is not available: it disables itself"):
        assert not torch.amp.GradScaler().is_enabled()
    from torch.cuda.amp import GradScaler, autocast

    with pytest.warns(FutureWarning, match=r"torch.amp.GradScaler\('cuda'"):
        assert not GradScaler(enabled=False).is_enabled()
    with pytest.warns(FutureWarning, match=r"torch.amp.autocast\('cuda'"), autocast(enabled=False):
        pass


def test_grad_scaler_on_the_cpu():
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    assert one_step(scaler, 1.0) == pytest.approx([0.9, 0.9]) and scaler.get_scale() == 4.0
    assert one_step(scaler, float("inf")) == [1, 1] and scaler.get_scale() == 2.0
    one_step(scaler, 1.0)
    one_step(scaler, 1.0)
    assert scaler.state_dict() == {
        "scale": 4.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 2,
        "_growth_tracker": 0,
    }
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 4.0 and pickle.loads(pickle.dumps(other)).state_dict() == scaler.state_dict()
    scaled = scaler.scale([torch.ones(1), (torch.ones(1),)])
    assert scaled[0].item() == 4 and scaled[1][0].item() == 4


def test_grad_scaler_refuses_calls_out_of_order():
    scaler, p = torch.amp.GradScaler("cpu"), torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([p], 0.1)
    with pytest.raises(AssertionError, match="_scale is None"):
        scaler.step(optimizer)
    scaler.scale(p.sum()).backward()
    scaler.unscale_(optimizer)
    assert p.grad.item() == 1
    with pytest.raises(RuntimeError, match="unscaled already"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="closures are not supported"):
        scaler.step(optimizer, closure=lambda: 0)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="has made its step already"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="state dict is empty"):
        scaler.load_state_dict({})
    with pytest.raises(AssertionError, match="growth factor must be > 1.0"):
        torch.amp.GradScaler("cpu", growth_factor=0.5)


# --- torch.distributed, torch.jit, torch.compiler ---------------------------------------------------------------


def test_distributed():
    assert isinstance(torch.distributed.is_available(), bool)
    # As scripts ask.
    assert not (torch.distributed.is_available() and torch.distributed.is_initialized())
    assert torch.distributed.is_initialized() is False


def test_jit():
    assert torch.jit.is_scripting() is False and torch.jit.is_tracing() is False

    def f(x):
        return x

    assert torch.jit.ignore(f) is f and torch.jit.ignore(drop=True)(f) is f and torch.jit.unused(f) is f
    assert torch.jit.export(f) is f and torch.jit.script_if_tracing(f) is f and torch.jit.annotate(int, f) is f
    assert torch.jit.Final is typing.Final and torch.jit.Attribute(3, int) == 3
    with pytest.raises(RuntimeError, match="must be a bool or a function"):
        torch.jit.ignore(3)


@pytest.mark.parametrize("value, kind, expected", [
    (1, int, True), ([1], list[int], True), ([1, "a"], list[int], False), ({"a": 1}, dict[str, int], True),
    ({"a": "b"}, dict[str, int], False), ((1, "a"), tuple[int, str], True), ((1,), tuple[int, str], False),
    ((1, 2), tuple[int, ...], True), (None, int | None, True), (1, int | str, True), (1.0, int | str, False),
    (1, (str, int), True), ([], list[int], True), ([[1]], typing.List[typing.List[int]], True), (1, list[int], False),  # noqa: UP006
])  # fmt: skip
def test_jit_isinstance(value, kind, expected):
    assert torch.jit.isinstance(value, kind) is expected


def test_jit_isinstance_wants_contents():
    for kind in (list, typing.Dict):  # noqa: UP006
        with pytest.raises(RuntimeError, match="without a contained type"):
            torch.jit.isinstance([1], kind)


def test_compiler():
    def f(x):
        return x

    assert torch.compiler.is_compiling() is False and torch.compiler.is_dynamo_compiling() is False
    assert torch.compiler.disable(f) is f and torch.compiler.disable()(f) is f and torch.compiler.disable(recursive=False)(f) is f
    assert torch.compiler.allow_in_graph(f) is f and torch.compiler.assume_constant_result(f) is f
    assert torch.compiler.list_backends() == [] and torch.compiler.reset() is None
    with torch.compiler.set_stance("force_eager"):
        pass
    with pytest.raises(RuntimeError, match="invalid stance 'nosuch', expected one of default"):
        torch.compiler.set_stance("nosuch")
    with pytest.raises(AssertionError, match="fn must be callable"):
        torch.compiler.disable(3)


# --- torch.compile ----------------------------------------------------------------------------------------------


def test_compile_says_once_that_it_runs_eagerly():
    program = "import torch, warnings\nfor _ in range(2): torch.compile(lambda x: x)\ntorch.compile(torch.nn.Linear(1, 1))\n"
    output = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True).stderr
    assert output.count("runs eagerly") == 1 and "<string>:2: UserWarning" in output


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_compile_of_functions(quiet):
    def f(x):
        return x + 1

    assert torch.compile(f)(1) == 2 and torch.compile(backend="eager", dynamic=True)(f)(1) == 2

    @torch.compile
    def g(x):
        return x + 2

    assert g(1) == 3 and torch.compile(f, disable=True) is f and torch.compile(f, mode="max-autotune")(1) == 2
    torch.compiler.set_default_backend("eager")
    assert torch.compiler.get_default_backend() == "eager" and torch.compile(f)(1) == 2
    torch.compiler.set_default_backend(None)
    assert torch.compiler.get_default_backend() == "inductor"


def test_compile_refuses():
    def f(x):
        return x

    for options, error, match in (
        ({"backend": "nosuch"}, RuntimeError, "invalid backend 'nosuch', expected one of aot_eager"),
        ({"mode": "nosuch"}, RuntimeError, "Unrecognized mode=nosuch, should be one of: default"),
        ({"mode": "default", "options": {}}, RuntimeError, "Either mode or options"),
        ({"fullgraph": True}, NotImplementedError, "fullgraph=True promises one graph"),
        ({"backend": lambda graph, inputs: graph}, NotImplementedError, "a function as backend is given graphs"),
        ({"backend": 3}, TypeError, "backend must be a name or a function"),
        ({"dynamic": "yes"}, TypeError, "dynamic must be True, False or None"),
        ({"nosuch": 1}, TypeError, "unexpected keyword argument 'nosuch'"),
    ):
        with pytest.raises(error, match=match):
            torch.compile(f, **options)
        with pytest.raises(error, match=match):
            torch.compile(**options)(f)
        with pytest.raises(error, match=match):
            torch.nn.Linear(1, 1).compile(**options)
    with pytest.raises(AssertionError, match="callable function is expected"):
        torch.compile(3)
    with pytest.raises(RuntimeError, match="invalid backend"):
        torch.compiler.set_default_backend("nosuch")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.rate = torch.nn.Linear(2, 2), 5

    def forward(self, x):
        return self.layer(x)

    def twice(self):
        return 2 * self.rate


def test_compile_of_modules(quiet):
    net = Net()
    compiled = torch.compile(net)
    assert compiled._orig_mod is net and type(compiled).__name__ == "OptimizedModule"
    assert list(compiled.state_dict()) == ["_orig_mod.layer.weight", "_orig_mod.layer.bias"]
    assert [name for name, _ in compiled.named_modules()] == ["", "_orig_mod", "_orig_mod.layer"]
    x = torch.ones(1, 2)
    assert torch.equal(compiled(x), net(x)) and compiled.rate == 5 and compiled.twice() == 10
    compiled.rate = 6
    assert net.rate == 6 and compiled.eval().training is False and net.training is False
    compiled.load_state_dict(torch.compile(Net()).state_dict())
    seen = []
    with net.register_forward_hook(lambda *_: seen.append(1)):
        compiled(x).sum().backward()
    assert seen == [1] and net.layer.weight.grad is not None
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nosuch'"):
        compiled.nosuch  # noqa: B018
    again = pickle.loads(pickle.dumps(compiled))
    assert torch.equal(again(x), compiled(x)) and again.rate == 6
    assert net.compile() is None and torch.equal(net(x), compiled(x))


# --- the default device -----------------------------------------------------------------------------------------

FACTORIES = {
    "empty": lambda: torch.empty(2), "ones": lambda: torch.ones(2), "zeros": lambda: torch.zeros(2),
    "full": lambda: torch.full((2,), 3),
    "arange": lambda: torch.arange(3), "linspace": lambda: torch.linspace(0, 1, 3), "logspace": lambda: torch.logspace(0, 1, 3),
    "rand": lambda: torch.rand(2), "randn": lambda: torch.randn(2), "randint": lambda: torch.randint(0, 3, (2,)),
    "randperm": lambda: torch.randperm(3), "eye": lambda: torch.eye(2), "tensor": lambda: torch.tensor([1.0]),
    "as_tensor": lambda: torch.as_tensor([1.0]), "scalar_tensor": lambda: torch.scalar_tensor(1.0),
    "empty_strided": lambda: torch.empty_strided((2,), (1,)), "empty_permuted": lambda: torch.empty_permuted((2, 3), (1, 0)),
    "tril_indices": lambda: torch.tril_indices(2, 2), "triu_indices": lambda: torch.triu_indices(2, 2),
    "Linear": lambda: torch.nn.Linear(2, 2).weight, "Embedding": lambda: torch.nn.Embedding(3, 2).weight,
    "BatchNorm": lambda: torch.nn.BatchNorm1d(2).running_mean, "LSTM": lambda: torch.nn.LSTM(2, 2).weight_ih_l0,
    "MultiheadAttention": lambda: torch.nn.MultiheadAttention(4, 2).in_proj_weight, "requires_grad": lambda: torch.ones(
        2, requires_grad=True),
}  # fmt: skip


@pytest.mark.parametrize("name", FACTORIES)
def test_with_device(name):
    with torch.device("meta") as device:
        assert device == torch.device("meta") and FACTORIES[name]().device.type == "meta"
        with torch.device("cpu"):
            assert FACTORIES[name]().device.type == "cpu"
    assert FACTORIES[name]().device.type == "cpu"


def test_with_device_leaves_alone_what_has_a_device():
    x = torch.ones(2)
    with torch.device("meta"):
        found = [torch.ones(2, device="cpu"), torch.ones_like(x), x.new_ones(2), x + 1, torch.Tensor(2), torch.FloatTensor(2)]
        assert {t.device.type for t in found} == {"cpu"} and torch.as_tensor(x).device.type == "meta"


def test_with_device_nested_and_left_by_an_exception():
    here = torch.get_default_device
    device = torch.device("meta")
    with device, device:
        with pytest.raises(ValueError), torch.device("cpu"):
            raise ValueError
        assert here().type == "meta" == torch.ones(1).device.type
        with torch.overrides.BaseTorchFunctionMode(), torch.device("cpu"):
            assert torch.ones(1).device.type == "cpu"
        assert torch.ones(1).device.type == "meta"
    assert here().type == "cpu" == torch.ones(1).device.type and torch._C._len_torch_function_stack() == 0
    with pytest.raises(RuntimeError, match="was not entered"):
        device.__exit__(None, None, None)


def test_default_device_belongs_to_a_thread():
    seen = []
    with torch.device("meta"):
        thread = threading.Thread(target=lambda: seen.append(torch.ones(1).device.type))
        thread.start()
        thread.join()
    assert seen == ["cpu"]


def test_set_default_device():
    try:
        torch.set_default_device("meta")
        assert torch.get_default_device() == torch.device("meta") == torch.tensor([1.0]).device
        with torch.device("cpu"):
            assert torch.nn.Linear(2, 2).weight.device.type == "cpu"
        assert torch.ones(1).device.type == "meta"
        with torch.device("meta"):
            torch.set_default_device("cpu")
            assert torch.ones(1).device.type == "cpu"
        assert torch.ones(1).device.type == "cpu"
    finally:
        torch.set_default_device(None)
    assert torch.get_default_device().type == "cpu" and torch._C._len_torch_function_stack() == 0
    with pytest.raises(RuntimeError, match="nosuch"):
        torch.set_default_device("nosuch")
