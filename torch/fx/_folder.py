"""Writes a GraphModule as a Python package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.fx._source import _format_import_block

_TEMPLATE = '''"""A module that torch.fx.GraphModule.to_folder wrote."""

from pathlib import Path

{imports}

FOLDER = Path(__file__).parent


class {name}(torch.nn.Module):
    def __init__(self):
        super().__init__()
{members}
        self.load_state_dict(torch.load(FOLDER / "state_dict.pt", weights_only=True))
{forward}
'''


def write(module: Any, folder: Path, name: str) -> None:
    """Write the code, the weights, and the modules whose text does not rebuild them."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(module.state_dict(), folder / "state_dict.pt")
    lines = []
    for child_name, child in module.named_children():
        text = repr(child)
        if isinstance(child, _BY_TEXT):
            value = f"torch.nn.{text}"
        else:
            torch.save(child, folder / f"{child_name}.pt")
            value = f"torch.load(FOLDER / {f'{child_name}.pt'!r}, weights_only=False)"
        lines.append(f"setattr(self, {child_name!r}, {value})")
    for place, values in (("register_buffer", module._buffers), ("register_parameter", module._parameters)):
        for key, value in values.items():
            if value is None:
                lines.append(f"self.{place}({key!r}, None)")
                continue
            empty = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
            made = empty if place == "register_buffer" else f"torch.nn.Parameter({empty})"
            lines.append(f"self.{place}({key!r}, {made})")
    code = module.graph.python_code(root_module="self")
    forward = re.sub(r"(?m)^(?=.)", "    ", code.src.strip("\n").rstrip(" "))
    text = _TEMPLATE.format(
        imports=_format_import_block(code.globals), name=name, members="\n".join("        " + line for line in lines),
        forward="\n" + forward,
    )  # fmt: skip
    (folder / "module.py").write_text(text)
    (folder / "__init__.py").write_text("from .module import *\n")


_BY_TEXT = (
    nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.ReLU, nn.Dropout,
    nn.MaxPool2d, nn.AvgPool2d, nn.Flatten, nn.Identity,
)  # fmt: skip
