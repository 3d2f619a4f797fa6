"""Names that packages import, and what they do with the library's classes before they compute anything."""

import typing
from abc import ABC
from typing import Generic, TypeVar

import pytest

import torch
import torch.distributions.constraints
import torch.distributions.transforms
import torch.masked
import torch.nn.parallel
import torch.nn.utils.parametrizations
import torch.nn.utils.parametrize
import torch.optim.lr_scheduler
import torch.optim.swa_utils
from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.modules.utils import _list_with_default, _pair, _reverse_repeat_tuple, consume_prefix_in_state_dict_if_present

T = TypeVar("T")


def test_modules_can_be_generic():
    class Model(ABC, nn.Module, Generic[T]):
        pass

    assert issubclass(Model[int].__origin__, nn.Module) and Model.__parameters__ == (T,)
    seen = []

    class Base:
        def __init_subclass__(cls, tag=None, **kwargs):
            super().__init_subclass__(**kwargs)
            seen.append(tag)

    class Tagged(nn.Module, Base, tag="t"):
        pass

    assert seen == ["t"] and isinstance(Tagged(), nn.Module)
    with pytest.raises(TypeError):

        class Wrong(nn.Module, nosuch=1):
            pass


SPACES = (nn, torch.optim, torch.optim.lr_scheduler, torch.optim.swa_utils, torch.utils.data, torch.futures, torch.masked,
          nn.parallel, nn.utils.parametrize, nn.utils.parametrizations, torch.distributions, torch.distributions.transforms,
          torch.distributions.constraints)  # fmt: skip


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_type_hints_of_classes(space):
    for name in dir(space):
        kind = getattr(space, name)
        if isinstance(kind, type) and kind.__module__.startswith("torch"):
            typing.get_type_hints(kind)


def test_numbers_for_each_dimension():
    assert _pair(3) == (3, 3) and _pair([1, 2]) == (1, 2) and _reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)
    assert _list_with_default([None, 3], [5, 6, 7]) == [6, 3] and _list_with_default(3, [5, 6]) == 3
    with pytest.raises(ValueError, match="more than 2"):
        _list_with_default([None, 3], [5, 6])


def test_prefixes_of_state_dictionaries():
    state = nn.ModuleDict({"module": nn.Sequential(nn.Linear(1, 1))}).state_dict()
    consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["0.weight", "0.bias"] and list(state._metadata) == ["", "0"]


def test_lazy_modules_of_programs():
    class Scale(LazyModuleMixin, nn.Module):
        cls_to_become = None

        def __init__(self):
            super().__init__()
            self.weight = nn.UninitializedParameter()

        def initialize_parameters(self, x, factor=1):
            self.weight.materialize(x.shape[-1:])
            nn.init.constant_(self.weight, factor)

        def forward(self, x, factor=1):
            return self.weight * x

    module = Scale()
    assert module.has_uninitialized_params()
    assert module(torch.ones(2, 3), factor=2).sum().item() == 12 and module(torch.ones(2, 3)).sum().item() == 12
    assert not module.has_uninitialized_params() and not module._forward_pre_hooks

    class Forgets(LazyModuleMixin, nn.Module):
        pass

    with pytest.raises(NotImplementedError, match="Forgets must define initialize_parameters"):
        Forgets()(1)


def test_kernels_may_come_before_their_operator():
    @torch.library.register_fake("test_package_names::later")
    def fake(x):
        return x.new_empty(3)

    library = torch.library.Library("test_package_names", "FRAGMENT")
    library.impl("never", lambda x: x, "CPU")
    library._destroy()
    with pytest.raises(AttributeError, match="later"):
        torch.ops.test_package_names.later  # noqa: B018
    torch.library.define("test_package_names::later", "(Tensor x) -> Tensor")
    assert torch.ops.test_package_names.later(torch.ones(1, device="meta")).shape == (3,)
    torch.library.define("test_package_names::never", "(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError):
        torch.ops.test_package_names.never(torch.ones(1))


def test_storages_over_files(tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(bytes(range(8)))
    private = torch.UntypedStorage.from_file(str(file), False, 8)
    tensor = torch.tensor([], dtype=torch.uint8).set_(private)
    tensor[0] = 9
    assert tensor.tolist() == [9, 1, 2, 3, 4, 5, 6, 7] and file.read_bytes()[0] == 0
    shared = torch.UntypedStorage.from_file(str(file), shared=True, nbytes=12)
    shared[1] = 7
    del shared
    assert file.read_bytes() == bytes([0, 7, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0])
    assert torch.UntypedStorage.from_file(str(file)).nbytes() == 0 and private.untyped() is private
    for call, error, match in (
        (lambda: torch.UntypedStorage.from_file(str(file), False, 99), RuntimeError, "has 12 bytes, and 99"),
        (lambda: torch.UntypedStorage.from_file("/no/such/file", False, 1), RuntimeError, "No such file"),
        (lambda: torch.UntypedStorage.from_file(str(file), False, -1), RuntimeError, "negative"),
        (lambda: torch.UntypedStorage.from_file(3, False, 1), TypeError, "got int"),
        (lambda: torch.ones(1).pin_memory(), RuntimeError, "there is no"),
    ):
        with pytest.raises(error, match=match):
            call()


def test_marks_of_quantizers():
    from torch.ao.quantization import QuantWrapper

    functional = nn.quantized.FloatFunctional()
    one = torch.ones(2)
    assert functional.add(one, one).sum() == 4 and functional.add_relu(one, -3 * one).sum() == 0
    assert functional.mul(one, one).sum() == 2 and functional.cat([one, one]).shape == (4,) and functional.matmul(one, one) == 2
    assert functional.add_scalar(one, 2).sum() == 6 and functional.mul_scalar(one, 2).sum() == 4
    with pytest.raises(RuntimeError, match="called by its methods"):
        functional(one)
    assert torch.equal(QuantWrapper(nn.Identity())(one), one) and torch.quantization.QuantStub is torch.ao.quantization.QuantStub


def test_onnx_refuses():
    from torch.onnx import symbolic_opset11
    from torch.onnx.symbolic_helper import parse_args

    @parse_args("v", "i")
    def symbolic(g, x):
        return x

    assert not torch.onnx.is_in_onnx_export() and symbolic(None, 3) == 3
    for call in (
        lambda: torch.onnx.export(nn.Linear(1, 1), (torch.ones(1),), "x.onnx"),
        lambda: torch.onnx.ONNXProgram(),
        lambda: symbolic_opset11.squeeze(None, None),
    ):
        with pytest.raises(NotImplementedError, match="ONNX"):
            call()
    with pytest.raises(ValueError, match="got 'x'"):
        torch.onnx.register_custom_op_symbolic("x", len, 11)


def test_questions_about_symbols_and_fakes():
    from torch._subclasses.fake_tensor import FakeTensorMode, is_fake
    from torch.fx.experimental import symbolic_shapes

    assert symbolic_shapes.guard_or_false(3 > 2) and symbolic_shapes.free_symbols(3) == set() and not is_fake(torch.ones(1))
    assert is_fake(FakeTensorMode().from_tensor(torch.ones(1)))
    assert torch.types.Number == int | float | bool and torch.types.py_sym_types[0] is torch.SymInt


def test_indices_of_no_dimensions():
    from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex

    x = torch.arange(6).view(2, 3)
    with TransformGetItemToIndex():
        assert x[torch.tensor(1), torch.tensor(2)].item() == 5 and x[0].tolist() == [0, 1, 2]


def test_types_of_the_distributed_package_without_a_group():
    import torch.distributed as dist
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
    from torch.distributed.tensor import DTensor

    assert not dist.is_initialized() and dist.group.WORLD is None and ShardingStrategy.FULL_SHARD.value == 1
    assert not isinstance(torch.ones(1), DTensor) and not isinstance(nn.Linear(1, 1), FullyShardedDataParallel)
    for call in (lambda: dist.device_mesh.init_device_mesh("cpu", (2,)), lambda: FullyShardedDataParallel(nn.Linear(1, 1))):
        with pytest.raises(ValueError, match="RANK|process group"):
            call()


def test_layouts_and_styles_are_values():
    from torch.distributed.tensor import Partial, Replicate, Shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel

    assert Shard(0) == Shard(0) != Shard(1) and Shard(1).is_shard(1) and not Shard(1).is_shard(0) and Replicate().is_replicate()
    assert {Partial(): 1}[Partial("sum")] == 1 and Partial("max").is_partial("max") and not Partial().is_partial("max")
    assert repr((Shard(1), Replicate(), Partial())) == "(Shard(dim=1), Replicate(), Partial(sum))"
    assert ColwiseParallel(output_layouts=Replicate()).output_layouts == (Replicate(),)
    assert RowwiseParallel().input_layouts == (Shard(-1),)


def test_programs_derive_from_the_recorder():
    class Tracer(torch.fx.Tracer):
        pass

    module = nn.Linear(1, 1)
    assert not isinstance(module, torch.fx.GraphModule)
    made = torch.fx.GraphModule(module, Tracer().trace(module))
    assert isinstance(made, torch.fx.graph_module.GraphModule) and torch.equal(made(torch.ones(1)), module(torch.ones(1)))


def test_wrappers_of_optimizers_need_no_init():
    class Wrapper(torch.optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner

        def step(self, closure=None):
            self.inner.step(closure)

    parameter = nn.Parameter(torch.ones(1))
    parameter.grad = torch.ones(1)
    Wrapper(torch.optim.SGD([parameter], lr=0.5)).step()
    assert parameter.item() == 0.5


def test_iterators_of_data_loaders():
    from torch.utils.data import DataLoader, dataloader

    loader = DataLoader(list(range(4)), num_workers=1)
    iterator = iter(loader)
    assert isinstance(iterator, dataloader._MultiProcessingDataLoaderIter) and isinstance(
        iterator, dataloader._BaseDataLoaderIter
    )
    assert next(iterator).item() == 0
    iterator._shutdown_workers()
    assert isinstance(iter(DataLoader([1])), dataloader._SingleProcessDataLoaderIter)


def test_bases_of_observers():
    from torch.ao.quantization import FakeQuantizeBase, ObserverBase

    class Largest(ObserverBase):
        def forward(self, x):
            self.seen = x.abs().max()
            return x

        def calculate_qparams(self, **kwargs):
            return self.seen / 127

    observer = Largest(torch.int8)
    assert observer(torch.tensor([127.0, -254.0])).sum() == -127 and observer.calculate_qparams() == 2

    class Rounds(FakeQuantizeBase):
        def forward(self, x):
            return x.round() if self.fake_quant_enabled[0] else x

        def calculate_qparams(self, **kwargs):
            return None

    rounds = Rounds()
    assert rounds(torch.tensor(1.4)) == 1 and set(rounds.state_dict()) == {"fake_quant_enabled", "observer_enabled"}
    rounds.disable_fake_quant()
    rounds.disable_observer()
    assert rounds(torch.tensor(1.5)) == 1.5 and not rounds.observer_enabled[0]
    with pytest.raises(TypeError, match="abstract"):
        ObserverBase(torch.int8)


def test_dense_tensors_stay():
    x = torch.ones(2, requires_grad=True)
    assert x.to_dense() is x and x.to_dense(torch.float64).dtype == torch.float64
