"""What a third-party backend can do. test/test_open_device.py runs this in a separate process: a process has one such backend."""

import io
import warnings

import pytest

import open_device
import torch


def test_device():
    device = torch.device("npu:1")
    assert (device.type, device.index, str(device)) == ("npu", 1, "npu:1")
    assert torch.npu.device_count() == 2 and torch.npu.is_available()
    with pytest.raises(RuntimeError, match="is called 'npu' already"):
        torch.utils.rename_privateuse1_backend("other")


def test_tensors_live_there_and_come_back():
    before = torch.npu.memory_allocated()
    x = torch.arange(6.0).reshape(2, 3)
    y = x.to("npu:1")
    assert y.device == torch.device("npu:1") and y.is_npu and not x.is_npu
    assert x.npu().device == torch.device("npu:0") and x.npu(1).device.index == 1
    assert torch.equal(y.cpu(), x) and torch.equal(y.t().cpu(), x.t()) and torch.equal(y[1, 1:].cpu(), x[1, 1:])
    assert y.to(torch.float64).dtype == torch.float64
    assert torch.npu.memory_allocated() > before
    del y
    assert torch.npu.memory_allocated() == before


def test_current_device():
    torch.npu.set_device(1)
    assert torch.empty(2, device="npu").device.index == 1
    torch.npu.set_device(0)
    assert torch.empty(2, device="npu").device.index == 0
    with pytest.raises(RuntimeError, match="there is no device npu:7"):
        torch.npu.set_device(7)


def test_factories():
    assert torch.ones(2, 2, device="npu").cpu().tolist() == [[1, 1], [1, 1]]
    assert torch.full((2,), 3, device="npu").cpu().tolist() == [3, 3]
    assert torch.zeros_like(torch.ones(3, device="npu")).device.type == "npu"
    assert torch.tensor([1, 2], device="npu").cpu().tolist() == [1, 2]


def test_own_kernels_run():
    x = torch.ones(3, device="npu")
    before = open_device._C.kernel_calls()
    y = x + x * 2
    assert open_device._C.kernel_calls() == before + 2 and y.cpu().tolist() == [3, 3, 3]
    assert y.sum().item() == 9


def test_fallback_warns_with_the_operator():
    x = torch.tensor([1.0, 4.0], device="npu")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y = x.sqrt()
        x.sqrt()
    assert y.device.type == "npu" and y.cpu().tolist() == [1, 2]
    warned = [str(w.message) for w in seen if "aten::sqrt" in str(w.message)]
    assert len(warned) == 1 and "npu" in warned[0]


def test_fallback_changes_arguments_in_place():
    x = torch.tensor([3.0, 1.0, 2.0], device="npu")
    x.clamp_(max=2)
    assert x.cpu().tolist() == [2, 1, 2]
    out = torch.empty(0, device="npu")
    torch.sin(torch.zeros(2, device="npu"), out=out)
    assert out.cpu().tolist() == [0, 0]
    values, places = torch.tensor([[1.0, 5.0], [7.0, 2.0]], device="npu").max(1)
    assert values.cpu().tolist() == [5, 7] and places.cpu().tolist() == [1, 0]


def test_autograd():
    x = torch.tensor([1.0, 2.0], device="npu", requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.device.type == "npu" and x.grad.cpu().tolist() == [2, 4]
    w = torch.randn(2, 2)
    y = (x @ w.npu()).sum()
    (grad,) = torch.autograd.grad(y, x)
    assert torch.allclose(grad.cpu(), w.sum(1))


def test_modules_train():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1).npu()
    assert all(p.is_npu for p in model.parameters())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(8, 3).npu(), torch.randn(8, 1).npu()
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_printing():
    x = torch.tensor([1.0, 2.0], device="npu")
    assert repr(x) == "tensor([1., 2.], device='npu:0')"


def test_save_and_load():
    x = torch.arange(4.0).npu(1)
    file = io.BytesIO()
    torch.save({"x": x, "view": x[1:]}, file)

    def load(**kwargs):
        file.seek(0)
        return torch.load(file, **kwargs)

    same = load()
    assert same["x"].device == x.device and torch.equal(same["x"].cpu(), x.cpu())
    assert same["view"].untyped_storage().data_ptr() == same["x"].untyped_storage().data_ptr()
    assert load(map_location="cpu")["x"].tolist() == [0, 1, 2, 3]
    assert load(map_location="npu:0")["x"].device.index == 0
    assert load(map_location={"npu:1": "npu:0"})["x"].device.index == 0
    torch.save(torch.ones(2), plain := io.BytesIO())
    plain.seek(0)
    assert torch.load(plain, map_location="npu").device == torch.device("npu:0")


def test_streams_and_events():
    first, second = torch.Stream("npu"), torch.Stream("npu:1")
    assert first != second and first.device == torch.device("npu:0") and second.device.index == 1
    with second:
        assert torch.npu.current_device() == 1 and torch.npu.current_stream() == second
    assert torch.npu.current_device() == 0 and torch.npu.current_stream() != second
    start, end = torch.Event("npu", enable_timing=True), torch.Event("npu", enable_timing=True)
    start.record()
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0 and end.query()
    first.wait_stream(second)
    with pytest.raises(RuntimeError, match="both events must be recorded"):
        torch.Event("npu").elapsed_time(end)


def test_generators():
    g = torch.Generator(device="npu").manual_seed(7)
    h = torch.Generator(device="npu").manual_seed(7)
    x, y = (torch.empty(4, device="npu").uniform_(generator=s) for s in (g, h))
    assert g.device.type == "npu" and torch.equal(x.cpu(), y.cpu())
    state = g.get_state()
    z = torch.empty(4, device="npu").uniform_(generator=g)
    g.set_state(state)
    assert torch.equal(torch.empty(4, device="npu").uniform_(generator=g).cpu(), z.cpu())
    torch.npu.manual_seed_all(3)
    a = torch.empty(4, device="npu").uniform_()
    torch.npu.manual_seed_all(3)
    assert torch.equal(torch.empty(4, device="npu").uniform_().cpu(), a.cpu())
    assert not torch.equal(x.cpu(), torch.empty(4).uniform_(generator=torch.Generator().manual_seed(7)))


def test_storages():
    storage = torch.ones(2).untyped_storage()
    there = storage.to("npu")
    assert there.device == torch.device("npu:0") and there.is_npu and bytes(there.cpu()) == bytes(storage)


def test_devices_do_not_mix():
    with pytest.raises(TypeError, match="npu:0"):
        torch.ones(2, device="npu").numpy()
