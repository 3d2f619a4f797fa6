"""Optimization of compiled modules for phones, which needs a compiler that is not there."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn


class LintCode(Enum):
    """What makes a module slow on phones."""

    BUNDLED_INPUT = 1
    REQUIRES_GRAD = 2
    DROPOUT = 3
    BATCHNORM = 4


def optimize_for_mobile(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: there are no compiled modules.

    Raises:
        NotImplementedError: always
    """
    raise NotImplementedError("torch.utils.mobile_optimizer needs the compiled form of a module, which this version cannot make")


generate_mobile_module_lints = optimize_for_mobile
