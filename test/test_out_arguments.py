"""Which out= tensors operators accept or refuse: type, shape, device, overlapping memory."""

import warnings

import pytest

import torch

X = torch.arange(12.0).reshape(3, 4)
ROWS = torch.tensor([2, 0])
COLUMNS = torch.zeros(3, 4, dtype=torch.int64)

# Their result is a new tensor of a type of its own: out= has to be of that type.
EXACT = {
    "take": lambda out: torch.take(X, ROWS, out=out),
    "masked_select": lambda out: torch.masked_select(X, X > 3, out=out),
    "index_select": lambda out: torch.index_select(X, 0, ROWS, out=out),
    "gather": lambda out: torch.gather(X, 1, COLUMNS, out=out),
    "take_along_dim": lambda out: torch.take_along_dim(X, COLUMNS, 1, out=out),
    "scatter": lambda out: torch.scatter(X, 1, COLUMNS, X, out=out),
    "scatter_add": lambda out: torch.scatter_add(X, 1, COLUMNS, X, out=out),
    "index_add": lambda out: torch.index_add(X, 0, ROWS, X[:2], out=out),
    "index_copy": lambda out: torch.index_copy(X, 0, ROWS, X[:2], out=out),
    "matmul": lambda out: torch.matmul(X, X.t(), out=out),
    "mm": lambda out: torch.mm(X, X.t(), out=out),
    "mv": lambda out: torch.mv(X, X[0], out=out),
    "dot": lambda out: torch.dot(X[0], X[0], out=out),
    "inner": lambda out: torch.inner(X, X, out=out),
    "tensordot": lambda out: torch.tensordot(X, X, ([1], [1]), out=out),
    "addmv": lambda out: torch.addmv(X[:, 0], X, X[0], out=out),
    "cross": lambda out: torch.cross(X[:, :3], X[:, :3], dim=1, out=out),
    "diag": lambda out: torch.diag(X, out=out),
    "where": lambda out: torch.where(X > 3, X, X, out=out),
    "clamp": lambda out: torch.clamp(X, 1, 2, out=out),
    "clamp_min": lambda out: torch.clamp_min(X, 1, out=out),
    "clamp_max": lambda out: torch.clamp_max(X, 1, out=out),
    "heaviside": lambda out: torch.heaviside(X, X, out=out),
    "sort": lambda out: torch.sort(X, out=(out, torch.empty(3, 4, dtype=torch.int64))),
    "msort": lambda out: torch.msort(X, out=out),
    "quantile": lambda out: torch.quantile(X, 0.5, out=out),
    "histc": lambda out: torch.histc(X, out=out),
    "softmax": lambda out: torch.softmax(X, 1, out=out),
}
# Theirs is converted.
CONVERTED = {
    "add": lambda out: torch.add(X, X, out=out),
    "exp": lambda out: torch.exp(X, out=out),
    "pow": lambda out: torch.pow(X, 2, out=out),
    "pow_of_number": lambda out: torch.pow(2, X, out=out),
    "sum": lambda out: torch.sum(X, 0, out=out),
    "cumsum": lambda out: torch.cumsum(X, 0, out=out),
    "cat": lambda out: torch.cat([X, X], out=out),
    "stack": lambda out: torch.stack([X, X], out=out),
    "hstack": lambda out: torch.hstack([X, X], out=out),
    "outer": lambda out: torch.outer(X[0], X[0], out=out),
    "kron": lambda out: torch.kron(X, X, out=out),
    "diff": lambda out: torch.diff(X, out=out),
    "square": lambda out: torch.square(X, out=out),
    "nanmean": lambda out: torch.nanmean(X, out=out),
}


def ids(table):
    return pytest.mark.parametrize("call", [pytest.param(f, id=name) for name, f in table.items()])


def first(result):
    return result if isinstance(result, torch.Tensor) else result[0]


@ids(EXACT)
def test_another_type_is_refused(call):
    shape = first(call(torch.empty(0))).shape
    for dtype in (torch.float64, torch.float16, torch.int64, torch.complex64):
        out = torch.zeros(shape, dtype=dtype)
        with pytest.raises(RuntimeError, match="dtype|desired output type"):
            call(out)
        assert not out.any()


@ids(CONVERTED)
def test_the_result_is_converted(call):
    expected = call(torch.empty(0))
    for dtype in (torch.float64, torch.complex128):
        out = torch.empty(expected.shape, dtype=dtype)
        assert call(out) is out
        torch.testing.assert_close(out, expected.to(dtype), rtol=1e-4, atol=1e-5)
    if call not in (CONVERTED["sum"], CONVERTED["cumsum"]):  # those add up in the type of out
        with pytest.raises((RuntimeError, TypeError), match="can't be cast"):
            call(torch.empty(expected.shape, dtype=torch.int64))


@ids(EXACT)
def test_an_empty_one_is_resized_without_a_word(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = torch.empty(0)
        assert first(call(out)) is out and out.numel()


@ids({**EXACT, **CONVERTED})
def test_another_shape_is_resized_with_a_warning(call):
    expected = first(call(torch.empty(0)))
    out = torch.zeros(*expected.shape, 2)
    with pytest.warns(UserWarning, match="resized"):
        call(out)
    torch.testing.assert_close(out, expected)


@ids({name: EXACT[name] for name in ("take", "masked_select", "index_select", "where", "clamp", "scatter", "inner")}
     | {name: CONVERTED[name] for name in ("add", "exp", "pow", "outer", "diff")})  # fmt: skip
def test_memory_that_is_named_twice_is_refused(call):
    shape = first(call(torch.empty(0))).shape
    for sizes in (shape, (*shape, 2)):
        one = torch.zeros(1)
        with pytest.raises(RuntimeError, match="unsupported operation: more than one element of the written-to tensor"):
            call(one.expand(sizes))
        assert one == 0


@ids({**EXACT, **CONVERTED})
def test_another_device_is_refused(call):
    shape = first(call(torch.empty(0))).shape
    with pytest.raises(RuntimeError):
        call(torch.empty(shape, device="meta"))


def test_numbers_in_cpu_memory_have_no_result_elsewhere():
    with pytest.raises(RuntimeError, match="device"):
        torch.add(torch.tensor(1.0), torch.tensor(2.0), out=torch.empty((), device="meta"))
    assert torch.add(torch.ones(2, device="meta"), torch.tensor(1.0)).is_meta


@pytest.mark.parametrize("name", ["isposinf", "isneginf", "signbit"])
def test_truth_values_only(name):
    with pytest.raises(RuntimeError):
        getattr(torch, name)(X, out=torch.empty(3, 4, dtype=torch.uint8))


WITHOUT_GRADIENT = {
    "eq": lambda x: torch.eq(x, x, out=torch.empty(2, dtype=torch.bool)),
    "lt": lambda x: torch.lt(x, 1, out=torch.empty(2, dtype=torch.bool)),
    "logical_and": lambda x: torch.logical_and(x, x, out=torch.empty(2, dtype=torch.bool)),
    "signbit": lambda x: torch.signbit(x, out=torch.empty(2, dtype=torch.bool)),
    "argmax": lambda x: torch.argmax(x, out=torch.empty((), dtype=torch.int64)),
    "nonzero": lambda x: torch.nonzero(x, out=torch.empty(0, dtype=torch.int64)),
    "searchsorted": lambda x: torch.searchsorted(x, x, out=torch.empty(2, dtype=torch.int64)),
    "all": lambda x: torch.all(x, out=torch.empty((), dtype=torch.bool)),
}


@ids(WITHOUT_GRADIENT)
def test_inputs_may_require_grad_where_results_have_none(call):
    result = call(torch.tensor([1.0, 2.0], requires_grad=True))
    assert not result.requires_grad


def test_others_refuse_to_record_into_out():
    x = torch.ones(2, requires_grad=True)
    calls = (lambda: torch.exp(x, out=torch.empty(2)), lambda: torch.exp(x.detach(), out=x),
             lambda: torch.take(x, ROWS[1:], out=torch.empty(1)))  # fmt: skip
    for call in calls:
        with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
            call()
    with torch.no_grad():
        torch.exp(x, out=torch.empty(2))


def test_out_reaches_the_function_below_a_mode():
    a, b, out = torch.rand(2, 3), torch.rand(3, 2), torch.empty(2, 2)
    with torch.device("cpu"):
        assert torch.chain_matmul(a, b, out=out) is out
    torch.testing.assert_close(out, a @ b)
