"""Commands that show one value, and the switch of the dispatch trace."""

import gdb

from . import memory, printers


class TensorRepr(gdb.Command):
    """torch-tensor-repr EXPRESSION: shape, type and elements of a tensor, read from memory."""

    def __init__(self):
        super().__init__("torch-tensor-repr", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        impl = memory.tensor_impl(evaluated(argument, "torch-tensor-repr"))
        if impl is None:
            print("undefined tensor")
            return
        facts = memory.TensorFacts(impl)
        print(facts.summary())
        if facts.readable():
            print(facts.text())


class IntArrayRefRepr(gdb.Command):
    """torch-int-array-ref-repr EXPRESSION: the numbers of an IntArrayRef or a SmallVector."""

    def __init__(self):
        super().__init__("torch-int-array-ref-repr", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        value = memory.follow(evaluated(argument, "torch-int-array-ref-repr"))
        if memory.class_of(value) not in ("c10::ArrayRef", "c10::SmallVector"):
            raise gdb.GdbError(f"{value.type} is no list of numbers")
        count = int(value["size_"])
        print([int((value["data_"] + i).dereference()) for i in range(count)])


class DispatchKeySetRepr(gdb.Command):
    """torch-dispatch-keyset-repr EXPRESSION: the keys of a DispatchKeySet, or of its bits as a number."""

    def __init__(self):
        super().__init__("torch-dispatch-keyset-repr", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        value = memory.follow(evaluated(argument, "torch-dispatch-keyset-repr"))
        bits = int(value["bits_"]) if memory.class_of(value) == "c10::DispatchKeySet" else int(value)
        print(f"DispatchKeySet({', '.join(printers.key_names(bits))})")


class DispatchTrace(gdb.Command):
    """torch-dispatch-trace on|off: one line on standard error for each operator that the program calls."""

    def __init__(self):
        super().__init__("torch-dispatch-trace", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if argument not in ("on", "off"):
            raise gdb.GdbError("torch-dispatch-trace on, or torch-dispatch-trace off")
        call(f"((void (*)(int)) torch_dispatch_trace)({int(argument == 'on')})")


class Modes(gdb.Command):
    """torch-modes: the modes, transforms and dispatch keys that calls of the selected thread meet, the first one first."""

    def __init__(self):
        super().__init__("torch-modes", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if gdb.selected_thread() is None:
            raise gdb.GdbError("The program is not being run.")
        text = call("((const char* (*)(void)) torch_active_modes)()").string()
        print(text.rstrip() or "No mode is on: calls go from autograd to the backend.")


def evaluated(argument, command):
    if not argument:
        raise gdb.GdbError(f"{command} needs an expression: {command} self")
    value = gdb.parse_and_eval(argument)
    if value.is_optimized_out:
        raise gdb.GdbError(f"{argument} was optimized out here. Try another frame, or build its file with USE_CUSTOM_DEBINFO")
    return value


def call(expression):
    """Evaluate a call in the program while its other threads are stopped."""
    before = gdb.parameter("scheduler-locking")
    gdb.execute("set scheduler-locking on", to_string=True)
    try:
        return gdb.parse_and_eval(expression)
    except gdb.error as problem:
        if "extended state" not in str(problem):
            raise
        raise gdb.error("gdb 13 and older cannot restore the registers of processors with AMX after a call") from None
    finally:
        gdb.execute(f"set scheduler-locking {before}", to_string=True)


def register():
    for command in (TensorRepr, IntArrayRefRepr, DispatchKeySetRepr, DispatchTrace, Modes):
        command()
