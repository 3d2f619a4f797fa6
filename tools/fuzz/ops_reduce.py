"""Sums, extremes, cumulative sums, sorting, softmax."""

from .ops_elementwise import floated, real_of
from .registry import op
from .state import INTS

TO_FLOAT = ("mean", "std", "var", "logsumexp", "norm", "nanmean")


def result(s, v, name):
    if name in ("sum", "prod", "nansum"):
        return "int64" if v.dtype in INTS or v.dtype == "bool" else v.dtype
    if name in ("any", "all"):
        return "uint8" if v.dtype == "uint8" else "bool"
    if name in ("argmax", "argmin", "count_nonzero"):
        return "int64"
    if name in ("norm", "std", "var"):
        return real_of(floated(v.dtype))
    return floated(v.dtype) if name == "logsumexp" else v.dtype


@op(6)
def reduce(s):
    name = s.choice(("sum", "sum", "mean", "prod", "amax", "amin", "std", "var", "norm", "logsumexp", "any", "all",
            "argmax", "argmin",
                     "count_nonzero", "nansum", "nanmean"))  # fmt: skip
    v = s.pick(lambda v: (v.inexact or name not in TO_FLOAT)
               and not (v.complex and name not in ("sum", "mean", "prod", "std", "var", "norm", "any", "all",
                       "count_nonzero")))  # fmt: skip
    if v is None:
        return None
    grad = v.grad and name not in ("any", "all", "argmax", "argmin", "count_nonzero")
    keep = s.chance(0.35)
    if s.chance(0.25) or not v.dim:
        code = f"torch.{name}({v.name}" + (", 0)" if name == "logsumexp" and not v.dim else ")")
        return None if name == "logsumexp" and v.dim else s.add(name, code, (), result(s, v, name), grad)
    dims = [s.dim(v)]
    if s.chance(0.3) and v.dim > 1 and name not in ("prod", "argmax", "argmin"):
        dims = s.rng.sample(range(v.dim), s.rng.randint(1, v.dim))
    shape = [1 if i in [d % v.dim for d in dims] else n for i, n in enumerate(v.shape)]
    if not keep or name == "count_nonzero":
        shape = [n for i, n in enumerate(v.shape) if i not in [d % v.dim for d in dims]]
    ask = str(dims[0]) if len(dims) == 1 else str(tuple(dims))
    more = ", keepdim=True" if keep and name != "count_nonzero" else ""
    if name in ("std", "var") and s.chance(0.5):
        more += ", correction=0"
    if name == "norm":
        ask = f"{s.choice(('2', '1', '3', 'inf', '0', '0.5'))}, {ask}"
    if name in ("sum", "mean", "prod") and s.chance(0.1):
        more += ", dtype=torch.float64"
        return s.add(name, f"torch.{name}({v.name}, {ask}{more})", shape, "complex128" if v.complex else "float64", grad)
    return s.add(name, f"torch.{name}({v.name}, {ask}{more})", shape, result(s, v, name), grad)


@op(2)
def extremes(s):
    """Steps with two results: values and indices."""
    v = s.pick(lambda v: not v.complex and v.dim and v.count)
    if v is None:
        return None
    d = s.dim(v)
    name = s.choice(
        ("max", "min", "median", "nanmedian", "cummax", "cummin", "sort", "topk", "kthvalue", "mode", "aminmax", "var_mean")
    )
    cut = v.shape[: d % v.dim] + v.shape[d % v.dim + 1 :]
    if name in ("cummax", "cummin", "sort"):
        more = ", stable=True" if name == "sort" else ""
        more += ", descending=True" if name == "sort" and s.chance(0.3) else ""
        code = f"torch.{name}({v.name}, dim={d}{more})"
        return s.add_many(name, code, [(v.shape, v.dtype, v.grad), (v.shape, "int64", False)])
    if name == "topk":
        k = s.rng.randint(1, v.shape[d])
        shape = list(v.shape)
        shape[d] = k
        return s.add_many(name, f"torch.topk({v.name}, {k}, {d})", [(shape, v.dtype, v.grad), (shape, "int64", False)])
    if name == "kthvalue":
        code = f"torch.kthvalue({v.name}, {s.rng.randint(1, v.shape[d])}, {d})"
        return s.add_many(name, code, [(cut, v.dtype, v.grad), (cut, "int64", False)])
    if name == "aminmax":
        return s.add_many(name, f"torch.aminmax({v.name}, dim={d})", [(cut, v.dtype, v.grad)] * 2)
    if name == "var_mean":
        return v.floating and s.add_many(name, f"torch.var_mean({v.name}, {d})", [(cut, v.dtype, v.grad)] * 2) or None
    return s.add_many(name, f"torch.{name}({v.name}, {d})", [(cut, v.dtype, v.grad), (cut, "int64", False)])


@op(1)
def whole(s):
    v = s.pick(lambda v: not v.complex and v.count)
    name = s.choice(("max", "min", "median", "nanmedian", "msort", "unique", "std", "argsort", "nonzero", "argwhere"))
    if v is None:
        return None
    if name in ("nonzero", "argwhere", "unique"):
        return s.change(
            name, f"w{len(s.program.steps)} = torch.{name}({v.name})", type(v)(f"w{len(s.program.steps)}", (), "int64")
        )
    if name == "argsort":
        return s.add(name, f"torch.argsort({v.name}, dim=-1, stable=True)", v.shape, "int64")
    return s.add(name, f"torch.{name}({v.name})", v.shape if name == "msort" else (), v.dtype, v.grad)


@op(2.5)
def along(s):
    v = s.pick(lambda v: v.dtype != "bool")
    if v is None:
        return None
    d = s.dim(v)
    name = s.choice(("cumsum", "cumprod", "logcumsumexp", "diff", "cumsum"))
    dtype = v.dtype if v.dtype not in INTS or name == "diff" else "int64"
    if name == "logcumsumexp" and not v.floating:
        return None
    if name == "diff":
        if not v.dim or not v.shape[d]:
            return None
        shape = list(v.shape)
        shape[d] -= 1
        return s.add(name, f"torch.diff({v.name}, dim={d})", shape, dtype, v.grad)
    return s.add(name, f"torch.{name}({v.name}, {d})", v.shape, dtype, v.grad)


@op(2.5)
def softmax(s):
    v = s.pick(lambda v: v.floating)
    if v is None:
        return None
    d = s.dim(v)
    name, code = s.choice((
        ("softmax", f"torch.softmax({v.name}, {d})"), ("log_softmax", f"torch.log_softmax({v.name}, {d})"),
        ("softmin", f"F.softmin({v.name}, {d})"), ("normalize", f"F.normalize({v.name}, dim={d})"),
        ("layer_norm", f"F.layer_norm({v.name}, {v.shape[-1:]})"), ("rms_norm", f"F.rms_norm({v.name}, {v.shape[-1:]})"),
    ))  # fmt: skip
    return None if name.endswith("norm") and not v.dim else s.add(name, code, v.shape, v.dtype, v.grad)


@op(0.6)
def quantiles(s):
    v = s.pick(lambda v: v.dtype in ("float32", "float64") and v.dim and v.count)
    if v is None:
        return None
    d = s.dim(v)
    name = s.choice(("quantile", "nanquantile"))
    how = s.choice(("linear", "lower", "higher", "midpoint", "nearest"))
    shape = v.shape[: d % v.dim] + v.shape[d % v.dim + 1 :]
    return s.add(name, f"torch.{name}({v.name}, 0.4, {d}, interpolation='{how}')", shape, v.dtype, v.grad)
