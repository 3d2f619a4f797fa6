"""What a grad_fn object offers besides running: metadata, shapes, saved tensors, hooks."""

import pytest

import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, x * 2)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def leaf(*shape):
    return torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape).requires_grad_()


@pytest.mark.parametrize("make", [torch.exp, Double.apply], ids=["operator", "function"])
def test_metadata_stays_with_the_node(make):
    y = make(leaf(3))
    node = y.grad_fn
    assert node.metadata == {}
    node.metadata["note"] = 1
    del node
    assert y.grad_fn.metadata == {"note": 1} and y.grad_fn.metadata is y.grad_fn.metadata
    with pytest.raises(AttributeError):
        y.grad_fn.metadata = {}
    y.sum().backward()
    assert y.grad_fn.metadata == {"note": 1}


def test_anomaly_mode_notes_where_a_node_was_made():
    with pytest.warns(UserWarning), torch.autograd.detect_anomaly(check_nan=False):
        y = leaf(3).exp()
    assert "test_grad_fn.py" in "".join(y.grad_fn.metadata["traceback_"])


@pytest.mark.parametrize("make", [torch.exp, Double.apply], ids=["operator", "function"])
def test_input_metadata(make):
    y = make(leaf(2, 3).double())
    (m,) = y.grad_fn._input_metadata
    assert list(m.shape) == [2, 3] and m.dtype == torch.float64 and m.device == torch.device("cpu")
    assert m.is_nested_tensor is False and m.is_cpp_nested_tensor is False
    assert len(torch.split(leaf(4), 2)[0].grad_fn._input_metadata) == 2


@pytest.mark.parametrize("make", [torch.exp, Double.apply], ids=["operator", "function"])
def test_sequence_numbers(make):
    x = leaf(3)
    y, z = make(x), make(x)
    first, second = y.grad_fn, z.grad_fn
    assert first._sequence_nr() < second._sequence_nr()
    first._set_sequence_nr(77)
    assert first._sequence_nr() == 77 and first.requires_grad
    with pytest.raises((TypeError, OverflowError)):
        first._set_sequence_nr("x")


def test_names_in_dir():
    x = leaf(3)
    for y, saved in ((x * x, {"self", "other"}), (x.exp(), {"result"}), (x.sum(), set())):
        names = set(dir(y.grad_fn))
        assert {n for n in names if n.startswith("_saved_")} == {f"_saved_{n}" for n in saved}
        assert {n for n in names if n.startswith("_raw_saved_")} == {f"_raw_saved_{n}" for n in saved}
        assert {"name", "metadata", "next_functions", "register_hook", "register_prehook", "requires_grad"} <= names
    assert "variable" not in names
    accumulate = x.exp().grad_fn.next_functions[0][0]
    assert "variable" in dir(accumulate) and accumulate.variable is x
    with pytest.raises(AttributeError, match="'SumBackward0' object has no attribute 'nothing'"):
        _ = x.sum().grad_fn.nothing
    assert repr(type(y.grad_fn)) == "<class 'SumBackward0'>" and isinstance(y.grad_fn, torch.autograd.graph.Node)


def test_raw_saved_tensors():
    x = leaf(3)
    y = x * x
    raw = y.grad_fn._raw_saved_self
    assert isinstance(raw, torch._C._autograd.SavedTensor) and torch.equal(raw.data, x) and raw.unpack() is x
    assert (x * 2).grad_fn._raw_saved_self.unpack() is None
    z = Double.apply(x)
    assert [torch.equal(s.data, t) for s, t in zip(z.grad_fn._raw_saved_tensors, (x, 2 * x))] == [True, True]
    y.sum().backward()
    for read in (lambda: raw.data, raw.unpack, lambda: raw.register_hooks(abs, abs)):
        with pytest.raises(RuntimeError, match="freed|second time"):
            read()


def test_hooks_on_one_saved_tensor():
    x = leaf(3)
    y = x.exp()
    raw = y.grad_fn._raw_saved_result
    packed = []
    assert raw.unpack_hook is None

    def unpack(p):
        return packed[0] * (2 if p == "packed" else 0)

    raw.register_hooks(lambda t: packed.append(t) or "packed", unpack)
    assert raw.unpack_hook is unpack
    assert torch.equal(packed[0], y) and raw.data == "packed" and torch.equal(y.grad_fn._saved_result, 2 * y)
    with pytest.raises(RuntimeError, match="hooks have already been set"):
        raw.register_hooks(abs, abs)
    y.sum().backward()
    assert torch.equal(x.grad, 2 * y.detach())


def test_hooks_on_one_saved_tensor_are_checked():
    y = leaf(3).exp()
    with pytest.raises(TypeError):
        y.grad_fn._raw_saved_result.register_hooks(1, 2)
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        (leaf(3) * 2).grad_fn._raw_saved_self.register_hooks(abs, abs)

    def fails(t):
        raise ValueError("not this one")

    with pytest.raises(ValueError, match="not this one"):
        y.grad_fn._raw_saved_result.register_hooks(fails, abs)
    assert torch.equal(y.grad_fn._saved_result, y)


def test_a_saved_tensor_outlives_its_graph():
    raw = leaf(3).exp().grad_fn._raw_saved_result
    assert raw.data.shape == (3,)


def test_hooks_of_nodes():
    x = leaf(3)
    y = x * 2
    calls = []
    node = y.grad_fn
    before = node.register_prehook(lambda grads: (calls.append("before"), (grads[0] * 3,))[1])
    after = node.register_hook(lambda inputs, outputs: calls.append(("after", outputs[0].tolist())))
    y.sum().backward(retain_graph=True)
    assert calls == ["before", ("after", [3.0] * 3)] and x.grad.tolist() == [6.0] * 3
    before.remove()
    after.remove()
    y.sum().backward()
    assert len(calls) == 2 and x.grad.tolist() == [8.0] * 3
