"""Collectives of Gloo beside what one process computes from the values of all ranks."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(180)]

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64]
FOLDS = {
    "SUM": lambda x: x.sum(0), "PRODUCT": lambda x: x.prod(0), "MIN": lambda x: x.amin(0), "MAX": lambda x: x.amax(0),
    "AVG": lambda x: x.double().mean(0),
}  # fmt: skip
BITS = {"BAND": torch.bitwise_and, "BOR": torch.bitwise_or, "BXOR": torch.bitwise_xor}


def values(rank, dtype, *shape):
    """What a rank contributes; every rank can compute it."""
    generator = torch.Generator().manual_seed(rank)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    return torch.randint(1, 5, shape, generator=generator).to(dtype)


def reduce_everything(rank, size):
    for dtype in [*FLOATS, *INTEGERS]:
        every = torch.stack([values(r, dtype, 7, 3) for r in range(size)])
        exact = every.double() if dtype.is_floating_point else every.long()
        for name, fold in FOLDS.items():
            x = values(rank, dtype, 7, 3)
            dist.all_reduce(x, getattr(dist.ReduceOp, name))
            expected = fold(exact)
            if not dtype.is_floating_point:
                torch.testing.assert_close(x.long(), expected.trunc().long() if name == "AVG" else expected)
            elif dtype in (torch.float16, torch.bfloat16) and name in ("SUM", "AVG"):
                # The sum is rounded once.
                torch.testing.assert_close(x, fold(every.float()).to(dtype), rtol=torch.finfo(dtype).eps, atol=0)
            else:
                torch.testing.assert_close(x, expected.to(dtype))
    for dtype in [*INTEGERS, torch.bool]:
        for name, fold in BITS.items():
            x, expected = values(rank, dtype, 9), values(0, dtype, 9)
            dist.all_reduce(x, getattr(dist.ReduceOp, name))
            for r in range(1, size):
                expected = fold(expected, values(r, dtype, 9))
            torch.testing.assert_close(x, expected)
    for name in ("MIN", "MAX"):
        x = torch.arange(100_000.0)
        x[rank] = torch.nan
        dist.all_reduce(x, getattr(dist.ReduceOp, name))
        assert x[:size].isnan().all() and torch.equal(x[size:], torch.arange(size, 100_000.0))
    with pytest.raises(RuntimeError, match="no ReduceOp.BAND for tensors of Float"):
        dist.all_reduce(torch.ones(2), dist.ReduceOp.BAND)
    x = torch.full((2,), 1 + 2j)
    dist.all_reduce(x)
    assert x.tolist() == [size * (1 + 2j)] * 2
    with pytest.raises(ValueError, match="complex"):
        dist.all_reduce(x, dist.ReduceOp.MAX)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_reductions(size):
    run_ranks(reduce_everything, size)


def other_collectives(rank, size):
    every = [values(r, torch.float32, 2, 3) for r in range(size)]
    own = every[rank].clone()

    x = own.clone()
    dist.broadcast(x, size - 1)
    assert torch.equal(x, every[-1])

    x = own.clone()
    dist.reduce(x, size - 1)
    torch.testing.assert_close(x, sum(every) if rank == size - 1 else own)

    parts = [torch.empty(2, 3) for _ in range(size)]
    dist.all_gather(parts, own)
    assert all(map(torch.equal, parts, every))
    joined, stacked = torch.empty(2 * size, 3), torch.empty(size, 2, 3)
    dist.all_gather_into_tensor(joined, own)
    dist.all_gather_into_tensor(stacked, own)
    assert torch.equal(joined, torch.cat(every)) and torch.equal(stacked, torch.stack(every))
    lists = [[torch.empty(2, 3), torch.empty(1)] for _ in range(size)]
    dist.all_gather_coalesced(lists, [own, torch.tensor([float(rank)])])
    assert all(torch.equal(a, every[r]) and b.item() == r for r, (a, b) in enumerate(lists))

    parts = [torch.empty(2, 3) for _ in range(size)] if rank == 0 else None
    dist.gather(own, parts, dst=0)
    assert rank or all(map(torch.equal, parts, every))
    x = torch.empty(2, 3)
    dist.scatter(x, every if rank == 0 else None, src=0)
    assert torch.equal(x, own)

    x = torch.empty(2, 3)
    dist.reduce_scatter(x, [own + r for r in range(size)])
    torch.testing.assert_close(x, sum(every) + size * rank)
    x = torch.empty(3)
    whole = [values(10 + r, torch.bfloat16, 3 * size) for r in range(size)]
    x = torch.empty(3, dtype=torch.bfloat16)
    dist.reduce_scatter_tensor(x, whole[rank])
    torch.testing.assert_close(x, sum(w.float() for w in whole)[3 * rank : 3 * rank + 3].bfloat16())

    x = torch.empty(size)
    dist.all_to_all_single(x, torch.arange(size) * 1.0 + 10 * rank)
    assert x.tolist() == [10.0 * r + rank for r in range(size)]
    # Rank r sends r + 1 rows to every rank.
    x = torch.empty(size * (size + 1) // 2, 2)
    dist.all_to_all_single(x, torch.full((size * (rank + 1), 2), float(rank)), [r + 1 for r in range(size)], [rank + 1] * size)
    assert x[:, 0].tolist() == [float(r) for r in range(size) for _ in range(r + 1)]
    outputs = [torch.empty(r + 1) for r in range(size)]
    dist.all_to_all(outputs, [torch.full((rank + 1,), float(rank)) for _ in range(size)])
    assert [o.tolist() for o in outputs] == [[float(r)] * (r + 1) for r in range(size)]

    tensors = [own.clone(), torch.ones(5)]
    dist.all_reduce_coalesced(tensors)
    torch.testing.assert_close(tensors, [sum(every), torch.full((5,), float(size))])
    with dist._coalescing_manager() as manager:
        for t in tensors:
            dist.all_reduce(t)
    torch.testing.assert_close(tensors[1], torch.full((5,), float(size * size)))
    assert len(manager.works) == 1
    dist.barrier()
    dist.monitored_barrier()

    # Not contiguous, empty, without dimensions, requiring grad.
    x = own.t()
    dist.all_reduce(x)
    torch.testing.assert_close(own, sum(every))
    x = torch.arange(8.0)
    dist.all_reduce(x[::2])
    assert x.tolist() == [size * i if i % 2 == 0 else i for i in range(8)]
    for x in (torch.empty(0), torch.tensor(1.0), torch.ones(2, requires_grad=True)):
        dist.all_reduce(x)
        assert bool((x == size).all())


@pytest.mark.parametrize("size", [1, 2, 3])
def test_others(size):
    run_ranks(other_collectives, size)


def work_in_the_background(rank, size):
    x = torch.ones(4)
    works = [dist.all_reduce(x := torch.full((1000,), float(k)), async_op=True) for k in range(20)]
    assert all(work.wait() for work in works) and works[3].result()[0][0].item() == 3 * size
    work = dist.all_reduce(x, async_op=True)
    doubled = work.get_future().then(lambda done: done.value()[0] * 2)
    assert doubled.wait()[0].item() == 2 * 19 * size * size and work.is_completed() and work.is_success()
    assert work.exception() is None
    return type(work).__name__


def test_work():
    assert run_ranks(work_in_the_background, 2) == ["Work", "Work"]


def messages(rank, size):
    peer = 1 - rank
    if rank == 0:
        dist.send(torch.arange(3.0), 1)
        works = [dist.isend(torch.tensor([float(tag == 7)]), 1, tag=tag) for tag in (7, 5)]
        assert [work.wait() for work in works] == [True, True]
    else:
        x, a, b = torch.empty(3), torch.empty(1), torch.empty(1)
        assert dist.recv(x) == 0 and x.tolist() == [0, 1, 2]
        assert dist.recv(b, 0, tag=5) == 0 and dist.recv(a, 0, tag=7) == 0 and (a.item(), b.item()) == (1, 0)
    x = torch.empty(2, 2).t()
    operations = [dist.P2POp(dist.isend, torch.full((2, 2), float(rank)), peer), dist.P2POp(dist.irecv, x, peer)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    assert bool((x == peer).all())
    with pytest.raises(ValueError, match="itself"):
        dist.send(x, rank)


def test_messages():
    run_ranks(messages, 2)


def objects(rank, size):
    gathered = [None] * size
    dist.all_gather_object(gathered, {"rank": rank, "text": "x" * rank})
    assert gathered == [{"rank": r, "text": "x" * r} for r in range(size)]
    gathered = [None] * size if rank == 1 else None
    dist.gather_object(("from", rank), gathered, dst=1)
    assert rank != 1 or gathered == [("from", r) for r in range(size)]
    sent = ["a", 1, None] if rank == 1 else [None] * 3
    first = [rank]
    dist.broadcast_object_list(first)
    assert first == [0]
    dist.broadcast_object_list(sent, 1)
    assert sent == ["a", 1, None]
    got = [None]
    dist.scatter_object_list(got, [f"for {r}" for r in range(size)] if rank == 0 else None, src=0)
    assert got == [f"for {rank}"]
    if rank == 0:
        dist.send_object_list([1, "two"], 1)
    else:
        got = [None, None]
        assert dist.recv_object_list(got, 0) == 0 and got == [1, "two"]


def test_objects():
    run_ranks(objects, 2)


def wrong_arguments(rank, size):
    x = torch.ones(2)
    for call, error in (
        (lambda: dist.all_reduce([x]), TypeError), (lambda: dist.all_reduce(x, "sum"), TypeError),
        (lambda: dist.broadcast(x, size), RuntimeError), (lambda: dist.all_gather([x], x), RuntimeError),
        (lambda: dist.all_gather([x, x.int()], x), ValueError), (lambda: dist.all_gather([x, torch.ones(3)], x), RuntimeError),
        (lambda: dist.all_gather_into_tensor(torch.ones(3), x), RuntimeError),
        (lambda: dist.reduce_scatter_tensor(x, torch.ones(3)), RuntimeError),
        (lambda: dist.all_to_all_single(torch.ones(3), torch.ones(3)), RuntimeError),
        (lambda: dist.all_to_all_single(x, x, [3, -1], [1, 1]), RuntimeError),
        (lambda: dist.gather(x, [x, x] if rank else None, 0), ValueError),
        (lambda: dist.scatter(x, [x] if rank else None, 0), ValueError),
        (lambda: dist.all_reduce(x, dist.ReduceOp.PREMUL_SUM), RuntimeError),
        (lambda: dist.all_reduce(torch.ones(2, device="meta")), RuntimeError),
        (lambda: dist.isend(x, 1 - rank, tag=-1), RuntimeError),
        (lambda: dist.batch_isend_irecv([]), ValueError), (lambda: dist.P2POp(dist.all_reduce, x, 1 - rank), ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            call()
    dist.all_reduce(x)  # the group still works
    assert x.tolist() == [size, size]


def test_wrong_arguments():
    run_ranks(wrong_arguments, 2)


def same_bits(rank, size):
    torch.manual_seed(rank)
    found = []
    for count in (1, 7, 1000, 65_536, 65_537, 1_300_000):  # on both sides of the size from which ranks make a ring
        for dtype in (torch.float32, torch.bfloat16, torch.int64):
            x = torch.randn(count).mul(50).to(dtype)
            parts = [torch.empty_like(x) for _ in range(size)]
            dist.all_gather(parts, x)
            exact = torch.stack([p.double() for p in parts]).sum(0)
            dist.all_reduce(x)
            dist.all_gather(parts, x)
            assert all(torch.equal(p, x) for p in parts), (count, dtype)
            assert torch.allclose(x.double(), exact, rtol=1e-2 if dtype == torch.bfloat16 else 1e-5, atol=1e-3), (count, dtype)
            found.append(x.double().sum().item())
    return found


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_all_ranks_get_the_same_bits(size):
    results = run_ranks(same_bits, size)
    assert all(found == results[0] for found in results)
