"""Names of torch.distributed that this version does not have yet; they raise an error that says so."""

from torch.distributed._not_there import not_there as _not_there

_missing = _not_there("torch.distributed", globals())
_missing.refuses("breakpoint")
_missing.refused_classes("Logger")
