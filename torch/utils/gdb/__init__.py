"""gdb support for tensors: pretty-printers and the torch-* commands. Loaded by gdb's own Python; needs no torch.

See docs/debugging.md.
"""

import gdb

from . import backtrace, commands, kernels, printers


def register(objfile):
    """Set up printers for the program that loaded libc10, and the commands."""
    # gdb asks the program's first object first, so our printers precede the C++ library's (both handle std::optional).
    first = next(iter(gdb.objfiles()), objfile)
    gdb.printing.register_pretty_printer(first, printers.collection(), replace=True)
    commands.register()
    backtrace.register()
    kernels.register()
