"""What Python reads of a tensor can come from Python: geometry from __torch_dispatch__, properties through __torch_function__."""

import pytest

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Answers(torch.Tensor):
    """Made as (7, 7) on the CPU; answers with the geometry of another tensor."""

    asked: list[str] = []

    @staticmethod
    def __new__(cls, inner, **policy):
        made = torch.Tensor._make_wrapper_subclass(cls, (7, 7), dtype=inner.dtype, device="cpu", **policy)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.asked.append(str(func).removesuffix(".default"))
        inner = args[0].inner
        name = func.overloadpacket.__name__
        if name in ("sym_size", "sym_stride"):
            return tuple(inner.shape) if name == "sym_size" else inner.stride()
        if name in ("device", "layout"):
            return getattr(inner, name)
        if name == "is_contiguous":
            return inner.is_contiguous(memory_format=args[1]) if args[1:] else inner.is_contiguous()
        return getattr(inner, name.removeprefix("sym_"))()


INNER = torch.ones(3, 2, device="meta").t()
QUESTIONS = {
    "x.shape": ("sizes", ["aten.sym_size"]), "x.size()": ("sizes", ["aten.sym_size"]), "x.size(-1)": ("sizes", ["aten.sym_size"]),
    "x.dim()": ("sizes", ["aten.dim"]), "x.ndim": ("sizes", ["aten.dim"]), "x.numel()": ("sizes", ["aten.sym_numel"]),
    "torch.numel(x)": ("sizes", ["aten.sym_numel"]), "x.nbytes": ("sizes", ["aten.sym_numel"]),
    "len(x)": ("sizes", ["aten.sym_size"]),
    "x.storage_offset()": ("sizes", ["aten.sym_storage_offset"]), "x.stride()": ("strides", ["aten.sym_stride"]),
    "x.stride(0)": ("strides", ["aten.sym_stride"]), "x.is_contiguous()": ("strides", ["aten.is_contiguous"]),
    "x.is_contiguous(memory_format=torch.contiguous_format)": ("strides", ["aten.is_contiguous.memory_format"]),
    "x.device": ("device", ["prim.device"]), "x.is_meta": ("device", ["prim.device"]), "x.is_cpu": ("device", ["prim.device"]),
    "x.get_device()": ("device", ["prim.device"]), "x.layout": ("layout", ["prim.layout"]),
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_geometry_from_python(question):
    kind, operators = QUESTIONS[question]
    policies = {
        "sizes": {"dispatch_sizes_strides_policy": "sizes"}, "strides": {"dispatch_sizes_strides_policy": "strides"},
        "device": {"dispatch_device": True}, "layout": {"dispatch_layout": True},
    }  # fmt: skip
    for policy, options in policies.items():
        x = Answers(INNER, **options)
        Answers.asked.clear()
        answer = eval(question, {"x": x, "torch": torch})
        if policy == kind or (kind, policy) == ("strides", "sizes"):
            assert Answers.asked == operators and answer == eval(question, {"x": INNER, "torch": torch})
        else:
            plain = torch.ones(7, 7)
            assert Answers.asked == [] and answer == eval(question, {"x": plain, "torch": torch})


def test_geometry_that_python_refuses():
    class Silent(Answers):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    class Wrong(Answers):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return "none"

    everything = {"dispatch_sizes_strides_policy": "sizes", "dispatch_device": True, "dispatch_layout": True}
    for question in ("x.shape", "x.size(0)", "x.stride()", "x.numel()", "x.device", "x.layout", "x.is_contiguous()", "len(x)"):
        with pytest.raises(TypeError, match="returned NotImplemented: Silent"):
            eval(question, {"x": Silent(INNER, **everything)})
    for question in ("x.shape", "x.stride()", "x.numel()", "x.layout"):
        with pytest.raises(TypeError, match="got str"):
            eval(question, {"x": Wrong(INNER, **everything)})
    with pytest.raises(ValueError, match="'sizes' or 'strides', got 'other'"):
        Answers(INNER, dispatch_sizes_strides_policy="other")
    with pytest.raises(TypeError, match="must be str, not int"):
        Answers(INNER, dispatch_sizes_strides_policy=3)
    with pytest.raises(IndexError, match="range"):
        Answers(INNER, **everything).size(5)


def test_make_subclass_with_a_policy():
    made = torch.Tensor._make_subclass(Answers, torch.ones(4), dispatch_sizes_strides=True, dispatch_device=True)
    made.inner = INNER
    assert made.stride() == INNER.stride() and made.is_meta and made.shape == (4,)
    with pytest.raises(TypeError, match="must define __torch_dispatch__"):
        torch.Tensor._make_subclass(torch.nn.Parameter, torch.ones(1), dispatch_device=True)


def test_questions_as_operators():
    aten, x = torch.ops.aten, torch.ones(2, 3)
    assert (aten.sym_size(x), aten.sym_size.int(x, -1), aten.sym_stride(x), aten.sym_stride.int(x, 0)) == ([2, 3], 3, [3, 1], 3)
    assert (aten.sym_numel(x), aten.sym_storage_offset(x[1]), aten.dim(x)) == (6, 3, 2)
    assert torch.ops.prim.device(x) == torch.device("cpu") and torch.ops.prim.layout.default(x) is torch.strided


class Seen(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        owner = getattr(func, "__self__", None)
        self.names.append(
            f"{owner.__name__}.{func.__name__}" if func.__name__ in ("__get__", "__set__", "__delete__") else func.__name__
        )
        return func(*args, **(kwargs or {}))


PROPERTIES = "shape dtype device layout ndim T mT real grad grad_fn is_leaf requires_grad data _version _base name is_cpu " \
    "is_cuda is_sparse itemsize nbytes output_nr retains_grad is_meta is_quantized is_nested".split()  # fmt: skip


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_reach_modes_and_subclasses(name):
    class Sub(torch.Tensor):
        seen: list = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append((func, types, len(args)))
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(2, 3)
    with Seen() as seen:
        plain = getattr(x, name)
    assert seen.names == [f"{name}.__get__"]
    sub = x.as_subclass(Sub)
    Sub.seen.clear()
    got = getattr(sub, name)
    assert Sub.seen == [(getattr(torch.Tensor, name).__get__, (Sub,), 1)]
    assert type(got) is Sub if isinstance(plain, torch.Tensor) else got == plain or name in ("_version", "_base")
    assert torch.overrides.resolve_name(getattr(torch.Tensor, name).__get__) in (f"torch.Tensor.{name}.__get__", None)


def test_assignments_reach_modes():
    x = torch.ones(2, requires_grad=True)
    z = torch.ones(2, dtype=torch.complex64)
    with Seen() as seen:
        x.grad = None
        del x.grad
        x.requires_grad = True
        x.data = x.data
        z.imag = 2
    assert seen.names == [
        "grad.__set__", "grad.__delete__", "requires_grad.__set__", "data.__get__", "data.__set__", "imag.__set__",
    ]  # fmt: skip
    assert z[0] == 1 + 2j


def test_answers_of_a_subclass():
    class Fixed(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func == torch.Tensor.shape.__get__:
                return "a shape"
            if func is torch.Tensor.__len__:
                return 40
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(2).as_subclass(Fixed)
    assert x.shape == "a shape" and len(x) == 40 and x.dtype is torch.float32
    with torch._C.DisableTorchFunctionSubclass():
        assert x.shape == (2,) and len(x) == 2


def test_functions_in_python_reach_modes_whole():
    functional = torch.nn.functional
    x = torch.ones(2, 3)
    with Seen() as seen:
        functional.relu(x)
        functional.cross_entropy(x, torch.tensor([0, 1]))
        torch.einsum("ij,kj->ik", x, x)
        x[0]
        x.is_contiguous()
        len(x)
        repr(x)
    assert seen.names == ["relu", "tensor", "cross_entropy", "einsum", "__getitem__", "is_contiguous", "__len__", "__repr__"]


# --- OpOverload.py_impl ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def registered():
    from torch._python_kernels import unregister

    made = []
    yield lambda overload, key: (made.append((overload, key)), overload.py_impl(key))[1]
    for overload, key in made:
        unregister(overload, key)


def test_kernels_in_python(registered):
    neg, key = torch.ops.aten.neg.default, torch._C.DispatchKey.CPU

    @registered(neg, key)
    def hundred(x):
        return x * 100

    assert torch.neg(torch.ones(1)).item() == 100 and neg.py_kernels == {key: hundred} and neg.has_kernel_for_dispatch_key("CPU")
    with pytest.raises(RuntimeError, match="for CPU already"):
        neg.py_impl(key)(hundred)
    with pytest.raises(TypeError, match="expected a DispatchKey"):
        neg.py_impl(int)(hundred)


def test_kernels_in_python_are_removed():
    assert torch.neg(torch.ones(1)).item() == -1 and torch.ops.aten.neg.default.py_kernels == {}


def test_functions_of_modes_and_classes(registered):
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    class Holder(Answers):
        __torch_function__ = torch._C._disabled_torch_function_impl

    neg = torch.ops.aten.neg.default
    x = Holder(torch.ones(2), dispatch_sizes_strides_policy="sizes")
    registered(neg, Mode)(lambda mode, x: (type(mode) is Mode, x))
    registered(neg, Holder)(lambda x: x.inner - 5)
    with Mode():
        with pytest.raises(TypeError, match="expected a Tensor, got tuple"):
            torch.neg(torch.ones(1))
    assert torch.neg(x).tolist() == [-4, -4] and list(neg.python_key_table) == [Mode, Holder]


def test_decompose(registered):
    linear, key = torch.ops.aten.linear.default, torch._C.DispatchKey.CompositeImplicitAutograd
    assert torch.equal(linear.decompose(torch.ones(1, 2), torch.ones(3, 2)), torch.full((1, 3), 2.0))
    cos = torch.ops.aten.cos.default
    assert cos.decompose(torch.ones(1)) is NotImplemented and not cos._can_decompose()
    registered(cos, key)(lambda x: torch.sin(x + torch.pi / 2))
    assert cos._can_decompose() and torch.allclose(cos.decompose(torch.ones(1)), torch.ones(1).sin() * 0 + 0.5403023)
