"""Modules: registration, hooks, state, traversal, representation."""

import copy
import pickle

import numpy as np
import pytest

import torch
import torch.nn as nn
import torch.nn.functional as F


def small():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))


def test_state_dict_order_and_repr():
    model = small()
    assert list(model.state_dict()) == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
        "4.weight",
        "4.bias",
    ]
    assert repr(nn.Sequential(nn.Linear(2, 1), nn.ReLU())) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=1, bias=True)\n  (1): ReLU()\n)"
    )
    assert repr(nn.ModuleList([nn.ReLU(), nn.ReLU()])) == "ModuleList(\n  (0-1): 2 x ReLU()\n)"


def test_initial_values_follow_the_seed():
    torch.manual_seed(0)
    weight = nn.Linear(3, 2).weight
    expected = [[-0.0043225, 0.3097159, -0.4751853], [-0.4248946, -0.2223690, 0.1548207]]
    np.testing.assert_allclose(weight.detach().numpy(), expected, atol=1e-6)


def test_load_state_dict_errors():
    linear = nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        linear.load_state_dict({"weight": torch.ones(3, 2), "bias": torch.ones(2)})
    with pytest.raises(RuntimeError, match='Missing key.*"bias"'):
        linear.load_state_dict({"weight": torch.ones(2, 2)})
    found = linear.load_state_dict({"weight": torch.ones(2, 2), "other": torch.ones(1)}, strict=False)
    assert found.missing_keys == ["bias"] and found.unexpected_keys == ["other"]
    assert repr(linear.load_state_dict(linear.state_dict())) == "<All keys matched successfully>"


def test_registration_errors():
    linear = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        linear.weight = torch.ones(2)
    with pytest.raises(KeyError):
        linear.register_buffer("a.b", None)
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'nothing'"):
        linear.nothing  # noqa: B018

    class Early(nn.Module):
        def __init__(self):
            self.x = nn.Parameter(torch.ones(1))

    with pytest.raises(AttributeError, match="before Module.__init__"):
        Early()


def test_buffers():
    module = nn.Module()
    module.register_buffer("kept", torch.ones(1))
    module.register_buffer("lost", torch.ones(1), persistent=False)
    module.third = nn.Buffer(torch.zeros(2))
    assert list(module.state_dict()) == ["kept", "third"]
    assert [name for name, _ in module.named_buffers()] == ["kept", "lost", "third"]


def test_conversion_keeps_parameters_and_integers():
    model = small()
    before = list(model.parameters())
    model.double()
    assert all(a is b and a.dtype == torch.float64 for a, b in zip(before, model.parameters(), strict=True))
    assert model[1].num_batches_tracked.dtype == torch.int64
    with pytest.raises(TypeError):
        model.to(torch.int32)


def test_forward_hooks():
    seen = []
    linear = nn.Linear(2, 2)
    handles = [
        linear.register_forward_pre_hook(lambda m, args: (args[0] * 2,)),
        linear.register_forward_hook(lambda m, args, out: seen.append(args[0].tolist()) or out + 1),
    ]
    x = torch.ones(1, 2)
    torch.testing.assert_close(linear(x), F.linear(x * 2, linear.weight, linear.bias) + 1)
    assert seen == [[[2.0, 2.0]]]
    for handle in handles:
        handle.remove()
    torch.testing.assert_close(linear(x), F.linear(x, linear.weight, linear.bias))


def test_full_backward_hook():
    seen = []
    linear = nn.Linear(2, 1, bias=False)
    linear.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0].tolist(), go[0].tolist())))
    x = torch.ones(1, 2, requires_grad=True)
    linear(x).sum().backward()
    assert seen == [(linear.weight.tolist(), [[1.0]])]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle(protocol):
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    twin = pickle.loads(pickle.dumps(model, protocol=protocol))
    assert torch.equal(twin(torch.ones(2)), model(torch.ones(2)))


def test_copy_and_pickle():
    model = small()
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert repr(twin) == repr(model)
        for a, b in zip(model.state_dict().values(), twin.state_dict().values(), strict=True):
            assert torch.equal(a, b) and a.data_ptr() != b.data_ptr()


def test_batch_norm_statistics():
    norm = nn.BatchNorm1d(3)
    x = torch.arange(12.0).reshape(4, 3)
    out = norm(x)
    data = x.numpy()
    expected = (data - data.mean(0)) / np.sqrt(data.var(0) + 1e-5)
    np.testing.assert_allclose(out.detach().numpy(), expected, atol=1e-5)
    np.testing.assert_allclose(norm.running_mean.numpy(), 0.1 * data.mean(0), rtol=1e-6)
    np.testing.assert_allclose(norm.running_var.numpy(), 0.9 + 0.1 * data.var(0, ddof=1), rtol=1e-6)


def test_containers():
    layers = nn.ModuleList([nn.Linear(1, 1), nn.ReLU()])
    layers.append(nn.Tanh())
    layers.insert(1, nn.Identity())
    assert [type(m).__name__ for m in layers] == ["Linear", "Identity", "ReLU", "Tanh"]
    del layers[0]
    assert list(layers._modules) == ["0", "1", "2"] and isinstance(layers[-1], nn.Tanh)
    named = nn.ModuleDict({"a": nn.ReLU()})
    named["b"] = nn.Tanh()
    assert list(named.keys()) == ["a", "b"] and "a" in named
    assert len(list(nn.ParameterList([torch.ones(1), nn.Parameter(torch.ones(2))]).parameters())) == 2


def test_attention_hides_the_future():
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(1, 4, 8)
    mask = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1)
    out, weights = attention(x, x, x, attn_mask=mask)
    assert torch.equal(weights.triu(1), torch.zeros_like(weights))
    fast, _ = attention(x, x, x, attn_mask=mask, need_weights=False)
    torch.testing.assert_close(out, fast)


def test_clip_grad_norm():
    parameter = nn.Parameter(torch.ones(4))
    parameter.grad = torch.full((4,), 3.0)
    total = nn.utils.clip_grad_norm_([parameter], 1.0)
    assert total.item() == pytest.approx(6.0)
    np.testing.assert_allclose(parameter.grad.numpy(), 0.5, rtol=1e-5)


def test_trunc_normal_stays_inside():
    values = nn.init.trunc_normal_(torch.empty(1000), std=2.0, a=-1.0, b=0.5)
    assert -1.0 <= values.min() and values.max() <= 0.5


# --- attribute look-up of subclasses ------------------------------------------------------------------------


class _Mixin:
    label = "mixin"


class _MixedIn(_Mixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return self.inner(x) * self.weight


class _Wrapper(nn.Module):
    """Forwards missing attributes, as wrappers of models do."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "model":
                raise
            return getattr(self.model, name)


def test_a_mixin_may_stand_before_module():
    net = _MixedIn()
    assert net.weight is net._parameters["weight"] and net.label == "mixin"
    assert net(torch.ones(1, 2)).shape == (1, 2) and len(list(net.parameters())) == 3
    with pytest.raises(AttributeError, match="'_MixedIn' object has no attribute 'nothing'"):
        _ = net.nothing


def test_a_subclass_may_pass_look_up_on():
    wrapper = _Wrapper(_MixedIn())
    assert wrapper.weight is wrapper.model.weight and wrapper.label == "mixin" and isinstance(wrapper.model, _MixedIn)
    with pytest.raises(AttributeError, match="'_MixedIn' object has no attribute 'nothing'"):
        _ = wrapper.nothing
    assert _Wrapper(_Wrapper(nn.Linear(2, 3))).out_features == 3


def test_look_up_is_that_of_module_in_plain_subclasses():
    class Own(nn.Module):
        def __getattribute__(self, name):
            return 7 if name == "seven" else super().__getattribute__(name)

    assert Own().seven == 7 and Own().training is True
    assert nn.Module.__getattr__(nn.Linear(2, 2), "weight").shape == (2, 2)

    class Named(nn.Module):
        def __init_subclass__(cls, tag="", **kwargs):
            super().__init_subclass__(**kwargs)
            cls.tag = tag

    class Tagged(Named, tag="x"):
        pass

    assert Tagged.tag == "x" and Tagged().training
    with pytest.raises(TypeError):
        type("Bad", (nn.Module,), {}, unknown=1)
