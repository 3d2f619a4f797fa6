"""Runs a linker command. If a kernel is missing, prints the operator that needs it and the location of its entry.
An index of names for gdb is made smaller.

    python tools/setup_helpers/link.py INDEX COMMAND...

INDEX is the _operator_index.json that torchgen wrote. The linker's own message follows.
"""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gdb_index  # noqa: E402  isort: skip

# mold: `undefined symbol: NAME`; GNU ld: undefined reference to `NAME'
UNDEFINED = re.compile(r"undefined (?:symbol: |reference to [`'])([^\n'`]+)")
STUB = re.compile(r"DispatchStub<.*at::native::(\w+)_tag>::(\w+)$")
FUNCTION = re.compile(r"at::(native|meta)::(\w+)\(")


def explained(symbol, index):
    """A line that names operator, entry and kernel; empty if the symbol is not a kernel."""
    stub, function = STUB.search(symbol), FUNCTION.match(symbol)
    if not stub and not function:
        return ""
    name = stub[1] if stub else function[2]
    for operator, facts in index.items():
        base, _, overload = operator.partition("::")[2].partition(".")
        family, _, line = facts["entry"].partition(":")
        yaml = f"aten/src/ATen/native/{family}/native_functions.yaml:{line}"
        if function and function[1] == "meta":
            if name in (base, f"{base}_{overload}"):
                return f"{yaml}: operator {operator}: no file defines its meta function, {symbol}"
        elif name in facts.get("kernels", ()):
            if stub:
                missing = f"no file in native/{family}/cpu has REGISTER_DISPATCH({name}, ...) for {stub[2]}"
                return f"{yaml}: operator {operator}: {missing}"
            return f"{yaml}: operator {operator}: no file defines its kernel, {symbol}"
    return f"no file in native/*/cpu has REGISTER_DISPATCH({name}, ...) for {stub[2]}" if stub else ""


def main():
    path, *command = sys.argv[1:]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        demangled = subprocess.run(["c++filt"], input=done.stderr, capture_output=True, text=True).stdout or done.stderr
        try:
            with open(path) as f:
                index = json.load(f)
        except OSError:
            index = {}
        lines = [explained(symbol.strip(), index) for symbol in UNDEFINED.findall(demangled)]
        for line in dict.fromkeys(filter(None, lines)):
            print(f"error: {line}", file=sys.stderr)
    elif "-Wl,--gdb-index" in command:
        gdb_index.shrink(command[command.index("-o") + 1])
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
