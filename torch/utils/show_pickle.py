"""Shows what is in a pickle without running it: `python -m torch.utils.show_pickle FILE` or `FILE.zip@MEMBER`.

Classes are not imported. What they would make is shown as a call.
"""

from __future__ import annotations

import fnmatch
import io
import pickle
import pprint
import sys
import zipfile
from typing import IO, Any

__all__ = ["DumpUnpickler", "FakeClass", "FakeObject", "main"]


class FakeClass:
    """Stands for a class or function that a pickle names. Calling it makes a FakeObject.

    Args:
        module (str): its module
        name (str): its name

    Example:
        >>> from torch.utils.show_pickle import FakeClass
        >>> FakeClass("os", "system")("ls")
        os.system('ls',)
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self.__new__ = self.fake_new  # type: ignore[method-assign, assignment]

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"

    def __call__(self, *args: Any) -> FakeObject:
        return FakeObject(self.module, self.name, args)

    def fake_new(self, *args: Any) -> FakeObject:
        """What a pickle makes an object with, without calling the class.

        Args:
            *args (Any): the arguments; the first is the class

        Returns:
            the object
        """
        return FakeObject(self.module, self.name, args[1:])


class FakeObject:
    """Stands for an object that a pickle makes.

    Args:
        module (str): the module of its class
        name (str): the name of its class
        args (tuple): what it is made of

    Example:
        >>> from torch.utils.show_pickle import FakeObject
        >>> FakeObject("pathlib", "PosixPath", ("a",))
        pathlib.PosixPath('a',)
    """

    def __init__(self, module: str, name: str, args: tuple[Any, ...]) -> None:
        self.module, self.name, self.args = module, name, args
        self.state: Any = None  # what it was filled with
        self.items: list[Any] = []  # what was put into it, where it is a list, a set or a dictionary

    def __repr__(self) -> str:
        text = f"{self.module}.{self.name}({', '.join(map(repr, self.args))}{',' if len(self.args) == 1 else ''})"
        if self.items:
            text += f"(items={self.items!r})"
        return text if self.state is None else text + f"(state={self.state!r})"

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __setitem__(self, key: Any, value: Any) -> None:
        self.items.append((key, value))

    def append(self, item: Any) -> None:
        """Add an item.

        Args:
            item (Any): the item
        """
        self.items.append(item)

    def extend(self, items: Any) -> None:
        """Add items.

        Args:
            items (iterable): the items
        """
        self.items.extend(items)

    add = append

    @staticmethod
    def pp_format(printer: Any, obj: Any, stream: Any, indent: int, allowance: int, context: Any, level: int) -> None:
        """How `pprint` shows an object of this class; see `DumpUnpickler.dump`.

        Args:
            printer (PrettyPrinter): the printer
            obj (FakeObject): the object
            stream (file): where to write
            indent (int): the column
            allowance (int): columns to leave free at the end
            context (dict): what is under way
            level (int): how deep
        """
        stream.write(f"{obj.module}.{obj.name}")
        if not obj.args and obj.state is None and not obj.items:
            stream.write("()")
        for title, value in (("", obj.args), ("state=", obj.state), ("items=", obj.items or None)):
            if value is not None and (value or title):
                stream.write(f"({title}" if title else "")
                printer._format(value, stream, indent + 1, allowance + 1, context, level + 1)
                stream.write(")" if title else "")


class DumpUnpickler(pickle._Unpickler):  # type: ignore[name-defined, misc]
    """Reads a pickle with stand-ins in the place of classes, functions and storages.

    Args:
        file (file): the pickle
        catch_invalid_utf8 (bool, default False): show texts of old files that are no UTF-8 as bytes
        **kwargs (Any): as for `pickle.Unpickler`

    Example:
        >>> import io, pathlib, pickle
        >>> from torch.utils.show_pickle import DumpUnpickler
        >>> DumpUnpickler(io.BytesIO(pickle.dumps({"a": 1 + 2j}))).load()
        {'a': builtins.complex(1.0, 2.0)}
    """

    dispatch = dict(pickle._Unpickler.dispatch)  # type: ignore[attr-defined]

    def __init__(self, file: IO[bytes], *, catch_invalid_utf8: bool = False, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.catch_invalid_utf8 = catch_invalid_utf8

    def find_class(self, module: str, name: str) -> Any:
        """A stand-in.

        Args:
            module (str): the module
            name (str): the name in it

        Returns:
            a FakeClass
        """
        return FakeClass(module, name)

    def persistent_load(self, pid: Any) -> Any:
        """A stand-in for something outside the pickle.

        Args:
            pid (Any): its id

        Returns:
            a FakeObject
        """
        return FakeObject("pers", "obj", (pid,))

    def _text_or_bytes(self) -> None:
        data = self.read(int.from_bytes(self.read(4), "little"))  # type: ignore[attr-defined]
        try:
            self.append(data.decode("utf-8", "surrogatepass"))  # type: ignore[attr-defined]
        except UnicodeDecodeError:
            if not self.catch_invalid_utf8:
                raise
            self.append(data)  # type: ignore[attr-defined]

    dispatch[pickle.BINUNICODE[0]] = _text_or_bytes

    @classmethod
    def dump(cls, in_stream: IO[bytes], out_stream: Any) -> Any:
        """Write what is in a pickle, for readers.

        Args:
            in_stream (file): the pickle
            out_stream (file): where to write

        Returns:
            what is in it
        """
        value = cls(in_stream, catch_invalid_utf8=True).load()
        pprint.pprint(value, stream=out_stream)
        return value


pprint.PrettyPrinter._dispatch[FakeObject.__repr__] = FakeObject.pp_format  # type: ignore[attr-defined]


def main(argv: list[str], output_stream: Any = None) -> int | None:
    """The program: shows one pickle.

    Args:
        argv (list of str): the program's name, and the file; after an @ the member of a zip archive, which may hold `*`
        output_stream (file, optional): where to write; by default the standard output

    Raises:
        ValueError: not one file is given, or the archive has no such member

    Example:
        >>> import io, os, sys, tempfile
        >>> from torch.utils import show_pickle
        >>> path = os.path.join(tempfile.mkdtemp(), "x.pt")
        >>> torch.save({"a": None}, path)
        >>> show_pickle.main(["show_pickle", path + "@*/data.pkl"], sys.stdout)
        {'a': None}
    """
    if len(argv) != 2:
        raise ValueError(f"show_pickle: expected one file, got {len(argv) - 1} arguments")
    output = sys.stdout if output_stream is None else output_stream
    path, at, member = argv[1].partition("@")
    if not at:
        with open(path, "rb") as file:
            DumpUnpickler.dump(file, output)
        return None
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if fnmatch.fnmatch(name, member)]
        if len(names) != 1:
            raise ValueError(f"show_pickle: {path} has {len(names)} members of the name {member!r}, expected one")
        DumpUnpickler.dump(io.BytesIO(archive.read(names[0])), output)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv))
