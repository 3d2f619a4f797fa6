"""Joining, repeating, flipping, padding, and products of matrices."""

from .registry import op
from .state import INTS, broadcast, promote


@op(2.5)
def joined(s):
    v = s.pick(lambda v: v.dim)
    if v is None:
        return None
    d = s.dim(v)

    def fits(w):
        return w.dim == v.dim and all(a == b for i, (a, b) in enumerate(zip(v.shape, w.shape)) if i != d % v.dim)

    w = s.pick(fits)
    name = s.choice(("cat", "stack", "hstack", "vstack", "column_stack"))
    shape = list(v.shape)
    if name == "cat":
        shape[d] += w.shape[d]
        code = f"torch.cat([{v.name}, {w.name}], {d})"
    elif name == "stack":
        if v.shape != w.shape:
            return None
        at = d % v.dim
        shape.insert(at, 2)
        code = f"torch.stack([{v.name}, {w.name}], {at})"
    else:
        w = v
        code = f"torch.{name}([{v.name}, {w.name}])"
        if name == "hstack":
            shape[0 if v.dim == 1 else 1] *= 2
        elif name == "vstack":
            shape = [2, *shape] if v.dim == 1 else [shape[0] * 2, *shape[1:]]
        else:
            shape = [shape[0], 2] if v.dim == 1 else [shape[0], shape[1] * 2, *shape[2:]]
    return s.add(name, code, shape, promote(v, w), v.grad or w.grad)


@op(2.5)
def repeated(s):
    v = s.pick(lambda v: v.dim)
    if v is None:
        return None
    d = s.dim(v)
    name = s.choice(("repeat", "tile", "roll", "flip", "rot90", "tril", "triu", "pad", "fliplr", "diag_embed", "diag"))
    shape = list(v.shape)
    if name in ("repeat", "tile"):
        times = tuple(s.choice((1, 2)) for _ in shape)
        shape = [n * k for n, k in zip(shape, times)]
        return s.add(name, f"{v.name}.{name}({times})", shape, v.dtype, v.grad)
    if name == "roll":
        ask = f"{s.choice((1, -2, 3))}" + (f", {d}" if s.chance(0.8) else "")
        return s.add(name, f"torch.roll({v.name}, {ask})", shape, v.dtype, v.grad)
    if name == "flip":
        return s.add(name, f"torch.flip({v.name}, ({d},))", shape, v.dtype, v.grad)
    if name == "diag":
        if v.dim > 2:
            return None
        shape = [min(shape)] if v.dim == 2 else [shape[0]] * 2
        return s.add(name, f"torch.diag({v.name})", shape, v.dtype, v.grad)
    if name == "diag_embed":
        return s.add(name, f"torch.diag_embed({v.name})", [*shape, shape[-1]], v.dtype, v.grad)
    if name == "pad":
        mode = s.choice(("constant", "constant", "reflect", "replicate", "circular"))
        if mode != "constant" and (v.dim not in (2, 3) or shape[-1] < 2):
            return None
        shape[-1] += 2
        return s.add(name, f"F.pad({v.name}, (1, 1), mode='{mode}')", shape, v.dtype, v.grad)
    if v.dim < 2:
        return None
    if name == "rot90":
        shape[0], shape[1] = shape[1], shape[0]
        return s.add(name, f"torch.rot90({v.name})", shape, v.dtype, v.grad)
    if name == "fliplr":
        return s.add(name, f"torch.fliplr({v.name})", shape, v.dtype, v.grad)
    return s.add(name, f"torch.{name}({v.name}, {s.choice((0, 1, -1))})", shape, v.dtype, v.grad)


@op(4)
def products(s):
    v = s.pick(lambda v: 1 <= v.dim <= 3 and v.dtype != "bool")
    if v is None:
        return None
    k, m = v.shape[-1], s.choice((1, 2, 3))
    if v.dim == 1:
        w = s.pick(lambda w: w.shape == v.shape and w.dtype == v.dtype)
        name = s.choice(("dot", "outer", "vdot", "inner"))
        shape = (k, k) if name == "outer" else ()
        return s.add(name, f"torch.{name}({v.name}, {w.name})", shape, v.dtype, v.grad or w.grad)
    shape_of_w = s.choice(((k, m), (k,), v.shape[:-2] + (k, m)))
    w = s.pick(lambda w: w.shape == shape_of_w and w.dtype == v.dtype) or s.leaf(shape_of_w, v.dtype)
    if w is None:
        return None
    shape = v.shape[:-1] + shape_of_w[-1:] if len(shape_of_w) > 1 else v.shape[:-1]
    grad = v.grad or w.grad
    code, name = s.choice(((f"{v.name} @ {w.name}", "matmul"), (f"torch.matmul({v.name}, {w.name})", "matmul")))
    if v.dim == 2 and len(shape_of_w) == 2:
        b = s.like(type(v)("", shape, v.dtype), dtype=v.dtype)
        if b and broadcast(b.shape, shape) == shape and s.chance(0.5):
            code, name = f"torch.addmm({b.name}, {v.name}, {w.name}, beta=2, alpha={s.choice((1, 3))})", "addmm"
            grad = grad or b.grad
        elif s.chance(0.5):
            a, b = v.name, w.name
            code, name = s.choice((
                (f"torch.mm({a}, {b})", "mm"), (f"torch.einsum('ij,jk->ik', {a}, {b})", "einsum"),
                (f"F.linear({a}, {b}.t())", "linear"), (f"torch.tensordot({a}, {b}, 1)", "tensordot"),
            ))  # fmt: skip
    elif v.dim == 3 and len(shape_of_w) == 3 and s.chance(0.5):
        code, name = s.choice(
            ((f"torch.bmm({v.name}, {w.name})", "bmm"), (f"torch.einsum('bij,bjk->bik', {v.name}, {w.name})", "einsum"))
        )
    elif len(shape_of_w) == 1 and v.dim == 2 and s.chance(0.5):
        code, name = f"torch.mv({v.name}, {w.name})", "mv"
    return s.add(name, code, shape, v.dtype, grad)


@op(0.7)
def distances(s):
    v = s.pick(lambda v: v.dim == 2 and v.dtype in ("float32", "float64") and v.shape[1])
    w = v and (s.pick(lambda w: w.dim == 2 and w.dtype == v.dtype and w.shape[1] == v.shape[1]) or v)
    if not w:
        return None
    name, code, shape = s.choice((
        ("cdist", f"torch.cdist({v.name}, {w.name}, p={s.choice((1.0, 2.0, 3.0))})", (v.shape[0], w.shape[0])),
        ("cosine_similarity", f"F.cosine_similarity({v.name}, {v.name} + 1)", (v.shape[0],)),
        ("kron", f"torch.kron({v.name}, {w.name})", (v.shape[0] * w.shape[0], v.shape[1] * w.shape[1])),
    ))  # fmt: skip
    return s.add(name, code, shape, v.dtype, v.grad or w.grad)


@op(1.5)
def losses(s):
    v = s.pick(lambda v: v.floating and v.dim)
    w = v and (s.pick(lambda w: w.shape == v.shape and w.dtype == v.dtype and w is not v) or s.leaf(v.shape, v.dtype))
    if not w:
        return None
    how = s.choice(("mean", "sum", "none"))
    name = s.choice(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits",
            "kl_div", "soft_margin_loss",
                     "poisson_nll_loss", "cross_entropy"))  # fmt: skip
    if name == "cross_entropy" and (v.dim != 2 or how == "none"):
        return None
    shape = v.shape if how == "none" else ()
    return s.add(name, f"F.{name}({v.name}, {w.name}, reduction='{how}')", shape, v.dtype, v.grad or w.grad)


@op(1)
def images(s):
    v = s.pick(lambda v: v.floating and v.dim == 4 and v.count)
    if v is None:
        return None
    n, c, h, w = v.shape
    name = s.choice(("conv2d", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "pixel_shuffle", "interpolate",
            "group_norm", "channel_shuffle",
                     "unfold"))  # fmt: skip
    if name == "conv2d":
        x = s.leaf((2, c, 1, 1), v.dtype)
        return x and s.add(name, f"F.conv2d({v.name}, {x.name}, padding=1)", (n, 2, h + 2, w + 2), v.dtype, v.grad or x.grad)
    if name == "max_pool2d":
        return s.add(name, f"F.max_pool2d({v.name}, 1, 1)", v.shape, v.dtype, v.grad)
    if name == "avg_pool2d":
        return s.add(name, f"F.avg_pool2d({v.name}, 3, 1, 1)", v.shape, v.dtype, v.grad)
    if name == "adaptive_avg_pool2d":
        return s.add(name, f"F.adaptive_avg_pool2d({v.name}, (2, 1))", (n, c, 2, 1), v.dtype, v.grad)
    if name == "interpolate":
        mode = s.choice(("nearest", "bilinear", "bicubic"))
        return s.add(name, f"F.interpolate({v.name}, scale_factor=2, mode='{mode}')", (n, c, 2 * h, 2 * w), v.dtype, v.grad)
    if name == "group_norm":
        return s.add(name, f"F.group_norm({v.name}, {c})", v.shape, v.dtype, v.grad)
    if name == "unfold":
        return s.add(name, f"F.unfold({v.name}, 1)", (n, c, h * w), v.dtype, v.grad)
    if name == "channel_shuffle":
        return s.add(name, f"F.channel_shuffle({v.name}, {c})", v.shape, v.dtype, v.grad)
    return c % 4 == 0 and s.add(name, f"F.pixel_shuffle({v.name}, 2)", (n, c // 4, 2 * h, 2 * w), v.dtype, v.grad) or None


@op(0.5)
def counting(s):
    v = s.pick(lambda v: v.dtype in INTS and v.dim == 1)
    return v and s.add("one_hot", f"F.one_hot({v.name}.long().abs(), 10)", (*v.shape, 10), "int64")


@op(0.5)
def making(s):
    name, code, n, dtype = s.choice((
        ("arange", "torch.arange(6)", 6, "int64"), ("linspace", "torch.linspace(-1, 2, 5)", 5, "float32"),
        ("rand", "torch.rand(4)", 4, "float32"), ("randn", "torch.randn(16)", 16, "float32"), ("randint",
        "torch.randint(0, 9, (5,))", 5, "int64"),
        ("randperm", "torch.randperm(6)", 6, "int64"), ("arange", "torch.arange(0, 2, 0.5, dtype=torch.float64)", 4, "float64"),
        ("eye", "torch.eye(3)[0]", 3, "float32"), ("randn", "torch.randn(7, dtype=torch.float64)", 7, "float64"),
    ))  # fmt: skip
    return s.add(name, code, (n,), dtype)
