"""Process groups: how they begin, their ranks, parts of them, backends of others."""

from __future__ import annotations

import datetime
import socket
import subprocess
import sys

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def meet(rank, size, url, environment):
    import os

    os.environ.update(environment)
    given = {} if environment else {"rank": rank, "world_size": size}
    if environment:
        os.environ["RANK"] = str(rank)
    for _ in range(2):  # a second time after the end of the first
        dist.init_process_group("gloo", url, **given)
        x = torch.ones(1)
        dist.all_reduce(x)
        assert x.item() == size == dist.get_world_size() and dist.get_rank() == rank
        dist.destroy_process_group()
        if url is not None:
            return


@pytest.mark.parametrize("kind", ["tcp", "file", "env"])
def test_meeting(kind, tmp_path):
    port = free_port()
    url = {"tcp": f"tcp://127.0.0.1:{port}", "file": f"file://{tmp_path}/meeting", "env": "env://"}[kind]
    environment = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"} if kind == "env" else {}
    run_ranks(meet, 2, url, environment, group=False)


def short_lives(rank, size):
    for _ in range(20):
        dist.destroy_process_group(dist.new_group(list(range(size))))


def test_groups_that_end_at_once():
    run_ranks(short_lives, 3)


def parts(rank, size):
    everyone = dist.group.WORLD
    assert dist.is_initialized() and dist.get_process_group_ranks(everyone) == [0, 1, 2] and dist.get_backend() == "gloo"
    ends = dist.new_group([2, 0])
    if rank == 1:
        assert ends == dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(ends) == -1
        with pytest.warns(UserWarning, match="not in the group"):
            dist.all_reduce(torch.ones(1), group=ends)
    else:
        x = torch.tensor([float(rank)])
        dist.broadcast(x, 2, group=ends)
        assert x.item() == 2 and dist.get_rank(ends) == rank // 2 and dist.get_group_rank(ends, 2) == 1
        assert dist.get_global_rank(ends, 1) == 2 and dist.get_world_size(ends) == 2
        with pytest.raises(ValueError, match="not in the group"):
            dist.broadcast(x, 1, group=ends)
    own, every = dist.new_subgroups_by_enumeration([[0, 1], [2]])
    x = torch.ones(1)
    dist.all_reduce(x, group=own)
    assert x.item() == (1 if rank == 2 else 2) and len(every) == 2
    part = dist.split_group(split_ranks=[[0], [1, 2]])
    assert dist.get_world_size(part) == (1 if rank == 0 else 2)
    for wrong in ([0, 9], [0, 0], [0, 1, 2, 0]):
        with pytest.raises(ValueError):
            dist.new_group(wrong)
    dist.destroy_process_group(part)
    with pytest.raises(ValueError, match="destroyed"):
        dist.get_process_group_ranks(part)
    dist.barrier()


def test_parts():
    run_ranks(parts, 3)


@pytest.fixture
def alone():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def test_before_and_after(alone):
    with pytest.raises(ValueError, match="already"):
        dist.init_process_group("gloo")
    dist.destroy_process_group()
    assert not dist.is_initialized() and dist.group.WORLD is None
    for call in (dist.get_rank, dist.get_world_size, dist.get_backend, lambda: dist.all_reduce(torch.ones(1))):
        with pytest.raises(ValueError, match="init_process_group"):
            call()
    with pytest.raises(AssertionError):
        dist.destroy_process_group()


def test_arguments_of_init():
    store = dist.HashStore()
    with pytest.raises(ValueError, match="unknown backend 'nope'"):
        dist.init_process_group("nope", store=store, rank=0, world_size=1)
    with pytest.raises(RuntimeError, match="there is no backend UCC"):
        dist.init_process_group("ucc", store=store, rank=0, world_size=1)
    with pytest.raises(ValueError, match="needs world_size and rank"):
        dist.init_process_group("gloo", store=store)
    with pytest.raises(TypeError, match="timedelta"):
        dist.init_process_group("gloo", store=store, rank=0, world_size=1, timeout=3)
    with pytest.raises(RuntimeError, match="nobody handles foo://"):
        dist.init_process_group("gloo", "foo://", rank=0, world_size=1)
    with pytest.raises(dist.DistBackendError, match=r"missing ranks \[1\]"):
        second = datetime.timedelta(milliseconds=200)
        dist.init_process_group("gloo", store=store, rank=0, world_size=2, timeout=second)
    assert not dist.is_initialized()


def test_the_fake_backend():
    dist.init_process_group("fake", store=dist.HashStore(), rank=3, world_size=8)
    x, gathered = torch.arange(2.0), torch.empty(16)
    dist.all_reduce(x)
    dist.all_gather_into_tensor(gathered, x)
    assert x.tolist() == [0, 1] and gathered.tolist() == [0, 1] * 8 and dist.get_rank() == 3
    dist.all_reduce(x, async_op=True).wait()
    dist.barrier()
    dist.destroy_process_group()


class Doubling(dist.ProcessGroup if dist.is_available() else object):
    """A backend written in Python, whose sum is twice the tensor."""

    def name(self):
        return "doubling"

    def allreduce(self, tensors, opts=None, timeout=None):
        for tensor in tensors:
            tensor.mul_(2)
        return Done()


class Done(dist.Work if dist.is_available() else object):
    def wait(self, timeout=None):
        return True


def test_backends_of_others():
    made = []

    def create(store, rank, size, timeout):
        made.append((rank, size, timeout))
        return Doubling(store, rank, size)

    dist.Backend.register_backend("doubling", create, devices="cpu")
    assert dist.Backend.DOUBLING == "doubling" and dist.is_backend_available("doubling")
    with pytest.raises(RuntimeError, match="already"):
        dist.Backend.register_backend("doubling", create)
    dist.init_process_group("doubling", store=dist.HashStore(), rank=0, world_size=1)
    x = torch.ones(2)
    dist.all_reduce(x)
    assert x.tolist() == [2, 2] and made[0][:2] == (0, 1) and dist.get_backend() == "doubling"
    dist.destroy_process_group()


def test_a_backend_says_what_it_lacks(alone):
    from torch._C._distributed_c10d import Backend

    assert isinstance(dist.group.WORLD._get_backend(torch.device("cpu")), Backend)
    with pytest.raises(RuntimeError, match="no backend for tensors on 'meta'"):
        dist.all_reduce(torch.ones(1, device="meta"))


def test_importing_torch_loads_nothing_of_it():
    code = (
        "import sys, torch\n"
        "torch.distributed.is_available(), torch.distributed.is_initialized()\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libgloo' not in maps and 'torch_distributed' not in maps\n"
        "import torch._C._distributed_c10d\n"
        "assert 'libgloo' in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_of_a_build_without_it():
    from torch.distributed import _without

    space = {}
    _without.fill("torch.distributed", space)
    assert space["is_initialized"]() is False and space["group"].WORLD is None
    with pytest.raises(RuntimeError, match="init_process_group"):
        space["init_process_group"]("gloo")
    names = {name for text in dist._NAMES.values() for name in text.split() if not name.startswith("_")}
    assert not names - set(space) - {"rendezvous"}  # a function with its module's name, as it always is
