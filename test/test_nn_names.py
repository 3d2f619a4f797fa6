"""Names of torch.nn that packages import although they are not public, lazy modules of one's own, and torch.nn.grad."""

import copy
import importlib
import pickle

import pytest

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module
from torch.nn.modules.lazy import LazyModuleMixin

NAMES = """
module: _global_forward_hooks _global_forward_pre_hooks _global_backward_hooks _global_backward_pre_hooks _addindent
module: _global_is_full_backward_hook _global_module_registration_hooks _EXTRA_STATE_KEY_SUFFIX _IncompatibleKeys _WrappedHook
utils: _single _pair _triple _quadruple _ntuple _reverse_repeat_tuple _list_with_default consume_prefix_in_state_dict_if_present
conv: _ConvNd _ConvTransposeNd _ConvTransposeMixin _LazyConvXdMixin _pair _single _triple
batchnorm: _BatchNorm _NormBase _LazyNormBase
instancenorm: _InstanceNorm
linear: NonDynamicallyQuantizableLinear
rnn: RNNBase RNNCellBase apply_permutation
loss: _Loss _WeightedLoss
pooling: _MaxPoolNd _LPPoolNd _MaxUnpoolNd _AdaptiveAvgPoolNd _AdaptiveMaxPoolNd
padding: _ConstantPadNd _ReflectionPadNd _ReplicationPadNd _CircularPadNd
dropout: _DropoutNd
transformer: _get_clones _get_activation_fn _get_seq_len _detect_is_causal_mask _generate_square_subsequent_mask
lazy: LazyModuleMixin
"""


@pytest.mark.parametrize("line", NAMES.strip().splitlines())
def test_name(line):
    where, names = line.split(": ")
    found = importlib.import_module(f"torch.nn.modules.{where}")
    assert not [name for name in names.split() if not hasattr(found, name)]


def test_bases():
    assert isinstance(nn.Conv2d(1, 1, 1), nn.modules.conv._ConvNd)
    assert isinstance(nn.BatchNorm1d(1), nn.modules.batchnorm._BatchNorm)
    assert isinstance(nn.ReflectionPad2d(1), nn.modules.padding._ReflectionPadNd)
    assert not isinstance(nn.ReflectionPad2d(1), nn.modules.padding._ReplicationPadNd)
    assert isinstance(nn.AdaptiveAvgPool2d(1), nn.modules.pooling._AdaptiveAvgPoolNd)
    assert isinstance(nn.LazyConv2d(1, 1), LazyModuleMixin)


def test_tuples():
    assert F._pair(3) == (3, 3) and nn.modules.utils._triple([1, 2, 3]) == (1, 2, 3)
    assert nn.modules.utils._reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)
    assert nn.modules.utils._list_with_default([None, 5], [1, 2, 3]) == [2, 5]
    with pytest.raises(ValueError, match="more than 2 dimensions"):
        nn.modules.utils._list_with_default([None, 5], [1, 2])


def test_reductions():
    from torch.nn import _reduction

    assert F._Reduction is _reduction and [_reduction.get_enum(r) for r in ("none", "mean", "sum")] == [0, 1, 2]
    assert _reduction.legacy_get_string(False, True, emit_warning=False) == "sum"


def test_constants_can_be_extended():
    class Mine(nn.Conv2d):
        __constants__ = nn.Conv2d.__constants__ + ["mine"]

    assert "stride" in Mine.__constants__ and "mine" not in nn.Conv2d.__constants__
    assert nn.Linear.__constants__ == ["in_features", "out_features"] and nn.ReLU.__constants__ == ["inplace"]


def test_changes_of_the_global_hooks_are_noticed():
    seen = []
    module._global_forward_hooks[-1] = lambda m, args, out: seen.append(type(m).__name__)
    try:
        nn.ReLU()(torch.ones(1))
    finally:
        del module._global_forward_hooks[-1]
    nn.ReLU()(torch.ones(1))
    assert seen == ["ReLU"] and not module.GLOBAL.any
    handle = module.register_module_full_backward_hook(lambda *args: None)
    assert module._global_is_full_backward_hook is True
    handle.remove()
    assert not module.GLOBAL.any


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.UninitializedParameter()

    def forward(self, x):
        return x * self.weight


class LazyScale(LazyModuleMixin, Scale):
    cls_to_become = Scale

    def initialize_parameters(self, x):
        if self.has_uninitialized_params():
            self.weight.materialize(x.shape[-1:])
            nn.init.constant_(self.weight, 2)


def test_a_lazy_module_of_ones_own():
    m = LazyScale()
    replica = pickle.loads(pickle.dumps(copy.deepcopy(m)))
    for lazy in (m, replica):
        assert lazy.has_uninitialized_params() and lazy(torch.ones(2, 3)).tolist() == [[2.0] * 3] * 2
        assert type(lazy) is Scale and not lazy._forward_pre_hooks and not lazy._load_state_dict_pre_hooks
    loaded = LazyScale()
    loaded.load_state_dict(m.state_dict())
    assert loaded.weight.shape == (3,) and loaded(torch.ones(3)).tolist() == [2.0] * 3

    class Forgetful(LazyScale):
        def initialize_parameters(self, x):
            pass

    with pytest.raises(RuntimeError, match="without a shape"):
        Forgetful()(torch.ones(2))


@pytest.mark.parametrize("make, shape", [
    (lambda: nn.LazyLinear(3), (2, 4)), (lambda: nn.LazyConv2d(3, 2), (1, 4, 5, 5)),
    (lambda: nn.LazyConvTranspose1d(3, 2), (1, 4, 5)),
    (lambda: nn.LazyBatchNorm2d(), (2, 4, 3, 3)), (lambda: nn.LazyInstanceNorm1d(affine=True), (2, 4, 3)),
])  # fmt: skip
def test_lazy_layers_load_and_copy(make, shape):
    m, x = make(), torch.randn(shape)
    copied = copy.deepcopy(m)
    m(x)
    loaded = make()
    loaded.load_state_dict(m.state_dict())
    assert not loaded.has_uninitialized_params() and isinstance(copied, LazyModuleMixin)
    m.eval()
    loaded.eval()
    torch.testing.assert_close(loaded(x), m(x))
    copied(x)
    assert type(copied) is type(m) is type(loaded) and repr(loaded) == repr(m)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("settings", [{}, {"stride": 2, "padding": 1}, {"dilation": 2}, {"groups": 2}])
def test_gradients_of_convolutions(dims, settings):
    torch.manual_seed(0)
    conv = (F.conv1d, F.conv2d, F.conv3d)[dims - 1]
    x = torch.randn(2, 4, *[7] * dims, dtype=torch.float64, requires_grad=True)
    w = torch.randn(6, 4 // settings.get("groups", 1), *[3] * dims, dtype=torch.float64, requires_grad=True)
    out = conv(x, w, **settings)
    grad = torch.randn_like(out)
    expected = torch.autograd.grad(out, (x, w), grad)
    torch.testing.assert_close(getattr(nn.grad, f"conv{dims}d_input")(x.shape, w, grad, **settings), expected[0])
    torch.testing.assert_close(getattr(nn.grad, f"conv{dims}d_weight")(x, w.shape, grad, **settings), expected[1])


def test_names_of_torch_utils():
    from torch import _utils

    assert _utils._get_all_device_indices() == [] and _utils._get_available_device_type() is None
    assert _utils._get_device_index("cpu", allow_cpu=True) == -1 and _utils._get_device_index(3) == 3
    with pytest.raises(ValueError, match="other than the CPU"):
        _utils._get_device_index(torch.device("cpu"))
    parts = list(_utils._take_tensors([torch.zeros(4), torch.zeros(4), torch.zeros(2).long(), torch.zeros(9)], 32))
    assert [len(part) for part in parts] == [2, 1, 1]

    class Named:
        @_utils.classproperty
        def name(cls):
            return cls.__name__

    assert Named.name == Named().name == "Named"


def test_loading_keeps_the_parameter_where_tensors_are_swapped():
    m = nn.Linear(2, 2)
    weight, state = m.weight, {name: torch.full_like(tensor, 3) for name, tensor in m.state_dict().items()}
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        for assign in (False, True):
            m.load_state_dict(state, assign=assign)
            assert m.weight is weight and weight.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)


def test_modules_with_duplicates():
    shared = nn.ReLU()
    net = nn.Sequential(shared, shared)
    assert len(list(net.modules())) == 2 and len(list(net.modules(remove_duplicate=False))) == 3


def test_a_call_by_its_private_names():
    m, x = nn.ReLU(), torch.tensor([-1.0, 1.0])
    handle = m.register_full_backward_hook(lambda *args: None)
    assert m._wrapped_call_impl(x).tolist() == m._slow_forward(x).tolist() == [0.0, 1.0]
    assert len(m._get_backward_hooks()[0]) == 1 and m._get_backward_hooks()[1] == [] and m._compiled_call_impl is None
    handle.remove()
    replica = nn.Linear(1, 1)._replicate_for_data_parallel()
    assert replica._parameters == {} and replica._is_replica


def test_pickles_name_what_other_installations_have():
    assert F.relu.__module__ == F.cross_entropy.__module__ == "torch.nn.functional"
    layer = nn.TransformerEncoderLayer(4, 2, 8, activation="gelu")
    text = pickle.dumps(layer)
    assert b"torch.nn.functional." not in text and layer.activation_relu_or_gelu == 2
    lstm = nn.LSTM(2, 3, num_layers=2)
    state = lstm.__reduce_ex__(2)[2]
    assert state["_flat_weights_names"][:2] == ["weight_ih_l0", "weight_hh_l0"]
    assert [id(w) for w in state["_flat_weights"]] == [id(w) for w in lstm.parameters()]
    for other in (pickle.loads(pickle.dumps(lstm)), copy.deepcopy(lstm)):
        assert "_flat_weights" not in other.__dict__ and [id(w) for w in other._flat_weights] == [
            id(w) for w in other.parameters()
        ]
        x = torch.randn(4, 1, 2)
        assert torch.equal(other(x)[0], lstm(x)[0])


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_cross_map_lrn_follows_the_running_sum(size):
    x, before = torch.rand(2, 6, 3, 3), int((size - 1) / 2 + 1)
    square = x * x
    total = square[:, : min(before, 6)].sum(1)
    expected = []
    for channel in range(6):
        if channel > 0:
            if channel + before - 1 < 6:
                total = total + square[:, channel + before - 1]
            if channel > before:
                total = total - square[:, channel - before]
        expected.append(x[:, channel] / (1 + total * 0.5 / size) ** 0.75)
    torch.testing.assert_close(nn.CrossMapLRN2d(size, alpha=0.5)(x), torch.stack(expected, 1))
