"""The examples run, with short settings; and so do the programs of tutorials, which print what PyTorch printed."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
from surroundings import ROOT

import torch

EXAMPLES = {
    "digits.py": ["--epochs", "1"],
    "char_gpt.py": ["--steps", "2", "--context", "32", "--width", "16", "--length", "8"],
    "shapes.py": ["--epochs", "1", "--pictures", "40", "--every", "1"],
    "diffusion.py": ["--steps", "4", "--batch-size", "8", "--every", "2"],
    "lora.py": ["--base-steps", "2", "--steps", "2", "--batch-size", "2", "--length", "16", "--width", "16", "--layers", "1"],
}
# The accuracy after so few steps is below what a full run must reach.
MAY_FAIL = {"digits.py": "FAILED: expected at least 98 % accuracy"}
CHECKPOINTS = {"digits.py": "digits.pt", "char_gpt.py": "char_gpt.pt", "shapes.py": "shapes.pt", "diffusion.py": "diffusion.pt",
               "lora.py": "lora"}  # fmt: skip
TUTORIALS = ROOT / "tools" / "tutorials"
PRINTED = json.loads((ROOT / "test" / "data" / "tutorials.json").read_text())
NEEDS = {"tensorboard": "tensorboard", "custom_functions": "scipy"}


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    if name in ("digits.py", "diffusion.py"):
        pytest.importorskip("sklearn")
    command = [sys.executable, str(ROOT / "examples" / name), *EXAMPLES[name], "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300)
    if name == "lora.py" and not all(map(importlib.util.find_spec, ("transformers", "peft"))):
        assert done.returncode == 1 and "pip install" in done.stderr  # it says what to install
        return
    if name in MAY_FAIL and done.returncode:
        assert MAY_FAIL[name] in done.stderr and "the reloaded checkpoint predicts the same" in done.stdout
    else:
        assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / CHECKPOINTS[name]).exists()


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this build has no torch.distributed")
def test_example_on_two_processes():
    pytest.importorskip("sklearn")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(ROOT / "examples" / "ddp_digits.py")]
    done = subprocess.run([*command, "--epochs", "2"], capture_output=True, text=True, env=environment(), timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("epoch  1: loss ") and done.stdout.count("\n") == 2


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this build has no torch.distributed")
def test_sharded_example_goes_on_from_its_checkpoint(tmp_path):
    """On two processes, and from there on one."""
    small = "--report 3 --width 32 --batch-size 8 --context 32 --checkpoint".split()
    outputs = []
    for processes, steps in ((2, 3), (1, 6)):
        command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes),
                   str(ROOT / "examples" / "fsdp_char_gpt.py"), *small, str(tmp_path), "--steps", str(steps)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        outputs.append(done.stdout)
    # PyTorch prints the same loss.
    assert outputs[0] == "step     3  loss 4.37246\n"
    assert outputs[1].startswith("checkpoint of step 3 loaded\nstep     6  loss ")


def test_every_example_is_here():
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == {*EXAMPLES, "ddp_digits.py", "fsdp_char_gpt.py"}


@pytest.mark.skipif(not TUTORIALS.exists(), reason="the tools are not here")
@pytest.mark.parametrize("name", sorted(PRINTED))
def test_tutorial(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    from tools.packages.compare import difference

    # Not as a script: its folder, where tensorboard.py lies, would come first among the places of modules.
    start = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
    command = [sys.executable, "-c", start, str(TUTORIALS / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert difference(done.stdout, PRINTED[name]) < 2e-3, done.stdout


@pytest.mark.skipif(not TUTORIALS.exists(), reason="the tools are not here")
def test_every_tutorial_is_recorded():
    assert {path.stem for path in TUTORIALS.glob("*.py")} == set(PRINTED)
