"""Checkpoints in file systems of the user's, at URLs of fsspec, and with extensions that change bytes."""

from __future__ import annotations

import contextlib
import io

import pytest
from ranks import needs_gloo

import torch
import torch.distributed.checkpoint as dcp

pytestmark = [needs_gloo, pytest.mark.timeout(60)]

if torch.distributed.is_available():
    from torch.distributed.checkpoint._extension import ExtensionRegistry, StreamTransformExtension
    from torch.distributed.checkpoint.filesystem import FileSystem, FileSystemBase, FileSystemReader, FileSystemWriter

    class Memory(FileSystemBase):
        """Files in a dictionary. It refuses to rename to a name that is taken, and lists nothing."""

        files: dict[str, bytes] = {}
        broken = False

        @contextlib.contextmanager
        def create_stream(self, path, mode):
            if "r" in mode:
                if path not in self.files:
                    raise FileNotFoundError(path)
                yield io.BytesIO(self.files[path])
                return
            if self.broken and path.endswith(".tmp"):
                raise OSError("the disk is full")
            stream = io.BytesIO()
            yield stream
            self.files[path] = stream.getvalue()

        def concat_path(self, path, suffix):
            return f"{path}/{suffix}"

        def rename(self, path, new_path):
            if new_path in self.files:
                raise FileExistsError(new_path)
            self.files[new_path] = self.files.pop(path)

        def init_path(self, path):
            return str(path)

        def mkdir(self, path):
            pass

        @classmethod
        def validate_checkpoint_id(cls, checkpoint_id):
            return True

        def exists(self, path):
            return path in self.files

        def rm_file(self, path):
            del self.files[path]

    class Inverted(StreamTransformExtension):
        """Every bit is the other one."""

        @staticmethod
        def registry_name():
            return "inverted"

        @staticmethod
        def from_descriptor(version):
            assert version == "2"
            return Inverted()

        def get_descriptor(self):
            return "inverted/2"

        def transform_to(self, output):
            class Stream(io.RawIOBase):
                def writable(self):
                    return True

                def write(self, data):
                    output.write(bytes(255 - b for b in bytes(data)))
                    return len(data)

            return Stream()

        def transform_from(self, input):
            return io.BytesIO(bytes(255 - b for b in input.read()))


def state(value):
    return {"a": torch.full((3,), float(value)), "n": {"b": torch.arange(4) * value}, "step": value}


def loaded(reader):
    target = {"a": torch.zeros(3), "n": {"b": torch.zeros(4, dtype=torch.int64)}, "step": 0}
    dcp.load(target, storage_reader=reader)
    return target


def of_memory(cls, **settings):
    made = cls("mem://folder", **settings)
    made.fs = Memory()
    made.path = made.fs.init_path("mem://folder")
    return made


def test_file_system_of_the_user(monkeypatch):
    monkeypatch.setattr(Memory, "files", {})
    for value in (1, 2):
        dcp.save(state(value), storage_writer=of_memory(FileSystemWriter))
        torch.testing.assert_close(loaded(of_memory(FileSystemReader)), state(value))
    assert len(Memory.files) == 2  # the files of the first save are gone
    with monkeypatch.context() as context:
        context.setattr(Memory, "broken", True)
        with pytest.raises(dcp.CheckpointException, match="disk is full"):
            dcp.save(state(3), storage_writer=of_memory(FileSystemWriter))
    torch.testing.assert_close(loaded(of_memory(FileSystemReader)), state(2))
    assert len(Memory.files) == 2  # and those of the one that failed
    with pytest.raises(dcp.CheckpointException, match="overwrite"):
        dcp.save(state(4), storage_writer=of_memory(FileSystemWriter, overwrite=False))
    with pytest.raises(TypeError, match="abstract"):
        FileSystemBase()


def test_local_file_system(tmp_path):
    fs = FileSystem()
    path = fs.init_path(str(tmp_path))
    with fs.create_stream(fs.concat_path(path, "one"), "wb") as stream:
        stream.write(b"text")
    fs.rename(path / "one", path / "two")
    fs.mkdir(path / "x" / "y")
    assert sorted(fs.ls(path)) == [str(tmp_path / "two"), str(tmp_path / "x")]
    fs.rm_file(path / "two")
    assert not fs.exists(path / "two") and fs.exists(path / "x" / "y")
    assert [fs.validate_checkpoint_id(p) for p in (path, "a/b", "s3://bucket")] == [True, True, False]


def test_extensions(tmp_path):
    dcp.save(state(1), storage_writer=FileSystemWriter(tmp_path / "plain"))
    dcp.save(state(1), storage_writer=FileSystemWriter(tmp_path / "changed", _extensions=[Inverted()]))
    plain = (tmp_path / "plain" / "__0_0.distcp").read_bytes()
    assert (tmp_path / "changed" / "__0_0.distcp").read_bytes()[:2] == bytes(255 - b for b in plain[:2])
    registry = ExtensionRegistry()
    registry.register(Inverted)
    torch.testing.assert_close(loaded(FileSystemReader(tmp_path / "changed", registry)), state(1))
    with pytest.raises(dcp.CheckpointException, match="inverted/2.*not registered"):
        loaded(FileSystemReader(tmp_path / "changed"))


def test_urls_need_fsspec(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match="needs the package fsspec"):
        dcp.save(state(1), checkpoint_id="memory://folder")
    with pytest.raises(RuntimeError, match="needs the package fsspec"):
        dcp.load(state(1), checkpoint_id="memory://folder")


def test_fsspec():
    fsspec = pytest.importorskip("fsspec")
    from torch.distributed.checkpoint._fsspec_filesystem import FsspecReader, FsspecWriter

    for value in (1, 2):
        dcp.save(state(value), storage_writer=FsspecWriter("memory://checkpoints/one"))
        torch.testing.assert_close(loaded(FsspecReader("memory://checkpoints/one")), state(value))
    assert len(fsspec.filesystem("memory").find("/checkpoints/one")) == 2
    dcp.save(state(3), checkpoint_id="memory://checkpoints/two")
    target = state(0)
    dcp.load(target, checkpoint_id="memory://checkpoints/two")
    torch.testing.assert_close(target, state(3))
    with pytest.raises(RuntimeError, match="cannot open"):
        dcp.save(state(1), checkpoint_id="nothing://folder")
