"""torch.save to a path: a failure leaves the old file or the new one, and short writes lose no bytes."""

import errno
import io
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading

import pytest
from surroundings import ROOT

import torch


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.parametrize("legacy", [False, True])
def test_a_mapped_checkpoint_is_saved_onto_itself(tmp_path, legacy):
    path = tmp_path / "mapped.pt"
    torch.save({"w": torch.arange(2_000_000.0)}, path)
    mapped = torch.load(path, mmap=True)
    torch.save(mapped, path, _use_new_zipfile_serialization=not legacy)
    assert torch.equal(mapped["w"], torch.arange(2_000_000.0))
    assert torch.equal(torch.load(path)["w"], mapped["w"])


class Trouble:
    def __reduce__(self):
        raise ValueError("not to be pickled")


@pytest.mark.parametrize("legacy", [False, True])
def test_what_cannot_be_pickled_leaves_the_old_file(tmp_path, legacy):
    path = tmp_path / "old.pt"
    torch.save(1, path)
    with pytest.raises(ValueError, match="not to be pickled"):
        torch.save([torch.ones(3), Trouble()], path, _use_new_zipfile_serialization=not legacy)
    assert torch.load(path) == 1 and os.listdir(tmp_path) == ["old.pt"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "old.pt"
    torch.save(1, path)

    def no_room(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space left"):
        torch.save(torch.ones(1000), path)
    assert torch.load(path) == 1 and os.listdir(tmp_path) == ["old.pt"]


def test_a_full_disk_leaves_the_old_file(tmp_path):
    code = """
        import ctypes, os, subprocess, sys
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(0x00020000) or libc.mount(b"none", b"/", None, 0x44000, None):
            sys.exit(77)
        if libc.mount(b"tmpfs", sys.argv[1].encode(), b"tmpfs", 0, b"size=256k"):
            sys.exit(77)
        import torch
        path = sys.argv[1] + "/small.pt"
        torch.save({"x": torch.ones(10)}, path)
        for _ in range(2):
            try:
                torch.save({"x": torch.ones(1_000_000)}, path)
                sys.exit("the disk should be full")
            except OSError as problem:
                assert problem.errno == 28, problem
        assert torch.load(path)["x"].sum() == 10 and os.listdir(sys.argv[1]) == ["small.pt"]
    """
    done = run(code, tmp_path)
    if done.returncode == 77:
        pytest.skip("this machine does not let a test mount a file system")
    assert done.returncode == 0, done.stderr


def test_a_killed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "old.pt"
    torch.save({"x": torch.ones(10)}, path)
    code = """
        import os, signal, sys, torch
        from torch.serialization import _archive
        write = _archive.Writer.write
        def killed(self, record, data):
            if record.startswith("data/1"):
                os.kill(os.getpid(), signal.SIGKILL)
            write(self, record, data)
        _archive.Writer.write = killed
        torch.save([torch.ones(100_000), torch.ones(3)], sys.argv[1])
    """
    assert run(code, path).returncode == -signal.SIGKILL
    assert torch.load(path)["x"].sum() == 10


def test_mode_and_links_are_kept(tmp_path):
    real, link = tmp_path / "real.pt", tmp_path / "link.pt"
    before = os.umask(0o027)
    try:
        torch.save(1, real)
        assert stat.S_IMODE(real.stat().st_mode) == 0o640
    finally:
        os.umask(before)
    real.chmod(0o604)
    link.symlink_to("real.pt")
    torch.save(2, link)
    assert link.is_symlink() and torch.load(real) == 2 and stat.S_IMODE(real.stat().st_mode) == 0o604
    dangling = tmp_path / "dangling.pt"
    dangling.symlink_to("made.pt")
    torch.save(3, dangling)
    assert dangling.is_symlink() and torch.load(tmp_path / "made.pt") == 3
    assert sorted(os.listdir(tmp_path)) == ["dangling.pt", "link.pt", "made.pt", "real.pt"]


def test_pipes_and_devices(tmp_path):
    value = torch.arange(50_000)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    torch.save(value, pipe)
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode) and torch.equal(torch.load(io.BytesIO(read[0])), value)
    code = "import sys, torch; torch.save(torch.arange(50_000), '/dev/stdout')"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True).stdout
    assert torch.equal(torch.load(io.BytesIO(out)), value)
    torch.save(value, "/dev/null")


def test_a_folder_that_takes_no_new_files(tmp_path, monkeypatch):
    """The file is then written in place; what is saved may be mapped from it."""
    from torch.serialization import _atomic_file

    path = tmp_path / "w.pt"
    torch.save({"w": torch.arange(100_000)}, path)

    def refuse(target):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(_atomic_file, "_new_file_beside", refuse)
    torch.save(torch.load(path, mmap=True), path)
    assert torch.load(path)["w"].sum() == torch.arange(100_000).sum()
    with pytest.raises(PermissionError):
        torch.save(1, tmp_path / "new.pt")


@pytest.mark.parametrize("named", [False, True])
def test_file_systems_without_unnamed_files(tmp_path, monkeypatch, named):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    path = tmp_path / "w.pt"
    torch.save(1, path)
    torch.save(2, path)
    assert torch.load(path) == 2 and os.listdir(tmp_path) == ["w.pt"]


def test_a_path_that_cannot_be_written(tmp_path):
    with pytest.raises(IsADirectoryError):
        torch.save(1, tmp_path)
    if os.getuid():
        path = tmp_path / "locked.pt"
        torch.save(1, path)
        path.chmod(0o444)
        with pytest.raises(PermissionError):
            torch.save(2, path)


class ShortWrites(io.RawIOBase):
    """Takes a thousand bytes at a time, as the system takes two gigabytes."""

    def __init__(self, whole=io.BytesIO):
        self.inner, self.blocked = whole(), False

    def writable(self):
        return True

    seekable = writable

    def seek(self, *place):
        return self.inner.seek(*place)

    def tell(self):
        return self.inner.tell()

    def write(self, data):
        return None if self.blocked else self.inner.write(bytes(data[:1000]))


@pytest.mark.parametrize("legacy", [False, True])
def test_short_writes(legacy):
    target = ShortWrites()
    value = {"x": torch.arange(10_000), "text": "y" * 5000}
    torch.save(value, target, _use_new_zipfile_serialization=not legacy)
    again = torch.load(io.BytesIO(target.inner.getvalue()))
    assert torch.equal(again["x"], value["x"]) and again["text"] == value["text"]
    target.blocked = True
    with pytest.raises(BlockingIOError):
        torch.save(value, target, _use_new_zipfile_serialization=not legacy)


class Stuck:
    def write(self, data):
        return 0


def test_a_file_that_takes_nothing():
    with pytest.raises(OSError, match="wrote none of them"):
        torch.save(torch.ones(3), Stuck())


class Silent:
    """A file object that does not say how much it wrote, as many do."""

    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += bytes(data)


def test_a_file_that_does_not_say_how_much_it_wrote():
    target = Silent()
    torch.save(torch.arange(3), target)
    assert torch.load(io.BytesIO(target.data)).tolist() == [0, 1, 2]
