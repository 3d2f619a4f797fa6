"""Storages on the device: copies of their bytes, and what is built on them: deepcopy, pickle, files."""

import copy
import io
import pickle

import pytest
from gpus import LAST, two_devices

import torch


def test_clone_and_fill():
    x = torch.arange(4.0, device="cuda")
    storage = x.untyped_storage()
    made = storage.clone()
    assert made.device == x.device and made.data_ptr() != storage.data_ptr() and made.nbytes() == 16
    assert made.tolist() == torch.arange(4.0).untyped_storage().tolist()
    assert storage.fill_(1) is storage and x.cpu().view(torch.uint8).tolist() == [1] * 16
    assert storage.fill_(-1).tolist() == [255] * 16
    assert torch.ones(4, device="meta").untyped_storage().clone().device.type == "meta"


PLACES = ["cpu", "cuda:0", pytest.param("cuda:1", marks=two_devices)]


@pytest.mark.parametrize("source", PLACES)
@pytest.mark.parametrize("target", PLACES)
def test_copy_(source, target):
    x, y = torch.arange(5, device=source), torch.zeros(5, dtype=torch.int64, device=target)
    storage = y.untyped_storage()
    assert storage.copy_(x.untyped_storage(), non_blocking=True) is storage
    torch.cuda.synchronize(source) if source != "cpu" else None
    torch.cuda.synchronize(target) if target != "cpu" else None
    assert y.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="sizes differ"):
        storage.copy_(x[:3].clone().untyped_storage())


@two_devices
def test_moves():
    storage = torch.arange(3, dtype=torch.uint8).untyped_storage()
    there = storage.cuda()
    assert there.device == torch.device("cuda", 0) and there.cuda() is there and there.cuda(0) is there
    for index in (1, "cuda:1", torch.device("cuda", 1)):
        assert there.cuda(index).device.index == 1
    with torch.cuda.device(1):
        assert there.cuda().device.index == 1
    assert there.cuda(1).cpu().tolist() == there.to(device="cuda:1").tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match=r"UntypedStorage.cuda\(\): device: expected one of CUDA, got cpu"):
        storage.cuda("cpu")
    typed = torch.TypedStorage(wrap_storage=storage, dtype=torch.uint8, _internal=True)
    assert typed.cuda(1).get_device() == 1 and typed.to(device="cuda").tolist() == [0, 1, 2]


def test_byteswap():
    storage = torch.tensor([1], dtype=torch.int16, device="cuda").untyped_storage()
    storage.byteswap(torch.int16)
    assert storage.tolist() == [0, 1]


def test_deepcopy():
    base = torch.arange(6.0, device=LAST)
    pair = copy.deepcopy((base, base[2:]))
    assert pair[0].device == base.device and torch.equal(pair[0], base) and torch.equal(pair[1], base[2:])
    pair[0].zero_()
    assert pair[1].sum() == 0 and base.sum() == 15  # the copies share memory as the originals do
    made = copy.deepcopy(torch.nn.Parameter(torch.ones(2, device="cuda")))
    assert isinstance(made, torch.nn.Parameter) and made.tolist() == [1, 1]
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.sum().backward()
    made = copy.deepcopy(x)
    assert made.requires_grad and made.grad.tolist() == [1, 1] and made.grad is not x.grad
    norm = copy.deepcopy(torch.nn.BatchNorm1d(2).cuda())
    assert norm.running_mean.is_cuda and norm.num_batches_tracked.is_cuda
    torch.optim.swa_utils.AveragedModel(norm).update_parameters(norm)


@pytest.mark.parametrize("make", [pickle.loads, torch.load], ids=["pickle", "load"])
def test_pickle(make):
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)).cuda()
    x = torch.arange(4.0, device=LAST).view(2, 2).t()
    given = [model.state_dict(), x, x[0], torch.ones(3, dtype=torch.complex64, device="cuda").conj()]
    if make is pickle.loads:
        got, also = pickle.loads(pickle.dumps(given)), pickle.loads(pickle.dumps(model))
        assert all(p.is_cuda for p in also.parameters())
    else:
        file = io.BytesIO()
        torch.save(given, file)
        got = torch.load(io.BytesIO(file.getvalue()))
    assert all(torch.equal(got[0][name], value) and got[0][name].device == value.device for name, value in given[0].items())
    assert all(torch.equal(a, b) and a.device == b.device for a, b in zip(got[1:], given[1:]))


@two_devices
@pytest.mark.parametrize("zip_file", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_files(zip_file, weights_only, tmp_path):
    x = torch.arange(6.0, device="cuda:1")
    p = torch.nn.Parameter(torch.ones(3, device="cuda"))
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    p.grad = torch.ones_like(p)
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    torch.save({"x": x, "view": x[1:3], "state": state}, tmp_path / "f", _use_new_zipfile_serialization=zip_file)
    for where, expected in ((None, "cuda:1"), ("cpu", "cpu"), ("cuda", "cuda:0"), ({"cuda:1": "cuda:0"}, "cuda:0")):
        got = torch.load(tmp_path / "f", map_location=where, weights_only=weights_only)
        assert got["x"].device == torch.device(expected) and got["x"].tolist() == x.tolist() and got["view"].tolist() == [1, 2]
        assert got["view"].untyped_storage().data_ptr() == got["x"].untyped_storage().data_ptr()
        optimizer.load_state_dict(got["state"])
        assert optimizer.state[p]["momentum_buffer"].device == p.device
