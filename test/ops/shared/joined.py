"""Makes entries for operators on lists of tensors."""

from ops.common import ALL, Op, Sample, rand


def lists(*shapes):
    """One list of tensors for each list of shapes."""
    return lambda dtype: [Sample([rand(*s, dtype=dtype, seed=i) for i, s in enumerate(one)]) for one in shapes]


def joined(name, ref, *cases, dtypes=ALL, **kwargs):
    """cases: (shapes, arguments...)."""

    def samples(dtype):
        return [Sample([rand(*s, dtype=dtype, seed=i) for i, s in enumerate(shapes)], tuple(a)) for shapes, *a in cases]

    kwargs = {"method": False, **kwargs}
    return Op(name, samples, lambda x, *a: ref(x, *a), dtypes, **kwargs)
