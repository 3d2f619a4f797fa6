"""What profiles say of GPUs, tested without one: columns and sums of made events, and refusals."""

import sys

import pytest

import torch
from torch.autograd import profiler as autograd_profiler
from torch.autograd.profiler_util import EventList, FunctionEvent
from torch.profiler import DeviceType, ProfilerActivity, profile, supported_activities

KERNEL = "void kernel<float>(int)"
# As PyTorch 2.13 prints it.
TABLE = f"""\
{"-" * 27}  {"  ".join(["-" * 12] * 14)}  
                       Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg     Self CUDA   Self CUDA %    CUDA total  CUDA time avg       CPU Mem  Self CPU Mem      CUDA Mem  Self CUDA Mem    # of Calls  
{"-" * 27}  {"  ".join(["-" * 12] * 14)}  
                  aten::add        60.00%      60.000us       100.00%     100.000us     100.000us      30.000us       100.00%      30.000us      30.000us           0 B           0 B       2.00 KB       2.00 KB             1  
    void kernel<float>(int)         0.00%       0.000us         0.00%       0.000us       0.000us      30.000us       100.00%      30.000us      30.000us           0 B           0 B           0 B           0 B             1  
           cudaLaunchKernel        40.00%      40.000us        40.00%      40.000us      40.000us       0.000us         0.00%       0.000us       0.000us           0 B           0 B           0 B           0 B             1  
{"-" * 27}  {"  ".join(["-" * 12] * 14)}  
Self CPU time total: 100.000us
Self CUDA time total: 30.000us
"""  # noqa: E501, W291


def event(number, name, start, end, **options):
    return FunctionEvent(number, name, 1, start, end, use_device="cuda", overload_name="", input_shapes=[], stack=[], **options)


def events(**options):
    add = event(1, "aten::add", 0, 100, device_memory_usage=2048)
    add.append_kernel(KERNEL, 0, 30)
    launch = event(2, "cudaLaunchKernel", 10, 50)
    kernel = event(3, KERNEL, 120, 150, device_type=DeviceType.CUDA, device_resource_id=7)
    made = EventList([add, launch, kernel], use_device="cuda", **options)
    made._build_tree()
    return made


def test_the_table():
    made = events(profile_memory=True)
    assert made.table(sort_by="cuda_time_total") == TABLE
    assert made.key_averages().table(sort_by="cuda_time_total") == TABLE
    heading = events().table().split("\n")[1]
    assert "Self CUDA" in heading and "Mem" not in heading
    only_cpu = EventList([event(1, "aten::add", 0, 100)], use_device="cuda", profile_memory=True)
    only_cpu._build_tree()
    assert "CUDA" not in only_cpu.table()


def test_times():
    add, launch, kernel = events()
    for e, total, own in ((add, 30, 30), (launch, 0, 0), (kernel, 30, 30)):
        assert (e.device_time_total, e.self_device_time_total, e.cuda_time, e.self_cuda_time_total) == (total, own, total, own)
    assert (add.cpu_time_total, add.self_cpu_time_total, kernel.cpu_time_total, kernel.self_cpu_time_total) == (100, 60, 0, 0)
    assert "cuda_time=30.000us name=aten::add thread=1" in repr(add) and "cuda_memory_usage=2048" in repr(add)
    averages = events().key_averages()
    assert [a.device_type for a in averages] == [DeviceType.CPU, DeviceType.CPU, DeviceType.CUDA]
    assert "self_cuda_time=30.000us cuda_time=30.000us" in repr(averages[0]) and averages[0].use_device == "cuda"


def test_ranges_of_the_program_are_not_counted_twice():
    annotation = event(4, "mine", 120, 150, device_type=DeviceType.CUDA, is_user_annotation=True)
    made = EventList([*events(), annotation], use_device="cuda")
    assert made.table().endswith("Self CUDA time total: 30.000us\n")


def test_kernels_of_merged_calls():
    outer, inner = event(1, "aten::add", 0, 100), event(2, "aten::add", 10, 90)
    inner.append_kernel(KERNEL, 0, 30)
    made = EventList([outer, inner], use_device="cuda")
    made._build_tree()
    assert len(made) == 1 and [k.name for k in made[0].kernels] == [KERNEL] and made[0].device_time_total == 30


@pytest.mark.skipif(bool(torch._C._cuda_extension()), reason="is about builds without CUDA")
def test_without_a_gpu():
    assert supported_activities() == {ProfilerActivity.CPU}
    with pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"):
        prof = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
    with prof:
        torch.ones(2)
    assert prof.use_device is None and [e.name for e in prof.events() if e.cpu_parent is None] == ["aten::ones"]
    with pytest.warns(UserWarning, match="CUDA"), pytest.raises(AssertionError, match="No activities"):
        profile(activities=[ProfilerActivity.CUDA])
    with pytest.warns(UserWarning, match="CUDA"), pytest.raises(AssertionError, match="No activities"):
        autograd_profiler.profile(use_cpu=False, use_kineto=True, use_device="cuda")
    with pytest.warns(FutureWarning, match="use_device"), pytest.warns(UserWarning, match="CUDA"):
        assert autograd_profiler.profile(use_cuda=True).use_device is None
    marker = autograd_profiler.emit_nvtx()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        marker.__enter__()


def test_a_profile_that_cannot_start_ends_the_records():
    calls = []

    class Recording:
        is_running = True

        def stop(self, start_ns, end_ns):
            calls.append((start_ns, end_ns))

    prof = autograd_profiler.profile(with_stack=True)
    prof._device = Recording()
    before = sys.getprofile()
    sys.setprofile(lambda *_: None)
    try:
        with pytest.raises(RuntimeError, match="sys.setprofile"):
            prof.__enter__()
    finally:
        sys.setprofile(before)
    assert calls == [(0, 0)] and prof._device is None
