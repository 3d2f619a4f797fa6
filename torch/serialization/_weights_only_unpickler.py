"""An unpickler that creates only plain data and tensors.

A pickle is a program: it names functions and calls them. Here only the names in `_safe_globals` can be
called, and the sizes that the program declares are compared with the size of the file before memory is
allocated. `_pickle_limits` bounds the cost of hashing and traversing values."""

import pickle
import struct
from collections import Counter, OrderedDict
from pickle import UnpicklingError

import torch
from torch.serialization import _safe_globals
from torch.serialization._pickle_limits import MAX_DEPTH, Meter, brief

_MAX_PID_NODES = 64
_MAX_NAME = 512


class Unpickler:
    """`load()` runs the pickle in `file`; `persistent_load(id)` returns storages."""

    def __init__(self, file, *, encoding="bytes"):
        self.file, self.encoding = file, encoding
        self.stack, self.marks, self.memo = [], [], {}
        self.protocol = None
        here = file.tell()
        self.meter = Meter(file.seek(0, 2) - here)
        file.seek(here)

    def persistent_load(self, pid):
        raise UnpicklingError("the file refers to a persistent object, but no persistent_load is given")

    def load(self):
        while True:
            code = self.file.read(1)
            if not code:
                raise EOFError("Ran out of input")
            run = _OPERATIONS.get(code)
            if run is None:
                raise UnpicklingError(f"Unsupported operand {code[0]}")
            try:
                if run(self) is _STOP:
                    return self.meter.result(self.pop())
            except UnpicklingError:
                raise
            except IndexError:
                raise UnpicklingError("the pickle takes more than it put on its stack: corrupt file") from None
            except (
                struct.error,
                KeyError,
                UnicodeDecodeError,
                MemoryError,
                OverflowError,
                RecursionError,
                AssertionError,
            ) as problem:
                raise UnpicklingError(f"corrupt pickle: {type(problem).__name__}: {problem}") from None

    def pop(self):
        return self.stack.pop()

    def take(self, count):
        """The next `count` bytes. A count that exceeds the rest of the file is refused before anything is allocated."""
        if count > 1 << 16:
            here = self.file.tell()
            end = self.file.seek(0, 2)
            self.file.seek(here)
            if count > end - here:
                raise UnpicklingError(f"pickle data was truncated: {count} bytes announced, {end - here} left")
        data = self.file.read(count)
        if len(data) != count:
            raise UnpicklingError(f"pickle data was truncated: {count} bytes announced, {len(data)} left")
        return data

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def line(self):
        data = self.file.readline(1 << 16)
        if data[-1:] != b"\n":
            raise UnpicklingError("pickle data was truncated in the middle of a line")
        return data[:-1]

    def since_mark(self):
        items, self.stack = self.stack, self.marks.pop()
        return items

    def keep(self, place):
        if len(self.memo) > 1 << 26:
            raise UnpicklingError("the pickle remembers too many objects")
        self.memo[place] = self.stack[-1]


_STOP = object()
_OPERATIONS = {}


def _op(code):
    def register(function):
        _OPERATIONS[code] = function
        return function

    return register


def _push(code, make):
    """An operation that puts one value on the stack, which making the value may replace by another."""

    def run(self):
        value = make(self)
        self.stack.append(value)

    _OPERATIONS[code] = run


_push(pickle.NONE, lambda s: None)
_push(pickle.NEWTRUE, lambda s: True)
_push(pickle.NEWFALSE, lambda s: False)
_push(pickle.EMPTY_TUPLE, lambda s: ())
_push(pickle.EMPTY_LIST, lambda s: [])
_push(pickle.EMPTY_DICT, lambda s: {})
_push(pickle.EMPTY_SET, lambda s: set())
_push(pickle.BININT, lambda s: s.number("i"))
_push(pickle.BININT1, lambda s: s.number("B"))
_push(pickle.BININT2, lambda s: s.number("H"))
_push(pickle.LONG1, lambda s: int.from_bytes(s.take(s.number("B")), "little", signed=True))
_push(pickle.BINFLOAT, lambda s: struct.unpack(">d", s.take(8))[0])
_push(pickle.BINUNICODE, lambda s: s.take(s.number("I")).decode("utf-8", "surrogatepass"))
_push(pickle.SHORT_BINUNICODE, lambda s: s.take(s.number("B")).decode("utf-8", "surrogatepass"))
_push(pickle.BINUNICODE8, lambda s: s.take(s.number("Q")).decode("utf-8", "surrogatepass"))
_push(pickle.BINBYTES, lambda s: s.take(s.number("I")))
_push(pickle.SHORT_BINBYTES, lambda s: s.take(s.number("B")))
_push(pickle.BINBYTES8, lambda s: s.take(s.number("Q")))
_push(pickle.BYTEARRAY8, lambda s: bytearray(s.take(s.number("Q"))))
_push(pickle.BINSTRING, lambda s: _string(s, s.take(s.number("i"))))
_push(pickle.SHORT_BINSTRING, lambda s: _string(s, s.take(s.number("B"))))
_push(pickle.TUPLE1, lambda s: s.meter.nested((s.pop(),)))
_push(pickle.TUPLE, lambda s: s.meter.nested(tuple(s.since_mark())))
_push(pickle.LIST, lambda s: s.since_mark())
_push(pickle.FROZENSET, lambda s: s.meter.nested(frozenset(s.meter.keys(s.since_mark()))))
_push(pickle.BINGET, lambda s: s.memo[s.number("B")])
_push(pickle.LONG_BINGET, lambda s: s.memo[s.number("I")])
_push(pickle.GLOBAL, lambda s: _global(s, s.line().decode("utf-8"), s.line().decode("utf-8")))
_push(pickle.DUP, lambda s: s.stack[-1])


def _string(self, data):
    return data if self.encoding == "bytes" else data.decode(self.encoding, "strict")


def _global(self, module, name):
    if len(module) > _MAX_NAME or len(name) > _MAX_NAME:
        raise UnpicklingError(f"a name of {len(module) + len(name)} characters: {brief(module)}")
    if self.protocol is None or self.protocol < 3:
        module, name = _safe_globals.python2_name(module, name)
    found = _safe_globals.find(module, name)
    if found is None:
        full = f"{module}.{name}"
        if module.split(".")[0] in _safe_globals.BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        raise UnpicklingError(
            f"Unsupported global: GLOBAL {full} was not an allowed global by default. If you trust it, allow it "
            f"with `torch.serialization.add_safe_globals([{name}])` or the "
            f"`torch.serialization.safe_globals([{name}])` context manager."
        )
    return found


@_op(pickle.STACK_GLOBAL)
def _stack_global(self):
    name, module = self.pop(), self.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise UnpicklingError("STACK_GLOBAL requires str")
    self.stack.append(_global(self, module, name))


@_op(pickle.PROTO)
def _proto(self):
    self.protocol = self.number("B")
    if self.protocol > pickle.HIGHEST_PROTOCOL:
        raise UnpicklingError(f"unsupported pickle protocol: {self.protocol}")


@_op(pickle.FRAME)
def _frame(self):
    self.number("Q")


@_op(pickle.STOP)
def _stop(self):
    return _STOP


@_op(pickle.MARK)
def _mark(self):
    if len(self.marks) >= MAX_DEPTH:
        raise UnpicklingError(f"the pickle is nested too deep: more than {MAX_DEPTH} marks")
    self.marks.append(self.stack)
    self.stack = []


@_op(pickle.POP)
def _pop(self):
    if self.stack:
        self.stack.pop()
    else:
        self.since_mark()


@_op(pickle.POP_MARK)
def _pop_mark(self):
    self.since_mark()


@_op(pickle.TUPLE2)
def _tuple2(self):
    self.stack[-2:] = [self.meter.nested((self.stack[-2], self.stack[-1]))]


@_op(pickle.TUPLE3)
def _tuple3(self):
    self.stack[-3:] = [self.meter.nested((self.stack[-3], self.stack[-2], self.stack[-1]))]


@_op(pickle.BINPUT)
def _binput(self):
    self.keep(self.number("B"))


@_op(pickle.LONG_BINPUT)
def _long_binput(self):
    self.keep(self.number("I"))


@_op(pickle.MEMOIZE)
def _memoize(self):
    self.keep(len(self.memo))


@_op(pickle.BINPERSID)
def _binpersid(self):
    pid = self.pop()
    if not isinstance(pid, (tuple, int, str)):
        raise UnpicklingError(f"persistent_load id must be tuple, int or str, but got {type(pid)}")
    if self.meter.measure(pid) > _MAX_PID_NODES:
        raise UnpicklingError("the persistent id of a storage is too large")
    if isinstance(pid, tuple) and (not pid or _text(pid[0]) != "storage"):
        raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {brief(pid[0] if pid else pid)}")
    self.stack.append(self.persistent_load(pid))


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


@_op(pickle.REDUCE)
def _reduce(self):
    arguments, function = self.pop(), self.pop()
    if not isinstance(arguments, tuple):
        raise UnpicklingError(f"a call with {type(arguments).__name__} in the place of its arguments")
    self.meter.measure(arguments)
    _check_callable(function)
    if function is torch._tensor._rebuild_from_type_v2 and arguments:
        _check_rebuilds(arguments[0])
    if function in _KEYED:
        _check_keys(self, function, arguments)
    value = function(*arguments)
    self.stack.append(self.meter.nested(value) if function is frozenset else value)


def _check_callable(function):
    """Refuse to call unknown functions, and functions that represent a type in a file."""
    if not _safe_globals.is_allowed(function):
        raise UnpicklingError(f"Trying to call reduce for unrecognized function {brief(function)}")
    if _safe_globals.was_added(function) or not isinstance(function, type):
        return
    if issubclass(function, (torch.Tensor, torch.UntypedStorage, torch.TypedStorage)) and function is not torch.nn.Parameter:
        raise UnpicklingError(f"a pickle may not call {function.__name__} directly")


def _check_rebuilds(function):
    """The function that a pickle passes to _rebuild_from_type_v2 is called by it."""
    rebuilds = getattr(function, "__module__", None) == "torch._utils"
    if not rebuilds and not _safe_globals.was_added(function):
        raise UnpicklingError(f"a tensor cannot be rebuilt by {brief(function)}")
    _check_callable(function)


_KEYED = (set, frozenset, OrderedDict, Counter)


def _check_keys(self, function, arguments):
    """Charge the budget for the keys of a set or dict that a call creates."""
    for items in arguments:
        if not isinstance(items, (list, tuple, set, frozenset, dict)):
            raise UnpicklingError(f"{function.__name__} of {brief(items)}")
        if function is OrderedDict and not isinstance(items, dict):
            items = [pair[0] for pair in items if isinstance(pair, (list, tuple)) and len(pair) == 2]
        self.meter.keys(items)


@_op(pickle.NEWOBJ)
def _newobj(self):
    arguments, kind = self.pop(), self.pop()
    self.stack.append(_new(self, kind, arguments, {}))


@_op(pickle.NEWOBJ_EX)
def _newobj_ex(self):
    keywords, arguments, kind = self.pop(), self.pop(), self.pop()
    self.stack.append(_new(self, kind, arguments, keywords))


def _new(self, kind, arguments, keywords):
    if not isinstance(arguments, tuple) or not isinstance(keywords, dict):
        raise UnpicklingError("a new object's arguments must be a tuple, and its keywords a dict")
    self.meter.measure((arguments, keywords))
    if kind is torch.nn.Parameter or kind is OrderedDict or _safe_globals.was_added(kind) and isinstance(kind, type):
        return kind.__new__(kind, *arguments, **keywords)
    raise UnpicklingError(
        f"Trying to create new object for unrecognized class {brief(kind)}. If you trust it, allow it with "
        "`torch.serialization.add_safe_globals`"
    )


@_op(pickle.BUILD)
def _build(self):
    state, target = self.pop(), self.stack[-1]
    kind = type(target)
    if kind is not OrderedDict:
        self.meter.measure(state)
    if kind is torch.Tensor:
        target.set_(*state)
    elif kind is torch.nn.Parameter:
        target.__setstate__(state)
    elif kind is OrderedDict and isinstance(state, dict):
        target.__dict__.update(state)
    elif _safe_globals.was_added(kind):
        if hasattr(kind, "__setstate__"):
            target.__setstate__(state)
        else:
            torch._utils._set_obj_state(target, state)
    else:
        raise UnpicklingError(
            f"Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got {kind}"
        )


def _list(self, target):
    if type(target) is not list:
        raise UnpicklingError(f"Can only append to lists, but got {type(target)}")
    return target


def _settable(target):
    if type(target) not in (dict, OrderedDict, Counter) and not (
        isinstance(target, dict) and _safe_globals.was_added(type(target))
    ):
        raise UnpicklingError(f"Can only set items of dictionaries, but got {type(target)}")
    return target


@_op(pickle.APPEND)
def _append(self):
    item = self.pop()
    _list(self, self.stack[-1]).append(item)


@_op(pickle.APPENDS)
def _appends(self):
    items = self.since_mark()
    _list(self, self.stack[-1]).extend(items)


@_op(pickle.SETITEM)
def _setitem(self):
    value, key = self.pop(), self.pop()
    target = _settable(self.stack[-1])
    target[self.meter.key(id(target), key)] = value


@_op(pickle.SETITEMS)
def _setitems(self):
    items = self.since_mark()
    target = _settable(self.stack[-1])
    if len(items) % 2:
        raise UnpicklingError("an odd number of keys and values")
    for k in range(0, len(items), 2):
        target[self.meter.key(id(target), items[k])] = items[k + 1]


@_op(pickle.ADDITEMS)
def _additems(self):
    items = self.since_mark()
    if type(self.stack[-1]) is not set:
        raise UnpicklingError(f"Can only add items to sets, but got {type(self.stack[-1])}")
    target = self.stack[-1]
    target.update([self.meter.key(id(target), item) for item in items])


def _integer(text):
    if text in (b"00", b"01"):
        return text == b"01"
    return int(text)


_push(pickle.INT, lambda s: _integer(s.line()))
_push(pickle.FLOAT, lambda s: float(s.line()))


def load(file, *, encoding="ASCII"):
    """Load one pickle that holds no storages."""
    return Unpickler(file, encoding=encoding).load()


def unsafe_globals(data):
    """Names in a pickle that loading weights only would refuse."""
    import pickletools

    names, strings = [], []
    for code, argument, _ in pickletools.genops(data):
        if code.name == "GLOBAL":
            module, name = argument.split(" ", 1)
        elif code.name == "STACK_GLOBAL":
            module, name = strings[-2:]
        else:
            if isinstance(argument, str):
                strings.append(argument)
            continue
        module, name = _safe_globals.python2_name(module, name)
        full = f"{module}.{name}"
        if _safe_globals.find(module, name) is None and full not in names:
            names.append(full)
    return names
