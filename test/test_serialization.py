"""Checkpoints: files that PyTorch 2.13 wrote, files of our own, and malicious files."""

import io
import os
import pickle
import struct
import zipfile
import zlib

import pytest

import torch

DATA = os.path.join(os.path.dirname(__file__), "data")


def path(name):
    return os.path.join(DATA, name)


def saved(value, **options):
    out = io.BytesIO()
    torch.save(value, out, **options)
    return out.getvalue()


def loaded(data, **options):
    return torch.load(io.BytesIO(data), **options)


@pytest.mark.parametrize("options", [{}, {"mmap": True}, {"weights_only": False}])
def test_reads_what_pytorch_wrote(options):
    values = torch.load(path("values.pth"), **options)
    base = torch.arange(6.0).reshape(2, 3)
    assert torch.equal(values["base"], base) and torch.equal(values["transposed"], base.t())
    assert values["transposed"].stride() == (1, 3)
    values["base"][1, 0] = 50.0
    assert values["view"][0, 0] == 50.0  # they share a storage, as they did when saved
    assert isinstance(values["parameter"], torch.nn.Parameter) and values["parameter"].requires_grad
    assert values["half"].dtype == torch.float16 and values["bfloat16"].dtype == torch.bfloat16
    assert values["int"].tolist() == [0, 1, 2] and values["bool"].tolist() == [True, False]
    assert values["conj"].tolist() == [1 - 2j]  # saved as a conjugate bit, which is carried out here
    assert values["empty"].shape == (0, 3) and values["scalar"].item() == 3.5 and values["meta"].is_meta
    assert values["uint16"].dtype == torch.uint16 and values["float8"].dtype == torch.float8_e5m2
    assert values["plain"] == [None, True, 1, -(2**70), 1.5, "é", b"ab", (1, 2), {1}, {"k": {"a": 1}}]
    assert values["dtype"] == torch.float32 and values["size"] == (1, 2) and values["device"].type == "cpu"


@pytest.mark.parametrize("weights_only", [True, False])
def test_reads_legacy_files(weights_only):
    values = torch.load(path("values_legacy.pth"), weights_only=weights_only)
    assert values["view"].tolist() == [[3.0, 4.0, 5.0]] and values["half"].dtype == torch.float16
    assert values["view"].untyped_storage().data_ptr() == values["base"].untyped_storage().data_ptr()


@pytest.mark.parametrize("weights_only", [True, False])
def test_conjugate_and_negative_tensors_of_legacy_files(weights_only):
    """In such a file the values come after the pickle, and the values are conjugated."""
    values = torch.load(path("conj_legacy.pth"), weights_only=weights_only)
    assert values["plain"].tolist() == [1 + 2j, 3 - 4j, 5j] and values["conj"].tolist() == [1 - 2j, 3 + 4j, -5j]
    assert values["view"].tolist() == [3 + 4j, -5j] and values["neg"].tolist() == [-1.0, -2.0]
    assert isinstance(values["param"], torch.nn.Parameter) and values["param"].tolist() == [1 - 1j]


def test_whole_modules_of_legacy_files():
    module = torch.load(path("module_legacy.pth"), weights_only=False)
    assert [type(m).__name__ for m in module] == ["Linear", "ReLU"] and module(torch.ones(1, 2)).shape == (1, 2)
    with pytest.raises(pickle.UnpicklingError, match="Sequential"):
        torch.load(path("module_legacy.pth"))


class Source(torch.nn.Module):
    pass


def test_a_module_whose_source_has_changed():
    """Legacy files keep the source of modules."""

    class Pickler(pickle.Pickler):
        met = False  # the id itself mentions the class

        def persistent_id(self, value):
            if value is not Source or self.met:
                return None
            self.met = True
            return ("module", Source, "file.py", "class Source:\n    old = 1\n")

    out = io.BytesIO()
    for value in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}):
        pickle.dump(value, out, protocol=2)
    Pickler(out, protocol=2).dump(Source())
    pickle.dump([], out, protocol=2)
    out.seek(0)
    with pytest.warns(torch.serialization.SourceChangeWarning, match="Source"):
        assert type(torch.load(out, weights_only=False)) is Source


@pytest.mark.parametrize("legacy", [False, True])
def test_two_saves_into_one_file(legacy):
    out = io.BytesIO()
    torch.save({"first": torch.ones(3)}, out, _use_new_zipfile_serialization=not legacy)
    second = out.tell()
    torch.save({"second": torch.ones(30)}, out, _use_new_zipfile_serialization=not legacy)
    out.seek(0)
    if legacy:
        assert list(torch.load(out)) == ["first"] and list(torch.load(out)) == ["second"]
    else:
        with pytest.raises(RuntimeError, match=f"the last archive of the file starts at byte {second}"):
            torch.load(out)
    out.seek(second)
    assert list(torch.load(out)) == ["second"]


def test_byte_order():
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(torch.tensor([1.0, 2.0])))) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = {"byteorder": b"big", "data/0": struct.pack(">ff", 1, 2)}.get(name.partition("/")[2])
            new.writestr(name, old.read(name) if content is None else content)
    assert loaded(out.getvalue()).tolist() == [1.0, 2.0]


def test_reads_training_state_and_modules():
    state = torch.load(path("training.pth"))
    linear = torch.nn.Linear(3, 2)
    linear.load_state_dict(state["model"])
    optimizer = torch.optim.AdamW(linear.parameters())
    optimizer.load_state_dict(state["optimizer"])
    assert optimizer.state[linear.weight]["step"].item() == 1.0
    module = torch.load(path("module.pth"), weights_only=False)
    assert [type(m).__name__ for m in module] == ["Conv2d", "BatchNorm2d", "PixelShuffle", "LSTMCell"]
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global: GLOBAL torch.nn.modules"):
        torch.load(path("module.pth"))


@pytest.mark.parametrize("legacy", [False, True])
def test_round_trip(legacy):
    x = torch.randn(3, 4)
    value = {"x": x, "y": x[1:, ::2], "p": torch.nn.Parameter(torch.ones(2)), "l": [1, (2.5, "a")]}
    again = loaded(saved(value, _use_new_zipfile_serialization=not legacy))
    assert torch.equal(again["x"], x) and torch.equal(again["y"], x[1:, ::2]) and again["l"] == value["l"]
    again["x"].zero_()
    assert again["y"].abs().sum() == 0


def test_format(tmp_path):
    target = tmp_path / "name.ckpt"
    torch.save({"a": torch.ones(3), "b": torch.ones(2)}, target)
    with zipfile.ZipFile(target) as archive, open(target, "rb") as file:
        records = [info.filename.partition("/") for info in archive.infolist()]
        assert {root for root, _, _ in records} == {"name"}
        assert [record for _, _, record in records] == [
            "data.pkl",
            ".format_version",
            ".storage_alignment",
            "byteorder",
            "data/0",
            "data/1",
            "version",
            ".data/serialization_id",
        ]
        for info in archive.infolist():
            file.seek(info.header_offset + 26)
            name, extra = struct.unpack("<HH", file.read(4))
            assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_map_location():
    data = saved(torch.ones(2))
    assert loaded(data, map_location="meta").is_meta
    assert loaded(data, map_location={"cpu": "meta"}).is_meta
    seen = []
    loaded(data, map_location=lambda storage, location: seen.append(location) or storage)
    assert seen == ["cpu"]


class Harmless:
    def __init__(self):
        self.x = torch.ones(1)


class Harmful:
    def __reduce__(self):
        return os.system, ("exit 1",)


def test_safe_globals():
    data = saved(Harmless())
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        loaded(data)
    with torch.serialization.safe_globals([Harmless]):
        assert loaded(data).x.item() == 1.0
    with pytest.raises(pickle.UnpicklingError):
        loaded(data)
    names = torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data))
    assert names == [f"{Harmless.__module__}.Harmless"]


def test_calls_nothing():
    with pytest.raises(pickle.UnpicklingError, match="whose module .* is blocked"):
        loaded(saved(Harmful()))


def changed(data, record, content):
    """The archive with another content of one record."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, content if name.endswith(record) else old.read(name))
    return out.getvalue()


def pickled(size, stride=(1,), offset=0, count=3):
    """data.pkl of a tensor with possibly false metadata."""

    def text(word):
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    def number(value):
        return b"\x8a\x08" + struct.pack("<q", value)

    def numbers(values):
        return b"(" + b"".join(map(number, values)) + b"t"

    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + number(count) + b"tQ"
    return (
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n("
        + storage
        + number(offset)
        + numbers(size)
        + numbers(stride)
        + b"\x89ccollections\nOrderedDict\n)RtR."
    )


@pytest.mark.parametrize(
    "lie",
    [
        {"size": (1 << 40,)},
        {"size": (3,), "offset": 1},
        {"size": (3,), "stride": (2,)},
        {"size": (-1,)},
        {"size": (3,), "stride": (-1,)},
        {"size": (3,), "offset": -1},
        {"size": (3,), "count": 1 << 50},
        {"size": (3,), "count": -1},
        {"size": (2, 2), "stride": (1,)},
        {"size": (1 << 62, 1 << 62), "stride": (1, 1)},
    ],
)
def test_lying_tensors(lie):
    data = saved(torch.ones(3))
    assert torch.equal(loaded(changed(data, "data.pkl", pickled((3,)))), torch.ones(3))
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        loaded(changed(data, "data.pkl", pickled(**lie)))


@pytest.mark.parametrize(
    "program",
    [
        b"",
        b".",
        b"\x80\x02",
        b"\x80\x02X\xff\xff\xff\xffabc.",
        b"\x80\x04\x8d" + b"\xff" * 8 + b".",
        b"\x80\x02t.",
        b"R.",
        b"(((((",
        b"\x80\x02h\x05.",
        b"\x80\x02]}s.",
        b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\0\0\0\0\0\x10\x85R.",
        b"\xff",
    ],
)
def test_malformed_pickles(program):
    with pytest.raises((pickle.UnpicklingError, EOFError, ValueError, RuntimeError)):
        loaded(changed(saved(torch.ones(3)), "data.pkl", program))


@pytest.mark.parametrize("legacy", [False, True])
def test_truncation(legacy):
    data = saved({"x": torch.ones(100)}, _use_new_zipfile_serialization=not legacy)
    for end in range(0, len(data) - 1, 29):
        with pytest.raises((RuntimeError, EOFError, pickle.UnpicklingError)):
            loaded(data[:end])


def test_corrupt_bytes_are_noticed():
    data = bytearray(saved(torch.full((64,), 7.0)))
    place = bytes(data).index(struct.pack("<f", 7.0) * 4)
    data[place] ^= 1
    with pytest.raises(RuntimeError, match="corrupt"):
        loaded(bytes(data))
    assert zlib.crc32(b"") == 0


def test_arguments():
    with pytest.raises(AttributeError, match="You can only torch.load from a file that is seekable"):
        torch.load(3)
    with pytest.raises(AttributeError):
        torch.save(3, 3)
    with pytest.raises(RuntimeError, match="Parent directory"):
        torch.save(torch.ones(1), "/no/such/folder/file")
    with pytest.raises(FileNotFoundError):
        torch.load("/no/such/file")
    with pytest.raises(ValueError, match="mmap"):
        loaded(saved(1), mmap=True)
    with pytest.raises(EOFError):
        loaded(b"")


def test_pickle_and_deepcopy():
    import copy

    x = torch.randn(2, 3).t()
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert torch.equal(twin, x) and twin.stride() == x.stride() and twin.data_ptr() != x.data_ptr()
    pair = copy.deepcopy([x, x[0]])
    pair[0].zero_()
    assert pair[1].abs().sum() == 0
