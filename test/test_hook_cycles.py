"""Hooks that reference the object they are attached to: the cycle collector frees both."""

import gc
import weakref

import pytest

import torch


class Token:
    """Lives as long as the hook that holds it."""


def leaf():
    return torch.ones(2, requires_grad=True)


def on_leaf(token):
    x = leaf()
    x.register_hook(lambda grad: (x, token) and None)


def on_leaf_that_ran(token):
    x = leaf()
    x.register_hook(lambda grad: (x, token) and None)
    (x * 2).sum().backward()


def on_parameter(token):
    p = torch.nn.Parameter(torch.ones(2))
    p.register_hook(lambda grad: (p, token) and None)


def with_handle_kept(token):
    x = leaf()
    x.handle = x.register_hook(lambda grad: (x, token) and None)


def after_accumulation(token):
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda t: (x, token) and None)


def on_node(token):
    y = leaf() * 2
    node = y.grad_fn
    node.register_hook(lambda inputs, outputs: (node, token) and None)


def before_node(token):
    node = (leaf() * 2).grad_fn
    node.register_prehook(lambda grads: (node, token) and None)


def in_metadata(token):
    node = (leaf() * 2).grad_fn
    node.metadata["me"], node.metadata["token"] = node, token


def in_attribute(token):
    x = leaf()
    x.me, x.token = x, token


class Kept(torch.autograd.Function):
    """Stores the result of `put` on ctx."""

    @staticmethod
    def forward(ctx, x, token, put):
        y = x * 2
        ctx.token = token
        put(ctx, y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * 2, None, None


def result_on_ctx(token):
    Kept.apply(leaf(), token, lambda ctx, y: setattr(ctx, "y", y)).sum().backward()


def result_on_ctx_without_backward(token):
    Kept.apply(leaf(), token, lambda ctx, y: setattr(ctx, "y", y))


def result_in_a_list_on_ctx(token):
    (Kept.apply(leaf(), token, lambda ctx, y: setattr(ctx, "kept", [{"y": y}])) * 2).sum().backward(retain_graph=True)


def ctx_on_result(token):
    Kept.apply(leaf(), token, lambda ctx, y: setattr(y, "ctx", ctx)).sum().backward()


CYCLES = [on_leaf, on_leaf_that_ran, on_parameter, with_handle_kept, after_accumulation, on_node, before_node, in_metadata,
          in_attribute, result_on_ctx, result_on_ctx_without_backward, result_in_a_list_on_ctx, ctx_on_result]  # fmt: skip


@pytest.mark.parametrize("make", CYCLES, ids=lambda f: f.__name__)
def test_cycle_is_freed(make):
    token = Token()
    alive = weakref.ref(token)
    make(token)
    del token
    gc.collect()
    assert alive() is None


def test_what_the_graph_holds_keeps_its_hooks():
    x = leaf()
    calls = []
    x.register_hook(lambda grad: calls.append(grad.tolist()))
    y = x * 2
    del x
    gc.collect()
    y.sum().backward()
    assert calls == [[2.0, 2.0]]


def test_the_collector_leaves_hooks_in_use_alone():
    x = leaf()
    seen = []
    x.register_hook(lambda grad: seen.append(1))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(2))
    x.me = x
    for _ in range(3):
        gc.collect()
    (x * 2).sum().backward()
    assert seen == [1, 2]


def test_the_collector_leaves_hooks_of_nodes_alone():
    y = leaf() * 2
    seen = []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(1))
    y.grad_fn.metadata["kept"] = [1]
    gc.collect()
    assert y.grad_fn.metadata == {"kept": [1]}
    node = y.grad_fn
    z = y.sum()
    del y
    gc.collect()
    z.backward()
    assert seen == [1] and node.metadata == {"kept": [1]}


def test_the_collector_leaves_results_on_ctx_alone():
    token = Token()
    alive = weakref.ref(token)
    x = leaf()
    y = Kept.apply(x, token, lambda ctx, y: setattr(ctx, "y", y))
    z = y * 3
    del token
    for held in (y, z):
        gc.collect()
        assert alive() is not None and held.grad_fn is not None
    del y, held
    gc.collect()
    assert alive() is not None
    z.sum().backward()
    assert x.grad.tolist() == [6, 6]
    del z
    gc.collect()
    assert alive() is None
