"""TORCH_TRACE: records of structured tracing, in files that tlparse reads."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

PREFIX = re.compile(r"^V\d{4} \d\d:\d\d:\d\d\.\d{6} (\d+) (\S+):(\d+)\] (\{.*\})$")

RECORDS = """
    import torch
    from torch._logging import trace_structured
    trace_structured("mine", lambda: {"a": 1}, payload_fn=lambda: "hello\\nworld", expect_trace_id=False)
    trace_structured("pair", lambda: ("x.py", 3), suppress_context=True)
    trace_structured("object", payload_fn=lambda: {"k": [1, 2]}, expect_trace_id=False)
    def f():
        trace_structured("where")
    f()
    torch._logging._internal.trace_structured_artifact("plan", "string", payload_fn=lambda: "step 1")
"""


def run(code, status=0, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TORCH_")}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env={**clean, **env}, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done


def the_file(folder):
    (path,) = folder.iterdir()
    assert re.fullmatch(r"dedicated_log_torch_trace_\w+\.log", path.name)
    return path


def read(path):
    """(process, file, metadata, payload) of each record. Payloads are checked against their digests."""
    records = []
    for line in path.read_text().splitlines():
        if line.startswith("\t"):
            records[-1][3].append(line[1:])
            continue
        match = PREFIX.match(line)
        assert match, line
        records.append((int(match[1]), match[2], json.loads(match[4]), []))
    finished = []
    for process, file, metadata, lines in records:
        payload = "\n".join(lines) if "has_payload" in metadata else None
        if payload is None:
            assert not lines
        else:
            assert hashlib.md5(payload.encode()).hexdigest() == metadata.pop("has_payload")
        finished.append((process, file, metadata, payload))
    return finished


def test_records_of_ones_own(tmp_path):
    run(RECORDS, TORCH_TRACE=str(tmp_path / "made" / "here"))
    records = read(the_file(tmp_path / "made" / "here"))
    found = {next(iter(metadata)): (metadata, payload) for _, _, metadata, payload in records}
    assert found["mine"] == ({"mine": {"a": 1}}, "hello\nworld")
    assert found["pair"] == ({"pair": ["x.py", 3]}, None)
    assert found["object"][0] == {"object": {}} and json.loads(found["object"][1]) == {"k": [1, 2]}
    version = [payload for _, _, m, payload in records if m.get("artifact", {}).get("name") == "torch_version"]
    assert set(json.loads(version[0])) == {"pytorch_version", "commit", "oss"}
    artifact = [(m, p) for _, _, m, p in records if m.get("artifact", {}).get("name") == "plan"]
    assert artifact[0][0]["artifact"] == {"name": "plan", "encoding": "string"} and artifact[0][1] == "step 1"


def test_a_record_without_context_has_the_stack(tmp_path):
    run(RECORDS, TORCH_TRACE=str(tmp_path))
    records = read(the_file(tmp_path))
    strings = {m["str"][1]: m["str"][0] for _, _, m, _ in records if "str" in m}
    (stack,) = [m["stack"] for _, _, m, _ in records if "where" in m]
    assert [(frame["name"], strings[frame["filename"]]) for frame in stack] == [("<module>", "<string>"), ("f", "<string>")]
    assert stack[1]["line"] + 1 == stack[0]["line"]
    position = next(k for k, (_, _, m, _) in enumerate(records) if "where" in m)
    assert any("str" in m for _, _, m, _ in records[:position])


def test_metadata_and_payload_are_computed_only_when_something_is_traced():
    code = """
        import torch
        def never():
            raise AssertionError
        torch._logging.trace_structured("x", never, payload_fn=never)
        torch._logging.dtrace_structured("x", never, payload_fn=never)
    """
    run(code)


def test_arguments_that_are_no_functions_are_refused(tmp_path):
    code = """
        import torch
        for arguments in ({"metadata_fn": {}}, {"payload_fn": "x"}):
            try:
                torch._logging.trace_structured("x", **arguments)
            except AssertionError as problem:
                assert "should be callable" in str(problem)
            else:
                raise SystemExit(1)
    """
    run(code, TORCH_TRACE=str(tmp_path))


def test_no_record_no_file(tmp_path):
    run("import torch; torch.ones(3) + 1", TORCH_TRACE=str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_dtrace(tmp_path):
    code = """
        import torch
        torch._logging.dtrace_structured("detail", payload_fn=lambda: "p")
        torch._logging.trace_structured("plain", expect_trace_id=False)
    """
    run(code, TORCH_TRACE=str(tmp_path / "trace"))
    run(code, TORCH_DTRACE=str(tmp_path / "dtrace"))
    names = [[next(iter(m)) for _, _, m, _ in read(the_file(tmp_path / d))] for d in ("trace", "dtrace")]
    assert names == [["artifact", "plain"], ["artifact", "detail", "plain"]]


def test_a_crash_loses_no_record(tmp_path):
    code = """
        import os, torch
        for k in range(500):
            torch._logging.trace_structured("step", lambda: {"k": k}, payload_fn=lambda: "x" * 10000, expect_trace_id=False)
        os.kill(os.getpid(), 9)
    """
    run(code, status=-9, TORCH_TRACE=str(tmp_path))
    steps = [(m["step"]["k"], len(p)) for _, _, m, p in read(the_file(tmp_path)) if "step" in m]
    assert steps == [(k, 10000) for k in range(500)]


def test_records_of_threads_and_forked_processes_stay_whole(tmp_path):
    code = """
        import os, threading, torch
        trace = torch._logging.trace_structured
        trace("begin", expect_trace_id=False)
        def work(who):
            for k in range(50):
                trace("step", lambda: {"who": who, "k": k}, payload_fn=lambda: "y" * 3000, expect_trace_id=False)
        child = os.fork()
        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    """
    run(code, TORCH_TRACE=str(tmp_path))
    steps = [(process, m["step"]["who"], m["step"]["k"]) for process, _, m, _ in read(the_file(tmp_path)) if "step" in m]
    assert len(set(steps)) == 300 and len({process for process, _, _ in steps}) == 2


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    done = run(RECORDS, status=1, TORCH_TRACE=str(tmp_path / "file"))
    assert "FileExistsError" in done.stderr or "NotADirectoryError" in done.stderr


def test_tlparse_reads_the_file(tmp_path):
    tlparse = (
        os.environ.get("TLPARSE") or shutil.which("tlparse", path=os.path.dirname(sys.executable)) or shutil.which("tlparse")
    )
    if not tlparse:
        pytest.skip("tlparse is not installed here (pip install tlparse, or TLPARSE=its path)")
    run(RECORDS, TORCH_TRACE=str(tmp_path / "trace"))
    path = the_file(tmp_path / "trace")
    done = subprocess.run(
        [tlparse, str(path), "-o", str(tmp_path / "report"), "--no-browser"], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    summary = done.stdout + done.stderr
    # Two artifacts, the string and so on are known to it, four kinds are the caller's; none is broken.
    assert re.search(r"Stats \{ ok: \d+, unknown: 4 \}", summary), summary
    assert (tmp_path / "report" / "index.html").exists()
    written = [p.read_text() for p in (tmp_path / "report").rglob("*plan*")]
    assert any("step 1" in text for text in written)


TRAINING = """
import os, signal, torch
from torch.utils.data import DataLoader, TensorDataset
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters())
data = TensorDataset(torch.randn(24, 4), torch.randint(0, 2, (24,)))
for x, y in DataLoader(data, batch_size=8, num_workers=WORKERS):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
if KILLED:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def training_records(folder, workers=0, killed=False):
    program = TRAINING.replace("WORKERS", str(workers)).replace("KILLED", str(killed))
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "TORCH_TRACE": str(folder)}, check=not killed)
    (path,) = [p for p in folder.iterdir() if p.stat().st_size]
    records, payload = [], []
    for line in path.read_text().splitlines():
        if line.startswith("\t"):
            payload.append(line[1:])
            records[-1][1] = "\n".join(payload)
        else:
            payload = []
            records.append([json.loads(line.partition("] ")[2]), ""])
    events = [json.loads(text) for record, text in records if "chromium_event" in record]
    artifacts = {record["artifact"]["name"]: text for record, text in records if "artifact" in record}
    return events, artifacts


@pytest.mark.parametrize("workers", [0, 1])
def test_a_training_program_leaves_records(workers, tmp_path):
    events, artifacts = training_records(tmp_path, workers)
    names = [e["name"] for e in events]
    assert names.count("backward") == names.count("optimizer step") == 3 and names.count("data loading") == 4
    assert all(e["dur"] > 0 and e["ts"] > 0 for e in events if e["ph"] == "X")
    assert [e["args"]["step"] for e in events if e["name"] == "backward"] == [0, 1, 2]
    memory = [e["args"] for e in events if e["ph"] == "C"]
    assert len(memory) == 3 and all(m["peak_allocated_bytes"] >= m["allocated_bytes"] > 0 for m in memory)
    assert [a for a in artifacts if a.startswith("backward_graph")] == ["backward_graph_of_step_0"]  # the same each time
    assert "2 AddmmBackward0" in artifacts["backward_graph_of_step_0"]
    summary = json.loads(artifacts["training_summary"])
    assert summary["optimizer_steps"] == summary["backward_passes"] == 3
    assert summary["seconds"] > summary["seconds_in_optimizer"] > 0


def test_a_killed_program_keeps_its_records(tmp_path):
    events, artifacts = training_records(tmp_path, killed=True)
    assert [e["name"] for e in events].count("optimizer step") == 3 and "training_summary" not in artifacts
