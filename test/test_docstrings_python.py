"""Everything public that is defined in Python has a docstring with a summary, its arguments and a running example.

Its arguments and its result have types. test_docstrings.py asks the same of what is bound in C++.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

import torch
import torch.autograd.anomaly_mode
import torch.autograd.grad_mode
import torch.autograd.profiler
import torch.nn.attention
import torch.nn.attention.bias
import torch.nn.attention.flex_attention
import torch.nn.functional as F
import torch.nn.grad
import torch.nn.modules.utils
import torch.nn.parallel
import torch.nn.parallel.comm
import torch.nn.utils.fusion
import torch.nn.utils.memory_format
import torch.nn.utils.parametrizations
import torch.nn.utils.parametrize
import torch.nn.utils.prune
import torch.nn.utils.rnn
import torch.nn.utils.stateless
import torch.optim.lr_scheduler
import torch.optim.swa_utils
import torch.utils.benchmark
import torch.utils.checkpoint
import torch.utils.cpp_extension
import torch.utils.data
import torch.utils.dlpack
import torch.utils.hooks
from torch import nn

SPACES = {
    "torch.nn": torch.nn, "torch.nn.functional": torch.nn.functional, "torch.nn.init": torch.nn.init,
    "torch.nn.parameter": torch.nn.parameter, "torch.nn.modules.module": torch.nn.modules.module,
    "torch.nn.utils": torch.nn.utils, "torch.nn.utils.rnn": torch.nn.utils.rnn, "torch.optim": torch.optim,
    "torch.optim.optimizer": torch.optim.optimizer, "torch.optim.lr_scheduler": torch.optim.lr_scheduler,
}  # fmt: skip
BACKENDS = (
    "cpu", "cuda", "cudnn", "cusparselt", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum",
    "xeon", "xnnpack",
)  # fmt: skip
SPACES.update({f"torch.nn.utils.{name}": getattr(torch.nn.utils, name) for name in (
    "fusion", "memory_format", "parametrizations", "parametrize", "prune", "stateless",
)})  # fmt: skip
SPACES.update({name: sys.modules[name] for name in ("torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm")})
SPACES.update({f"torch.nn.{name}": sys.modules[f"torch.nn.{name}"] for name in (
    "attention", "attention.bias", "attention.flex_attention", "parallel", "parallel.scatter_gather", "parallel.parallel_apply",
    "parallel.comm", "modules.utils", "modules.lazy", "grad",
)})  # fmt: skip
SPACES.update({"torch.func": torch.func, "torch.optim.swa_utils": torch.optim.swa_utils})
# The example of these classes also covers their methods.
SHOWN_BY_CLASS = {
    "torch": torch, "torch.functional": torch.functional, "torch.random": torch.random,
    "torch.serialization": torch.serialization, "torch.amp": torch.amp, "torch.utils.dlpack": torch.utils.dlpack,
    "torch.utils.data": torch.utils.data, "torch.utils.checkpoint": torch.utils.checkpoint,
    "torch.overrides": torch.overrides, "torch.library": torch.library, "torch.multiprocessing": torch.multiprocessing,
    "torch.profiler": torch.profiler, "torch.utils.cpp_extension": torch.utils.cpp_extension,
    "torch.utils.benchmark": torch.utils.benchmark,
    "torch.testing": torch.testing, "torch.compiler": torch.compiler, "torch.jit": torch.jit,
    "torch.distributed": torch.distributed, "torch.cuda": torch.cuda, "torch.utils": torch.utils,
    **{f"torch.backends.{name}": getattr(torch.backends, name) for name in BACKENDS},
    "torch.ao.quantization": torch.ao.quantization, "torch.onnx": torch.onnx,
    "torch.futures": torch.futures, "torch.fx": torch.fx, "torch.hub": torch.hub, "torch.mps": torch.mps,
    "torch.package": torch.package, "torch.package.analyze": importlib.import_module("torch.package.analyze"),
    "torch.mtia": torch.mtia, "torch.xpu": torch.xpu, "torch.utils.hooks": torch.utils.hooks,
    "torch.accelerator": torch.accelerator,
    "torch.autograd": torch.autograd, "torch.autograd.functional": torch.autograd.functional,
    "torch.autograd.function": torch.autograd.function, "torch.autograd.graph": torch.autograd.graph,
    "torch.autograd.profiler": torch.autograd.profiler,
    "torch.autograd.grad_mode": torch.autograd.grad_mode, "torch.autograd.anomaly_mode": torch.autograd.anomaly_mode,
}  # fmt: skip
SHOWN_BY_CLASS.update({
    f"torch.distributions{name}": importlib.import_module(f"torch.distributions{name}")
    for name in ("", ".constraints", ".transforms", ".kl", ".utils", ".constraint_registry")
})  # fmt: skip
SHOWN_BY_CLASS.update({f"torch.{name}": importlib.import_module(f"torch.{name}") for name in ("masked", "quasirandom")})
SHOWN_BY_CLASS.update({f"torch.{name}": importlib.import_module(f"torch.{name}") for name in (
    "autograd.profiler_legacy", "jit.frontend", "multiprocessing.pool", "multiprocessing.queue", "nn.attention.varlen",
    "utils.cpp_backtrace", "utils.data.backward_compatibility", "utils.mkldnn", "utils.model_dump", "utils.show_pickle",
    "utils.throughput_benchmark",
)})  # fmt: skip
if torch.distributed.is_available():
    SHOWN_BY_CLASS.update({f"torch.distributed.{name}": importlib.import_module(f"torch.distributed.{name}") for name in (
        "tensor", "tensor.placement_types", "tensor.parallel", "fsdp", "fsdp.wrap", "checkpoint", "checkpoint.state_dict",
        "checkpoint.format_utils", "optim", "pipelining",
    )})  # fmt: skip
SPACES.update(SHOWN_BY_CLASS)
# What a docstring says of several arguments at once.
STARS = {"args", "kwargs"}


def is_ours(o: object) -> bool:
    where = getattr(o, "__module__", None) or ""
    if o is torch.OutOfMemoryError:
        return False  # made in C++
    if where.startswith("torch._C"):
        return False  # bound in C++; test_docstrings.py and test/distributed/test_extension_docs.py look at those
    return where == "torch" or where.startswith("torch.") and where != "torch._operators"


def members(space: types.ModuleType) -> dict[str, object]:
    """The public functions and classes of a module that are written in Python."""
    names = getattr(space, "__all__", None) or [name for name in dir(space) if not name.startswith("_")]
    found = {name: getattr(space, name) for name in names}
    return {name: o for name, o in found.items() if isinstance(o, (types.FunctionType, type)) and is_ours(o)}


def methods(cls: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class, or a base that is not public, defines."""
    for base in cls.__mro__:
        if base is not cls and not base.__name__.startswith("_") and not base.__name__.endswith("Mixin"):
            continue
        if not is_ours(base):
            continue
        for name, o in vars(base).items():
            if name.startswith("_") or not isinstance(o, (types.FunctionType, property, classmethod, staticmethod)):
                continue
            if getattr(cls, name, None) is not None:
                yield name, inspect.getattr_static(cls, name)


def everything() -> list[tuple[str, object, object]]:
    """(dotted name, object, class of a method or None)."""
    found, seen = [], set()
    for where, space in SPACES.items():
        for name, o in members(space).items():
            if id(o) in seen:
                continue
            seen.add(id(o))
            found.append((f"{where}.{name}", o, None))
            for method, m in dict(methods(o)).items() if isinstance(o, type) else ():
                if id(m) not in seen:
                    seen.add(id(m))
                    found.append((f"{where}.{name}.{method}", m, o))
    return found


ALL = everything()


def doc_of(name: str, o: object, cls: type | None) -> str:
    """A method that overrides another may leave the words to that one."""
    return (inspect.getdoc(getattr(cls, name.rpartition(".")[2])) if cls is not None and not isinstance(o, property)
            else inspect.getdoc(o) if cls is not None else inspect.cleandoc(o.__doc__ or "")) or ""  # fmt: skip


def function_of(o: object) -> Callable[..., object] | None:
    """What has the annotations."""
    if isinstance(o, (classmethod, staticmethod)):
        return o.__func__
    if isinstance(o, property):
        return o.fget
    if isinstance(o, type):
        return next((vars(c)[n] for c in o.__mro__ for n in ("__init__", "__new__")
                     if isinstance(vars(c).get(n), types.FunctionType) and is_ours(vars(c)[n])), None)  # fmt: skip
    return inspect.unwrap(o)


def described_arguments(doc: str) -> set[str]:
    """The names in the Args section."""
    names: set[str] = set()
    inside = False
    for line in doc.splitlines():
        if inside and line.startswith("    ") and not line.startswith("     "):
            names |= {n.strip(" *") for n in line.split("(")[0].split(":")[0].split(",")}
        elif line.strip() and not line.startswith(" "):
            inside = line == "Args:"
    return names


def test_every_name_has_a_docstring_and_an_example() -> None:
    total, documented, shown = Counter[str](), Counter[str](), Counter[str]()
    missing = []
    for name, o, cls in ALL:
        where = max((w for w in SPACES if name.startswith(w + ".")), key=len)
        doc = doc_of(name, o, cls)
        total[where] += 1
        documented[where] += bool(doc)
        shown[where] += ">>> " in doc
        if not doc or ">>> " not in doc and (cls is None or where not in SHOWN_BY_CLASS):
            missing.append(name)
    print("\n" + "\n".join(f"{w}: {documented[w]} docstrings, {shown[w]} examples, of {total[w]}" for w in total))
    assert not missing


def test_every_docstring_begins_with_a_sentence() -> None:
    wrong = [name for name, o, cls in ALL if not doc_of(name, o, cls).split("\n")[0].endswith(".")]
    assert not wrong


def test_every_argument_and_result_has_a_type() -> None:
    wrong = []
    for name, o, _ in ALL:
        function = function_of(o)
        if function is None:
            continue
        bound = not isinstance(o, staticmethod) and "." in function.__qualname__.rpartition("<locals>.")[2]
        untyped = [p.name for k, p in enumerate(inspect.signature(function).parameters.values())
                   if p.annotation is p.empty and not (bound and k == 0)]  # fmt: skip
        if untyped or "return" not in function.__annotations__:
            wrong.append(f"{name}: {untyped or 'result'}")
    assert not wrong


def test_every_argument_is_described() -> None:
    wrong = {}
    for name, o, cls in ALL:
        function = function_of(o)
        doc = doc_of(name, o, cls)
        own = cls is None or (o.__doc__ if not isinstance(o, (classmethod, staticmethod)) else o.__func__.__doc__)
        if function is None or not own or isinstance(o, property):
            continue
        names = {p for p in inspect.signature(function).parameters if p not in ("self", "cls") and not p.startswith("_")}
        described = described_arguments(doc)
        if STARS & names or "<locals>" in function.__qualname__:
            continue  # written out where a type checker sees them, or those of another function
        if names != described:
            wrong[name] = names ^ described
    assert not wrong


@pytest.mark.parametrize("where", SPACES)
def test_examples_run(where: str) -> None:
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=flags, verbose=False)
    failures: list[str] = []
    seen = set()
    for name, o, cls in ALL:
        doc = doc_of(name, o, cls)
        if max((w for w in SPACES if name.startswith(w + ".")), key=len) != where or doc in seen:
            continue
        seen.add(doc)
        if "init_process_group" in doc and not torch.distributed.is_available():
            continue
        test = parser.get_doctest(doc, {"torch": torch, "nn": nn, "F": F}, name, None, 0)
        with warnings.catch_warnings(), torch.random.fork_rng():
            warnings.simplefilter("ignore")
            runner.run(test, out=failures.append)
    assert not failures, "".join(failures)
