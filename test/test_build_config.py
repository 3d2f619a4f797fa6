"""torch.__config__ tells how this library was built."""

import os
import re

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
