"""torch.__config__ tells how this library was built."""

import os
import re
from pathlib import Path

import torch


def test_show():
    text = torch.__config__.show()
    libraries = os.listdir(os.path.join(os.path.dirname(torch.__file__), "lib"))
    for title, library in (("oneDNN", "libtorch_mkldnn.so"), ("OpenBLAS", "libtorch_blas.so")):
        (line,) = re.findall(rf"{title}: (.*)", text)
        assert (line != "off") == (library in libraries)
        assert line == "off" or re.fullmatch(r"\d+\.\d+.*", line)
    assert torch._C._get_cpu_capability() in text and "NumPy bindings: on" in text


def test_parallel_info():
    text = torch.__config__.parallel_info()
    assert f"at::get_num_threads() : {torch.get_num_threads()}" in text and "native thread pool" in text


def test_what_is_built_in_is_what_show_says():
    text = torch.__config__.show()
    for available, title in ((torch.backends.mkldnn.is_available(), "oneDNN"), (torch.backends.openmp.is_available(), "Threads")):
        assert available == ("off" != re.search(rf"{title}: (.*)", text)[1])
    assert torch.has_lapack == ("OpenBLAS: off" not in text)


def test_cuda():
    # The line is that of the device which torch.cuda means.
    (line,) = re.findall(r"CUDA: (.*)", torch.__config__.show())
    extension = torch._C._cuda_extension()
    assert (torch.version.cuda is not None) == (Path(torch.__file__).parent / "lib" / "libtorch_cuda.so").exists()
    if extension == "_cuda":
        assert line.startswith(f"{torch.version.cuda}.")
    else:
        assert line == ("emulated device" if extension else "off")


def test_the_version_of_cuda_is_read_from_the_build(tmp_path):
    from tools.setup_helpers.version import cuda_version, write_version_file

    assert cuda_version(tmp_path) is None
    for text, expected in (("", None), ("13.0", "13.0")):
        (tmp_path / "CMakeCache.txt").write_text(f"A:STRING=1\nTORCH_CUDA_VERSION:INTERNAL={text}\nB:BOOL=ON\n")
        assert cuda_version(tmp_path) == expected
        write_version_file(tmp_path / "version.py", expected)
        written: dict = {}
        exec((tmp_path / "version.py").read_text(), written)
        assert written["cuda"] == expected
