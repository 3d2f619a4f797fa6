"""Agents, and jobs whose machines meet by a rendezvous of the user's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from ranks import needs_gloo

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(90)]

if dist.is_available():
    from torch.distributed.elastic import events
    from torch.distributed.elastic.agent.server import LocalElasticAgent, SimpleElasticAgent, WorkerSpec, WorkerState
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.elastic.rendezvous import (
        RendezvousHandler,
        RendezvousInfo,
        RendezvousParameters,
        RendezvousStoreInfo,
        rendezvous_handler_registry,
    )
    from torch.distributed.elastic.rendezvous.registry import get_rendezvous_handler
    from torch.distributed.launcher import LaunchConfig, elastic_launch

    class OneMachine(RendezvousHandler):
        """A rendezvous of a single machine, with a store in a file."""

        def __init__(self, parameters):
            self.parameters, self.rounds, self.ended = parameters, 0, False

        def get_backend(self):
            return "one_machine"

        def next_rendezvous(self):
            self.rounds += 1
            store = dist.PrefixStore(str(self.rounds), dist.FileStore(self.parameters.endpoint, -1))
            return RendezvousInfo(store, 0, 1, RendezvousStoreInfo.build(0, store, "localhost"))

        def is_closed(self):
            return False

        def set_closed(self):
            pass

        def num_nodes_waiting(self):
            return 0

        def get_run_id(self):
            return self.parameters.run_id

        def shutdown(self):
            self.ended = True
            return True

    class Recorded(SimpleElasticAgent):
        """An agent of the user's: its workers are numbers, and fail as often as it is told."""

        def __init__(self, spec, failures):
            super().__init__(spec)
            self.failures, self.calls = failures, []

        def _start_workers(self, worker_group):
            self.calls.append("start")
            return {worker.local_rank: 100 + worker.local_rank for worker in worker_group.workers}

        def _stop_workers(self, worker_group):
            self.calls.append("stop")

        def _monitor_workers(self, worker_group):
            from torch.distributed.elastic.agent.server import RunResult

            self.failures -= 1
            return RunResult(WorkerState.SUCCEEDED if self.failures < 0 else WorkerState.FAILED)

        def _shutdown(self, death_sig=None, timeout=30):
            self.calls.append("shutdown")


def one_process(**settings):
    parameters = RendezvousParameters("c10d", "localhost:0", "job", 1, 1, is_host=True)
    return WorkerSpec("trainer", rdzv_handler=get_rendezvous_handler(parameters), monitor_interval=0.01, **settings)


def test_agent_of_the_user():
    agent = Recorded(one_process(local_world_size=3, entrypoint="program", max_restarts=2), failures=2)
    result = agent.run()
    assert result.state is WorkerState.SUCCEEDED and not result.is_failed()
    assert agent.calls == ["start", "stop", "start", "stop", "start", "shutdown"]
    group = agent.get_worker_group()
    assert [(w.global_rank, w.role_rank, w.world_size, w.id) for w in group.workers] == [(k, k, 3, 100 + k) for k in range(3)]
    assert (group.group_rank, group.group_world_size, group.state) == (0, 1, WorkerState.SUCCEEDED)
    agent = Recorded(one_process(local_world_size=1, entrypoint="program", max_restarts=1), failures=5)
    assert agent.run().is_failed() and agent.calls == ["start", "stop", "start", "stop", "shutdown"]
    about = agent.get_event_failed().metadata
    assert (about["state"], about["agent_restarts"], about["role"], about["run_id"]) == ("FAILED", 1, "trainer", "job")


def test_ranks_of_roles():
    """Machine 1 of 3 has other workers than the others."""
    store = dist.HashStore()
    found = {}

    def machine(rank, role, count):
        agent = Recorded(one_process(local_world_size=count, entrypoint="program"), 0)
        agent._worker_group.spec.role = role
        found[rank] = agent._assign_worker_ranks(store, rank, 3, agent._worker_group.spec), agent._round

    threads = [threading.Thread(target=machine, args=args) for args in ((0, "a", 2), (1, "b", 1), (2, "a", 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    ranks = {rank: [(w.global_rank, w.role_rank, w.world_size, w.role_world_size) for w in found[rank][0]] for rank in found}
    assert ranks == {0: [(0, 0, 5, 4), (1, 1, 5, 4)], 1: [(2, 0, 5, 1)], 2: [(3, 2, 5, 4), (4, 3, 5, 4)]}
    assert len({attempt for _, attempt in found.values()}) == 1


def summed(path):
    """The sum of the ranks; the first attempt fails on rank 1."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    if rank == 1 and not os.path.exists(path):
        open(path, "w").close()
        raise ValueError("the first attempt")
    total = torch.tensor(float(rank))
    dist.all_reduce(total)
    dist.destroy_process_group()
    return os.environ["ROLE_NAME"], int(os.environ["TORCHELASTIC_RESTART_COUNT"]), total.item()


def test_local_agent(tmp_path):
    spec = one_process(local_world_size=2, entrypoint=summed, args=(str(tmp_path / "failed"),), max_restarts=1)
    agent = LocalElasticAgent(spec, DefaultLogsSpecs())
    result = agent.run()
    assert result.return_values == {0: ("trainer", 1, 1.0), 1: ("trainer", 1, 1.0)}
    spec.rdzv_handler.shutdown()
    with pytest.raises(NotImplementedError, match="spawn"):
        LocalElasticAgent(spec, DefaultLogsSpecs(), start_method="fork")


def seven():
    return 7


def end_the_job():
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)


def test_a_signal_leaves_the_rendezvous_open(tmp_path, handlers):
    before = signal.getsignal(signal.SIGTERM)
    settings = config(tmp_path, max_restarts=0)
    with pytest.raises(SignalException, match="SIGTERM"):
        elastic_launch(settings, end_the_job)()
    assert signal.getsignal(signal.SIGTERM) is before
    assert not handlers[0].ended  # other machines may go on
    settings.start_method = "fork"
    with pytest.raises(NotImplementedError, match="spawn"):
        elastic_launch(settings, end_the_job)()


def test_jobs_in_a_thread(tmp_path, handlers, caplog):
    plain = LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=0)
    results = []

    def launch():
        for settings in (plain, config(tmp_path, max_restarts=0)):
            results.append(elastic_launch(settings, seven)())

    thread = threading.Thread(target=launch)
    thread.start()
    thread.join(60)
    assert results == [{0: 7, 1: 7}] * 2
    assert "child thread" in caplog.text


@pytest.fixture
def handlers(monkeypatch):
    """The handlers that were made by the name "one_machine"."""
    monkeypatch.setattr(rendezvous_handler_registry, "_registry", dict(rendezvous_handler_registry._registry))
    made = []
    rendezvous_handler_registry.register("one_machine", lambda parameters: made.append(OneMachine(parameters)) or made[-1])
    return made


def config(tmp_path, **settings):
    return LaunchConfig(
        1, 1, 2, run_id="job", role="trainer", rdzv_backend="one_machine", rdzv_endpoint=str(tmp_path / "store"),
        monitor_interval=0.01, rdzv_configs={"color": "blue"}, **settings,
    )  # fmt: skip


def test_rendezvous_of_the_user(tmp_path, handlers, monkeypatch):
    import logging

    texts = []

    class Listener(logging.Handler):
        def emit(self, event):
            texts.append(events.Event.deserialize(event.getMessage()).name.rpartition(".")[2])

    from torch.distributed.elastic.events import handlers as listeners

    monkeypatch.setitem(listeners._log_handlers, "listener", Listener())
    settings = config(tmp_path, max_restarts=1, event_log_handler="listener")
    result = elastic_launch(settings, summed)(str(tmp_path / "failed"))
    assert result == {0: ("trainer", 1, 1.0), 1: ("trainer", 1, 1.0)}
    (made,) = handlers
    assert made.rounds == 2 and made.ended and made.parameters.get("color") == "blue"
    assert texts == ["SUCCEEDED"] * 3  # two workers, and the agent
    plain = LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=0, event_log_handler="listener")
    with pytest.raises(ChildFailedError):
        elastic_launch(plain, summed)(str(tmp_path / "more"))
    elastic_launch(plain, summed)(str(tmp_path / "more"))
    assert texts[3:] == ["FAILED", "SUCCEEDED"]
    plain.event_log_handler = "absent"
    with pytest.raises(KeyError, match="absent"):
        elastic_launch(plain, summed)(str(tmp_path / "more"))
    with pytest.raises(ChildFailedError, match="the first attempt"):
        elastic_launch(config(tmp_path, max_restarts=0), summed)(str(tmp_path / "other"))
    assert handlers[1].ended
    settings.rdzv_backend = "absent"
    with pytest.raises(ValueError, match="'absent' is not registered"):
        elastic_launch(settings, summed)("")


def test_plugin_of_torchrun(tmp_path):
    """A package that is installed brings a rendezvous as an entry point."""
    about = tmp_path / "plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[torchrun.handlers]\none_machine = plugin_module:creator\nbad = nothing:at_all\n")
    (tmp_path / "plugin_module.py").write_text(
        "def creator():\n    import test_elastic_agent\n    return test_elastic_agent.OneMachine\n"
    )
    (tmp_path / "program.py").write_text(
        "import os, sys\nprint('ranks', os.environ['RANK'], os.environ['WORLD_SIZE'], sys.argv[1])\n"
    )
    paths = [str(tmp_path), os.path.dirname(__file__), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--rdzv-backend=one_machine",
        f"--rdzv-endpoint={tmp_path / 'store'}", str(tmp_path / "program.py"), "x",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ":".join(paths)}, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split("\n")) == ["", "ranks 0 2 x", "ranks 1 2 x"]
    assert "'bad'" in done.stderr
    command[4] = "--rdzv-backend=absent"
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ":".join(paths)}, timeout=60)
    assert done.returncode == 1 and "--rdzv-backend: expected one of c10d, one_machine, static, got 'absent'" in done.stderr


def machine(path, number):
    """One of two machines, with a rendezvous whose state is in a place of the user's."""
    from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import C10dRendezvousBackend
    from torch.distributed.elastic.rendezvous.dynamic_rendezvous import create_handler

    class Backend(C10dRendezvousBackend):
        name = "of_the_user"

    def creator(parameters):
        parameters.local_addr = "localhost"
        store = dist.FileStore(parameters.endpoint, -1)
        return create_handler(store, Backend(store, parameters.run_id), parameters)

    rendezvous_handler_registry.register("of_the_user", creator)
    config = LaunchConfig(
        2, 2, 2, run_id="job", rdzv_backend="of_the_user", rdzv_endpoint=f"{path}/store", max_restarts=2, monitor_interval=0.02,
    )  # fmt: skip
    with open(f"{path}/result{number}", "w") as file:
        file.write(repr(sorted(elastic_launch(config, summed)(f"{path}/failed").items())))


def test_two_machines_start_again(tmp_path):
    context = torch.multiprocessing.get_context("spawn")
    machines = [context.Process(target=machine, args=(str(tmp_path), k), daemon=True) for k in range(2)]
    for process in machines:
        process.start()
    for process in machines:
        process.join(60)
    assert [process.exitcode for process in machines] == [0, 0]
    found = dict(pair for k in range(2) for pair in eval((tmp_path / f"result{k}").read_text()))
    assert sorted(found) == [0, 1, 2, 3]
    assert all(total == 6.0 for _, _, total in found.values())
    assert max(restarts for _, restarts, _ in found.values()) >= 1
