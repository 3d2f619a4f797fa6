"""Automatic differentiation: gradients, no_grad, Jacobians, Hessians, hooks and the graph."""

import torch

x = torch.ones(5)
y = torch.zeros(3)
torch.manual_seed(0)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(f"Gradient function for z = {type(z.grad_fn).__name__}, for loss = {type(loss.grad_fn).__name__}")
loss.backward()
print(w.grad)
print(b.grad)
z = torch.matmul(x, w) + b
print(z.requires_grad)
with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad, (torch.matmul(x, w) + b).detach().requires_grad)

inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out))
print(f"\nCall after zeroing gradients\n{inp.grad}")
try:
    out.backward(torch.ones_like(out))
except RuntimeError as problem:
    print("a second time:", type(problem).__name__)

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad, -2 * b == b.grad)
print(torch.autograd.functional.jacobian(lambda t: t.exp() * t.sum(), torch.tensor([0.0, 1.0])))
print(torch.autograd.functional.hessian(lambda t: (t**3).sum(), torch.tensor([1.0, 2.0])))
v = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((v**3).sum(), v, create_graph=True)
(gg,) = torch.autograd.grad(g.sum(), v)
print(g, gg)
h = v * 2
h.register_hook(lambda grad: grad * 10)
h.retain_grad()
h.sum().backward()
print(v.grad, h.grad)
node = (v * 2 + 1).sum().grad_fn
while node is not None:
    print(node.name())
    node = node.next_functions[0][0] if node.next_functions else None
with torch.autograd.detect_anomaly(check_nan=True):
    try:
        (torch.zeros(1, requires_grad=True) / 0 * 0).sum().backward()
    except RuntimeError as problem:
        print(str(problem).split(" returned")[0])
