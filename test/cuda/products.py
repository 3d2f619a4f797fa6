"""Matrix products through cuBLAS: types, layouts, batches, and empty operands."""

import pytest

import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128]
PRODUCTS = {
    "mm": lambda a, b, c: a @ b,
    "addmm": lambda a, b, c: torch.addmm(c, a, b, beta=2, alpha=3),
    "transposed": lambda a, b, c: b.t() @ a.t(),
    "columns": lambda a, b, c: torch.mm(a, b, out=torch.empty(41, 33, dtype=a.dtype, device=a.device).t()),
    "strided": lambda a, b, c: a[:, ::2] @ b[::2],
    "batch": lambda a, b, c: torch.bmm(a.expand(3, 33, 20), b.expand(3, 20, 41)),
    "baddbmm": lambda a, b, c: torch.baddbmm(c.expand(2, 33, 41), a.expand(2, 33, 20), b.expand(2, 20, 41), beta=0.5),
    "dot": lambda a, b, c: a[:, 3] @ a[:, 5],
    "vdot": lambda a, b, c: torch.vdot(a[2], a[3]),
    "mv": lambda a, b, c: a @ b[:, 2],
    "empty": lambda a, b, c: torch.addmm(c, a[:, :0], b[:0]),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", [*FLOATS, torch.int32, torch.uint8])
def test_product(name, dtype):
    if name == "baddbmm" and not dtype.is_floating_point:
        pytest.skip("a fraction of an integer")
    torch.manual_seed(0)
    operands = [(torch.randn(shape) * 3).to(dtype) for shape in ((33, 20), (20, 41), (33, 41))]
    expected = PRODUCTS[name](*operands)
    result = PRODUCTS[name](*(x.cuda() for x in operands))
    assert result.device.type == "cuda"
    torch.testing.assert_close(result.cpu(), expected)


def test_layer_and_its_gradient():
    torch.manual_seed(0)
    layer = torch.nn.Linear(4, 3)
    x = torch.randn(2, 4)
    layer(x).abs().mean().backward()
    expected = layer.weight.grad
    layer.weight.grad = None
    layer.cuda()
    layer(x.cuda()).abs().mean().backward()
    torch.testing.assert_close(layer.weight.grad.cpu(), expected)
