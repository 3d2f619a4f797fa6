"""Names that the package imports on first use: every entry of its tables exists."""

import ast
import importlib
import pkgutil
import subprocess
import sys

import pytest
from surroundings import ROOT

import torch
from torch import _lazy


@pytest.mark.parametrize("name", sorted(_lazy.ATTRIBUTES))
def test_attribute(name):
    module = importlib.import_module(_lazy.ATTRIBUTES[name])
    assert getattr(torch, name) is getattr(module, name)


@pytest.mark.parametrize("name", sorted(_lazy.SUBMODULES))
def test_submodule(name):
    assert importlib.import_module(f"torch.{name}") is getattr(torch, name)


def test_table_does_not_depend_on_where_its_lines_end():
    assert _lazy._table("a: one two\nthree\nb.c: four") == {
        "one": "torch.a",
        "two": "torch.a",
        "three": "torch.a",
        "four": "torch.b.c",
    }


def test_functional_is_in_torch():
    """What torch.functional defines is an attribute of torch, too."""
    own = {name for name, value in vars(torch.functional).items() if getattr(value, "__module__", "") == "torch.functional"}
    public = {name for name in own if name[0] != "_"}
    assert {"cdist", "einsum", "norm"} <= public
    assert not [name for name in sorted(public) if not hasattr(torch, name)]


def test_stub_names_are_there():
    """The names that torch/__init__.pyi imports from other modules: type checkers trust it."""
    tree = ast.parse((ROOT / "torch" / "__init__.pyi").read_text())
    names = {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch"
        for alias in node.names
        if alias.asname == alias.name
    }
    assert len(names) > 50
    absent = _lazy.without_operators(torch._C)
    assert not [name for name in sorted(names) if name not in absent and not hasattr(torch, name)]


def test_operators_named_by_the_table():
    """Functions written in Python on top of an operator are where programs expect them."""
    absent = _lazy.without_operators(torch._C)
    places = torch.functional, torch.nn.functional
    for name in _lazy._OVER_OPERATORS:
        assert name in absent or any(name in vars(place) for place in places) or hasattr(torch, name), name


EVERY_MODULE = """
import importlib.util, pkgutil, sys, warnings
warnings.simplefilter("ignore")
import torch
bad = []
for info in pkgutil.walk_packages(torch.__path__, "torch."):
    if info.name in {"torch._C"} or info.name.endswith(".__main__") or ".gdb" in info.name:
        continue
    if info.name.startswith(("torch.distributed._", "torch.distributed.elastic._")) and not torch.distributed.is_available():
        continue  # they import the extension
    if info.name.endswith("._fsspec_filesystem") and importlib.util.find_spec("fsspec") is None:
        continue  # it is for those who have that package
    module = importlib.import_module(info.name)
    for name in dir(module):
        try:
            getattr(module, name)
        except Exception as error:
            bad.append(f"{info.name}.{name}: {error!r}")
print("\\n".join(bad))
sys.exit(bool(bad))
"""


def test_what_dir_lists_is_there():
    """For every module of the package, in a separate process, because it imports all of them."""
    assert sum(1 for _ in pkgutil.iter_modules(torch.__path__)) > 30
    done = subprocess.run([sys.executable, "-c", EVERY_MODULE], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this build has no torch.distributed")
@pytest.mark.parametrize("name, expected", [
    ("checkpoint", "save FileSystemWriter DefaultLoadPlanner"), ("elastic.agent.server", "WorkerSpec LocalElasticAgent"),
    ("elastic.multiprocessing", "Std DefaultLogsSpecs"), ("elastic.utils", "macros"), ("_composable", "replicate contract"),
])  # fmt: skip
def test_star_imports_names_that_are_not_loaded_yet(name, expected):
    names = {}
    exec(f"from torch.distributed.{name} import *", names)
    assert set(expected.split()) <= set(names)


DICTIONARY = """
import sys, torch
place = sys.argv[1]
module = getattr(torch, place)
loaded = len([name for name in sys.modules if name.startswith("torch." + place)])
found = [value for value in module.__dict__.values() if isinstance(value, type)]
assert len(found) > 10 and len([name for name in sys.modules if name.startswith("torch." + place)]) > loaded
assert all(getattr(module, name) is vars(module)[name] for name in dir(module))
"""


@pytest.mark.parametrize("place", ["distributions", "optim"])
def test_dictionary_is_complete(place):
    """Packages iterate over the dictionary of these modules, and touch names meanwhile."""
    done = subprocess.run([sys.executable, "-c", DICTIONARY, place], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_of_a_submodules_name_stay_functions():
    code = "import torch, torch.autograd.gradcheck; print(callable(torch.autograd.gradcheck))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"
