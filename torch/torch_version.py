"""The version of the build, as an object that compares by its numbers.

`torch/version.py` is written by the build; a bare source tree has none."""

try:
    from torch.version import __version__ as internal_version
except ImportError:
    internal_version = "2.13.0a0+unknown"


class TorchVersion(str):
    """A version that compares with strings and tuples by its numbers."""

    __slots__ = ()

    def __lt__(self, other):
        return _parts(self) < _parts(other)

    def __le__(self, other):
        return _parts(self) <= _parts(other)

    def __gt__(self, other):
        return _parts(self) > _parts(other)

    def __ge__(self, other):
        return _parts(self) >= _parts(other)

    def __eq__(self, other):
        return str.__eq__(self, other) if isinstance(other, str) else _parts(self) == _parts(other)

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


def _parts(version):
    """Sort key: the release numbers, whether it is final (an alpha comes before), what follows a plus."""
    if not isinstance(version, str):
        version = ".".join(str(part) for part in version)
    release, _, local = version.partition("+")
    numbers, final = [], 1
    for piece in release.split("."):
        digits = piece[: len(piece) - len(piece.lstrip("0123456789"))]
        numbers.append(int(digits or 0))
        if digits != piece:
            final = 0
            break
    return numbers + [0] * (4 - len(numbers)), final, local


__version__ = TorchVersion(internal_version)
