"""Prints the seconds of the first use of a GPU in this process, as JSON: the driver's part, and torch's beyond it."""

import json
import time

from driver import seconds_to_begin

import torch

driver = seconds_to_begin()
began = time.perf_counter()
torch.ones(1).cuda().item()
print(json.dumps({"driver": driver, "beyond": time.perf_counter() - began}))
