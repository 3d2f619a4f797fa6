"""A page of PyTorch's documentation: the operators that TorchScript knows. There is no TorchScript here, so there are none."""
