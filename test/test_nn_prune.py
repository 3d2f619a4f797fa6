"""Pruning: masks, several prunings of one parameter, pruning over several modules, and its end."""

import pytest

import torch
from torch import nn
from torch.nn.utils import prune


def linear():
    torch.manual_seed(0)
    return nn.Linear(5, 4)


def test_l1_unstructured():
    m = linear()
    before = m.weight.detach().clone()
    prune.l1_unstructured(m, "weight", amount=8)
    limit = before.abs().flatten().kthvalue(8).values
    assert torch.equal(m.weight_mask, (before.abs() > limit).float())
    assert torch.equal(m.weight, before * m.weight_mask) and torch.equal(m.weight_orig, before)
    assert [name for name, _ in m.named_parameters()] == ["bias", "weight_orig"]
    m(torch.ones(1, 5)).sum().backward()
    assert torch.equal(m.weight_orig.grad == 0, m.weight_mask == 0)


def test_importance_scores():
    m = prune.l1_unstructured(linear(), "bias", 2, importance_scores=torch.tensor([3.0, 1.0, 0.0, 2.0]))
    assert m.bias_mask.tolist() == [1.0, 0.0, 0.0, 1.0]
    with pytest.raises(AssertionError, match="importance_scores"):
        prune.l1_unstructured(linear(), "bias", 2, importance_scores=torch.ones(3))


@pytest.mark.parametrize("n", [1, 2, float("inf"), float("-inf")])
def test_ln_structured(n):
    m = linear()
    norms = m.weight.detach().norm(n, dim=0)
    prune.ln_structured(m, "weight", amount=0.4, n=n, dim=1)
    assert sorted(norms[m.weight_mask.sum(0) == 0].tolist()) == sorted(norms.tolist())[:2]


def test_random_pruning_has_the_amount():
    m = prune.random_unstructured(linear(), "weight", amount=0.25)
    assert int((m.weight_mask == 0).sum()) == 5
    m = prune.random_structured(linear(), "weight", amount=2, dim=0)
    assert sorted(m.weight_mask.sum(1).tolist()) == [0.0, 0.0, 5.0, 5.0]


def test_prunings_add_up():
    m = prune.ln_structured(linear(), "weight", amount=1, n=2, dim=0)
    prune.l1_unstructured(m, "weight", amount=5)
    prune.random_structured(m, "weight", amount=1, dim=0)
    (container,) = m._forward_pre_hooks.values()
    assert [type(method).__name__ for method in container] == ["LnStructured", "L1Unstructured", "RandomStructured"]
    assert int((m.weight_mask.sum(1) == 0).sum()) == 2


def test_global_unstructured():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 4), nn.Linear(4, 2))
    places = [(net[0], "weight"), (net[1], "weight")]
    values = torch.cat([m.weight.detach().abs().flatten() for m in net])
    prune.global_unstructured(places, prune.L1Unstructured, amount=10)
    masks = torch.cat([m.weight_mask.flatten() for m in net])
    assert torch.equal(masks == 0, values <= values.kthvalue(10).values)
    prune.global_unstructured(places, prune.L1Unstructured, amount=4)
    assert int(sum((m.weight_mask == 0).sum() for m in net)) == 14
    with pytest.raises(TypeError, match="single elements"):
        prune.global_unstructured(places, prune.LnStructured, amount=1, n=2)
    with pytest.raises(TypeError, match="dictionary"):
        prune.global_unstructured(places, prune.L1Unstructured, importance_scores=[1], amount=1)


def test_end_of_pruning():
    m = prune.custom_from_mask(linear(), "bias", torch.tensor([0, 1, 0, 1]))
    original = m.bias_orig
    assert prune.is_pruned(nn.Sequential(m))
    prune.remove(m, "bias")
    assert m.bias is original and m.bias[0] == 0 and m.bias[1] != 0 and not prune.is_pruned(m)
    assert sorted(m.state_dict()) == ["bias", "weight"]
    with pytest.raises(ValueError, match="not pruned"):
        prune.remove(m, "bias")


@pytest.mark.parametrize("amount, error", [("x", TypeError), (-1, ValueError), (1.5, ValueError), (100, ValueError)])
@pytest.mark.parametrize("apply", [
    lambda m, amount: prune.l1_unstructured(m, "weight", amount),
    lambda m, amount: prune.random_unstructured(m, "weight", amount),
    lambda m, amount: prune.ln_structured(m, "weight", amount, 2, 0),
    lambda m, amount: prune.random_structured(m, "weight", amount, 0),
])  # fmt: skip
def test_a_refused_amount_leaves_the_module_as_it_is(apply, amount, error):
    m = linear()
    with pytest.raises(error, match="amount"):
        apply(m, amount)
    assert list(m.state_dict()) in (["weight", "bias"], ["bias", "weight"]) and not prune.is_pruned(m)


def test_slices_need_two_dimensions():
    with pytest.raises(ValueError, match="2 or more dimensions"):
        prune.ln_structured(linear(), "bias", 1, 2, 0)
    with pytest.raises(IndexError, match="dim=4"):
        prune.random_structured(linear(), "weight", 1, 4)


def test_containers():
    with pytest.raises(TypeError):
        prune.BasePruningMethod()
    one, other = prune.Identity(), prune.Identity()
    one._tensor_name, other._tensor_name = "weight", "bias"
    container = prune.PruningContainer(one)
    with pytest.raises(ValueError, match="prunes one tensor"):
        container.add_pruning_method(other)
    with pytest.raises(TypeError, match="BasePruningMethod"):
        container.add_pruning_method(3)
    assert len(container) == 1 and container[0] is one
