"""Operators defined, implemented and overridden from Python by torch.library."""

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy
import pytest

import torch
from torch import Tensor, library
from torch.utils._python_dispatch import TorchDispatchMode

NAME = "test_library"


def schema_of(annotations, result="Tensor", mutates=()):
    space = {"Tensor": Tensor, "Optional": Optional, "Sequence": Sequence, "Union": Union, "torch": torch, "Any": Any}
    exec(f"def f({annotations}) -> {result}: ...", space)
    return library.infer_schema(space["f"], mutates_args=mutates)


@pytest.mark.parametrize(
    "annotations, expected",
    [
        ("x: Tensor | None", "(Tensor? x) -> Tensor"),
        ("x: list[Tensor]", "(Tensor[] x) -> Tensor"),
        ("x: Sequence[Optional[Tensor]]", "(Tensor?[] x) -> Tensor"),
        ("x: Optional[Sequence[int]]", "(SymInt[]? x) -> Tensor"),
        ("x: Union[int, float, bool]", "(Scalar x) -> Tensor"),
        ("x: 'Tensor'", "(Tensor x) -> Tensor"),
        ("x: Optional[torch.dtype], d: torch.device", "(ScalarType? x, Device d) -> Tensor"),
        (
            "x: Tensor, y: int = 3, *, z: float = 1.5, w: str = 'abc', v: bool = True, t: torch.dtype = torch.float32",
            '(Tensor x, SymInt y=3, *, float z=1.5, str w="abc", bool v=True, ScalarType t=float32) -> Tensor',
        ),
    ],
)
def test_schemas(annotations, expected):
    assert schema_of(annotations) == expected


def test_schemas_of_results_and_changes():
    assert schema_of("x: Tensor", "None") == "(Tensor x) -> ()"
    assert schema_of("x: Tensor", "tuple[Tensor, list[Tensor], int]") == "(Tensor x) -> (Tensor, Tensor[], SymInt)"
    assert schema_of("x: Tensor, y: list[Tensor], z: int", "None", ["y"]) == "(Tensor x, Tensor(a1!)[] y, SymInt z) -> ()"
    assert schema_of("x: Tensor, z: int", "None", "unknown") == "(Tensor(a0!) x, SymInt z) -> ()"


@pytest.mark.parametrize(
    "annotations, result, mutates, match",
    [
        ("x", "Tensor", (), "Parameter x must have a type annotation"),
        ("x: dict", "Tensor", (), "Parameter x has the unsupported type"),
        ("x: tuple[int, int]", "Tensor", (), "a list takes the place of a tuple"),
        ("x: Any", "Tensor", (), "unsupported type"),
        ("*x: Tensor", "Tensor", (), "positional-only"),
        ("x: Sequence[int] = (1,)", "Tensor", (), "the default of the parameter x"),
        ("x: Tensor", "str", (), "the result has the unsupported type"),
        ("x: int", "None", ["x"], "only tensors can be changed"),
        ("x: Tensor", "None", ["q"], "mutates_args names q"),
        ("x: Tensor", "None", "x", "must be a sequence of names or 'unknown'"),
    ],
)
def test_schemas_that_cannot_be_inferred(annotations, result, mutates, match):
    with pytest.raises(ValueError, match=match):
        schema_of(annotations, result, mutates)


@library.custom_op(f"{NAME}::scaled_sin", mutates_args=())
def scaled_sin(x: Tensor, *, by: float = 2.0) -> Tensor:
    return torch.from_numpy(numpy.sin(x.numpy()) * by)


@scaled_sin.register_fake
def _(x, *, by=2.0):
    return torch.empty_like(x)


def keep(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.by = keyword_only_inputs["by"]


scaled_sin.register_autograd(lambda ctx, gradient: gradient * ctx.saved_tensors[0].cos() * ctx.by, setup_context=keep)


def test_custom_op():
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(scaled_sin(x, by=3.0), 3 * x.sin())
    assert str(scaled_sin._opoverload._schema) == f"{NAME}::scaled_sin(Tensor x, *, float by=2.0) -> Tensor"
    assert torch.autograd.gradcheck(lambda x: scaled_sin(x, by=3.0), x) and torch.autograd.gradcheck(scaled_sin, x)
    assert type(scaled_sin(x).grad_fn).__name__ == f"GeneratedBackwardFor_{NAME}_scaled_sin_defaultBackward"
    assert scaled_sin(torch.empty(3, device="meta")).shape == (3,) and scaled_sin(x.detach()).grad_fn is None
    assert library.opcheck(scaled_sin, (x,), {"by": 3.0}) == dict.fromkeys(
        ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"), "SUCCESS"
    )
    assert (
        torch.ops.test_library.scaled_sin.default is scaled_sin._opoverload
        and repr(scaled_sin) == f"<CustomOpDef({NAME}::scaled_sin)>"
    )


def test_lists_and_their_gradients():
    seen = []

    @library.custom_op(f"{NAME}::weighted", mutates_args=())
    def weighted(xs: list[Tensor], by: float) -> Tensor:
        return sum(x * by for x in xs)

    def backward(ctx, gradient):
        seen.append(ctx.needs_input_grad)
        return [gradient * ctx.by] * ctx.count, None

    def setup_context(ctx, inputs, output):
        ctx.count, ctx.by = len(inputs[0]), inputs[1]

    weighted.register_autograd(backward, setup_context=setup_context)
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    grads = torch.autograd.grad(weighted([a, b, torch.ones(2)], 2.0).sum(), [a, b])
    assert [g.tolist() for g in grads] == [[2, 2]] * 2 and seen == [([True, True, False], False)]

    @library.custom_op(f"{NAME}::weighted_wrong", mutates_args=())
    def wrong(xs: list[Tensor], by: float) -> Tensor:
        return sum(x * by for x in xs)

    wrong.register_autograd(lambda ctx, gradient: ([gradient], None))
    with pytest.raises(RuntimeError, match="must return a list of 2 gradients"):
        wrong([a, b], 2.0).sum().backward()


def test_no_derivative():
    @library.custom_op(f"{NAME}::plain", mutates_args=())
    def plain(x: Tensor) -> Tensor:
        assert not x.requires_grad or not torch.is_grad_enabled()
        return torch.from_numpy(x.numpy() + 1)

    x = torch.ones(1, requires_grad=True)
    assert plain(x).item() == 2
    with pytest.raises(RuntimeError, match="register_autograd"):
        plain(x).backward()
    with pytest.raises(RuntimeError, match="plain.register_fake gives it one"):
        plain(torch.empty(1, device="meta"))


def test_results_do_not_share_memory():
    for k, function in enumerate((lambda x: x, lambda x: x.view(-1))):
        op = library.custom_op(f"{NAME}::alias{k}", function, mutates_args=(), schema="(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="a result shares memory with an argument"):
            op(torch.ones(1))
        assert isinstance(
            library.opcheck(op, (torch.ones(1),), test_utils="test_schema", raise_exception=False)["test_schema"], RuntimeError
        )
    op = library.custom_op(f"{NAME}::both", lambda x: [x + 1] * 2, mutates_args=(), schema="(Tensor x) -> Tensor[]")
    with pytest.raises(RuntimeError, match="another result"):
        op(torch.ones(1))


def test_operators_that_change_arguments():
    @library.custom_op(f"{NAME}::fill_three", mutates_args={"x"})
    def fill_three(x: Tensor) -> None:
        x.numpy()[:] = 3

    x = torch.ones(2)
    before = x._version
    fill_three(x)
    assert x.tolist() == [3, 3] and x._version == before + 1
    with pytest.raises(RuntimeError, match="changes or returns its arguments"):
        fill_three.register_autograd(lambda ctx: None)
    library.opcheck(fill_three, (torch.ones(2),), test_utils="test_schema")
    liar = library.custom_op(f"{NAME}::liar", lambda x: x.add_(1).clone(), mutates_args=(), schema="(Tensor x) -> Tensor")
    with pytest.raises(Exception, match="the argument x was changed"):
        library.opcheck(liar, (torch.ones(2),))
    with pytest.raises(ValueError, match="but mutates_args is"):
        library.custom_op(f"{NAME}::disagree", lambda x: None, mutates_args=(), schema="(Tensor(a!) x) -> ()")


def test_kernels_by_device():
    @library.custom_op(f"{NAME}::kinds", mutates_args=())
    def kinds(x: Tensor) -> Tensor:
        return x + 1

    kinds.register_kernel("cpu")(lambda x: x + 1000)
    assert kinds(torch.zeros(1)).item() == 1000
    with kinds.set_kernel_enabled("cpu", False):
        assert kinds(torch.zeros(1)).item() == 1
        with kinds.set_kernel_enabled("cpu"):
            assert kinds(torch.zeros(1)).item() == 1000
    assert kinds(torch.zeros(1)).item() == 1000
    with pytest.warns(UserWarning, match="has no kernel for cuda"), kinds.set_kernel_enabled("cuda", False):
        pass
    only = library.custom_op(
        f"{NAME}::only", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor", device_types="cuda"
    )
    with pytest.raises(NotImplementedError, match="no kernel"):
        only(torch.ones(1))


def test_rules_of_layers():
    @library.custom_op(f"{NAME}::layers", mutates_args=())
    def layers(x: Tensor, y: float) -> Tensor:
        return x * y

    @layers.register_vmap
    def rule(info, in_dims, x, y):
        assert in_dims == (0, None) and info.batch_size == 3
        return x * y + 100, 0

    assert torch.vmap(layers, in_dims=(0, None))(torch.zeros(3, 2), 1.0).tolist() == [[100, 100]] * 3
    assert torch.vmap(layers, in_dims=(1, None))(torch.zeros(2, 3), 1.0).shape == (3, 2)
    layers.register_vmap(lambda info, in_dims, x, y: x)
    with pytest.raises(RuntimeError, match="must return the result and its batch dimensions"):
        torch.vmap(layers, in_dims=(0, None))(torch.zeros(3, 2), 1.0)
    layers.register_autocast("cpu", torch.bfloat16)
    with torch.autocast("cpu"):
        assert layers(torch.ones(1), 2.0).dtype == torch.bfloat16

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) + 1

    class Other(Mode):
        pass

    @layers.register_torch_dispatch(Mode)
    def replaced(mode, func, types, args, kwargs):
        assert isinstance(mode, Mode) and func is layers._opoverload
        return torch.full((1,), 42.0)

    x = torch.ones(1)
    with Mode():
        by_rule = layers(x, 2.0)
    with Other():
        by_mode = layers(x, 2.0)
    assert by_rule.item() == 42 and by_mode.item() == 3
    assert layers(torch.ones(1), 2.0).item() == 2
    with pytest.raises(ValueError, match="expected a class with __torch_dispatch__"):
        layers.register_torch_dispatch(int, replaced)


def test_libraries():
    lib = library.Library(f"{NAME}_fragment", "DEF")
    assert lib.define("first(Tensor x) -> Tensor", tags=torch.Tag.pt2_compliant_tag) == f"{NAME}_fragment::first"
    space = torch.ops.test_library_fragment

    @library.impl(lib, "first", "CPU")
    def first(x):
        return x + 1

    @library.define(lib, "second(Tensor x) -> Tensor")
    def second(x):
        return x + 2

    assert space.first(torch.ones(1)).item() == 2 and space.second(torch.ones(1)).item() == 3
    assert space.first.default.tags == [torch.Tag.pt2_compliant_tag]
    with pytest.raises(RuntimeError, match="defined by another Library"):
        library.Library(f"{NAME}_fragment", "DEF")
    with pytest.raises(RuntimeError, match="defined already"):
        lib.define("first(Tensor x) -> Tensor")
    calls = []
    lib.impl("first", lambda x: (calls.append(1), x)[1], "AutogradCPU")
    x = torch.ones(1, requires_grad=True)
    assert space.first(x) is x and calls
    other = library.Library(f"{NAME}_fragment", "IMPL")
    other.impl("first", library.fallthrough_kernel, "AutogradCPU")
    assert space.first(x).item() == 2
    with pytest.raises(RuntimeError, match="global namespace"):
        other.fallback(first, "CPU")
    assert library.get_kernel(f"{NAME}_fragment::first", "CPU").call_boxed(None, torch.ones(1)).item() == 2
    for name, key, match in (("first", "CUDA", "has no kernel for CUDA"), ("nosuch", "CPU", "there is no operator")):
        with pytest.raises(RuntimeError, match=match):
            library.get_kernel(f"{NAME}_fragment::{name}", key)
    other._destroy()
    lib._destroy()
    again = library.Library(f"{NAME}_fragment", "DEF")
    again._destroy()


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: library.Library("a", "OTHER"), ValueError, "Unsupported kind"),
        (lambda: library.custom_op("noname", lambda x: x, mutates_args=()), ValueError, "namespace::name"),
        (lambda: library.opcheck("aten::neg", (torch.ones(1),), test_utils="nosuch"), ValueError, "there is no test 'nosuch'"),
        (lambda: library.wrap_triton(abs), NotImplementedError, "GPU"),
        (lambda: library.register_vmap(3, abs), ValueError, "expected an operator or its name"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_names_of_its_parts():
    from torch._library import autograd, custom_ops, fake_impl, utils

    assert custom_ops.custom_op is library.custom_op and fake_impl.get_ctx is library.get_ctx and autograd.make_autograd_kernel
    assert utils.parse_namespace("a::b") == ("a", "b")


def test_fallbacks():
    lib = library.Library("_", "IMPL")
    key, seen = torch._C.DispatchKey.Tracer, []
    keys = torch._C.DispatchKeySet(key)

    def fallback(op, *args, **kwargs):
        seen.append(op)
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return op(*args, **kwargs)

    with pytest.raises(TypeError, match="must be a function"):
        lib.fallback(3, "Tracer")
    lib.fallback(fallback, "Tracer")
    with torch._C._IncludeDispatchKeyGuard(keys):
        assert torch.add(torch.ones(2), 1, alpha=3).tolist() == [4, 4]
    assert torch.ops.aten.add.Tensor in seen
    lib._destroy()


def test_fragments():
    one, two = library.Library(f"{NAME}_parts", "FRAGMENT"), library.Library(f"{NAME}_parts", "FRAGMENT")
    one.define("first(Tensor x) -> Tensor", tags=(torch.Tag.pointwise, torch.Tag.core))
    two.define("second(Tensor x) -> Tensor")
    two.impl("first", lambda x: x + 1, "CompositeExplicitAutograd")
    one.impl("second", lambda x: x + 2, "CompositeExplicitAutograd")
    space = getattr(torch.ops, f"{NAME}_parts")
    assert space.first(torch.zeros(1)).item() == 1 and space.second(torch.zeros(1)).item() == 2
    assert space.first.default.tags == [torch.Tag.pointwise, torch.Tag.core] and space.second.default.tags == []
    of_aten = library.Library("aten", "FRAGMENT")
    of_aten.define("test_library_fragment_of_aten(Tensor x) -> Tensor")
    of_aten.impl("test_library_fragment_of_aten", lambda x: x * 3, "CPU")
    assert torch.ops.aten.test_library_fragment_of_aten(torch.ones(1)).item() == 3
    for part in (one, two, of_aten):
        part._destroy()


def test_triton_is_refused_by_name():
    with pytest.raises(NotImplementedError, match="torch.library.triton_op"):
        library.triton_op(f"{NAME}::kernel", mutates_args=())
    with pytest.raises(NotImplementedError, match="torch.library.wrap_triton"):
        library.wrap_triton(abs)


def test_recorded_graphs_of_an_operator():
    tests = ("test_aot_dispatch_static", "test_aot_dispatch_dynamic")
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert library.opcheck(scaled_sin, (x,), {"by": 3.0}, test_utils=tests) == dict.fromkeys(tests, "SUCCESS")
    assert library.opcheck("aten::mm", (x, x.detach().t()), test_utils=tests) == dict.fromkeys(tests, "SUCCESS")
    wrong = library.custom_op(f"{NAME}::wrong_shape", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor")
    wrong.register_fake(lambda x: x.new_empty(7))
    with pytest.raises(Exception, match="test_faketensor failed"):
        library.opcheck(wrong, (torch.ones(2),))
    bare = library.custom_op(f"{NAME}::without_fake", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor")
    with pytest.raises(Exception, match="test_aot_dispatch_dynamic failed"):
        library.opcheck(bare, (torch.ones(2),), test_utils="test_aot_dispatch_dynamic")


def test_names_of_a_star_import():
    space = {}
    exec("from torch.library import *\nfrom torch.fx import *\nfrom torch.autograd.graph import *", space)
    assert {"custom_op", "Library", "opcheck", "register_fake", "symbolic_trace", "save_on_cpu"} <= space.keys()


def test_the_namespace_of_the_library_is_defined():
    with pytest.raises(RuntimeError, match="namespace aten is defined by another Library"):
        library.Library("aten", "DEF")
