"""Bounds on what a pickle that is loaded with weights_only may cost: depth, and work.

A file of 1 KB can describe a tuple of 2**60 elements, which shares its halves. Python hashes, compares and prints
such a tuple element by element, and hashes a deep one recursively in C. So every key is measured before it is
hashed, and every argument before it is passed to a function. Measuring uses up a budget that grows with the size of
the file."""

from pickle import UnpicklingError

MAX_DEPTH = 1000
_BASE_BUDGET = 1 << 20
_BUDGET_PER_BYTE = 16
_MAX_TEXT = 60
_PLAIN_KEYS = frozenset((str, bytes, bool, type(None), float))
_ATOMS = frozenset((int, bool, type(None), float))
_LARGEST_PLAIN_INT = (1 << 61) - 2  # larger integers share their hashes with smaller ones


def brief(value):
    """A few words for an error message, however large the value is."""
    if type(value) is str or type(value) is bytes:
        return repr(value[:_MAX_TEXT])
    if value is None or type(value) in (bool, float) or type(value) is int and value.bit_length() <= 64:
        return repr(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"[:_MAX_TEXT]
    return f"a value of type {type(value).__name__}"


def _parts(value):
    """What a container holds, or None for anything else."""
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return None


class Meter:
    """The budget of one load."""

    def __init__(self, file_size):
        self.left = _BASE_BUDGET + _BUDGET_PER_BYTE * file_size
        self.depths = {}  # id of a tuple or frozenset that holds others -> how deep it is
        self.same_hash = {}  # (id of a dict or set, hash) -> number of keys

    def spend(self, amount):
        self.left -= amount
        if self.left < 0:
            raise UnpicklingError("the pickle asks for far more work than a file of its size needs")

    def measure(self, value):
        """The number of nodes of `value`, counting shared parts each time; charged to the budget before it is returned."""
        level, total, depth = [value], 0, 0
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                raise UnpicklingError(f"the pickle is nested too deep: more than {MAX_DEPTH} levels")
            below = []
            for item in level:
                kind = type(item)
                if kind in _ATOMS:
                    continue
                if kind is str or kind is bytes or kind is bytearray:
                    self.spend(len(item) >> 2)
                elif (parts := _parts(item)) is not None:
                    self.spend(len(parts))
                    total += len(parts)
                    below.extend(parts)
            level = below
        return total + 1

    def key(self, target, key):
        """Charge the budget for hashing `key` as a key of the dict or set with the id `target`, and for comparing it."""
        kind = type(key)
        if kind in _PLAIN_KEYS or kind is int and -_LARGEST_PLAIN_INT <= key <= _LARGEST_PLAIN_INT:
            return key
        if isinstance(key, (list, dict, set, bytearray)):
            raise UnpicklingError(f"a key of type {kind.__name__}, which cannot be hashed")
        size = self.measure(key)
        place = target, hash(key)
        before = self.same_hash.get(place, 0)
        self.same_hash[place] = before + 1
        self.spend(1 + size * before)
        return key

    def keys(self, items):
        """Charge the budget for making a set or a dict of these keys."""
        for item in items:
            self.key(id(items), item)
        return items

    def nested(self, value):
        """A new tuple or frozenset, with its depth recorded, because Python's hash of a deep one overflows the C stack."""
        depth = 1
        for item in value:
            if type(item) is tuple or type(item) is frozenset:
                depth = max(depth, 1 + self.depths.get(id(item), 1))
        if depth > MAX_DEPTH:
            raise UnpicklingError(f"the pickle is nested too deep: more than {MAX_DEPTH} levels")
        if depth > 1:
            self.depths[id(value)] = depth
        elif self.depths:
            self.depths.pop(id(value), None)
        return value

    def result(self, value):
        """The loaded value, if it is not nested too deep."""
        seen, level = set(), [value]
        for _ in range(MAX_DEPTH):
            below = []
            for item in level:
                parts = _parts(item)
                if parts is not None and id(item) not in seen:
                    seen.add(id(item))
                    below.extend(parts)
            if not below:
                return value
            level = below
        raise UnpicklingError(f"the pickle is nested too deep: more than {MAX_DEPTH} levels")
