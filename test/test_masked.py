"""Operators of torch.masked against numpy.ma, and masked tensors: operators, views, reductions, gradients, errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import torch
from torch import masked
from torch.masked import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor

t = torch.tensor
X = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
MASK = torch.rand(3, 4, 5, generator=torch.Generator().manual_seed(1)) > 0.4
MASK[0, :, 1] = False
MASK[1, 2] = False


def reference(name, dim):
    """numpy.ma's result, and where elements are left. Its product takes no tuple."""
    mask = MASK.numpy()
    if name == "prod":
        return np.where(mask, X.numpy(), 1.0).prod(dim), mask.any(dim)
    return np.ma.getdata(getattr(np.ma.array(X.numpy(), mask=~mask), name)(dim)), mask.any(dim)


DIMS = [None, 0, -1, (0, 2), (1,)]


@pytest.mark.parametrize("dim", DIMS, ids=str)
@pytest.mark.parametrize("name, empty", [("sum", 0), ("prod", 1), ("amax", -np.inf), ("amin", np.inf), ("mean", np.nan)])
def test_reductions(name, empty, dim):
    expected, left = reference(name.removeprefix("a"), dim)
    result = getattr(masked, name)(X, dim, mask=MASK)
    np.testing.assert_allclose(result.numpy(), np.where(left, expected, empty), rtol=1e-12)
    kept = getattr(masked, name)(X, dim, keepdim=True, mask=MASK)
    assert kept.dim() == 3 and torch.equal(kept.flatten().nan_to_num(), result.flatten().nan_to_num())
    whole = torch.ones_like(MASK)
    torch.testing.assert_close(getattr(masked, name)(X, dim), getattr(masked, name)(X, dim, mask=whole))
    if name != "prod":
        torch.testing.assert_close(getattr(masked, name)(X, dim), getattr(torch, name)(X, dim))


@pytest.mark.parametrize("dim", DIMS, ids=str)
@pytest.mark.parametrize("correction", [0, 1])
def test_variance(dim, correction):
    left = MASK.numpy().sum(dim)
    array = np.ma.array(X.numpy(), mask=~MASK.numpy())
    squares = np.ma.getdata(((array - array.mean(dim, keepdims=True)) ** 2).sum(dim))
    expected = np.where(left > correction, squares / np.maximum(left - correction, 1), np.nan)
    result = masked.var(X, dim, correction=correction, mask=MASK)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-10, equal_nan=True)
    torch.testing.assert_close(masked.std(X, dim, bool(correction), mask=MASK), result.sqrt(), equal_nan=True)
    torch.testing.assert_close(masked.var(X, dim, correction=correction), torch.var(X, dim, correction=correction))


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_along_one_dimension(dim):
    filled = X.masked_fill(~MASK, -torch.inf)
    torch.testing.assert_close(masked.softmax(X, dim, mask=MASK), torch.softmax(filled, dim), equal_nan=True)
    torch.testing.assert_close(masked.log_softmax(X, dim, mask=MASK), torch.log_softmax(filled, dim), equal_nan=True)
    torch.testing.assert_close(masked.softmin(-X, dim, mask=MASK), torch.softmax(filled, dim), equal_nan=True)
    torch.testing.assert_close(masked.logsumexp(X, dim, mask=MASK), torch.logsumexp(filled, dim))
    torch.testing.assert_close(masked.cumsum(X, dim, mask=MASK), X.masked_fill(~MASK, 0).cumsum(dim))
    torch.testing.assert_close(masked.cumprod(X, dim, mask=MASK), X.masked_fill(~MASK, 1).cumprod(dim))
    left = MASK.any(dim)
    assert torch.equal(masked.argmax(X, dim, mask=MASK)[left], filled.argmax(dim)[left].double())
    assert torch.equal(masked.argmin(-X, dim, mask=MASK)[left], filled.argmax(dim)[left].double())
    expected = X.masked_fill(~MASK, torch.nan).nanmedian(dim).values
    torch.testing.assert_close(masked.median(X, dim, mask=MASK), expected, equal_nan=True)
    for order in (1.0, 2.0, 3.0, torch.inf):
        norm = torch.linalg.vector_norm(X.masked_fill(~MASK, 0), order, dim)
        torch.testing.assert_close(masked.norm(X, order, dim, mask=MASK), norm)
        normalized = masked.normalize(X, order, dim, mask=MASK)
        torch.testing.assert_close(normalized, X.masked_fill(~MASK, 0) / norm.unsqueeze(dim).clamp(min=1e-12))
    smallest = torch.linalg.vector_norm(X.masked_fill(~MASK, torch.inf), -torch.inf, dim)
    torch.testing.assert_close(masked.norm(X, -torch.inf, dim, mask=MASK), smallest)


def test_logaddexp():
    low = X.masked_fill(~MASK, -torch.inf)
    torch.testing.assert_close(masked.logaddexp(X, X, input_mask=MASK), torch.logaddexp(low, X))
    torch.testing.assert_close(masked.logaddexp(X, X, input_mask=MASK, other_mask=~MASK), X)
    assert masked.logaddexp(X, X, dtype=torch.float32).dtype is torch.float32


def test_dtypes_and_masks():
    x = t([[3, 1, 2], [6, 5, 4]], dtype=torch.int32)
    mask = t([True, False, True])
    assert torch.equal(masked.sum(x, 1, mask=mask), t([5, 10]))
    assert masked.amax(x, 1, mask=mask).dtype is torch.int32 and masked.cumsum(x, 1, mask=mask).dtype is torch.int32
    assert torch.equal(masked.sum(x, 1, mask=mask.int()), t([5, 10]))
    assert masked.sum(x, dtype=torch.float64).dtype is torch.float64 and masked.mean(x, dtype=torch.float32) == 3.5
    assert torch.equal(masked.amin(x, 1, mask=~torch.ones_like(x).bool()), t([2**31 - 1] * 2, dtype=torch.int32))
    assert torch.equal(masked.median(x, 1, mask=mask), t([2, 4], dtype=torch.int32))
    assert masked.sum(x, ()) == 21 and masked.prod(t(3.0), mask=t(False)) == 1


@pytest.mark.parametrize("call, error, text", [
    (lambda: masked.sum(X, 3), IndexError, "out of range"), (lambda: masked.sum(X, (0, 0)), RuntimeError, "twice"),
    (lambda: masked.sum(X, 0, mask=MASK[None]), IndexError, "more than"),
    (lambda: masked.sum(X, mask=torch.ones(7) > 0), RuntimeError, "expand"),
    (lambda: masked.mean(X.int()), ValueError, "dtype"), (lambda: masked.amax(MASK, mask=MASK), NotImplementedError, "identity"),
    (lambda: masked.var(X, 0, True, correction=1), RuntimeError, "not both"),
    (lambda: masked.sum(3), TypeError, "must be a Tensor"),
    (lambda: masked.median(t([1, 2]), mask=t([False, False])), ValueError, "no element"),
])  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_gradients_are_zero_where_masked():
    for function in (masked.sum, masked.mean, masked.amax, masked.std, masked.logsumexp, masked.norm):
        x = X.clone().requires_grad_()
        function(x, mask=MASK).backward()
        assert (x.grad[~MASK] == 0).all() and (x.grad[MASK] != 0).any()


A = t([[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0]])
M = t([[True, False, True], [False, False, False]])


def test_creation():
    data, mask = A.clone(), M.clone()
    a = masked_tensor(data, mask)
    data.zero_(), mask.zero_()
    assert torch.equal(a.get_data(), A) and torch.equal(a.get_mask(), M) and type(a.get_data()) is torch.Tensor
    assert is_masked_tensor(a) and not is_masked_tensor(A) and isinstance(a, torch.Tensor)
    shared = as_masked_tensor(A, M)
    assert shared.get_data().data_ptr() == A.data_ptr()
    assert torch.equal(a.to_tensor(9), t([[-3.0, 9.0, -1.0], [9.0, 9.0, 9.0]]))
    assert a.shape == A.shape and a.dtype is torch.float32 and len(a) == 2 and a.numel() == 6 and a.dim() == 2
    for other in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert repr(other) == repr(a) and torch.equal(other.get_mask(), M)


def test_repr():
    expected = "MaskedTensor(\n  [\n    [ -3.0000,       --,  -1.0000],\n    [      --,       --,       --]\n  ]\n)"
    assert repr(masked_tensor(A, M)) == expected
    assert repr(masked_tensor(t(1.0), t(True))) == "MaskedTensor(  1.0000, True)"
    assert repr(masked_tensor(t(1), t(False))) == "MaskedTensor(--, False)"
    assert repr(masked_tensor(t([1, 2]), t([False, True]))) == "MaskedTensor(\n  [      --, 2]\n)"


def same(result, data, mask):
    assert is_masked_tensor(result) and result.shape == data.shape
    assert torch.equal(result.get_mask(), mask)
    torch.testing.assert_close(result.get_data()[mask], data[mask])


@pytest.mark.parametrize("function", [
    torch.abs, torch.exp, torch.sin, torch.tanh, torch.sigmoid, torch.neg, torch.relu, torch.square, lambda x: -x, abs,
    lambda x: x.clamp(-2, 1), lambda x: x**2, lambda x: x.double(), lambda x: x.to(torch.int32), lambda x: x.clone(),
    lambda x: x + 1, lambda x: 2 - x, lambda x: 1 / x, lambda x: x > -2, lambda x: x == -3, lambda x: x + A, lambda x: x * A[0],
    lambda x: torch.ones_like(x), lambda x: x.nan_to_num(), lambda x: torch.nn.functional.relu(x), lambda x: x.detach(),
])  # fmt: skip
def test_elementwise(function):
    same(function(masked_tensor(A, M)), function(A), M)


@pytest.mark.parametrize("function", [
    torch.add, torch.sub, torch.mul, torch.div, torch.maximum, torch.fmod, torch.atan2, torch.lt, lambda x, y: x + y,
    lambda x, y: x / y, lambda x, y: x <= y, lambda x, y: torch.add(x, y, alpha=2), lambda x, y: torch.where(A > -2, x, y),
])  # fmt: skip
def test_of_two(function):
    same(function(masked_tensor(A, M), masked_tensor(A + 0.5, M)), function(A, A + 0.5), M)


VIEWS = [
    lambda x: x[0], lambda x: x[:, 1:], lambda x: x[..., None], lambda x: x.reshape(3, 2), lambda x: x.view(6), lambda x: x.T,
    lambda x: x.t(), lambda x: x.transpose(0, 1), lambda x: x.permute(1, 0), lambda x: x.unsqueeze(1), lambda x: x.flatten(),
    lambda x: x.expand(2, 2, 3), lambda x: x.select(1, 0), lambda x: x.narrow(1, 0, 2), lambda x: x.split(1)[1],
    lambda x: x.chunk(2)[0], lambda x: x.unbind()[1], lambda x: x[t([1, 0])], lambda x: x.mT, lambda x: list(x)[0],
    lambda x: torch.cat([x, x]), lambda x: torch.stack([x, x], 1), lambda x: x.flip(0), lambda x: x.squeeze(),
]  # fmt: skip


@pytest.mark.parametrize("function", VIEWS)
def test_views(function):
    result = function(masked_tensor(A, M))
    same(result, function(A), function(M))


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "std", "var"])
def test_reductions_of_masked_tensors(name):
    a = masked_tensor(X, MASK)
    for result in (getattr(a, name)(1), getattr(torch, name)(a, dim=1)):
        assert torch.equal(result.get_mask(), MASK.any(1))
        expected = getattr(masked, name)(X, 1, mask=MASK)
        torch.testing.assert_close(result.get_data(), expected, equal_nan=True)
    whole = getattr(a, name)()
    assert whole.dim() == 0 and whole.get_mask() and whole.item() == pytest.approx(float(getattr(masked, name)(X, mask=MASK)))
    assert getattr(a, name)(1, keepdim=True).shape == (3, 1, 5)


def test_all_norm_and_softmax():
    a = masked_tensor(A, M)
    assert (a < 0).all().item() is True and (a < -2).all().item() is False
    assert a.norm().item() == pytest.approx(10**0.5)
    torch.testing.assert_close(a.softmax(1).get_data()[0], masked.softmax(A, 1, mask=M)[0])
    assert torch.equal(torch.softmax(a, 1).get_mask(), M) and torch.equal(a.cumsum(1).get_mask(), M)


def test_operators_take_masked_tensors():
    assert torch.equal(masked.sum(masked_tensor(A, M), 1), t([-4.0, 0.0]))
    assert torch.equal(masked.sum(masked_tensor(A, M), 1, mask=t([True, True, False])), t([-3.0, 0.0]))


def test_in_place():
    a = masked_tensor(A, M)
    same(a.add_(1), A + 1, M)
    a *= 2
    same(a, (A + 1) * 2, M)
    a += masked_tensor(A, M)
    same(a, (A + 1) * 2 + A, M)


def test_autograd():
    x = t([4.0, -1.0, 9.0], requires_grad=True)
    as_masked_tensor(x, x.detach() > 0).sqrt().sum().backward()
    assert torch.equal(x.grad, t([0.25, 0.0, 0.5 / 3]))  # 0, not the NaN of the root of -1
    leaf = masked_tensor(A, M, requires_grad=True)
    (leaf * leaf).sum().backward()
    same(leaf.grad, 2 * A, M)
    leaf.grad = None
    assert leaf.grad is None and leaf.requires_grad and leaf.is_leaf
    with pytest.warns(UserWarning, match="as_masked_tensor"):
        masked_tensor(x, x.detach() > 0)


@pytest.mark.parametrize("call, error, text", [
    (lambda a: a + masked_tensor(A, ~M), ValueError, "must be equal"), (lambda a: a @ a.T, TypeError, "not defined"),
    (lambda a: a.tolist(), TypeError, "not defined"), (lambda a: masked_tensor(a, M), TypeError, "data must be a Tensor"),
    (lambda a: masked_tensor(1, M), TypeError, "data must be a Tensor"), (lambda a: masked_tensor(A, M.int()), TypeError, "bool"),
    (lambda a: masked_tensor(A, M[0]), ValueError, "same shape"), (lambda a: masked_tensor(A.cfloat(), M), TypeError, "complex"),
    (lambda a: a[1, 1].item(), ValueError, "masked out"), (lambda a: A.clone().add_(a), TypeError, "without a mask"),
    (lambda a: as_masked_tensor(A, 3), TypeError, "mask must be a Tensor"), (lambda a: A[a > 0], TypeError, "index"),
    (lambda a: torch.where(a > 0, a, a), TypeError, "condition"),
])  # fmt: skip
def test_errors_of_masked_tensors(call, error, text):
    with pytest.raises(error, match=text):
        call(MaskedTensor(A, M))


def test_a_number_minus_a_subclass():
    """`2 - x` reaches `__torch_function__` of a subclass as torch.rsub."""

    class Plain(torch.Tensor):
        pass

    result = 2 - torch.ones(2).as_subclass(Plain)
    assert type(result) is Plain and result.tolist() == [1.0, 1.0]
