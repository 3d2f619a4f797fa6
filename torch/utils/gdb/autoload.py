"""gdb runs this when a program loads libc10.so: the build puts it beside the library as libc10.so-gdb.py.

It loads the package torch/utils/gdb without importing torch, whose Python may not be gdb's.
"""

import importlib.util
import os
import sys

import gdb


def load(objfile):
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(objfile.filename))), "utils", "gdb")
    if "torch_gdb" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "torch_gdb", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules["torch_gdb"] = module
        spec.loader.exec_module(module)
    sys.modules["torch_gdb"].register(objfile)


if gdb.current_objfile() is not None:
    load(gdb.current_objfile())
