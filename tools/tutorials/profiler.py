"""The profiler: tables, shapes, schedules, traces; benchmark.Timer."""

import json
import os
import tempfile

import torch
import torch.utils.benchmark as benchmark
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))
inputs = torch.randn(2, 3, 8, 8)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as prof:
    with record_function("model_inference"):
        model(inputs)
names = [row.key for row in prof.key_averages()]
for name in ("model_inference", "aten::conv2d", "aten::relu", "aten::linear", "aten::addmm"):
    print(name, name in names)
table = prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=10)
print("Input Shapes" in table, "[2, 3, 8, 8]" in table, "CPU total" in table)
path = os.path.join(tempfile.mkdtemp(), "trace.json")
prof.export_chrome_trace(path)
with open(path) as file:
    print("traceEvents" in json.load(file))
ready = []
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
             on_trace_ready=lambda p: ready.append(p.step_num)) as p:  # fmt: skip
    for _ in range(6):
        model(inputs)
        p.step()
print(ready)
with profile(activities=[ProfilerActivity.CPU], with_flops=True) as prof:
    torch.ones(4, 5) @ torch.ones(5, 6)
print([row.flops for row in prof.key_averages() if row.key == "aten::mm"])
timer = benchmark.Timer(stmt="x.mul(x).sum(-1)", globals={"x": torch.ones(4, 4)}, num_threads=1, label="dot")
measurement = timer.timeit(20)
print(measurement.number_per_run, measurement.label if hasattr(measurement, "label") else "dot", measurement.mean > 0)
