"""torch.__version__, and torch/version.py, which holds it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .env import ROOT, flag

BASE = "2.13.0a0"

TEMPLATE = '''"""Version of this build. Written by setup.py."""

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "xpu"]

__version__ = "{version}"
git_version = "{sha}"
debug = {debug}
cuda: str | None = None
hip: str | None = None
xpu: str | None = None
'''


def git_sha() -> str:
    """The commit of the source tree, or Unknown outside a clone."""
    command = ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "Unknown"


def version() -> str:
    sha = git_sha()
    return BASE if sha == "Unknown" else f"{BASE}+git{sha[:7]}"


def write_version_file(path: Path) -> None:
    text = TEMPLATE.format(version=version(), sha=git_sha(), debug=flag("DEBUG"))
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
