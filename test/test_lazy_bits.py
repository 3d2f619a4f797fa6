"""Conjugate and negated views: every operator gives what it gives for a tensor whose memory holds the elements."""

import copy
import io
import pickle
import warnings

import pytest
from ops import all_ops
from test_ops import tensors

import torch


def lazy_conj(x):
    """A tensor of the same elements and strides whose memory holds the conjugates."""
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x.resolve_conj().conj_physical()).conj()


def lazy_neg(x):
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(-x)._neg_view()


def changed(value, make, takes):
    if isinstance(value, torch.Tensor):
        return make(value) if takes(value) else value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(changed(v, make, takes) for v in value)
    return value


def call(f, s, make, takes):
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = [changed(v, make, takes) for v in (s.input, *s.args)]
        return arguments, f(*arguments, **{k: changed(v, make, takes) for k, v in s.kwargs.items()})


def same(a, b):
    a, b = tensors(a), tensors(b)
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert x.dtype == y.dtype and x.shape == y.shape
        torch.testing.assert_close(x.resolve_conj().resolve_neg(), y.resolve_conj().resolve_neg(), equal_nan=True)


KINDS = {
    "conj": (torch.complex128, lazy_conj, torch.is_complex),
    "neg": (torch.float64, lazy_neg, lambda t: t.dtype == torch.float64),
}
ASK = ("is_conj", "is_neg", "set_", "set", "_version")  # about the bits, the memory, or its history
CASES = [
    (op, kind)
    for op in all_ops()
    for kind, (dtype, *_) in KINDS.items()
    if dtype in op.dtypes and not op.factory and op.values and op.name not in ASK
]


def is_refused(message):
    return "memory" in message and "resolve_" in message


@pytest.mark.parametrize("op, kind", CASES, ids=[f"{op.name}-{kind}" for op, kind in CASES])
def test_every_operator(op, kind):
    dtype, make, takes = KINDS[kind]
    for s in op.samples(dtype):
        _, expected = call(op.fn, s, torch.clone, takes)
        try:
            arguments, result = call(op.fn, s, make, takes)
        except RuntimeError as e:
            if not is_refused(str(e)):
                raise
            continue
        same(result, expected)
        if op.inplace and isinstance(s.input, torch.Tensor):
            f = getattr(torch.Tensor, f"{op.name.split('.')[0]}_", None)
            if f is None:
                continue
            try:
                before, expected = call(f, s, torch.clone, takes)
            except (RuntimeError, TypeError):  # the sample has no such form: its result is of another type or shape
                continue
            arguments, result = call(f, s, make, takes)
            assert result is arguments[0] and (result.is_conj() or result.is_neg()) == takes(s.input)
            same(arguments[0], before[0])


def complex_pair():
    x = torch.tensor([[1 + 2j, 3 - 4j], [5j, -6 + 0j]])
    return x, x.conj()


def test_conj_is_a_view():
    x, y = complex_pair()
    assert y.is_conj() and not x.is_conj() and y.data_ptr() == x.data_ptr() and y._is_view()
    y[0, 0] = 7 + 1j
    assert x[0, 0].item() == 7 - 1j
    x[0, 1] = 2j
    assert y[0, 1].item() == -2j
    assert y.tolist() == [[7 + 1j, -2j], [-5j, -6 + 0j]]
    assert y.conj().is_conj() is False and y.t()[0].is_conj() and y.contiguous().is_conj() and y.detach().is_conj()
    assert not y.clone().is_conj() and not y.resolve_conj().is_conj() and not (y * 1).is_conj()
    assert not y.to(torch.complex128).is_conj() and not torch.empty_like(y).is_conj() and not y.new_zeros(1).is_conj()
    assert torch.conj(torch.ones(2)).is_conj() is False
    m = torch.ones(2, 2, dtype=torch.complex64)
    assert m.mH.is_conj() and m.H.is_conj() and torch.adjoint(m).is_conj()


def test_parts_of_a_conjugate():
    x, y = complex_pair()
    assert y.imag.is_neg() and not y.real.is_neg() and not x.imag.is_neg()
    assert y.imag.tolist() == [[-2.0, 4.0], [-5.0, -0.0]] and y.real.data_ptr() == x.data_ptr()
    y.imag.fill_(9)
    assert x.imag.tolist() == [[-9.0, -9.0], [-9.0, -9.0]]
    assert not y.imag.resolve_neg().is_neg() and not y.imag.clone().is_neg() and y.imag[0].is_neg()


def test_memory_of_a_conjugate_is_not_shown():
    x, y = complex_pair()
    for f in (lambda: torch.view_as_real(y), lambda: y.view(torch.float32), lambda: y.numpy(),
              lambda: y.imag.numpy(), lambda: y.imag.view(torch.int32)):  # fmt: skip
        with pytest.raises(RuntimeError, match="resolve_(conj|neg)"):
            f()
    for f in (y.__dlpack__, y.imag.__dlpack__):
        with pytest.raises(BufferError, match="memory"):
            f()
    assert y.numpy(force=True).tolist() == y.tolist() and y.imag.numpy(force=True).tolist() == y.imag.tolist()
    with pytest.raises(RuntimeError, match="bool"):
        torch.ones(2, dtype=torch.bool)._neg_view()
    with pytest.raises(RuntimeError, match="complex"):
        torch._conj(torch.ones(2))


def test_files_and_copies_keep_the_bits():
    x, y = complex_pair()
    file = io.BytesIO()
    part = y.imag.clone().neg()._neg_view()
    torch.save({"x": x, "y": y, "part": part}, file)
    file.seek(0)
    loaded = torch.load(file)
    assert loaded["y"].is_conj() and loaded["part"].is_neg()
    assert loaded["y"].tolist() == y.tolist() and loaded["part"].tolist() == y.imag.tolist()
    assert loaded["y"].data_ptr() == loaded["x"].data_ptr()
    for twin in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        assert twin.is_conj() and twin.tolist() == y.tolist()


def test_gradients_pass_through_the_bits():
    torch.manual_seed(0)
    x = torch.randn(3, 2, dtype=torch.complex128, requires_grad=True)

    def functions():
        yield lambda v: v.conj() * v.conj().imag
        yield lambda v: v.conj().mT @ v.conj()
        yield lambda v: v.conj().imag.sin()
        yield lambda v: torch.view_as_real(v.conj().resolve_conj()).prod(-1)

        def change_conjugate(v):
            base = v * 1
            base.conj()[0].mul_(2j)
            base.conj().imag[1].mul_(3)
            return base.conj().t()

        yield change_conjugate

        def change_base(v):
            base = v * 1
            y, part = base.conj(), base.conj().imag
            base.mul_(v)
            return y * part

        yield change_base

    for f in functions():
        assert torch.autograd.gradcheck(f, x) and torch.autograd.gradgradcheck(f, x)
        assert torch.autograd.gradcheck(f, x, check_forward_ad=True)


def test_two_arguments_and_lists():
    x, y = complex_pair()
    assert torch.equal(torch.cat([x, y]), torch.cat([x, y.resolve_conj()]))
    a, b = [x.clone(), x.clone().conj()], [x.clone(), x.clone().conj().resolve_conj()]
    torch._foreach_mul_(a, 2j)
    torch._foreach_mul_(b, 2j)
    assert all(torch.equal(p, q) for p, q in zip(a, b)) and a[1].is_conj()
    out = torch.zeros(2, 2, dtype=torch.complex64).conj()
    assert torch.add(x, y, out=out) is out and torch.equal(out, x + x.conj_physical()) and out.is_conj()
    same_memory = x.clone()
    same_memory.copy_(same_memory.conj())
    assert same_memory.tolist() == y.tolist()


def test_modes_see_resolved_tensors_and_meta_works():
    y = torch.ones(2, dtype=torch.complex64, device="meta").conj()
    assert y.is_conj() and (y + 1).device.type == "meta" and y.imag.is_neg()
