"""What gdb shows of tensors: printers and the torch-* commands. Loaded by gdb's own Python; needs no torch.

See docs/debugging.md.
"""

import gdb

from . import backtrace, commands, printers


def register(objfile):
    """Set up printers for the program that loaded libc10, and the commands."""
    # The program's first object is asked first, so that ours go before the C++ library's (both know std::optional).
    first = next(iter(gdb.objfiles()), objfile)
    gdb.printing.register_pretty_printer(first, printers.collection(), replace=True)
    commands.register()
    backtrace.register()
