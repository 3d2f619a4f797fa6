"""Changes of shape as modules."""

from torch.nn import functional as F
from torch.nn.modules._shared import show
from torch.nn.modules.module import Module


class Flatten(Module):
    """Dimensions start_dim to end_dim as one."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return show(self, "start_dim", "end_dim")


class Unflatten(Module):
    """Dimension `dim` split into the shape `unflattened_size`."""

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"invalid argument type for dim parameter, got {type(dim).__name__}")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type "
                            f"{type(unflattened_size).__name__}")
        for k, length in enumerate(unflattened_size):
            if not isinstance(length, int):
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type "
                                f"{type(length).__name__} at pos {k}")
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return show(self, "dim", "unflattened_size")


class Unfold(Module):
    """Sliding blocks of an image as columns."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return show(self, "kernel_size", "dilation", "padding", "stride")


class Fold(Unfold):
    """The transpose of Unfold."""

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return show(self, "output_size", "kernel_size", "dilation", "padding", "stride")


__all__ = ["Flatten", "Unflatten", "Unfold", "Fold"]
