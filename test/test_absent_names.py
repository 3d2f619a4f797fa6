"""Names that only PyTorch has raise an error that says so, and the table lists exactly these names."""

import importlib
import importlib.util
import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
import types

import pytest

import torch
from tools import absent_names
from torch import _absent, _absent_methods, _absent_names
from torch.utils.explain import UnknownName, explain

SAYS = "is part of PyTorch; this version of torch does not have it yet"


def test_table_is_up_to_date():
    stale = [path.name for path, text in absent_names.files(absent_names.absent()).items() if path.read_text() != text]
    assert not stale, "run: python -m tools.absent_names --write"


def test_every_public_name_is_there_or_in_the_table():
    """An independent computation of the same, so that the tool is tested too."""
    names = absent_names.public_names()
    whole = set(_absent_names.MODULES.split())

    def in_absent_module(path):
        parts = path.split(".")
        return any(".".join(parts[:k]) in whole for k in range(2, len(parts) + 1))

    for module in names.pop("modules"):
        if in_absent_module(module):
            with pytest.raises(ModuleNotFoundError, match=SAYS):
                importlib.import_module(module)
        else:
            importlib.import_module(module)
    assert sum(map(len, names.values())) > 4000
    for place, listed in names.items():
        if in_absent_module(place):
            continue
        owner = absent_names.owner(place)
        for name in listed:
            assert hasattr(owner, name) != _absent.is_absent(place, name), f"{place}.{name}"


def test_names_of_the_table_are_public_names():
    """A misspelt name in the table would never be used."""
    names = absent_names.public_names()
    for place, listed in {**_absent_names.TABLE, "torch.Tensor": _absent_methods.NAMES}.items():
        assert set(listed.split()) <= set(names[place])
    assert set(_absent_names.MODULES.split()) <= set(names["modules"])


def public_modules():
    yield "torch"
    for found in pkgutil.walk_packages(torch.__path__, "torch."):
        parts = found.name.split(".")
        if not any(part.startswith("_") for part in parts) and "cpp_extension" not in parts and found.name != "torch.utils.gdb":
            yield found.name


@pytest.mark.parametrize("name", sorted(public_modules()))
def test_dir_lists_what_can_be_had(name):
    if name.startswith(("torch.lib", "torch.share")) or name.endswith(".valgrind_wrapper") or ".gdb" in name:
        pytest.skip("no module of Python's users")
    module = importlib.import_module(name)
    for attribute in dir(module):
        getattr(module, attribute)


def test_dir_of_tensors_lists_what_can_be_had():
    x = torch.ones(2, 2)
    for attribute in dir(x):
        try:
            getattr(x, attribute)
        except RuntimeError:  # of complex tensors only
            assert attribute == "imag"
    for attribute in dir(torch.Tensor):
        getattr(torch.Tensor, attribute)
    assert "add" in dir(x) and "smm" not in dir(x) and "smm" not in dir(torch.Tensor)


@pytest.mark.parametrize("path", [
    "torch.smm", "torch.sparse", "torch.export", "torch.nested", "torch.nativert", "torch.optim.SparseAdam",
    "torch.qint8", "torch.ops.aten.smm", "torch.Tensor.smm",
])  # fmt: skip
def test_attribute(path):
    owner, _, name = path.rpartition(".")
    owner = absent_names.owner(owner)
    assert not hasattr(owner, name) and getattr(owner, name, None) is None
    assert name not in dir(owner)
    with pytest.raises(AttributeError, match=f"^{re.escape(path)} {SAYS}"):
        getattr(owner, name)


def test_other_names_are_reported_as_ever():
    with pytest.raises(AttributeError, match="^module 'torch' has no attribute 'nosuch'"):
        torch.nosuch  # noqa: B018
    with pytest.raises(AttributeError, match="^module 'torch.nn.functional' has no attribute 'nosuch'"):
        torch.nn.functional.nosuch  # noqa: B018
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'nosuch'"):
        torch.ones(1).nosuch  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nosuch' from 'torch'"):
        from torch import nosuch  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="No module named 'torch.nosuch'"):
        importlib.import_module("torch.nosuch")


@pytest.mark.parametrize("program, what", [
    ("import torch.export", "torch.export"),
    ("import torch.sparse", "torch.sparse"),
    ("from torch.nested import nested_tensor", "torch.nested"),
    ("from torch import sparse", "torch.sparse"),
    ("from torch import smm", "torch.smm"),
    ("from torch.optim import SGD, SparseAdam", "torch.optim.SparseAdam"),
])  # fmt: skip
def test_import(program, what):
    with pytest.raises(ImportError, match=f"^{re.escape(what)} {SAYS}") as caught:
        exec(program, {})
    assert isinstance(caught.value, ModuleNotFoundError) == (program.startswith("import") or f"from {what} " in program)


def test_find_spec_finds_nothing_and_raises_nothing():
    for name in ("torch.export", "torch.sparse", "torch.nested", "torch.nosuch"):
        assert importlib.util.find_spec(name) is None
    assert importlib.util.find_spec("torch.amp") is not None


def test_tensors_attributes_are_looked_up_as_those_of_any_object():
    """Absent names are descriptors in the type: anything else would slow down every lookup."""
    assert torch.Tensor.__getattribute__ is object.__getattribute__
    assert not any("__getattr__" in vars(kind) for kind in torch.Tensor.__mro__)


def test_an_absent_method_can_be_defined():
    class Mine(torch.Tensor):
        def smm(self):
            return "mine"

    assert torch.ones(1).as_subclass(Mine).smm() == "mine" and "smm" in dir(Mine)
    assert "values" not in dir(Mine)
    x = torch.ones(1)
    x.values = 3
    assert x.values == 3

    class Other(torch.Tensor):
        def __getattr__(self, name):
            return name

    assert torch.ones(1).as_subclass(Other).smm == "smm"


def test_what_to_use_meanwhile_is_there():
    numpy, named = pytest.importorskip("numpy"), set()
    for _, meanwhile in _absent._HINTS:
        named |= set(re.findall(r"\b(?:torch|numpy)(?:\.\w+)+", meanwhile.replace("{0}_", "resize_").replace("{0}", "")))
    assert len(named) > 5
    for path in named:
        found = {"torch": torch, "numpy": numpy}[path.partition(".")[0]]
        for part in path.rstrip(".").split(".")[1:]:
            found = getattr(found, part)


def test_every_pattern_of_the_hints_is_of_use():
    absent = {f"{place}.{name}" for place, names in _absent_names.TABLE.items() for name in names.split()}
    absent |= {f"torch.Tensor.{name}" for name in _absent_methods.NAMES.split()} | set(_absent_names.MODULES.split())
    assert not [pattern for pattern, _ in _absent._HINTS if not any(re.fullmatch(pattern, full) for full in absent)]
    for full in absent:
        assert _absent.text(full).startswith(f"{full} {SAYS}") and "{" not in _absent.text(full)


def test_explain():
    for name, message in (
        ("smm", "torch.smm"),
        ("optim.SparseAdam", "torch.optim.SparseAdam"),
        ("aten::smm", "torch.smm"),
    ):
        with pytest.raises(UnknownName, match=re.escape(f"explain: {message} {SAYS}")) as caught:
            explain(name)
        assert "did you mean" not in str(caught.value)
    done = subprocess.run([sys.executable, "-m", "torch.utils.explain", "smm"], capture_output=True, text=True)
    assert done.returncode == 1 and f"torch.smm {SAYS}" in done.stderr
    with pytest.raises(UnknownName, match="did you mean"):
        explain("convv2d")


def test_the_table_is_read_when_a_name_is_missed():
    program = (
        "import sys, torch; print('torch._absent' in sys.modules, 'torch._absent_names' in sys.modules)\n"
        "hasattr(torch, 'smm'); print('torch._absent_names' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == ["False", "False", "True"]


def test_modules_have_what_their_all_lists():
    for name in public_modules():
        if importlib.util.find_spec(name) is None or name.startswith(("torch.lib", "torch.share")):
            continue
        module = importlib.import_module(name)
        assert isinstance(module, types.ModuleType)
        for listed in getattr(module, "__all__", ()):
            assert hasattr(module, listed), f"{name}.{listed}"


def test_functions_over_missing_operators_are_absent_too():
    for name in ("ctc_loss", "embedding_bag", "rrelu"):
        if not hasattr(torch._C._VariableFunctions, name):
            assert not hasattr(torch.nn.functional, name) and _absent.is_absent("torch.nn.functional", name)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")])
def test_cdist(p):
    numpy = pytest.importorskip("numpy")
    a, b = torch.randn(3, 1, 4, 5, dtype=torch.float64), torch.randn(2, 6, 5, dtype=torch.float64)
    difference = numpy.abs(a.numpy()[..., :, None, :] - b.numpy()[..., None, :, :])
    norm = difference.max(-1) if p == float("inf") else (difference**p).sum(-1) ** (1 / p if p else 1)
    assert numpy.allclose(torch.cdist(a, b, p).numpy(), norm)
    if p:
        assert torch.autograd.gradcheck(lambda x: torch.cdist(x, b, p), a.requires_grad_())


def test_cdist_by_product_and_errors():
    a, b = torch.randn(40, 3), torch.randn(30, 3)
    direct = torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")
    torch.testing.assert_close(torch.cdist(a, b), direct, rtol=1e-4, atol=1e-4)
    x = torch.zeros(30, 3, requires_grad=True)
    torch.cdist(x, x).sum().backward()
    assert torch.equal(x.grad, torch.zeros(30, 3))
    for call, match in (
        (lambda: torch.cdist(a, b[0]), "at least 2D"),
        (lambda: torch.cdist(a, b[:, :2]), "number of columns"),
        (lambda: torch.cdist(a, b.int()), "floating-point"),
        (lambda: torch.cdist(a, b, -1), "non-negative"),
        (lambda: torch.cdist(a, b.double()), "same dtype"),
    ):
        with pytest.raises(RuntimeError, match=match):
            call()
    with pytest.raises(ValueError, match="nosuch is not a valid value"):
        torch.cdist(a, b, compute_mode="nosuch")
    assert inspect.signature(torch.cdist).parameters["p"].default == 2.0


def test_return_types():
    result = torch.max(torch.tensor([[1.0, 2.0], [4.0, 3.0]]), 0)
    assert type(result) is torch.return_types.max and {"max", "sort", "topk"} <= set(dir(torch.return_types))
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is torch.return_types.max and torch.equal(again.values, result.values)
    assert torch.return_types.topk is type(torch.topk(torch.ones(2), 1))
    assert not hasattr(torch.return_types, "add") and not hasattr(torch.return_types, "nosuch")
