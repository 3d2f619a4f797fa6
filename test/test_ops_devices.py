"""The table of operators on other devices than the CPU: first and second derivatives beside the CPU's, and wrong arguments.

gradcheck takes an hour on the emulated device. The CPU's derivatives are checked by it, so those of others may be compared.
"""

import re

import pytest
from ops.common import ON_CPU, TOLERANCE, VALUES
from ops.shared.devices import COMPUTING, MovedTo
from test_ops import GRADS, IDS, OPS, differentiable

import torch

BESIDE = [name for name in COMPUTING if name != "cpu"]
if not BESIDE:
    pytest.skip("TEST_DEVICES names no other device", allow_module_level=True)

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")  # cuDNN has no second derivatives of them

every_device = pytest.mark.parametrize("other", BESIDE)


def weighted_sum(results):
    """The sum of all results, with weights that are the same on every device."""

    def one(t):
        t = torch.view_as_real(t.resolve_conj()) if t.is_complex() else t
        weights = torch.linspace(-1, 2, t.numel(), dtype=t.dtype, device="cpu")
        return (t * weights.reshape(t.shape).to(t.device)).sum()

    return sum(map(one, results))


def derivatives(op, sample, order):
    """Of the results by the leaves of a sample; None for those that do not depend on one."""
    leaves, fn = differentiable(op, sample)
    results = fn(*leaves) if leaves else ()
    for last in [False] * (order - 1) + [True]:
        results = [t for t in results if t is not None and t.requires_grad]
        if not results:
            return []
        results = torch.autograd.grad(weighted_sum(results), leaves, create_graph=not last, allow_unused=True)
    return results


def check_draws(op, dtype, order, other):
    """Other random numbers than the CPU's, the same ones in every call: numeric differences take the place of its derivatives."""
    if order == 2:
        pytest.skip("linear in what is not random")
    for s in op.samples(dtype, other):
        leaves, fn = differentiable(op, s)
        if leaves and 0 < sum(x.numel() for x in leaves) < 13:
            with torch.device(other):
                assert torch.autograd.gradcheck(fn, leaves)


@every_device
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("op,dtype", GRADS)
def test_derivatives(op, dtype, order, other):
    if order == 2 and not (op.grad if op.gradgrad is None else op.gradgrad):
        pytest.skip("no second derivative")
    if op.draws:
        return check_draws(op, dtype, order, other)
    with torch.device("cpu"):
        here = [derivatives(op, s, order) for s in op.samples(dtype)]
    with torch.device(other), torch.backends.cudnn.flags(enabled=order == 1 or op.name not in RECURRENT):
        there = [derivatives(op, s, order) for s in op.samples(dtype, other)]
    assert len(here) == len(there)
    tolerance = 100 * (op.tolerance or TOLERANCE[dtype])
    for a, b in zip(here, there):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert (x is None) == (y is None)
            if x is not None:
                assert y.device.type == other
                torch.testing.assert_close(y.cpu(), x, rtol=tolerance, atol=tolerance, equal_nan=True)


@every_device
@pytest.mark.parametrize("op", [o for o in OPS if o.errors], **IDS)
def test_mistakes(op, other):
    """Mistakes that are found before a kernel runs: the device's kernels end the process, as a GPU's do."""
    for call, error, pattern, *needs in op.errors:
        if ON_CPU in needs or VALUES in needs:
            continue
        with MovedTo(other), torch.device(other), pytest.raises(error, match=pattern):
            call()


# What may have tensors of the CPU beside others: copies, indices, lists whose tensors are apart, shapes and types, and operators
# that read lengths or sizes on the host, or none of the values.
MIXED = re.compile(
    r"_foreach_\w+|\w*copy\w*|\w*_scatter|_?(unsafe_)?index(_put\w*)?|_index_put_impl_?|\w+_as_?|atleast_\dd|broadcast_tensors|narrow|"
    r"tensor_split|is_\w+|_has_same_storage_numel|_make_dual|_to_cpu|result_type|randint_like|_?pad\w*_sequence|_pack_padded_sequence|"
    r"lstm|gru|rnn_tanh|rnn_relu|_fused_sdp_choice|_grouped_mm|_ctc_loss[\w.]*|ctc_loss|addr|_embedding_bag_backward|"
    r"_weight_norm_\w+_backward|conv_tbc_backward|cummaxmin_backward|rrelu_with_noise_backward|glu_backward_jvp"
)


def other_devices(other):
    """Devices whose tensors a call with tensors of `other` refuses."""
    return ["cpu", f"{other}:1"] if getattr(torch, other).device_count() > 1 else ["cpu"]


@every_device
@pytest.mark.parametrize("op", [o for o in OPS if not MIXED.fullmatch(o.name)], **IDS)
def test_tensors_of_two_devices(op, other):
    """One tensor of a sample is on another device: kernels of a GPU would read memory that they cannot reach."""
    for s in list(op.samples(op.dtypes[0], other))[:8]:
        places = [k for k, x in enumerate((s.input, *s.args)) if isinstance(x, torch.Tensor)]
        for k in places if len(places) > 1 else ():
            values = [s.input, *s.args]
            if values[k].dim() == 0 or values[k].numel() == 0 or values[k].device.type == "cpu":
                continue
            tensor = values[k].detach()
            for device in other_devices(other):
                values[k] = tensor.to(device)
                with torch.no_grad(), pytest.raises(Exception, match=r"device|CPU|cpu|:1"):
                    op.fn(*values, **s.kwargs)
