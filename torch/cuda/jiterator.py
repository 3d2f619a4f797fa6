"""Elementwise operators of GPUs from a C++ function that is given as text.

    smooth = torch.cuda.jiterator._create_jit_fn(
        "template <typename T> T smooth(T x, T y, T weight) { return x + weight * (y - x); }", weight=0.5
    )
    smooth(x, y, weight=0.25)

The function computes one element. It is compiled when an operator first meets a type, and kept (`torch.cuda._compile`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

__all__: list[str] = []

_MAX_TENSORS = 8
_NUMBERS = (bool, int, float, complex)
_TEMPLATE = re.compile(
    r"template\s*<[^{}();]*?>\s*"
    r"(?P<result>[\w:][\w:<>,\s*&]*?)(?<=[\s>*&])(?P<name>[A-Za-z_]\w*)\s*\((?P<arguments>[^{};]*)\)\s*(?P<body>\{)"
)
_SPECIFIERS = re.compile(r"\b(inline|static|constexpr|__device__|__host__|__forceinline__)\b")


class _Function(NamedTuple):
    """What the text says about the function."""

    name: str
    result: str
    arguments: list[str]
    end: int  # where the bracket closes its body


def _parse(code: str) -> _Function:
    """The last function template of a source."""
    from torch.utils._cuda_extension import _Reader

    plain = re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment[0]), code, flags=re.S)
    templates = list(_TEMPLATE.finditer(plain))
    arguments = _split(templates[-1]["arguments"]) if templates else []
    if not arguments:
        raise ValueError(
            "jiterator: expected a function template that takes an element of each tensor, such as\n"
            "template <typename T> T add(T x, T y) { return x + y; }\n"
            f"got\n{code}"
        )
    found = templates[-1]
    try:
        end = _Reader(plain).closing(found.start("body"))
    except SyntaxError as error:
        raise ValueError(f"jiterator: {found['name']}: {error}") from None
    return _Function(found["name"], _SPECIFIERS.sub("", found["result"]).strip(), arguments, end)


def _split(text: str) -> list[str]:
    """The parts between commas, except those in brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _is_output(argument: str) -> bool:
    return "&" in argument and not re.search(r"\bconst\b", argument)


def _bytes(number: Any) -> bytes:
    """A number as the kernel's parameter of its type, see `_jiterator_source.NUMBERS`."""
    if isinstance(number, complex):
        return struct.pack("<dd", number.real, number.imag)
    return struct.pack({bool: "<?", int: "<q"}.get(_kind(number), "<d"), number)


def _kind(number: Any) -> type:
    return next(kind for kind in _NUMBERS if isinstance(number, kind))


class _JittedFunction:
    """An elementwise operator. Calling it with tensors on one GPU gives its result, or a tuple of results."""

    def __init__(self, code_string: str, return_by_ref: bool, num_outputs: int, **kwargs: Any) -> None:
        if not isinstance(code_string, str):
            raise TypeError(f"jiterator: the code must be a str, got {type(code_string).__name__}")
        self.code_string, self.return_by_ref, self.num_outputs, self.kwargs_dict = code_string, return_by_ref, num_outputs, kwargs
        function = _parse(code_string)
        self.kernel_name = function.name
        self._arguments = function.arguments
        outputs = [argument for argument in function.arguments if return_by_ref and _is_output(argument)]
        if return_by_ref and len(outputs) != num_outputs:
            raise ValueError(f"jiterator: {function.name} assigns {len(outputs)} results (T&), but num_outputs is {num_outputs}")
        self._num_tensors = len(function.arguments) - len(outputs) - len(kwargs)
        if self._num_tensors < 1:
            raise ValueError(
                f"jiterator: {function.name} takes {len(function.arguments) - len(outputs)} arguments, of which "
                f"{len(kwargs)} are numbers ({', '.join(kwargs)}): none is left for a tensor"
            )
        self._code = code_string
        if return_by_ref and function.result not in ("void", "auto"):
            # It may end without a return, whose effect C++ leaves undefined.
            self._code = f"{code_string[: function.end]} return {function.result}(); {code_string[function.end :]}"
        self._kernels: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"<jiterator {self.kernel_name}({', '.join(self._arguments)})>"

    def __call__(self, *tensors: torch.Tensor, **kwargs: Any) -> torch.Tensor | tuple[torch.Tensor, ...]:
        """Computes the operator.

        Args:
            *tensors (Tensor): on one GPU; they are broadcast and promoted to a common type
            **kwargs (Number): in place of the defaults

        Returns:
            the result, or a tuple if there are several; of the common type

        Raises:
            AssertionError: there is no GPU
            KeyError: a number that the operator does not have
            TypeError: too many or too few tensors; an argument of another type
            RuntimeError: a tensor elsewhere; more than 8 of them; the code does not compile
            NotImplementedError: no arithmetic in the common type
        """
        from torch.cuda._runtime import initialize

        if not torch.cuda.is_available():
            raise AssertionError(f"{self.kernel_name}: jiterator needs a GPU, and there is none")
        numbers = self._given_numbers(kwargs)
        self._check(tensors)
        kinds = tuple(map(_kind, numbers))
        device = tensors[0].get_device()

        def kernel_for(dtype: torch.dtype) -> Any:
            key = dtype, kinds, len(tensors), device
            if key not in self._kernels:
                self._kernels[key] = self._compiled(*key)
            return self._kernels[key]

        given = [tensor.resolve_conj().resolve_neg() for tensor in tensors]
        results = initialize().elementwise(self.kernel_name, given, self.num_outputs, list(map(_bytes, numbers)), kernel_for)
        return results[0] if len(results) == 1 else tuple(results)

    def _given_numbers(self, given: dict[str, Any]) -> list[Any]:
        for name in given:
            if name not in self.kwargs_dict:
                known = ", ".join(self.kwargs_dict) or "none"
                raise KeyError(f"{self.kernel_name}: there is no number {name}; its numbers: {known}")
        numbers = {**self.kwargs_dict, **given}
        for name, value in numbers.items():
            if not isinstance(value, _NUMBERS):
                raise TypeError(f"{self.kernel_name}: {name} must be a number, got {type(value).__name__}")
        return list(numbers.values())

    def _check(self, tensors: tuple[Any, ...]) -> None:
        name, count = self.kernel_name, self._num_tensors
        if len(tensors) > _MAX_TENSORS:
            raise RuntimeError(f"{name}: jiterator takes up to {_MAX_TENSORS} tensors, got {len(tensors)}")
        # C++ may have defaults for the last ones.
        optional = 0 if self.return_by_ref or self.kwargs_dict else sum("=" in argument for argument in self._arguments)
        if not count - optional <= len(tensors) <= count or not tensors:
            raise TypeError(f"{name}: takes {count} tensors ({', '.join(self._arguments)}), got {len(tensors)}")
        for k, tensor in enumerate(tensors):
            if not isinstance(tensor, torch.Tensor):
                raise TypeError(f"{name}: argument {k}: expected a tensor, got {type(tensor).__name__}; give numbers by keyword")
            if not tensor.is_cuda:
                raise RuntimeError(f"{name}: argument {k}: expected a tensor on a GPU, got one on {tensor.device}")
            if tensor.device != tensors[0].device:
                raise RuntimeError(f"{name}: argument {k}: expected a tensor on {tensors[0].device}, got one on {tensor.device}")

    def _compiled(self, dtype: torch.dtype, kinds: tuple[type, ...], num_tensors: int, device: int) -> Any:
        """The kernel that computes in this type."""
        from torch.cuda import _compile, _jiterator_source

        outputs = iter([f"output{k}" for k in range(self.num_outputs)])
        inputs = iter([*(f"input{k}" for k in range(num_tensors)), *(f"number{k}" for k in range(len(kinds)))])
        call = [next(outputs if self.return_by_ref and _is_output(one) else inputs, "") for one in self._arguments]
        source = _jiterator_source.kernel_source(
            self._code, self.kernel_name, [one for one in call if one], dtype, num_tensors, self.num_outputs, kinds
        )
        target = _compile.architecture(device=device)
        return _compile.load(source, _jiterator_source.kernel_name(self.kernel_name), target, _jiterator_source.OPTIONS)


def _create_jit_fn(code_string: str, **kwargs: Any) -> Callable[..., Any]:
    """An elementwise operator from a function template.

    Its arguments are an element of each tensor, up to 8, then numbers. Tensors are broadcast, may have any strides, and are
    promoted to a common type, which the result has. The template is instantiated for that type; half types compute in float.
    Derivatives are not recorded.

    Args:
        code_string (str): the function in C++; the last template, if there are several
        **kwargs (Number): numbers with their defaults, in the order of the function's last arguments

    Returns:
        the operator

    Raises:
        ValueError: there is no function template, or it takes no tensor

    Example:
        >>> code = "template <typename T> T mix(T x, T y, T weight) { return x + weight * (y - x); }"
        >>> mix = torch.cuda.jiterator._create_jit_fn(code, weight=0.5)
        >>> mix(torch.zeros(2).cuda(), torch.ones(2).cuda(), weight=0.25)  # doctest: +SKIP
        tensor([0.2500, 0.2500], device='cuda:0')
    """
    return _JittedFunction(code_string, return_by_ref=False, num_outputs=1, **kwargs)


def _create_multi_output_jit_fn(code_string: str, num_outputs: int, **kwargs: Any) -> Callable[..., Any]:
    """An elementwise operator with several results, which the function assigns to arguments of type T&.

    Args:
        code_string (str): the function in C++
        num_outputs (int): how many results it has, up to 8
        **kwargs (Number): numbers with their defaults, in the order of the function's arguments behind those for tensors

    Returns:
        the operator; it returns a tuple if there are several results

    Raises:
        ValueError: as `_create_jit_fn`; another number of results than the function has

    Example:
        >>> code = "template <typename T> void both(T x, T y, T& sum, T& difference) { sum = x + y; difference = x - y; }"
        >>> both = torch.cuda.jiterator._create_multi_output_jit_fn(code, num_outputs=2)
        >>> both(torch.ones(2).cuda(), torch.ones(2).cuda())  # doctest: +SKIP
        (tensor([2., 2.], device='cuda:0'), tensor([0., 0.], device='cuda:0'))
    """
    if not 1 <= num_outputs <= _MAX_TENSORS:
        raise ValueError(f"jiterator: num_outputs must be 1 to {_MAX_TENSORS}, got {num_outputs}")
    return _JittedFunction(code_string, return_by_ref=True, num_outputs=num_outputs, **kwargs)
