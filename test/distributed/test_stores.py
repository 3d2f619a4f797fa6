"""Stores: one behaviour in four kinds, and a TCP server that bad clients do not disturb."""

from __future__ import annotations

import datetime
import os
import socket
import struct
import threading
import time

import pytest
from ranks import needs_gloo, run_ranks

import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(120)]
SHORT = datetime.timedelta(milliseconds=100)


def tcp(**options):
    return dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False, **options)


KINDS = {
    "tcp": lambda folder: tcp(),
    "file": lambda folder: dist.FileStore(str(folder / "store"), 1),
    "hash": lambda folder: dist.HashStore(),
    "prefix": lambda folder: dist.PrefixStore("a", dist.PrefixStore("b", dist.HashStore())),
}


@pytest.fixture(params=KINDS)
def store(request, tmp_path):
    made = KINDS[request.param](tmp_path)
    made.set_timeout(SHORT)
    return made


def test_values(store):
    store.set("a", "x")
    store.set("b", b"\0\xff")
    assert store.get("a") == b"x" and store.get("b") == b"\0\xff"
    assert store.check(["a", "b"]) and not store.check(["a", "c"])
    assert store.num_keys() == 2 and sorted(store.list_keys()) == ["a", "b"]
    store.append("a", "y")
    store.append("new", "z")
    assert store.get("a") == b"xy" and store.get("new") == b"z"
    assert store.delete_key("a") and not store.delete_key("a") and not store.check(["a"])
    store.multi_set(["p", "q"], ["1", b"2"])
    assert store.multi_get(["p", "q"]) == [b"1", b"2"]
    with pytest.raises(ValueError, match="2 keys and 1"):
        store.multi_set(["p", "q"], ["1"])


def test_numbers(store):
    assert store.add("n", 5) == 5 and store.add("n", -7) == -2 and store.get("n") == b"-2"
    store.set("text", "five")
    with pytest.raises(ValueError, match="no decimal number"):
        store.add("text", 1)
    store.set("big", str(2**63 - 1))
    with pytest.raises(ValueError, match="64 bits"):
        store.add("big", 1)
    assert store.get("text") == b"five"  # and the store still answers


def test_compare_set(store):
    assert store.compare_set("k", "expected", "v") == b"expected" and not store.check(["k"])
    assert store.compare_set("k", "", "v") == b"v"
    assert store.compare_set("k", "other", "w") == b"v"
    assert store.compare_set("k", "v", "w") == b"w" == store.get("k")


def test_waiting(store):
    start = time.monotonic()
    with pytest.raises(dist.DistStoreError, match="timeout after 100ms, keys: .*missing"):
        store.get("missing")
    with pytest.raises(dist.DistStoreError, match="missing"):
        store.wait(["missing", "too"], SHORT)
    assert time.monotonic() - start < 5
    other = store.clone()
    timer = threading.Timer(0.05, lambda: other.set("late", "1"))
    timer.start()
    store.wait(["late"], datetime.timedelta(seconds=20))
    timer.join()
    store.barrier("alone", 1)


@pytest.mark.parametrize("kind", ["tcp", "hash", "prefix"])
def test_queues(kind, tmp_path):
    store = KINDS[kind](tmp_path)
    store.set_timeout(SHORT)
    store.queue_push("q", "1")
    store.queue_push("q", "2")
    assert store.queue_len("q") == 2 and store.queue_pop("q") == b"1" and store.queue_pop("q") == b"2"
    with pytest.raises(dist.QueueEmptyError):
        store.queue_pop("q", block=False)
    with pytest.raises(dist.DistStoreError):
        store.queue_pop("q")


def test_prefixes_are_apart():
    store = dist.HashStore()
    one, two = dist.PrefixStore("one", store), dist.PrefixStore("two", store)
    one.set("k", "1")
    two.set("k", "2")
    assert (one.get("k"), two.get("k"), store.get("one/k")) == (b"1", b"2", b"1")
    assert one.list_keys() == ["k"] and one.underlying_store is store


def test_a_file_is_removed_with_its_last_user(tmp_path):
    path = tmp_path / "store"
    first, second = dist.FileStore(str(path), 2), dist.FileStore(str(path), 2)
    first.set("k", "v")
    assert second.get("k") == b"v"
    del first
    assert path.exists()
    del second
    assert not path.exists()


def test_a_damaged_file_is_an_error(tmp_path):
    path = tmp_path / "store"
    path.write_bytes(b"this is no store at all, whatever it is")
    with pytest.raises(RuntimeError, match="no store, or is damaged"):
        dist.FileStore(str(path), 1)


def add_from_rank(rank, size, port):
    store = dist.TCPStore("localhost", port)
    for _ in range(200):
        store.add("n", 1)
    store.set(f"done{rank}", "1")
    store.wait([f"done{r}" for r in range(size)])
    return store.add("n", 0)


def test_ranks_share_a_tcp_store():
    server = tcp()
    assert run_ranks(add_from_rank, 3, server.port, group=False) == [600] * 3


def test_bad_clients_do_not_disturb_the_server():
    server = tcp()
    messages = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"tstore01" + struct.pack("<IB", 1 << 31, 0),
        b"tstore01" + struct.pack("<IB", 1, 200),
        b"tstore01" + struct.pack("<IBI", 5, 0, 1 << 30),
        b"tstore01" + struct.pack("<I", 0),
        b"tsto",
        b"",
    ]
    held = []
    for message in messages:
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(message)
        held.append(connection)
    server.set("k", "v")
    assert server.get("k") == b"v"
    for connection in held:
        connection.close()
    assert server.add("n", 1) == 1


def test_many_clients():
    server = tcp()
    clients = [dist.TCPStore("127.0.0.1", server.port) for _ in range(300)]
    for client in clients:
        client.add("n", 1)
    assert server.get("n") == b"300"


def test_a_client_of_a_dead_server_gets_an_error():
    server = tcp()
    client = dist.TCPStore("127.0.0.1", server.port, timeout=datetime.timedelta(seconds=5))
    client.set("k", "v")
    del server
    for _ in range(2):
        with pytest.raises(dist.DistNetworkError, match="store at 127.0.0.1"):
            client.get("k")


def test_it_listens_at_the_loopback_device_only():
    store, listening = tcp(), "0A"
    with open("/proc/net/tcp") as file:
        sockets = [line.split()[1:4] for line in file]
    found = [own for own, _, state in sockets[1:] if own.endswith(f":{store.port:04X}") and state == listening]
    assert found == [f"0100007F:{store.port:04X}"]


def test_errors_of_connecting():
    server = tcp()
    second = datetime.timedelta(milliseconds=300)
    with pytest.raises(dist.DistNetworkError, match="in use"):
        dist.TCPStore("localhost", server.port, is_master=True, wait_for_workers=False)
    shared = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False, multi_tenant=True)
    again = dist.TCPStore("localhost", shared.port, is_master=True, wait_for_workers=False, multi_tenant=True)
    again.set("k", "v")
    assert shared.get("k") == b"v"
    with pytest.raises(dist.DistNetworkError, match="timed out after 300 ms"):
        dist.TCPStore("127.0.0.1", 1, timeout=second)
    with pytest.raises(dist.DistStoreError, match="1 of 2 joined"):
        dist.TCPStore("127.0.0.1", 0, 2, True, second)
    with pytest.raises(ValueError, match="port from 0 to 65535"):
        dist.TCPStore("localhost", 70000)
    with pytest.raises(ValueError, match="no listening socket"):
        dist.TCPStore("localhost", 0, is_master=True, master_listen_fd=os.open("/dev/null", os.O_RDONLY))
