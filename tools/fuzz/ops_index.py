"""Advanced indexing, gathering, and out-of-place scattering."""

from .registry import op
from .state import broadcast


@op(3)
def advanced(s):
    v = s.pick(lambda v: v.dim and v.count)
    if v is None:
        return None
    n = v.shape[0]
    rows = [s.rng.randrange(-n, n) for _ in range(s.rng.randint(1, 4))]
    how = s.choice(("list", "tensor", "second", "both", "mask", "matrix", "slice"))
    if how == "list":
        return s.add("index", f"{v.name}[{rows}]", (len(rows), *v.shape[1:]), v.dtype, v.grad)
    if how == "tensor":
        return s.add("index", f"{v.name}[torch.tensor({rows})]", (len(rows), *v.shape[1:]), v.dtype, v.grad)
    if how == "matrix":
        return s.add("index", f"{v.name}[torch.tensor([{rows}, {rows}])]", (2, len(rows), *v.shape[1:]), v.dtype, v.grad)
    if how == "mask":
        m = s.leaf(v.shape[:1], "bool")
        return m and s.change(
            "index", f"w{len(s.program.steps)} = {v.name}[{m.name}]", type(v)(f"w{len(s.program.steps)}", (), v.dtype)
        )
    if v.dim < 2:
        return None
    k = v.shape[1]
    columns = [s.rng.randrange(-k, k) for _ in rows]
    if how == "second":
        return s.add("index", f"{v.name}[:, {columns}]", (n, len(columns), *v.shape[2:]), v.dtype, v.grad)
    if how == "slice":
        return s.add("index", f"{v.name}[{rows}, ..., None]", (len(rows), *v.shape[1:], 1), v.dtype, v.grad)
    return s.add("index", f"{v.name}[{rows}, {columns}]", (len(rows), *v.shape[2:]), v.dtype, v.grad)


@op(3)
def gathered(s):
    v = s.pick(lambda v: v.dim and v.count)
    if v is None:
        return None
    d = s.dim(v)
    n = v.shape[d]
    k = s.rng.randint(1, 3)
    rows = [s.rng.randrange(n) for _ in range(k)]
    shape = list(v.shape)
    shape[d] = k
    name = s.choice(("index_select", "gather", "take", "take_along_dim", "masked_select", "repeat_interleave"))
    if name == "index_select":
        return s.add(name, f"torch.index_select({v.name}, {d}, torch.tensor({rows}))", shape, v.dtype, v.grad)
    if name == "take":
        places = [s.rng.randrange(-v.count, v.count) for _ in range(k)]
        return s.add(name, f"torch.take({v.name}, torch.tensor({places}))", (k,), v.dtype, v.grad)
    if name == "masked_select":
        m = s.like(v, dtype="bool")
        code = m and f"w{len(s.program.steps)} = torch.masked_select({v.name}, {m.name})"
        return m and s.change(name, code, type(v)(f"w{len(s.program.steps)}", (), v.dtype))
    if name == "repeat_interleave":
        shape[d] = 2 * n
        return s.add(name, f"torch.repeat_interleave({v.name}, 2, {d})", shape, v.dtype, v.grad)
    i = s.leaf(shape, "int64")
    if i is None:
        return None
    code = (
        f"torch.gather({v.name}, {d}, {i.name} % {n})"
        if name == "gather"
        else f"torch.take_along_dim({v.name}, {i.name} % {n}, {d})"
    )
    return s.add(name, code, shape, v.dtype, v.grad)


@op(2)
def scattered(s):
    v = s.pick(lambda v: v.dim and v.count)
    if v is None:
        return None
    d = s.dim(v)
    n = v.shape[d]
    rest = v.shape[: d % v.dim] + v.shape[d % v.dim + 1 :]
    name = s.choice(("select_scatter", "slice_scatter", "masked_fill", "index_fill", "index_add", "index_copy",
            "masked_scatter", "index_put",
                     "diagonal_scatter"))  # fmt: skip
    if name == "masked_fill":
        m = s.like(v, dtype="bool")
        shape = m and broadcast(v.shape, m.shape)
        return m and s.add(name, f"torch.masked_fill({v.name}, {m.name}, {s.number(v.dtype)})", shape, v.dtype, v.grad)
    if name == "index_fill":
        code = f"torch.index_fill({v.name}, {d}, torch.tensor([{n - 1}]), {s.number(v.dtype)})"
        return s.add(name, code, v.shape, v.dtype, v.grad)
    if name == "select_scatter":
        w = s.leaf(rest, v.dtype)
        return w and s.add(name, f"torch.select_scatter({v.name}, {w.name}, {d}, {n - 1})", v.shape, v.dtype, v.grad or w.grad)
    if name == "diagonal_scatter":
        if v.dim != 2:
            return None
        w = s.leaf((min(v.shape),), v.dtype)
        return w and s.add(name, f"torch.diagonal_scatter({v.name}, {w.name})", v.shape, v.dtype, v.grad or w.grad)
    one = list(v.shape)
    one[d] = 1
    if name == "slice_scatter":
        w = s.leaf(one, v.dtype)
        code = w and f"torch.slice_scatter({v.name}, {w.name}, {d}, {n - 1}, {n})"
        return w and s.add(name, code, v.shape, v.dtype, v.grad or w.grad)
    if name == "masked_scatter":
        m, w = s.leaf(v.shape, "bool"), s.leaf(v.shape, v.dtype)
        return m and w and s.add(name, f"torch.masked_scatter({v.name}, {m.name}, {w.name})", v.shape, v.dtype, v.grad or w.grad)
    if name == "index_put":
        w = s.leaf((2, *v.shape[1:]), v.dtype)
        code = w and f"torch.index_put({v.name}, (torch.tensor([0, 0]),), {w.name}, accumulate=True)"
        return w and s.add(name, code, v.shape, v.dtype, v.grad or w.grad)
    w = s.leaf(one, v.dtype)
    code = w and f"torch.{name}({v.name}, {d}, torch.tensor([{n - 1}]), {w.name})"
    return w and s.add(name, code, v.shape, v.dtype, v.grad or w.grad)


@op(1)
def embedding(s):
    v = s.pick(lambda v: v.dim == 2 and v.floating and v.shape[0])
    if v is None:
        return None
    rows = [s.rng.randrange(v.shape[0]) for _ in range(4)]
    if s.chance(0.25):
        mode = s.choice(("sum", "mean", "max"))
        code = f"F.embedding_bag(torch.tensor([{rows[:2]}, {rows[2:]}]), {v.name}, mode='{mode}')"
        return s.add("embedding_bag", code, (2, v.shape[1]), v.dtype, v.grad)
    more = s.choice(("", "", ", padding_idx=0", ", scale_grad_by_freq=True"))
    return s.add("embedding", f"F.embedding(torch.tensor({rows}), {v.name}{more})", (4, v.shape[1]), v.dtype, v.grad)
