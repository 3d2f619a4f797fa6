"""Fake tensors: shapes, types, strides and devices without memory.

`FakeTensorMode` answers every call of an operator by the operator's kernel on the meta device, and gives the result the
device that it would have. A program runs under it as it is, without the time and the memory that its tensors would take.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import _C
from torch._library.fake_impl import FakeImplCtx, set_ctx_getter
from torch._subclasses._fake_converter import FakeTensorConverter
from torch._subclasses._fake_errors import (  # noqa: F401
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorDeviceMismatchError,
    MetadataMismatchError,
    UnsupportedFakeTensorException,
    UnsupportedMutationAliasingException,
    UnsupportedOperatorException,
)
from torch._subclasses.fake_impls import OperatorInfo, info_of
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _disable_infra_mode,
    is_traceable_wrapper_subclass,
)

aten = torch.ops.aten
Tensor = torch.Tensor
_META = torch.device("meta")
CONSTANT_NUMEL_LIMIT = 1  # constants of this many elements keep their values


class FakeTensor(Tensor):
    """A tensor with a device and without memory, which a `FakeTensorMode` makes.

    `fake_mode` is the mode, `fake_device` the device, and `constant` the value of a small constant, or None.

    Example:
        >>> from torch._subclasses import FakeTensorMode
        >>> with FakeTensorMode():
        ...     x = torch.ones(2, 3, device="cuda") @ torch.ones(3, 10**9, device="cuda")
        >>> x
        FakeTensor(..., device='cuda:0', size=(2, 1000000000))
    """

    fake_mode: FakeTensorMode
    constant: Tensor | None

    @staticmethod
    def __new__(cls, fake_mode: FakeTensorMode, elem: Tensor, device: Any, constant: Tensor | None = None, **unused: Any) -> Any:
        made = fake_mode._wrap(elem, torch.device(device), cls)
        made.constant = constant
        return made

    @property
    def fake_device(self) -> torch.device:
        return self.device

    @property
    def names(self) -> Any:
        return (None,) * self.dim()

    @staticmethod
    def from_tensor(t: Tensor, fake_mode: FakeTensorMode) -> FakeTensor:
        return fake_mode.from_tensor(t)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from torch._tensor_str import tensor_text

        text = tensor_text(self, tensor_contents)
        return f"Parameter({text})" if getattr(self, "_is_param", False) else text

    def tolist(self) -> Any:
        if self.dim() == 0:
            return self.item()
        return [part.tolist() for part in self]

    __torch_function__ = _C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(t is not FakeTensor and not issubclass(t, FakeTensor) for t in types):
            return NotImplemented  # a class that holds fake tensors
        for value in (*args, *(kwargs or {}).values()):
            for leaf in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(leaf, FakeTensor):
                    return leaf.fake_mode.dispatch(func, types, args, kwargs)
        raise AssertionError(f"{func}: called for a fake tensor, of which there is none")


class FakeTensorMode(TorchDispatchMode):
    """A block in which tensors have a shape, a type, strides and a device, and no memory.

    Args:
        allow_fallback_kernels (bool, default True): run an operator that has no kernel for shapes alone with tensors of zeros
        allow_non_fake_inputs (bool, default False): take real tensors as arguments, by their shapes
        shape_env (ShapeEnv, optional): sizes of 2 and more of the tensors that `from_tensor` gets become symbols of it
        static_shapes (bool, optional): whether sizes are numbers; by default, if there is no `shape_env`

    Raises:
        DataDependentOutputException: an operator returns a number that depends on elements
        DynamicOutputShapeException: the shape of a result depends on elements

    Example:
        >>> from torch._subclasses import FakeTensorMode
        >>> with FakeTensorMode() as mode:
        ...     layer = torch.nn.Linear(10_000, 10_000)
        >>> layer(mode.from_tensor(torch.ones(2, 10_000))).shape
        torch.Size([2, 10000])
    """

    _mode_key = _C._TorchDispatchModeKey.FAKE

    def __init__(
        self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False, shape_env: Any = None,
        static_shapes: bool | None = None, export: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size_tracer: Any = None
        self.dynamic_sizes: list[int] = []  # that the last fake kernel asked for
        if shape_env is not None:
            from torch._subclasses._symbolic_fake import refuse_unless_one_env

            self.size_tracer = refuse_unless_one_env(shape_env)
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.export, self.allow_meta = shape_env, export, True
        self.static_shapes = shape_env is None if static_shapes is None else static_shapes
        self.fake_tensor_converter = FakeTensorConverter()
        self.cache_enabled = False
        self._outer: list[Any] = []

    def __deepcopy__(self, memo: Any) -> FakeTensorMode:
        return self

    def __enter__(self) -> FakeTensorMode:
        self._outer.append(_C._unset_dispatch_mode(self._mode_key))
        return super().__enter__()  # type: ignore[return-value]

    def __exit__(self, *problem: Any) -> None:
        super().__exit__(*problem)
        outer = self._outer.pop()
        if outer is not None:
            _C._set_dispatch_mode(outer)

    def is_our_fake(self, t: object) -> bool:
        """Whether a value is a fake tensor of this mode."""
        return isinstance(t, FakeTensor) and t.fake_mode is self

    def from_tensor(
        self, tensor: Tensor, *, static_shapes: bool | None = None, source: Any = None, symbolic_context: Any = None,
        trace: bool = True,
    ) -> Any:  # fmt: skip
        """The fake counterpart of a real tensor: the same one each time, and views of one tensor share a storage."""
        if isinstance(tensor, FakeTensor):
            if tensor.fake_mode is not self:
                raise AssertionError(f"from_tensor(): the tensor belongs to another mode, {tensor.fake_mode}")
            return tensor
        marks = self.size_tracer is not None and not (self.static_shapes if static_shapes is None else static_shapes)
        return self.fake_tensor_converter.from_real_tensor(self, tensor, marks_sizes=marks)

    def _wrap(self, meta: Tensor, device: torch.device, cls: type = FakeTensor) -> Any:
        if device.type != "cpu" and device.type != "meta" and device.index is None:
            device = torch.device(device.type, 0)
        if self.size_tracer is not None and cls is FakeTensor:
            from torch._subclasses._symbolic_fake import SymbolicFakeTensor

            cls = SymbolicFakeTensor
        made = _C._make_fake(cls, meta, device)
        made.fake_mode, made.constant = self, None
        return made

    # --- calls --------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(not issubclass(t, FakeTensor) for t in types):
            return NotImplemented
        return self.dispatch(func, types, args, kwargs)

    def dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The result of an operator: fake tensors, or what does not depend on elements."""
        if self.size_tracer is not None:
            from torch._subclasses._symbolic_fake import symbolic_dispatch

            return symbolic_dispatch(self, func, types, args, kwargs or {})
        return self._dispatch(func, types, args, kwargs)

    def _dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        info = info_of(func)
        if info.is_lift:
            return self._lifted(func, args[0])
        call = _Call(self, info)
        converted = [call.converted(a) for a in args]
        keywords = {k: call.converted(v) for k, v in (kwargs or {}).items()}
        constant = self._constant_result(call, func, args, kwargs or {})
        if constant is not None and not isinstance(constant, Tensor):
            return constant
        if info.data_dependent:
            raise DataDependentOutputException(func)
        if info.dynamic_shape:
            raise DynamicOutputShapeException(func)
        if info.may_mask and info.is_masked(args, kwargs or {}):
            raise DynamicOutputShapeException(aten.nonzero.default)
        device = call.result_device(args, keywords)
        with _C._DisableTorchDispatch():
            out = self._on_meta(call, func, converted, keywords)
        call.refresh()
        result = call.wrapped(out, device, args)
        if constant is not None and isinstance(result, FakeTensor):
            result.constant = constant
        return result

    def _on_meta(self, call: _Call, func: Any, args: Any, kwargs: Any) -> Any:
        if call.info.replacement is not None:
            return call.info.replacement(func, args, kwargs)
        try:
            if func.namespace == "aten":
                return func(*args, **kwargs)
            context = FakeImplCtx(self, func)
            self.dynamic_sizes = context.sizes
            with set_ctx_getter(lambda: context):
                return func(*args, **kwargs)
        except RuntimeError as problem:
            if "item() cannot be called on meta tensors" in str(problem):
                raise DataDependentOutputException(func) from problem
            if not isinstance(problem, NotImplementedError):
                raise
            if not self.allow_fallback_kernels or call.info.mutated:
                raise UnsupportedOperatorException(func) from problem
            return run_fallback_kernel(self, func, args, kwargs, problem)

    def _lifted(self, func: Any, t: Any) -> Any:
        if isinstance(t, FakeTensor):
            return t
        small = t.numel() <= CONSTANT_NUMEL_LIMIT and not t.is_meta
        return self.fake_tensor_converter.from_real_tensor(self, t, make_constant=small)

    def _constant_result(self, call: _Call, func: Any, args: Any, kwargs: Any) -> Any:
        """What an operator gives for constants, where all tensors among its arguments are constants."""
        fakes = list(call.metas.values())
        if not fakes or any(fake.constant is None for fake, _ in fakes):
            return None
        if call.info.mutated:
            for fake, _ in fakes:
                fake.constant = None
            return None
        if call.info.is_random or call.info.takes_device or call.info.is_pinned:
            return None
        plain = _mapped(args, lambda t: t.constant), _mapped(kwargs, lambda t: t.constant)
        with _disable_current_modes(), torch.no_grad():
            out = func(*plain[0], **plain[1])
        if isinstance(out, Tensor):
            return out if out.numel() <= CONSTANT_NUMEL_LIMIT else None
        return None if isinstance(out, (list, tuple)) else out

    def validate_and_convert_non_fake_tensors(self, func: Any, converter: Any, flat_args: Any, args_spec: Any) -> Any:
        """The arguments with real tensors replaced, if the mode allows them."""
        flat = [self._accepted(info_of(func), a) if isinstance(a, Tensor) else a for a in flat_args]
        return flat, [a for a in flat if isinstance(a, FakeTensor)]

    def _accepted(self, info: OperatorInfo, t: Any) -> Any:
        if isinstance(t, FakeTensor):
            if t.fake_mode is not self:
                raise AssertionError(f"{info.func}: got fake tensors of two modes, {t.fake_mode} and {self}")
            return t
        if not self.allow_non_fake_inputs:
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                f"'allow_non_fake_inputs'. Found a tensor of shape {tuple(t.shape)} in the arguments of {info.func}"
            )
        return self.from_tensor(t, static_shapes=True)


class _Call:
    """One call: meta tensors of its fake ones, their devices, and what becomes of the results."""

    def __init__(self, mode: FakeTensorMode, info: OperatorInfo) -> None:
        self.mode, self.info = mode, info
        self.metas: dict[int, tuple[Any, Tensor]] = {}  # id of the argument -> fake tensor, meta tensor

    def converted(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            held = self.metas.get(id(value))
            if held is None:
                if type(value) is Tensor and value.dim() == 0:
                    number = _C._meta_of_number(value)
                    if number is not None:
                        return number
                fake = self.mode._accepted(self.info, value)
                held = self.metas[id(value)] = (fake, _C._meta_of_fake(fake))
            return held[1]
        if type(value) in (list, tuple):
            return type(value)([self.converted(v) for v in value])
        if type(value) is torch.Generator:
            return None
        return value

    def result_device(self, args: Any, keywords: dict[str, Any]) -> torch.device:
        """The device of the results. A device among the keywords becomes the meta device."""
        info = self.info
        if info.takes_device:
            requested = keywords.get("device")
            if requested is not None or not self.metas:
                keywords["device"] = _META
                keywords.pop("pin_memory", None)
                return torch.device(requested or "cpu")
        if info.device_of_first and isinstance(args[0], Tensor):
            return args[0].device
        return self.common_device()

    def common_device(self) -> torch.device:
        found = None
        scalar = True  # whether the device found is that of numbers on the CPU only
        for fake, _ in self.metas.values():
            device = fake.device
            is_number = fake.dim() == 0 and device.type == "cpu"
            if found is None or (scalar and not is_number):
                found, scalar = device, is_number
            elif device != found and not is_number:
                if self.info.of_lists:
                    continue
                raise FakeTensorDeviceMismatchError(
                    f"{self.info.func}: expected all tensors to be on the same device, but found at least two devices, "
                    f"{found} and {device}!"
                )
        return found or torch.device("cpu")

    def refresh(self) -> None:
        """Give fake arguments the geometry that the operator gave to their meta tensors."""
        if self.info.mutated:
            for fake, meta in self.metas.values():
                if _geometry(meta) != _geometry(fake) or not _same_storage(fake, meta):
                    _C._refresh_fake(fake, meta)

    def wrapped(self, out: Any, device: torch.device, args: Any) -> Any:
        if isinstance(out, Tensor):
            for fake, meta in self.metas.values():
                if meta is out:
                    return fake
            if not out.is_meta:
                raise AssertionError(f"{self.info.func}: its kernel on the meta device returned a tensor on {out.device}")
            return self.mode._wrap(out, device)
        if isinstance(out, (list, tuple)):
            devices = [device] * len(out)
            first = args[0] if args else None
            if self.info.of_lists and isinstance(first, (list, tuple)) and len(first) == len(out):
                devices = [t.device if isinstance(t, Tensor) else device for t in first]
            items = [self.wrapped(item, where, args) for item, where in zip(out, devices)]
            return type(out)(items) if type(out) in (list, tuple) else tuple(items)
        return out


def _geometry(t: Tensor) -> Any:
    """What C++ knows: of a tensor whose sizes are symbols, the numbers that stand for them."""
    return Tensor.size(t), Tensor.stride(t), Tensor.storage_offset(t)


def _same_storage(a: Tensor, b: Tensor) -> bool:
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return [_mapped(v, function) for v in value]
    if isinstance(value, dict):
        return {k: _mapped(v, function) for k, v in value.items()}
    return value


def run_fallback_kernel(fake_mode: FakeTensorMode, func: Any, args: Any, kwargs: Any, orig_not_implemented_exception: Any) -> Any:
    """Call an operator that has no kernel for shapes alone with zeros, and return meta tensors like its results."""

    def zeros(meta: Tensor) -> Tensor:
        made = torch.empty_strided(meta.shape, meta.stride(), dtype=meta.dtype)
        return made.zero_()

    plain = _mapped(args, zeros), _mapped(kwargs, zeros)
    if kwargs.get("device") is not None:
        plain[1]["device"] = torch.device("cpu")
    try:
        out = func(*plain[0], **plain[1])
    except NotImplementedError:
        raise UnsupportedOperatorException(func) from orig_not_implemented_exception
    return _mapped(out, lambda t: torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="meta"))


class FakeCopyMode(TorchFunctionMode):
    """A block in which `copy.deepcopy` of a module makes a module of fake tensors.

    Args:
        fake_mode (FakeTensorMode): the mode of the new tensors
    """

    def __init__(self, fake_mode: FakeTensorMode) -> None:
        super().__init__()
        self.fake_mode = fake_mode

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is Tensor.__deepcopy__ and len(args) == 2 and not kwargs:
            tensor, memo = args
            if id(tensor) not in memo:
                memo[id(tensor)] = self.fake_mode.from_tensor(tensor)
            return memo[id(tensor)]
        if func is Tensor.clone:
            return func(self.fake_mode.from_tensor(args[0]), **kwargs)
        with _C.DisableTorchFunctionSubclass():
            return func(*args, **kwargs)


class CrossRefFakeMode(TorchDispatchMode):
    """A block that runs every operator with fake tensors beside the real ones, and compares what comes out.

    Args:
        ignore_op_fn (callable, optional): operators for which it returns True are not compared
        check_strides (bool, default True): compare strides too

    Raises:
        MetadataMismatchError: a fake result differs from the real one in shape, type, device or strides
    """

    def __init__(self, ignore_op_fn: Callable[[Any], bool] | None = None, *, check_strides: bool = True, **unused: Any) -> None:
        super().__init__()
        self.ignored = ignore_op_fn or (lambda func: False)
        self.check_strides = check_strides

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        mode, fake = FakeTensorMode(), None
        if not self.ignored(func) and not info_of(func).is_lift:
            copies = _mapped((list(args), kwargs), mode.from_tensor)
            with contextlib.suppress(DataDependentOutputException, DynamicOutputShapeException), mode:
                fake = func(*copies[0], **copies[1])
        real = func(*args, **kwargs)
        if fake is not None:
            self.compare(func, fake, real)
        return real

    def compare(self, func: Any, fake: Any, real: Any) -> None:
        if isinstance(real, Tensor):
            for what in ("shape", "dtype", "device") + (("strides",) if self.check_strides and real.numel() else ()):
                a, b = (t.stride() if what == "strides" else getattr(t, what) for t in (fake, real))
                if a != b:
                    raise MetadataMismatchError(f"{func}: {what} of the fake result: {a}, and of the real one: {b}")
        elif isinstance(real, (list, tuple)):
            for a, b in zip(fake, real):
                self.compare(func, a, b)


@contextlib.contextmanager
def unset_fake_temporarily() -> Iterator[Any]:
    """A block without the FakeTensorMode around it, which it gives (None without one)."""
    with _disable_infra_mode(_C._TorchDispatchModeKey.FAKE) as mode:
        yield mode


@contextlib.contextmanager
def disable_fake_tensor_cache(fake_mode: FakeTensorMode) -> Iterator[None]:
    """A block in which results are computed anew; they always are."""
    yield


def is_fake(x: object) -> bool:
    """Whether a value is a fake tensor, or a tensor that holds fake ones only."""
    if isinstance(x, FakeTensor):
        return True
    if is_traceable_wrapper_subclass(x):
        names, _ = x.__tensor_flatten__()  # type: ignore[attr-defined]
        return bool(names) and all(is_fake(getattr(x, name)) for name in names)
    if isinstance(x, Tensor) and torch._is_functional_tensor(x):
        return is_fake(torch._from_functional_tensor(x))
    return False


def maybe_get_fake_mode(t: object) -> FakeTensorMode | None:
    """The mode of a fake tensor, or of the fake tensors that a tensor holds; None for others."""
    if isinstance(t, FakeTensor):
        return t.fake_mode
    if is_traceable_wrapper_subclass(t):
        names, _ = t.__tensor_flatten__()  # type: ignore[attr-defined]
        modes = {maybe_get_fake_mode(getattr(t, name)) for name in names}
        return modes.pop() if len(modes) == 1 else None
    if isinstance(t, Tensor) and torch._is_functional_tensor(t):
        return maybe_get_fake_mode(torch._from_functional_tensor(t))
    return None


def get_plain_tensors(subclass: Any, out: list[Any]) -> list[Any]:
    """Append the tensors that a wrapper holds, through all levels."""
    for name in subclass.__tensor_flatten__()[0]:
        inner = getattr(subclass, name)
        if is_traceable_wrapper_subclass(inner):
            get_plain_tensors(inner, out)
        else:
            out.append(inner)
    return out
