"""Classes of tensors with __torch_dispatch__, written as a program would write them."""

import copy
import io
import pickle

import pytest

import torch
from torch import nn
from torch.utils._mode_utils import all_same_mode, no_dispatch
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    is_traceable_wrapper_subclass,
    return_and_correct_aliasing,
    transform_subclass,
)
from torch.utils._pytree import tree_map, tree_map_only

aten = torch.ops.aten


class LoggingTensor(torch.Tensor):
    """Notes the name of every operator that it takes part in."""

    log: list = []

    @staticmethod
    def __new__(cls, elem):
        return torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(),
            dtype=elem.dtype, layout=elem.layout, device=elem.device, requires_grad=elem.requires_grad,
        )  # fmt: skip

    def __init__(self, elem):
        self.elem = elem.detach() if elem.requires_grad else elem

    def __repr__(self, *, tensor_contents=None):
        return f"LoggingTensor({self.elem})"

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.log.append(str(func).removeprefix("aten."))
        unwrapped = tree_map_only(LoggingTensor, lambda t: t.elem, (args, kwargs or {}))
        out = func(*unwrapped[0], **unwrapped[1])
        return tree_map_only(torch.Tensor, LoggingTensor, out)


@pytest.fixture
def log():
    LoggingTensor.log.clear()
    return LoggingTensor.log


class TwoTensor(torch.Tensor):
    """Two tensors of one shape, which every operator treats alike."""

    @staticmethod
    def __new__(cls, a, b):
        assert a.shape == b.shape and a.dtype == b.dtype
        return torch.Tensor._make_wrapper_subclass(
            cls, a.size(), strides=a.stride(), storage_offset=a.storage_offset(), dtype=a.dtype, device=a.device,
            requires_grad=a.requires_grad,
        )  # fmt: skip

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __repr__(self, *, tensor_contents=None):
        return f"TwoTensor({self.a!r}, {self.b!r})"

    def __tensor_flatten__(self):
        return ["a", "b"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, outer_size, outer_stride):
        return TwoTensor(inner["a"], inner["b"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        outs = [
            func(*part[0], **part[1])
            for part in (tree_map_only(TwoTensor, lambda t, side=side: getattr(t, side), (args, kwargs)) for side in "ab")
        ]
        out = tree_map(lambda x, y: TwoTensor(x, y) if isinstance(x, torch.Tensor) else x, *outs)
        return return_and_correct_aliasing(func, args, kwargs, out)


def two(*shape, requires_grad=False):
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randn(*shape, generator=generator, dtype=torch.float64) for _ in range(2))
    return TwoTensor(a, b).requires_grad_(requires_grad)


class QuantizedTensor(torch.Tensor):
    """A matrix of `bits` bits an element and one scale for each row; what computes with it dequantizes."""

    implemented = {}

    @staticmethod
    def __new__(cls, packed, scale, bits, shape):
        return torch.Tensor._make_wrapper_subclass(cls, shape, dtype=scale.dtype, device=scale.device)

    def __init__(self, packed, scale, bits, shape):
        self.packed, self.scale, self.bits = packed, scale, bits

    @classmethod
    def quantize(cls, x, bits):
        assert 8 % bits == 0
        top = 2 ** (bits - 1) - 1
        scale = x.abs().amax(1, keepdim=True).clamp(min=1e-9) / top
        levels = (torch.round(x / scale) + top + 1).to(torch.uint8)
        per_byte = 8 // bits
        parts = levels.reshape(x.shape[0], -1, per_byte)
        packed = sum(parts[..., k] << (k * bits) for k in range(per_byte)).to(torch.uint8)
        return cls(packed, scale, bits, x.shape)

    def dequantize(self):
        top, per_byte, mask = 2 ** (self.bits - 1) - 1, 8 // self.bits, 2**self.bits - 1
        parts = torch.stack([(self.packed >> (k * self.bits)) & mask for k in range(per_byte)], -1)
        return (parts.reshape(self.shape).to(self.scale.dtype) - top - 1) * self.scale

    def __repr__(self, *, tensor_contents=None):
        return f"QuantizedTensor(bits={self.bits}, shape={tuple(self.shape)})"

    def __tensor_flatten__(self):
        return ["packed", "scale"], self.bits

    @classmethod
    def __tensor_unflatten__(cls, inner, bits, outer_size, outer_stride):
        return cls(inner["packed"], inner["scale"], bits, outer_size)

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func in (aten.detach.default, aten.clone.default, aten.alias.default):
            (x,) = args[:1]
            return cls(func(x.packed), func(x.scale), x.bits, x.shape)
        plain = tree_map_only(cls, cls.dequantize, (args, kwargs or {}))
        return func(*plain[0], **plain[1])


# --- logging -----------------------------------------------------------------------------------------


def test_logging_tensor_sees_every_operator(log):
    x = LoggingTensor(torch.ones(2, 3))
    y = torch.relu(x @ torch.ones(3, 2)).sum(0)
    assert log == ["mm.default", "relu.default", "sum.dim_IntList"]
    assert type(y) is LoggingTensor and torch.equal(y.elem, torch.full((2,), 6.0)) and repr(y) == f"LoggingTensor({y.elem})"


def test_arguments_are_pytorchs(log):
    seen = []

    class Arguments(LoggingTensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            seen.append((func, types, args[1:], kwargs))
            return func(*[a.elem if isinstance(a, Arguments) else a for a in args], **kwargs)

    x = Arguments(torch.ones(3))
    x + 1, x > 0, x.sum(), x.add(2, alpha=3), 1 - x, x.to(torch.float64)  # noqa: B018
    assert seen == [
        (aten.add.Tensor, (Arguments,), (1,), {}),
        (aten.gt.Scalar, (Arguments,), (0,), {}),
        (aten.sum.default, (Arguments,), (), {}),
        (aten.add.Tensor, (Arguments,), (2,), {"alpha": 3}),
        (aten.rsub.Scalar, (Arguments,), (1,), {}),
        (aten._to_copy.default, (Arguments,), (), seen[-1][3]),
    ]
    assert seen[-1][3]["dtype"] is torch.float64


def test_classes_of_one_call():
    asked = []

    class Base(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            asked.append((cls.__name__, [t.__name__ for t in types]))
            return torch.zeros(1) if len(asked) == 2 else NotImplemented

    class Derived(Base):
        pass

    x, y = (torch.Tensor._make_wrapper_subclass(cls, (2,)) for cls in (Base, Derived))
    with torch._C.DisableTorchFunctionSubclass():
        torch.add(x, y)
    assert asked == [("Derived", ["Derived", "Base"]), ("Base", ["Derived", "Base"])]

    class Never(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    with pytest.raises(TypeError, match=r"'torch.ops.aten.add.Tensor'.*returned NotImplemented.*Never"):
        torch.Tensor._make_wrapper_subclass(Never, (2,)) + 1


def test_gradients_are_of_the_class(log):
    x = LoggingTensor(torch.tensor([2.0, 3.0], requires_grad=True))
    seen = []
    x.register_hook(lambda grad: seen.append(type(grad)))
    (x * x).sum().backward()
    assert type(x.grad) is LoggingTensor and x.grad.elem.tolist() == [4, 6] and seen == [LoggingTensor]
    (x * x).sum().backward()
    assert type(x.grad) is LoggingTensor and x.grad.elem.tolist() == [8, 12]
    (y,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (z,) = torch.autograd.grad(y.sum(), x)
    assert type(z) is LoggingTensor and z.elem.tolist() == [12, 18]
    assert (x * 2).grad_fn.name() == "MulBackward0" and not x.detach().requires_grad


def test_saved_results(log):
    x = LoggingTensor(torch.tensor([0.5, 1.0], requires_grad=True))
    y = torch.exp(x)
    y.sum().backward()
    assert torch.allclose(x.grad.elem, torch.exp(x.elem)) and type(y) is LoggingTensor


# --- two tensors -------------------------------------------------------------------------------------


def test_views_and_changes_in_place():
    x = two(3, 4)
    row = x[1]
    assert type(row) is TwoTensor and row._base is x and row.untyped_storage()._cdata == x.untyped_storage()._cdata
    before = x._version
    row.mul_(0)
    assert x._version > before and not x.a[1].any() and not x.b[1].any()
    assert x.add_(1) is x and x.t_() is x and x.shape == x.a.shape == (4, 3)
    x[0] = 5
    assert x.a[0].tolist() == x.b[0].tolist() == [5, 5, 5]
    parts = two(4, 2).split(3)
    assert [type(p) for p in parts] == [TwoTensor] * 2 and parts[1].shape == (1, 2)


def test_changes_in_place_are_recorded():
    x = two(2, 3, requires_grad=True)
    y = x * 1
    y[0].mul_(3)
    (y * y).sum().backward()
    for side in "ab":
        plain = getattr(x, side).clone().requires_grad_()
        z = plain * 1
        z[0].mul_(3)
        (z * z).sum().backward()
        assert torch.allclose(getattr(x.grad, side), plain.grad)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x.add_(1)


def test_saved_tensors_that_changed():
    x = two(2, requires_grad=True)
    y = x * 1
    z = y * y
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_flatten_and_transform():
    x = two(2, 3)
    assert is_traceable_wrapper_subclass(x) and not is_traceable_wrapper_subclass(x.a)
    y = transform_subclass(x, lambda name, t: t * (2 if name == "a" else 3))
    assert torch.equal(y.a, x.a * 2) and torch.equal(y.b, x.b * 3)
    with pytest.raises(AssertionError, match="expected the shape"):
        transform_subclass(x, lambda name, t: t[0])


def test_copies_and_pickles():
    x = two(2, 3, requires_grad=True)
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(y) is TwoTensor and torch.equal(y.a, x.a) and torch.equal(y.b, x.b) and y.requires_grad
        assert y.a.data_ptr() != x.a.data_ptr()
    data = io.BytesIO()
    torch.save({"x": x}, data)
    data.seek(0)
    y = torch.load(data, weights_only=False)["x"]
    assert type(y) is TwoTensor and torch.equal(y.b, x.b)


def test_parameters_and_modules():
    layer = nn.Linear(3, 2, dtype=torch.float64)
    layer.weight = nn.Parameter(TwoTensor(layer.weight.detach(), layer.weight.detach() * 2))
    assert isinstance(layer.weight, nn.Parameter) and isinstance(layer.weight, TwoTensor)
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    x = torch.ones(4, 3, dtype=torch.float64)
    y = layer(x)
    assert torch.allclose(y.b - layer.bias, 2 * (y.a - layer.bias))
    y.sum().backward()
    assert type(layer.weight.grad) is TwoTensor and torch.equal(layer.weight.grad.a, torch.full((2, 3), 4.0, dtype=torch.float64))
    before = layer.weight.a.clone()
    torch.optim.SGD(layer.parameters(), lr=0.1, foreach=False).step()
    assert torch.allclose(layer.weight.a, before - 0.4)
    state = layer.state_dict()
    assert type(state["weight"]) is TwoTensor
    other = copy.deepcopy(layer)
    other.load_state_dict(state)
    assert torch.equal(other.weight.b, layer.weight.b)


def test_memory_is_not_readable():
    class Bare(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError(func)

    x = torch.Tensor._make_wrapper_subclass(Bare, (2, 3), dtype=torch.int32)
    assert x.shape == (2, 3) and x.dtype is torch.int32 and x.device.type == "cpu" and x.stride() == (3, 1)
    with torch._C.DisableTorchFunctionSubclass(), torch._C._DisableTorchDispatch():
        with pytest.raises(RuntimeError, match="no memory of its own"):
            torch.add(x, 1)
        assert torch.Tensor.t(x).shape == (3, 2)
    with pytest.raises(RuntimeError, match="classes with __torch_dispatch__"), torch._C.DisableTorchFunctionSubclass():
        x.numpy()
    assert torch.Tensor.__repr__(x) == "Bare(..., size=(2, 3), dtype=torch.int32)"


def test_refusals():
    with pytest.raises(TypeError, match="must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(torch.Tensor, (2,))
    with pytest.raises(TypeError, match="cls must be a subclass of Tensor"):
        torch.Tensor._make_wrapper_subclass(int, (2,))
    with pytest.raises(TypeError, match="size must be a tuple"):
        torch.Tensor._make_wrapper_subclass(LoggingTensor, 2)
    with pytest.raises(RuntimeError, match="2 strides for 1 dim"):
        torch.Tensor._make_wrapper_subclass(LoggingTensor, (2,), (1, 1))
    with pytest.raises(RuntimeError, match="negative dimension"):
        torch.Tensor._make_wrapper_subclass(LoggingTensor, (-2,))
    with pytest.raises(RuntimeError, match="floating point and complex"):
        torch.Tensor._make_wrapper_subclass(LoggingTensor, (2,), dtype=torch.int64, requires_grad=True)


def test_geometry_of_wrappers():
    x = torch.Tensor._make_wrapper_subclass(
        LoggingTensor, (2, 3, 4, 5), memory_format=torch.channels_last, dtype=torch.float16, device="meta"
    )
    assert x.is_contiguous(memory_format=torch.channels_last) and x.is_meta and x.itemsize == 2
    x = torch.Tensor._make_wrapper_subclass(LoggingTensor, (2, 3), (1, 2), 4, requires_grad=True)
    assert x.stride() == (1, 2) and x.storage_offset() == 4 and x.requires_grad and x.is_leaf


# --- memory shared with another tensor ---------------------------------------------------------------


def test_make_subclass(log):
    class Scaled(torch.Tensor):
        calls = []
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            cls.calls.append(func)
            with torch._C._DisableTorchDispatch():
                return func(*args, **kwargs)

    base = torch.ones(3)
    x = torch.Tensor._make_subclass(Scaled, base, True)
    assert x.data_ptr() == base.data_ptr() and x.requires_grad
    y = x * 2
    assert Scaled.calls == [aten.mul.Tensor] and type(y) is torch.Tensor and y.tolist() == [2, 2, 2]
    assert torch.ones(3).as_subclass(Scaled).add(1).tolist() == [2, 2, 2] and Scaled.calls[-1] is aten.add.Tensor


def test_quantized_weights():
    torch.manual_seed(0)
    weight = torch.randn(8, 16)
    errors = []
    for bits in (8, 4, 2):
        q = QuantizedTensor.quantize(weight, bits)
        assert q.packed.nbytes * 8 == weight.numel() * bits
        errors.append((q.dequantize() - weight).abs().max().item())
        x = torch.randn(3, 16)
        assert torch.allclose(nn.functional.linear(x, q), x @ q.dequantize().t(), atol=1e-5)
        layer = nn.Linear(16, 8, bias=False)
        layer.weight = nn.Parameter(q, requires_grad=False)
        assert torch.allclose(layer(x), x @ q.dequantize().t(), atol=1e-5) and layer.weight.bits == bits
        x.requires_grad_()
        layer(x).sum().backward()
        assert torch.allclose(x.grad, q.dequantize().sum(0).expand(3, 16), atol=1e-5)
        assert copy.deepcopy(layer).weight.bits == bits
    assert errors[0] < errors[1] < errors[2]


# --- modes over classes ------------------------------------------------------------------------------


def test_modes_come_before_classes(log):
    class Names(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append((str(func), [t.__name__ for t in types]))
            return func(*args, **(kwargs or {}))

    x = LoggingTensor(torch.ones(2))
    with Names() as names:
        y = x + 1
    assert names.seen == [("aten.add.Tensor", ["LoggingTensor"])] and log == ["add.Tensor"] and type(y) is LoggingTensor

    class Declines(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented if types or func is aten.ones.default else func(*args, **(kwargs or {}))

    with Declines():
        assert type(x * 2) is LoggingTensor
        with pytest.raises(TypeError, match="aten.ones'.*the mode"):
            torch.ones(2)


def test_memory_tracker():
    class MemoryTracker(TorchDispatchMode):
        """The most bytes of results that were alive at once."""

        def __init__(self):
            super().__init__()
            self.alive, self.peak = {}, 0

        def note(self, t):
            import weakref

            storage = t.untyped_storage()
            if storage._cdata not in self.alive:
                self.alive[storage._cdata] = storage.nbytes()
                weakref.finalize(t, self.alive.pop, storage._cdata, None)
                self.peak = max(self.peak, sum(self.alive.values()))

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            tree_map_only(torch.Tensor, self.note, out)
            return out

    with MemoryTracker() as one:
        x = torch.zeros(1000)
        for _ in range(5):
            x = x + 1
    with MemoryTracker() as all_kept:
        xs = [torch.zeros(1000) for _ in range(5)]
    assert one.peak == 8000 and all_kept.peak == 20000 and len(xs) == 5


def test_a_counter_of_operations():
    class Flops(TorchDispatchMode):
        """Multiplications and additions of products."""

        def __init__(self):
            super().__init__()
            self.count = {}

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            packet = func.overloadpacket
            if packet in (aten.mm, aten.addmm):
                a, b = args[-2:]
                self.count[packet] = self.count.get(packet, 0) + 2 * a.shape[0] * a.shape[1] * b.shape[1]
            elif packet is aten.convolution:
                x, w = args[:2]
                self.count[packet] = self.count.get(packet, 0) + 2 * w.numel() * out.shape[0] * out.shape[2:].numel()
            return out

    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 5))
    with Flops() as flops:
        model(torch.ones(3, 1, 4, 4)).sum().backward()
    assert flops.count[aten.convolution] == 2 * 18 * 3 * 4 and flops.count[aten.addmm] == 2 * 3 * 8 * 5
    assert flops.count[aten.mm] == 2 * flops.count[aten.addmm]  # the gradients of the weight and of the input


def test_overloads():
    x = torch.ones(2, 2)
    add, matmul = aten.add.Tensor, aten.matmul.default
    assert torch.equal(add.redispatch(torch._C.DispatchKeySet("CPU"), x, x, alpha=2), x * 3)
    assert torch.equal(matmul.decompose(x, x), x @ x) and add.decompose(x, x) is NotImplemented
    assert matmul._can_decompose() and not add._can_decompose()
    assert aten.view.default.is_view and aten.split.Tensor.is_view and not add.is_view and not aten.add_.Tensor.is_view
    with pytest.raises(TypeError, match="expected a DispatchKeySet"):
        add.redispatch("CPU", x, x)
    with LogCalls() as calls:
        matmul.decompose(x, x)
    assert calls.seen == [aten.mm.default]


class LogCalls(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


def test_operators_defined_in_python(log):
    lib = torch.library.Library("test_subclasses", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
    assert type(torch.ops.test_subclasses.twice(LoggingTensor(torch.ones(2)))) is LoggingTensor
    assert log == ["test_subclasses.twice.default"]
    lib.define("thrice(Tensor x) -> Tensor")
    lib.impl("thrice", lambda x: x * 3, "CompositeImplicitAutograd")
    log.clear()
    torch.ops.test_subclasses.thrice(LoggingTensor(torch.ones(2)))
    assert log == ["mul.Tensor"]
    lib._destroy()


def test_guards():
    assert all_same_mode([1, 1]) and not all_same_mode([1, 2])
    key_set = torch._C._dispatch_keys(LoggingTensor(torch.ones(1)))
    assert key_set.has("Python") and key_set.has("CPU") and not torch._C._dispatch_keys(torch.ones(1)).has("Python")
    with torch._C._DisableTorchDispatch():
        assert torch._C._dispatch_tls_is_dispatch_key_excluded("Python")
    assert not torch._C._dispatch_tls_is_dispatch_key_excluded("Python")
    python, nothing = torch._C.DispatchKeySet("Python"), torch._C.DispatchKeySet()
    with torch._C._ExcludeDispatchKeyGuard(python):
        assert torch._C._dispatch_tls_is_dispatch_key_excluded("Python")
        with torch._C._ForceDispatchKeyGuard(nothing, nothing):
            assert not torch._C._dispatch_tls_is_dispatch_key_excluded("Python")
    with torch._C._PreserveDispatchKeyGuard(), torch._C._IncludeDispatchKeyGuard(python):
        assert torch._C._dispatch_tls_is_dispatch_key_included("Python")
    assert not torch._C._dispatch_tls_is_dispatch_key_included("Python")
    x = LoggingTensor(torch.ones(1))
    with no_dispatch(), pytest.raises(RuntimeError, match="no memory"):
        x + 1


class Slotted(torch.Tensor):
    """Keeps what it wraps in __slots__, and says nothing about __torch_function__."""

    elem: torch.Tensor
    __slots__ = ["elem"]

    @staticmethod
    def __new__(cls, elem, requires_grad=False):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.size(), dtype=elem.dtype, requires_grad=requires_grad)
        made.elem = elem
        return made

    def __repr__(self):
        return super().__repr__(tensor_contents=f"{self.elem}")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        unwrapped = tree_map_only(cls, lambda t: t.elem, (args, kwargs or {}))
        return tree_map_only(torch.Tensor, cls, func(*unwrapped[0], **unwrapped[1]))


def test_slots_are_kept_and_freed_with_the_tensor():
    import gc
    import weakref

    x = Slotted(torch.tensor([3.0, -1.0]), requires_grad=True)
    y = (x * x).relu().sum()  # autograd alone holds the tensors between
    y.backward()
    assert x.grad.elem.tolist() == [6, -2] and repr(x) == "Slotted(tensor([ 3., -1.]), requires_grad=True)"

    class Held:
        pass

    class Deeper(Slotted):
        __slots__ = ["other"]

    for cls in (Slotted, Deeper):
        held = Held()
        x = cls(torch.ones(1))
        x.elem = held
        if cls is Deeper:
            x.other = held
        end = weakref.ref(held)
        del held, x
        gc.collect()
        assert end() is None


def test_a_class_that_dispatches_does_not_convert_results():
    class Plain(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return torch.ones(1)

    class Function(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})

    class Both(Function):
        __torch_dispatch__ = Plain.__torch_dispatch__

    disabled = torch._C._disabled_torch_function_impl
    assert Plain.__torch_function__ is disabled and type("Derived", (Plain,), {}).__torch_function__ is disabled
    assert Both.__torch_function__ is not disabled and type("None", (torch.Tensor,), {}).__torch_function__ is not disabled
    assert type(torch.ones(2).as_subclass(Plain) + 1) is torch.Tensor


def test_text_of_wrappers():
    class Named(Slotted):
        __repr__ = torch.Tensor.__repr__

    assert repr(Slotted(torch.ones(2, dtype=torch.int64))) == "Slotted(tensor([1, 1]))"
    assert repr(Slotted(torch.ones(0, 2))) == "Slotted(tensor([], size=(0, 2)), size=(0, 2))"
    assert repr(Named(torch.ones(2))) == "Named(..., size=(2,))"
