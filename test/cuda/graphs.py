"""CUDA graphs: capture, replay, memory, random numbers, what cannot be captured."""

import pytest

import torch


def test_a_graph_runs_again_on_new_inputs():
    x = torch.zeros(5, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = (x * 2 + 1).sum()
    for value in (1.0, 3.0):
        x.fill_(value)
        graph.replay()
        assert y.item() == 5 * (2 * value + 1)


def test_captured_work_does_not_run():
    x = torch.zeros(3, device="cuda")
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        assert torch.cuda.is_current_stream_capturing()
        x.add_(1)
    assert not torch.cuda.is_current_stream_capturing()
    assert x.tolist() == [0, 0, 0]


def test_memory_of_a_graph_is_its_own():
    graph = torch.cuda.CUDAGraph()
    x = torch.ones(1000, device="cuda")
    with torch.cuda.graph(graph):
        y = x + 1
    others = [torch.full((1000,), float(k), device="cuda") for k in range(20)]
    graph.replay()
    assert all((other == k).all() for k, other in enumerate(others))
    segments = [s for s in torch.cuda.memory_snapshot() if s["segment_pool_id"] == graph.pool()]
    assert segments and any(s["address"] <= y.data_ptr() < s["address"] + s["total_size"] for s in segments)


def test_two_graphs_share_a_pool():
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    x = torch.arange(4.0, device="cuda")
    with torch.cuda.graph(first):
        y = x.exp()
    with torch.cuda.graph(second, pool=first.pool()):
        z = y + 1
    assert first.pool() == second.pool()
    first.replay()
    second.replay()
    torch.testing.assert_close(z.cpu(), torch.arange(4.0).exp() + 1)


def test_memory_returns_after_reset():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = torch.zeros(1 << 20, device="cuda")
    pool = graph.pool()
    del y
    graph.reset()
    torch.cuda.empty_cache()
    assert not [s for s in torch.cuda.memory_snapshot() if s["segment_pool_id"] == pool]
    with pytest.raises(RuntimeError, match="captured nothing"):
        graph.replay()


def test_random_numbers_are_new_in_each_replay():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = torch.rand(100, device="cuda")
        z = torch.randn(50, device="cuda")
    torch.cuda.manual_seed(5)
    seen = []
    for _ in range(2):
        graph.replay()
        seen.append((y.cpu(), z.cpu()))
    assert not torch.equal(seen[0][0], seen[1][0])
    torch.cuda.manual_seed(5)
    for replayed_y, replayed_z in seen:  # as without a graph
        assert torch.equal(torch.rand(100, device="cuda").cpu(), replayed_y)
        assert torch.equal(torch.randn(50, device="cuda").cpu(), replayed_z)


def test_a_generator_has_to_be_known():
    generator = torch.Generator("cuda")
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="register_generator_state"):
        with torch.cuda.graph(graph):
            torch.rand(3, device="cuda", generator=generator)
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(generator)
    generator.manual_seed(3)
    with torch.cuda.graph(graph):
        y = torch.rand(3, device="cuda", generator=generator)
    graph.replay()
    generator.manual_seed(3)
    assert torch.equal(torch.rand(3, device="cuda", generator=generator), y)


def test_states_that_the_default_generator_takes_in_a_capture():
    """As models do that are split over devices: parts that are the same everywhere draw from one state, others from another."""
    default = torch.cuda.default_generators[0]
    state = torch.Generator("cuda").manual_seed(3)
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(state)
    graph.register_generator_state(state.graphsafe_get_state())  # the same one
    torch.cuda.manual_seed(1)
    with torch.cuda.graph(graph):
        usual = torch.rand(3, device="cuda")
        before = default.graphsafe_get_state()
        default.graphsafe_set_state(state)
        special = torch.rand(3, device="cuda")
        default.graphsafe_set_state(before)
    for _ in range(2):
        graph.replay()
    torch.cuda.manual_seed(1)
    state.manual_seed(3)
    for _ in range(2):
        expected = torch.rand(3, device="cuda"), torch.rand(3, device="cuda", generator=state)
    assert torch.equal(usual, expected[0]) and torch.equal(special, expected[1])


def test_seeding_in_a_capture_is_refused():
    with pytest.raises(RuntimeError, match="manual_seed"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            torch.cuda.manual_seed(1)
    torch.cuda.manual_seed(1)


@pytest.mark.parametrize("call", ["item", "cpu", "synchronize"])
def test_what_waits_for_the_gpu_cannot_be_captured(call):
    x = torch.ones(3, device="cuda")
    with pytest.raises(RuntimeError, match="captured|capture"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            y = x + 1
            y.sum().item() if call == "item" else y.cpu() if call == "cpu" else torch.cuda.synchronize()
    assert (x + 1).tolist() == [2, 2, 2]


def test_the_default_stream_is_refused():
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="default stream"):
        graph.capture_begin()
    with pytest.raises(RuntimeError, match="capture_error_mode"):
        with torch.cuda.stream(torch.cuda.Stream()):
            graph.capture_begin(capture_error_mode="never")
    with pytest.raises(RuntimeError, match="no capture"):
        graph.capture_end()
    with pytest.raises(RuntimeError, match="captured nothing"):
        graph.replay()
    with pytest.raises(RuntimeError, match="captured nothing"):
        graph.pool()


def test_a_graph_captures_once():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="reset"):
        with torch.cuda.graph(graph):
            pass


def test_streams_join_a_capture():
    x = torch.arange(6.0, device="cuda")
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            assert torch.cuda.is_current_stream_capturing()
            y = x * 3
        torch.cuda.current_stream().wait_stream(side)
        z = y - 1
    graph.replay()
    assert z.tolist() == [-1, 2, 5, 8, 11, 14]
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="nothing waits for|unjoined"):
        with torch.cuda.graph(graph):
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                x * 3


def test_keep_graph_and_dump(tmp_path):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    x = torch.zeros(2, device="cuda")
    with torch.cuda.graph(graph):
        x.add_(1)
    assert graph.raw_cuda_graph()
    with pytest.raises(RuntimeError, match="instantiated"):
        graph.raw_cuda_graph_exec()
    graph.debug_dump(str(tmp_path / "graph.dot"))
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")
    graph.instantiate()
    graph.replay()
    assert graph.raw_cuda_graph_exec() and x.tolist() == [1, 1]


def test_graphed_callables_learn_as_plain_ones():
    def network():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()

    plain, graphed = network(), network()
    sample = torch.randn(5, 4, device="cuda", requires_grad=True)
    graphed = torch.cuda.make_graphed_callables(graphed, (sample,))
    steps = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (plain, graphed)]
    for k in range(3):
        data = torch.full((5, 4), 0.5 * k, device="cuda")
        losses = []
        for model, step in zip((plain, graphed), steps):
            step.zero_grad()
            loss = (model(data) - 1).square().mean()
            loss.backward()
            step.step()
            losses.append(loss.item())
        assert losses[0] == pytest.approx(losses[1], rel=1e-6)
    for a, b in zip(plain.parameters(), graphed.parameters()):
        torch.testing.assert_close(a, b)


def test_graphed_functions_keep_their_structure():
    def f(a, b):
        return {"sum": a + b, "both": (a * b, a - b)}

    samples = (torch.randn(3, device="cuda", requires_grad=True), torch.randn(3, device="cuda"))
    graphed = torch.cuda.make_graphed_callables(f, samples)
    a, b = torch.tensor([1.0, 2, 3], device="cuda", requires_grad=True), torch.tensor([4.0, 5, 6], device="cuda")
    out = graphed(a, b)
    assert out["sum"].tolist() == [5, 7, 9] and out["both"][1].tolist() == [-3, -3, -3]
    (out["sum"].sum() + out["both"][0].sum()).backward()
    assert a.grad.tolist() == [5, 6, 7]
    with pytest.raises(TypeError, match="int"):
        torch.cuda.make_graphed_callables(f, (samples[0], 3))


def test_external_events():
    # A graph records one event, and waits for another, each time that it runs.
    x, y = torch.zeros(4, device="cuda"), torch.zeros(4, device="cuda")
    before, after = torch.cuda.Event(external=True), torch.cuda.Event(external=True)
    side, other, graph = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        before.wait()
        y.copy_(x)
        after.record()
    for k in range(1, 4):
        with torch.cuda.stream(other):
            x.fill_(k)
            before.record()
        with torch.cuda.stream(side):
            graph.replay()
        after.wait(other)
        with torch.cuda.stream(other):
            assert (y + 0).tolist() == [k] * 4
    plain = torch.cuda.Event(enable_timing=True, external=True)
    plain.record()
    plain.synchronize()
    assert plain.query() and plain.elapsed_time(plain) == 0
