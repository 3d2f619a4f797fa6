"""Parametrizations of modules, and weight, spectral and orthogonal normalization by them."""

import copy
import pickle

import pytest

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, a):
        return a.triu()


class Outer(nn.Module):
    """A matrix of rank 1, kept as two vectors."""

    def forward(self, x, y):
        return x.unsqueeze(-1) @ y.unsqueeze(-2)

    def right_inverse(self, matrix):
        u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
        return u[:, 0] * s[0].sqrt(), vh[0] * s[0].sqrt()


class Doubled(nn.Module):
    def forward(self, x):
        return x * 2


def test_a_parametrized_tensor_is_computed_at_each_reading():
    m = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    assert torch.equal(m.weight, m.weight.mT) and m.weight is not m.weight
    assert list(m.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert type(m).__name__ == "ParametrizedLinear" and isinstance(m, nn.Linear)
    assert parametrize.type_before_parametrizations(m) is nn.Linear
    m(torch.ones(1, 3)).sum().backward()
    assert m.parametrizations.weight.original.grad is not None


def test_cached():
    m = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    with parametrize.cached():
        with parametrize.cached():
            first = m.weight
        assert m.weight is first
    assert m.weight is not first and not parametrize._cache


def test_assignment_goes_through_right_inverse():
    m = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    m.weight = torch.tensor([[1.0, 2.0], [2.0, 3.0]])
    assert m.parametrizations.weight.original.tolist() == [[1.0, 2.0], [0.0, 3.0]]
    parametrize.register_parametrization(m, "weight", Doubled())
    assert m.weight.tolist() == [[2.0, 4.0], [4.0, 6.0]]
    with pytest.raises(RuntimeError, match="Doubled has no right_inverse"):
        m.weight = torch.ones(2, 2)


def test_several_originals():
    torch.manual_seed(0)
    m = parametrize.register_parametrization(nn.Linear(4, 3), "weight", Outer())
    assert [name for name, _ in m.named_parameters()] == [
        "bias", "parametrizations.weight.original0", "parametrizations.weight.original1",
    ]  # fmt: skip
    assert m.parametrizations.weight.ntensors == 2 and not m.parametrizations.weight.is_tensor
    target = torch.outer(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 0.0, 1.0, 2.0]))
    m.weight = target
    torch.testing.assert_close(m.weight, target, atol=1e-5, rtol=0)
    with pytest.raises(ValueError, match="no original"):
        parametrize.remove_parametrizations(m, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(m, "weight")
    assert type(m) is nn.Linear and isinstance(m.weight, nn.Parameter)
    torch.testing.assert_close(m.weight.detach(), target, atol=1e-5, rtol=0)


def test_removal():
    m = parametrize.register_parametrization(nn.BatchNorm1d(2), "weight", Doubled())
    parametrize.register_parametrization(m, "running_var", Doubled())
    parametrize.remove_parametrizations(m, "running_var")
    assert m.running_var.tolist() == [2.0, 2.0] and "running_var" in m._buffers
    parametrize.remove_parametrizations(m, "weight", leave_parametrized=False)
    assert m.weight.tolist() == [1.0, 1.0] and type(m) is nn.BatchNorm1d and not parametrize.is_parametrized(m)
    with pytest.raises(ValueError, match="no parametrization"):
        parametrize.remove_parametrizations(m, "weight")


def test_optimizers_keep_the_parameter():
    m = nn.Linear(2, 2)
    before = m.weight
    parametrize.register_parametrization(m, "weight", Symmetric())
    assert m.parametrizations.weight.original is before
    parametrize.remove_parametrizations(m, "weight")
    assert m.weight is before


class Cut(nn.Module):
    def forward(self, x):
        return x[:1]


class Wide(nn.Module):
    def forward(self, x):
        return x.double()


@pytest.mark.parametrize("kind", [Cut, Wide])
def test_shape_and_dtype_are_checked(kind):
    with pytest.raises(ValueError, match="must keep the"):
        parametrize.register_parametrization(nn.Linear(2, 2), "weight", kind())
    m = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Doubled())
    with pytest.raises(ValueError, match="must keep the"):
        parametrize.register_parametrization(m, "weight", kind())
    assert len(m.parametrizations.weight) == 1
    parametrize.register_parametrization(m, "weight", kind(), unsafe=True)
    assert m.parametrizations.weight.unsafe
    with pytest.raises(ValueError, match="no parameter, buffer"):
        parametrize.register_parametrization(m, "nothing", Doubled())


def test_copies_and_pickles():
    m = parametrizations.weight_norm(nn.Linear(2, 2))
    replica = copy.deepcopy(m)
    assert torch.equal(replica.weight, m.weight)
    assert replica.parametrizations.weight.original0 is not m.parametrizations.weight.original0
    with pytest.raises(RuntimeError, match="cannot be pickled"):
        pickle.dumps(m)
    other = parametrizations.weight_norm(nn.Linear(2, 2))
    other.load_state_dict(m.state_dict())
    assert torch.equal(other.weight, m.weight)


def test_transfer():
    m = parametrizations.weight_norm(nn.Linear(2, 2))
    other = parametrize.transfer_parametrizations_and_params(m, nn.Linear(2, 2))
    assert torch.equal(other.weight, m.weight) and list(other.state_dict()) == list(m.state_dict())
    plain = nn.Linear(2, 2)
    assert parametrize.transfer_parametrizations_and_params(nn.Linear(2, 2), plain) is plain


@pytest.mark.parametrize("dim, shape", [(0, (4, 1)), (1, (1, 3)), (None, ())])
def test_weight_norm(dim, shape):
    torch.manual_seed(0)
    m = nn.Linear(3, 4)
    before = m.weight.detach().clone()
    parametrizations.weight_norm(m, dim=dim)
    torch.testing.assert_close(m.weight.detach(), before)
    assert m.parametrizations.weight.original0.shape == shape
    with torch.no_grad():
        m.parametrizations.weight.original0.mul_(2)
    torch.testing.assert_close(m.weight.detach(), before * 2)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_weight_norm_loads_old_state():
    old = nn.utils.weight_norm(nn.Linear(3, 4))
    new = parametrizations.weight_norm(nn.Linear(3, 4))
    new.load_state_dict(old.state_dict())
    torch.testing.assert_close(new.weight, old.weight)


@pytest.mark.parametrize("make, dim", [
    (lambda: nn.Linear(5, 3), 0), (lambda: nn.Conv2d(2, 3, 2), 0), (lambda: nn.ConvTranspose2d(2, 3, 2), 1),
])  # fmt: skip
def test_spectral_norm(make, dim):
    torch.manual_seed(0)
    m = parametrizations.spectral_norm(make(), n_power_iterations=50)
    matrix = m.weight.movedim(dim, 0).flatten(1)
    assert abs(torch.linalg.matrix_norm(matrix, 2).item() - 1) < 1e-4
    vectors = m.parametrizations.weight[0]._u.clone()
    m.eval()
    assert torch.equal(m.weight, m.weight) and torch.equal(m.parametrizations.weight[0]._u, vectors)
    m.weight.sum().backward()
    assert m.parametrizations.weight.original.grad.abs().sum() > 0


def test_spectral_norm_errors():
    with pytest.raises(ValueError, match="n_power_iterations"):
        parametrizations.spectral_norm(nn.Linear(2, 2), n_power_iterations=0)
    with pytest.raises(IndexError, match="dim"):
        parametrizations.spectral_norm(nn.Linear(2, 2), dim=2)
    with pytest.raises(ValueError, match="no parameter or buffer"):
        parametrizations.spectral_norm(nn.Linear(2, 2), "nothing")


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (5, 3)])
@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("trivialization", [True, False])
def test_orthogonal(name, sizes, dtype, trivialization):
    torch.manual_seed(0)
    m = nn.Linear(*sizes, dtype=dtype)
    if name == "householder" and dtype.is_complex:
        with pytest.raises(ValueError, match="real tensors only"):
            parametrizations.orthogonal(m, orthogonal_map=name)
        return
    parametrizations.orthogonal(m, orthogonal_map=name, use_trivialization=trivialization)
    for _ in range(3):
        w = m.weight if m.weight.shape[0] >= m.weight.shape[1] else m.weight.mT
        torch.testing.assert_close(w.mH @ w, torch.eye(w.shape[1], dtype=dtype))
        m.zero_grad()
        (m.weight * torch.arange(m.weight.numel()).view_as(m.weight)).abs().sum().backward()
        with torch.no_grad():
            original = m.parametrizations.weight.original
            before = original.detach().clone()
            original -= 0.1 * original.grad
        assert not torch.equal(before, original)
        if name == "householder":
            original.data.diagonal().copy_(before.diagonal())
    target = torch.linalg.qr(torch.randn(5, 5, dtype=dtype))[0][: m.weight.shape[0], : m.weight.shape[1]]
    target = torch.linalg.qr(torch.randn(4, 4, dtype=dtype))[0] if sizes == (4, 4) else target
    if trivialization or name == "householder":
        m.weight = target
        torch.testing.assert_close(m.weight.detach(), target)
    else:
        with pytest.raises(NotImplementedError, match="use_trivialization"):
            m.weight = target


def test_orthogonal_errors():
    with pytest.raises(ValueError, match="orthogonal_map is one of"):
        parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="qr")
    with pytest.raises(ValueError, match="2 or more dimensions"):
        parametrizations.orthogonal(nn.BatchNorm1d(2))
