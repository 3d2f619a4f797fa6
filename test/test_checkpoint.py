"""torch.utils.checkpoint, with and without hooks on saved tensors. Numbers are those of PyTorch 2.13."""

import contextlib
import functools
import gc
import warnings
import weakref

import pytest

import torch
from torch.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

again = functools.partial(checkpoint, use_reentrant=False)


def ones(*size, grad=True):
    return torch.ones(*size, requires_grad=grad)


def gradients(function, *leaves):
    return [g.clone() for g in torch.autograd.grad(function().sum(), leaves)]


def block():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 3), torch.nn.Sigmoid())


# --- programs whose gradients are those without a checkpoint ----------------------------------------------

W = ones(3)
X = (torch.arange(6.0).reshape(2, 3) / 3).requires_grad_()


def changed_in_place(x):
    y = x * 2
    z = y.exp()
    y.mul_(3)
    return z * y


def with_inner_gradient(x):
    (g,) = torch.autograd.grad(x.sin().sum(), x, create_graph=True)
    return g * x.exp()


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (first,) = ctx.saved_tensors
        (second,) = ctx.saved_tensors
        return grad * (first + second)


PROGRAMS = {
    "chain": lambda run: run(lambda x: x.exp().sin().cos(), X) * W,
    "closure": lambda run: run(lambda x: (x * W).exp() * W, X),
    "dict": lambda run: run(lambda d: d["a"][0].exp() * W, {"a": [X * 2]}),
    "keyword": lambda run: run(lambda a, b=None: a.exp() * b.sin(), X, b=W * X),
    "several results": lambda run: sum(run(lambda x: (x.exp(), x.sin(), 3), X)[:2]) * W,
    "views": lambda run: run(lambda x: x.t()[1:].exp().reshape(-1)[::2] * 2, X) + 0 * W.sum(),
    "in place": lambda run: run(changed_in_place, X) * W,
    "inner gradient": lambda run: run(with_inner_gradient, X) * W,
    "custom function": lambda run: run(lambda x: Square.apply(Square.apply(x) * W), X),
    "results of operators": lambda run: run(lambda x: x.sigmoid().tanh().softmax(1).sqrt() * W, X),
    "nested": lambda run: run(lambda x: run(lambda y: (y * W).sin(), run(lambda z: (z * W).exp(), x.cos())).tanh(), X),
    "twice": lambda run: run(lambda x: (x * W).exp(), X) + run(lambda x: (x * W).sin(), X),
    "long": lambda run: functools.reduce(lambda x, k: run(lambda y: (y * W).sin(), x), range(50), X),
    "no grad inside": lambda run: run(lambda x: x.exp() * x.detach().sin() * W, X),
    "unused": lambda run: run(lambda x: (x.exp(), x.sin())[1], X) * W,
}


@pytest.mark.parametrize("early_stop", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_without_a_checkpoint(name, early_stop):
    program = PROGRAMS[name]

    def plain(function, *args, **kwargs):
        return function(*args, **kwargs)

    expected = gradients(lambda: program(plain), X, W)
    run = functools.partial(again, early_stop=early_stop)
    for got, want in zip(gradients(lambda: program(run), X, W), expected):
        assert torch.equal(got, want)

    def second(run):
        first = torch.autograd.grad(program(run).sum(), (X, W), create_graph=True)
        return torch.autograd.grad(sum((g * g).sum() for g in first), (X, W), allow_unused=True)

    for got, want in zip(second(run), second(plain)):
        torch.testing.assert_close(got, want)


def test_parameters_get_gradients_without_an_input_that_requires_grad():
    layers, head = block(), torch.nn.Linear(3, 1)
    x = torch.ones(2, 3)
    head(again(layers, x)).sum().backward()
    got = [p.grad.clone() for p in layers.parameters()]
    layers.zero_grad()
    head(layers(x)).sum().backward()
    assert all(torch.equal(a, p.grad) for a, p in zip(got, layers.parameters()))
    embedding = torch.nn.Embedding(5, 3)
    again(embedding, torch.tensor([1, 2, 1])).sum().backward()
    assert embedding.weight.grad[:, 0].tolist() == [0, 2, 1, 0, 0]


def test_nothing_is_kept_for_backward():
    alive = []

    def function(x):
        y = x.exp()
        alive.append(weakref.ref(y))
        return y.sin().cos()

    z = again(function, ones(3))
    gc.collect()
    assert alive[0]() is None
    z.sum().backward()
    assert len(alive) == 2 and alive[1]() is None


def test_which_operators_run_again():
    calls = []

    def function(x):
        calls.append("a")
        y = x.exp()
        calls.append("b")
        y = y.sin()
        calls.append("c")
        return y + 1

    for early, expected in ((True, "abcab"), (False, "abcabc")):
        calls.clear()
        with set_checkpoint_early_stop(early):
            y = again(function, ones(2))
        y.sum().backward()
        assert "".join(calls) == expected
    calls.clear()
    again(function, ones(2), early_stop=False).sum().backward()
    assert "".join(calls) == "abcabc"


def test_nested_checkpoints_run_each_part_once_a_level():
    calls = []

    def inner(x):
        calls.append("i")
        return (x * w).sin()

    def outer(x):
        calls.append("o")
        return again(inner, again(inner, x.exp())).cos()

    a, w = ones(2), ones(2)
    again(outer, a).sum().backward()
    assert "".join(calls) == "oiioiiii"
    assert a.grad[0].item() == pytest.approx(0.8834148049354553) and w.grad[0].item() == pytest.approx(0.7369905710220337)


def test_backward_twice():
    a = ones(2)
    y = again(lambda a: a.exp().sin(), a).sum()
    y.backward(retain_graph=True)
    assert a.grad[0].item() == pytest.approx(-2.478349447250366)
    y.backward()
    assert a.grad[0].item() == pytest.approx(-4.956698894500732)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


@pytest.mark.parametrize("reentrant", [True, False])
def test_random_numbers_are_those_of_the_first_run(reentrant):
    torch.manual_seed(0)
    for keep in (True, False):
        a = ones(200)
        y = checkpoint(lambda a: torch.nn.functional.dropout(a, 0.5), a, use_reentrant=reentrant, preserve_rng_state=keep)
        before = torch.get_rng_state()
        y.sum().backward()
        assert torch.equal(a.grad, y.detach()) == keep
        if keep:
            assert torch.equal(before, torch.get_rng_state())


def test_contexts():
    log = []

    @contextlib.contextmanager
    def note(name):
        log.append(f"in {name}")
        try:
            yield
        finally:
            log.append(f"out of {name}")

    again(lambda a: a.exp(), ones(2), context_fn=lambda: (note("first"), note("second"))).sum().backward()
    assert log == ["in first", "out of first", "in second", "out of second"]
    with pytest.raises(TypeError, match="two contexts"):
        again(torch.exp, ones(2), context_fn=lambda: note("one"))


def test_without_grad_mode():
    with torch.no_grad():
        assert not again(block(), torch.ones(2, 3)).requires_grad


def test_an_argument_that_was_changed():
    a, b = ones(2), torch.ones(2)
    y = again(lambda a, b: (a * b).exp(), a, b)
    b.mul_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


# --- functions that do not do the same again --------------------------------------------------------------


def differing(first, second):
    runs = []

    def function(x):
        runs.append(0)
        return (first if len(runs) == 1 else second)(x)

    return function


def backward(function, **options):
    a = ones(2)
    again(function, a, **options).sum().backward()
    return a.grad


def test_other_shapes():
    def function():
        return differing(lambda x: (x * 2).exp(), lambda x: (x[:1] * 2).exp())

    with pytest.raises(CheckpointError, match="different metadata") as caught:
        backward(function())
    assert "torch.Size([2])" in str(caught.value) and "torch.Size([1])" in str(caught.value)
    assert backward(function(), determinism_check="none").tolist() == pytest.approx([14.778112411499023] * 2)
    with pytest.raises(CheckpointError):
        backward(differing(torch.exp, lambda x: x.double().exp()))


def test_more_and_fewer():
    more = (lambda x: x.exp(), lambda x: x.exp().sin())
    assert backward(differing(*more)).tolist() == pytest.approx([2.7182817459106445] * 2)
    with pytest.raises(CheckpointError, match="trying to save more tensors during recomputation"):
        backward(differing(*more), early_stop=False)
    with pytest.raises(CheckpointError, match="A different number of tensors was saved") as caught:
        backward(differing(*more[::-1]))
    assert "forward: 2" in str(caught.value) and "recomputation: 1" in str(caught.value)


def test_debug():
    def function():
        return differing(lambda x: x.exp().sin(), lambda x: x.exp())

    with pytest.raises(CheckpointError, match="A different number of tensors") as caught:
        backward(function(), debug=True)
    text = str(caught.value)
    assert "aten.exp.default" in text and "aten.sin.default" in text and "(nothing)" in text and "test_debug" in text
    with set_checkpoint_debug_enabled(True), pytest.raises(CheckpointError, match="aten.sin.default"):
        backward(function())
    with set_checkpoint_debug_enabled(False), pytest.raises(CheckpointError) as caught:
        backward(function(), debug=True)
    assert "aten.sin" not in str(caught.value)
    assert backward(lambda x: x.exp().sin(), debug=True).tolist() == pytest.approx([-2.478349447250366] * 2)
    with pytest.raises(ValueError, match="incompatible"):
        again(torch.exp, ones(2), debug=True, context_fn=lambda: (contextlib.nullcontext(), contextlib.nullcontext()))


def test_an_error_in_the_second_run():
    def fail(x):
        raise ValueError("not twice")

    a = ones(2)
    y = again(differing(torch.exp, fail), a).sum()
    with pytest.raises(ValueError, match="not twice"):
        y.backward()
    assert backward(torch.exp).tolist() == pytest.approx([2.7182817459106445] * 2)


# --- selective --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["list", "policy", "bool"])
def test_selective(form):
    seen = []

    def policy(context, op, *args, **kwargs):
        seen.append((str(op), context.is_recompute, context.op_output is not None))
        save = op is torch.ops.aten.mm.default or str(op) == "aten.mm.default"
        return save if form == "bool" else CheckpointPolicy.MUST_SAVE if save else CheckpointPolicy.PREFER_RECOMPUTE

    chosen = [torch.ops.aten.mm.default] if form == "list" else policy
    contexts = functools.partial(create_selective_checkpoint_contexts, chosen)
    a, w = ones(2, 2), ones(2, 2)
    y = again(lambda a: torch.mm(a.sin(), w).exp().sin(), a, context_fn=contexts)
    log = torch.utils.checkpoint._debug.OperatorLog()
    with log:  # outside of the second run's context: it sees what is really run
        y.sum().backward(retain_graph=True)
    ran = [line.split(" = ")[1].split("(")[0] for line, _ in log.lines]
    # mm runs for the gradients of its arguments, and not once more for its result
    assert ran.count("aten.mm.default") == 2 and "aten.exp.default" in ran
    assert a.grad[0, 0].item() == pytest.approx(3.606440305709839) and w.grad[1, 0].item() == pytest.approx(5.616697788238525)
    y.sum().backward()
    assert a.grad[0, 0].item() == pytest.approx(2 * 3.606440305709839)
    if form != "list":
        assert [name for name, *_ in seen] == ["aten.sin.default", "aten.mm.default", "aten.exp.default", "aten.sin.default"]
        assert {(again, has_output) for _, again, has_output in seen} == {(False, True)}


def test_selective_in_a_network():
    layers, x, seen = block(), torch.ones(2, 3), []

    def policy(context, op, *args, **kwargs):
        seen.append(str(op))
        return CheckpointPolicy.PREFER_SAVE if "mm" in str(op) else CheckpointPolicy.MUST_RECOMPUTE

    again(layers, x, context_fn=functools.partial(create_selective_checkpoint_contexts, policy)).sum().backward()
    assert seen.count("aten.addmm.default") == 2 and "aten.linear.default" not in seen
    got = [p.grad.clone() for p in layers.parameters()]
    layers.zero_grad()
    layers(x).sum().backward()
    assert all(torch.equal(a, p.grad) for a, p in zip(got, layers.parameters()))


def test_selective_refusals():
    with pytest.raises(TypeError, match="function or a list of ops"):
        create_selective_checkpoint_contexts(3)
    with pytest.raises(ValueError, match="without its overload"):
        create_selective_checkpoint_contexts([torch.ops.aten.mm])

    def keep(context, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE

    contexts = functools.partial(create_selective_checkpoint_contexts, keep)
    with pytest.raises(RuntimeError, match="alias of an argument or changes one"):
        again(lambda x: (x * 2).mul_(3), ones(2), context_fn=contexts)

    def change(x):
        y = x.exp()
        z = y * 2
        with torch.no_grad():
            y.add_(1)
        return z.sin()

    def exp_only(context, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if "exp" in str(op) else CheckpointPolicy.MUST_RECOMPUTE

    with pytest.raises(RuntimeError, match="changed in place"):
        again(change, ones(2), context_fn=functools.partial(create_selective_checkpoint_contexts, exp_only)).sum().backward()
    with pytest.raises(TypeError, match="must give a CheckpointPolicy"):
        again(torch.exp, ones(2), context_fn=functools.partial(create_selective_checkpoint_contexts, lambda *a, **k: 3))


# --- the reentrant form -----------------------------------------------------------------------------------


def test_warnings():
    layers, x = block(), torch.ones(2, 3)
    with pytest.warns(UserWarning, match="pass use_reentrant explicitly"):
        checkpoint(layers, ones(2, 3))
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        assert not checkpoint(layers, x, use_reentrant=True).requires_grad
    with pytest.warns(UserWarning, match="pass use_reentrant explicitly"):
        checkpoint_sequential(layers, 2, ones(2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoint(layers, x, use_reentrant=False)
        checkpoint(layers, ones(2, 3), use_reentrant=True)


def test_reentrant():
    layers = block()
    plain = gradients(lambda: layers(X), X)
    x = X.detach().requires_grad_()
    y = checkpoint(layers, x, use_reentrant=True)
    assert y.grad_fn.name() == "CheckpointFunctionBackward"
    y.sum().backward()
    assert torch.equal(x.grad, plain[0]) and layers[0].weight.grad is not None
    several = checkpoint(lambda a: (a * 2, 3, a.detach()), ones(2), use_reentrant=True)
    assert several[0].requires_grad and several[1] == 3
    with pytest.raises(RuntimeError, match="incompatible with .grad"):
        torch.autograd.grad(checkpoint(layers, x, use_reentrant=True).sum(), x)
    for options in ({"input": x}, {"context_fn": lambda: None}, {"debug": True}):
        with pytest.raises(ValueError):
            checkpoint(layers, x, use_reentrant=True, **options)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        again(layers, x, determinism_check="some")


@pytest.mark.parametrize("reentrant", [True, False])
def test_sequential(reentrant):
    torch.manual_seed(1)
    layers = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh()) for _ in range(5)])
    a = ones(2, 3)
    checkpoint_sequential(layers, 2, a, use_reentrant=reentrant).sum().backward()
    assert a.grad.sum().item() == pytest.approx(-0.009791, abs=1e-5)
    assert layers[4][0].bias.grad.sum().item() == pytest.approx(5.60911, rel=1e-4)
    with pytest.raises(ValueError, match="Unexpected keyword"):
        checkpoint_sequential(layers, 2, a, use_reentrant=reentrant, extra=1)
    with pytest.raises(ValueError, match="segments"):
        checkpoint_sequential(layers, 9, a, use_reentrant=reentrant)


# --- hooks underneath ------------------------------------------------------------------------------------


def test_hooks_keep_the_history_of_what_they_pack():
    """A second derivative flows through tensors that hooks have packed, into leaves and results of operators."""
    for pack, unpack in (((lambda t: t.detach().clone()), lambda t: t), (lambda t: t, lambda t: t), (id, None)):
        if unpack is None:
            kept = {}

            def pack(t, kept=kept):
                kept[len(kept)] = t.numpy(force=True).copy()
                return len(kept) - 1

            def unpack(key, kept=kept):
                return torch.from_numpy(kept[key])

        a = ones(3)
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = (a * a).sin() * a.exp()
        (first,) = torch.autograd.grad(y.sum(), a, create_graph=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            (second,) = torch.autograd.grad(first.sum(), a)
        b = ones(3)
        z = (b * b).sin() * b.exp()
        (expected,) = torch.autograd.grad(torch.autograd.grad(z.sum(), b, create_graph=True)[0].sum(), b)
        torch.testing.assert_close(second, expected)


def test_a_mode_that_fails_leaves_the_thread_as_it_was():
    def fail(name, overload, args, kwargs):
        raise ValueError(f"seen {name}")

    plain, leaf = torch.ones(2), ones(2)
    torch._C._push_dispatch_mode(fail)
    try:
        for x in (plain, leaf):
            with pytest.raises(ValueError, match="seen aten::exp"):
                torch.exp(x)
    finally:
        torch._C._pop_dispatch_mode()
    assert torch.exp(torch.zeros(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="there is none"):
        torch._C._pop_dispatch_mode()
    with pytest.raises(TypeError):
        torch._C._push_dispatch_mode(3)
