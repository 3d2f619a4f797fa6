"""Each call that writes to a tensor counts as one change of it: `Tensor._version`."""

import pytest

import torch

aten = torch.ops.aten


def ones():
    return [torch.ones(2), torch.ones(3)]


IN_PLACE = {
    "zero": lambda x: torch._foreach_zero_(x),
    "copy": lambda x: torch._foreach_copy_(x, ones()),
    "add a number": lambda x: torch._foreach_add_(x, 1.0),
    "add a tensor": lambda x: torch._foreach_add_(x, torch.tensor(1.0), alpha=2),
    "mul by a tensor": lambda x: torch._foreach_mul_(x, torch.tensor(2.0)),
    "div by a tensor": lambda x: torch._foreach_div_(x, torch.tensor(2.0)),
    "addcmul of values": lambda x: torch._foreach_addcmul_(x, ones(), ones(), torch.ones(2)),
    "addcdiv of values": lambda x: torch._foreach_addcdiv_(x, ones(), ones(), torch.ones(2)),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_lists_that_change(name):
    x = ones()
    returned = IN_PLACE[name](x)
    assert [t._version for t in x] == [1, 1]
    assert all(a is b for a, b in zip(returned, x, strict=True))

    with torch.no_grad():
        leaves = [t.requires_grad_() for t in ones()]
        IN_PLACE[name](leaves)
        assert [t._version for t in leaves] == [1, 1]
    with pytest.raises(RuntimeError, match="leaf"):
        IN_PLACE[name](leaves)


def test_derivatives_of_lists_that_change():
    for call, expected in (
        (IN_PLACE["zero"], 0),
        (IN_PLACE["mul by a tensor"], 6),
        (IN_PLACE["div by a tensor"], 1.5),
        (IN_PLACE["add a tensor"], 3),
    ):
        leaf = torch.ones(2, requires_grad=True)
        x = [leaf * 3]
        call(x)
        x[0].sum().backward()
        assert leaf.grad.tolist() == [expected] * 2


OUT = {
    "foreach abs": (lambda out: aten._foreach_abs.out(ones(), out=out), ones),
    "foreach add": (lambda out: aten._foreach_add.Tensor_out(ones(), torch.tensor(1.0), out=out), ones),
    "foreach zero": (lambda out: aten._foreach_zero.out(ones(), out=out), ones),
    "unbind": (lambda out: aten.unbind_copy.int_out(torch.ones(2, 2), out=out), lambda: [torch.ones(2), torch.ones(2)]),
    "zeros_like": (lambda out: aten.zeros_like.out(torch.ones(2), out=out[0]), lambda: [torch.ones(2)]),
    "view_copy": (lambda out: aten.view_copy.out(torch.ones(2), [2], out=out[0]), lambda: [torch.ones(2)]),
    "add": (lambda out: torch.add(torch.ones(2), 1, out=out[0]), lambda: [torch.ones(2)]),
}


@pytest.mark.parametrize("name", OUT)
def test_outputs(name):
    call, make = OUT[name]
    out = make()
    before = [t._version for t in out]
    call(out)
    assert [t._version for t in out] == [v + 1 for v in before]
