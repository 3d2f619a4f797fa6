"""Settings of deterministic mode."""

import sys as _sys
import types as _types


class _Module(_types.ModuleType):
    """Refuses a setting that would have no effect.

    `fill_uninitialized_memory` is False: `torch.empty` and its relatives return memory as it is in deterministic mode, too.
    """

    fill_uninitialized_memory = False

    def __setattr__(self, name: str, value: object) -> None:
        if name == "fill_uninitialized_memory" and value:
            import warnings

            warnings.warn("torch.utils.deterministic: uninitialized memory is not filled by this version", stacklevel=2)
            return
        super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Module
