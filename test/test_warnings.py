"""TORCH_WARN and TORCH_WARN_ONCE as Python warnings, with the place of the Python caller."""

import os
import subprocess
import sys
import textwrap
import threading
import warnings

import pytest

import torch


def caught(f):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f()
    return found


def resize_an_output():
    torch.add(torch.ones(4), 1, out=torch.empty(3))


def transpose_three_dimensions():
    return torch.ones(1, 2, 3).T


@pytest.fixture
def warn_always():
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def line_in(f, offset=1):
    return f.__code__.co_firstlineno + offset


def test_a_warning_has_the_line_of_its_python_caller():
    for f in (resize_an_output, lambda: resize_an_output()):
        (warning,) = caught(f)
        assert warning.category is UserWarning and "was resized" in str(warning.message)
        assert warning.filename == __file__ and warning.lineno == line_in(resize_an_output)


def test_a_warning_comes_every_time():
    assert len(caught(lambda: [resize_an_output() for _ in range(3)])) == 3


def test_deprecations_are_shown_to_users():
    (warning,) = caught(lambda: torch.range(0, 3))
    assert warning.category is UserWarning and "deprecated" in str(warning.message)


def test_a_warning_of_a_method_and_of_autograd():
    (warning,) = caught(lambda: torch.ones(1, requires_grad=True).var())
    assert "degrees of freedom" in str(warning.message) and warning.filename == __file__


def test_a_warning_in_another_thread():
    def work():
        thread = threading.Thread(target=resize_an_output)
        thread.start()
        thread.join()

    (warning,) = caught(work)
    assert warning.lineno == line_in(resize_an_output)


def test_a_filter_may_turn_it_into_an_error_or_hide_it():
    out = torch.empty(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="was resized"):
            torch.add(torch.ones(4), 1, out=out)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message="An output with one or more elements was resized")
        resize_an_output()
    assert not found


def test_once_means_once_for_each_place_in_the_library(warn_always):
    assert torch.is_warn_always_enabled()
    found = caught(lambda: [transpose_three_dimensions() for _ in range(3)])
    assert len(found) == 3 and {w.lineno for w in found} == {line_in(transpose_three_dimensions)}
    torch.set_warn_always(False)
    assert not torch.is_warn_always_enabled()
    assert caught(transpose_three_dimensions) == []


def test_set_warn_always_takes_a_bool():
    for value in (1, None, "yes"):
        with pytest.raises(RuntimeError, match="expects a bool, but got"):
            torch.set_warn_always(value)


def run(code, *flags, **env):
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONWARNINGS" and not k.startswith("TORCH_")}
    command = [sys.executable, *flags, "-c", textwrap.dedent(code)]
    return subprocess.run(command, env={**clean, **env}, capture_output=True, text=True)


ONCE = """
    import torch
    for _ in range(3):
        torch.ones(1, 2, 3).T
        torch.ones(1, 2, 3).T
"""


def test_a_process_warns_once():
    done = run(ONCE)
    assert done.returncode == 0 and done.stderr.count("UserWarning") == 1
    assert done.stderr.startswith("<string>:4: UserWarning: ")


def test_a_process_that_warns_always():
    done = run(ONCE.replace("import torch", "import torch; torch.set_warn_always(True)"), "-W", "always")
    assert done.returncode == 0 and done.stderr.count("UserWarning") == 6
    assert done.stderr.count("<string>:4:") == 3 and done.stderr.count("<string>:5:") == 3


def test_a_process_whose_warnings_are_errors():
    done = run(ONCE, "-W", "error")
    assert done.returncode == 1 and "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("UserWarning: ")


def test_warnings_go_to_logging_where_a_program_wants_that():
    code = """
        import logging, torch
        logging.captureWarnings(True)
        logging.basicConfig(format="%(name)s|%(message)s")
        torch.add(torch.ones(4), 1, out=torch.empty(3))
    """
    assert run(code).stderr.startswith("py.warnings|<string>:5: UserWarning: An output")


def test_anomaly_mode_warns_with_the_forward_place():
    def step():
        x = torch.tensor([-1.0], requires_grad=True)
        with torch.autograd.detect_anomaly():
            torch.sqrt(x).sum().backward()

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError, match="returned nan values"):
            step()
    assert any("Error detected in SqrtBackward0" in str(w.message) and "torch.sqrt(x)" in str(w.message) for w in found)
