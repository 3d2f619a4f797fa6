"""Makes entries for reductions."""

from ops.common import Op, axis_aware, reduction


def reduce(name, f, dtypes, samples=None, **kwargs):
    return Op(name, samples or reduction(), axis_aware(f), dtypes, **kwargs)
