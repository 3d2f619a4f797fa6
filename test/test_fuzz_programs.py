"""A fixed set of random programs has the results that PyTorch has (tools/fuzz_against_peer.py --record made them)."""

import json
import os
import sys

import pytest

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "fuzz_programs.json.gz")
sys.path.insert(0, ROOT)  # for tools, which a package that was installed does not have

from tools.fuzz import compare, explained, generate, minimise, modules, program, record, rounding, worker  # noqa: E402

SET = record.load(DATA)


def kinds(data):
    return "stack" if any(op == "train" for _, op, _ in data["steps"]) else "program"


@pytest.mark.parametrize("data, results", SET, ids=[f"{kinds(data)}{data['seed']}" for data, _ in SET])
def test_has_the_peers_results(data, results):
    made = program.Program.of(data)
    found = compare.differences(made, worker.run(torch, {"program": data}), results)
    left = [d for d in found if not explained.reason(d)]
    assert not left, f"{left[0]}\n{program.text(made)}"


def test_set_is_a_few_hundred_and_has_all_kinds():
    assert len(SET) >= 300
    text = "\n".join(code for data, _ in SET for code, _, _ in data["steps"])
    ops = {op for data, _ in SET for _, op, _ in data["steps"]}
    assert len(ops) > 250
    for dtype in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int8", "int64", "uint8", "bool"):
        assert f"torch.{dtype}" in text
    assert sum("again" in g for _, r in SET for g in r.get("grads", {}).values()) > 50
    assert {"Conv2d", "LSTM", "BatchNorm2d", "Mask"} & {op for data, _ in SET for _, op, _ in data["steps"]}
    assert os.path.getsize(DATA) < 300_000


def test_the_same_seed_gives_the_same_program():
    for make in (generate.generate, modules.generate):
        for seed in range(30):
            assert make(seed).data() == make(seed).data()
        assert make(1).data() != make(2).data()


def test_programs_run_as_files():
    for seed in range(8):
        made = generate.generate(seed)
        lines = program.text(made).split("\ndef weigh")[0]
        steps = worker.run(torch, {"program": made.data()})["steps"]
        if all(isinstance(s, list) for s in steps):
            exec(compile(lines, "program", "exec"), {})


SMALL = program.Program(
    0,
    [
        program.Step("v0 = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)", "leaf", ["v0"]),
        program.Step("v1 = v0.exp()", "exp", ["v1"]),
        program.Step("v2 = torch.tensor([4.0])", "leaf", ["v2"]),
        program.Step("v3 = v1[:2]", "getitem", ["v3"]),
        program.Step("v4 = v3 * v2", "mul", ["v4"]),
        program.Step("v5 = v4.sum()", "sum", ["v5"]),
    ],
)


def result():
    return worker.run(torch, {"program": SMALL.data()})


def change(path, value):
    """The results of SMALL with one change."""
    found = json.loads(json.dumps(result()))
    at = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return found


@pytest.mark.parametrize(
    "kind, op, path, value",
    [
        ("values", "exp", ("steps", 1, 0, "numbers", 1), 7.4),
        ("dtype", "mul", ("steps", 4, 0, "dtype"), "float64"),
        ("shape", "mul", ("steps", 4, 0, "shape"), [1, 2]),
        ("strides", "getitem", ("steps", 3, 0, "strides"), [2]),
        ("is-view", "getitem", ("steps", 3, 0, "view"), False),
        ("memory", "getitem", ("steps", 3, 0, "memory"), "v3"),
        ("requires-grad", "exp", ("steps", 1, 0, "grad"), [False, True]),
        ("error", "sum", ("steps", 5), {"error": "TypeError", "text": "no"}),
        ("gradients", "exp getitem mul sum", ("grads", "finite", "v0", "numbers", 0), 0.0),
        ("gradients", "exp getitem mul sum", ("grads", "finite", "again", "v0"), None),
        ("crash", "sum", ("crash",), "the process ended with status -11"),
    ],
)
def test_differences_are_sorted_into_classes(kind, op, path, value):
    found = compare.differences(SMALL, result(), change(path, value))
    assert (kind, op) in {(d.kind, d.op) for d in found}
    assert not compare.differences(SMALL, result(), result())


class Wrong:
    """A worker that computes one thing wrongly, as long as that step is in the program."""

    def __init__(self, op):
        self.op = op

    def ask(self, made, **more):
        found = worker.run(torch, {"program": made.data(), **more})
        for i, step in enumerate(made.steps):
            if step.op == self.op and isinstance(found["steps"][i], list):
                found["steps"][i][0]["numbers"] = [x + 1 for x in found["steps"][i][0]["numbers"]]
        return found


class WrongPair:
    def __init__(self, op):
        self.ours, self.theirs = Wrong(""), Wrong(op)

    def ask(self, made, **more):
        return self.ours.ask(made, **more), self.theirs.ask(made, **more)


def test_a_difference_is_made_small():
    pair = WrongPair("exp")
    ours, theirs = pair.ask(SMALL)
    d = rounding.left(pair, SMALL, ours, theirs)[0]
    small, d = minimise.minimise(pair, SMALL, d)
    assert [s.op for s in small.steps] == ["leaf", "exp"] and (d.kind, d.op) == ("values", "exp")


def test_every_known_difference_has_a_reason():
    assert all(len(k.reason) > 20 and k.reason.endswith(".") for k in explained.KNOWN)
    assert explained.reason(compare.Difference("values", "add", 3, "float32 [2]: [0] 1.0 / 2.0")) is None


def test_gradients_of_nothing_but_rounding_are_none():
    noise = {"dtype": "float32", "shape": [2], "numbers": [1e-7, 0.0]}
    a, b = ({"finite": {"v0": g}} for g in (noise, None))
    assert not compare.gradients(a, b, 1.0)
    noise["numbers"][1] = 0.01
    assert compare.gradients(a, b, 1.0)
    assert compare.gradients(b, a, 1.0)


def test_optimizers_that_see_signs_do_not_train_what_is_normalized():
    assert any("Rprop" in o for o in modules.fitting("float64", ["nn.Linear(2, 2)"]))
    assert not any("Rprop" in o for o in modules.fitting("float64", ["nn.BatchNorm1d(2)"]))
    assert all(o.startswith("SGD") for o in modules.fitting("float32", ["nn.Linear(2, 2)"]))


def test_noise_moves_the_parameters_of_stacks():
    steps = [
        ("m0 = nn.Linear(2, 2)", "Linear", []),
        ("model = nn.Sequential(m0)", "Sequential", []),
        ("r0 = model(torch.ones(2)).detach()", "train", ["r0"]),
        ("r1 = model(torch.ones(2)).detach()", "train", ["r1"]),
    ]
    made = program.Program(3, [program.Step(*s) for s in steps], grads=False)
    plain, noisy = (worker.run(torch, {"program": made.data(), **more})["steps"][3][0]["numbers"] for more in ({}, {"noise": 0}))
    assert plain != noisy and compare.close(plain, noisy, 1e-5)
