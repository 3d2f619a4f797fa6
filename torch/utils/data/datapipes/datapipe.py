"""The bases of all pipes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from torch.utils.data.datapipes._iteration import _SnapshotState, hooked
from torch.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class _Pipe:
    """Functional forms, representation and pickling: what both kinds have."""

    functions: ClassVar[dict[str, Callable[..., Any]]]
    getstate_hook: ClassVar[Callable[..., Any] | None] = None
    reduce_ex_hook: ClassVar[Callable[..., Any] | None] = None
    str_hook: ClassVar[Callable[..., str] | None] = None
    repr_hook: ClassVar[Callable[..., str] | None] = None

    def __getattr__(self, name: str) -> Any:
        function = type(self).functions.get(name)
        if function is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        return functools.update_wrapper(functools.partial(function, self), function)

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Add a method to all pipes of a kind.

        Args:
            function_name (str): its name
            function (function): gets the pipe first
        """
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: Any, enable_df_api_tracing: bool = False) -> None:
        """Add a method that puts a pipe over this one.

        Args:
            function_name (str): its name
            cls_to_register (type): the class of pipes
            enable_df_api_tracing (bool): accepted; there are no pipes of data frames here
        """
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")

        def build(source: Any, *args: Any, **kwargs: Any) -> Any:
            return cls_to_register(source, *args, **kwargs)

        cls.functions[function_name] = functools.update_wrapper(build, cls_to_register, assigned=("__doc__",), updated=())

    def __getstate__(self) -> Any:
        hook = type(self).getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        hook = type(self).reduce_ex_hook
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(protocol)

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Set what makes the state to pickle.

        Args:
            hook_fn (function or None): gets the state
        """
        if cls.getstate_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing getstate_hook")
        cls.getstate_hook = staticmethod(hook_fn) if hook_fn is not None else None

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Set what pickles a pipe.

        Args:
            hook_fn (function or None): gets the pipe, and may raise NotImplementedError
        """
        if cls.reduce_ex_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing reduce_ex_hook")
        cls.reduce_ex_hook = staticmethod(hook_fn) if hook_fn is not None else None

    def __repr__(self) -> str:
        hook = type(self).repr_hook
        return type(self).__qualname__ if hook is None else hook(self)

    def __str__(self) -> str:
        hook = type(self).str_hook
        return type(self).__qualname__ if hook is None else hook(self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self).functions]


class IterDataPipe(_Pipe, IterableDataset[_T_co]):
    """A stream of samples that is a step over another stream: define `__iter__`.

    Steps are put together by methods, such as `pipe.map(function).shuffle().batch(4)`. A pipe has one position: a new iterator
    of it ends the ones before.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).map(str).batch(2))
        [['0', '1'], ['2', '3'], ['4']]
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0
    _snapshot_state: _SnapshotState = _SnapshotState.NotStarted
    _is_child: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__iter__" in vars(cls):
            cls.__iter__ = hooked(vars(cls)["__iter__"])  # type: ignore[method-assign]

    def __iter__(self) -> Iterator[_T_co]:
        return self  # type: ignore[return-value]

    def reset(self) -> None:
        """Go back to the start; called before each iteration."""

    def _begin_iteration(self) -> int:
        self._valid_iterator_id = 0 if self._valid_iterator_id is None else self._valid_iterator_id + 1
        self.reset()
        return self._valid_iterator_id

    def _is_valid_iteration(self, number: int) -> bool:
        return self._valid_iterator_id == number

    @staticmethod
    def _kind() -> str:
        return "IterDataPipe"


class DFIterDataPipe(IterDataPipe[_T_co]):
    """A stream of data frames: the base of a program's own; the steps over columns that PyTorch records are not here.

    Example:
        >>> issubclass(torch.utils.data.DFIterDataPipe, torch.utils.data.IterDataPipe)
        True
    """

    _is_dfpipe = True


class MapDataPipe(_Pipe, Dataset[_T_co]):
    """A collection by index that is a step over another one: define `__getitem__`, and `__len__` for most uses.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> list(SequenceWrapper([1, 2, 3]).map(float).batch(2))
        [[1.0, 2.0], [3.0]]
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


class DataChunk(list[_T]):
    """The samples of a batch: a list.

    Args:
        items (Iterable): the samples

    Example:
        >>> torch.utils.data.DataChunk(range(2))
        [0, 1]
    """

    def __init__(self, items: Iterable[_T]) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The samples as text.

        Args:
            indent (str): what stands before
        """
        return f"{indent}[{', '.join(map(str, iter(self)))}]"

    def __iter__(self) -> Iterator[_T]:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator[_T]:
        """An iterator of the samples as they were given."""
        yield from self.items
