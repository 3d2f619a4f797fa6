"""What the fuzzer (tools/fuzz_against_peer.py) has found: the smallest program of each cause."""

import math

import pytest

import torch
import torch.nn.functional as F


def twice(f, x):
    (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    return first, torch.autograd.grad(first.sum(), x)[0]


@pytest.mark.parametrize("f, slope", [(F.elu, 1.0), (F.celu, 1.0), (F.selu, 1.7580993408473766), (lambda x: F.elu(x, 0.5), 0.5)])
def test_second_derivative_of_elu_at_zero_is_zero(f, slope):
    first, second = twice(f, torch.tensor([0.0, -0.0, 1.0], dtype=torch.float64, requires_grad=True))
    assert first[:2].tolist() == pytest.approx([slope, slope])
    assert second.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("length, n", [(1, 1), (0, 1), (2, 3), (0, 2)])
def test_diff_of_too_few_elements_is_no_view(length, n):
    x = torch.ones(3)[:length]
    found = torch.diff(x, n)
    assert found.shape == (0,) and not found._is_view()


def test_trigamma_at_infinity():
    found = torch.polygamma(1, torch.tensor([math.inf, -math.inf], dtype=torch.float64))
    assert found[0] == 0 and found[1].isnan()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_layer_norm_takes_the_mean_off_first(dtype):
    # x * rstd - mean * rstd would leave rounding of the size of mean * rstd.
    x = torch.tensor([[3.3, 3.3, 3.3], [1e6, 1e6, 1e6]], dtype=dtype)
    for more in ((), (torch.full((3,), 2.0, dtype=dtype),), (torch.ones(3, dtype=dtype), torch.zeros(3, dtype=dtype))):
        assert F.layer_norm(torch.tensor([[3.3]], dtype=dtype), (1,), *[m[:1] for m in more]).abs().max() == 0
        assert F.layer_norm(x, (3,), *more)[1].abs().max() == 0


def test_changing_the_variance_of_var_mean_leaves_its_gradient():
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    var, mean = torch.var_mean(x, 0)
    (expected,) = torch.autograd.grad(var.sum() + mean.sum(), x)
    var, mean = torch.var_mean(x, 0)
    (found,) = torch.autograd.grad(var.add_(1).sum() + mean.sum(), x)
    assert torch.equal(found, expected)


def test_second_derivative_of_logcumsumexp_with_a_zero_gradient():
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor([1.0, 0.0, -2.0], dtype=torch.float64)
    (first,) = torch.autograd.grad((torch.logcumsumexp(x, 0) * weight).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((first * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum(), x)
    near = torch.tensor([1.0, 1e-9, -2.0], dtype=torch.float64)
    (first,) = torch.autograd.grad((torch.logcumsumexp(x, 0) * near).sum(), x, create_graph=True)
    (expected,) = torch.autograd.grad((first * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum(), x)
    torch.testing.assert_close(second, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["selu_", "celu_", "elu_", "relu_"])
def test_composites_change_one_of_several_views_where_no_gradient_is_recorded(name):
    x = torch.tensor([-1.0, 2.0, 3.0])
    a, _, _ = x.unbind(0)
    getattr(F, name)(a)
    assert x[0] == getattr(F, name[:-1])(torch.tensor(-1.0))


def test_broadcast_inputs_decide_the_layout_in_their_order():
    wide, tall = torch.zeros(2, 3), torch.zeros(6).as_strided((3, 2), (1, 2)).unsqueeze(2)
    assert (wide + tall).stride() == (3, 9, 1)
    assert (tall + wide).stride() == (3, 9, 1)
    assert (wide + tall.contiguous()).stride() == (6, 3, 1)
    transposed, box = torch.zeros(3, 2).t(), torch.zeros(3, 2, 3)
    assert (transposed + box).stride() == (6, 1, 2)
    assert (box + transposed).stride() == (6, 3, 1)


def test_atan2_at_the_origin_passes_nothing_on():
    x = torch.tensor([0.0, -0.0, 0.0], requires_grad=True)
    y = torch.tensor([0.0, 0.0, 2.0], requires_grad=True)
    dx, dy = torch.autograd.grad(torch.atan2(x, y).sum(), (x, y))
    assert dx.tolist() == [0.0, 0.0, 0.5] and dy.abs().max() == 0


def test_a_zero_gradient_of_xlogy_stays_zero():
    x = torch.tensor([1.5, -2.0, 0.0], requires_grad=True)
    y = torch.tensor([0.0, -3.0, -1.0])
    (found,) = torch.autograd.grad(torch.xlogy(x, y), x, torch.zeros(3))
    assert found.tolist() == [0.0, 0.0, 0.0]


def test_nextafter_moves_with_its_first_argument():
    x = torch.tensor([1.0, 2.0, -1.0], requires_grad=True)
    y = torch.tensor([1.0, 1.0, 5.0], requires_grad=True)
    dx, dy = torch.autograd.grad(torch.nextafter(x, y).sum(), (x, y))
    assert dx.tolist() == [0.0, 1.0, 1.0] and dy.tolist() == [0.0, 0.0, 0.0]


def test_what_backward_does_not_need_may_be_changed():
    x = torch.tensor([0.5, -0.25], requires_grad=True)
    (expected,) = torch.autograd.grad(torch.erfinv(x).sum(), x)
    y = torch.erfinv(x)
    y.add_(1)
    assert torch.equal(torch.autograd.grad(y.sum(), x)[0], expected)
    sign = torch.tensor([1.0, -1.0], requires_grad=True) * 1
    y = torch.copysign(x, sign)
    sign.mul_(3)
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [1.0, 1.0]


def test_a_resized_out_is_laid_out_as_a_new_result():
    x = torch.zeros(2, 3, 4).permute(1, 0, 2)
    assert torch.neg(x, out=torch.empty(0)).stride() == torch.neg(x).stride()
    y = torch.zeros(2, 4, 4, 3).to(memory_format=torch.channels_last)
    assert torch.add(y, 1, out=torch.empty(0)).is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("include_self", [True, False])
def test_gradient_of_scatter_reduce_prod_with_zeros(include_self):
    x = torch.tensor([0.0, 2.0, 3.0, 0.0, 0.0, 5.0], dtype=torch.float64, requires_grad=True)
    src = torch.tensor([5.0, 0.0, 7.0, 0.0, 0.0, 4.0], dtype=torch.float64, requires_grad=True)
    index = torch.tensor([1, 2, 3, 4, 4, 1])
    y = x.scatter_reduce(0, index, src, "prod", include_self=include_self)
    found = torch.autograd.grad(y.sum(), (x, src))
    step = 1e-6
    for k, grad in enumerate(found):
        for i in range(6):
            at = [x.detach().clone(), src.detach().clone()]
            at[k][i] += step
            more = at[0].scatter_reduce(0, index, at[1], "prod", include_self=include_self)
            assert grad[i].item() == pytest.approx((more - y).sum().item() / step, abs=1e-4), (k, i)


def test_gradient_of_a_complex_exponent_of_negative_integers():
    base, exponent = torch.tensor([-4, 2]), torch.tensor([0j, 1 - 1j], dtype=torch.complex128, requires_grad=True)
    (found,) = torch.autograd.grad(torch.pow(base, exponent).real.sum(), exponent)
    wide = base.to(torch.complex128)
    assert torch.allclose(found, (wide**exponent * wide.log()).conj())


def test_second_derivative_of_logcumsumexp_in_bfloat16():
    x = torch.tensor([-2.75], dtype=torch.bfloat16, requires_grad=True)
    (first,) = torch.autograd.grad(torch.logcumsumexp(x, 0) * -1.25, x, torch.ones(1, dtype=torch.bfloat16), create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert abs(second.item()) < 0.05


def test_inputs_of_another_type_keep_their_order_of_dimensions():
    gaps = torch.zeros(4, 3, 6, dtype=torch.int64).permute(2, 0, 1)[::2]
    assert (gaps + 0.5).stride() == (1, 9, 3)
    assert torch.cosh(gaps).stride() == (1, 9, 3)
    assert (gaps > torch.tensor(0.5)).stride() == (1, 9, 3)


def test_an_infinite_gradient_goes_to_the_extreme_alone():
    x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    for f in (torch.min, torch.amin, lambda x: torch.aminmax(x)[0]):
        (found,) = torch.autograd.grad(f(x), x, torch.tensor(float("inf")))
        assert found.tolist() == [0.0, float("inf"), 0.0]


def test_truth_values_take_what_needs_a_gradient():
    x = torch.tensor([1.0, 0.0, 2.0, 0.0], requires_grad=True)
    first, second = torch.zeros(4, dtype=torch.bool).split(2)
    second.copy_(x[2:])
    assert second.tolist() == [True, False] and not second.requires_grad


@pytest.mark.parametrize("dtype", [torch.complex64, torch.float16, torch.float64])
def test_as_strided_of_many_elements_in_one_place(dtype):
    x = torch.ones(1, dtype=dtype, requires_grad=True)
    y = x.expand(5000).as_strided((2,), (0,))
    (found,) = torch.autograd.grad(y, x, torch.ones(2, dtype=dtype))
    assert abs(found.item() - 2) < 0.01


@pytest.mark.parametrize("f", [torch.prod, torch.cumprod])
def test_gradient_of_products_that_convert_first(f):
    x = torch.tensor([1 + 2j, 3 - 1j, -2 + 1j], dtype=torch.complex64, requires_grad=True)
    real = torch.tensor([1.0, 3.0, -2.0], dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(f(x, 0, dtype=torch.float64).sum(), x)
    (expected,) = torch.autograd.grad(f(real, 0).sum(), real)
    assert torch.allclose(found, expected.to(torch.complex64))


def test_view_as_complex_does_not_ask_strides_of_single_elements():
    x = torch.arange(8.0)
    assert torch.view_as_complex(x.as_strided((1, 2), (7, 1))).tolist() == [1j]
    assert torch.view_as_complex(x.view(4, 2).unfold(-1, 2, 1)).shape == (4, 1)


def test_layer_norm_of_one_element_has_no_gradient():
    x = torch.tensor([[1e30], [3.3]], dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(F.layer_norm(x, (1,)), x, torch.tensor([[0.7], [1.3]], dtype=torch.float64))
    assert found.abs().max() == 0


def test_gradients_beside_integers():
    y = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([200, 16], dtype=torch.uint8)
    wide = x.double()
    found, expected = (torch.autograd.grad(torch.atan2(v, y).sum(), y)[0] for v in (x, wide))
    assert torch.allclose(found, expected, rtol=1e-12)
    found, expected = (torch.autograd.grad(torch.pow(v, y).sum(), y)[0] for v in (x, wide))
    assert torch.allclose(found, expected, rtol=1e-12)


def test_acosh_at_minus_one_has_an_infinite_slope():
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor([-1.0, 1.0], dtype=dtype, requires_grad=True)
        assert torch.autograd.grad(torch.acosh(x).sum(), x)[0].tolist() == [math.inf, math.inf]


def test_cdist_by_products_keeps_nan():
    x, y = torch.zeros(30, 2), torch.ones(28, 2)
    x[3, 1] = math.nan
    found = torch.cdist(x, y)
    assert found[3].isnan().all() and found.isnan().sum() == 28
    assert torch.cdist(y, y).diagonal().abs().max() == 0


@pytest.mark.parametrize("name", ["square", "clamp", "conj_physical", "float_power", "ldexp", "msort"])
def test_an_out_that_is_resized_has_the_layout_of_the_result(name):
    x = torch.arange(6.0).reshape(3, 2).t()
    args = {"clamp": (x,), "float_power": (2,), "ldexp": (x,)}.get(name, ())
    expected = getattr(torch, name)(x, *args)
    for out in (torch.empty(0, dtype=expected.dtype), torch.empty(0, 2, dtype=expected.dtype)):
        getattr(torch, name)(x, *args, out=out)
        assert torch.equal(out, expected) and out.stride() == expected.stride() == (1, 2)
    kept = torch.empty(2, 3, dtype=expected.dtype)
    assert getattr(torch, name)(x, *args, out=kept).stride() == (3, 1)


def test_second_derivatives_at_the_ends_of_quadratic_and_smooth_parts():
    x = torch.tensor([-1.0, -0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
    first, second = twice(lambda x: F.huber_loss(x, torch.zeros(4, dtype=torch.float64), reduction="none"), x)
    assert first.tolist() == [-1.0, -0.5, 1.0, 1.0] and second.tolist() == [0.0, 1.0, 0.0, 0.0]
    x = torch.tensor([2.0, 4.0], dtype=torch.float64, requires_grad=True)
    first, second = twice(lambda x: F.softplus(x, beta=0.5, threshold=1), x)
    assert first.tolist() == pytest.approx([1 / (1 + math.exp(-1)), 1.0]) and second.tolist() == [0.0, 0.0]


def test_cumprod_of_one_number_has_no_second_derivative():
    x = torch.tensor([[-3.625, -0.5625, -1.5625]], requires_grad=True)
    (first,) = torch.autograd.grad((torch.cumprod(x, 0) * torch.tensor([1.5, -0.25, 0.75])).sum(), x, create_graph=True)
    assert first.tolist() == [[1.5, -0.25, 0.75]] and not first.requires_grad


@pytest.mark.parametrize("f", [F.elu, F.celu, F.selu, F.hardswish, F.softplus])
def test_the_slope_at_nan_is_nan(f):
    x = torch.tensor([math.nan, 4.0], dtype=torch.float64, requires_grad=True)
    (plain,) = torch.autograd.grad(f(x).sum(), x)
    assert plain[0].isnan() and not plain[1].isnan()
    assert twice(f, x)[0][0].isnan()
    if f not in (F.hardswish, F.softplus):
        y = f(x * 1, inplace=True)
        assert torch.autograd.grad(y.sum(), x)[0][0].isnan()


@pytest.mark.parametrize("p", [2, 3, 1.5, 0.5, -2])
def test_the_norm_of_one_number_is_its_absolute_value(p):
    x = torch.tensor([[1e30], [-1e30], [3.5]])
    assert torch.equal(torch.linalg.vector_norm(x, p, 1), x[:, 0].abs())
    assert torch.norm(x[0], p) == 1e30 and torch.norm(x[1, 0], p) == 1e30
    assert torch.linalg.vector_norm(torch.tensor([math.nan]), p).isnan()


@pytest.mark.parametrize("f", [F.gelu, lambda x: F.gelu(x, approximate="tanh"), F.silu, F.mish, F.elu, F.softplus, F.logsigmoid])
@pytest.mark.parametrize("dtype, large", [(torch.float16, 3e4), (torch.bfloat16, 1e30)])
def test_gradients_that_are_recorded_have_the_precision_of_those_that_are_not(f, dtype, large):
    x = torch.tensor([-3.0, -1.5, 0.25, 2.0, 6.0, large, -large], dtype=dtype, requires_grad=True)
    (plain,) = torch.autograd.grad(f(x).sum(), x)
    recorded, second = twice(f, x)
    wide = x.detach()[:5].double().requires_grad_()
    torch.testing.assert_close(recorded, plain)
    torch.testing.assert_close(second[:5], twice(f, wide)[1].to(dtype), rtol=2e-2, atol=1e-3)


def test_second_derivative_of_scatter_reduce_prod_at_zeros():
    x = torch.tensor([0.0, 2.0, 0.0], dtype=torch.float64, requires_grad=True)
    src = torch.tensor([3.0, 0.0, 0.0, 5.0], dtype=torch.float64, requires_grad=True)
    index, weight = torch.tensor([0, 1, 2, 1]), torch.tensor([1.0, 2.0, 3.0, 4.0])
    product = (x[index[:3]] * src[:3] * torch.stack([torch.ones(()), src[3], torch.ones(())])).sum()
    found = []
    for value in (x.scatter_reduce(0, index, src, "prod").sum(), product):
        first = torch.autograd.grad(value, (x, src), create_graph=True)
        loss = (first[0] * weight[:3]).sum() + (first[1] * weight).sum()
        found.append([*first, *torch.autograd.grad(loss, (x, src))])
    for a, b in zip(*found):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("name", ["amax", "amin"])
def test_the_extreme_of_nan_passes_its_gradient_to_nan(name):
    x = torch.tensor([1.0, math.nan, 2.0], requires_grad=True)
    src = torch.tensor([math.nan, 5.0, math.nan], requires_grad=True)
    y = x.scatter_reduce(0, torch.tensor([0, 1, 1]), src, name)
    dx, dsrc = torch.autograd.grad(y, (x, src), torch.ones(3))
    assert dx.tolist() == [0.0, 0.5, 1.0] and dsrc.tolist() == [1.0, 0.0, 0.5]


def test_second_derivative_of_prelu_at_zero():
    x = torch.tensor([0.0, -1.0], requires_grad=True)
    weight = torch.tensor([0.25], requires_grad=True)
    (first,) = torch.autograd.grad(F.prelu(x, weight).sum(), weight, create_graph=True)
    assert torch.autograd.grad(first.sum(), x)[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("shape", [(5,), (5, 3)])
def test_running_products_go_on_past_the_range_of_float32(shape):
    x = torch.tensor([1e30, 1e30, 1e-30, 1e-30, 0.0])
    x = x[:, None].expand(*shape).contiguous() if len(shape) == 2 else x
    found = torch.cumprod(x, 0).reshape(5, -1)[:, 0].tolist()
    assert found == pytest.approx([1e30, math.inf, 1e30, 1.0, 0.0])
    many = torch.full((50000,), 1.001)
    assert torch.cumprod(many, 0)[-1].item() == pytest.approx(many[0].item() ** 50000, rel=1e-5)


def test_gradient_of_a_complex_exponent_of_a_negative_number():
    exponent = torch.tensor([2.125 + 0j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    for base in (-0.75, -2, 3):
        (found,) = torch.autograd.grad((base**exponent).real.sum(), exponent)
        wide = torch.tensor(base, dtype=torch.complex128)
        assert torch.allclose(found, (wide**exponent * wide.log()).conj().detach())


def test_lcm_of_narrow_integers_wraps_as_an_int():
    a = torch.tensor([45, -128, 100, 127, -128, 0], dtype=torch.int8)
    b = torch.tensor([-13, 3, 7, 126, -128, 5], dtype=torch.int8)
    assert torch.lcm(a, b).tolist() == [73, -128, -68, -126, -128, 0]
    assert torch.lcm(a.short() * 200, b.short() * 199).tolist() == [17720, 13312, 7200, 376, -17408, 0]
