"""Named tuples that operators return (`torch.return_types.max`, ...), made by the extension."""

from torch import _C

all_return_types = []
for _type in _C._named_tuple_types():
    if _type.__name__ not in globals():
        all_return_types.append(_type)
    globals()[_type.__name__] = _type
