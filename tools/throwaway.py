"""Runs a command in a copy of this clone that is deleted afterwards.

    python tools/throwaway.py [--size 4g] COMMAND...

The copy appears at the clone's own path and includes the build, so a build in it is incremental. Only the command and the
processes that it starts see the copy. Nothing is copied in advance: the copy is an overlay in a mount namespace of its own.
Its changes are kept in memory, at most --size, and are lost when the command ends. The exit status is the command's.

Needs Linux, and root or user namespaces. Inside the copy, TORCH_THROWAWAY is the folder that holds the changes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

MOUNTS = """
set -e
mount -t tmpfs -o "size=$2" tmpfs "$1"
mkdir "$1/changes" "$1/work"
mount -t overlay overlay -o "$4lowerdir=$3,upperdir=$1/changes,workdir=$1/work" "$3"
cd "$3"
export TORCH_THROWAWAY="$1"
shift 4
exec "$@"
"""


def run(command: list[str], size: str = "4g", **options) -> subprocess.CompletedProcess:
    """Runs the command in a throwaway copy, in the clone's root; options are those of subprocess.run."""
    folder = tempfile.mkdtemp(prefix="throwaway-")
    try:
        namespace, kind = ["unshare", "--mount", "--propagation", "private"], ""
        if os.geteuid() != 0:
            # An overlay records removed files in attributes that only root may write, or in these.
            namespace, kind = [*namespace, "--user", "--map-root-user"], "userxattr,"
        shell = ["sh", "-c", MOUNTS, "throwaway", folder, size, str(ROOT), kind]
        return subprocess.run([*namespace, *shell, *command], **options)
    finally:
        os.rmdir(folder)  # the namespace has gone, and the mounts with it


def why_not() -> str:
    """The reason why this machine cannot make a throwaway copy; empty if it can."""
    if not shutil.which("unshare"):
        return "the program unshare (Debian: util-linux) is missing"
    # Removing a folder needs more support from the file systems than writing does.
    attempt = ["sh", "-c", "mkdir throwaway-probe && rmdir throwaway-probe && rm -r docs && mkdir docs"]
    done = run(attempt, size="1m", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else f"mount namespaces with overlays are not allowed here: {done.stdout.strip()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="4g", help="at most this much of changes, with k, m or g (default: %(default)s)")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("say the command to run")
    sys.exit(run(arguments.command, arguments.size).returncode)


if __name__ == "__main__":
    main()
