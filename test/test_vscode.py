"""tools/vscode.py: valid JSON that VS Code's own rules accept, and no file of the user's replaced unasked."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools" / "vscode.py"
NAMES = {"launch.json", "tasks.json", "settings.json", "extensions.json"}
# VS Code's variables that need no extension's settings.
VARIABLES = {"workspaceFolder", "file", "command:pickProcess"}

if not TOOL.exists():
    pytest.skip("tools/vscode.py belongs to a clone", allow_module_level=True)


def run(root, *arguments, answers=""):
    command = [sys.executable, str(TOOL), "--root", str(root), *arguments]
    return subprocess.run(command, input=answers, capture_output=True, text=True)


def read(root):
    return {path.name: json.loads(path.read_text()) for path in (root / ".vscode").iterdir()}


def test_files_are_written_and_valid(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    files = read(tmp_path)
    assert set(files) == NAMES
    for name in NAMES:
        used = re.findall(r"\$\{([^}]*)\}", (tmp_path / ".vscode" / name).read_text())
        assert set(used) <= VARIABLES


def test_the_launch_pair(tmp_path):
    run(tmp_path)
    launch = read(tmp_path)["launch.json"]
    assert launch["version"] == "0.2.0"
    by_name = {c["name"]: c for c in launch["configurations"]}
    for configuration in by_name.values():
        assert {"name", "type", "request"} <= set(configuration)
        assert configuration["request"] in ("launch", "attach")
    python, attach = by_name["Python: current file"], by_name["C++: attach"]
    assert python["type"] == "debugpy" and python["program"] == "${file}"
    assert attach["type"] == "cppdbg" and attach["MIMode"] == "gdb"
    assert attach["request"] == "attach" and attach["processId"] == "${command:pickProcess}"
    assert Path(attach["program"].replace("${workspaceFolder}", str(tmp_path))).exists()


def test_tasks_name_programs_that_exist():
    sys.path.insert(0, str(ROOT))
    try:
        from tools import vscode
    finally:
        sys.path.remove(str(ROOT))
    tasks = vscode.tasks(ROOT)
    assert tasks["version"] == "2.0.0"
    labels = [task["label"] for task in tasks["tasks"]]
    assert len(labels) == len(set(labels)) and {"build", "Python tests", "C++ tests"} <= set(labels)
    defaults = [t["group"]["kind"] for t in tasks["tasks"] if isinstance(t["group"], dict) and t["group"]["isDefault"]]
    assert sorted(defaults) == ["build", "test"]
    if (ROOT / "build" / "build.ninja").exists() and (ROOT / ".venv").exists():
        for task in tasks["tasks"]:
            command = task["command"].replace("${workspaceFolder}", str(ROOT))
            assert os.access(command, os.X_OK), command


def test_clangd_reads_our_compile_commands():
    sys.path.insert(0, str(ROOT))
    try:
        from tools import vscode
    finally:
        sys.path.remove(str(ROOT))
    folder = next(a for a in vscode.settings(ROOT)["clangd.arguments"] if a.startswith("--compile-commands-dir="))
    folder = Path(folder.split("=", 1)[1].replace("${workspaceFolder}", str(ROOT)))
    commands = folder / "compile_commands.json"
    if not commands.exists():
        pytest.skip("this clone is not built")
    entries = json.loads(commands.read_text())
    assert any(entry["file"].endswith("c10/core/TensorImpl.cpp") for entry in entries)


@pytest.mark.parametrize("answer, replaced", [("y\n" * 4, True), ("n\n" * 4, False), ("", False)])
def test_a_users_file_is_replaced_only_with_leave(tmp_path, answer, replaced):
    (tmp_path / ".vscode").mkdir()
    mine = tmp_path / ".vscode" / "settings.json"
    mine.write_text('{"editor.fontSize": 15}\n')
    done = run(tmp_path, answers=answer)
    assert (mine.read_text() != '{"editor.fontSize": 15}\n') == replaced
    assert (done.returncode == 0) == replaced
    assert "settings.json" in done.stdout
    assert set(read(tmp_path)) == NAMES  # the others were nobody's


def test_nothing_is_asked_when_nothing_changes(tmp_path):
    run(tmp_path)
    done = run(tmp_path)
    assert done.returncode == 0 and done.stdout == ""


def test_yes_replaces(tmp_path):
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "tasks.json").write_text("{}")
    assert run(tmp_path, "--yes").returncode == 0
    assert read(tmp_path)["tasks.json"]["tasks"]
