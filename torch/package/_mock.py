"""The file `_mock.py` of packages with mocked modules: objects that can be imported, printed and compared, but not used.

This file is copied into packages as it is, so it imports nothing.
"""

_OPERATORS = (
    "abs add and bool bytes call complex contains delattr delete delitem divmod enter exit float floor floordiv format "
    "get getattr getitem iadd iand ifloordiv ilshift imod imul index int invert ior ipow irshift isub iter itruediv ixor "
    "len length_hint lshift matmul mod mul neg next or pos pow radd rand rdivmod reversed rfloordiv rlshift rmatmul rmod rmul "
    "ror round rpow rrshift rshift rsub rtruediv rxor set setitem sub truediv trunc xor"
).split()


class MockedObject:
    """Stands for an object of a module that was left out of the package."""

    _name: str

    def __new__(cls, *args, **kwargs):
        if not kwargs.get("_suppress_err"):
            raise NotImplementedError(f"{cls} was mocked while the package was made, so it cannot be created")
        return super().__new__(cls)

    def __init__(self, name: str, _suppress_err: bool):
        self.__dict__["_name"] = name

    def __repr__(self):
        return f"MockedObject({self._name})"


def _refuses(method):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"{self._name!r} was mocked while the package was made, and {method} needs it")

    return refuse


for _name in _OPERATORS:
    setattr(MockedObject, f"__{_name}__", _refuses(f"__{_name}__"))
