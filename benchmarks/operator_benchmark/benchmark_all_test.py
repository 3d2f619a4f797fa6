"""Every module of pt/ in one run: python -m benchmark_all_test"""

import importlib
import os

import operator_benchmark as op_bench

for _name in sorted(os.listdir(os.path.join(op_bench.HERE, "pt"))):
    if _name.endswith("_test.py"):
        importlib.import_module("pt." + _name[:-3])

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
