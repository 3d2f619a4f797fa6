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


WIDE = {
    "mm": lambda a, b, c, **k: torch.mm(a, b, **k),
    "transposed": lambda a, b, c, **k: torch.mm(b.t(), a.t(), **k),
    "strided": lambda a, b, c, **k: torch.mm(a[:, ::2], b[::2], **k),
    "addmm": lambda a, b, c, **k: torch.addmm(c, a, b, beta=2, alpha=3, **k),
    "row": lambda a, b, c, **k: torch.addmm(c[0], a, b, **k),
    "bmm": lambda a, b, c, **k: torch.bmm(torch.stack([a, a * 2]), torch.stack([b, -b]), **k),
    "baddbmm": lambda a, b, c, **k: torch.baddbmm(c, a.expand(2, 33, 20), b.expand(2, 20, 41), beta=0.5, **k),
    "empty": lambda a, b, c, **k: torch.addmm(c, a[:, :0], b[:0], **k),
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_with_a_float_result(name, dtype):
    torch.manual_seed(0)
    a, b, c = ((torch.randn(shape) * 30).to(dtype) for shape in ((33, 20), (20, 41), (33, 41)))
    expected = WIDE[name](a.float(), b.float(), c.float())
    for added in (c.float(), c):
        result = WIDE[name](a.cuda(), b.cuda(), added.cuda(), out_dtype=torch.float32)
        assert result.dtype == torch.float32
        torch.testing.assert_close(result.cpu(), expected, rtol=1e-5, atol=1e-2)
    meta = WIDE[name](a.to("meta"), b.to("meta"), c.to("meta"), out_dtype=torch.float32)
    assert (meta.shape, meta.dtype) == (expected.shape, torch.float32)


def test_out_dtype():
    a = torch.randn(4, 4, device="cuda", dtype=torch.float16)
    assert torch.equal(torch.mm(a, a, out_dtype=torch.float16), a @ a)
    out = torch.empty(4, 4, device="cuda")
    assert torch.mm(a, a, out_dtype=torch.float32, out=out) is out
    torch.testing.assert_close(out, a.float() @ a.float())
    with pytest.raises(RuntimeError, match="expected out_dtype to be that of the factors"):
        torch.mm(a, a, out_dtype=torch.float64)
    with pytest.raises(RuntimeError, match="expected self to be Float or Half, got Double"):
        torch.addmm(a.double(), a, a, out_dtype=torch.float32)
    with pytest.raises(NotImplementedError, match="mm.dtype"):
        torch.mm(a.cpu(), a.cpu(), out_dtype=torch.float32)
    with pytest.raises(RuntimeError, match="mm.dtype"):
        torch.mm(a.requires_grad_(), a, out_dtype=torch.float32).sum().backward()
