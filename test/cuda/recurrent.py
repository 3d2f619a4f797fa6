"""Recurrent layers through cuDNN: results and gradients of all layers, packed data, dropout and weights, against the CPU."""

import os

import pytest

os.environ["TORCH_CUDA_EMULATED_CUDNN"] = "1"  # before the first call of cuDNN

import copy  # noqa: E402
import warnings  # noqa: E402

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.backends import cudnn  # noqa: E402
from torch.cuda._runtime import extension  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-9, torch.float16: 2e-2, torch.bfloat16: 1e-1}
LAYERS = {
    "lstm": lambda **kwargs: nn.LSTM(5, 4, **kwargs),
    "gru": lambda **kwargs: nn.GRU(5, 4, **kwargs),
    "tanh": lambda **kwargs: nn.RNN(5, 4, **kwargs),
    "relu": lambda **kwargs: nn.RNN(5, 4, nonlinearity="relu", **kwargs),
    "projection": lambda **kwargs: nn.LSTM(5, 4, proj_size=3, **kwargs),
}
SETTINGS = {
    "one layer": {},
    "no bias": {"bias": False, "num_layers": 2},
    "both ways": {"bidirectional": True, "num_layers": 2},
    "batch first": {"batch_first": True, "bidirectional": True},
    "three layers": {"num_layers": 3},
}


@pytest.fixture(autouse=True)
def exact():
    """Without TF32."""
    with cudnn.flags(enabled=True, allow_tf32=False):
        yield


def operators(function):
    """The names of the operators that it calls."""
    with torch.utils.dispatch_trace(details="", print=False) as records:
        function()
    return {r.op.removeprefix("aten::") for r in records}


def tensors(result):
    output, state = result
    return [
        output.data if isinstance(output, nn.utils.rnn.PackedSequence) else output,
        *(state if isinstance(state, tuple) else (state,)),
    ]


def given(layer, batch):
    """An initial state."""
    numbers = layer.num_layers * (2 if layer.bidirectional else 1)
    h = torch.randn(numbers, batch, layer.proj_size or layer.hidden_size)
    return (h, torch.randn(numbers, batch, layer.hidden_size)) if layer.mode == "LSTM" else h


def moved(state, *args):
    return tuple(t.to(*args) for t in state) if isinstance(state, tuple) else state.to(*args)


def run(layer, x, state, gradients):
    """Results, and gradients of the input, the states and the weights."""
    states = [t.requires_grad_() for t in (state if isinstance(state, tuple) else (state,))]
    data = x.data if isinstance(x, nn.utils.rnn.PackedSequence) else x
    results = tensors(layer(x, state))
    assert [r.shape for r in results] == [g.shape for g in gradients]
    grads = torch.autograd.grad(results, [data, *states, *layer.parameters()], [g.to(r) for r, g in zip(results, gradients)])
    return [t.detach().cpu().double() for t in (*results, *grads)]


def compare(name, dtype=torch.float32, lengths=None, **settings):
    torch.manual_seed(0)
    layer = LAYERS[name](**settings).to(dtype).double()
    x, state = (
        torch.randn(3, 6, 5).to(dtype).double(),
        moved(moved(given(layer, 3 if settings.get("batch_first") else 6), dtype), torch.double),
    )
    gpu = copy.deepcopy(layer).to("cuda", dtype)

    def leaf(t):
        made = t.clone().requires_grad_()
        return pack_padded_sequence(made, lengths, settings.get("batch_first", False)) if lengths else made

    inputs = leaf(x), leaf(x.to("cuda", dtype))
    with torch.no_grad():
        gradients = [torch.randn_like(t) for t in tensors(layer(inputs[0], state))]
    expected = run(layer, inputs[0], state, gradients)
    results = []
    called = operators(lambda: results.extend(run(gpu, inputs[1], moved(state, "cuda", dtype), gradients)))
    assert {"_cudnn_rnn", "_cudnn_rnn_backward"} <= called
    for ours, theirs in zip(results, expected):
        torch.testing.assert_close(ours, theirs, rtol=4 * TOLERANCE[dtype], atol=4 * TOLERANCE[dtype])


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", LAYERS)
def test_layer(name, settings):
    compare(name, **SETTINGS[settings])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", ["lstm", "gru", "tanh"])
def test_types(name, dtype):
    compare(name, dtype, bidirectional=True)


@pytest.mark.parametrize("settings", ["one layer", "both ways"])
@pytest.mark.parametrize("name", LAYERS)
def test_packed(name, settings):
    compare(name, lengths=[3, 3, 2, 2, 1, 1], **SETTINGS[settings])
    compare(name, lengths=[3, 1, 1], batch_first=True)


def test_unsorted_lengths():
    torch.manual_seed(0)
    layer = nn.GRU(5, 4, bidirectional=True)
    x, lengths = torch.randn(3, 6, 5), torch.tensor([1, 3, 2, 3, 1, 2])
    expected = layer(pack_padded_sequence(x, lengths, enforce_sorted=False))
    result = layer.cuda()(pack_padded_sequence(x.cuda(), lengths, enforce_sorted=False))
    torch.testing.assert_close(pad_packed_sequence(result[0])[0].cpu(), pad_packed_sequence(expected[0])[0], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(result[1].cpu(), expected[1], rtol=1e-4, atol=1e-4)


def test_evaluation():
    """Without a graph nothing is kept for a backward pass; with one there are gradients, in evaluation too."""
    layer = nn.LSTM(5, 4, 2, dropout=0.5).eval()
    x = torch.randn(3, 2, 5)
    expected = layer(x)[0]
    gradients = torch.autograd.grad(expected.sum(), list(layer.parameters()))
    layer.cuda()
    with torch.no_grad():
        torch.testing.assert_close(layer(x.cuda())[0].cpu(), expected, rtol=1e-4, atol=1e-4)
    result = layer(x.cuda())[0]
    for ours, theirs in zip(torch.autograd.grad(result.sum(), list(layer.parameters())), gradients):
        torch.testing.assert_close(ours.cpu(), theirs, rtol=1e-4, atol=1e-4)


def test_switched_off():
    """Kernels of this library do the work then, and have second derivatives."""
    layer, x = nn.GRU(5, 4).cuda(), torch.randn(3, 2, 5, device="cuda", requires_grad=True)
    with cudnn.flags(enabled=False):
        assert "_cudnn_rnn" not in operators(lambda: layer(x))
        (grad,) = torch.autograd.grad(layer(x)[0].sum(), x, create_graph=True)
    torch.autograd.grad(grad.sum(), x)


@pytest.mark.parametrize("dtype,hidden", [(torch.float32, 513), (torch.complex64, 3)])
def test_layers_that_cudnn_does_not_have(dtype, hidden):
    """Kernels of this library compute them, and their weights stay where they are."""
    layer, x = nn.RNN(2, hidden, dtype=dtype), torch.randn(3, 2, 2, dtype=dtype)
    expected = layer(x)[0]
    layer.cuda()
    if extension().is_emulated or dtype.is_complex:  # a GPU's cuDNN takes any width
        assert "_cudnn_rnn" not in operators(lambda: layer(x.cuda())) and len(addresses(layer)) == 4
    torch.testing.assert_close(layer(x.cuda())[0].cpu(), expected, rtol=1e-4, atol=1e-4)


def test_second_derivatives():
    layer, x = nn.LSTM(5, 4).cuda(), torch.randn(3, 2, 5, device="cuda", requires_grad=True)
    (grad,) = torch.autograd.grad(layer(x)[0].sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"torch\.backends\.cudnn\.flags\(enabled=False\)"):
        grad.sum().backward()


def test_two_backward_passes():
    layer, x = nn.LSTM(5, 4).cuda(), torch.randn(3, 2, 5, device="cuda", requires_grad=True)
    output = layer(x)[0].sum()
    first = torch.autograd.grad(output, [x, *layer.parameters()], retain_graph=True)
    second = torch.autograd.grad(output, [x, *layer.parameters()])
    for a, b in zip(first, second):
        torch.testing.assert_close(a, b)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.autograd.grad(output, x)


def test_some_gradients():
    layer, x = nn.LSTM(5, 4, 2).cuda(), torch.randn(3, 2, 5, device="cuda", requires_grad=True)
    output, (h, c) = layer(x)
    (of_c,) = torch.autograd.grad(c.sum(), layer.weight_hh_l1, retain_graph=True)
    (of_x,) = torch.autograd.grad(h.sum(), x, retain_graph=True)
    with cudnn.flags(enabled=False):
        _, (h, c) = layer(x)
    torch.testing.assert_close(torch.autograd.grad(c.sum(), layer.weight_hh_l1, retain_graph=True)[0], of_c, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(torch.autograd.grad(h.sum(), x)[0], of_x, rtol=1e-4, atol=1e-4)
    for weight in layer.parameters():
        weight.requires_grad_(False)
    layer.weight_ih_l0.requires_grad_()
    layer(x.detach())[0].sum().backward()
    assert layer.weight_ih_l0.grad is not None and layer.bias_hh_l1.grad is None


# --- weights --------------------------------------------------------------------------------------------------------------------


def addresses(layer):
    return {w.untyped_storage().data_ptr() for w in layer.parameters()}


def test_weights_are_in_one_piece():
    layer = nn.LSTM(5, 4, 2, bidirectional=True, proj_size=3)
    names, values = zip(*((n, p.detach().clone()) for n, p in layer.named_parameters()))
    assert len(addresses(layer)) == len(names)
    layer.cuda()
    assert len(addresses(layer)) == 1 and [n for n, _ in layer.named_parameters()] == list(names)
    for weight, value in zip(layer.parameters(), values):
        torch.testing.assert_close(weight.cpu(), value)
        assert weight.is_leaf and weight.requires_grad and weight.is_contiguous()
    assert len(addresses(nn.GRU(2, 3, device="cuda"))) == 1
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    layer(torch.randn(3, 2, 5, device="cuda"))[0].sum().backward()
    optimizer.step()
    assert len(addresses(layer)) == 1 and not torch.equal(layer.weight_hr_l1.cpu(), dict(zip(names, values))["weight_hr_l1"])


def test_weights_in_several_pieces():
    layer, x = nn.GRU(5, 4).cuda(), torch.randn(3, 2, 5, device="cuda")
    expected = layer(x)[0]
    layer.weight_hh_l0 = nn.Parameter(layer.weight_hh_l0.detach().clone())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.testing.assert_close(layer(x)[0], expected)
    assert any("flatten_parameters" in str(w.message) for w in caught)
    layer.flatten_parameters()
    assert len(addresses(layer)) == 1
    torch.testing.assert_close(layer(x)[0], expected)


def test_shared_weights_stay():
    layer = nn.RNN(4, 4).cuda()
    layer.weight_hh_l0 = layer.weight_ih_l0
    before = layer.weight_ih_l0.data_ptr()
    layer.flatten_parameters()
    assert layer.weight_hh_l0.data_ptr() == layer.weight_ih_l0.data_ptr() == before
    x = torch.ones(3, 2, 4, device="cuda")
    with cudnn.flags(enabled=False):
        expected = layer(x)[0]
    torch.testing.assert_close(layer(x)[0], expected, rtol=1e-4, atol=1e-4)


def test_copies_and_files(tmp_path):
    layer, x = nn.GRU(5, 4).cuda(), torch.randn(3, 2, 5, device="cuda")
    expected = layer(x)[0]
    torch.testing.assert_close(copy.deepcopy(layer)(x)[0], expected)
    torch.save(layer.state_dict(), tmp_path / "file")
    other = nn.GRU(5, 4)
    other.load_state_dict(torch.load(tmp_path / "file", map_location="cpu"))
    torch.testing.assert_close(other(x.cpu())[0], expected.cpu(), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(layer.cpu()(x.cpu())[0], expected.cpu(), rtol=1e-4, atol=1e-4)


# --- dropout --------------------------------------------------------------------------------------------------------------------


def test_dropout():
    """Between layers, other numbers at each call, the same ones after the same seed, and their gradients."""
    layer, x = nn.GRU(5, 4, 2, dropout=0.5).cuda(), torch.randn(3, 20, 5, device="cuda", requires_grad=True)
    torch.manual_seed(3)
    first, second = layer(x)[0], layer(x)[0]
    torch.manual_seed(3)
    again = layer(x)[0]
    assert not torch.equal(first, second) and torch.equal(first, again)
    gradients = [torch.autograd.grad(result.sum(), [x, *layer.parameters()]) for result in (first, again, second)]
    for a, b in zip(*gradients[:2]):
        torch.testing.assert_close(a, b)
    assert not torch.equal(gradients[0][0], gradients[2][0])
    none = nn.GRU(5, 4, 2, dropout=1.0).cuda()
    result = none(x)[0]
    expected = nn.GRU(4, 4).cuda()
    with torch.no_grad():
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(expected, f"{kind}_l0").copy_(getattr(none, f"{kind}_l1"))
    torch.testing.assert_close(result, expected(torch.zeros(3, 20, 4, device="cuda"))[0], rtol=1e-4, atol=1e-4)
    assert (torch.autograd.grad(result.sum(), x)[0] == 0).all()


def test_gradient_of_dropout():
    """The derivative along a direction, with the same numbers each time."""
    layer = nn.LSTM(3, 4, 3, dropout=0.3, bidirectional=True).cuda().double()
    x, direction = torch.randn(2, 4, 3, 3, device="cuda").double()

    def loss(at):
        torch.manual_seed(5)
        return layer(at)[0].square().sum()

    at = x.clone().requires_grad_()
    loss(at).backward()
    numeric = (loss(x + 1e-6 * direction) - loss(x - 1e-6 * direction)) / 2e-6
    torch.testing.assert_close((at.grad * direction).sum(), numeric.detach(), rtol=1e-6, atol=1e-7)


def test_state_of_dropout():
    init = torch._cudnn_init_dropout_state
    state = init(0.5, True, 7, dtype=torch.uint8, device="cuda")
    assert state.dtype == torch.uint8 and state.is_cuda and state.numel() > 0
    assert init(0.5, False, 7, device="cuda").numel() == 0
    with pytest.raises(RuntimeError, match="dropout must be in"):
        init(2.0, True, 7, device="cuda")
    with pytest.raises(NotImplementedError, match="_cudnn_init_dropout_state"):
        init(0.5, True, 7)
    assert init(0.5, True, 7, device="meta").dtype == torch.uint8


# --- the operators themselves ---------------------------------------------------------------------------------------------------


def weights_of(layer):
    return [w.detach() for w in layer.parameters()]


def call(layer, x, hx, cx=None, mode=3, **changes):
    arguments = {
        "weight_stride0": 4,
        "weight_buf": None,
        "hidden_size": 4,
        "proj_size": 0,
        "num_layers": 1,
        "batch_first": False,
        "dropout": 0.0,
        "train": True,
        "bidirectional": False,
        "batch_sizes": [],
        "dropout_state": None,
        **changes,
    }
    return torch._cudnn_rnn(x, weights_of(layer), hx=hx, cx=cx, mode=mode, **arguments)


def test_operator():
    layer = nn.GRU(5, 4).cuda()
    x, h = torch.randn(3, 2, 5, device="cuda"), torch.zeros(1, 2, 4, device="cuda")
    output, hy, cy, reserve, buffer = call(layer, x, h)
    torch.testing.assert_close(output, layer(x)[0])
    assert cy.numel() == 0 and reserve.dtype == torch.uint8 and buffer.numel() == 0
    first = torch.as_strided(layer.weight_ih_l0.detach(), (3 * 4 * (5 + 4 + 2),), (1,), 0)
    torch.testing.assert_close(call(layer, x, h, weight_buf=first)[4], first)
    assert call(layer, x, h, train=False)[3].numel() == 0
    assert torch._use_cudnn_rnn_flatten_weight() is True


def test_wrong_arguments():
    layer = nn.GRU(5, 4).cuda()
    x, h = torch.randn(3, 2, 5, device="cuda"), torch.zeros(1, 2, 4, device="cuda")
    for changes, message in (
        ({"mode": 4}, "mode must be 0"),
        ({"weight_stride0": 3}, "weight_stride0 must be 2"),
        ({"num_layers": 2}, "expected 8 weights, got 4"),
        ({"hidden_size": 3}, "expected weight 0 of sizes"),
        ({"proj_size": 2}, "only an LSTM has a projection"),
        ({"cx": h}, "cx is for an LSTM"),
        ({"hx": h[:, :1]}, "expected hx of sizes"),
        ({"hx": h.double()}, "must have one type and device"),
        ({"batch_sizes": [2, 1]}, "expected an input of 2 dimensions"),
        ({"x": x[0], "batch_sizes": [1, 2]}, "batch_sizes must be positive and not rise"),
        ({"x": x[0], "batch_sizes": [2, 1]}, "batch_sizes sum to 3"),
        ({"x": x[:0]}, "1 to 2\\*\\*31 - 1 elements"),
        ({"weight_buf": h}, "expected weight_buf"),
        ({"dropout": 2.0}, "dropout must be in"),
    ):
        with pytest.raises(RuntimeError, match=message):
            call(layer, **{"x": x, "hx": h, **changes})
    two = nn.GRU(5, 4, 2).cuda()
    with pytest.raises(RuntimeError, match="_cudnn_init_dropout_state"):
        call(two, x, torch.zeros(2, 2, 4, device="cuda"), num_layers=2, dropout=0.5)
    with pytest.raises(NotImplementedError, match="_cudnn_rnn"):
        call(nn.GRU(5, 4), x.cpu(), h.cpu())
    # Layers refuse what is wrong as on the CPU.
    with pytest.raises(RuntimeError, match="sequence length to be larger than 0"):
        layer(x[:0])
    with pytest.raises(RuntimeError, match="Expected hidden size"):
        layer(x, h[:, :1])


def test_backward_of_evaluation():
    layer = nn.GRU(5, 4).cuda()
    x, h = torch.randn(3, 2, 5, device="cuda", requires_grad=True), torch.zeros(1, 2, 4, device="cuda")
    with pytest.raises(RuntimeError, match="one of training"):
        call(layer, x, h, train=False)[0].sum().backward()


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        layer = nn.LSTM(5, 4, bidirectional=True, batch_first=True, device="cuda")
        output, (h, c) = layer(torch.ones(2, 3, 5, device="cuda"))
    assert output.shape == (2, 3, 8) and h.shape == c.shape == (2, 2, 4)


def test_transforms():
    """cuDNN is called once for each example."""
    layer, x = nn.LSTM(5, 4).cuda(), torch.randn(3, 4, 2, 5, device="cuda")

    def loss(part):
        return layer(part)[0].square().sum()

    expected = torch.stack([torch.func.grad(loss)(part) for part in x])
    torch.testing.assert_close(torch.vmap(torch.func.grad(loss))(x), expected)
    leaf = x[0].clone().requires_grad_()
    torch.testing.assert_close(torch.autograd.grad(loss(leaf), leaf)[0], expected[0])


def test_in_a_graph():
    layer, x = nn.LSTM(5, 4).cuda(), torch.randn(3, 2, 5, device="cuda")
    with torch.no_grad():
        layer(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = layer(x)[0]
        x.mul_(2)
        graph.replay()
        torch.testing.assert_close(output, layer(x)[0])
