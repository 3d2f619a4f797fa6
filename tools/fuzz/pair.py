"""The two interpreters: long-lived workers that run one program per request, and are restarted when one dies."""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import tempfile

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
SECONDS = 60.0  # time limit per program; on a busy machine a worker may be starved for a while
MEMORY = 8 << 30  # limit of the address space, to stop a runaway program early


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Worker:
    def __init__(self, python, seconds=SECONDS):
        self.python, self.seconds, self.process = python, seconds, None
        self.folder = tempfile.TemporaryDirectory()  # a folder in which the import path has no other torch
        self.start()

    def start(self, again=3):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TORCH_CRASH_REPORT")}
        environment |= {"OMP_NUM_THREADS": "1", "TORCH_CRASH_REPORT": "0"}
        self.errors = open(os.path.join(self.folder.name, "errors"), "w+")
        self.process = subprocess.Popen(
            [self.python, WORKER],
            cwd=self.folder.name,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            preexec_fn=limit_memory,
        )
        self.left = b""
        hello = self.read(600)
        if "crash" in hello and again:  # a busy machine may take that long to load it
            return self.start(again - 1)
        if "version" not in hello:
            raise SystemExit(f"{self.python} cannot run the worker:\n{open(self.errors.name).read()}")
        self.version, self.where = hello["version"], hello["where"]

    def send(self, request):
        try:
            self.process.stdin.write((json.dumps(request) + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def read(self, seconds=None):
        """The next answer, or {"crash": reason} if none arrives."""
        out = self.process.stdout.fileno()
        parts = [self.left]
        while b"\n" not in parts[-1]:  # searches only the new bytes: an answer may have megabytes
            ready = select.select([out], [], [], seconds or self.seconds)[0]
            data = os.read(out, 1 << 20) if ready else None
            if not data:
                return {"crash": self.end("no answer in time" if data is None else "the process ended")}
            parts.append(data)
        line, self.left = b"".join(parts).split(b"\n", 1)
        return json.loads(line)

    def end(self, why):
        self.process.kill()
        code = self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()
        return why if "time" in why else f"{why} with status {code}"

    def result(self):
        found = self.read()
        if "crash" in found:
            self.start()
        return found

    def ask(self, program, **more):
        self.send({"program": program.data(), **more})
        return self.result()

    def close(self):
        if self.process.poll() is None:
            self.end("done")
        self.folder.cleanup()


class Pair:
    """Results of both libraries, which run at the same time."""

    def __init__(self, ours, theirs, seconds=SECONDS):
        self.ours, self.theirs = Worker(ours, seconds), Worker(theirs, seconds)
        if self.ours.where == self.theirs.where:
            raise SystemExit(f"both interpreters import {self.ours.where}")

    def ask(self, program, **more):
        request = {"program": program.data(), **more}
        self.ours.send(request)
        self.theirs.send(request)
        return self.ours.result(), self.theirs.result()

    def close(self):
        self.ours.close()
        self.theirs.close()
