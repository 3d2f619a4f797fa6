"""Write .vscode/ for this clone: debugging of Python and C++ together, tasks for build and tests, clangd.

    python tools/vscode.py          asks before it replaces a file with different content
    python tools/vscode.py --yes    replaces without asking

To step from Python into C++: start "Python: current file", then "C++: attach" to the process that it shows.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def python_of(root: Path) -> str:
    """The Python of the environment that tools/quickstart.sh creates; else the one that runs this script."""
    inside = root / ".venv" / "bin" / "python"
    return "${workspaceFolder}/.venv/bin/python" if inside.exists() else sys.executable


def launch(root: Path) -> dict:
    python = python_of(root)
    gdb = {
        "type": "cppdbg",
        "program": python,
        "MIMode": "gdb",
        "setupCommands": [
            {"text": "-enable-pretty-printing", "ignoreFailures": True},
            {"text": "add-auto-load-safe-path ${workspaceFolder}/torch/lib", "ignoreFailures": True},
            {"text": "set breakpoint pending on", "ignoreFailures": True},
        ],
    }
    return {
        "version": "0.2.0",
        "configurations": [
            {
                "name": "Python: current file",
                "type": "debugpy",
                "request": "launch",
                "program": "${file}",
                "python": python,
                "console": "integratedTerminal",
                "cwd": "${workspaceFolder}",
                "justMyCode": False,
            },
            {"name": "C++: attach", "request": "attach", "processId": "${command:pickProcess}", **gdb},
            {
                "name": "C++: run the current Python file",
                "request": "launch",
                "args": ["${file}"],
                "cwd": "${workspaceFolder}",
                **gdb,
            },
        ],
    }


def tasks(root: Path) -> dict:
    python = python_of(root)

    def task(label: str, command: str, arguments: list[str], **more: object) -> dict:
        return {"label": label, "type": "process", "command": command, "args": arguments, **more}

    folder = {"cwd": "${workspaceFolder}"}
    compiler = {
        "owner": "cpp",
        "fileLocation": ["relative", "${workspaceFolder}/build"],
        "pattern": {
            "regexp": r"^(.*?):(\d+):(\d+):\s+(warning|error):\s+(.*)$",
            "file": 1,
            "line": 2,
            "column": 3,
            "severity": 4,
            "message": 5,
        },
    }
    beside = Path(python).parent if not python.startswith("$") else "${workspaceFolder}/.venv/bin"
    return {
        "version": "2.0.0",
        "tasks": [
            task(
                "build",
                f"{beside}/ninja",
                ["-C", "build"],
                options=folder,
                group={"kind": "build", "isDefault": True},
                problemMatcher=[compiler],
            ),
            task(
                "configure and build", python, ["setup.py", "develop"], options=folder, group="build", problemMatcher=[compiler]
            ),
            task(
                "Python tests",
                python,
                ["-m", "pytest", "-q", "test"],
                options=folder,
                group={"kind": "test", "isDefault": True},
                problemMatcher=[],
            ),
            task(
                "tests of the current file",
                python,
                ["-m", "pytest", "-q", "${file}"],
                options=folder,
                group="test",
                problemMatcher=[],
            ),
            task(
                "C++ tests",
                f"{beside}/ctest",
                ["--test-dir", "build", "--output-on-failure"],
                options=folder,
                group="test",
                problemMatcher=[],
            ),
        ],
    }


def settings(root: Path) -> dict:
    return {
        "clangd.arguments": ["--compile-commands-dir=${workspaceFolder}", "--background-index", "--header-insertion=never"],
        # Two language engines would index the same code twice.
        "C_Cpp.intelliSenseEngine": "disabled",
        "python.defaultInterpreterPath": python_of(root),
        "python.testing.pytestEnabled": True,
        "python.testing.pytestArgs": ["test"],
        "files.watcherExclude": {"**/build/**": True, "**/.venv/**": True},
        "search.exclude": {"build": True, ".venv": True},
        "editor.rulers": [100],
    }


def extensions(root: Path) -> dict:
    extensions = [
        "ms-python.python",
        "ms-python.debugpy",
        "ms-vscode.cpptools",
        "llvm-vs-code-extensions.vscode-clangd",
        "charliermarsh.ruff",
    ]
    return {"recommendations": extensions}


FILES = {"launch.json": launch, "tasks.json": tasks, "settings.json": settings, "extensions.json": extensions}


def may_replace(path: Path, text: str) -> bool:
    """Shows what would change and asks; no answer means no."""
    changes = difflib.unified_diff(path.read_text().splitlines(), text.splitlines(), str(path), "new", lineterm="")
    print("\n".join(changes))
    try:
        answer = input(f"{path} says something else. Replace it? [y/N] ")
    except EOFError:
        print()
        return False
    return answer.strip().lower() in ("y", "yes")


def write(root: Path, yes: bool) -> list[str]:
    """Writes the files. Returns the names of those that were left unchanged."""
    folder = root / ".vscode"
    folder.mkdir(exist_ok=True)
    left = []
    for name, content in FILES.items():
        path = folder / name
        text = json.dumps(content(root), indent=2) + "\n"
        if path.exists() and path.read_text() == text:
            continue
        if path.exists() and not yes and not may_replace(path, text):
            left.append(name)
            continue
        path.write_text(text)
        print(f"wrote {path}")
    return left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yes", action="store_true", help="replace files without asking")
    parser.add_argument("--root", type=Path, default=ROOT, help="the clone to write for (this one)")
    arguments = parser.parse_args()
    left = write(arguments.root.resolve(), arguments.yes)
    if left:
        sys.exit(f"left as they are: {', '.join(left)}")


if __name__ == "__main__":
    main()
