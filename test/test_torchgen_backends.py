"""torchgen writes the kernel table of a backend that is a library of its own, by the code that writes the CPU's."""

import subprocess

import pytest
from surroundings import ROOT

pytest.importorskip("yaml")
if not (ROOT / "torchgen").exists():
    pytest.skip("the source tree is not here", allow_module_level=True)

from torchgen.backends import OURS  # noqa: E402
from torchgen.gen import outputs, read_entries, write_if_changed  # noqa: E402

ENTRIES = """# Entries of a test.

- func: cube(Tensor self) -> Tensor
  variants: inplace, out
  structured: TensorIteratorBase
  meta: unary_op
  dispatch: {CPU, CUDA: cube_stub}
  autograd: false

- func: edges(Tensor self, int n) -> (Tensor, Tensor)
  dispatch: {CPU: edges_cpu, CUDA: edges_cuda}
  autograd: false

- func: corner(Tensor self) -> Tensor
  dispatch: {CPU: corner}
  autograd: false

- func: middle(Tensor self) -> Tensor
  dispatch: {Backends: middle}
  autograd: false
"""


@pytest.fixture
def generated(tmp_path):
    family = tmp_path / "aten" / "src" / "ATen" / "native" / "x"
    family.mkdir(parents=True)
    (family / "native_functions.yaml").write_text(ENTRIES)
    (tmp_path / "torch").symlink_to(ROOT / "torch")
    (tmp_path / "torchgen").symlink_to(ROOT / "torchgen")
    files = outputs(read_entries(str(family.parent.parent)), str(tmp_path))
    for path, (_, text) in files.items():
        write_if_changed(str(tmp_path / "out" / path), text)
    return files


def test_kernels_of_a_backend_stand_in_files_of_its_own(generated):
    assert {p for p, (kind, _) in generated.items() if kind == "cuda"} == {"Kernels_CUDA.cpp", "Kernels_CUDA_x.cpp"}
    text = generated["Kernels_CUDA_x.cpp"][1]
    assert "{&_ops::edges::entry, reinterpret_cast<void*>(&wrapper_edges)}" in text
    assert "at::native::edges_cuda(self, n)" in text and "corner" not in text and "cube" not in text
    home = generated["Ops_x.cpp"][1]
    assert "at::native::edges_cpu(self, n)" in home and "edges_cuda" not in home


def test_one_function_for_the_backends_of_this_tree(generated):
    home = generated["Ops_x.cpp"][1]
    assert home.count("at::native::middle(self)") == 1 and "middle" not in generated["Kernels_CUDA_x.cpp"][1]
    for key in OURS:
        assert f".{key} = reinterpret_cast<void*>(&wrapper_middle)" in home


def test_a_stub_serves_its_backends_from_the_entry(generated):
    home = generated["Ops_x.cpp"][1]
    for name in ("cube", "cube_", "cube_out"):
        assert f".CUDA = reinterpret_cast<void*>(&wrapper_{name})" in home
    assert "&native::cube_stub.CUDA" in home or "native::cube_stub.CUDA" in home


def test_the_files_compile(generated, tmp_path):
    build = ROOT / "build" / "generated"
    if not build.exists():
        pytest.skip("there is no build whose headers these files could include")
    folders = [tmp_path / "out", ROOT, ROOT / "aten" / "src", build]
    command = ["c++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", *(f"-I{f}" for f in folders)]
    done = subprocess.run(
        [*command, *(str(tmp_path / "out" / p) for p in ("Kernels_CUDA.cpp", "Kernels_CUDA_x.cpp"))],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
