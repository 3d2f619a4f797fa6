"""Tools around modules: normalization by hooks, fusion, memory formats, and calls with other parameters."""

from collections import OrderedDict

import pytest

import torch
from torch import nn
from torch.func import functional_call, replace_all_batch_norm_modules_, stack_module_state

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_and_its_removal(dim):
    torch.manual_seed(0)
    m = nn.Linear(3, 4)
    before, x = m.weight.detach().clone(), torch.randn(2, 3)
    nn.utils.weight_norm(m, dim=dim)
    assert list(m.state_dict()) == ["bias", "weight_g", "weight_v"]
    with torch.no_grad():
        m.weight_g.mul_(3)
    m(x).sum().backward()
    assert m.weight_g.grad is not None and m.weight_v.grad is not None
    torch.testing.assert_close(m.weight.detach(), before * 3)
    with pytest.raises(RuntimeError, match="normalized already"):
        nn.utils.weight_norm(m)
    nn.utils.remove_weight_norm(m)
    assert list(m.state_dict()) == ["bias", "weight"] and not m._forward_pre_hooks
    with pytest.raises(ValueError, match="no normalized weight"):
        nn.utils.remove_weight_norm(m)


def test_weight_norm_warns():
    with pytest.warns(FutureWarning, match="parametrizations.weight_norm"):
        nn.utils.weight_norm(nn.Linear(2, 2))


def test_modules_of_the_same_names_can_be_imported():
    from torch.nn.utils.spectral_norm import SpectralNorm
    from torch.nn.utils.weight_norm import WeightNorm

    assert callable(nn.utils.weight_norm) and callable(nn.utils.spectral_norm)
    assert WeightNorm.__module__ == "torch.nn.utils.weight_norm" and SpectralNorm().n_power_iterations == 1


@pytest.mark.parametrize("make, shape", [
    (lambda: nn.Linear(5, 3), (2, 5)), (lambda: nn.Conv2d(2, 3, 2), (1, 2, 4, 4)),
    (lambda: nn.ConvTranspose2d(2, 3, 2), (1, 2, 4, 4)),
])  # fmt: skip
def test_spectral_norm_and_its_removal(make, shape):
    torch.manual_seed(0)
    m, x = nn.utils.spectral_norm(make(), n_power_iterations=30), torch.randn(shape)
    m(x).sum().backward()
    dim = 1 if isinstance(m, nn.ConvTranspose2d) else 0
    assert abs(torch.linalg.matrix_norm(m.weight.movedim(dim, 0).flatten(1), 2).item() - 1) < 1e-4
    assert m.weight_orig.grad is not None and sorted(m.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    m.eval()
    expected = m(x)
    # Early versions saved the weight, but not v.
    old = OrderedDict((k, v.detach().clone()) for k, v in {**m.state_dict(), "weight": m.weight}.items() if k != "weight_v")
    other = nn.utils.spectral_norm(make(), n_power_iterations=30)
    other.load_state_dict(old)
    other.eval()
    torch.testing.assert_close(other(x), expected, atol=1e-4, rtol=1e-4)
    nn.utils.remove_spectral_norm(m)
    torch.testing.assert_close(m(x), expected)
    assert not m._forward_pre_hooks and not m._state_dict_hooks
    with pytest.raises(ValueError, match="no normalized weight"):
        nn.utils.remove_spectral_norm(m)


@pytest.mark.parametrize("conv, bn, transpose", [
    (lambda: nn.Conv2d(3, 4, 2), lambda: nn.BatchNorm2d(4), False),
    (lambda: nn.Conv2d(3, 4, 2, bias=False), lambda: nn.BatchNorm2d(4, affine=False), False),
    (lambda: nn.ConvTranspose2d(3, 4, 2), lambda: nn.BatchNorm2d(4), True),
])  # fmt: skip
def test_fuse_conv_bn(conv, bn, transpose):
    torch.manual_seed(0)
    conv, bn, x = conv(), bn(), torch.randn(2, 3, 5, 5)
    for _ in range(3):
        bn(conv(x * 3 + 1))
    with pytest.raises(AssertionError, match="evaluation mode"):
        nn.utils.fuse_conv_bn_eval(conv, bn, transpose)
    conv.eval()
    bn.eval()
    torch.testing.assert_close(nn.utils.fuse_conv_bn_eval(conv, bn, transpose)(x), bn(conv(x)))


def test_fuse_linear_bn():
    torch.manual_seed(0)
    linear, bn, x = nn.Linear(3, 4), nn.BatchNorm1d(4), torch.randn(5, 3)
    bn(linear(x))
    linear.eval()
    bn.eval()
    torch.testing.assert_close(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)))
    with pytest.raises(AssertionError, match="4 features"):
        nn.utils.fuse_linear_bn_eval(linear, nn.BatchNorm1d(3).eval())


def test_memory_formats_of_weights():
    m = nn.Sequential(nn.Conv2d(3, 4, 2), nn.Conv3d(2, 2, 3))
    nn.utils.convert_conv2d_weight_memory_format(m, torch.channels_last)
    assert m[0].weight.is_contiguous(memory_format=torch.channels_last) and m[1].weight.is_contiguous()
    nn.utils.convert_conv3d_weight_memory_format(m, torch.channels_last_3d)
    assert m[1].weight.is_contiguous(memory_format=torch.channels_last_3d)


def test_skip_init():
    assert nn.utils.skip_init(nn.Linear, 2, 3, dtype=torch.float64).weight.dtype == torch.float64
    with pytest.raises(RuntimeError, match="takes no 'device'"):
        nn.utils.skip_init(nn.ReLU)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
        self.b.weight = self.a.weight
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, factor=1):
        self.calls = self.calls + 1
        return self.b(self.a(x)) * factor


def test_functional_call():
    torch.manual_seed(0)
    m, x = Tied(), torch.ones(1, 2)
    before = {name: tensor.clone() for name, tensor in m.state_dict().items()}
    w = torch.ones(2, 2, requires_grad=True)
    given = {"a.weight": w, "calls": torch.tensor([5.0])}
    out = functional_call(m, given, (x,), {"factor": 2})
    h = x @ w.mT + before["a.bias"]
    torch.testing.assert_close(out, (h @ w.mT + before["b.bias"]) * 2)
    out.sum().backward()
    assert w.grad is not None and m.a.weight.grad is None
    assert given["calls"].item() == 6 and m.calls.item() == 0 and m.a.weight is m.b.weight
    torch.testing.assert_close(dict(m.state_dict()), before)
    assert not torch.equal(functional_call(m, {"a.weight": w}, x, tie_weights=False), functional_call(m, {"a.weight": w}, x))
    torch.testing.assert_close(functional_call(m, ({"a.weight": w}, {"b.bias": x[0]}), x), h @ w.mT + x)


def test_functional_call_errors():
    m, x = Tied(), torch.ones(1, 2)
    with pytest.raises(ValueError, match="one tensor of the module"):
        functional_call(m, {"a.weight": torch.ones(2, 2), "b.weight": torch.ones(2, 2)}, x)
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'c'(.|\n)*Missing key\(s\): 'a.bias'"):
        functional_call(m, {"c": x}, x, strict=True)
    with pytest.raises(ValueError, match="more than one dictionary"):
        functional_call(m, ({"a.weight": x}, {"a.weight": x}), x)
    with pytest.raises(TypeError, match="expected a tensor for 'a.weight'"):
        functional_call(m, {"a.bias": x[0], "a.weight": 3}, x)
    with pytest.raises(RuntimeError, match="mat"):
        functional_call(m, {"a.weight": torch.ones(3, 3)}, x)
    assert m.a.weight.shape == (2, 2) and m.a.bias is not x[0]


def test_old_functional_call_warns():
    with pytest.warns(FutureWarning, match="torch.func.functional_call"):
        nn.utils.stateless.functional_call(nn.Linear(2, 2), {}, torch.ones(2))


def test_stack_module_state():
    models = [nn.BatchNorm1d(2) for _ in range(3)]
    parameters, buffers = stack_module_state(models)
    assert parameters["weight"].shape == (3, 2) and parameters["weight"].requires_grad and parameters["weight"].is_leaf
    assert buffers["num_batches_tracked"].shape == (3,)
    for bad, message in (([], "one or more"), ([nn.ReLU(), nn.Tanh()], "same class"), ([nn.ReLU(), nn.ReLU().eval()], "mode")):
        with pytest.raises(RuntimeError, match=message):
            stack_module_state(bad)


def test_replaced_batch_norms_keep_no_statistics():
    torch.manual_seed(0)
    net, x = nn.Sequential(nn.Conv1d(2, 3, 2), nn.BatchNorm1d(3)), torch.randn(4, 2, 6)
    expected = net(x)
    assert replace_all_batch_norm_modules_(net) is net and list(net[1].buffers()) == []
    torch.testing.assert_close(net(x), expected)
    torch.testing.assert_close(net.eval()(x), expected)
