"""The micro-benchmarks start, list what they have, and write what they measured."""

import json
import os
import subprocess
import sys

import pytest

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "benchmarks", "operator_benchmark")


def run(module, *args):
    command = [sys.executable, "-m", module, *args]
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(FOLDER))}
    return subprocess.run(command, cwd=FOLDER, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("tag", ["short", "long", "all"])
def test_every_operator_is_listed(tag):
    listed = run("benchmark_all_test", "--list_ops", "--tag_filter", tag).splitlines()
    assert "# add" in listed and len(listed) == len(set(listed))


def test_a_run_writes_its_measurements(tmp_path):
    path = tmp_path / "add.json"
    arguments = ["--omp_num_threads", "1", "--iterations", "2", "--num_runs", "3", "--operators", "add", "--device", "cpu"]
    output = run("pt.add_test", *arguments, "--output_json", str(path))
    rows = json.loads(path.read_text())
    assert output.count("Execution Time (us)") == len(rows) > 3
    assert all(row["operator"] == "add" and len(row["microseconds"]) == 3 for row in rows)
