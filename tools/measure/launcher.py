"""A compiler launcher that records each compile's seconds and peak memory in $TORCH_COMPILE_LOG."""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> int:
    command = sys.argv[1:]
    started = time.monotonic()
    process = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(process, 0)
    record = {
        "source": next((part for part in command if part.endswith((".cpp", ".c", ".cu"))), ""),
        "object": command[command.index("-o") + 1] if "-o" in command else "",
        "seconds": time.monotonic() - started,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "bytes": usage.ru_maxrss * 1024,
    }
    log = os.environ.get("TORCH_COMPILE_LOG")
    if log:
        # One appending write each, so that lines of concurrent compiles do not mix.
        with open(log, "a") as file:
            file.write(json.dumps(record) + "\n")
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
