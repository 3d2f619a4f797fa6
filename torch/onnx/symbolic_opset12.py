"""How operators are written in version 12 of ONNX's operators."""

from torch.onnx._no_exporter import refusing

__getattr__ = refusing(__name__)
