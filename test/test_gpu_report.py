"""tools/gpu, which tests and times a GPU: in little, on the emulated device."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from surroundings import ROOT, emulated_device

import torch

LIBRARY = Path(torch.__file__).parent / "lib" / "libtorch_cuda_emulated.so"
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="built without the emulated CUDA device (USE_CUDA=emulated)")


def report(tmp_path, *options, **variables):
    """(exit status, the report, what was printed)"""
    command = [sys.executable, "-m", "tools.gpu", "--small", "--out", str(tmp_path / "report.md"), *options]
    environment = {**os.environ, **emulated_device(), **variables}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert (tmp_path / "report.md").exists(), done.stdout
    return done.returncode, (tmp_path / "report.md").read_text(), done.stdout


def test_a_whole_report(tmp_path):
    status, text, printed = report(tmp_path, "--minutes", "3", "--peer", sys.executable)
    assert status == 0, printed
    assert "Nothing failed." in text
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "Machine", "First use in a process", "Timings", "Memory checker", "Examples", "Tests of the device", "Operator table",
    ]  # fmt: skip
    assert "Emulated device" in text and "char_gpt.py: passed" in text and "settings.py: passed" in text
    rows = {row.split(" | ")[0][2:]: row for row in text.splitlines() if row.startswith("| ")}
    for name, budget in {
        "launch of add, 16 elements": "3.0 us",
        "add, 1024 x float32": "90%", "add, 1024 x bfloat16": "90%", "sum along rows, 1024 x float32": "90%",
        "product of 16 x 16, bfloat16, beside the better of cuBLAS and cuBLASLt": "98%",
        "convolution, float16, channels_last, beside the best of cuDNN's benchmark": "98%",
        "attention, bfloat16, heads of 64, forward": "70%", "attention, bfloat16, heads of 128, forward and backward": "70%",
        "step of AdamW fused, 192 parameters": "85%", "training step, LSTM": "PyTorch", "here": "0.5 s",
    }.items():  # fmt: skip
        assert f"| {budget} |" in rows[name], rows.get(name)


@pytest.mark.parametrize("section", ["first_use", "timings", "examples", "tests", "table", "machine"])
def test_a_part_that_fails(section, tmp_path):
    """Without a device nothing passes."""
    status, text, _ = report(tmp_path, "--sections", section, TORCH_CUDA_EMULATED_DEVICES="0", CUDA_VISIBLE_DEVICES="")
    assert status == 1 and "Nothing failed." not in text and text.splitlines()[2].startswith("Failed: ")


def test_a_part_without_time(tmp_path):
    status, text, _ = report(tmp_path, "--sections", "examples,table", "--minutes", "0")
    assert status == 1 and "no time was left" in text and "Failed: Examples, Operator table." in text


def test_unknown_sections(tmp_path):
    command = [sys.executable, "-m", "tools.gpu", "--sections", "timing"]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "there is no timing; expected some of machine, first_use" in done.stderr


def test_parts_are_interrupted_and_say_so():
    from tools.gpu.report import Clock, run

    done = run([sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)"], 1.5)
    assert not done.passed and "begun" in done.output and done.verdict().startswith("stopped when its time was up")
    assert Clock(1).at_most(5) == 5 and Clock(1).at_most(100) <= 60


def test_digits_on_the_device(tmp_path):
    arguments = ["--digits", "20", "--epochs", "1", "--batch-size", "8", "--device", "cuda", "--out", str(tmp_path)]
    command = [sys.executable, "-W", "ignore", "examples/digits.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **emulated_device()}, capture_output=True, text=True)
    assert done.returncode == 0 and "the reloaded checkpoint predicts the same" in done.stdout, done.stdout + done.stderr
    assert next(iter(torch.load(tmp_path / "digits.pt", map_location="cpu")["model"].values())).device.type == "cpu"


def test_compute_sanitizer_is_found(tmp_path, monkeypatch):
    from tools.gpu.__main__ import sanitizer

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("site.getsitepackages", lambda: [str(tmp_path / "site")])
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    for place in (tmp_path / "site/nvidia/cu13/bin", tmp_path / "toolkit/bin", tmp_path):
        place.mkdir(parents=True, exist_ok=True)
        (place / "compute-sanitizer").write_text("#!/bin/sh\n")
        (place / "compute-sanitizer").chmod(0o755)
        assert sanitizer() == str(place / "compute-sanitizer")
