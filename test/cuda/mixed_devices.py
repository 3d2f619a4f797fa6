"""Tensors of the CPU beside those of a GPU: an error that says so, where a kernel would read memory that it cannot reach."""

import pytest

import torch
from torch import nn
from torch.nn import functional as F

CASES = {
    "linear": lambda here, there: nn.Linear(4, 4).to(there)(torch.ones(2, 4, device=here)),
    "convolution": lambda here, there: nn.Conv2d(3, 4, 3).to(there)(torch.ones(1, 3, 8, 8, device=here)),
    "layer norm": lambda here, there: nn.LayerNorm(4).to(there)(torch.ones(2, 4, device=here)),
    "batch norm": lambda here, there: nn.BatchNorm1d(4).to(there)(torch.ones(2, 4, device=here)),
    "group norm": lambda here, there: nn.GroupNorm(2, 4).to(there)(torch.ones(2, 4, 3, device=here)),
    "embedding": lambda here, there: nn.Embedding(3, 2).to(there)(torch.tensor([1], device=here)),
    "embedding bag": lambda here, there: nn.EmbeddingBag(3, 2).to(there)(torch.tensor([[1]], device=here)),
    "LSTM": lambda here, there: nn.LSTM(4, 4).to(there)(torch.ones(2, 1, 4, device=here)),
    "GRU": lambda here, there: nn.GRU(4, 4).to(there)(torch.ones(2, 1, 4, device=here)),
    "prelu": lambda here, there: nn.PReLU().to(there)(torch.ones(2, 4, device=here)),
    "attention": lambda here, there: nn.MultiheadAttention(4, 1).to(there)(*[torch.ones(2, 1, 4, device=here)] * 3),
    "loss": lambda here, there: F.cross_entropy(torch.ones(2, 3, device=here), torch.tensor([0, 1], device=there)),
    "gather": lambda here, there: torch.ones(3, device=here).gather(0, torch.tensor([1], device=there)),
    "scatter": lambda here, there: torch.ones(3, device=here).scatter_(0, torch.tensor([1], device=there), 1.0),
    "index_select": lambda here, there: torch.ones(3, device=here).index_select(0, torch.tensor([1], device=there)),
    "masked_fill": lambda here, there: torch.ones(3, device=here).masked_fill_(torch.ones(3, device=there) > 0, 0),
    "product": lambda here, there: torch.ones(2, 2, device=here) @ torch.ones(2, 2, device=there),
    "sum": lambda here, there: torch.ones(2, device=here) + torch.ones(2, device=there),
    "int8": lambda here, there: torch._int_mm(*(torch.ones(32, 32, dtype=torch.int8, device=d) for d in (here, there))),
    "out": lambda here, there: torch.cumsum(torch.ones(3, device=here), 0, out=torch.ones(3, device=there)),
}


@pytest.mark.parametrize("devices", [("cpu", "cuda"), ("cuda", "cpu")], ids="-".join)
@pytest.mark.parametrize("name", CASES)
def test_refused(name, devices):
    with pytest.raises(RuntimeError, match="device"):
        CASES[name](*devices)
    assert torch.ones(2, device="cuda").sum().item() == 2  # the device still works


def test_ctc_takes_targets_of_the_cpu_alone():
    def loss(scores, targets):
        given = torch.randn(6, 1, 4, device=scores).log_softmax(2)
        return F.ctc_loss(given, torch.tensor([[1, 2]], device=targets), torch.tensor([6]), torch.tensor([2]))

    assert loss("cuda", "cpu").item() > 0
    with pytest.raises(RuntimeError, match="same device"):
        loss("cpu", "cuda")


def test_what_may_be_mixed():
    x = torch.arange(6.0, device="cuda").reshape(2, 3)
    assert (x + torch.tensor(2.0)).sum().item() == 27  # a number
    assert x[torch.tensor([1])].tolist() == [[3, 4, 5]]
    x[torch.tensor([0])] = torch.tensor(7.0)
    assert x[0].tolist() == [7, 7, 7]
    x.copy_(torch.ones(2, 3))
    assert x.sum().item() == 6
    packed = nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 4, device="cuda"), [3, 2])
    assert nn.LSTM(4, 5).cuda()(packed)[0].data.shape == (5, 5)
