"""Micro-benchmarks of single operators, with the command line and base class that kernel authors know from PyTorch:

    cd benchmarks/operator_benchmark
    python -m pt.add_test --omp_num_threads 1
    python -m benchmark_all_test --tag_filter calls

A module of pt/ describes configurations and a class with init() and forward(); it also names the cases of
benchmarks/cases (those of the budgets) that measure the same operator. It runs under PyTorch too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))


class TorchBenchmarkBase:
    """Subclasses make their inputs in init(**config) and compute in forward(**self.inputs)."""

    def __init__(self):
        self.inputs = {}
        self.module_name = ""

    def set_module_name(self, name):
        self.module_name = name

    def init(self, **config):
        raise NotImplementedError

    def forward(self, **inputs):
        raise NotImplementedError


@dataclass
class Test:
    operator: str
    name: str
    tag: str
    config: dict
    make: object  # () -> (a function without arguments, the inputs it reads)
    backward: bool = False
    result: dict = field(default_factory=dict)


TESTS: list[Test] = []
DEVICES = {"device": ["cpu", "cuda"]}  # devices that this build or machine lacks are left out


def config_list(attrs, attr_names, cross_product_configs=None, tags=("short",)):
    """Configurations written out, each with every combination of `cross_product_configs`."""
    rows = [dict(zip(attr_names, values)) for values in attrs]
    more = _product(cross_product_configs or {})
    return [({**row, **extra}, tags[0]) for row in rows for extra in more]


def cross_product_configs(tags=("short",), **lists):
    """Every combination of the values given for each name."""
    return [(config, tags[0]) for config in _product(lists)]


def _product(lists):
    return [dict(zip(lists, values)) for values in itertools.product(*lists.values())]


def op_list(attr_names, attrs):
    """Operators that share a benchmark class: op_name, op_func."""
    return [dict(zip(attr_names, values)) for values in attrs]


def generate_pt_test(configs, benchmark_class):
    _register(configs, benchmark_class, None, False)


def generate_pt_gradient_test(configs, benchmark_class):
    """The backward pass of the same operators: floating-point inputs require gradients."""
    _register(configs, benchmark_class, None, True)


def generate_pt_tests_from_op_list(operators, configs, benchmark_class):
    for operator in operators:
        _register(configs, benchmark_class, operator, False)


def _register(configs, benchmark_class, operator, backward):
    for config, tag in configs:
        arguments = {**config, **({"op_func": operator["op_func"]} if operator else {})}
        name = operator["op_name"] if operator else benchmark_class.__name__.removesuffix("Benchmark").lower()
        shown = "_".join(f"{k}{_short(v)}" for k, v in config.items())
        make = _maker(benchmark_class, arguments, backward)
        TESTS.append(Test(name, f"{name}_{shown}" + ("_bwd" if backward else ""), tag, config, make, backward))


def _short(value):
    return str(value).replace("torch.", "").replace(" ", "")


def _maker(benchmark_class, arguments, backward):
    def make():
        import torch

        bench = benchmark_class()
        bench.init(**arguments)
        if not backward:
            return lambda: bench.forward(**bench.inputs)
        leaves = [v for v in bench.inputs.values() if isinstance(v, torch.Tensor) and v.is_floating_point()]
        for leaf in leaves:
            leaf.requires_grad_()
        loss = bench.forward(**bench.inputs).sum()
        return lambda: torch.autograd.grad(loss, leaves, retain_graph=True)

    return make


def generate_cases(group, *names):
    """Cases of benchmarks/cases/GROUP, with the group as their tag."""
    from cases import groups

    cases = groups()[group]
    for name in names:
        TESTS.append(Test(name, name, group, {}, cases[name].make))


def _time(f, iterations):
    started = time.perf_counter()
    for _ in range(iterations):
        f()
    return (time.perf_counter() - started) / iterations


def _measure(test, args):
    """Microseconds per call: the median of the runs."""
    f = test.make()
    for _ in range(args.warmup_iterations):
        f()
    iterations = args.iterations
    if not iterations:
        once = max(_time(f, 1), 1e-8)
        iterations = max(1, int(args.min_time_per_test / args.num_runs / once))
    runs = sorted(_time(f, iterations) * 1e6 for _ in range(args.num_runs))
    return runs, iterations


def _parser():
    parse = argparse.ArgumentParser(description="Micro-benchmarks of operators")
    add = parse.add_argument
    add("--tag_filter", "--tag-filter", default="short", help="short, long, calls, memory, compute or all")
    add("--operators", help="only these operators: NAME,NAME")
    add("--test_name", "--test-name", help="only the test of this name")
    add("--list_tests", "--list-tests", action="store_true")
    add("--list_ops", "--list-ops", action="store_true")
    add("--forward_only", "--forward-only", action="store_true")
    add("--iterations", type=int, default=0, help="calls a run (default: found by --min_time_per_test)")
    add("--num_runs", "--num-runs", type=int, default=5)
    add("--min_time_per_test", "--min-time-per-test", type=float, default=0.5, help="seconds, all runs together")
    add("--warmup_iterations", "--warmup-iterations", type=int, default=10)
    add("--omp_num_threads", "--omp-num-threads", type=int)
    add("--mkl_num_threads", "--mkl-num-threads", type=int)
    add("--device", default="None", help="cpu, cuda or None for all that the tests have")
    add("--output_json", "--output-json", help="write the measurements to this file")
    return parse


def _chosen(args):
    for test in TESTS:
        wrong_tag = args.tag_filter != "all" and test.tag != args.tag_filter
        if args.tag_filter == "short" and test.tag in ("calls", "memory", "compute", "training"):
            wrong_tag = False  # the cases of the budgets belong to the short run too
        if wrong_tag or (args.operators and test.operator not in args.operators.split(",")):
            continue
        if (args.test_name and test.name != args.test_name) or (args.forward_only and test.backward):
            continue
        if args.device != "None" and test.config.get("device", args.device) != args.device:
            continue
        yield test


def main(argv=None):
    args = _parser().parse_args(argv)
    for name, count in (("OMP_NUM_THREADS", args.omp_num_threads), ("MKL_NUM_THREADS", args.mkl_num_threads)):
        if count:
            os.environ[name] = str(count)
    import torch

    if args.omp_num_threads:
        torch.set_num_threads(args.omp_num_threads)
    chosen = list(_chosen(args))
    if args.list_tests or args.list_ops:
        for name in dict.fromkeys(t.name if args.list_tests else t.operator for t in chosen):
            print(f"# {name}")
        return 0
    line = "-" * 40
    print(f"# {line}\n# Operator micro-benchmarks, torch {torch.__version__}, {torch.get_num_threads()} threads\n# {line}")
    print(f"# Tag : {args.tag_filter}\n")
    written = []
    for test in chosen:
        if test.config.get("device") == "cuda" and not torch.cuda.is_available():
            continue
        runs, iterations = _measure(test, args)
        middle = runs[len(runs) // 2]
        print(f"# Benchmarking: {test.operator}\n# Name: {test.name}")
        if test.config:
            print("# Input: " + ", ".join(f"{k}: {v}" for k, v in test.config.items()))
        print(f"{'Backward' if test.backward else 'Forward'} Execution Time (us) : {middle:.3f}\n", flush=True)
        row = {"operator": test.operator, "name": test.name, "tag": test.tag, "backward": test.backward}
        written.append({**row, "microseconds": runs, "iterations": iterations})
    if args.output_json:
        with open(args.output_json, "w") as f:
            json.dump(written, f, indent=1)
    return 0


class benchmark_runner:  # noqa: N801  (the name that benchmark files call)
    main = staticmethod(main)
