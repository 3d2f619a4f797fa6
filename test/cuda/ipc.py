"""Tensors on a GPU and events in other processes."""

import contextlib
import subprocess
import sys
import threading

import pytest
from gpus import LAST, emulated, two_devices

import torch
import torch.multiprocessing as mp
from torch.multiprocessing import reductions

spawn = mp.get_context("spawn")


class Failed(Exception):
    """An error of the other process."""


def serve(inbox, outbox):
    """The other process: runs functions of this module, and keeps what they return under their names until "drop"."""
    kept = {}
    while True:
        name, *arguments = inbox.get()
        try:
            if name == "stop":
                return
            result = kept.clear() if name == "drop" else globals()[name](kept, *arguments)
            outbox.put(("done", result))
        except Exception as error:
            outbox.put(("failed", f"{type(error).__name__}: {error}"))
        del arguments


class Other:
    """A process that runs functions of this module."""

    def __init__(self):
        self.inbox, self.outbox = spawn.Queue(), spawn.Queue()
        self.process = spawn.Process(target=serve, args=(self.inbox, self.outbox))
        self.process.start()

    def start(self, function, *arguments):
        self.inbox.put((getattr(function, "__name__", function), *arguments))

    def result(self):
        state, value = self.outbox.get(timeout=120)
        if state == "failed":
            raise Failed(value)
        return value

    def __call__(self, function, *arguments):
        self.start(function, *arguments)
        del arguments
        return self.result()

    def stop(self):
        self.inbox.put(("stop",))
        self.process.join(60)
        return self.process.exitcode


@pytest.fixture(scope="module")
def other():
    made = Other()
    yield made
    assert made.stop() == 0


@pytest.fixture(autouse=True)
def nothing_remains(request):
    yield
    if "other" in request.fixturenames:
        request.getfixturevalue("other")("drop")
    torch.cuda.ipc_collect()


def values(kept, tensor):
    return tensor.tolist()


def keep(kept, *tensors):
    kept["tensors"] = tensors


def change(kept, tensor):
    tensor.add_(10)
    torch.cuda.synchronize(tensor.device)


def describe(kept, tensor):
    return type(tensor).__name__, str(tensor.device), tensor.dtype, tensor.stride(), tensor.requires_grad, tensor.is_leaf


@pytest.mark.parametrize("index", [0, pytest.param(1, marks=two_devices)])
def test_both_see_one_memory(other, index):
    x = torch.arange(6.0, device=torch.device("cuda", index))
    assert other(values, x) == [0, 1, 2, 3, 4, 5]
    other(change, x)
    assert x.tolist() == [10, 11, 12, 13, 14, 15]
    other(keep, x)
    x.mul_(2)
    torch.cuda.synchronize(index)
    assert other(values_kept) == [[20, 22, 24, 26, 28, 30]]


def values_kept(kept):
    return [t.tolist() for t in kept["tensors"]]


@pytest.mark.parametrize("kind", [torch.bool, torch.int16, torch.bfloat16, torch.complex128])
def test_types_and_strides(other, kind):
    x = torch.arange(24, device="cuda").reshape(2, 3, 4).to(kind)
    for view in (x, x.transpose(0, 2), x[1, 1:], x[:, ::2], x.expand(5, 2, 3, 4)):
        assert other(values, view) == view.tolist()
        assert other(describe, view)[1:4] == ("cuda:0", kind, view.stride())


def test_bits_of_views(other):
    x = torch.tensor([1 + 2j, 3j], device="cuda")
    assert other(values, x.conj()) == [1 - 2j, -3j]
    assert other(values, x.conj().imag) == [-2, -3]
    assert other(values, x.detach().conj().requires_grad_()) == [1 - 2j, -3j]


def is_one_memory(kept, a, b):
    a.fill_(7)
    return b.tolist(), a.untyped_storage() == b.untyped_storage()


def test_views_arrive_as_views(other):
    x = torch.zeros(10, device="cuda")
    assert other(is_one_memory, x[2:4], x) == ([0, 0, 7, 7, 0, 0, 0, 0, 0, 0], True)
    assert x.tolist() == [0, 0, 7, 7, 0, 0, 0, 0, 0, 0]


def test_what_arrives_twice_is_one_storage(other):
    x = torch.zeros(4, device="cuda")
    other(keep, x)
    assert other(is_same_as_kept, x) is True


def is_same_as_kept(kept, tensor):
    return kept["tensors"][0].untyped_storage() == tensor.untyped_storage()


def test_blocks_of_one_segment_are_apart(other):
    parts = [torch.full((100,), k, device="cuda") for k in range(5)]
    other(keep, *parts)
    for part in parts:
        part.add_(100)
    torch.cuda.synchronize()
    assert other(values_kept) == [[100 + k] * 100 for k in range(5)]


def test_the_receiver_waits_for_the_work_of_the_sender(other):
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    x.add_(5)  # queued, not run
    assert set(other(values, x)) == {5}


def total_without_waiting(kept, message):
    *message, _, _ = message
    storage = torch.UntypedStorage._new_shared_cuda(*message, b"", False)
    return torch.empty(0, device="cuda").set_(storage, 0, (1000,), (1,)).sum().item()


@emulated
def test_without_its_event_the_receiver_does_not_wait(other):
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    x.add_(5)
    # The emulated device runs nothing before somebody waits for it.
    assert other(total_without_waiting, x.untyped_storage()._share_cuda_()) == 0
    assert x.sum().item() == 5000


def allocated():
    torch.cuda.ipc_collect()
    return torch.cuda.memory_allocated()


def test_the_block_is_kept_until_the_receiver_is_done(other):
    before = allocated()
    x = torch.full((1 << 18,), 3.0, device="cuda")
    address = x.data_ptr()
    other(keep, x)
    del x
    assert allocated() == before + (1 << 20)
    assert torch.zeros(1 << 18, device="cuda").data_ptr() != address
    torch.cuda.synchronize()
    assert set(other(values_kept)[0]) == {3.0}
    other("drop")
    assert allocated() == before
    assert torch.empty(1 << 18, device="cuda").data_ptr() == address


def test_a_new_request_finds_the_blocks_that_receivers_are_done_with(other):
    size = 37 << 20
    x = torch.zeros(size, dtype=torch.uint8, device="cuda")
    address = x.data_ptr()
    other(keep, x)
    del x
    other("drop")
    assert torch.zeros(size, dtype=torch.uint8, device="cuda").data_ptr() == address


def test_each_message_counts(other):
    before = allocated()
    x = torch.zeros(1 << 18, device="cuda")
    other(keep, x, x[:5])
    other(values, x[:3])
    del x
    assert allocated() == before + (1 << 20)
    other("drop")
    assert allocated() == before


def test_a_message_that_nobody_opens():
    before = allocated()
    x = torch.zeros(1 << 18, device="cuda")
    message = x.untyped_storage()._share_cuda_()
    del x
    assert allocated() == before + (1 << 20)
    torch.UntypedStorage._release_ipc_counter_cuda(message[4], message[5])
    assert allocated() == before


def test_a_message_to_oneself():
    before = allocated()
    x = torch.arange(1 << 18, device="cuda", dtype=torch.float32)
    rebuild, arguments = reductions.reduce_tensor(x[5:10])
    y = rebuild(*arguments)
    assert y.tolist() == [5, 6, 7, 8, 9] and y.untyped_storage() == x.untyped_storage()
    with pytest.raises(RuntimeError, match="as often as it was sent|was received before"):
        del x, y
        torch.cuda.ipc_collect()
        rebuild(*arguments)
    assert allocated() == before

    x = torch.arange(1 << 18, device="cuda", dtype=torch.float32)
    rebuild, arguments = reductions.reduce_tensor(x)
    del x  # the message holds the memory
    y = rebuild(*arguments)
    assert y[-1].item() == (1 << 18) - 1 and allocated() == before + (1 << 20)
    del y
    assert allocated() == before


def test_a_queue_in_one_process():
    queue = spawn.Queue()
    x = torch.arange(5, device="cuda")
    queue.put(x)
    y = queue.get(timeout=60)
    y.fill_(3)
    assert x.tolist() == [3] * 5


def test_pipes(other):
    ours, theirs = spawn.Pipe()
    x = torch.arange(3, device="cuda")
    ours.send(x)
    y = theirs.recv()
    assert y.untyped_storage() == x.untyped_storage()


def open_twice(kept, message):
    first, second = (torch.UntypedStorage._new_shared_cuda(*message) for _ in range(2))
    kept["first"] = first
    return first == second


def open_again(kept, message):
    kept.clear()
    torch.UntypedStorage._new_shared_cuda(*message)


def test_a_message_that_is_opened_twice(other):
    before = allocated()
    x = torch.zeros(1 << 18, device="cuda")
    message = x.untyped_storage()._share_cuda_()
    assert other(open_twice, message) is True
    del x
    assert allocated() == before + (1 << 20)  # it is in use there
    with pytest.raises(Failed, match="each message is opened once"):
        other(open_again, message)
    assert allocated() == before


def test_more_messages_than_a_file_has_counters():
    before = allocated()
    tensors = [torch.full((2,), k, device="cuda") for k in range(4500)]
    messages = [t.untyped_storage()._share_cuda_() for t in tensors]
    assert len({m[4] for m in messages}) == 2 and len({m[4:6] for m in messages}) == 4500
    # There are no more events: the sender has waited.
    assert messages[0][7] is True and messages[-1][7] is False
    del tensors
    new = torch.UntypedStorage._new_shared_cuda
    for k in (0, 4000, 4499):
        assert torch.empty(0, dtype=torch.int64, device="cuda").set_(new(*messages[k]), 0, (2,), (1,)).tolist() == [k, k]
    assert allocated() > before
    for m in messages:
        torch.UntypedStorage._release_ipc_counter_cuda(m[4], m[5])
    assert allocated() == before


def put_values(queue, tensor):
    queue.put(tensor.tolist())


def test_arguments_of_processes():
    queue = spawn.Queue()
    x = torch.arange(4, device="cuda")
    process = spawn.Process(target=put_values, args=(queue, x))
    process.start()
    assert queue.get(timeout=120) == [0, 1, 2, 3]
    process.join(60)


def make(kept, size):
    made = kept["made"] = torch.arange(size, device="cuda")
    return made


def change_made(kept):
    kept["made"].fill_(5)
    torch.cuda.synchronize()


def bytes_here(kept):
    return allocated()


def test_the_other_process_sends(other):
    x = other(make, 1000)
    assert x.tolist() == list(range(1000))
    other(change_made)
    assert set(x.tolist()) == {5}
    held = other(bytes_here)
    other("drop")
    assert other(bytes_here) == held  # it is in use here
    with pytest.raises(RuntimeError, match="came from another process cannot be sent on: send a clone"):
        reductions.reduce_tensor(x)
    assert other(values, x.clone())[:2] == [5, 5]
    other("drop")
    del x
    assert other(bytes_here) < held


def test_storages(other):
    storage = torch.arange(4, dtype=torch.uint8, device="cuda").untyped_storage()
    assert storage.is_shared()
    assert other(storage_values, storage) == [0, 1, 2, 3]
    typed = torch.arange(3, device="cuda").storage()
    assert other(typed_values, typed) == [0, 1, 2]
    with pytest.raises(RuntimeError, match="expected a storage on a GPU, got one on cpu"):
        torch.zeros(3).untyped_storage()._share_cuda_()


def test_storages_are_made_on_their_device():
    storage = torch.UntypedStorage(16, device=LAST)
    assert storage.device == LAST
    assert torch.arange(3, dtype=torch.uint8, device="cuda").untyped_storage().tolist() == [0, 1, 2]
    given = torch.UntypedStorage([1, 2, 3], device=LAST)
    assert given.device == storage.device and given[1] == 2 and given[-1] == 3
    given[1] = 255
    assert given.tolist() == [1, 255, 3]
    with pytest.raises(IndexError, match="out of range"):
        given[3]


def storage_values(kept, storage):
    return torch.empty(0, dtype=torch.uint8, device="cuda").set_(storage).tolist()


def typed_values(kept, storage):
    return torch.empty(0, dtype=storage.dtype, device="cuda").set_(storage._untyped_storage, 0, (3,), (1,)).tolist()


def test_empty_tensors(other):
    assert other(describe, torch.zeros(0, 3, device=LAST))[:3] == ("Tensor", str(LAST), torch.float32)
    assert other(values, torch.zeros(2, 0, device="cuda")) == [[], []]


def test_gradients(other):
    leaf = torch.ones(3, device="cuda", requires_grad=True)
    assert other(describe, leaf) == ("Tensor", "cuda:0", torch.float32, (1,), True, True)
    assert other(describe, torch.nn.Parameter(leaf.detach()))[0] == "Parameter"
    with pytest.raises(RuntimeError, match="no gradient can flow"):
        reductions.reduce_tensor(leaf * 2)
    assert other(values, (leaf * 2).detach()) == [2, 2, 2]


def train(kept, model):
    model(torch.ones(4, 3, device="cuda")).sum().backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= p.grad
    torch.cuda.synchronize()


def test_a_model_is_trained_by_another_process(other):
    model = torch.nn.Linear(3, 2).cuda().share_memory()
    before = [p.detach().clone() for p in model.parameters()]
    other(train, model)
    for old, p in zip(before, model.parameters(), strict=True):
        assert torch.allclose(old - p, torch.full_like(old, 4.0))


def test_streams_of_the_receiver(other):
    before = allocated()
    x = torch.zeros(1 << 20, device="cuda")
    other(use_on_a_stream, x)
    del x
    assert other(finish) == 1 << 20
    other("drop")
    assert allocated() == before


def test_streams_of_the_sender(other):
    x = torch.zeros(1 << 18, device="cuda")
    assert other(values, x[:2]) == [0, 0]
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = x + 1  # queued
        x.record_stream(side)
    address = x.data_ptr()
    other("drop")
    del x
    torch.cuda.ipc_collect()
    again = torch.full((1 << 18,), 9.0, device="cuda")
    assert again.data_ptr() != address and y.sum().item() == 1 << 18


def use_on_a_stream(kept, tensor):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        kept["total"] = (tensor + 1).sum()  # queued
    tensor.record_stream(side)


def finish(kept):
    return kept["total"].item()


def test_a_sender_that_has_ended():
    queue = spawn.SimpleQueue()
    process = spawn.Process(target=end_at_once, args=(queue,))
    process.start()
    process.join(60)
    with pytest.raises(RuntimeError, match="cannot be opened: the process has ended.*must live"):
        queue.get()


def end_at_once(queue):
    queue.put(torch.ones(3, device="cuda"))


SENDER = """
import torch
x = torch.ones(3, device="cuda")
x.untyped_storage()._share_cuda_()
"""


def test_a_sender_that_ends_too_early_is_told():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SENDER], capture_output=True, text=True)
    assert done.returncode == 0 and "1 CUDA storages that it sent; they are lost" in done.stderr


def keep_and_end(queue, is_kept, may_end):
    global forever
    forever = queue.get()
    is_kept.set()
    may_end.wait(60)


def test_a_receiver_that_ends_lowers_its_counters():
    before = allocated()
    queue, is_kept, may_end = spawn.Queue(), spawn.Event(), spawn.Event()
    process = spawn.Process(target=keep_and_end, args=(queue, is_kept, may_end))
    process.start()
    x = torch.zeros(1 << 18, device="cuda")
    queue.put(x)
    is_kept.wait(60)
    del x
    assert allocated() == before + (1 << 20)
    may_end.set()
    process.join(60)
    assert process.exitcode == 0 and allocated() == before


def double(x):
    return x * 2


def test_pools_of_processes():
    with spawn.Pool(1) as pool:
        results = pool.map(double, [torch.full((3,), k, device="cuda") for k in range(3)])
        assert [r.tolist() for r in results] == [[0] * 3, [2] * 3, [4] * 3]
        del results


def test_wrong_messages(other):
    x = torch.zeros(4, device="cuda")
    new = torch.UntypedStorage._new_shared_cuda
    with pytest.raises(RuntimeError, match="no message of _share_cuda_"):
        new(0, b"x" * 64, 16, 0, b"nothing", 0, b"", False)
    with pytest.raises(RuntimeError, match="there is no device of that number"):
        new(7, b"x" * 64, 16, 0, b"1:2:3", 0, b"", False)
    with pytest.raises(RuntimeError, match="cannot be opened"):
        new(0, b"x" * 64, 16, 0, b"1:2:3", 0, b"", False)
    device, handle, *rest = x.untyped_storage()._share_cuda_()
    with pytest.raises(Failed, match="expected a handle of 64 bytes, got 3"):
        other(open_message, device, handle[:3], *rest)
    with pytest.raises(Failed, match="cannot be opened"):
        other(open_message, device, b"y" * 64, *rest)
    assert other(open_message, device, handle, *rest) == 16


def open_message(kept, *message):
    return torch.UntypedStorage._new_shared_cuda(*message).nbytes()


def test_pages_of_expandable_segments(other):
    torch.cuda.empty_cache()
    before = allocated()
    with settings("expandable_segments:True"):
        x, y = (torch.full((25 << 20,), k, dtype=torch.uint8, device="cuda") for k in (1, 2))
    assert y.data_ptr() == x.data_ptr() + (25 << 20)  # they share a page
    assert other(values, y[-3:]) == [2, 2, 2]
    other(keep, x[:4], y[:4])
    x.add_(10)
    torch.cuda.synchronize()
    assert other(values_kept) == [[11] * 4, [2] * 4]
    other(change, y[:2])
    assert y[:4].tolist() == [12, 12, 2, 2]
    other(keep, y[:4])
    del x, y
    torch.cuda.empty_cache()
    assert allocated() == before + (25 << 20)
    assert other(values_kept) == [[12, 12, 2, 2]]
    other("drop")
    assert allocated() == before
    torch.cuda.empty_cache()
    assert not [s for s in torch.cuda.memory_snapshot() if s["is_expandable"]]


@contextlib.contextmanager
def settings(text):
    torch.cuda.memory._set_allocator_settings(text)
    try:
        yield
    finally:
        torch.cuda.memory._set_allocator_settings("")


# --- events ---------------------------------------------------------------------------------------


def test_events_of_the_sender(other):
    x = torch.zeros(4, device="cuda")
    other(keep, x)
    torch.cuda.synchronize()
    event = torch.cuda.Event(interprocess=True)
    x.add_(5)
    event.record()
    assert other(state_of, event) is False
    assert other(wait_and_read, event) == [5] * 4
    assert other(state_of, event) is True and event.query()


def state_of(kept, event):
    return event.query()


def wait_and_read(kept, event):
    event.wait()
    return kept["tensors"][0].tolist()


def synchronize_and_read(kept, handle):
    event = torch.cuda.Event.from_ipc_handle("cuda:0", handle)
    event.synchronize()
    return kept["tensors"][0].tolist()


def test_handles_of_events(other):
    x = torch.zeros(4, device="cuda")
    other(keep, x)
    event = torch.cuda.Event(interprocess=True)
    handle = event.ipc_handle()
    assert isinstance(handle, bytes) and len(handle) == 64 and event.query()
    x.add_(3)
    event.record()
    assert other(synchronize_and_read, handle) == [3] * 4


def record(kept, event):
    kept["tensors"][0].add_(2)
    event.record()


def test_events_that_the_receiver_records(other):
    x = torch.zeros(4, device="cuda")
    other(keep, x)
    event = torch.cuda.Event(interprocess=True)
    event.record()
    other(record, event)
    torch.cuda.current_stream().wait_event(event)
    assert x.tolist() == [2] * 4


def test_events_that_are_not_shared(other):
    with pytest.raises(RuntimeError, match="without interprocess=True|not made with interprocess=True"):
        torch.cuda.Event().ipc_handle()
    with pytest.raises(RuntimeError, match="has no time"):
        torch.cuda.Event(enable_timing=True, interprocess=True)
    event = torch.cuda.Event(interprocess=True)
    event.record()
    with pytest.raises(RuntimeError, match="cannot be opened in the process that it comes from"):
        torch.cuda.Event.from_ipc_handle(0, event.ipc_handle())
    with pytest.raises(RuntimeError, match="expected a handle of 64 bytes, got 4"):
        torch.cuda.Event.from_ipc_handle(0, b"1234")
    with pytest.raises(Failed, match="cannot be opened"):
        other(open_event, b"z" * 64)


def open_event(kept, handle):
    return torch.cuda.Event.from_ipc_handle(0, handle).query()


def test_threads_that_send_and_threads_that_allocate():
    """Each takes the lock of the device and that of what was sent: none waits for the other for ever."""

    def send():
        for _ in range(60):
            torch.ones(1 << 18, device="cuda").untyped_storage()._share_cuda_()

    def allocate():
        for k in range(60):
            torch.empty((2 + k % 30) << 20, dtype=torch.uint8, device="cuda")
            torch.cuda.empty_cache()

    threads = [threading.Thread(target=f, daemon=True) for f in (send, send, allocate, allocate)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
