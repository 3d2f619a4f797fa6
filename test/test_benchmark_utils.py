"""torch.utils.benchmark and torch.utils.collect_env."""

import os
import pickle
import platform
import re
import shutil
import subprocess
import sys

import pytest

import torch
from torch.utils import benchmark, collect_env
from torch.utils.benchmark import CallgrindStats, Compare, Measurement, TaskSpec, Timer


def made(times, label="mm", sub_label="64", description="a", threads=1, env=None, number=10, stmt="x@y", setup="pass"):
    spec = TaskSpec(stmt, setup, "", label, sub_label, description, env, threads)
    return Measurement(number_per_run=number, raw_times=[t * number for t in times], task_spec=spec)


def text_of(measurement):
    head, rest = repr(measurement).split("\n", 1)
    assert re.fullmatch(r"<torch.utils.benchmark.utils.common.Measurement object at 0x\w+>", head)
    return rest


# --- Measurement ----------------------------------------------------------------------------------------


def test_statistics():
    m = made([1e-3, 1.1e-3, 1.2e-3, 0.9e-3])
    assert m.times == pytest.approx([1e-3, 1.1e-3, 1.2e-3, 0.9e-3])
    assert m.median == pytest.approx(1.05e-3) and m.mean == pytest.approx(1.05e-3) and m.iqr == pytest.approx(0.15e-3)
    assert m.significant_figures == 1 and m.has_warnings and m.meets_confidence(0.15) and not m.meets_confidence(0.1)
    assert made([1e-3] * 5).significant_figures == 4 and not made([1e-3] * 5).has_warnings
    assert made([3e-6]).significant_figures == 2 and made([1e-9]).significant_figures == 1
    with pytest.raises(ValueError):
        made([]).median  # noqa: B018


def test_text_of_a_measurement():
    assert text_of(made([1e-3, 1.1e-3, 1.2e-3, 0.9e-3])) == (
        "mm: 64\na\n  Median: 1.05 ms\n  IQR:    0.15 ms (0.97 to 1.12)\n"
        "  4 measurements, 10 runs per measurement, 1 thread\n"
        "  WARNING: Interquartile range is 14.3% of the median measurement.\n"
        "           This could indicate system fluctuation."
    )
    assert text_of(made([1.5, 1.6, 1.7, 4.0])).endswith(
        "  WARNING: Interquartile range is 42.4% of the median measurement.\n"
        "           This suggests significant environmental influence."
    )
    assert text_of(made([3e-6], description=None, threads=2)) == "mm: 64\n  3.00 us\n  1 measurement, 10 runs , 2 threads"
    assert text_of(made([1.0], label=None, sub_label=None, description=None, stmt="a\nb", setup="s\nt", number=1)) == (
        "stmt:\n  a\n  b\n\nsetup:\n  s\n  t\n\n  1.00 s\n  1 measurement, 1 runs , 1 thread"
    )


def test_a_measurement_has_the_attributes_of_its_task():
    m = made([1.0], env="E")
    assert (m.label, m.sub_label, m.description, m.env, m.num_threads, m.stmt) == ("mm", "64", "a", "E", 1, "x@y")
    assert m.title == "mm: 64" and m.as_row_name == "64" and made([1.0], sub_label=None).as_row_name == "x@y"
    with pytest.raises(AttributeError, match="nonesuch"):
        m.nonesuch  # noqa: B018
    assert pickle.loads(pickle.dumps(m)).times == m.times


def test_merge():
    merged = Measurement.merge([made([1.0] * 3), made([2.0] * 2), made([5.0], label="other")])
    assert [(m.label, m.number_per_run, m.times) for m in merged] == [("mm", 1, [1, 1, 1, 2, 2]), ("other", 1, [5])]


def test_units_and_digits():
    assert [benchmark.select_unit(t)[0] for t in (100, 2e-3, 3e-5, 5e-8, 1e-12)] == ["s", "ms", "us", "ns", "ns"]
    assert benchmark.unit_to_english("us") == "microsecond"
    assert benchmark.trim_sigfig(1234.567, 2) == 1200 and benchmark.trim_sigfig(0.0012345, 3) == pytest.approx(0.00123)
    assert benchmark.ordered_unique([3, 1, 3, 2, 1]) == [3, 1, 2]


# --- Compare --------------------------------------------------------------------------------------------


def test_a_table_by_threads():
    results = [made([1e-3]), made([0.5e-3], threads=2), made([0.25e-3], description="b", threads=16)]
    assert str(Compare(results)) == (
        "[------------ mm -----------]\n"
        "          |    a     |    b  \n"
        "1 threads: ------------------\n"
        "      64  |  1000.0  |       \n"
        "2 threads: ------------------\n"
        "      64  |  500.0   |       \n"
        "16 threads: -----------------\n"
        "      64  |          |  250.0\n"
        "\n"
        "Times are in microseconds (us).\n"
    )


def test_a_table_by_env(capsys):
    table = Compare([made([1], env="E1"), made([2], env="Longer"), made([3], sub_label="65", env="E1")])
    table.extend_results([made([3], sub_label="66", threads=2, env="Longer"), made([3], threads=2, env="E1")])
    table.print()
    assert capsys.readouterr().out == (
        "[-------- mm --------]\n"
        "                |   a \n"
        "1 threads: -----------\n"
        "  (E1)      64  |  1.0\n"
        "            65  |  3.0\n"
        "  (Longer)  64  |  2.0\n"
        "2 threads: -----------\n"
        "  (E1)      64  |  3.0\n"
        "  (Longer)  66  |  3.0\n"
        "\n"
        "Times are in seconds (s).\n"
        "\n"
    )


MIXED = [
    ([1.2345e-3, 1.25e-3, 1.3e-3, 1.21e-3], "64", "a"),
    ([2.12e-6, 2.13e-6, 2.1e-6, 2.15e-6], "64", "b"),
    ([0.123456] * 9, "128", "a"),
    ([12.3456, 12.4], "128", "b"),
    ([1e-3, 2e-3, 1e-3, 3e-3], "128", "c"),
]


def test_trimmed_digits_and_highlighted_warnings():
    table = Compare([made(times, sub_label=row, description=column) for times, row, column in MIXED])
    table.highlight_warnings()
    table.trim_significant_figures()
    assert str(table) == (
        "[---------------------- mm ----------------------]\n"
        "           |    a     |     b      |       c      \n"
        "1 threads: ---------------------------------------\n"
        "      64   |    1200  |         2  |              \n"
        "      128  |  123500  |  12000000  |  2000 (! 83%)\n"
        "\n"
        "Times are in microseconds (us).\n"
        "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
    )


def test_colours():
    results = [made([t], description=d) for d, t in zip("abcde", (1.0, 1.06, 1.5, 2.0, 5.0))]
    table = Compare(results)
    table.colorize(rowwise=True)
    row = str(table).splitlines()[3].replace("\033", "E")
    assert row == (
        "      64  |  E[92mE[1m1.0E[0mE[0m  |  E[34mE[1m1.1E[0mE[0m  |  1.5  |  E[2mE[91m2.0E[0mE[0m  |  E[31mE[1m5.0E[0mE[0m"
    )
    table.colorize()
    assert str(table).splitlines()[3].count("\033[92m") == 5


def test_one_table_for_each_label():
    text = str(Compare([made([1e-3]), made([2e-6], label="add"), made([2e-6], sub_label="32")]))
    assert text.count("Times are in microseconds (us).") == 2 and text.index(" mm ") < text.index(" add ")
    with pytest.raises(ValueError):
        Compare([3])


# --- Timer ----------------------------------------------------------------------------------------------


def test_timeit_runs_the_statement_that_many_times_and_warms_up():
    calls = []
    m = Timer("f(y)", setup="y = 3", globals={"f": calls.append}).timeit(200)
    assert (m.number_per_run, len(m.raw_times), calls) == (200, 1, [3] * 202)
    assert m.setup == "y = 3" and m.median > 0


def test_statements_lose_their_indentation_and_know_torch():
    timer = Timer(
        """
        x = torch.ones(2)
        if True:
            x = x + 1
        """
    )
    m = timer.timeit(2)
    assert m.stmt == "x = torch.ones(2)\nif True:\n    x = x + 1"


def test_autoranges():
    heard = []
    m = Timer("pass", label="L").blocked_autorange(callback=lambda number, t: heard.append((number, t)), min_run_time=0.02)
    assert heard == [(m.number_per_run, t) for t in m.raw_times] and sum(m.raw_times) >= 0.02 and m.label == "L"
    m = Timer("torch.ones(3)").adaptive_autorange(threshold=10.0, min_run_time=0.01, max_run_time=1.0)
    assert len(m.raw_times) > 3 and 0.01 <= sum(m.raw_times)


def test_threads_are_set_while_it_runs_and_put_back():
    seen, before = [], torch.get_num_threads()
    m = Timer("seen.append(torch.get_num_threads())", globals={"seen": seen}, num_threads=2).timeit(1)
    assert set(seen) == {2} and torch.get_num_threads() == before and m.num_threads == 2


def test_arguments_that_make_no_sense():
    for arguments, error in (
        ({"stmt": 3}, ValueError),
        ({"stmt": "syntax error here"}, SyntaxError),
        ({"global_setup": "int x;"}, ValueError),
        ({"language": "c++"}, NotImplementedError),
        ({"language": "basic"}, ValueError),
        ({"globals": 3}, TypeError),
    ):
        with pytest.raises(error):
            Timer(**arguments)
    for name in ("repeat", "autorange"):
        with pytest.raises(NotImplementedError, match="blocked_autorange"):
            getattr(Timer(), name)()
    with pytest.raises(RuntimeError):
        Timer(num_threads=0).timeit(1)


# --- callgrind ------------------------------------------------------------------------------------------

needs_valgrind = pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("callgrind_annotate")), reason="valgrind is not installed here"
)


@needs_valgrind
def test_instruction_counts():
    one = Timer("x.view(4)", "x = torch.empty(2, 2)", label="view").collect_callgrind(10)
    two = Timer("x.view(4); x.view(4)", "x = torch.empty(2, 2)").collect_callgrind(
        10, collect_baseline=False, retain_out_file=True
    )
    assert isinstance(one, CallgrindStats) and one.number_per_run == 10
    assert one.counts() > 1000 and 1.8 < two.counts() / one.counts() < 2.5
    assert one.counts(denoise=True) <= one.counts() == one.stats().sum()
    assert any("at::native::view(" in f for _, f in one.stats(inclusive=True))
    assert one.baseline_exclusive_stats.sum() > 0 and two.baseline_exclusive_stats.sum() == 0
    assert two.stmt_callgrind_out.startswith("# callgrind format") and one.stmt_callgrind_out is None
    text = repr(one)
    for part in (
        "\nview\nsetup: x = torch.empty(2, 2)\n",
        "Noisy symbols removed",
        "Baseline:",
        "10 runs per measurement, 1 thread",
    ):
        assert part in text
    assert re.search(rf"Instructions: +{one.counts()} +{one.counts(denoise=True)}\n", text)
    delta = two.delta(one)
    assert delta.sum() == two.counts() - one.counts()
    ours = delta.filter(lambda f: "libtorch" in f)
    assert ours.sum() == pytest.approx(one.stats().filter(lambda f: "libtorch" in f).sum(), rel=0.02)
    short = one.as_standardized().stats().transform(lambda f: f.split(":")[0])
    assert short.sum() == one.counts() and not any("/" in f for _, f in short)


@needs_valgrind
def test_instruction_counts_with_globals():
    values = {"x": torch.arange(3), "n": 2, "s": "t", "os": os, "d": benchmark.CopyIfCallgrind({"k": 1})}
    setup = "assert x.tolist() == [0, 1, 2] and n == 2 and s == 't' and d['k'] == 1 and os.sep"
    results = Timer("n + 1", setup, globals=values).collect_callgrind(5, repeats=2, collect_baseline=False)
    assert [r.number_per_run for r in results] == [5, 5] and results[0].counts() > 0
    with pytest.raises(ValueError, match="CopyIfCallgrind"):
        Timer("x", globals={"x": {"k": 1}}).collect_callgrind(5)
    with pytest.raises(OSError, match="ZeroDivisionError"):
        Timer("1 / 0").collect_callgrind(5, collect_baseline=False)


def test_without_valgrind_the_error_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OSError, match="valgrind"):
        Timer("pass").collect_callgrind(5)


def test_function_counts():
    rows = tuple(benchmark.FunctionCount(100 - k, f"file.c:function_{k}") for k in range(30))
    counts = benchmark.FunctionCounts(rows, inclusive=False)
    lines = repr(counts).splitlines()
    assert lines[1] == "  100  file.c:function_0" and lines[10] == "  ..." and lines[-1] == f"Total: {counts.sum()}"
    assert len(lines) == 22 and len(counts) == 30 and len(counts[:3]) == 3 and counts[0].count == 100
    assert (counts - counts).sum() == 0 and (counts + counts).sum() == 2 * counts.sum()
    assert counts.filter(lambda f: f.endswith("_7")).sum() == 93
    assert len(counts.transform(lambda f: "all")) == 1
    noisy = benchmark.FunctionCounts((benchmark.FunctionCount(5, "x/dictobject.c:lookdict_unicode"),), False)
    assert (counts + noisy).denoise().sum() == counts.sum()


# --- Fuzzer ---------------------------------------------------------------------------------------------


def fuzzer(seed=0, **tensor):
    pytest.importorskip("numpy")
    parameters = [
        benchmark.FuzzedParameter("k0", 16, 4096, "loguniform"),
        [benchmark.FuzzedParameter("k1", 1, 64, "uniform"), benchmark.FuzzedParameter("f", 0.5, 1.5, "uniform")],
        benchmark.FuzzedParameter("dim", distribution={1: 0.3, 2: 0.7}, strict=True),
    ]
    x = benchmark.FuzzedTensor("x", ("k0", "k1"), (1, 3), min_elements=64, max_elements=10**5, dim_parameter="dim", **tensor)
    return benchmark.Fuzzer(parameters, [x], constraints=[lambda p: p["k1"] % 2 == 0], seed=seed)


def test_samples_of_a_fuzzer_are_within_bounds():
    source = fuzzer(probability_contiguous=0.3, dtype=torch.float64)
    assert source.rejection_rate is None
    samples = list(source.take(40))
    orders = set()
    for tensors, facts, params in samples:
        x, fact = tensors["x"], facts["x"]
        assert 16 <= params["k0"] <= 4096 and 1 <= params["k1"] <= 64 and params["k1"] % 2 == 0 and 0.5 <= params["f"] <= 1.5
        assert tuple(x.shape) == (params["k0"], params["k1"])[: params["dim"]] and x.dtype == torch.float64
        assert 64 <= x.numel() == fact["numel"] <= 10**5 and fact["is_contiguous"] == x.is_contiguous()
        if tuple(fact["order"]) == (0, 1):
            assert x.stride() == (3 * params["k1"], 3)
        elif tuple(fact["order"]) == (1, 0):
            assert x.stride() == (1, 3 * params["k0"])
        orders.add(tuple(fact["order"]))
    assert orders == {(0,), (0, 1), (1, 0)} and 0.2 < source.rejection_rate < 1
    again = list(fuzzer(probability_contiguous=0.3, dtype=torch.float64).take(40))
    assert [s[2] for s in again] == [s[2] for s in samples] and fuzzer(seed=1).take(1).__next__()[2] != samples[0][2]


def test_aliases_and_errors_of_a_fuzzer():
    pytest.importorskip("numpy")
    k = benchmark.FuzzedParameter("k", 1, 30, "uniform")
    same = benchmark.FuzzedParameter("same", distribution={benchmark.ParameterAlias("k"): 1.0})
    assert all(p["k"] == p["same"] for _, _, p in benchmark.Fuzzer([k, same], []).take(5))
    for arguments in ((1, 2, "normal"), (1, None, "uniform"), (0, 2, "loguniform"), (1, 2, {1: 1.0}), (None, None, {1: 0.4})):
        with pytest.raises(AssertionError):
            benchmark.FuzzedParameter("k", *arguments)
    with pytest.raises(ValueError, match="different"):
        benchmark.Fuzzer([k, k], [])
    with pytest.raises(ValueError, match="Failed to generate"):
        next(benchmark.Fuzzer([k], [], constraints=[lambda p: False]).take(1))
    with pytest.raises(ValueError, match="no parameter"):
        next(benchmark.Fuzzer([k], [benchmark.FuzzedTensor("t", ("zz",))]).take(1))


# --- collect_env ----------------------------------------------------------------------------------------


def test_collect_env_prints_what_is_so():
    done = subprocess.run([sys.executable, "-m", "torch.utils.collect_env"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "Collecting environment information..."
    facts = dict(line.split(": ", 1) for line in lines if ": " in line)
    assert facts["PyTorch version"] == torch.__version__
    assert facts["Is debug build"] == str(torch.version.debug)
    assert facts["Python platform"] == platform.platform()
    assert facts["Python version"].startswith(sys.version.split()[0])
    assert facts["Libc version"] == "-".join(platform.libc_ver())
    assert facts["Is CUDA available"] == str(torch.cuda.is_available())
    assert facts["CPU(s)"].strip() == str(os.cpu_count())
    for name in (
        "CUDA used to build PyTorch",
        "ROCM used to build PyTorch",
        "OS",
        "GCC version",
        "Clang version",
        "CMake version",
    ):
        assert facts[name]
    assert "CPU:" in lines and "Versions of relevant libraries:" in lines
    assert any(line.startswith("[pip3] torch==") for line in lines)


def test_collect_env_as_functions():
    env = collect_env.get_env_info()
    assert isinstance(env, collect_env.SystemEnv) and env.torch_version == torch.__version__
    text = collect_env.pretty_str(env._replace(gcc_version=None, conda_packages=None, nvidia_gpu_models="GPU 0: x\nGPU 1: y"))
    assert "GCC version: Could not collect" in text and "[conda] Could not collect" in text
    assert "GPU models and configuration: \nGPU 0: x\nGPU 1: y\n" in text
    assert collect_env.run(["no-such-command-here"])[0] == 127 and collect_env.run("echo hi") == (0, "hi", "")
