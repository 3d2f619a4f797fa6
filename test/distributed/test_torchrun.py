"""torchrun: environments of workers, restarts, logs, signals, several machines, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from ranks import needs_gloo

pytestmark = [needs_gloo, pytest.mark.timeout(120)]

SCRIPT = """
import os, sys, time
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(1)
dist.all_reduce(x)
rank, attempt = dist.get_rank(), os.environ["TORCHELASTIC_RESTART_COUNT"]
line = f"rank {rank} of {int(x)} local {os.environ['LOCAL_RANK']} attempt {attempt}\\n"
os.write(1, line.encode())
"""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]


def launch(tmp_path, code, *options, script="train.py", **settings):
    (tmp_path / script).write_text(SCRIPT + code)
    return subprocess.Popen([*TORCHRUN, *options, str(tmp_path / script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **settings)  # fmt: skip


def finish(process, timeout=60):
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    return process.returncode, sorted(out.splitlines()), err


def wait_until_ready(process, workers):
    for line in process.stdout:
        workers -= line == "ready\n"
        if workers == 0:
            return
    pytest.fail(f"torchrun ended: {process.stderr.read()}")


def left_behind(path):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                command = file.read()
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(path) in command and state != "Z" and int(pid) != os.getpid():
            found.append(command)
    return found


def nobody_is_left(path):
    deadline = time.monotonic() + 5
    while left_behind(path) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not left_behind(path)


def test_two_workers(tmp_path):
    code, lines, err = finish(launch(tmp_path, "dist.destroy_process_group()", "--nproc-per-node", "2"))
    assert code == 0, err
    assert lines == ["rank 0 of 2 local 0 attempt 0", "rank 1 of 2 local 1 attempt 0"]


def test_a_failure_is_reported_and_ends_the_others(tmp_path):
    code, _, err = finish(launch(tmp_path, "if rank == 1: raise ValueError('boom')\ntime.sleep(60)", "--nproc-per-node=3"))
    assert code == 1
    first = err[err.index("The first failure") :]
    assert "rank 1 (local rank 1" in first.splitlines()[1] and "ValueError: boom" in first
    assert nobody_is_left(tmp_path)


def test_restarts(tmp_path):
    code = "if rank == 1 and attempt == '0': os.kill(os.getpid(), 9)\ndist.barrier()"
    status, lines, err = finish(launch(tmp_path, code, "--nproc_per_node", "2", "--max-restarts", "1"))
    assert status == 0, err
    assert "was ended by SIGKILL" in err and "starting the workers again, 1 of 1" in err
    assert lines[-2:] == ["rank 1 of 2 local 1 attempt 0", "rank 1 of 2 local 1 attempt 1"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_passed_on(tmp_path, number):
    code = f"import signal\nsignal.signal({int(number)}, lambda *a: (os.write(1, b'got it\\n'), sys.exit(0)))\n"
    code += "os.write(1, b'ready\\n')\ntime.sleep(60)"
    process = launch(tmp_path, code, "--nproc-per-node", "2")
    wait_until_ready(process, 2)
    process.send_signal(number)
    status, rest, err = finish(process)
    assert status == 128 + number and rest.count("got it") == 2, err
    assert nobody_is_left(tmp_path)


def test_workers_end_with_a_killed_torchrun(tmp_path):
    process = launch(tmp_path, "os.write(1, b'ready\\n')\ntime.sleep(60)", "--nproc-per-node", "2")
    wait_until_ready(process, 1)
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()
    assert nobody_is_left(tmp_path)


def test_logs(tmp_path):
    logs = tmp_path / "logs"
    options = ["--nproc-per-node", "2", "--log-dir", str(logs), "-r", "0:1", "-t", "1:3"]
    status, lines, err = finish(launch(tmp_path, "print('to stderr', file=sys.stderr)", *options))
    assert status == 0, err
    files = {p.relative_to(logs).parts[-2:]: p.read_text() for p in logs.rglob("*.log")}
    assert "rank 0 of 2" in files["0", "stdout.log"] and "rank 1 of 2" in files["1", "stdout.log"]
    assert files["1", "stderr.log"] == "to stderr\n"
    assert lines == ["[default1]:rank 1 of 2 local 1 attempt 0"] and "[default1]:to stderr" in err


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("kind", ["static", "c10d"])
def test_two_machines(tmp_path, kind):
    port = free_port()
    processes = []
    for node in range(2):
        options = ["--nnodes", "2", "--nproc-per-node", str(node + 1)]
        if kind == "static":
            options += ["--node-rank", str(node), "--master-addr", "127.0.0.1", "--master-port", str(port)]
        else:
            options += ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--rdzv-id", "job"]
        processes.append(launch(tmp_path, "dist.barrier()", *options))
    results = [finish(process) for process in processes]
    assert [status for status, _, _ in results] == [0, 0], [err for _, _, err in results]
    lines = sorted(line for _, out, _ in results for line in out)
    assert [line[:11] for line in lines] == ["rank 0 of 3", "rank 1 of 3", "rank 2 of 3"]


def test_a_failure_on_one_machine_restarts_both(tmp_path):
    port = free_port()
    code = "if rank == 1 and attempt == '0' and os.environ['TORCHELASTIC_ROUND'] == '0': sys.exit(3)\ndist.barrier()"
    options = ["--nnodes", "2", "--max-restarts", "1", "--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}",
               "--rdzv-id", "job"]  # fmt: skip
    processes = [launch(tmp_path, code, *options) for _ in range(2)]
    results = [finish(process) for process in processes]
    assert [status for status, _, _ in results] == [0, 0], [err for _, _, err in results]
    assert sum("starting the workers again" in err for _, _, err in results) >= 1


def test_modules_and_programs(tmp_path):
    (tmp_path / "mod.py").write_text("import os, sys; os.write(1, f'{sys.argv[1:]} {os.environ[\"RANK\"]}\\n'.encode())")
    done = subprocess.run([*TORCHRUN, "-m", "mod", "--flag", "x"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "['--flag', 'x'] 0\n", done.stderr
    done = subprocess.run([*TORCHRUN, "--no-python", "echo", "hello"], capture_output=True, text=True, timeout=60)
    assert done.stdout == "hello\n", done.stderr


@pytest.mark.parametrize("options", [
    ["--nproc-per-node", "zero"], ["--nnodes", "2:1"], ["--rdzv-backend", "etcd"], ["--nnodes", "2", "--node-rank", "5"],
    ["--nproc-per-node", "gpu"], ["--nnodes", "1:2"], ["--event-log-handler", "absent"],
])  # fmt: skip
def test_wrong_options(tmp_path, options):
    status, _, err = finish(launch(tmp_path, "", *options))
    assert status == 1 and err.startswith("torchrun: --") and "Traceback" not in err


FUNCTIONS = """
import os, sys
import torch, torch.distributed as dist
from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher import LaunchConfig, elastic_launch

def train(offset):
    dist.init_process_group("gloo")
    x = torch.tensor([float(dist.get_rank() + offset)])
    dist.all_reduce(x)
    print("seen", flush=True)
    return int(os.environ["LOCAL_RANK"]), x.item()

def broken():
    if os.environ["RANK"] == "1":
        raise ValueError("broken on purpose")

if __name__ == "__main__":
    def config(**more):
        return LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=0, **more)
    print(elastic_launch(config(logs_specs=DefaultLogsSpecs(sys.argv[1], redirects=Std.ALL)), train)(5))
    try:
        elastic_launch(config(), broken)()
    except ChildFailedError as error:
        print("failed", sorted(error.failures))
    print(elastic_launch(config(), sys.executable)("-c", "import os; os.write(1, b'program' + bytes([10]))"))
    for entry, more in ((lambda: None, {}), (train, {"start_method": "fork"})):
        try:
            elastic_launch(config(**more), entry)()
        except (TypeError, NotImplementedError) as error:
            print(type(error).__name__)
"""


def test_functions(tmp_path):
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    logs = tmp_path / "logs"
    logs.mkdir()
    process = subprocess.Popen([sys.executable, str(tmp_path / "functions.py"), str(logs)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    code, lines, err = finish(process)
    assert code == 0, err
    assert lines == sorted(["{0: (0, 11.0), 1: (1, 11.0)}", "failed [1]", "program", "program", "{0: None, 1: None}", "TypeError",
                            "NotImplementedError"])  # fmt: skip
    assert [f.read_text() for f in sorted(logs.rglob("stdout.log"))] == ["seen\n"] * 2 and "broken on purpose" in err


def test_options_as_settings():
    from torch.distributed import run
    from torch.distributed.elastic.multiprocessing import Std

    options = ["--nnodes", "1:3", "--nproc-per-node", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", "host:5", "-r", "0:1,1:3"]
    args = run.parse_args([*options, "train.py", "--lr", "1"])
    config, program, rest = run.config_from_args(args)
    assert (config.min_nodes, config.max_nodes, config.nproc_per_node, config.rdzv_endpoint) == (1, 3, 2, "host:5")
    assert config.logs_specs.redirects == {0: Std.OUT, 1: Std.ALL} and program == sys.executable
    assert rest == ["-u", "train.py", "--lr", "1"]
    assert run.parse_min_max_nnodes("2") == (2, 2) and run.determine_local_world_size("3") == 3 and run.get_use_env(args)
    static = run.parse_args(["--node-rank", "1", "--nnodes", "2", "--master-addr", "a", "--master-port", "7", "t.py"])
    config = run.config_from_args(static)[0]
    assert config.rdzv_endpoint == "a:7" and config.rdzv_configs == {"rank": 1}
    with pytest.raises(ValueError, match="expected 0 to 3"):
        Std.from_str("x")
