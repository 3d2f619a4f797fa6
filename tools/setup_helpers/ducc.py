"""Fetches the headers of DUCC, the library of Fourier transforms: python tools/setup_helpers/ducc.py [FOLDER]

They are part of the source archive of PyPI's package ducc0; its wheel has no headers. pip downloads the archive, and the
headers that the transforms need are unpacked below FOLDER (default: the include folder of this Python's environment).
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "0.39.1"
SHA256 = "38eda188733d43c3602726e28bc9928d3117cdc23b5c1e7d89fdc26004a1d847"
PARTS = ("fft", "infra", "math")  # all of them under the BSD license


def download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
               "--no-binary", "ducc0", "-d", str(folder), f"ducc0=={VERSION}"]  # fmt: skip
    subprocess.run(command, check=True)
    return folder / f"ducc0-{VERSION}.tar.gz"


def unpack(archive: Path, include: Path) -> None:
    """Writes the version last: headers without it are incomplete."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"error: {archive.name} has the SHA-256 {found}, expected {SHA256}")
    with tarfile.open(archive) as members:
        for member in members:
            _, _, inner = member.name.partition("/src/ducc0/")
            data = members.extractfile(member) if inner.split("/")[0] in PARTS else None
            if data is not None:
                target = include / "ducc0" / inner
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data.read())
    (include / "ducc0" / "VERSION").write_text(VERSION + "\n")


def main() -> None:
    include = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(sys.prefix) / "include"
    version = include / "ducc0" / "VERSION"
    if version.exists() and version.read_text().strip() == VERSION:
        return
    with tempfile.TemporaryDirectory() as folder:
        unpack(download(Path(folder)), include)


if __name__ == "__main__":
    main()
