"""The precision of arithmetic on float32: one state, which torch.backends.*.fp32_precision and the older switches set.

Each operation has a value, or takes that of its library ("all"), or that of everything ("generic"). The older switches
(allow_tf32, torch.set_float32_matmul_precision) set values of operations. They remember what they were set to: reading one whose
operations have another value since is an error, as in PyTorch.
"""

from __future__ import annotations

from typing import Any

from torch import _C

_ALL = ("none", "ieee", "tf32", "bf16")
_VALUES = {"generic": _ALL, "mkldnn": _ALL, "cuda": ("none", "ieee", "tf32")}
# What the names of torch.set_float32_matmul_precision mean in oneDNN.
_OF_NAME = {"highest": "ieee", "high": "tf32", "medium": "bf16"}
# None, of cuDNN's operations: TF32 where nobody says otherwise.
_own: dict[tuple[str, str], Any] = {
    ("generic", "all"): "none",
    ("cuda", "all"): "none", ("cuda", "matmul"): "none", ("cuda", "conv"): None, ("cuda", "rnn"): None,
    ("mkldnn", "all"): "none", ("mkldnn", "matmul"): "none", ("mkldnn", "conv"): "none", ("mkldnn", "rnn"): "none",
}  # fmt: skip
_cudnn_allows_tf32 = True


def of(backend: str, operation: str) -> str:
    """The value that holds."""
    own = _own[backend, operation]
    if own is not None and own != "none":
        return own
    above = _own[backend, "all"]
    if above == "none":
        above = _own["generic", "all"]
    if own is None and above == "none":
        return "tf32"
    return above if above in _VALUES[backend] else "none"


def _tell_kernels() -> None:
    _C._set_tf32(*(of("cuda", operation) == "tf32" for operation in ("matmul", "conv", "rnn")))


def set_precision(backend: str, operation: str, value: str) -> None:
    """Gives an operation, a library ("all") or everything ("generic", "all") a value.

    Raises:
        TypeError: it is not a str
        RuntimeError: the library has no such precision
    """
    if not isinstance(value, str):
        raise TypeError(f"fp32_precision must be a str, got {type(value).__name__}")
    if value not in _VALUES[backend]:
        names = ", ".join(map(repr, _VALUES[backend]))
        raise RuntimeError(f"fp32_precision of {backend} must be one of {names}, got fp32_precision={value!r}")
    _own[backend, operation] = value
    _tell_kernels()


def _mixed(switch: str, others: str) -> RuntimeError:
    return RuntimeError(
        f"{switch} was set to something else than {others} since: programs use either allow_tf32 and "
        "set_float32_matmul_precision, or fp32_precision, not both"
    )


def get_float32_matmul_precision() -> str:
    """What torch.get_float32_matmul_precision returns."""
    name = _C._get_float32_matmul_precision()
    ours, theirs = of("cuda", "matmul"), of("mkldnn", "matmul")
    if (ours == "tf32") != (name != "highest") or theirs not in ("none", _OF_NAME[name]):
        raise _mixed("torch.set_float32_matmul_precision", "fp32_precision of matmul")
    return name


def set_float32_matmul_precision(precision: str) -> None:
    """What torch.set_float32_matmul_precision does."""
    _C._set_float32_matmul_precision(precision)
    _own["cuda", "matmul"] = "ieee" if precision == "highest" else "tf32"
    _own["mkldnn", "matmul"] = _OF_NAME[precision]
    _tell_kernels()


def allows_tf32_products() -> bool:
    """torch.backends.cuda.matmul.allow_tf32"""
    allows = _C._get_float32_matmul_precision() != "highest"
    if (of("cuda", "matmul") == "tf32") != allows:
        raise _mixed("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cuda.matmul.fp32_precision")
    return allows


def allow_tf32_products(allowed: bool) -> None:
    """Sets it."""
    _C._set_float32_matmul_precision("high" if allowed else "highest")
    _own["cuda", "matmul"] = "tf32" if allowed else "ieee"
    _tell_kernels()


def allows_tf32_cudnn() -> bool:
    """torch.backends.cudnn.allow_tf32"""
    if any((of("cuda", operation) == "tf32") != _cudnn_allows_tf32 for operation in ("conv", "rnn")):
        raise _mixed("torch.backends.cudnn.allow_tf32", "fp32_precision of conv or rnn")
    return _cudnn_allows_tf32


def allow_tf32_cudnn(allowed: bool) -> None:
    """Sets it."""
    global _cudnn_allows_tf32
    _cudnn_allows_tf32 = allowed
    _own["cuda", "conv"] = _own["cuda", "rnn"] = "tf32" if allowed else "none"
    _tell_kernels()
