"""Operators on lists of tensors on a CUDA device: few launches, and what the loop would compute."""

import collections
from functools import partial

import pytest
from gpus import two_devices

import torch
from torch.profiler import ProfilerActivity, profile

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
SIZES = [(3,), (4, 5), (1,), (0,), (2, 3, 4), (9000,), (17, 1000), (), (8192,)]


def tensors(dtype=torch.float32, seed=0, sizes=SIZES):
    torch.manual_seed(seed)
    return [(torch.rand(size, dtype=torch.float64) + 0.5).mul(2 * (k % 2) - 0.5).to(dtype) for k, size in enumerate(sizes)]


def positive(dtype, seed=0):
    return [t.abs() for t in tensors(dtype, seed)]


def numbers(dtype):
    return [torch.tensor(0.25 * k - 1, dtype=dtype) for k in range(len(SIZES))]


f = torch
CASES = {
    "abs": lambda a, b, c, n: (f._foreach_abs, a),
    "exp": lambda a, b, c, n: (f._foreach_exp, a),
    "neg": lambda a, b, c, n: (f._foreach_neg, a),
    "reciprocal": lambda a, b, c, n: (f._foreach_reciprocal, a),
    "sign": lambda a, b, c, n: (f._foreach_sign, a),
    "sqrt": lambda a, b, c, n: (f._foreach_sqrt, b),
    "add": lambda a, b, c, n: (f._foreach_add, a, 0.3),
    "add of lists": lambda a, b, c, n: (lambda *x: f._foreach_add(*x, alpha=-0.7), a, b),
    "add of numbers": lambda a, b, c, n: (f._foreach_add, a, [0.1 * k for k in range(len(a))]),
    "sub": lambda a, b, c, n: (f._foreach_sub, a, 2),
    "sub of lists": lambda a, b, c, n: (lambda *x: f._foreach_sub(*x, alpha=2), a, b),
    "mul": lambda a, b, c, n: (f._foreach_mul, a, 1.7),
    "mul of lists": lambda a, b, c, n: (f._foreach_mul, a, b),
    "mul of numbers": lambda a, b, c, n: (f._foreach_mul, a, [k - 2 for k in range(len(a))]),
    "mul by a tensor": lambda a, b, c, n: (f._foreach_mul, a, n[3]),
    "mul by tensors": lambda a, b, c, n: (f._foreach_mul, a[:7], n[:7]),
    "div": lambda a, b, c, n: (f._foreach_div, a, 3.0),
    "div of lists": lambda a, b, c, n: (f._foreach_div, a, b),
    "div by a tensor": lambda a, b, c, n: (f._foreach_div, a, n[2]),
    "maximum": lambda a, b, c, n: (f._foreach_maximum, a, 0.1),
    "maximum of lists": lambda a, b, c, n: (f._foreach_maximum, a, b),
    "minimum": lambda a, b, c, n: (f._foreach_minimum, a, [0.1] * len(a)),
    "minimum of lists": lambda a, b, c, n: (f._foreach_minimum, a, b),
    "clamp_max": lambda a, b, c, n: (f._foreach_clamp_max, a, 0.5),
    "pow": lambda a, b, c, n: (f._foreach_pow, b, 2),
    "root": lambda a, b, c, n: (f._foreach_pow, b, 0.5),
    "pow of lists": lambda a, b, c, n: (f._foreach_pow, b, a),
    "pow of a number": lambda a, b, c, n: (f._foreach_pow, 0.9, b),
    "addcmul": lambda a, b, c, n: (f._foreach_addcmul, a, b, c, 0.4),
    "addcmul of numbers": lambda a, b, c, n: (f._foreach_addcmul, a, b, c, [0.1 * k for k in range(len(a))]),
    "addcmul of a tensor": lambda a, b, c, n: (f._foreach_addcmul, a, b, c, torch.arange(float(len(a)))),
    "addcdiv": lambda a, b, c, n: (f._foreach_addcdiv, a, b, c, -0.4),
    "lerp": lambda a, b, c, n: (f._foreach_lerp, a, b, 0.8),
    "lerp of lists": lambda a, b, c, n: (f._foreach_lerp, a, b, c),
    "lerp of numbers": lambda a, b, c, n: (f._foreach_lerp, a, b, [0.1 * k for k in range(len(a))]),
    "norm": lambda a, b, c, n: (f._foreach_norm, a),
    "norm 1": lambda a, b, c, n: (f._foreach_norm, a, 1),
    "norm 3": lambda a, b, c, n: (f._foreach_norm, a, 3),
    "norm inf": lambda a, b, c, n: (f._foreach_norm, a[:3], float("inf")),
    "max": lambda a, b, c, n: (f._foreach_max, a[:3] + a[4:]),
}


def on(device, args):
    def move(x):
        if isinstance(x, torch.Tensor) and x.dim() == 1 and x.is_cpu and x.numel() == len(SIZES):
            return x  # addcmul.Tensor takes its numbers from the CPU
        return x.to(device) if isinstance(x, torch.Tensor) else [move(y) for y in x] if isinstance(x, list) else x

    return [move(x) for x in args]


@pytest.mark.parametrize("dtype", [*FLOATS, torch.complex64])
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_cpu(name, dtype):
    if dtype.is_complex and name.split()[0] in ("sign", "maximum", "minimum", "clamp_max", "max", "lerp"):
        return
    for number_type in {dtype, torch.float32}:
        if number_type is not dtype and "tensor" not in name:
            continue
        op, *args = CASES[name](tensors(dtype), positive(dtype, 1), positive(dtype, 2), numbers(number_type))
        expected = op(*on("cpu", args))
        found = op(*on("cuda", args))
        # In half types the CPU rounds a number that is added to the type of the tensor, CUDA does not.
        near = {torch.float16: {"rtol": 1e-3, "atol": 1e-3}, torch.bfloat16: {"rtol": 1.6e-2, "atol": 1e-2}}
        torch.testing.assert_close([t.cpu() for t in found], list(expected), **near.get(dtype, {}))


INPLACE = ["add", "sub", "mul", "div", "maximum", "pow", "addcmul", "addcdiv", "lerp", "sqrt", "neg", "abs", "exp", "reciprocal"]


@pytest.mark.parametrize("name", [*INPLACE, "zero", "copy", "sign", "mul by tensors", "lerp of lists"])
def test_tensors_change_in_place(name):
    if name in ("zero", "copy"):
        args = [tensors()] + [positive(torch.float32)] * (name == "copy")
    else:
        _, *args = CASES[name](tensors(), positive(torch.float32, 1), positive(torch.float32, 2), numbers(torch.float32))
    op = getattr(torch, f"_foreach_{name.split()[0]}_")
    results = {}
    for device in ("cpu", "cuda"):
        moved = on(device, args)
        moved = [[t.clone() for t in moved[0]], *moved[1:]]
        versions = [t._version for t in moved[0]]
        assert op(*moved) is not None
        results[device] = [t.cpu() for t in moved[0]]
        assert [t._version for t in moved[0]] == [v + 1 for v in versions]
    torch.testing.assert_close(results["cuda"], results["cpu"])


def launches(call):
    call()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        call()
    names = collections.Counter(event.name for event in seen.events() if event.name.startswith("cuda"))
    assert not names["cudaMemcpyAsync"] and not names["cudaStreamSynchronize"], names
    return names["cudaLaunchKernel"] + names["cudaMemsetAsync"]


def test_few_launches():
    a, b = ([torch.ones(4, 5, device="cuda") for _ in range(50)] for _ in range(2))
    n = list(torch.arange(50.0, device="cuda").unbind())
    for call in (
        lambda: torch._foreach_add(a, 1),
        lambda: torch._foreach_add_(a, b, alpha=2),
        lambda: torch._foreach_mul_(a, n),
        lambda: torch._foreach_mul_(a, n[0]),
        lambda: torch._foreach_sqrt(a),
        lambda: torch._foreach_addcdiv_(a, b, b, [1.0] * 50),
        lambda: torch._foreach_lerp_(a, b, 0.5),
        lambda: torch._foreach_zero_(a),
        lambda: torch._foreach_copy_(a, b),
        lambda: torch._foreach_pow(0.5, a),
        lambda: torch.cat(a),
        lambda: torch.stack(n),
    ):
        assert launches(call) == 1, call.__code__.co_firstlineno
    assert launches(lambda: torch._foreach_norm(a)) == 2
    assert launches(lambda: torch._foreach_max(a)) == 2


INTEGERS, COMPLEX = [torch.int32, torch.int64], [torch.complex64, torch.complex128]


def whole(dtype, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(-9, 10, size, generator=generator).to(dtype) for size in SIZES]


def nonzero(dtype, seed=0):
    return [t + (t == 0) for t in whole(dtype, seed)]


# No element of `a`, `b` and `c` is 0. A star marks results of another type, which have no in-place form.
OF_INTEGERS = {
    "abs": lambda a, b, c, n: (f._foreach_abs, a),
    "neg": lambda a, b, c, n: (f._foreach_neg, a),
    "sign": lambda a, b, c, n: (f._foreach_sign, a),
    "sqrt*": lambda a, b, c, n: (f._foreach_sqrt, [t.abs() for t in a]),
    "exp*": lambda a, b, c, n: (f._foreach_exp, a),
    "reciprocal*": lambda a, b, c, n: (f._foreach_reciprocal, a),
    "add": lambda a, b, c, n: (f._foreach_add, a, 7),
    "add of a fraction*": lambda a, b, c, n: (f._foreach_add, a, 0.5),
    "add of lists": lambda a, b, c, n: (partial(f._foreach_add, alpha=-3), a, b),
    "add of numbers": lambda a, b, c, n: (f._foreach_add, a, list(range(len(a)))),
    "add of a tensor": lambda a, b, c, n: (f._foreach_add, a[:3], n[0]),
    "sub": lambda a, b, c, n: (f._foreach_sub, a, -2),
    "sub of lists": lambda a, b, c, n: (partial(f._foreach_sub, alpha=2), a, b),
    "mul": lambda a, b, c, n: (f._foreach_mul, a, 5),
    "mul of lists": lambda a, b, c, n: (f._foreach_mul, a, b),
    "mul by tensors": lambda a, b, c, n: (f._foreach_mul, a[:7], n[:7]),
    "div*": lambda a, b, c, n: (f._foreach_div, a, 4),
    "div of lists*": lambda a, b, c, n: (f._foreach_div, a, b),
    "div by a tensor*": lambda a, b, c, n: (f._foreach_div, a[:3], n[1]),
    "maximum": lambda a, b, c, n: (f._foreach_maximum, a, 2),
    "maximum of lists": lambda a, b, c, n: (f._foreach_maximum, a, b),
    "minimum of numbers*": lambda a, b, c, n: (f._foreach_minimum, a, [0.5] * len(a)),
    "clamp_min": lambda a, b, c, n: (f._foreach_clamp_min, a, -1),
    "clamp_max of lists": lambda a, b, c, n: (f._foreach_clamp_max, a, b),
    "addcmul": lambda a, b, c, n: (f._foreach_addcmul, a, b, c, 3),
    "addcmul of numbers": lambda a, b, c, n: (f._foreach_addcmul, a, b, c, list(range(len(a)))),
}
OF_COMPLEX = {
    "abs*": lambda a, b, c, n: (f._foreach_abs, a),
    "neg": lambda a, b, c, n: (f._foreach_neg, a),
    "sqrt": lambda a, b, c, n: (f._foreach_sqrt, a),
    "exp": lambda a, b, c, n: (f._foreach_exp, a),
    "reciprocal": lambda a, b, c, n: (f._foreach_reciprocal, a),
    "add": lambda a, b, c, n: (f._foreach_add, a, 0.5 - 2j),
    "add of lists": lambda a, b, c, n: (partial(f._foreach_add, alpha=1j), a, b),
    "add of numbers": lambda a, b, c, n: (f._foreach_add, a, [0.5 * k for k in range(len(a))]),
    "add of complex numbers": lambda a, b, c, n: (f._foreach_add, a, [0.5j * k for k in range(len(a))]),
    "sub of lists": lambda a, b, c, n: (partial(f._foreach_sub, alpha=2), a, b),
    "mul": lambda a, b, c, n: (f._foreach_mul, a, 3),
    "mul of lists": lambda a, b, c, n: (f._foreach_mul, a, b),
    "mul by a tensor": lambda a, b, c, n: (f._foreach_mul, a[:3], n[3]),
    "div": lambda a, b, c, n: (f._foreach_div, a, 2j),
    "div of lists": lambda a, b, c, n: (f._foreach_div, a, b),
    "addcmul": lambda a, b, c, n: (f._foreach_addcmul, a, b, c, 1 - 1j),
    "addcdiv": lambda a, b, c, n: (f._foreach_addcdiv, a, b, c, 0.5),
    "lerp": lambda a, b, c, n: (f._foreach_lerp, a, b, 0.25),
    "lerp of lists": lambda a, b, c, n: (f._foreach_lerp, a, b, c),
    "norm*": lambda a, b, c, n: (f._foreach_norm, a),
    "norm 1*": lambda a, b, c, n: (f._foreach_norm, a, 1),
    "norm inf*": lambda a, b, c, n: (f._foreach_norm, a[:3], float("inf")),
}


def complex_numbers(dtype, seed):
    return [torch.complex(x.double(), y.double()).to(dtype) / 4 for x, y in zip(nonzero(dtype, seed), whole(dtype, seed + 9))]


@pytest.mark.parametrize("dtype", [*INTEGERS, *COMPLEX])
@pytest.mark.parametrize("number_dtype", [None, torch.int64, torch.float32])
def test_integers_and_complex_numbers(dtype, number_dtype):
    cases, make = (OF_COMPLEX, complex_numbers) if dtype.is_complex else (OF_INTEGERS, nonzero)
    for name, case in cases.items():
        if number_dtype and "tensor" not in name:
            continue
        op, *args = case(*(make(dtype, seed) for seed in range(3)), [t.to(number_dtype or dtype) for t in numbers(dtype)])
        expected, found = op(*on("cpu", args)), op(*on("cuda", args))
        torch.testing.assert_close([t.cpu() for t in found], list(expected), msg=lambda text, name=name: f"{name}: {text}")
        assert [t.dtype for t in found] == [t.dtype for t in expected], name
        if name.endswith("*") or any(t.dtype is not dtype for t in expected):
            continue
        moved = on("cuda", args)
        changed = [t.clone() for t in moved[0]]
        getattr(torch, f"_foreach_{name.split()[0]}_")(changed, *moved[1:], **getattr(op, "keywords", {}))
        torch.testing.assert_close([t.cpu() for t in changed], list(expected))


@pytest.mark.parametrize("dtype", [*INTEGERS, *COMPLEX])
def test_few_launches_of_integers_and_complex_numbers(dtype):
    a, b = ([torch.ones(4, 5, dtype=dtype, device="cuda") for _ in range(40)] for _ in range(2))
    number = torch.ones((), dtype=dtype, device="cuda")
    calls = [
        lambda: torch._foreach_add(a, 1),
        lambda: torch._foreach_add_(a, b, alpha=2),
        lambda: torch._foreach_sub_(a, [1] * 40),
        lambda: torch._foreach_mul(a, number),
        lambda: torch._foreach_div(a, b),
        lambda: torch._foreach_sqrt(a),
        lambda: torch._foreach_abs(a),
        lambda: torch._foreach_neg_(a),
        lambda: torch._foreach_addcmul_(a, b, b, 2),
        lambda: torch._foreach_zero_(a),
        lambda: torch._foreach_copy_(a, b),
    ]
    if dtype.is_complex:
        calls += [lambda: torch._foreach_addcdiv_(a, b, b, 1j), lambda: torch._foreach_lerp_(a, b, 0.5)]
        assert launches(lambda: torch._foreach_norm(a)) == 2
    else:
        calls += [lambda: torch._foreach_maximum_(a, 3), lambda: torch._foreach_clamp_max(a, b)]
        calls += [lambda: torch._foreach_minimum(a, 0.5)]
    for call in calls:
        assert launches(call) == 1, call.__code__.co_firstlineno


def test_integers_wrap_around_and_keep_their_digits():
    for dtype in INTEGERS:
        limits = torch.iinfo(dtype)
        x = [torch.tensor([limits.min, limits.max, limits.max - 1], dtype=dtype)]
        for op in (
            lambda x: torch._foreach_add(x, 1),
            lambda x: torch._foreach_sub(x, x, alpha=3),
            lambda x: torch._foreach_mul(x, 2**20 + 1),
            lambda x: torch._foreach_neg(x),
            lambda x: torch._foreach_abs(x),
            lambda x: torch._foreach_addcmul(x, x, x, 7),
            lambda x: torch._foreach_maximum(x, 2**31 - 2),
        ):
            assert op([t.cuda() for t in x])[0].tolist() == op(x)[0].tolist()
    big = [torch.tensor([1], device="cuda")]
    assert torch._foreach_add(big, 2**60 + 1)[0].item() == 2**60 + 2


def test_what_integers_and_complex_numbers_refuse():
    whole, complexes = [torch.ones(2, dtype=torch.int32, device="cuda")], [torch.ones(2, dtype=torch.complex64, device="cuda")]
    for call, message in (
        (lambda: torch._foreach_add_(whole, 0.5), "can't be cast"),
        (lambda: torch._foreach_sqrt_(whole), "can't be cast"),
        (lambda: torch._foreach_add(whole, whole, alpha=0.5), "alpha"),
        (lambda: torch._foreach_maximum(whole, 2**40), "overflow"),
        (lambda: torch._foreach_addcdiv(whole, whole, whole), "addcdiv"),
        (lambda: torch._foreach_norm(whole), "norm"),
        (lambda: torch._foreach_abs_(complexes), "complex"),
        (lambda: torch._foreach_sign(complexes), "complex"),
        (lambda: torch._foreach_maximum(complexes, complexes), "[Cc]omplex"),
    ):
        with pytest.raises((RuntimeError, NotImplementedError), match=message):
            call()


def test_many_tensors_and_chunks():
    sizes = [(k % 37,) for k in range(700)] + [(100_000,)]
    a, b = tensors(sizes=sizes), tensors(seed=1, sizes=sizes)
    found = torch._foreach_add([t.cuda() for t in a], [t.cuda() for t in b])
    torch.testing.assert_close([t.cpu() for t in found], list(torch._foreach_add(a, b)))
    norms = torch._foreach_norm([t.cuda() for t in a])
    torch.testing.assert_close([t.cpu() for t in norms], list(torch._foreach_norm(a)))


def test_what_only_the_loop_computes():
    cases = {
        "two types": lambda d: [torch.ones(3, device=d), torch.ones(3, dtype=torch.float16, device=d)],
        "integers": lambda d: [torch.arange(3, device=d), torch.arange(4, dtype=torch.uint8, device=d)],
        "strides": lambda d: [torch.arange(12.0, device=d).reshape(3, 4).t(), torch.arange(12.0, device=d)[::2]],
        "booleans": lambda d: [torch.tensor([True, False], device=d)],
        "conjugates": lambda d: [torch.tensor([1 + 2j], device=d).conj()],
    }
    for make in cases.values():
        for op in (
            lambda x: torch._foreach_add(x, 2.5 if x[0].dtype is not torch.bool else True),
            lambda x: torch._foreach_mul(x, x),
            lambda x: torch._foreach_mul(x, [t.clone().flatten()[0].to(torch.float32) for t in x if not t.is_complex()] or 2),
            lambda x: torch._foreach_addcmul(x, x, x, 2) if x[0].dtype is not torch.bool else x,
        ):
            found, expected = op(make("cuda")), op(make("cpu"))
            torch.testing.assert_close([t.cpu() for t in found], list(expected))
            assert [t.stride() for t in found] == [t.stride() for t in expected]


def test_memory_that_is_shared():
    for device in ("cpu", "cuda"):
        x = torch.ones(3, device=device)
        torch._foreach_add_([x, x], 1.0)
        assert x.tolist() == [3, 3, 3]
        a, b = torch.ones(3, device=device), torch.full((3,), 2.0, device=device)
        torch._foreach_add_([a, b], [b, a])  # the second sees the first one's result
        assert a.tolist() == [3, 3, 3] and b.tolist() == [5, 5, 5]
        base = torch.arange(8.0, device=device)
        torch._foreach_mul_([base[:4], base[4:]], [base[:4], base[4:]])
        assert base.tolist() == [k * k for k in range(8)]
        with pytest.raises(RuntimeError, match="single memory location"):
            torch._foreach_add_([base[:4]], [base[1:5]])


def test_gradients():
    x = [torch.ones(3, device="cuda", requires_grad=True), torch.ones(2, device="cuda")]
    y = torch._foreach_mul(x, 3.0)
    y[0].sum().backward()
    assert x[0].grad.tolist() == [3, 3, 3] and not y[1].requires_grad
    with pytest.raises(RuntimeError, match="leaf"):
        torch._foreach_add_(x, 1.0)
    with torch.no_grad():
        torch._foreach_add_(x, 1.0)
    assert x[0].tolist() == [2, 2, 2]
    with torch.inference_mode():
        inside = torch.ones(3, device="cuda")
        torch._foreach_add_([inside], 1.0)
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        torch._foreach_add_([inside], 1.0)


def test_nan():
    nan = float("nan")
    a, b = torch.tensor([nan, 1.0, nan], device="cuda"), torch.tensor([1.0, nan, nan], device="cuda")
    for op in (torch._foreach_maximum, torch._foreach_minimum):
        assert op([a], [b])[0].isnan().all() and op([a], nan)[0].isnan().all()
    assert torch._foreach_sign([a])[0].tolist() == [0, 1, 0]
    assert torch._foreach_norm([a], float("inf"))[0].isnan() and torch._foreach_max([a])[0].isnan()


@two_devices
def test_lists_of_two_devices():
    a = [torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")]
    assert [t.device.index for t in torch._foreach_add(a, 1.0)] == [0, 1]
    torch._foreach_mul_(a, 2.0)
    assert [t.tolist() for t in a] == [[2, 2], [2, 2]]
