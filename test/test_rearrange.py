"""torch.func.rearrange against permute and reshape."""

from __future__ import annotations

import pytest

import torch
from torch.func import rearrange

X = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)


@pytest.mark.parametrize(("pattern", "lengths", "expected"), [
    ("a b c d -> d c b a", {}, X.permute(3, 2, 1, 0)),
    ("a b c d -> (a b) (c d)", {}, X.reshape(6, 20)),
    ("a b c d -> a (d b) c", {}, X.permute(0, 3, 1, 2).reshape(2, 15, 4)),
    ("a b (h w) d -> a h b w d", {"h": 2}, X.reshape(2, 3, 2, 2, 5).permute(0, 2, 1, 3, 4)),
    ("a ... -> ... a", {}, X.permute(1, 2, 3, 0)),
    ("a ... d -> (... d) a", {}, X.permute(1, 2, 3, 0).reshape(60, 2)),
    ("... -> ...", {}, X),
    ("a b c d -> a 1 b () c d", {}, X.reshape(2, 1, 3, 1, 4, 5)),
    ("a b c d->(a b c d)", {}, X.reshape(-1)),
])  # fmt: skip
def test_patterns(pattern, lengths, expected) -> None:
    assert torch.equal(rearrange(X, pattern, **lengths), expected)


def test_lists_are_stacked_and_gradients_flow() -> None:
    assert torch.equal(rearrange([X[0], X[1]], "n ... -> ... n"), X.permute(1, 2, 3, 0))
    x = torch.randn(4, 3, requires_grad=True)
    rearrange(x, "(a b) c -> c a b", a=2).sum().backward()
    assert torch.equal(x.grad, torch.ones(4, 3))
    assert torch.func.vmap(lambda row: rearrange(row, "(a b) -> b a", a=2))(torch.arange(8).reshape(2, 4)).shape == (2, 2, 2)
    assert rearrange(X, "a b c d -> b a c d").data_ptr() == X.data_ptr()


@pytest.mark.parametrize(("pattern", "lengths", "message"), [
    ("a b c d", {}, "one ->"), ("a b c -> a b c", {}, "3 dimensions"), ("a a c d -> a c d", {}, "twice"),
    ("a b c d -> a b c", {}, "one side"), ("a b (c e) d -> a b c e d", {}, "told apart"), ("a b c d -> d c b a", {"q": 2}, "'q'"),
    ("a b (c e) d -> a b c e d", {"c": 3}, "parts of 3"), ("a b c d -> a b c d", {"a": 3}, "expected a dimension of 3"),
    ("a b c (d -> a b c d", {}, "unexpected"),
    ("a b c _d -> a b c _d", {}, "no name"), ("1 b c d -> b c d", {}, "dimension of 1"),
])  # fmt: skip
def test_errors(pattern, lengths, message) -> None:
    with pytest.raises(ValueError, match=message):
        rearrange(X, pattern, **lengths)
