"""The lists of table_exceptions.py name operators of the table, and no operator is left out of a run without a reason."""

from collections import Counter

import ops
import pytest
import table_exceptions as exceptions
import test_autocast
import test_fake_tensor_operators
import test_func_operators
import test_functionalize_operators
import test_fx_make_fx

RUNS = {
    "vmap": test_func_operators.TABLE, "nested": test_func_operators.NESTED_TABLE,
    "functionalize": test_functionalize_operators.TABLE, "fake": test_fake_tensor_operators.TABLE,
    "autocast": test_autocast.TABLE, "make_fx": test_fx_make_fx.TABLE,
}  # fmt: skip
LISTS = "VMAP NOT_DIFFERENTIATED NESTED FUNCTIONALIZE FAKE AUTOCAST MAKE_FX SYMBOLS LIFTS".split()


@pytest.mark.parametrize("run", RUNS)
def test_every_operator_is_in_a_run_or_has_a_reason(run):
    count, expected = Counter((op.family, op.name) for op in RUNS[run]), Counter()
    for op in ops.all_ops():
        if not exceptions.left_out(run, op):
            expected[op.family, op.name] += 1
    assert count == expected
    assert len(RUNS[run]) > (400 if run == "nested" else 1000)


@pytest.mark.parametrize("name", LISTS)
def test_names_are_those_of_operators(name):
    listed = getattr(exceptions, name)
    assert not set(listed) - {op.name.partition(".")[0] for op in ops.all_ops()} - {op.name for op in ops.all_ops()}
    assert all(entry if isinstance(entry, str) else entry[0] and entry[1] for entry in listed.values())


def _noted_errors(monkeypatch, module, test, name):
    """The errors that the entries of an operator run into."""
    errors = []
    monkeypatch.setattr(module, "is_expected", lambda op, error: errors.append(str(error)) or True)
    for op in module.TABLE:
        if op.name == name:
            test(op)
    return errors


@pytest.mark.parametrize("name", exceptions.FAKE)
@pytest.mark.filterwarnings("ignore")
def test_fake_exceptions_are_needed(monkeypatch, name):
    run = test_fake_tensor_operators
    assert _noted_errors(monkeypatch, run, run.test_fake_equals_real, name)


@pytest.mark.parametrize("name", exceptions.VMAP)
@pytest.mark.filterwarnings("ignore")
def test_vmap_exceptions_are_needed(monkeypatch, name):
    run = test_func_operators
    errors = _noted_errors(monkeypatch, run, run.test_vmap_equals_loop, name)
    assert any(exceptions.VMAP[name][1] in error and exceptions.OUT not in error for error in errors)
