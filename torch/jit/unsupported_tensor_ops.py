"""A page of PyTorch's documentation: methods of Tensor that TorchScript lacks. Python code has them all."""
