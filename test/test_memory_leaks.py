"""Objects that a program releases are freed: tensors, graphs, hooks, custom functions, modules."""

import gc
import sys
import threading
import time

import numpy as np
import pytest

import torch
from torch.utils.checkpoint import checkpoint


def leaf():
    return torch.ones(4, requires_grad=True)


def graph_without_backward():
    _ = leaf().exp() * 2


def backward():
    x = leaf()
    (x * torch.full((), 2.0)).sum().backward()


def gradient_of_a_gradient():
    x = leaf()
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    g.sum().backward()


def changed_view():
    y = leaf() * 1
    y[:2].mul_(2)
    y.add_(1)
    y.sum().backward()


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.more = torch.ones(4)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad * ctx.saved_tensors[0]


def custom_function():
    Square.apply(leaf()).sum().backward()


def custom_function_without_backward():
    Square.apply(leaf())


def hooks():
    x = leaf()
    x.register_hook(lambda g: g * 2)
    x.register_post_accumulate_grad_hook(lambda p: None)
    y = x.exp()
    y.register_hook(lambda g: g + 1)
    y.grad_fn.register_hook(lambda a, b: None)
    y.retain_grad()
    y.sum().backward()


def module_and_optimizer():
    m = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU(), torch.nn.Dropout(0.1))
    optimizer = torch.optim.AdamW(m.parameters())
    m(torch.rand(3, 4)).sum().backward()
    optimizer.step()


def lstm():
    torch.nn.LSTM(4, 4)(torch.rand(3, 2, 4))[0].sum().backward()


def recomputed():
    checkpoint(lambda x: x.exp().sin(), leaf(), use_reentrant=False).sum().backward()


def failed_call():
    for call in (lambda: leaf() + torch.ones(3), lambda: leaf().view(3), lambda: torch.cat([leaf(), torch.ones(2, 2)])):
        with pytest.raises(RuntimeError):
            call()


def failed_backward():
    y = (leaf() * 2).sum()
    y.backward()
    with pytest.raises(RuntimeError):
        y.backward()


def shared_with_numpy():
    a = torch.ones(4).numpy()
    torch.from_numpy(a).add_(1)
    torch.from_dlpack(torch.ones(4))


@pytest.mark.parametrize(
    "run",
    [
        leaf,
        graph_without_backward,
        backward,
        gradient_of_a_gradient,
        changed_view,
        custom_function,
        custom_function_without_backward,
        hooks,
        module_and_optimizer,
        lstm,
        recomputed,
        failed_call,
        failed_backward,
        shared_with_numpy,
    ],
)
def test_nothing_stays(run):
    def used():
        gc.collect()
        return torch.cpu.memory_stats()["allocated_bytes"]

    run()
    before = used()
    for _ in range(5):
        run()
    assert used() == before


def test_objects_of_a_subclass_count_their_class_once():
    for base in (torch.UntypedStorage, torch.Generator, torch.Stream, torch.Tensor, torch.nn.Module, torch._C._FunctionBase):

        class Own(base):
            pass

        before = sys.getrefcount(Own)
        for _ in range(20):
            Own()
        assert sys.getrefcount(Own) == before, base


def test_owners_of_shared_memory_are_let_go():
    array = np.ones(4)
    before = sys.getrefcount(array)
    tensor = torch.from_numpy(array)
    assert sys.getrefcount(array) == before + 1
    del tensor
    assert sys.getrefcount(array) == before


def test_a_pack_hook_may_take_itself_off():
    def pack(tensor):
        torch._C._autograd._pop_saved_tensors_default_hooks()
        return tensor

    x = leaf()
    torch._C._autograd._push_saved_tensors_default_hooks(pack, lambda tensor: tensor)
    del pack
    y = x.exp()
    y.sum().backward()
    assert torch.equal(x.grad, x.detach().exp())


def test_modes_of_a_thread_that_ends_are_let_go():
    class Mode(torch.overrides.TorchFunctionMode):
        pass

    mode = Mode()
    before = sys.getrefcount(mode)
    thread = threading.Thread(target=lambda: torch._C._push_on_torch_function_stack(mode))
    thread.start()
    thread.join()
    deadline = time.monotonic() + 10
    while sys.getrefcount(mode) > before and time.monotonic() < deadline:
        time.sleep(0.01)  # the thread's own memory is freed shortly after join() returns
    assert sys.getrefcount(mode) == before
