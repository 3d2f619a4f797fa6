"""Named tuples that operators return (`torch.return_types.max`, ...), made by the extension."""

from torch import _C

for _name in dir(_C._return_types):
    if not _name.startswith("__"):
        globals()[_name] = getattr(_C._return_types, _name)
