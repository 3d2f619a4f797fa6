"""The archives of torch.save, read by Python's zipfile."""

import io
import zipfile

import pytest

import torch
from torch.serialization import _zip_writer
from torch.serialization._zip_writer import ZipWriter

RECORDS = {"a/data.pkl": b"x" * 1000, "a/empty": b"", "a/Größe": b"\0\1" * 33, "a/data/0": bytes(range(256)) * 300}


class Pipe:
    """Takes bytes, and nothing else."""

    def __init__(self):
        self.written = bytearray()

    def write(self, data):
        self.written += data


def check(content, records, alignment=64):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {info.filename: archive.read(info) for info in archive.infolist()} == records
        for info in archive.infolist():
            header = content[info.header_offset : info.header_offset + 30]
            name, extra = (int.from_bytes(header[k : k + 2], "little") for k in (26, 28))
            assert (info.header_offset + 30 + name + extra) % alignment == 0
            assert info.compress_type == zipfile.ZIP_STORED


def write(file, records, alignment=64):
    writer = ZipWriter(file, alignment)
    for name, data in records.items():
        writer.add(name, memoryview(data))
    writer.finish()


@pytest.mark.parametrize("alignment", (1, 64, 4096))
def test_records_are_stored_aligned(alignment):
    file = io.BytesIO()
    write(file, RECORDS, alignment)
    check(file.getvalue(), RECORDS, alignment)


def test_a_pipe_gets_the_same_bytes():
    file, pipe = io.BytesIO(), Pipe()
    write(file, RECORDS)
    write(pipe, RECORDS)
    assert bytes(pipe.written) == file.getvalue()


def test_an_archive_after_other_content():
    file = io.BytesIO(b"before" * 11)
    file.seek(66)
    write(file, RECORDS)
    assert file.getvalue()[:66] == b"before" * 11
    check(file.getvalue(), RECORDS)


@pytest.mark.parametrize("record, offset", ((100, 1 << 31), (1 << 30, 1000), (100, 1000)))
def test_sizes_and_offsets_of_64_bits(monkeypatch, record, offset):
    """The structures of large archives, from lower limits."""
    monkeypatch.setattr(_zip_writer, "_LARGE_RECORD", record)
    monkeypatch.setattr(_zip_writer, "_LARGEST", offset)
    file = io.BytesIO()
    write(file, RECORDS)
    content = file.getvalue()
    assert (b"PK\6\6" in content) == (offset < len(content))
    check(content, RECORDS)
    assert content.count(b"\1\0\x10\0") >= 2 * (record == 100)


def test_more_records_than_16_bits_count():
    file = io.BytesIO()
    records = {f"a/{k}": b"" for k in range(66_000)}
    write(file, records, 1)
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == list(records)


def test_save_to_a_file_without_tell():
    pipe, value = Pipe(), {"weight": torch.arange(100.0), "name": "Größe"}
    torch.save(value, pipe)
    loaded = torch.load(io.BytesIO(pipe.written))
    assert torch.equal(loaded["weight"], value["weight"]) and loaded["name"] == value["name"]
