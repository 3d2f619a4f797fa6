"""Engines of quantized operators: this build has none."""

import sys as _sys
import types as _types


class _Module(_types.ModuleType):
    """Refuses engines that are not there."""

    engine = "none"
    supported_engines = ["none"]

    def __setattr__(self, name: str, value: object) -> None:
        if name == "engine" and value not in self.supported_engines:
            raise RuntimeError(
                f"torch.backends.quantized.engine: this build has no engine {value!r}, only {self.supported_engines}"
            )
        super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Module
