"""Inputs that a compiled module carries; there are no compiled modules."""

from __future__ import annotations

from typing import Any, NoReturn


def bundle_inputs(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: there are no compiled modules.

    Raises:
        NotImplementedError: always
    """
    raise NotImplementedError("torch.utils.bundled_inputs needs the compiled form of a module, which this version cannot make")


augment_model_with_bundled_inputs = augment_many_model_functions_with_bundled_inputs = bundle_inputs
