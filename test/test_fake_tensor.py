"""FakeTensor and FakeTensorMode: tensors with a device and without memory."""

import copy
import io
import resource

import pytest

import torch
from torch import nn
from torch._guards import detect_fake_mode
from torch._subclasses import FakeTensor, FakeTensorMode
from torch._subclasses.fake_tensor import (
    CrossRefFakeMode,
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeCopyMode,
    FakeTensorConverter,
    FakeTensorDeviceMismatchError,
    MetadataMismatchError,
    UnsupportedOperatorException,
    is_fake,
    maybe_get_fake_mode,
    unset_fake_temporarily,
)


def test_factories():
    with FakeTensorMode() as mode:
        x = torch.ones(2, 3)
        assert type(x) is FakeTensor and x.fake_mode is mode and x.device.type == "cpu" and not x.is_meta
        like = [torch.zeros_like(x), x.new_empty(4), torch.empty_strided((2, 2), (1, 2))]
        numbers = [torch.tensor([1.0, 2.0]), torch.as_tensor([1, 2]), torch.full((2,), 1.5), torch.arange(5), torch.eye(2)]
        for y in (*like, *numbers, torch.rand(3), torch.randperm(4)):
            assert type(y) is FakeTensor
    assert repr(x) == "FakeTensor(..., size=(2, 3))" and repr(x.int()) == "FakeTensor(..., size=(2, 3), dtype=torch.int32)"
    assert type(x + 1) is FakeTensor and type(torch.ones(1)) is torch.Tensor


def test_no_memory_is_touched():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with FakeTensorMode():
        layer = nn.Linear(100_000, 100_000)  # 40 GB
        y = layer(torch.ones(8, 100_000))
        y.sum().backward()
    assert layer.weight.grad.shape == (100_000, 100_000) and isinstance(layer.weight, nn.Parameter)
    assert repr(layer.bias) == "Parameter(FakeTensor(..., size=(100000,), requires_grad=True))"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_devices():
    with FakeTensorMode():
        x, y = torch.ones(2, 3), torch.ones(2, 3, device="cuda")
        assert y.device == torch.device("cuda:0") and y.is_cuda and not y.is_cpu and y.fake_device == y.device
        assert repr(y) == "FakeTensor(..., device='cuda:0', size=(2, 3))"
        assert (y * torch.tensor(2.0)).is_cuda and (y + 1).is_cuda and y.cpu().is_cpu and x.to("cuda:1").device.index == 1
        assert torch.zeros_like(y).is_cuda and y.new_zeros(2, device="cpu").is_cpu and y[torch.tensor([0])].is_cuda
        assert x.copy_(y).is_cpu and torch.ones(2, device="meta").is_meta
        with pytest.raises(FakeTensorDeviceMismatchError, match=r"aten.add.Tensor: .* cpu and cuda:0"):
            x + y
        a, b = torch._foreach_add([x, y], 1)
        assert a.is_cpu and b.is_cuda


def test_refusals_by_name():
    with FakeTensorMode():
        x = torch.ones(2, 3)
        for call in (lambda: x.sum().item(), lambda: bool(x.sum()), lambda: int(x[0, 0]), x.tolist):
            with pytest.raises(DataDependentOutputException, match="aten._local_scalar_dense.default"):
                call()
        with pytest.raises(DataDependentOutputException, match="aten.equal"):
            torch.equal(x, x)
        for call in (x.nonzero, lambda: x[x > 0], lambda: torch.argwhere(x)):
            with pytest.raises(DynamicOutputShapeException, match="aten.nonzero.default"):
                call()
        with pytest.raises(DynamicOutputShapeException, match="aten._unique2") as caught:
            torch.unique(x)
        assert caught.value.func is torch.ops.aten._unique2.default
        with pytest.raises(RuntimeError, match="__torch_dispatch__"):
            x.numpy()
        x[x > 0] = 1  # the shape does not depend on elements
    with pytest.raises(TypeError, match="shape_env"):
        FakeTensorMode(shape_env=object())


def test_constants():
    with FakeTensorMode():
        x = torch.tensor(3)
        assert x.item() == 3 and (x + 1).item() == 4 and x.constant is not None
        assert list(range(torch.tensor(2))) == [0, 1]
        x.add_(1)
        with pytest.raises(DataDependentOutputException):
            x.item()


def test_real_tensors():
    real = torch.ones(2)
    mode = FakeTensorMode()
    x = mode.from_tensor(real)
    for call in (lambda: x + real, lambda: torch.add(real, x)):
        with pytest.raises(AssertionError, match="convert all Tensors to FakeTensors first"):
            call()
    with mode, pytest.raises(AssertionError, match="aten.mul.Tensor"):
        real * 2
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert type(real * 2) is FakeTensor
    with pytest.raises(AssertionError, match="two modes"):
        x + FakeTensorMode().from_tensor(real)


def test_from_tensor():
    mode = FakeTensorMode()
    base = torch.ones(3, 4)
    row, column = base[1], base.t()
    fakes = [mode.from_tensor(t) for t in (row, column, base)]
    assert [(f.shape, f.stride(), f.storage_offset()) for f in fakes] == [
        (t.shape, t.stride(), t.storage_offset()) for t in (row, column, base)
    ]
    assert len({f.untyped_storage()._cdata for f in fakes}) == 1 and fakes[0]._base is fakes[2]
    assert mode.from_tensor(base) is fakes[2] and mode.from_tensor(fakes[2]) is fakes[2]
    version = fakes[2]._version
    fakes[0].add_(1)
    assert fakes[2]._version > version
    p = mode.from_tensor(nn.Parameter(base))
    assert isinstance(p, nn.Parameter) and p.requires_grad and p.is_leaf
    y = mode.from_tensor(p_times_two := nn.Parameter(base) * 2)
    assert y.requires_grad and not y.is_leaf and p_times_two.requires_grad
    z = mode.from_tensor(torch.ones(2, dtype=torch.complex64).conj())
    assert z.is_conj() and not z.resolve_conj().is_conj()
    assert FakeTensorConverter().from_real_tensor(mode, base).shape == (3, 4)


def test_fakes_are_released_with_their_tensors():
    mode = FakeTensorMode()
    for n in range(20):
        mode.from_tensor(torch.ones(n + 1))
    assert len(mode.fake_tensor_converter._tensors) <= 1 and len(mode.fake_tensor_converter._storages) <= 1


def test_changes_in_place():
    with FakeTensorMode():
        x = torch.ones(2, 3)
        y = x.t_()
        assert y is x and x.shape == (3, 2) and x.stride() == (1, 3)
        assert x.resize_(5).shape == (5,) and x.unsqueeze_(0).shape == (1, 5)
        out = torch.empty(0)
        assert torch.add(x, 1, out=out) is out and out.shape == (1, 5)
        v = x.view(5)
        assert v._base is x and v.untyped_storage()._cdata == x.untyped_storage()._cdata
        assert x.zero_() is x and x.uniform_() is x and x.requires_grad_().is_leaf
        with pytest.raises(RuntimeError, match="leaf Variable"):
            x.add_(1)
        w = x * 1
        w[0].mul_(2)
        assert w.grad_fn.name() == "CopySlices"


def test_training_step():
    with FakeTensorMode():
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10))
        x, target = torch.randn(4, 3, 8, 8), torch.randint(10, (4,))
        nn.functional.cross_entropy(model(x), target).backward()
        for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop):
            make(model.parameters(), lr=0.1).step()
        assert all(type(p.grad) is FakeTensor and p.grad.shape == p.shape for p in model.parameters())
        lstm = nn.LSTM(4, 5, bidirectional=True, batch_first=True)
        y, (h, c) = lstm(torch.ones(2, 3, 4))
        assert y.shape == (2, 3, 10) and h.shape == c.shape == (2, 2, 5)
        attention = nn.TransformerEncoderLayer(16, 2, batch_first=True)
        attention(torch.ones(2, 3, 16)).sum().backward()


def test_modes():
    with FakeTensorMode() as outer:
        with FakeTensorMode() as inner:
            assert torch.ones(1).fake_mode is inner
        assert torch.ones(1).fake_mode is outer
        with unset_fake_temporarily() as mode:
            assert mode is outer and type(torch.ones(1)) is torch.Tensor
        assert maybe_get_fake_mode(torch.ones(1)) is outer and is_fake(torch.ones(1))
        with outer:
            assert torch.ones(1).fake_mode is outer
        assert detect_fake_mode() is outer
    assert detect_fake_mode() is None and detect_fake_mode([1, (outer.from_tensor(torch.ones(1)),)]) is outer
    with pytest.raises(AssertionError, match="several modes"):
        detect_fake_mode([FakeTensorMode().from_tensor(torch.ones(1)), FakeTensorMode().from_tensor(torch.ones(1))])
    assert not is_fake(torch.ones(1)) and maybe_get_fake_mode(torch.ones(1)) is None


def test_other_modes_come_first():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Names(), FakeTensorMode():
        assert type(torch.ones(1) + 1) is FakeTensor
    assert Names.seen == ["aten.ones.default", "aten.add.Tensor"]


def test_copies():
    model = nn.Linear(3, 4)
    mode = FakeTensorMode()
    with FakeCopyMode(mode):
        fake = copy.deepcopy(model)
    assert type(fake.weight) is FakeTensor and isinstance(fake.weight, nn.Parameter) and type(model.weight) is nn.Parameter
    with mode:
        twin = copy.deepcopy(fake)
    assert twin.weight is not fake.weight and twin.weight.fake_mode is mode


def test_checkpoints():
    model = nn.Linear(3, 4)
    buffer = io.BytesIO()
    torch.save({"model": model.state_dict(), "tied": (x := torch.ones(4), x[1:])}, buffer)
    for location, device in ((None, "cpu"), ("cuda:1", "cuda:1"), ({"cpu": "cuda:0"}, "cuda:0")):
        buffer.seek(0)
        with FakeTensorMode():
            found = torch.load(buffer, map_location=location)
        weight = found["model"]["weight"]
        assert type(weight) is FakeTensor and weight.shape == (4, 3) and str(weight.device) == device
        a, b = found["tied"]
        assert a.untyped_storage()._cdata == b.untyped_storage()._cdata and b.storage_offset() == 1
    buffer.seek(0)
    with FakeTensorMode():
        fake = nn.Linear(3, 4)
        fake.load_state_dict(torch.load(buffer)["model"])


def test_operators_of_a_library():
    lib = torch.library.Library("test_fake", "DEF")
    lib.define("double(Tensor x) -> Tensor")
    lib.impl("double", lambda x: torch.from_numpy(x.numpy() * 2), "CPU")
    x = FakeTensorMode(allow_fallback_kernels=False).from_tensor(torch.ones(3))
    with pytest.raises(UnsupportedOperatorException, match="test_fake.double.default"):
        torch.ops.test_fake.double(x)
    y = FakeTensorMode().from_tensor(torch.ones(3))
    assert torch.ops.test_fake.double(y).shape == (3,)  # by a call with zeros
    lib.impl("double", torch.empty_like, "Meta")
    assert torch.ops.test_fake.double(x).shape == (3,)
    lib._destroy()


def test_cross_reference():
    with CrossRefFakeMode():
        x = torch.randn(3, 4)
        (x @ x.t()).softmax(-1).sum()
    lib = torch.library.Library("test_cross", "DEF")
    lib.define("wrong(Tensor x) -> Tensor")
    lib.impl("wrong", lambda x: x[:1].clone(), "CPU")
    lib.impl("wrong", torch.empty_like, "Meta")
    with CrossRefFakeMode(), pytest.raises(MetadataMismatchError, match="test_cross.wrong.default: shape"):
        torch.ops.test_cross.wrong(x)
    lib._destroy()


def test_bytes_of_storages():
    x = FakeTensorMode().from_tensor(torch.ones(4))
    storage = x.untyped_storage()
    assert storage.nbytes() == 16 and storage.device.type == "meta"
    for call in (
        lambda: storage[0],
        storage.tolist,
        lambda: storage.__setitem__(0, 1),
        lambda: storage[2:][0],
    ):
        with pytest.raises(NotImplementedError, match="bytes of a storage on meta"):
            call()


def test_sizes_that_a_fake_kernel_does_not_know():
    from torch._subclasses.fake_tensor import DynamicOutputShapeException
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    @torch.library.custom_op("test_fake_sizes::positive", mutates_args=())
    def positive(x: torch.Tensor) -> torch.Tensor:
        return x[x > 0]

    @positive.register_fake
    def _(x):
        return x.new_empty(torch.library.get_ctx().new_dynamic_size(min=0, max=100))

    x = torch.ones(4)
    with pytest.raises(DynamicOutputShapeException, match="test_fake_sizes.positive"):
        positive(FakeTensorMode().from_tensor(x))
    shape = positive(FakeTensorMode(shape_env=ShapeEnv()).from_tensor(x)).shape
    assert str(shape) == "torch.Size([u0])"
    with pytest.raises(NotImplementedError, match="new_dynamic_size"):
        positive(x.to("meta"))
