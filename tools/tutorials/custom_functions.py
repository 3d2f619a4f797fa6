"""Own differentiable functions, own operators, gradcheck, double backward, forward mode."""

import math

import numpy as np
from scipy.signal import convolve2d, correlate2d

import torch
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

torch.manual_seed(0)


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


x = torch.linspace(-math.pi, math.pi, 200)
y = torch.sin(x)
a, b, c, d = (torch.full((), value, requires_grad=True) for value in (0.0, -1.0, 0.0, 0.3))
for t in range(201):
    y_pred = a + b * LegendrePolynomial3.apply(c + d * x)
    loss = (y_pred - y).pow(2).sum()
    if t % 100 == 0:
        print(t, loss.item())
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 5e-5 * p.grad
            p.grad = None


class ScipyConv2dFunction(Function):
    @staticmethod
    def forward(ctx, input, filter, bias):
        input, filter, bias = input.detach(), filter.detach(), bias.detach()
        result = correlate2d(input.numpy(), filter.numpy(), mode="valid")
        result += bias.numpy()
        ctx.save_for_backward(input, filter, bias)
        return torch.as_tensor(result, dtype=input.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        grad_output = grad_output.detach()
        input, filter, bias = ctx.saved_tensors
        grad_output = grad_output.numpy()
        grad_bias = np.sum(grad_output, keepdims=True)
        grad_input = convolve2d(grad_output, filter.numpy(), mode="full")
        grad_filter = correlate2d(input.numpy(), grad_output, mode="valid")
        return (
            torch.from_numpy(grad_input),
            torch.from_numpy(grad_filter).to(torch.float),
            torch.from_numpy(grad_bias).to(torch.float),
        )


class ScipyConv2d(Module):
    def __init__(self, filter_width, filter_height):
        super().__init__()
        self.filter = Parameter(torch.randn(filter_width, filter_height))
        self.bias = Parameter(torch.randn(1, 1))

    def forward(self, input):
        return ScipyConv2dFunction.apply(input, self.filter, self.bias)


module = ScipyConv2d(3, 3)
input = torch.randn(10, 10, requires_grad=True)
output = module(input)
output.backward(torch.randn(8, 8))
print(output.sum(), input.grad.sum(), module.filter.grad)


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output[1])
        ctx.save_for_forward(inputs[0], output[1])

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x

    @staticmethod
    def jvp(ctx, x_t):
        x, dx = ctx.saved_tensors
        return x_t * dx, 6 * x * x_t


points = torch.randn(3, dtype=torch.double, requires_grad=True)
print(gradcheck(Cube.apply, points), gradgradcheck(Cube.apply, points), gradcheck(Cube.apply, points, check_forward_ad=True))
print(torch.vmap(Cube.apply)(torch.arange(3.0))[0])


@torch.library.custom_op("tutorial::numpy_sin", mutates_args=())
def numpy_sin(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.numpy(force=True)))


@numpy_sin.register_fake
def _(x):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


numpy_sin.register_autograd(lambda ctx, grad: grad * ctx.saved_tensors[0].cos(), setup_context=setup_context)
z = torch.linspace(0, 1, 3, requires_grad=True)
numpy_sin(z).sum().backward()
print(z.grad, torch.ops.tutorial.numpy_sin(z))
print(torch.library.opcheck(numpy_sin, (torch.randn(3, requires_grad=True),), test_utils=("test_schema", "test_faketensor")))
