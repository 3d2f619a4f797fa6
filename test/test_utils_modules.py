"""Small modules of torch.utils, and devices that this build does not have."""

import copy
import gc
import os

import pytest

import torch
from torch import nn
from torch.utils.file_baton import FileBaton
from torch.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_weak_dictionaries_compare_by_identity():
    x, y = torch.ones(2), torch.ones(2)
    names = WeakTensorKeyDictionary({x: "x"})
    names[y] = "y"
    assert names[x] == "x" and names[y] == "y" and torch.ones(2) not in names and len(names) == 2
    assert {id(key) for key in names} == {id(x), id(y)} and names.get(torch.ones(2)) is None and 3 not in names
    other = names.copy()
    del names[x]
    assert x not in names and other[x] == "x" and copy.deepcopy(other) == other and other != names
    del y
    gc.collect()
    assert len(names) == 0 and len(other) == 1
    assert (names | {x: 1})[x] == 1 and isinstance(names, WeakIdKeyDictionary)


def test_weak_references():
    x = torch.ones(2)
    assert TensorWeakRef(x)() is x and WeakIdRef(x) == WeakIdRef(x) and WeakIdRef(x) != WeakIdRef(torch.ones(2))
    reference = TensorWeakRef(x)
    del x
    gc.collect()
    assert reference() is None
    with pytest.raises(TypeError, match="got int"):
        TensorWeakRef(3)


def test_swap_tensors():
    a, b = nn.Parameter(torch.zeros(2)), torch.ones(3, dtype=torch.float64)
    a.note, alias = "a", a
    (a.sum() * 2).backward()
    torch.utils.swap_tensors(a, b)
    assert alias is a and a.shape == (3,) and a.dtype == torch.float64 and type(a) is torch.Tensor and not a.requires_grad
    assert type(b) is nn.Parameter and b.requires_grad and b.note == "a" and torch.equal(b.grad, torch.full((2,), 2.0))
    assert not hasattr(a, "note") and a.grad is None
    kept = TensorWeakRef(a)
    with pytest.raises(RuntimeError, match="weak references"):
        torch.utils.swap_tensors(a, torch.ones(1))
    del kept
    with pytest.raises(RuntimeError, match="graph"):
        torch.utils.swap_tensors(a, torch.ones(1, requires_grad=True) * 2)


def test_file_baton(tmp_path):
    baton, other = FileBaton(str(tmp_path / "lock")), FileBaton(str(tmp_path / "lock"))
    assert baton.try_acquire() and not other.try_acquire()
    baton.release()
    other.wait()
    assert other.try_acquire() and os.path.exists(tmp_path / "lock")
    other.release()


def test_groups_of_tensors():
    from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype as group

    a, b, c = torch.ones(1), torch.ones(2), torch.ones(1, dtype=torch.float64)
    groups = group([[a, c, b], [b, None, a]], with_indices=True)
    cpu = torch.device("cpu")
    (first, other), indices = groups[cpu, torch.float32]
    assert first[0] is a and first[1] is b and other[0] is b and other[1] is a and indices == [0, 2]
    assert groups[cpu, torch.float64][0][1] == [None]


@pytest.mark.parametrize("call", [
    lambda: torch.utils.mobile_optimizer.optimize_for_mobile(nn.Linear(1, 1)),
    lambda: torch.utils.bundled_inputs.bundle_inputs(nn.Linear(1, 1)),
    lambda: torch._dynamo.explain(print),
    lambda: torch._dynamo.export(print),
    lambda: torch._inductor.compile(print),
    lambda: torch.library.triton_op("a::b", mutates_args=()),
    lambda: torch.library.get_ctx().new_dynamic_size(),
])  # fmt: skip
def test_refused(call):
    with pytest.raises(NotImplementedError, match="compile|compiler|graphs|symbolic|GPU|meta tensor"):
        call()


def test_settings_of_the_compiler():
    config = torch._dynamo.config
    assert config.cache_size_limit == 8
    config.suppress_errors = True
    with config.patch(suppress_errors=False, verbose=True):
        assert not config.suppress_errors and config.verbose
    assert config.suppress_errors and not config.verbose
    config.suppress_errors = False

    @config.patch("verbose", True)
    def inside():
        return config.verbose

    assert inside() and not config.verbose
    import torch._inductor.config as inductor

    inductor.max_autotune = False
    for call in (lambda: config.nosuch, lambda: setattr(config, "nosuch", 1)):
        with pytest.raises(AttributeError, match="torch._dynamo.config.nosuch is no setting"):
            call()
    assert torch._dynamo.is_compiling() is False and torch._dynamo.disable(print) is print
    assert torch._dynamo.eval_frame.OptimizedModule is torch._dynamo.OptimizedModule


DEVICES = {"cuda": AssertionError, "xpu": AssertionError, "mtia": RuntimeError, "mps": RuntimeError}


@pytest.mark.parametrize("name", DEVICES)
def test_devices_that_are_not_there(name):
    module = getattr(torch, name)
    if module.is_available():
        pytest.skip("this build has it")
    assert module.device_count() == 0
    with pytest.raises(DEVICES[name], match="CUDA enabled|backend"):
        module.synchronize()
    module.manual_seed(0)
    if name != "mps":
        with pytest.raises(RuntimeError, match="Stream"):
            module.Stream()


@pytest.mark.skipif(torch.cuda.is_available(), reason="this build has CUDA")
def test_cuda_without_a_gpu():
    assert torch.cuda.memory_stats() == {} and torch.cuda.get_rng_state_all() == [] and torch.cuda.memory_reserved() == 0
    for call, error in (
        (lambda: torch.cuda.FloatTensor(2), TypeError),
        (lambda: torch.cuda.FloatStorage(), AssertionError),
        (lambda: torch.cuda.Event(), RuntimeError),
        (lambda: torch.cuda.memory.memory_summary(), AssertionError),
        (lambda: torch.cuda.device(0).__enter__(), RuntimeError),
        (lambda: torch.cuda.StreamContext(3).__enter__(), AssertionError),
    ):
        with pytest.raises(error, match="CUDA enabled"):
            call()
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    with torch.cuda.device(None), torch.cuda.device(-1), torch.cuda.stream(None), torch.cuda.device_of(torch.ones(1)):
        assert torch.ones(1).device.type == "cpu"


def test_settings_of_libraries():
    with torch.backends.cudnn.flags(enabled=False, deterministic=True):
        assert not torch.backends.cudnn.enabled and torch.backends.cudnn.deterministic
    assert torch.backends.cudnn.enabled and not torch.backends.cudnn.deterministic
    with torch.backends.cuda.sdp_kernel(enable_flash=False):
        assert not torch.backends.cuda.flash_sdp_enabled() and torch.backends.cuda.math_sdp_enabled()
    assert torch.backends.cuda.flash_sdp_enabled()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cuda.matmul.allow_tf32 = False
    with pytest.raises(AttributeError, match="no setting nosuch"):
        torch.backends.cuda.matmul.nosuch = 1
    with pytest.raises(RuntimeError, match="engine 'fbgemm'"):
        torch.backends.quantized.engine = "fbgemm"
    with pytest.raises(RuntimeError, match="'tf32'.*got fp32_precision='x'"):
        torch.backends.cudnn.conv.fp32_precision = "x"
    assert torch.backends.cuda.preferred_linalg_library() == "default"
    with pytest.raises(RuntimeError, match="got 'mine'"):
        torch.backends.cuda.preferred_linalg_library("mine")


def test_numbers_in_place_of_symbols():
    assert torch.sym_max(3, 4.0) == 4.0 and type(torch.sym_max(5, 4.0)) is float and type(torch.sym_min(3, 4)) is int
    assert torch.sym_ite(False, 1, 2) == 2 and torch.sym_sum([1, 2]) == 3 and torch.sym_int(-2.5) == -2
    with pytest.raises(TypeError, match="int and float"):
        torch.sym_ite(True, 1, 2.0)
    assert not isinstance(3, torch.SymInt)


def test_control_flow():
    x = torch.ones(1, requires_grad=True)
    y = torch.cond(x.sum() > 0, lambda x: x * 3, lambda x: x, (x,))
    y.backward()
    assert x.grad.item() == 3
    assert torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, torch.ones(1)))[1].item() == 8
    for call in (
        lambda: torch.cond(3, print, print, ()),
        lambda: torch.cond(torch.ones(2), print, print, ()),
        lambda: torch.cond(True, 3, print, ()),
        lambda: torch.cond(True, print, print, 3),
        lambda: torch.while_loop(lambda x: True, lambda x: (x, x), (1,)),
        lambda: torch.while_loop(3, print, (1,)),
        lambda: torch.while_loop(print, print, 1),
    ):
        with pytest.raises(RuntimeError, match="torch.cond|torch.while_loop"):
            call()


def test_asarray():
    numpy = pytest.importorskip("numpy")
    x = torch.ones(2)
    assert torch.asarray(x) is x and torch.asarray(x, copy=True) is not x and torch.asarray(x, copy=False) is x
    array = numpy.ones(3)
    shared = torch.asarray(array)
    shared[0] = 5
    assert array[0] == 5 and torch.asarray(array, copy=True).data_ptr() != shared.data_ptr()
    assert torch.asarray([1, 2], dtype=torch.float64).dtype == torch.float64
    assert torch.asarray(x, dtype=torch.float64).dtype == torch.float64
    assert torch.asarray(bytearray(b"\x01\x02"), dtype=torch.uint8).tolist() == [1, 2]
    assert torch.asarray(numpy.float32(2.5)).dtype == torch.float32
    leaf = torch.asarray(x, requires_grad=True)
    assert leaf.requires_grad
    assert not torch.asarray(torch.ones(1, requires_grad=True) * 2).requires_grad
    for call in (lambda: torch.asarray([1], copy=False), lambda: torch.asarray(x, dtype=torch.int32, copy=False)):
        with pytest.raises(ValueError, match="copy=False forbids"):
            call()


def test_archive_reader(tmp_path):
    torch.save({"a": torch.arange(3)}, tmp_path / "x.pt")
    reader = torch._C.PyTorchFileReader(str(tmp_path / "x.pt"))
    assert reader.has_record("data/0") and not reader.has_record("nosuch") and "version" in reader.get_all_records()
    assert reader.get_storage_from_record("data/0", 3, torch.int64).tolist() == [0, 1, 2] and reader.version() == 3
    with pytest.raises(RuntimeError, match="need more"):
        reader.get_storage_from_record("data/0", 4, torch.int64)
    with pytest.raises(RuntimeError, match="no record"):
        reader.get_record("nosuch")
    (tmp_path / "bad").write_bytes(b"x")
    with pytest.raises(RuntimeError, match="cannot read"):
        torch.PyTorchFileReader(str(tmp_path / "bad"))


def test_autocast_rules_of_operators():
    @torch.library.custom_op("test_utils_modules::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    torch.library.register_autocast(same, "cpu", torch.bfloat16)
    assert same(torch.ones(1)).dtype == torch.float32
    with pytest.raises(ValueError, match="got 'tpu'"):
        torch.library.register_autocast(same, "tpu", torch.bfloat16)
