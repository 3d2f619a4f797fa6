"""Named tuples of operators can be pickled, copied and saved; errors of tensors that are not a single number."""

import copy
import io
import pickle

import pytest

import torch

X = torch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
RESULTS = {
    "max": lambda: X.max(1), "min": lambda: X.min(1), "sort": lambda: X.sort(), "topk": lambda: X.topk(2),
    "median": lambda: X.median(1), "nanmedian": lambda: X.nanmedian(1), "mode": lambda: X.mode(1),
    "kthvalue": lambda: X.kthvalue(2), "cummax": lambda: X.cummax(1),
    "cummin": lambda: X.cummin(1), "aminmax": lambda: X.aminmax(),
}  # fmt: skip


def assert_same(a, b):
    assert type(a) is type(b)
    assert all(x.equal(y) for x, y in zip(a, b))


@pytest.mark.parametrize("name", RESULTS)
def test_round_trips(name):
    result = RESULTS[name]()
    kind = getattr(torch.return_types, name)
    assert type(result) is kind and kind in torch.return_types.all_return_types
    assert kind.__module__ == "torch.return_types" and kind.__qualname__ == name
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert_same(pickle.loads(pickle.dumps(result, protocol)), result)
    assert_same(copy.copy(result), result)
    deep = copy.deepcopy(result)
    assert_same(deep, result)
    assert deep[0].data_ptr() != result[0].data_ptr()
    for weights_only in (False, True):
        for legacy in (False, True):
            file = io.BytesIO()
            torch.save({"best": result}, file, _use_new_zipfile_serialization=not legacy)
            file.seek(0)
            assert_same(torch.load(file, weights_only=weights_only)["best"], result)
    assert_same(kind(tuple(result)), result)


def test_before_any_was_returned():
    """A process that has called none of these operators reads one."""
    import subprocess
    import sys

    text = pickle.dumps(X.max(1))
    program = f"import pickle; r = pickle.loads({text!r}); print(type(r).__name__, r.values.tolist())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "max [5.0, 6.0]\n", done.stderr


@pytest.mark.parametrize("convert", [int, float, complex], ids=lambda f: f.__name__)
def test_several_numbers_are_not_one(convert):
    for t in (torch.ones(2), torch.ones(0), torch.ones(2, dtype=torch.int64)):
        with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
            convert(t)
    with pytest.raises(RuntimeError):
        torch.ones(2).item()
    assert convert(torch.full((1, 1), 3.0)) == 3


def test_grad_of_what_is_no_leaf():
    import warnings

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    with pytest.warns(UserWarning, match=r"\.grad of a tensor that is not a leaf"):
        assert y.grad is None
    with pytest.warns(UserWarning, match="retain_grad"):
        assert x[:1].grad is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x.grad is None and torch.ones(2).grad is None and y.detach().grad is None
        assert y._grad is None
        kept = x * 3
        kept.retain_grad()
        assert kept.grad is None
        kept.sum().backward()
        assert kept.grad.tolist() == [1, 1] and x.grad.tolist() == [3, 3]
        y.grad = torch.ones(2)
        assert y.grad.tolist() == [1, 1]
