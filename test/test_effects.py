"""Operators with effects: they stay in graphs, and tokens keep their order."""

import pytest

import torch
from torch import fx, library
from torch._higher_order_ops.effects import has_effects, new_token, with_effects
from torch._library.effects import EffectType, effect_of, register_effect
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

SEEN = []


@library.custom_op("test_effects::note", mutates_args=())
def note(x: torch.Tensor) -> torch.Tensor:
    SEEN.append(x.sum().item())
    return x + 0


@pytest.fixture
def effects():
    register_effect(note, EffectType.ORDERED)
    yield
    register_effect(note, None)
    SEEN.clear()


def program(x):
    note(x)
    y = note(x * 2)
    return y + 1


def test_registration(effects):
    op = torch.ops.test_effects.note.default
    assert effect_of(op) is EffectType.ORDERED and has_effects(op) and not has_effects(torch.ops.aten.neg.default)
    register_effect("test_effects::note", None)
    assert not has_effects(op)
    for call in (lambda: register_effect(3, None), lambda: register_effect(note, "ordered")):
        with pytest.raises(TypeError, match="expected an"):
            call()


def test_calls_with_effects_are_not_removed(effects):
    x = torch.ones(2)
    module = make_fx(program)(x)
    module.graph.eliminate_dead_code()
    module.recompile()
    SEEN.clear()
    assert torch.equal(module(x), torch.full((2,), 3.0)) and SEEN == [2, 4]
    register_effect(note, None)
    module.graph.eliminate_dead_code()
    module.recompile()
    SEEN.clear()
    module(x)
    assert SEEN == [4]


def test_tokens_order_calls(effects):
    def functional(x):
        with FunctionalTensorMode():
            return FunctionalTensor.from_functional(program(FunctionalTensor.to_functional(x)))

    x = torch.ones(2)
    assert torch.equal(functional(x), torch.full((2,), 3.0)) and SEEN == [2, 4]
    module = make_fx(functional)(x)
    first, second = (node for node in module.graph.nodes if node.target is with_effects)
    token = next(user for user in first.users if user.args[1] == 0)
    assert second.args[0] is token and second.args[1] is torch.ops.test_effects.note.default
    SEEN.clear()
    assert torch.equal(module(x), torch.full((2,), 3.0)) and SEEN == [2, 4]
    assert torch.equal(fx.Interpreter(module).run(x), torch.full((2,), 3.0))


def test_with_effects():
    token, out = with_effects(new_token(), torch.ops.aten.neg.default, torch.ones(1))
    assert token.shape == (0,) and out.item() == -1
    assert [t.shape for t in with_effects(new_token(), torch.ops.aten.max.dim, torch.ones(2, 3), 1)] == [(0,), (2,), (2,)]
