"""Recurrent layers: against NumPy, packed against padded, the fused float layer against the plain double one."""

import numpy as np
import pytest

import torch
from torch import nn
from torch.nn.utils import rnn

SETTINGS = ({}, {"num_layers": 2}, {"num_layers": 2, "bidirectional": True}, {"bias": False}, {"batch_first": True})
LAYERS = [(kind, settings) for kind in (nn.RNN, nn.LSTM, nn.GRU) for settings in SETTINGS]
LAYERS += [(nn.RNN, {"nonlinearity": "relu"}), (nn.LSTM, {"proj_size": 2}),
           (nn.LSTM, {"proj_size": 2, "num_layers": 2, "bidirectional": True})]  # fmt: skip
each_layer = pytest.mark.parametrize(
    "kind,settings", LAYERS, ids=lambda v: getattr(v, "__name__", None) or "-".join(v) or "plain"
)


def make(kind, settings, dtype=torch.float64):
    torch.manual_seed(3)
    return kind(3, 4, **settings, dtype=dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numpy_step(module, x, h, c, w):
    """One step of one direction on a batch; `w` holds w_ih, w_hh, then the biases and the projection."""
    size = module.hidden_size
    from_x, from_h = x @ w["weight_ih"].T + w.get("bias_ih", 0), h @ w["weight_hh"].T + w.get("bias_hh", 0)
    if module.mode == "LSTM":
        i, f, g, o = np.split(from_x + from_h, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return (h @ w["weight_hr"].T if "weight_hr" in w else h), c
    if module.mode == "GRU":
        r, z = sigmoid((from_x + from_h)[:, : 2 * size]).reshape(len(x), 2, size).swapaxes(0, 1)
        n = np.tanh(from_x[:, 2 * size :] + r * from_h[:, 2 * size :])
        return (1 - z) * n + z * h, c
    return (np.tanh(from_x + from_h) if module.mode == "RNN_TANH" else np.maximum(from_x + from_h, 0)), c


def numpy_layers(module, x, h0, c0, lengths):
    """x: (steps, batch, features). Sequence b has lengths[b] steps; what lies beyond is zero in the output."""
    weights = {n: p.detach().double().numpy() for n, p in module.named_parameters()}
    last_h, last_c, k = [], [], 0
    for layer in range(module.num_layers):
        outputs = []
        for suffix in ("", "_reverse") if module.bidirectional else ("",):
            end = f"_l{layer}{suffix}"
            w = {n.removesuffix(end): v for n, v in weights.items() if n.endswith(end)}
            out = np.zeros((*x.shape[:2], h0.shape[2]))
            hs, cs = h0[k].copy(), c0[k].copy()
            for b, length in enumerate(lengths):
                for t in range(length)[:: -1 if suffix else 1]:
                    hs[b : b + 1], cs[b : b + 1] = numpy_step(module, x[t, b : b + 1], hs[b : b + 1], cs[b : b + 1], w)
                    out[t, b] = hs[b]
            outputs.append(out)
            last_h.append(hs)
            last_c.append(cs)
            k += 1
        x = np.concatenate(outputs, axis=2)
    return x, np.stack(last_h), np.stack(last_c)


def states(module, batch, dtype=torch.float64):
    count = module.num_layers * (2 if module.bidirectional else 1)
    return torch.randn(count, batch, module.proj_size or 4, dtype=dtype), torch.randn(count, batch, 4, dtype=dtype)


def run(module, x, state):
    """The output, and the final state as a tuple."""
    out, final = module(x, state if module.mode == "LSTM" else state[0])
    return out, final if isinstance(final, tuple) else (final,)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64), ids=("float", "double"))
@each_layer
def test_values(kind, settings, dtype):
    module = make(kind, settings, dtype)
    x = torch.randn(5, 2, 3, dtype=dtype)
    state = states(module, 2, dtype)
    out, final = run(module, x.transpose(0, 1) if module.batch_first else x, state)
    expected = numpy_layers(module, x.numpy(), *(s.double().numpy() for s in state), [5, 5])
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    for a, b in zip(((out.transpose(0, 1) if module.batch_first else out), *final), expected):
        np.testing.assert_allclose(a.detach().numpy(), b, rtol=tolerance, atol=tolerance)


@each_layer
def test_packed(kind, settings):
    """A packed batch gives the results of the single sequences, in their original order."""
    module = make(kind, settings)
    lengths = [2, 5, 1, 5]
    x = torch.randn(5, 4, 3, dtype=torch.float64)
    state = states(module, 4)
    packed = rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
    out, final = run(module, packed, state)
    padded, got = rnn.pad_packed_sequence(out)
    assert got.tolist() == lengths
    expected = numpy_layers(module, x.numpy(), *(s.numpy() for s in state), lengths)
    for a, b in zip((padded, *final), expected):
        np.testing.assert_allclose(a.detach().numpy(), b, rtol=1e-12, atol=1e-12)


@each_layer
def test_unbatched_and_default_state(kind, settings):
    module = make(kind, settings, torch.float32)
    x = torch.randn(5, 3)
    out, final = module(x)
    batched, final_batched = module(x.unsqueeze(0 if module.batch_first else 1))
    assert torch.equal(out, batched.squeeze(0 if module.batch_first else 1))
    first = (final, final_batched) if module.mode != "LSTM" else (final[1], final_batched[1])
    assert torch.equal(first[0], first[1].squeeze(1))


@each_layer
def test_fused_gradients(kind, settings):
    """All gradients in float are those of the same module in double."""
    module = make(kind, settings, torch.float32)
    double = make(kind, settings, torch.float64)
    double.load_state_dict(module.state_dict())
    x, state = torch.randn(5, 2, 3), states(module, 2, torch.float32)
    found = []
    for m, dtype in ((module, torch.float32), (double, torch.float64)):
        leaves = [t.to(dtype).detach().requires_grad_() for t in (x.transpose(0, 1) if m.batch_first else x, *state)]
        out, final = run(m, leaves[0], tuple(leaves[1:]))
        (out.square().sum() + sum((k + 2) * f.sin().sum() for k, f in enumerate(final))).backward()
        found.append([leaf.grad for leaf in leaves[: 3 if m.mode == "LSTM" else 2]] + [p.grad for p in m.parameters()])
    for a, b in zip(*found):
        torch.testing.assert_close(a.double(), b, rtol=1e-4, atol=1e-5)
    grads = [p.grad.data_ptr() for p in module.parameters()]
    assert len(set(grads)) == len(grads)


@pytest.mark.parametrize("batch, inputs, hidden", ((1, 3, 5), (9, 20, 16), (16, 7, 37), (75, 300, 33), (150, 1, 64)))
@pytest.mark.parametrize("threads", (1, 2))
def test_fused_layer_without_gradients(batch, inputs, hidden, threads):
    """Without gradients nothing is kept for a backward pass; the results stay."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        torch.manual_seed(0)
        module = torch.nn.LSTM(inputs, hidden, bidirectional=True)
        x = torch.randn(5, batch, inputs)
        with torch.no_grad():
            found = module(x)
        expected = module(x)
        exact = module.double()(x.double())
    finally:
        torch.set_num_threads(before)
    for a, b, c in zip((found[0], *found[1]), (expected[0], *expected[1]), (exact[0], *exact[1])):
        torch.testing.assert_close(a, b)
        torch.testing.assert_close(a.double(), c, rtol=1e-4, atol=1e-5)
    h = torch.randn(batch, hidden)
    parameters = [p.detach().float() for p in list(module.parameters())[:4]]
    for train, kept in ((True, 25 * batch * hidden), (False, 0)):
        result = torch.mkldnn_rnn_layer(x, *parameters, h, h, False, [], 2, hidden, 1, True, False, False, train)
        assert result[3].numel() == kept


def test_fused_layer_without_inputs():
    h = torch.randn(20, 3)
    w = torch.randn(12, 3)
    result = torch.mkldnn_rnn_layer(
        torch.zeros(5, 20, 0), w[:, :0], w, w[:, 0], w[:, 1], h, h, False, [], 2, 3, 1, True, False, False, False
    )
    other = torch.mkldnn_rnn_layer(
        torch.zeros(5, 20, 1), w[:, :1], w, w[:, 0], w[:, 1], h, h, False, [], 2, 3, 1, True, False, False, False
    )
    for a, b in zip(result, other):
        torch.testing.assert_close(a, b)


def test_gates_far_from_zero():
    """Gates that are open or closed are 1 or 0, and NaN stays."""
    for size in (0.0, 100.0, 1e4, float("inf"), float("nan")):
        w, bias = torch.zeros(4, 1), torch.full((4,), size)
        h = torch.zeros(8, 1)
        for sign in (1, -1):
            with torch.no_grad():
                result = torch.mkldnn_rnn_layer(
                    torch.ones(4, 8, 1), w, w, bias * sign, torch.zeros(4), h, h, False, [], 2, 1, 1, True, False, False, False
                )
            gate, change = torch.sigmoid(bias[0] * sign).double(), torch.tanh(bias[0] * sign).double()
            c = torch.zeros((), dtype=torch.float64)
            for _ in range(4):
                c = gate * c + gate * change
            torch.testing.assert_close(result[2].double(), c.expand(8, 1), equal_nan=True, rtol=1e-5, atol=1e-30)


def test_fused_layer_differentiated_twice():
    """The second derivative of the fused layer is that of the plain one."""
    found = []
    for dtype in (torch.float32, torch.float64):
        for reverse in (False, True):
            torch.manual_seed(0)
            x = torch.randn(4, 2, 3).to(dtype).requires_grad_()
            w = [torch.randn(n).to(dtype).requires_grad_() for n in ((8, 3), (8, 2), (8,), (8,))]
            state = [torch.randn(1, 2, 2).to(dtype).requires_grad_() for _ in range(2)]
            both = [t.flip(0) if reverse else t for t in (x,)][0]
            if reverse and dtype == torch.float32:
                h, c = (s[0] for s in state)
                result = torch.mkldnn_rnn_layer(x, *w, h, c, True, [], 2, 2, 1, True, False, False, True)[:3]
            else:
                result = torch.lstm(both, state, w, True, 1, 0.0, True, False, False)
                result = (result[0].flip(0) if reverse else result[0], result[1][0], result[2][0])
            leaves = [x, *w, *state]
            first = torch.autograd.grad(sum((r * r).sum() for r in result), leaves, create_graph=True)
            second = torch.autograd.grad(sum(g.sin().sum() for g in first), leaves)
            found.append([*first, *second])
    for one, other in ((0, 2), (1, 3)):
        for a, b in zip(found[one], found[other]):
            torch.testing.assert_close(a.double(), b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name,gates", (("lstm", 4), ("gru", 3), ("rnn_tanh", 1)))
def test_gradcheck(name, gates):
    torch.manual_seed(0)

    def leaf(*sizes):
        return torch.randn(*sizes, dtype=torch.float64, requires_grad=True)

    parts = 2 if name == "lstm" else 1
    sizes = torch.tensor([2, 1])
    leaves = [leaf(2, 2, 2), leaf(3, 2), *(leaf(1, 2, 2) for _ in range(parts)),
              leaf(2 * gates, 2), leaf(2 * gates, 2), leaf(2 * gates), leaf(2 * gates)]  # fmt: skip

    def padded(x, data, *rest):
        state, w = rest[:parts], rest[parts:]
        state = state if parts == 2 else state[0]
        return (*getattr(torch, name)(x, state, w, True, 1, 0.0, True, False, False),
                *getattr(torch, name)(data, sizes, state, w, True, 1, 0.0, True, False))  # fmt: skip

    assert torch.autograd.gradcheck(padded, leaves)
    assert torch.autograd.gradgradcheck(padded, leaves)


def test_packing_gradcheck():
    x = torch.randn(3, 2, 2, dtype=torch.float64, requires_grad=True)

    def there_and_back(x):
        packed = rnn.pack_padded_sequence(x, [3, 1])
        return packed.data, rnn.pad_packed_sequence(packed, batch_first=True, padding_value=2.0, total_length=4)[0]

    assert torch.autograd.gradcheck(there_and_back, (x,))
    assert torch.autograd.gradgradcheck(there_and_back, (x,))


def test_packing():
    sequences = [torch.arange(n * 2.0).view(n, 2) + 100 * n for n in (3, 2, 1)]
    packed = rnn.pack_sequence(sequences)
    assert packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.data[:, 0].tolist() == [300, 200, 100, 302, 202, 304]
    assert all(torch.equal(a, b) for a, b in zip(rnn.unpack_sequence(packed), sequences))
    padded, lengths = rnn.pad_packed_sequence(packed, padding_value=-1, total_length=4)
    assert padded.shape == (4, 3, 2) and lengths.tolist() == [3, 2, 1]
    assert (padded[3] == -1).all() and (padded[1:, 2] == -1).all()
    assert torch.equal(padded[:3], rnn.pad_sequence(sequences, padding_value=-1))
    left = rnn.pad_sequence(sequences, batch_first=True, padding_side="left")
    assert left.shape == (3, 3, 2) and torch.equal(left[2, 2], sequences[2][0]) and (left[2, :2] == 0).all()
    shuffled = rnn.pack_sequence([sequences[2], sequences[0]], enforce_sorted=False)
    assert shuffled.sorted_indices.tolist() == [1, 0] and shuffled.unsorted_indices.tolist() == [1, 0]
    assert torch.equal(rnn.unpack_sequence(shuffled)[0], sequences[2])
    assert packed.double().data.dtype == torch.float64 and packed.to("cpu") is packed


def test_names_and_init():
    """Parameters have PyTorch's names and order, and draw the same random numbers."""
    torch.manual_seed(0)
    module = nn.LSTM(2, 3, num_layers=2, bidirectional=True, proj_size=1)
    names = [f"{kind}_l{k}{s}" for k in (0, 1) for s in ("", "_reverse")
             for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")]  # fmt: skip
    assert list(module.state_dict()) == names and module._flat_weights_names == names
    assert module.weight_ih_l1.shape == (12, 2)
    torch.manual_seed(0)
    for p in module.parameters():
        assert torch.equal(p, torch.empty_like(p).uniform_(-(3**-0.5), 3**-0.5))
    assert repr(module) == "LSTM(2, 3, proj_size=1, num_layers=2, bidirectional=True)"
    assert repr(nn.RNN(2, 3, 2, "relu", False, batch_first=True)) == "RNN(2, 3, num_layers=2, bias=False, batch_first=True)"


def test_dropout_between_layers():
    module = nn.GRU(3, 4, num_layers=2, dropout=0.5)
    x = torch.randn(5, 2, 3)
    assert not torch.equal(module(x)[0], module(x)[0])
    module.eval()
    assert torch.equal(module(x)[0], module(x)[0])
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        nn.GRU(3, 4, dropout=0.5)


def test_cells():
    """A cell is a step of the layer of one step."""
    for cell_kind, kind, settings in ((nn.LSTMCell, nn.LSTM, {}), (nn.GRUCell, nn.GRU, {}), (nn.RNNCell, nn.RNN, {}),
                                      (nn.RNNCell, nn.RNN, {"nonlinearity": "relu"}),
                                      (nn.GRUCell, nn.GRU, {"bias": False})):  # fmt: skip
        cell, layer = cell_kind(3, 4, **settings), kind(3, 4, **settings)
        layer.load_state_dict({n + "_l0": p for n, p in cell.state_dict().items()})
        x, h = torch.randn(2, 3), torch.randn(2, 4)
        state = (h, torch.randn(2, 4)) if cell_kind is nn.LSTMCell else h
        got = cell(x, state)
        _, expected = layer(x[None], tuple(s[None] for s in state) if isinstance(state, tuple) else state[None])
        for a, b in zip(got if isinstance(got, tuple) else (got,), expected if isinstance(expected, tuple) else (expected,)):
            torch.testing.assert_close(a, b[0])
        alone, batch = cell(x[0]), cell(x[:1])
        torch.testing.assert_close(alone, tuple(s[0] for s in batch) if cell_kind is nn.LSTMCell else batch[0])


def test_reduced_types():
    for dtype in (torch.float16, torch.bfloat16):
        module = nn.LSTM(3, 4, dtype=dtype)
        out, _ = module(torch.randn(5, 2, 3, dtype=dtype))
        exact, _ = module.double()(torch.zeros(5, 2, 3, dtype=torch.float64))
        assert out.dtype == dtype and exact.dtype == torch.float64


def test_empty_batch_and_meta():
    assert nn.LSTM(3, 4)(torch.empty(5, 0, 3))[0].shape == (5, 0, 4)
    out, (h, c) = nn.LSTM(3, 4, bidirectional=True, device="meta")(torch.empty(5, 2, 3, device="meta"))
    assert out.is_meta and out.shape == (5, 2, 8) and h.shape == c.shape == (2, 2, 4)


X, H = torch.zeros(4, 3, 2), torch.zeros(1, 3, 3)
LSTM, GRU = nn.LSTM(2, 3), nn.GRU(2, 3)
W = LSTM._flat_weights
PAD = torch._C._VariableFunctions._pad_packed_sequence


def counts(*numbers):
    return torch.tensor(numbers)


@pytest.mark.parametrize("call,error,pattern", (
    (lambda: LSTM(X.double()), ValueError, "does not match weight dtype"),
    (lambda: LSTM(X, (torch.zeros(1, 2, 3), H)), RuntimeError, r"Expected hidden\[0\] size \(1, 3, 3\), got \[1, 2, 3\]"),
    (lambda: LSTM(X, (H[0], H[0])), RuntimeError, "hx and cx should also be 3-D"),
    (lambda: GRU(X, H[0]), RuntimeError, "hx should also be 3-D but got 2-D"),
    (lambda: GRU(X[0], H), RuntimeError, "hx should also be 2-D but got 3-D"),
    (lambda: LSTM(X[0, 0]), ValueError, "2D or 3D, got 1D"),
    (lambda: LSTM(torch.zeros(4, 3, 5)), RuntimeError, "must be equal to input_size. Expected 2, got 5"),
    (lambda: LSTM(torch.zeros(0, 3, 2)), RuntimeError, "sequence length to be larger than 0"),
    (lambda: nn.LSTM(2, 3.0), TypeError, "hidden_size should be of type int"),
    (lambda: nn.LSTM(2, 3, dropout=2), ValueError, "dropout should be a number"),
    (lambda: nn.LSTM(2, 3, proj_size=3), ValueError, "proj_size has to be smaller"),
    (lambda: nn.GRU(2, 3, proj_size=1), ValueError, "only supported for LSTM"),
    (lambda: nn.RNN(2, 3, nonlinearity="x"), ValueError, "Unknown nonlinearity"),
    (lambda: nn.RNNCell(2, 3, nonlinearity="x")(X[0]), RuntimeError, "Unknown nonlinearity"),
    (lambda: nn.LSTMCell(2, 3)(X[0], (torch.zeros(3, 3), torch.zeros(2, 3))), RuntimeError, "hidden1 batch size 2"),
    (lambda: nn.LSTMCell(2, 3)(X[0], torch.zeros(3, 3)), TypeError, "argument 'hx'"),
    (lambda: nn.GRUCell(2, 3)(X[0], torch.zeros(3, 4)), RuntimeError, "inconsistent hidden_size"),
    (lambda: rnn.pack_padded_sequence(X, [3, 2]), RuntimeError, "equal to batch_size"),
    (lambda: rnn.pack_padded_sequence(X, [1, 2, 3]), RuntimeError, "sorted in decreasing order"),
    (lambda: rnn.pack_padded_sequence(X, [3, 2, 0]), RuntimeError, "greater than 0"),
    (lambda: rnn.pack_padded_sequence(X, [5, 2, 1]), RuntimeError, "exceeds the 4 steps"),
    (lambda: rnn.pack_padded_sequence(X[:0], [1, 1, 1]), RuntimeError, "Cannot pack empty tensors"),
    (lambda: PAD(X[0], counts(2, 2), False, 0.0, 3), RuntimeError, "sum to more"),
    (lambda: PAD(X[0], counts(1, 2), False, 0.0, 3), RuntimeError, "not rise"),
    (lambda: PAD(X[0], counts(2**62, 2**62), False, 0.0, 3), RuntimeError, "sum to more"),
    (lambda: PAD(X[0], counts(2, 1), False, 0.0, 2**62), RuntimeError, "too large"),
    (lambda: rnn.pad_sequence([]), RuntimeError, "empty list of sequences"),
    (lambda: rnn.pad_sequence([X], padding_side="up"), RuntimeError, "padding_side"),
    (lambda: torch.lstm(X, [H], W, True, 1, 0.0, True, False, False), RuntimeError, "two hidden states"),
    (lambda: torch.lstm(X, [H] * 2, W[:3], True, 1, 0.0, True, False, False), RuntimeError, "RNN parameters"),
    (lambda: torch.lstm(X[:, :2], [H[:, :2], H], W, True, 1, 0.0, True, False, False), RuntimeError, "cell state"),
    (lambda: torch.gru(X, H[..., :2], GRU._flat_weights, True, 1, 0.0, True, False, False), RuntimeError, "hidden state"),
    (lambda: torch.lstm(X, [H] * 2, W, True, -1, 0.0, True, False, False), RuntimeError, "num_layers"),
    (lambda: torch.lstm(X[0], counts(4, 2), [H] * 2, W, True, 1, 0.0, True, False), RuntimeError, "batch_sizes"),
))  # fmt: skip
def test_errors(call, error, pattern):
    with pytest.raises(error, match=pattern):
        call()


def test_fused_layer_refuses_hostile_sizes():
    """The operator behind LSTM accepts any arguments: every size is checked before memory is accessed."""
    good = [torch.zeros(s) for s in ((4, 3, 2), (12, 2), (12, 3), (12,), (12,), (3, 3), (3, 3))]
    rest = (False, [], 2, 3, 1, True, False, False, True)
    result = torch.mkldnn_rnn_layer(*good, *rest)
    tail = (False, 2, 3, 1, True, True, False, [], False)
    backward = [*good, *result[:3], *(torch.ones_like(r) for r in result[:3])]
    assert torch.mkldnn_rnn_layer_backward(*backward, *tail, result[3])[0].shape == (4, 3, 2)
    bad = (torch.zeros(()), torch.zeros(1), torch.zeros(2, 2), torch.zeros(0, 3, 2), torch.zeros(12, 2, dtype=torch.float64),
           torch.zeros(4, 3, 4), torch.empty(12, 2, device="meta"), torch.empty(0, 2**40, 2**20),
           torch.zeros(12, dtype=torch.int64))  # fmt: skip
    for k in range(len(good)):
        for other in bad:
            if k == 0 and other.shape == (0, 3, 2):
                continue  # no steps: fine
            for batch_first in (False, True):
                args = [*good[:k], other, *good[k + 1 :]]
                with pytest.raises(RuntimeError):
                    torch.mkldnn_rnn_layer(*args, False, [], 2, 3, 1, True, False, batch_first, True)
    for k in range(len(backward)):
        for other in bad:
            if k in (8, 9):
                continue  # the final states are in the schema and are not read
            with pytest.raises(RuntimeError):
                torch.mkldnn_rnn_layer_backward(*backward[:k], other, *backward[k + 1 :], *tail, result[3])
    with pytest.raises(RuntimeError):
        torch.mkldnn_rnn_layer_backward(*backward, *tail, result[3][1:])
    for hidden in (0, -1, 4, 2**62, 2**63 - 1):
        with pytest.raises(RuntimeError):
            torch.mkldnn_rnn_layer(*good, False, [], 2, hidden, 1, True, False, False, True)
    with pytest.raises(RuntimeError, match="mode"):
        torch.mkldnn_rnn_layer(*good, False, [], 3, 3, 1, True, False, False, True)
