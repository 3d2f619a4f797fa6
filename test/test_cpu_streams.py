"""Streams of the CPU do nothing, in the places where programs for any device use them."""

import torch


def test_blocks_nest() -> None:
    default = torch.cpu.current_stream()
    first, second = torch.cpu.Stream(), torch.cpu.Stream(priority=0)
    with torch.cpu.stream(first):
        assert torch.cpu.current_stream("cpu") is first
        with torch.cpu.StreamContext(second), torch.cpu.stream(None):
            assert torch.cpu.current_stream() is second
        assert torch.cpu.current_stream() is first
    assert torch.cpu.current_stream() is default


def test_nothing_waits() -> None:
    stream = torch.cpu.Stream()
    assert stream.wait_stream(torch.cpu.Stream()) is None
    assert stream.record_event() is None
    assert stream.wait_event(None) is None
