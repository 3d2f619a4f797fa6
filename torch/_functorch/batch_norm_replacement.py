"""replace_all_batch_norm_modules_ of torch.func."""

from __future__ import annotations

from torch.nn.modules.batchnorm import _BatchNorm

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.nn import Module


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Makes all batch normalizations of a module use the statistics of the batch only, in place.

    They then change nothing of the module, which functions of the module's parameters require.

    Args:
        root (Module): the module

    Returns:
        the module

    Example:
        >>> m = torch.func.replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2))
        >>> m.running_mean is None, m.track_running_stats
        (True, False)
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
