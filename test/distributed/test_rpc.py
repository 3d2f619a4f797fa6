"""RPC, which is refused by name."""

from __future__ import annotations

import pytest

import torch


@pytest.mark.parametrize(
    "name", ["init_rpc", "rpc_sync", "rpc_async", "remote", "shutdown", "RRef", "TensorPipeRpcBackendOptions"]
)
def test_functions_say_why(name):
    assert not torch.distributed.rpc.is_available()
    with pytest.raises(
        RuntimeError, match=f"torch.distributed.rpc.{name}: .*TensorPipe, is no longer maintained; use collectives"
    ):
        getattr(torch.distributed.rpc, name)("worker0", rank=0, world_size=1)


@pytest.mark.parametrize("name", ["backward", "context", "get_gradients"])
def test_gradients_through_calls(name):
    import torch.distributed.autograd as dist_autograd

    assert not dist_autograd.is_available()
    with pytest.raises(RuntimeError, match=f"torch.distributed.autograd.{name}: .*TensorPipe"):
        getattr(dist_autograd, name)(1, [])


def test_what_is_built_on_it():
    with pytest.raises(RuntimeError, match="DistributedOptimizer"):
        torch.distributed.optim.DistributedOptimizer(torch.optim.SGD, [])
    with pytest.raises(RuntimeError, match="RemoteModule"):
        torch.distributed.nn.RemoteModule("worker0/cpu", torch.nn.Linear)
