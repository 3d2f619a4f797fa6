"""torch-bt: one backtrace of Python and C++ frames, the interpreter's own left out."""

import os

import gdb

from .commands import call

# A call of this function runs one Python frame or several.
LOOP = "_PyEval_EvalFrameDefault"


def python_frames():
    """Lists of Python frames as text, the innermost first: one list for each running interpreter loop."""
    try:
        text = call("((const char* (*)()) torch_python_stack)()").string(errors="replace")
    except gdb.error as problem:
        print(f"(no Python frames: {problem})")
        return []
    loops, frames = [], []
    for row in text.splitlines():
        entry, line, function, file = row.split("\t", 3)
        frames.append(f"{function} () at {file}:{line}{source_line(file, int(line))}")
        if entry == "1":
            loops.append(frames)
            frames = []
    if frames:
        loops.append(frames)
    return loops


def source_line(file, number):
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for k, line in enumerate(lines, 1):
                if k == number:
                    return f"\n        {line.strip()}"
    except OSError:
        pass
    return ""


def short(name):
    """A function's name with long template arguments left out."""
    out, depth, skipped = [], 0, ""
    for k, c in enumerate(name):
        if c == "<" and not name[:k].endswith("operator"):
            depth += 1
            if depth == 1:
                skipped = ""
        if depth:
            skipped += c
        else:
            out.append(c)
        if c == ">" and depth and name[k - 1] != "-":
            depth -= 1
            if depth == 0:
                out.append(skipped if len(skipped) <= 20 else "<...>")
    return "".join(out) + (skipped if depth else "")


def arguments(frame):
    try:
        block = frame.block()
    except RuntimeError:
        return ""
    while block and not block.function:
        block = block.superblock
    if not block:
        return ""
    shown = []
    for symbol in block:
        if symbol.is_argument and symbol.name:
            try:
                value = frame.read_var(symbol)
                text = value.format_string(max_elements=8, max_depth=1, deref_refs=False)
                text = text.split(": ", 1)[1] if text.startswith("@0x") and ": " in text else text
            except (gdb.error, RuntimeError) as problem:
                text = f"<{problem}>"
            shown.append(f"{symbol.name}={text if len(text) <= 100 else text[:97] + '...'}")
    return ", ".join(shown)


def is_interpreters(frame, name, interpreter):
    """Whether a frame belongs to the interpreter's internals."""
    if interpreter is None:
        return name.startswith(("Py", "_Py", "cfunction_", "method_vectorcall"))
    return gdb.solib_name(frame.pc()) == interpreter


class Backtrace(gdb.Command):
    """torch-bt [COUNT]: Python and C++ frames of the selected thread in one list, the innermost first."""

    def __init__(self):
        super().__init__("torch-bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if gdb.selected_thread() is None:
            raise gdb.GdbError("The program is not being run.")
        max_frames = int(argument) if argument else 1000
        loops = python_frames()
        interpreter = None
        level = 0
        frame = gdb.newest_frame()
        while frame is not None and max_frames > 0:
            name = frame.name() or ""
            if name.startswith(LOOP):
                interpreter = gdb.solib_name(frame.pc())
                for text in loops.pop(0) if loops else []:
                    print(f"#py {text}")
                    max_frames -= 1
            elif not is_interpreters(frame, name, interpreter):
                place = frame.find_sal()
                where = f" at {os.path.relpath(place.symtab.fullname())}:{place.line}" if place.symtab else ""
                if place.symtab and where.startswith(" at .."):
                    where = f" at {place.symtab.fullname()}:{place.line}"
                library = gdb.solib_name(frame.pc())
                where = where or (f" from {library}" if library else "")
                print(f"#{level:<3}{short(name) or '??'} ({arguments(frame)}){where}")
                max_frames -= 1
            frame = frame.older()
            level += 1


def register():
    Backtrace()
