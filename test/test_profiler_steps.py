"""torch.profiler.profile: schedules, steps, what arguments do and which are refused."""

import gzip
import inspect
import json
import warnings

import pytest
from torch._C._profiler import _ExperimentalConfig

import torch
from torch.autograd import profiler as autograd_profiler
from torch.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule, tensorboard_trace_handler


def work():
    with record_function("mine"):
        torch.ones(3).exp()


def names(prof):
    return [e.name for e in prof.events()]


def test_schedule():
    action = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    assert [action(k).name for k in range(7)] == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE"]
    action = schedule(wait=2, warmup=1, active=1, skip_first=1, skip_first_wait=1)
    assert [action(k).name[0] for k in range(9)] == list("NWRNNWRNN")
    with pytest.warns(UserWarning, match="warmup"):
        assert schedule(wait=0, warmup=0, active=1)(5) is ProfilerAction.RECORD_AND_SAVE
    for wrong in ({"wait": 1, "warmup": 1, "active": 0}, {"wait": -1, "warmup": 1, "active": 1}):
        with pytest.raises(AssertionError, match="Invalid profiler schedule"):
            schedule(**wrong)
    with pytest.raises(AssertionError, match="non-negative"):
        action(-1)


def test_steps():
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda p: ready.append((p.step_num, p.events())),
    ) as prof:
        for _ in range(9):
            work()
            prof.step()
    assert [step for step, _ in ready] == [4, 8]
    for (_, events), steps in zip(ready, ((2, 3), (6, 7))):
        assert [e.trace_name for e in events if e.name == "ProfilerStep*"] == [f"ProfilerStep#{k}" for k in steps]
        assert sum(e.name == "mine" for e in events) == 2
    assert prof.key_averages()[0].key == "ProfilerStep*" and prof.key_averages()[0].count == 2


@pytest.mark.parametrize("steps, recorded", [(1, 0), (2, 1), (3, 2), (4, 2), (7, 2)])
def test_the_end_may_come_in_any_step(steps, recorded):
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=lambda p: ready.append(names(p).count("ProfilerStep*"))
    ) as prof:
        for _ in range(steps):
            work()
            prof.step()
    assert ready[-1:] == [recorded] * bool(ready) and bool(ready) == (recorded > 0)
    if steps == 1:
        assert names(prof) == []


def test_nothing_recorded():
    with profile(schedule=schedule(wait=5, warmup=1, active=1)) as prof:
        work()
    for use in (prof.events, prof.key_averages, lambda: prof.export_chrome_trace("unused.json"), profile().stop):
        with pytest.raises(AssertionError, match="must be initialized"):
            use()
    assert prof.get_trace_id() is None


def test_step_without_a_schedule_and_start_stop():
    ready = []
    prof = profile(on_trace_ready=lambda p: ready.append(len(p.events())))
    prof.start()
    for _ in range(3):
        torch.ones(1)
        prof.step()
    prof.stop()
    assert ready == [3] and names(prof) == ["aten::ones"] * 3
    with prof:
        torch.ones(1)
    assert len(prof.events()) == 1  # the second use starts from scratch


def test_acc_events():
    ready = []
    with profile(
        schedule=schedule(wait=0, warmup=1, active=1),
        acc_events=True,
        on_trace_ready=lambda p: ready.append(names(p).count("ProfilerStep*")),
    ) as prof:
        for _ in range(6):
            work()
            prof.step()
    assert ready == [1, 2, 3]


def test_nested_ranges_over_steps():
    with profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=1)) as prof, record_function("around"):
        for k in range(3):
            with record_function("outer"), record_function(f"inner {k}"):
                torch.ones(1)
            prof.step()
    assert names(prof) == ["ProfilerStep*", "outer", "inner 1", "aten::ones"]


def test_a_training_program():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    data = torch.utils.data.TensorDataset(torch.rand(8, 4), torch.randint(0, 2, (8,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1)) as prof:
        for x, y in torch.utils.data.DataLoader(data, batch_size=2):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            prof.step()
    counts = {a.key: a.count for a in prof.key_averages()}
    for key in (
        "ProfilerStep*",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "Optimizer.zero_grad#SGD.zero_grad",
        "Optimizer.step#SGD.step",
        "autograd::engine::evaluate_function: NllLossBackward0",
        "aten::cross_entropy_loss",
    ):
        assert counts[key] == 2, key
    assert counts["torch::autograd::AccumulateGrad"] == 8
    assert {e.name for e in prof.events() if e.cpu_parent is None} == {"ProfilerStep*"}


def test_toggle_collection():
    for prof in (profile(), autograd_profiler.profile()):
        with prof:
            torch.ones(1).exp()
            prof.toggle_collection_dynamic(False, [ProfilerActivity.CUDA])
            torch.ones(1).sin()
            prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
            torch.ones(1).cos()
            prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
            torch.ones(1).log()
            prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        found = {e.name for e in (prof.events() if isinstance(prof, profile) else prof.function_events)}
        assert {"aten::exp", "aten::sin", "aten::log"} <= found and "aten::cos" not in found
    profile().toggle_collection_dynamic(False, [ProfilerActivity.CPU])  # not running: nothing to do


def test_tensorboard_handler(tmp_path):
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "new"), "worker", use_gzip=True)):
        work()
    (written,) = (tmp_path / "new").iterdir()
    assert written.name.startswith("worker.") and written.name.endswith(".pt.trace.json.gz")
    with gzip.open(written, "rt") as f:
        assert any(e["name"] == "mine" for e in json.load(f)["traceEvents"])
    (tmp_path / "file").touch()
    with pytest.raises(RuntimeError, match="directory"):
        tensorboard_trace_handler(str(tmp_path / "file"))(None)


def test_metadata(tmp_path):
    prof = profile(record_shapes=True, custom_trace_id_callback=lambda: "mine")
    prof.preset_metadata_json("preset", "[1]")
    with prof:
        torch.ones(1)
        prof.add_metadata("quoted", 'a"b')
    prof.add_metadata_json("late", '{"a": 1}')
    prof.export_chrome_trace(str(tmp_path / "t.json"))
    document = json.loads((tmp_path / "t.json").read_text())
    assert document["preset"] == [1] and document["quoted"] == 'a"b' and document["late"] == {"a": 1}
    assert document["trace_id"] == prof.get_trace_id() == "mine" and document["record_shapes"] == 1
    with pytest.raises(ValueError, match="expected JSON"):
        prof.add_metadata_json("wrong", "{")


def test_activities():
    with pytest.warns(UserWarning, match="CUDA is not available"):
        prof = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
    with prof:
        work()
    assert "mine" in names(prof)
    with pytest.warns(UserWarning), pytest.raises(AssertionError, match="No activities"):
        profile(activities=[ProfilerActivity.CUDA])
    for wrong in ([], ["cpu"]):
        with pytest.raises(AssertionError, match="No valid profiler activities"):
            profile(activities=wrong)
    with pytest.warns(FutureWarning, match="use_cuda"):
        profile(use_cuda=False)
    assert torch.profiler.supported_activities() == {ProfilerActivity.CPU} and torch.profiler.kineto_available()
    assert str(ProfilerActivity.CPU) == "ProfilerActivity.CPU" and int(ProfilerActivity.CUDA) == 2


def test_what_has_no_effect_says_so():
    idle = _ExperimentalConfig(performance_events=["cycles"])
    with pytest.warns(UserWarning, match="do nothing here: performance_events"), profile(experimental_config=idle):
        pass
    with pytest.warns(UserWarning, match="CUDA"):
        autograd_profiler.profile(use_device="cuda")
    with pytest.warns(UserWarning, match="not a valid device"):
        autograd_profiler.profile(use_device="quantum")
    with pytest.raises(AssertionError, match="use_kineto"):
        autograd_profiler.profile(use_cpu=False)
    with pytest.raises(TypeError, match="_ExperimentalConfig"):
        autograd_profiler.profile(experimental_config={})
    with pytest.raises(TypeError):
        _ExperimentalConfig(unknown=1)


def test_trace_only(tmp_path):
    with profile(experimental_config=_ExperimentalConfig(trace_only=True)) as prof:
        work()
    with pytest.raises(RuntimeError, match="trace_only"):
        prof.events()
    prof.export_chrome_trace(str(tmp_path / "t.json"))
    assert "aten::exp" in (tmp_path / "t.json").read_text()


def test_timeout_of_processing():
    with profile(post_processing_timeout_s=0.0) as prof:
        for _ in range(2000):
            torch.ones(1)
    with pytest.warns(UserWarning, match="post_processing_timeout_s"):
        assert 0 < len(prof.events()) < 2000


def test_absent_things_say_so(tmp_path):
    with pytest.raises(AssertionError, match="CUDA"), autograd_profiler.emit_nvtx():
        pass
    with pytest.raises(RuntimeError, match="ITT"), autograd_profiler.emit_itt():
        pass
    with autograd_profiler.emit_nvtx(enabled=False), autograd_profiler.emit_itt(enabled=False):
        pass
    assert not torch.profiler.itt.is_available()
    with pytest.raises(RuntimeError, match="ITT"):
        torch.profiler.itt.mark("x")
    with pytest.raises(FileNotFoundError):
        autograd_profiler.load_nvprof(str(tmp_path / "none"))
    with pytest.raises(NotImplementedError):
        torch.profiler.ExecutionTraceObserver().register_callback("et.json")
    with profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        work()
    with pytest.raises(NotImplementedError):
        prof.export_memory_timeline("m.json")
    with profile() as prof:
        work()
    with pytest.raises(ValueError, match="required for memory profiling"):
        prof.export_memory_timeline("m.json")


def test_names_of_the_c_module():
    import torch._C._profiler as c

    with profile() as prof, c._RecordFunctionFast("fast"):
        torch.ones(1)
    assert names(prof) == ["fast", "aten::ones"]
    assert c.ProfilerActivity is ProfilerActivity and int(c.RecordScope.USER_SCOPE) == 7
    assert torch.autograd.DeviceType is torch.profiler.DeviceType
    assert prof.events()[0].device_type is torch.profiler.DeviceType.CPU
    with pytest.raises(AttributeError, match="torch._C._profiler"):
        c.beauty  # noqa: B018


def test_the_profile_inside():
    with profile() as prof:
        torch.ones(1)
    assert prof.profiler.function_events is prof.events() and not hasattr(prof.profiler, "kineto_results")


def test_step_tracker_and_unique():
    tracker = autograd_profiler.KinetoStepTracker
    start = tracker.current_step()
    tracker.init_step_count("a")
    assert [tracker.increment_step(who) for who in "abb"] == [start + 1, start + 2, start + 3]
    assert tracker.erase_step_count("a") and not tracker.erase_step_count("a") and tracker.erase_step_count("b")
    seen = autograd_profiler.EnforceUnique()
    seen.see(1, 2)
    seen.see(1)
    with pytest.raises(RuntimeError, match="duplicate key"):
        seen.see(1, 2)


def test_signatures_are_pytorchs():
    def parameters(f):
        return list(inspect.signature(f).parameters)

    shared = ["activities", "schedule", "on_trace_ready", "record_shapes", "profile_memory", "with_stack", "with_flops"]
    shared += ["with_modules", "experimental_config", "execution_trace_observer", "acc_events", "use_cuda"]
    assert parameters(profile) == [*shared, "custom_trace_id_callback", "post_processing_timeout_s"]
    assert parameters(profile.export_chrome_trace) == ["self", "path", "use_python_export"]
    assert parameters(autograd_profiler.profile.table)[-2:] == ["header", "top_level_events_only"]
    assert all(p.kind is p.KEYWORD_ONLY for p in inspect.signature(profile).parameters.values())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import torch.autograd.profiler_util  # noqa: F401
