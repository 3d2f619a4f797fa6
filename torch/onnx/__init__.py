"""Export to ONNX, which this version cannot do. What packages register for the exporter is kept for a later one."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn

from torch import _lazy


class OnnxExporterError(RuntimeError):
    """An export that failed.

    Example:
        >>> issubclass(torch.onnx.OnnxExporterError, RuntimeError)
        True
    """


class TrainingMode(enum.Enum):
    """Whether a model is exported for training.

    Example:
        >>> torch.onnx.TrainingMode.EVAL.name
        'EVAL'
    """

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.Enum):
    """What becomes of operators that ONNX does not have.

    Example:
        >>> torch.onnx.OperatorExportTypes.ONNX.name
        'ONNX'
    """

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


_DTYPES = (
    "UNDEFINED FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128 BFLOAT16 "
    "FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ"
)
TensorProtoDataType = enum.IntEnum("TensorProtoDataType", _DTYPES, module=__name__, start=0)
TensorProtoDataType.__doc__ = "ONNX's numbers for dtypes.\n\nExample:\n    >>> int(torch.onnx.TensorProtoDataType.FLOAT)\n    1"
_symbolic: dict[tuple[str, int], Callable[..., Any]] = {}


class ONNXProgram:
    """An exported model, of which there are none.

    Example:
        >>> torch.onnx.ONNXProgram()
        Traceback (most recent call last):
        NotImplementedError: ...
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("torch.onnx.ONNXProgram: this version of torch does not export to ONNX")


def is_in_onnx_export() -> bool:
    """Whether the caller is being exported.

    Returns:
        False

    Example:
        >>> torch.onnx.is_in_onnx_export()
        False
    """
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Write a model as ONNX, which this version cannot do.

    Args:
        *args (Any): any
        **kwargs (Any): any

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.onnx.export(nn.Linear(1, 1), (torch.ones(1),), "model.onnx")
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("torch.onnx.export: this version of torch does not export to ONNX")


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Say how an operator is exported; it is kept, and has no effect until there is an exporter.

    Args:
        symbolic_name (str): "namespace::name"
        symbolic_fn (function): makes the nodes
        opset_version (int): from which version of ONNX on

    Raises:
        ValueError: the name has no namespace

    Example:
        >>> torch.onnx.register_custom_op_symbolic("docs::twice", lambda g, x: x, 17)
        >>> torch.onnx.unregister_custom_op_symbolic("docs::twice", 17)
    """
    if "::" not in symbolic_name:
        raise ValueError(f"register_custom_op_symbolic: expected 'namespace::name', got {symbolic_name!r}")
    _symbolic[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Undo `register_custom_op_symbolic`.

    Args:
        symbolic_name (str): "namespace::name"
        opset_version (int): as it was registered

    Example:
        >>> torch.onnx.unregister_custom_op_symbolic("docs::nosuch", 17)
    """
    _symbolic.pop((symbolic_name, opset_version), None)


__getattr__, __dir__ = _lazy.lazy(
    __name__, ("symbolic_helper", "symbolic_opset9", "symbolic_opset10", "symbolic_opset11", "symbolic_opset12")
)
