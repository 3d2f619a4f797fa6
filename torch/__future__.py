"""Switches of behaviour that is to become the default one day."""

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value):
    """Make `Module.to` and its kin put new Parameter objects in the place of the old."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion():
    return _overwrite


def set_swap_module_params_on_conversion(value):
    """Make `load_state_dict` go through `Tensor.module_load`."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion():
    return _swap
