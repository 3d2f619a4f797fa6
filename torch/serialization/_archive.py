"""The zip archives that checkpoints are: records stored plain, each starting at a multiple of 64 bytes.

The alignment lets a file be mapped into memory and its records be used in place."""

import os
import struct
import zipfile
import zlib

import torch
from torch import _C
from torch.serialization._zip_writer import ZipWriter

ALIGNMENT = 64
_LOCAL_HEADER = 30
_MAX_DEFLATE_RATIO = 1100  # deflate cannot compress further than this, so a header that claims more is invalid


_MAX_PICKLE_DEFLATE_RATIO = 64  # limits the work per stored byte of a pickle


def storage_bytes(storage):
    """The bytes of an untyped storage, to read and write."""
    return memoryview(storage).cast("B")


def storage_over(buffer):
    """A storage in the memory of `buffer`, which it keeps alive."""
    if len(buffer) == 0:
        return _C.UntypedStorage(0)
    return torch.frombuffer(buffer, dtype=torch.uint8).untyped_storage()


class Writer:
    """Writes an archive to an object with `write`."""

    def __init__(self, target, name="archive"):
        self.archive = ZipWriter(target, ALIGNMENT)
        self.name = name
        self.names, self.hash = [], 0

    def write(self, record, data):
        """Add a record: text, bytes, or a buffer."""
        name = f"{self.name}/{record}"
        crc = self.archive.add(name, data.encode() if isinstance(data, str) else data)
        self.names.append(name)
        self.hash = zlib.crc32(name.encode(), zlib.crc32(crc.to_bytes(4, "little"), self.hash))

    def close(self, version_record="version", version="3\n"):
        self.write(version_record, version)
        names = zlib.crc32("\n".join(self.names).encode())
        identity = f"{names:020d}{self.hash:020d}"
        self.write(".data/serialization_id", identity)
        self.archive.finish()
        return identity


class Reader:
    """Reads an archive from a path or from a seekable object, trusting none of its numbers."""

    def __init__(self, source, mapped=None):
        self.file = open(source, "rb") if isinstance(source, (str, os.PathLike)) else source
        self.owns = self.file is not source
        self.mapped = mapped
        try:
            self.archive = zipfile.ZipFile(self.file)
            self.records = {}
            roots = set()
            for info in self.archive.infolist():
                root, _, record = info.filename.partition("/")
                roots.add(root)
                self.records[record] = info
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            struct.error,
            ValueError,
            OverflowError,
            UnicodeDecodeError,
            zipfile.LargeZipFile,
        ) as problem:
            self.close()
            raise RuntimeError(
                f"reading a checkpoint: failed reading zip archive: {problem}. The file is corrupt: it may have "
                "been saved, copied or changed incompletely"
            ) from None
        if len(roots) != 1:
            self.close()
            raise RuntimeError(f"reading a checkpoint: expected an archive with one folder at its top, found {sorted(roots)[:4]}")
        if (start := min(info.header_offset for info in self.records.values())) > 0:
            self.close()
            raise RuntimeError(
                f"reading a checkpoint: the last archive of the file starts at byte {start}, behind other "
                "content. If several objects were saved into one file, load them from files of their own, "
                "or load the last one with the file positioned at its start"
            )
        self.left = self.file.seek(0, os.SEEK_END)  # bytes of the file that no storage came from

    def close(self):
        if self.owns:
            self.file.close()

    def __contains__(self, record):
        return record in self.records

    def _info(self, record):
        if record not in self.records:
            raise RuntimeError(f"reading a checkpoint: file not found in the archive: {record}")
        info = self.records[record]
        stored = info.compress_type == zipfile.ZIP_STORED
        if stored and info.file_size != info.compress_size or info.file_size > info.compress_size * _MAX_DEFLATE_RATIO + 64:
            raise RuntimeError(f"reading a checkpoint: record {record} claims {info.file_size} bytes in {info.compress_size}")
        return info

    def size(self, record):
        return self._info(record).file_size

    def offset(self, record):
        """Where the record's bytes start in the file."""
        info = self._info(record)
        self.file.seek(info.header_offset)
        header = self.file.read(_LOCAL_HEADER)
        if len(header) != _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise RuntimeError(f"reading a checkpoint: record {record} has no header at {info.header_offset}: corrupt file")
        name, extra = struct.unpack("<HH", header[26:30])
        return info.header_offset + _LOCAL_HEADER + name + extra

    def read(self, record):
        """The bytes of a record."""
        info = self._info(record)
        if info.file_size > info.compress_size * _MAX_PICKLE_DEFLATE_RATIO + (1 << 20):
            raise RuntimeError(f"reading a checkpoint: record {record} claims {info.file_size} bytes in {info.compress_size}")
        return self._read(info)

    def _read(self, info):
        try:
            return self.archive.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
            raise RuntimeError(f"reading a checkpoint: record {info.filename}: {problem}: corrupt file") from None

    def storage(self, record, nbytes):
        """A new storage with the first `nbytes` of a record, or one mapped onto the file."""
        info = self._info(record)
        if nbytes > info.file_size:
            raise RuntimeError(f"reading a checkpoint: record {record} has {info.file_size} bytes, but {nbytes} are expected")
        self.left -= info.compress_size
        if self.left < 0:
            raise RuntimeError(f"reading a checkpoint: record {record} lies over others: corrupt file")
        if self.mapped is not None and info.compress_type == zipfile.ZIP_STORED:
            start = self.offset(record)
            if start + nbytes > len(self.mapped):
                raise RuntimeError(f"reading a checkpoint: record {record} ends behind the end of the file: truncated file")
            return storage_over(memoryview(self.mapped)[start : start + nbytes])
        if info.compress_type != zipfile.ZIP_STORED:
            data = self._read(info)
            storage = _C.UntypedStorage(nbytes)
            storage_bytes(storage)[:] = data[:nbytes]
            return storage
        return self._read_into(record, info, nbytes)

    def _read_into(self, record, info, nbytes):
        start = self.offset(record)
        self.file.seek(0, os.SEEK_END)
        if start + info.file_size > self.file.tell():
            raise RuntimeError(f"reading a checkpoint: record {record} ends behind the end of the file: truncated file")
        self.file.seek(start)
        storage = _C.UntypedStorage(nbytes)
        view, filled = storage_bytes(storage), 0
        into = getattr(self.file, "readinto", None)
        while filled < nbytes:
            if into is not None:
                count = into(view[filled:])
            else:
                piece = self.file.read(nbytes - filled)
                count = len(piece)
                view[filled : filled + count] = piece
            if not count:
                raise RuntimeError(f"reading a checkpoint: record {record} is truncated")
            filled += count
        crc = zlib.crc32(view)
        if nbytes < info.file_size:
            crc = zlib.crc32(self.file.read(info.file_size - nbytes), crc)
        if crc != info.CRC:
            raise RuntimeError(
                f"reading a checkpoint: record {record} has checksum {crc:#x}, expected {info.CRC:#x}: corrupt file"
            )
        return storage


def is_archive(file):
    """True if the file starts as a zip archive does."""
    start = file.tell()
    head = file.read(4)
    file.seek(start)
    return head == b"PK\x03\x04"
