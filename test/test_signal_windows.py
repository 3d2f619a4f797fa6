"""torch.signal.windows against SciPy, and what it refuses."""

import numpy as np
import pytest
import scipy.signal.windows as sw

import torch
from torch.signal import windows

SAMPLES = [
    ("bartlett", {}), ("blackman", {}), ("cosine", {}), ("exponential", {"tau": 2.5}), ("gaussian", {"std": 1.5}),
    ("general_cosine", {"a": [0.5, 0.3, 0.2]}), ("general_hamming", {"alpha": 0.3}), ("hamming", {}), ("hann", {}),
    ("kaiser", {"beta": 3.5}), ("nuttall", {}),
]  # fmt: skip


@pytest.mark.parametrize("name, arguments", SAMPLES)
@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize("points", [0, 1, 2, 3, 8, 51])
def test_equals_scipy(name, arguments, sym, points):
    expected = getattr(sw, name)(points, **arguments, sym=sym)
    for dtype in (torch.float64, torch.float32):
        found = getattr(windows, name)(points, **arguments, sym=sym, dtype=dtype)
        assert found.dtype == dtype
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-15 if dtype == torch.float64 else 1e-7)


def test_exponential_takes_a_center():
    found = windows.exponential(5, center=1.0, sym=False, dtype=torch.float64)
    np.testing.assert_allclose(found.numpy(), sw.exponential(5, 1.0, sym=False))


def test_results_may_require_gradients():
    assert windows.hann(3, requires_grad=True).requires_grad and not windows.hann(3).requires_grad


@pytest.mark.parametrize("name, arguments", SAMPLES)
def test_refuses_bad_arguments(name, arguments):
    window = getattr(windows, name)
    with pytest.raises(ValueError, match="expected M"):
        window(-1, **arguments)
    with pytest.raises(TypeError):
        window(2.5, **arguments)
    with pytest.raises(ValueError, match="expected dtype"):
        window(3, **arguments, dtype=torch.float16)
    with pytest.raises(ValueError, match="expected layout"):
        window(3, **arguments, layout=torch.sparse_coo)


def test_refuses_bad_parameters():
    for call in (
        lambda: windows.exponential(3, tau=0.0), lambda: windows.exponential(3, center=1.0), lambda: windows.kaiser(3, beta=-1.0),
        lambda: windows.gaussian(3, std=-1.0), lambda: windows.general_cosine(3, a=[]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="expected|center"):
            call()
    with pytest.raises(TypeError, match="weights"):
        windows.general_cosine(3, a=3)
