"""Tensors as text: the strings are those that PyTorch prints."""

from math import inf, nan  # noqa: F401  (the expressions below use them)

import pytest

import torch

CASES = [
    ("torch.tensor(3)", "tensor(3)"),
    ("torch.tensor(1.5)", "tensor(1.5000)"),
    ("torch.tensor([])", "tensor([])"),
    ("torch.empty(0, 3)", "tensor([], size=(0, 3))"),
    ("torch.empty(2, 0, dtype=torch.int64)", "tensor([], size=(2, 0), dtype=torch.int64)"),
    ("torch.tensor([1, 2, 3])", "tensor([1, 2, 3])"),
    ("torch.tensor([1., 2., 3.])", "tensor([1., 2., 3.])"),
    ("torch.tensor([1.5, 2.25, -3.125])", "tensor([ 1.5000,  2.2500, -3.1250])"),
    ("torch.tensor([True, False])", "tensor([ True, False])"),
    ("torch.tensor([1e-8, 1.])", "tensor([1.0000e-08, 1.0000e+00])"),
    ("torch.tensor([1e10, 1.])", "tensor([1.0000e+10, 1.0000e+00])"),
    ("torch.tensor([100000., 2.])", "tensor([1.0000e+05, 2.0000e+00])"),
    ("torch.tensor([1e8, 1e8 + 8])", "tensor([1.0000e+08, 1.0000e+08])"),
    ("torch.tensor([nan, inf, -inf, 1.])", "tensor([nan, inf, -inf, 1.])"),
    ("torch.tensor([nan, 0.5])", "tensor([   nan, 0.5000])"),
    ("torch.tensor([0., -0.])", "tensor([0., -0.])"),
    ("torch.arange(2000)", "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (
        "torch.arange(2000.).reshape(40, 50)",
        "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 4.7000e+01, 4.8000e+01,\n"
        "         4.9000e+01],\n"
        "        [5.0000e+01, 5.1000e+01, 5.2000e+01,  ..., 9.7000e+01, 9.8000e+01,\n"
        "         9.9000e+01],\n"
        "        [1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.4700e+02, 1.4800e+02,\n"
        "         1.4900e+02],\n"
        "        ...,\n"
        "        [1.8500e+03, 1.8510e+03, 1.8520e+03,  ..., 1.8970e+03, 1.8980e+03,\n"
        "         1.8990e+03],\n"
        "        [1.9000e+03, 1.9010e+03, 1.9020e+03,  ..., 1.9470e+03, 1.9480e+03,\n"
        "         1.9490e+03],\n"
        "        [1.9500e+03, 1.9510e+03, 1.9520e+03,  ..., 1.9970e+03, 1.9980e+03,\n"
        "         1.9990e+03]])",
    ),
    (
        "torch.arange(24).reshape(2, 3, 4)",
        "tensor([[[ 0,  1,  2,  3],\n"
        "         [ 4,  5,  6,  7],\n"
        "         [ 8,  9, 10, 11]],\n"
        "\n"
        "        [[12, 13, 14, 15],\n"
        "         [16, 17, 18, 19],\n"
        "         [20, 21, 22, 23]]])",
    ),
    (
        "torch.tensor([[-1, 10], [100, -1000]], dtype=torch.int16)",
        "tensor([[   -1,    10],\n        [  100, -1000]], dtype=torch.int16)",
    ),
    ("torch.tensor([1 + 2j, -0.5 - 1e3j])", "tensor([ 1.0000+2.j, -0.5000-1000.j])"),
    ("torch.tensor([1j, 2 + 0j])", "tensor([0.+1.j, 2.+0.j])"),
    ("torch.tensor([1.5, 2.], dtype=torch.float64)", "tensor([1.5000, 2.0000], dtype=torch.float64)"),
    ("torch.tensor([1.5, 2.], dtype=torch.float16)", "tensor([1.5000, 2.0000], dtype=torch.float16)"),
    ("torch.tensor([1.5, 2.], dtype=torch.bfloat16)", "tensor([1.5000, 2.0000], dtype=torch.bfloat16)"),
    ("torch.ones(2, requires_grad=True)", "tensor([1., 1.], requires_grad=True)"),
    ("torch.ones(2, requires_grad=True) * 2", "tensor([2., 2.], grad_fn=<MulBackward0>)"),
    (
        "torch.ones(30) / 3",
        "tensor([0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333,\n"
        "        0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333,\n"
        "        0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333,\n"
        "        0.3333, 0.3333, 0.3333])",
    ),
    ("torch.zeros(3, 4, device='meta')", "tensor(..., device='meta', size=(3, 4))"),
    ("torch.zeros(2, device='meta', dtype=torch.int32)", "tensor(..., device='meta', size=(2,), dtype=torch.int32)"),
    ("torch.nn.Parameter(torch.ones(2))", "Parameter containing:\ntensor([1., 1.], requires_grad=True)"),
    (
        "torch.arange(40.) * 1000.5",
        "tensor([    0.0000,  1000.5000,  2001.0000,  3001.5000,  4002.0000,  5002.5000,\n"
        "         6003.0000,  7003.5000,  8004.0000,  9004.5000, 10005.0000, 11005.5000,\n"
        "        12006.0000, 13006.5000, 14007.0000, 15007.5000, 16008.0000, 17008.5000,\n"
        "        18009.0000, 19009.5000, 20010.0000, 21010.5000, 22011.0000, 23011.5000,\n"
        "        24012.0000, 25012.5000, 26013.0000, 27013.5000, 28014.0000, 29014.5000,\n"
        "        30015.0000, 31015.5000, 32016.0000, 33016.5000, 34017.0000, 35017.5000,\n"
        "        36018.0000, 37018.5000, 38019.0000, 39019.5000])",
    ),
    (
        "torch.linspace(0, 1, 10, requires_grad=True)",
        "tensor([0.0000, 0.1111, 0.2222, 0.3333, 0.4444, 0.5556, 0.6667, 0.7778, 0.8889,\n        1.0000], requires_grad=True)",
    ),
    ("torch.tensor([2**62, -5])", "tensor([4611686018427387904,                  -5])"),
    ("torch.tensor([1e-45])", "tensor([1.4013e-45])"),
    ("torch.full((2, 1, 2), 0.1).exp()", "tensor([[[1.1052, 1.1052]],\n\n        [[1.1052, 1.1052]]])"),
    ("torch.tensor([1 + 2j]).conj()", "tensor([1.-2.j])"),
    ("torch.ones(2, 2).t()", "tensor([[1., 1.],\n        [1., 1.]])"),
    ("torch.tensor([255], dtype=torch.uint8)", "tensor([255], dtype=torch.uint8)"),
]

OPTIONS = [
    ({"precision": 2}, "torch.tensor([1.23456, 2.])", "tensor([1.23, 2.00])"),
    ({"sci_mode": True}, "torch.tensor([1.5, 2000.])", "tensor([1.5000e+00, 2.0000e+03])"),
    ({"sci_mode": False}, "torch.tensor([1e-8, 1e5])", "tensor([     0.0000, 100000.0000])"),
    ({"threshold": 5, "edgeitems": 1}, "torch.arange(10)", "tensor([0,  ..., 9])"),
    (
        {"linewidth": 30},
        "torch.arange(20)",
        "tensor([ 0,  1,  2,  3,  4,\n         5,  6,  7,  8,  9,\n        10, 11, 12, 13, 14,\n        15, 16, 17, 18, 19])",
    ),
    ({"profile": "short"}, "torch.arange(2000) / 7", "tensor([0.00e+00, 1.43e-01,  ..., 2.85e+02, 2.86e+02])"),
    (
        {"profile": "full", "linewidth": 60},
        "torch.arange(30.)",
        "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9.,\n"
        "        10., 11., 12., 13., 14., 15., 16., 17., 18., 19.,\n"
        "        20., 21., 22., 23., 24., 25., 26., 27., 28., 29.])",
    ),
]


@pytest.fixture(autouse=True)
def default_options():
    yield
    torch.set_printoptions(profile="default")


@pytest.mark.parametrize("expression, text", CASES)
def test_repr(expression, text):
    assert repr(eval(expression)) == text


@pytest.mark.parametrize("options, expression, text", OPTIONS)
def test_options(options, expression, text):
    torch.set_printoptions(**options)
    assert repr(eval(expression)) == text


def test_subclass_and_format():
    class Mine(torch.Tensor):
        pass

    assert repr(torch.ones(1).as_subclass(Mine)) == "Mine([1.])"
    assert f"{torch.tensor(1.5):.3f}" == "1.500"
    with pytest.raises(TypeError):
        format(torch.ones(2), ".2f")
