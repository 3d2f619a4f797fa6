"""Switches for behaviour that will become the default in the future."""

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value):
    """Make `Module.to` and similar methods replace Parameter objects instead of changing them."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion():
    return _overwrite


def set_swap_module_params_on_conversion(value):
    """Make `load_state_dict` use `Tensor.module_load`."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion():
    return _swap
