"""Switches that passes of PyTorch read."""

disable_progress = True
verbose_progress = False
split_module_size_nodes = False
