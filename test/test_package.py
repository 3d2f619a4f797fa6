"""torch.package: files of PyTorch load, and what is written here loads; each module's fate, errors, and resources."""

import importlib
import io
import pickle
import sys
import textwrap
import zipfile

import pytest
from surroundings import ROOT

import torch
from torch.package import (
    EmptyMatchError,
    GlobGroup,
    ObjMismatchError,
    OrderedImporter,
    PackageExporter,
    PackageImporter,
    PackagingError,
    is_from_package,
    sys_importer,
)
from torch.package.analyze import find_first_use_of_broken_modules

SOURCES = {
    "__init__": "VALUE = 3\nfrom . import net\n",
    "net": """
        import math
        import torch
        from torch import nn
        from .parts.helper import double

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(3, 2)

            def forward(self, x):
                return double(self.linear(x)) + math.pi
    """,
    "parts/__init__": "",
    "parts/helper": "def double(x):\n    return x * 2\n",
}


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A package of Python files named `shelf`, imported; its modules are gone afterwards."""
    for name, text in SOURCES.items():
        path = tmp_path / "code" / "shelf" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    yield importlib.import_module("shelf")
    for name in [name for name in sys.modules if name.split(".")[0] == "shelf"]:
        del sys.modules[name]


def written(fill, **options):
    file = io.BytesIO()
    with PackageExporter(file, **options) as exporter:
        fill(exporter)
    return PackageImporter(io.BytesIO(file.getvalue()))


def test_a_package_of_pytorch():
    importer = PackageImporter(ROOT / "test" / "data" / "package.pth")
    net = importer.load_pickle("model", "net.pkl")
    assert type(net).__module__ == f"{importer.id()}.shelf.net" and "shelf" not in sys.modules
    expected = 2 * torch.tensor([3.5, 11.5]) + torch.pi
    torch.testing.assert_close(net(torch.ones(1, 3))[0], expected)
    graph = importer.load_pickle("model", "graph.pkl")
    assert [node.op for node in graph.graph.nodes] == ["placeholder", "call_function", "call_function", "output"]
    assert graph(torch.tensor([-1.0, 1.0])).tolist() == [1.0, 2.0]
    whole, part, half, complex_ = importer.load_pickle("model", "tensors.pkl")
    assert whole.tolist() == [0, 1, 2, 3] and part.data_ptr() == whole.data_ptr() + 4
    assert half.dtype == torch.float16 and complex_.tolist() == [1 + 2j]
    assert importer.load_text("notes.deep", "first.txt") == "hello\n" and importer.load_binary("notes", "b.bin") == b"\0\1"


def test_there_and_back(shelf):
    torch.manual_seed(0)
    net = shelf.net.Net()

    def fill(exporter):
        exporter.intern("shelf.**")
        exporter.save_pickle("model", "net.pkl", net)

    importer = written(fill)
    again = importer.load_pickle("model", "net.pkl")
    assert type(again) is not type(net) and is_from_package(again) and not is_from_package(net)
    x = torch.randn(2, 3)
    assert torch.equal(again(x), net(x))
    # And from this package into the next one.
    second = io.BytesIO()
    with PackageExporter(second, importer=[importer, sys_importer]) as exporter:
        exporter.intern("shelf.**")
        exporter.save_pickle("model", "net.pkl", again)
    third = PackageImporter(io.BytesIO(second.getvalue())).load_pickle("model", "net.pkl")
    assert torch.equal(third(x), net(x)) and type(third).__module__ != type(again).__module__


def test_format(tmp_path):
    path = tmp_path / "first.pt"
    with PackageExporter(path) as exporter:
        exporter.save_pickle("model", "x.pkl", torch.ones(2))
        exporter.save_source_string("tool", "import math\n", is_package=True)
    with zipfile.ZipFile(path) as archive:
        names = {name.removeprefix("first/") for name in archive.namelist()}
        assert names == {".data/0.storage", "model/x.pkl", "tool/__init__.py", ".data/extern_modules", ".data/python_version",
                         ".data/version", "byteorder", ".data/serialization_id"}  # fmt: skip
        externs = archive.read("first/.data/extern_modules").decode().split()
        assert archive.read("first/.data/version") == b"6\n"
        archive.extractall(tmp_path / "unpacked")
    assert externs == ["torch._utils", "torch", "collections", "math"]
    folder = PackageImporter(tmp_path / "unpacked" / "first")
    assert folder.load_pickle("model", "x.pkl").tolist() == [1, 1] and folder.import_module("tool").math.pi > 3


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_protocols(protocol):
    things = {"nested": torch.nn.Linear(1, 1), "function": torch.nn.functional.relu, "dtype": torch.float32, "none": type(None),
              "builtin": len, "tensor": torch.arange(3).to(torch.uint16), "set": {1}}  # fmt: skip
    importer = written(lambda exporter: exporter.save_pickle("a", "b.pkl", things, pickle_protocol=protocol))
    again = importer.load_pickle("a", "b.pkl")
    assert again["function"] is torch.nn.functional.relu and again["dtype"] is torch.float32 and again["builtin"] is len
    assert again["none"] is type(None) and again["set"] == {1}
    assert torch.equal(again["nested"].weight, things["nested"].weight) and torch.equal(again["tensor"], things["tensor"])


def test_storages_are_shared_within_a_pickle_and_stored_once():
    x = torch.arange(4.0)
    file = io.BytesIO()
    with PackageExporter(file) as exporter:
        exporter.save_pickle("a", "1.pkl", [x, x[2:]])
        exporter.save_pickle("a", "2.pkl", x.view(2, 2))
    storages = [name for name in zipfile.ZipFile(file).namelist() if name.endswith(".storage")]
    assert len(storages) == 1
    whole, part = PackageImporter(file).load_pickle("a", "1.pkl")
    part.zero_()
    assert whole.tolist() == [0, 1, 0, 0]
    assert PackageImporter(file).load_pickle("a", "1.pkl", map_location="meta")[0].is_meta
    with pytest.raises(RuntimeError, match="map_location"):
        PackageImporter(file).load_pickle("a", "1.pkl", map_location="cuda")


def test_modules_without_a_pattern():
    exporter = PackageExporter(io.BytesIO(), debug=True)
    exporter.deny("secret.**")
    exporter.save_source_string("tool.first", "import sys\nfrom numpy import linalg\nimport secret.part\nimport os.path\n")
    assert exporter.denied_modules() == ["secret.part"] and exporter.externed_modules() == ["os.path"]
    with pytest.raises(PackagingError) as problem:
        exporter.close()
    text = str(problem.value)
    assert "tool.first -> numpy.linalg" in text and "extern('sys')" in text and "denies the module:\n    secret.part" in text
    assert find_first_use_of_broken_modules(problem.value)["secret.part"] == ["tool.first", "secret.part"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("_json", "compiled"), ("sys", "no __file__"), ("made_by_a_test", "no __file__")],
)
def test_modules_without_a_source(name, reason, monkeypatch):
    monkeypatch.setitem(sys.modules, "made_by_a_test", type(sys)("made_by_a_test"))
    exporter = PackageExporter(io.BytesIO())
    exporter.save_module(name)
    with pytest.raises(PackagingError, match=reason):
        exporter.close()


def test_sources_that_cannot_be_read():
    exporter = PackageExporter(io.BytesIO())
    exporter.save_source_string("tool", "def broken(:\n")
    exporter.save_source_string("other", "from .. import far\n")
    with pytest.raises(PackagingError, match="SyntaxError") as problem:
        exporter.close()
    assert "goes beyond the package" in str(problem.value)


def test_mocked_modules(shelf):
    def fill(exporter):
        exporter.mock("numpy.**")
        exporter.save_source_string("tool", "import numpy\nfrom numpy.linalg import norm\n")

    module = written(fill).import_module("tool")
    for use in (lambda: module.norm(1), lambda: module.numpy.array([1]), lambda: module.norm + 1, lambda: module.norm.x,
                lambda: module.norm[0], lambda: type(module.norm)("x")):  # fmt: skip
        with pytest.raises(NotImplementedError, match="was mocked"):
            use()
    exporter = PackageExporter(io.BytesIO())
    exporter.mock("shelf.**")
    exporter.save_pickle("model", "net.pkl", shelf.net.Net())
    with pytest.raises(PackagingError, match=r"Net: in the resource 'net.pkl' of 'model'"):
        exporter.close()


def test_hooks_and_questions(shelf):
    seen = []
    with PackageExporter(io.BytesIO()) as exporter:
        for kind in ("intern", "extern", "mock"):
            register = getattr(exporter, f"register_{kind}_hook")
            register(lambda e, name, kind=kind: seen.append((kind, name)))
            register(lambda e, name: seen.append("removed")).remove()
        exporter.intern("shelf.**")
        exporter.mock("numpy")
        exporter.save_source_string(
            "tool", "import numpy, shelf\ntry:\n    import torch_package_importer\nexcept ImportError: pass\n"
        )
        assert exporter.get_rdeps("shelf.parts.helper") == ["shelf.net"] and exporter.get_rdeps("nothing") == []
        assert exporter.interned_modules() == ["shelf", "shelf.net", "shelf.parts.helper", "tool"]
        assert exporter.mocked_modules() == ["numpy"]
        path = exporter.all_paths("tool", "shelf.parts.helper")
        assert '"shelf.net" -> "shelf.parts.helper";' in path and "numpy" not in path
        assert [exporter.get_unique_id() for _ in range(2)] == ["0", "1"]
        with pytest.raises(ValueError, match="no node 'nothing'"):
            exporter.all_paths("nothing", "tool")
    assert seen[:3] == [("intern", "tool"), ("mock", "numpy"), ("intern", "shelf")] and ("extern", "torch.nn") in seen


def test_allow_empty():
    exporter = PackageExporter(io.BytesIO())
    exporter.extern("nothing.**", allow_empty=False)
    with pytest.raises(EmptyMatchError, match=r"nothing\.\*\*"):
        exporter.close()


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("a.**", "a", True), ("a.**", "a.b.c", True), ("a.*", "a.b", True), ("a.*", "a.b.c", False), ("a*", "abc", True),
        ("a.**.b", "a.b", True), ("a.**.b", "a.c.d.b", True), ("**.b", "b", True), ("a?", "ab", False), ("[a]", "a", False),
        (["x", "y"], "y", True), ("**", "anything.at.all", True),
    ],
)  # fmt: skip
def test_glob(pattern, name, fits):
    assert GlobGroup(pattern).matches(name) is fits
    assert not GlobGroup(pattern, exclude="**").matches(name)


def test_glob_errors():
    with pytest.raises(ValueError, match="whole segment"):
        GlobGroup("a**")
    for wrong in (3, [3]):
        with pytest.raises(TypeError):
            GlobGroup(wrong)


def test_modules_and_resources():
    def fill(exporter):
        exporter.save_source_string("tool", "import torch_package_importer as me\nimport os.path\n", is_package=True)
        exporter.save_source_string("tool.fails", "1 / 0\n")
        exporter.save_text("tool", "words.txt", "hello")

    importer = written(fill)
    tool = importer.import_module("tool")
    assert tool.me is importer and tool.os.path.join("a", "b") == "a/b" and tool.__name__ == f"{importer.id()}.tool"
    assert importlib.resources.files(tool).joinpath("words.txt").read_text() == "hello"
    assert importer.file_structure(include="tool/*").has_file("tool/words.txt")
    assert not importer.file_structure(exclude="**/*.txt").has_file("tool/words.txt")
    assert importer.python_version().startswith(f"{sys.version_info[0]}.")
    with pytest.raises(ZeroDivisionError) as problem:
        importer.import_module("tool.fails")
    assert problem.traceback[-1].statement.lines == ["1 / 0"]  # the lines of the package are in tracebacks
    for name in ("json", "tool.nothing"):
        with pytest.raises(ModuleNotFoundError, match=f"no module '{name}'"):
            importer.import_module(name)
    with pytest.raises(RuntimeError, match=r"no record 'tool/other.txt'"):
        importer.load_text("tool", "other.txt")
    with pytest.raises(ModuleNotFoundError):
        importer.load_pickle("nothing", "x.pkl")


def test_names(shelf):
    def fill(exporter):
        exporter.intern("shelf.**")
        exporter.save_module("shelf.net")

    importer = written(fill)
    packaged = importer.import_module("shelf.net").Net
    assert importer.get_name(packaged) == ("shelf.net", "Net")
    assert OrderedImporter(importer, sys_importer).get_name(packaged) == ("shelf.net", "Net")
    with pytest.raises(ObjMismatchError, match="running program"):
        sys_importer.get_name(packaged)
    with pytest.raises(ObjMismatchError, match="list the importer"):
        OrderedImporter(importer, sys_importer).get_name(shelf.net.Net)
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(packaged())


def test_source_files(shelf, tmp_path):
    importer = written(lambda exporter: exporter.save_source_file("other", str(tmp_path / "code" / "shelf")))
    assert importer.import_module("other.net").double(2) == 4 and importer.import_module("other").VALUE == 3
    with pytest.raises(FileNotFoundError):
        PackageExporter(io.BytesIO()).save_source_file("x", "no such file")


def test_objects_that_know_packages():
    importer = written(lambda exporter: exporter.save_pickle("a", "b.pkl", [known := Known(), known]))
    first, second = importer.load_pickle("a", "b.pkl")
    assert first is second and first == ("rebuilt", importer.id(), 3, "text of the package")


class Known:
    def __reduce_package__(self, exporter):
        exporter.extern(__name__)
        exporter.save_text("texts", "t.txt", "text of the package")
        return rebuild, (3,)


def rebuild(importer, number):
    return "rebuilt", importer.id(), number, importer.load_text("texts", "t.txt")


def test_graph_modules():
    module = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
    again = written(lambda exporter: exporter.save_pickle("m", "g.pkl", module)).load_pickle("m", "g.pkl")
    x = torch.randn(3, 2)
    assert torch.equal(again(x), module(x)) and again.code == module.code


def test_a_failed_package_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "x.pt"
    path.write_bytes(b"before")
    with pytest.raises(ZeroDivisionError), PackageExporter(path) as exporter:
        exporter.save_text("a", "b", "c")
        raise ZeroDivisionError
    with pytest.raises(PackagingError):
        with PackageExporter(path) as exporter:
            exporter.save_source_string("tool", "import numpy")
    assert path.read_bytes() == b"before" and [p.name for p in tmp_path.iterdir()] == ["x.pt"]
    with pytest.raises(ValueError, match="closed"):
        exporter.save_text("a", "b", "c")


def test_refused_files(tmp_path):
    ordinary = io.BytesIO()
    torch.save(torch.ones(1), ordinary)
    for source, error in (
        ("no such file", RuntimeError),
        (3, AttributeError),
        (io.BytesIO(b"x"), RuntimeError),
        (ordinary, RuntimeError),
    ):
        with pytest.raises(error):
            PackageImporter(source)
    file = io.BytesIO()
    with PackageExporter(file) as exporter:
        exporter.save_source_string("tool", "import math")
        exporter.save_binary("tool", "bad.pkl", b"\x80\x04junk")
        with pytest.raises(ValueError, match="has a file 'tool/bad.pkl' already"):
            exporter.save_binary("tool", "bad.pkl", b"")
    with pytest.raises(ImportError, match="'math', which is not allowed"):
        PackageImporter(file, module_allowed=lambda name: name != "math")
    with pytest.raises(pickle.UnpicklingError):
        PackageImporter(file).load_pickle("tool", "bad.pkl")
