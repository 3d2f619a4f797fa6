"""Fake tensors whose sizes are symbols: Note [Traced sizes]."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import _C
from torch._library.fake_impl import FakeImplCtx, set_ctx_getter
from torch._subclasses._fake_errors import DataDependentOutputException, DynamicOutputShapeException
from torch._subclasses.fake_impls import info_of
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental._size_fitting import assignments, fitted
from torch.fx.experimental._symbolic_sizes import SizeTracer
from torch.utils._python_dispatch import _disable_current_modes

_UNBACKED_SHAPES = frozenset("nonzero argwhere masked_select _unique2 unique_dim unique_consecutive".split())


class SymbolicFakeTensor(FakeTensor):
    """A fake tensor of a mode with a ShapeEnv: its sizes are SymInts where they may vary."""

    @property
    def _tracer(self) -> SizeTracer:
        return self.fake_mode.size_tracer

    def _symbolic(self, values: Any) -> Any:
        return [self._tracer.symbolic(value) for value in values]

    @property
    def shape(self) -> Any:
        """The sizes."""
        return torch.Size(self._symbolic(FakeTensor.shape.__get__(self)))

    def size(self, dim: int | None = None) -> Any:
        """The sizes, or one of them."""
        return self.shape if dim is None else self._tracer.symbolic(super().size(dim))

    def stride(self, dim: int | None = None) -> Any:
        """The strides, or one of them."""
        return tuple(self._symbolic(super().stride())) if dim is None else self._tracer.symbolic(super().stride(dim))

    def numel(self) -> Any:
        """The number of elements."""
        return self._tracer.symbolic(super().numel())

    nelement = numel

    def storage_offset(self) -> Any:
        """Where the first element is."""
        return self._tracer.symbolic(super().storage_offset())

    @property
    def nbytes(self) -> Any:
        """The number of bytes."""
        return self.numel() * self.element_size()

    def __len__(self) -> int:
        if self.dim() == 0:
            raise TypeError("len() of a 0-d tensor")
        return int(self.size(0))

    def __iter__(self) -> Any:
        len(self)  # as many as the program's tensor has, which it decides by
        return super().__iter__()

    def item(self) -> Any:
        """The element, as a number that records."""
        tracer = self._tracer
        tracer.takes_element = True
        try:
            return tracer.symbolic(super().item())
        finally:
            tracer.takes_element = False


def refuse_unless_one_env(shape_env: Any) -> SizeTracer:
    """The tracer of a ShapeEnv."""
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    if not isinstance(shape_env, ShapeEnv):
        raise TypeError(f"FakeTensorMode: shape_env must be a ShapeEnv, got {type(shape_env).__name__}")
    return shape_env.sizes if shape_env.sizes is not None else SizeTracer(shape_env)


def marked_geometry(tracer: SizeTracer, t: torch.Tensor) -> tuple[list[int], list[int]] | None:
    """Sizes with marks, and strides to match; None for a tensor with gaps or overlaps, whose sizes stay numbers."""
    sizes, strides = list(t.shape), list(t.stride())
    order = sorted(range(len(sizes)), key=lambda d: (strides[d], sizes[d] != 1, -d))
    expected, marked_expected = 1, 1
    marked_strides = list(strides)
    marked = [tracer.symbol_of_size(size) for size in sizes]
    for d in order:
        if sizes[d] == 1 and strides[d] != expected:
            continue
        if strides[d] != expected:
            return None
        marked_strides[d] = marked_expected
        expected, marked_expected = expected * max(sizes[d], 1), marked_expected * max(marked[d], 1)
    return (marked, marked_strides) if marked_expected < 1 << 58 else None


# --- calls ----------------------------------------------------------------------------------------------------------------------


class SymbolicCall:
    """One operator call with marked sizes: what it depends on, and what it gives for other sizes."""

    def __init__(self, mode: FakeTensorMode, func: Any, args: Any, kwargs: Any) -> None:
        self.mode, self.func, self.args, self.kwargs = mode, func, args, kwargs
        self.tracer: SizeTracer = mode.size_tracer
        numbers: list[Any] = []
        self.geometry: dict[int, tuple[Any, Any]] = {}  # of the arguments before the call, which may change them
        for value in _leaves((args, kwargs)):
            if isinstance(value, FakeTensor):
                self.geometry[id(value)] = FakeTensor.shape.__get__(value), torch.Tensor.stride(value)
                numbers += [size for sizes in self.geometry[id(value)] for size in sizes]
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                numbers.append(value)
        nodes = {str(node): node for node in map(self.tracer.expression, numbers) if node is not None}
        self.atoms = list(nodes.values())
        self.symbols = sorted({name for node in self.atoms for name in node.symbols() - self.tracer.static})

    def base(self) -> dict[str, int]:
        return {name: self.tracer.marks[name] for name in self.symbols}

    def outputs(self, values: dict[str, int]) -> list[Any]:
        """The tensors (on the meta device) that the operator gives for these values of the symbols."""
        info = info_of(self.func)

        def meta(t: Any) -> Any:
            if not isinstance(t, FakeTensor):
                number = _C._meta_of_number(t)
                return torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="meta") if number is None else number
            shape, stride = ([self.tracer.evaluated(n, values) for n in sizes] for sizes in self.geometry[id(t)])
            return torch.empty_strided(shape, stride, dtype=t.dtype, device="meta")

        def converted(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return meta(value)
            if type(value) in (list, tuple):
                return type(value)([converted(v) for v in value])
            if isinstance(value, torch.Generator):
                return None
            return self.tracer.evaluated(value, values) if isinstance(value, (int, float)) else value

        kwargs = {name: converted(value) for name, value in self.kwargs.items()}
        if info.takes_device and (
            kwargs.get("device") is not None or not any(isinstance(a, torch.Tensor) for a in _leaves(self.args))
        ):
            kwargs["device"] = "meta"
            kwargs.pop("pin_memory", None)
        context = FakeImplCtx(self.mode, self.func, self.mode.dynamic_sizes)
        with _disable_current_modes(), torch.no_grad(), set_ctx_getter(lambda: context):
            args = [converted(value) for value in self.args]
            out = info.replacement(self.func, args, kwargs) if info.replacement is not None else self.func(*args, **kwargs)
        return [t for t in _leaves(out) if isinstance(t, torch.Tensor)]

    def note_sizes(self, result: Any) -> None:
        """Find the expressions of sizes that are new."""
        if not self.symbols:
            return
        made = [t for t in _leaves(result) if isinstance(t, FakeTensor)]
        of_lists = any("[]" in str(r.type) for r in self.func._schema.returns)
        others = [] if of_lists else self._other_outputs()
        unknown = [
            (k, d, size) for k, t in enumerate(made) for d, size in enumerate(FakeTensor.shape.__get__(t))
            if not self.tracer.is_known(size) or not self._holds(size, [(values, out[k].shape[d]) for values, out in others])
        ]  # fmt: skip
        if of_lists:
            self._check_count(len(made))
        if unknown:
            self._fit(unknown)

    def _other_outputs(self) -> list[tuple[dict[str, int], list[Any]]]:
        """What the operator gives for multiples of the marked sizes, as far as these go together."""
        found = []
        for values in self.tracer.multiples(self.symbols)[1::2]:
            try:
                found.append((values, self.outputs(values)))
            except Exception:
                continue
        return found

    def _holds(self, size: int, others: list[tuple[dict[str, int], int]]) -> bool:
        """Whether what a size stands for is right for other sizes: min(s0, s1) has the marked number of s0."""
        return all(self.tracer.evaluated(size, values) == other for values, other in others)

    def _check_count(self, count: int) -> None:
        """How many tensors there are must not depend on a symbol: unbind, split."""
        hints = self.tracer.hints()
        if len(self.outputs({name: hints[name] for name in self.symbols})) != count:
            of_hints = {name: hints[name] for name in self.symbols}
            names = self._smallest(lambda values: len(self.outputs(values)) == len(self.outputs(of_hints)))
            self.tracer.specialize(names, f"{self.func} gives {count} tensors")

    def _fit(self, unknown: list[tuple[int, int, int]]) -> None:
        tried, results = [], []
        for values in assignments(self.symbols, self.base()) + self.tracer.multiples(self.symbols):
            try:
                results.append(self.outputs(values))
            except Exception:
                continue  # sizes that do not go together
            tried.append(values)
        for k, d, size in unknown:
            found = self._expression_of(size, [list(out[k].shape)[d] for out in results], tried)
            if found is None:
                self.tracer.specialize(set(self.symbols), f"the shape of the result of {self.func} is known")
            if isinstance(found, int):
                self.tracer.constants.add(found)
            else:
                self.tracer.note(size, found)  # a condition, if the number is known as that of another expression

    def _expression_of(self, size: int, values: list[int], tried: list[dict[str, int]]) -> Any:
        quotient = self.tracer.expression(size)  # of a product, as in a view
        if quotient is not None and values and all(quotient.evaluate(a) == value for a, value in zip(tried, values)):
            return quotient
        return fitted(values, tried, self.atoms) if len(tried) > len(self.symbols) + 1 else None

    def _backed(self) -> set[str]:
        return {name for name in self.symbols if self.tracer.known[self.tracer.marks[name]].hint is not None}

    def _smallest(self, works: Any) -> set[str]:
        """The smallest set of symbols that the call works with as numbers."""
        hints, backed = self.tracer.hints(), sorted(self._backed())
        for count in range(1, len(backed) + 1):
            for names in itertools.combinations(backed, count):
                try:
                    if works({**self.base(), **{name: hints[name] for name in names}}):
                        return set(names)
                except Exception:
                    continue
        return set(backed)

    def explain(self, problem: Exception) -> None:
        """Raise what the program would see: an error with its own sizes, or Specialize where these go together."""
        if not self.symbols:
            return
        hints = self.tracer.hints()
        self.outputs({name: hints[name] for name in self.symbols})  # raises the error
        if self._backed():
            names = self._smallest(lambda values: self.outputs(values) is not None)
            self.tracer.specialize(names, f"{self.func} takes these tensors", problem)


def _leaves(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _leaves(v)
    else:
        yield value


def data_dependent(mode: FakeTensorMode, func: Any, args: Any, kwargs: Any) -> Any:
    """What an operator gives whose result depends on elements: new symbols. NotImplemented for those that have none."""
    name = func._schema.name.split("::")[-1]
    x = args[0]
    if name in ("_local_scalar_dense", "item"):
        return _number_of(mode, func, x)
    if name not in _UNBACKED_SHAPES or (name == "nonzero" and x.dim() == 0):
        return NotImplemented
    count = mode.size_tracer.unbacked()
    if name in ("nonzero", "argwhere"):
        meta = torch.empty_strided((count, x.dim()), (1, count), dtype=torch.int64, device="meta")
    elif name == "masked_select":
        meta = torch.empty(count, dtype=x.dtype, device="meta")
    else:
        return NotImplemented
    return mode._wrap(meta, x.device)


def _number_of(mode: FakeTensorMode, func: Any, x: Any) -> int:
    if not mode.size_tracer.takes_element:
        raise DataDependentOutputException(func)  # C++ takes it, and decides by it
    if x.dtype.is_floating_point or x.dtype.is_complex or x.dtype is torch.bool:
        raise DataDependentOutputException(func)
    tracer = mode.size_tracer
    held = getattr(x, "_number", None)  # the same each time, until the tensor changes
    if held is None or held[0] != x._version:
        hint = getattr(x, "_input_value", None) if x._version == 0 else None
        held = x._number = (x._version, tracer.unbacked() if hint is None else tracer.symbol_of_value(hint))
    return held[1]


def symbolic_dispatch(mode: FakeTensorMode, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """A call under a mode with a ShapeEnv: `FakeTensorMode._dispatch`, and the expressions of the new sizes."""
    call = SymbolicCall(mode, func, args, kwargs)
    try:
        result = mode._dispatch(func, types, args, kwargs)
    except (DataDependentOutputException, DynamicOutputShapeException):
        result = data_dependent(mode, func, args, kwargs)
        if result is NotImplemented:
            raise
        return result
    except Exception as problem:
        call.explain(problem)
        raise
    call.note_sizes(result)
    return result
