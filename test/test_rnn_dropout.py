"""Dropout between recurrent layers draws what PyTorch 2.13 draws: the same amount of the same numbers in the same order."""

import pytest

import torch
import torch.nn as nn

# layer, bidirectional, lengths (None: a padded batch), the sum of what comes out, a number drawn afterwards
DRAWN = [
    ("LSTM", False, None, 64.9976, 1014813869675),
    ("LSTM", False, [9, 9, 9, 9, 9], 64.9976, 1014813869675),
    ("LSTM", False, [9, 7, 4, 2, 1], 29.9096, 81104941099),
    ("LSTM", False, [3, 9, 1, 1, 6], 25.8260, 869375224741),
    ("LSTM", True, None, 135.3363, 168439539427),
    ("LSTM", True, [9, 9, 9, 9, 9], 135.3363, 168439539427),
    ("LSTM", True, [9, 7, 4, 2, 1], 62.4791, 437123610451),
    ("LSTM", True, [3, 9, 1, 1, 6], 52.8913, 321388938311),
    ("GRU", False, None, 145.1720, 1014813869675),
    ("GRU", False, [9, 9, 9, 9, 9], 145.1720, 1014813869675),
    ("GRU", False, [9, 7, 4, 2, 1], 65.8036, 81104941099),
    ("GRU", False, [3, 9, 1, 1, 6], 57.7641, 869375224741),
    ("GRU", True, None, 352.4030, 168439539427),
    ("GRU", True, [9, 9, 9, 9, 9], 352.4030, 168439539427),
    ("GRU", True, [9, 7, 4, 2, 1], 159.8229, 437123610451),
    ("GRU", True, [3, 9, 1, 1, 6], 137.7012, 321388938311),
    ("RNN", False, None, 302.5109, 1014813869675),
    ("RNN", False, [9, 9, 9, 9, 9], 302.5109, 1014813869675),
    ("RNN", False, [9, 7, 4, 2, 1], 147.0730, 81104941099),
    ("RNN", False, [3, 9, 1, 1, 6], 131.1236, 869375224741),
    ("RNN", True, None, 956.1699, 168439539427),
    ("RNN", True, [9, 9, 9, 9, 9], 956.1699, 168439539427),
    ("RNN", True, [9, 7, 4, 2, 1], 471.0238, 437123610451),
    ("RNN", True, [3, 9, 1, 1, 6], 408.7374, 321388938311),
]


@pytest.mark.parametrize("layer,bidirectional,lengths,total,after", DRAWN)
def test_draws(layer, bidirectional, lengths, total, after):
    torch.manual_seed(0)
    m = getattr(nn, layer)(8, 32, 3, dropout=0.4, bidirectional=bidirectional)
    x = torch.randn(9, 5, 8)
    torch.manual_seed(5)
    y, _ = m(x if lengths is None else nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False))
    drawn = torch.randint(0, 1 << 40, (1,)).item()
    assert drawn == after
    assert abs((y if lengths is None else y.data).abs().sum().item() - total) < 1e-5 * total
