"""Settings of `torch.save` and `torch.load`, under the name that programs import."""

from __future__ import annotations

from torch.utils.serialization import config as config
