"""torch.func.functionalize, and functional tensors."""

import pytest

import torch
from torch.func import functionalize, grad, jacrev, jvp, vmap
from torch.utils._python_dispatch import TorchDispatchMode


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func).removeprefix("aten."))
        return func(*args, **(kwargs or {}))


def calls(f, *args, **kwargs):
    with Names() as names:
        functionalize(f, **kwargs)(*args)
    return names.seen


def test_views_are_made_again():
    def f(a):
        b = a + 1
        c = b.view(-1)
        c.add_(1)
        return b

    assert torch.equal(functionalize(f)(torch.zeros(2)), torch.full((2,), 2.0))
    assert calls(f, torch.zeros(2))[:3] == ["add.Tensor", "view.default", "add.Tensor"]
    copies = calls(f, torch.zeros(2), remove="mutations_and_views")
    assert "view_copy.default" in copies and "view.default" not in copies


def test_arguments_are_written_to():
    def f(a, b):
        a[0].mul_(2)
        b.t_()
        return a.sum() + b.sum()

    for call in (f, functionalize(f)):
        a, b = torch.ones(2, 3), torch.arange(6.0).view(2, 3)
        assert call(a, b) == 24
        assert a.tolist() == [[2, 2, 2], [1, 1, 1]] and b.shape == (3, 2) and b.tolist() == [[0, 3], [1, 4], [2, 5]]
    seen = calls(f, torch.ones(2, 3), torch.ones(2, 3))
    assert "select_scatter.default" in seen and not [name for name in seen[:-3] if "_." in name]
    x = torch.ones(2)
    assert functionalize(lambda x: x * 2)(x) is not x and functionalize(lambda x: x)(x) is x


def test_one_tensor_given_twice():
    x = torch.ones(3)
    functionalize(lambda a, b: a.add_(b))(x, x)
    assert x.tolist() == [2, 2, 2]


def test_nested_arguments_and_results():
    def f(batch, *, scale):
        batch["x"].mul_(scale)
        return {"sum": batch["x"] + batch["y"][0], "n": 3}

    batch = {"x": torch.ones(2), "y": [torch.ones(2)]}
    out = functionalize(f)(batch, scale=3)
    assert out["sum"].tolist() == [4, 4] and out["n"] == 3 and batch["x"].tolist() == [3, 3]


def test_new_tensors():
    def f(a):
        z = torch.zeros(3)
        z.add_(a)
        z[1] = 5
        z[a > 1] = 7
        return z

    assert functionalize(f)(torch.tensor([1.0, 1.0, 2.0])).tolist() == [1, 5, 7]


def test_out_arguments():
    def f(a, out):
        torch.add(a, 1, out=out)
        return out

    out = torch.empty(0)
    result = functionalize(f)(torch.ones(3), out)
    assert result.tolist() == out.tolist() == [2, 2, 2]
    pair = functionalize(lambda x: torch.max(x, 0, out=(torch.empty(()), torch.empty((), dtype=torch.long))))(
        torch.tensor([1.0, 3.0])
    )
    assert [t.item() for t in pair] == [3, 1]


VIEWS = {
    "view": lambda x: x.view(12),
    "reshape": lambda x: x.reshape(2, 6),
    "transpose": lambda x: x.transpose(0, 1),
    "t": lambda x: x.t(),
    "permute": lambda x: x.view(1, 3, 4).permute(2, 0, -2),
    "squeeze": lambda x: x[None].squeeze(),
    "squeeze_dim": lambda x: x[None].squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "select": lambda x: x[1],
    "slice": lambda x: x[:, 1:4:2],
    "slices": lambda x: x[1:][:, -2:],
    "diagonal": lambda x: x.diagonal(1),
    "split": lambda x: x.split(2, 1)[1],
    "split_with_sizes": lambda x: x.split([1, 3], 1)[1],
    "unbind": lambda x: x.unbind(1)[2],
    "chunk": lambda x: x.chunk(2)[1],
    "as_strided": lambda x: x.as_strided((2, 2), (4, 1), 1),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "expand_of_size_1": lambda x: x[None].expand(1, 3, 4),
    "view_dtype": lambda x: x.view(torch.int32),
    "alias": lambda x: x[...],
    "detach": lambda x: x.detach(),
    "movedim": lambda x: x.movedim(0, 1),
    "narrow": lambda x: x.narrow(1, 1, 2),
    "view_as_complex": lambda x: torch.view_as_complex(x.view(3, 2, 2)),
    "T": lambda x: x.T,
    "flatten": lambda x: x.flatten(),
    "hsplit": lambda x: x.hsplit(2)[0],
}


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("name", VIEWS)
def test_changes_of_views(name, remove):
    """A change of a view is seen in its base, and a change of the base in the view."""

    def f(x):
        y = x * 1
        view = VIEWS[name](y)
        other = y[1:]
        view.mul_(2)
        y.add_(1)
        view.add_(3)
        return y, view * 1, other * 1

    x = torch.arange(12.0).view(3, 4)
    for got, want in zip(functionalize(f, remove=remove)(x.clone()), f(x.clone())):
        assert torch.equal(got, want)

    def of_argument(x):
        VIEWS[name](x).mul_(2)

    a, b = x.clone(), x.clone()
    functionalize(of_argument, remove=remove)(a), of_argument(b)
    assert torch.equal(a, b)


def test_complex_views():
    def f(z):
        w = z * 1
        w.real.mul_(2)
        w.imag[1:].zero_()
        torch.view_as_real(w)[0] += 1
        c = w.conj()
        c.add_(1j)
        return w, c * 1, c.imag + c.real

    z = torch.tensor([1 + 2j, 3 - 4j])
    for got, want in zip(functionalize(f)(z), f(z)):
        assert torch.allclose(got.resolve_conj(), want.resolve_conj())


def test_views_changed_in_place():
    def f(x):
        y = x * 1
        z = y.view(2, 6)
        z.t_().unsqueeze_(0)
        z.mul_(2)
        y.squeeze_()
        return y, z * 1

    x = torch.arange(12.0).view(3, 4)
    for got, want in zip(functionalize(f)(x), f(x)):
        assert torch.equal(got, want)


def test_with_other_transforms():
    def f(x):
        y = x * 1
        y[0] = 3
        y.mul_(x)
        return y.pow_(2).sum()

    x = torch.tensor([1.0, 2.0, 3.0])
    want = grad(f)(x)
    assert torch.allclose(grad(functionalize(f))(x), want) and torch.allclose(functionalize(grad(f))(x), want)
    rows = torch.stack([x, x + 1])
    want = vmap(f)(rows)
    assert torch.allclose(vmap(functionalize(f))(rows), want) and torch.allclose(functionalize(vmap(f))(rows), want)
    want = vmap(grad(f))(rows)
    assert torch.allclose(vmap(grad(functionalize(f)))(rows), want) and torch.allclose(functionalize(vmap(grad(f)))(rows), want)
    assert torch.allclose(jacrev(functionalize(grad(f)))(x), jacrev(grad(f))(x))
    assert torch.allclose(functionalize(functionalize(f))(x), f(x))
    for got, want in zip(jvp(functionalize(f), (x,), (x,)), jvp(f, (x,), (x,))):
        assert torch.allclose(got, want)


def test_gradients_of_parameters():
    layer = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(inplace=True), torch.nn.BatchNorm1d(4))
    x = torch.randn(5, 3)
    functionalize(lambda x: layer(x).pow(2).sum())(x).backward()
    found = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    layer(x).pow(2).sum().backward()
    for got, p in zip(found, layer.parameters()):
        assert torch.allclose(got, p.grad)


def test_random_numbers():
    def f(x):
        return x.uniform_() + torch.rand(3) + torch.empty(3).normal_() + torch.dropout(x, 0.5, True)

    results = []
    for call in (f, functionalize(f)):
        torch.manual_seed(0)
        results.append(call(torch.ones(3)))
    assert torch.equal(*results)


def test_refusals():
    outside = torch.ones(2)
    with pytest.raises(RuntimeError, match=r"aten::add_.Tensor: .* not functional"):
        functionalize(lambda x: outside.add_(x))(torch.ones(2))
    with pytest.raises(RuntimeError, match="remove must be one of"):
        functionalize(torch.sin, remove="views")
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        functionalize(lambda x: x.add_(torch.ones(3, 2)))(torch.ones(2))
    with pytest.raises(RuntimeError, match="can't be cast"):
        functionalize(lambda x: x.add_(0.5))(torch.ones(2, dtype=torch.int64))
    assert not torch._C._is_functionalizing() and torch._C._functionalization_state() == (False, True)


def test_functional_tensors():
    t = torch._to_functional_tensor(torch.ones(2))
    assert torch._is_functional_tensor(t) and not torch._is_functional_tensor(torch.ones(2)) and type(t) is torch.Tensor
    assert repr(t) == "_to_functional_tensor(tensor([1., 1.]))" and t.shape == (2,) and t.dtype is torch.float32
    view = t[1:]
    view.add_(1)
    assert view.tolist() == [2]
    torch._sync(t)
    assert torch._from_functional_tensor(t).tolist() == [1, 2] and torch._functionalize_has_data_mutation(t)
    torch._functionalize_replace(t, torch.tensor([5.0, 6.0]))
    assert view.item() == 6 and t.sum().item() == 11
    with pytest.raises(RuntimeError, match="holds another one"):
        t.numpy()
    with pytest.raises(RuntimeError, match="expected a functional tensor"):
        torch._from_functional_tensor(torch.ones(1))
    torch._enable_functionalization(reapply_views=True)
    try:
        assert torch._is_functional_tensor(torch.ones(2))
        with pytest.raises(RuntimeError, match="on already"):
            torch._enable_functionalization()
    finally:
        torch._disable_functionalization()
    assert not torch._is_functional_tensor(torch.ones(2))


def test_a_pass_before_a_mode():
    """With fake values, the functional calls of a function are seen without any computation."""
    from torch._subclasses import FakeTensor, FakeTensorMode

    with FakeTensorMode() as fake:
        x = fake.from_tensor(torch.ones(2, 3))
    with Names() as names, fake:
        y = functionalize(lambda x: x.clone().mul_(2).t_())(x)
    assert type(y) is FakeTensor and y.shape == (3, 2) and names.seen == ["clone.default", "mul.Tensor", "t.default"]


def _add_to_imag(z):
    z = z.clone()
    z.conj().imag.add_(10)
    return z, z.conj()


def _scale_real(z):
    z = z.clone()
    c = z.conj()
    c.real.mul_(2)
    return z * 1, c * 1


def _set_imag(z):
    z = z.clone()
    c = z.conj()
    c.imag[0] = 5
    c.imag[1:] = torch.ones(1)
    return z * 1, c * 1


@pytest.mark.parametrize("f", [_add_to_imag, _scale_real, _set_imag])
def test_parts_of_lazy_conjugates_are_changed(f):
    z = torch.tensor([1 + 2j, 3 - 4j])
    expected = [t.resolve_conj() for t in f(z)]
    for transform in (functionalize, lambda f: functionalize(f, remove="mutations_and_views")):
        assert all(torch.equal(a, b) for a, b in zip(transform(f)(z), expected))
    assert all(torch.equal(a[1], b) for a, b in zip(vmap(f)(torch.stack([z, z])), expected))
    loss = lambda z: f(z)[0].abs().sum()  # noqa: E731
    assert torch.equal(grad(functionalize(loss))(z), grad(loss)(z)) and torch.equal(functionalize(grad(loss))(z), grad(loss)(z))


def test_no_view_is_left_where_views_are_removed():
    from torch.fx.experimental.proxy_tensor import make_fx

    f = torch.func.functionalize(lambda x: x.view(-1).add_(1).view(2, 2).t(), remove="mutations_and_views")
    graph = make_fx(f)(torch.ones(2, 2))
    names = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
    assert {"aten.view_copy.default", "aten.t_copy.default"} <= set(names) and "aten.view.default" not in names
    assert torch.equal(graph(torch.ones(2, 2)), torch.full((2, 2), 2.0))
