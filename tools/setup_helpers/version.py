"""torch.__version__, and torch/version.py, which holds it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from .env import ROOT, flag

BASE = "2.13.0a0"

TEMPLATE = '''"""Version of this build. Written by setup.py."""

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "xpu"]

__version__ = "{version}"
git_version = "{sha}"
debug = {debug}
cuda: str | None = {cuda!r}
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


def cuda_version(build_dir: Path) -> str | None:
    """The CUDA that a build folder is configured for; None without."""
    cache = build_dir / "CMakeCache.txt"
    found = re.search(r"^TORCH_CUDA_VERSION:INTERNAL=(.+)$", cache.read_text(), re.M) if cache.exists() else None
    return found and found[1]


def write_version_file(path: Path, cuda: str | None = None) -> None:
    text = TEMPLATE.format(version=version(), sha=git_sha(), debug=flag("DEBUG"), cuda=cuda)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
