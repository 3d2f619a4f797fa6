"""The name under which programs written for PyTorch import `torch.serialization._weights_only_unpickler`."""

from torch.serialization._weights_only_unpickler import Unpickler as Unpickler
from torch.serialization._weights_only_unpickler import load as load
