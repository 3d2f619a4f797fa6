"""TORCH_LOGS and torch._logging, in processes of their own: what is switched on when the library is imported."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

LINE = re.compile(r"^([VIWEC])(\d{4}) (\d\d:\d\d:\d\d\.\d{6}) (\d+) (\S+):(\d+)\] (.*)$")

BACKWARD = """
    import torch
    x = torch.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    (x * 2).sum().backward()
"""


def run(code, ok=True, **env):
    """Standard output and standard error of a program."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TORCH_")}
    program = textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], env={**clean, **env}, capture_output=True, text=True)
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout, done.stderr


def messages(text):
    """(level, file, message) of each line; each has the prefix."""
    lines = []
    for line in text.splitlines():
        match = LINE.match(line)
        assert match, line
        lines.append((match[1], match[5], match[7]))
    return lines


# --- off ------------------------------------------------------------------------------------------------


def test_nothing_is_imported_and_nothing_written_while_off():
    out, err = run(
        BACKWARD + "    import sys\n    print(sorted(m for m in sys.modules if m == 'logging' or m.startswith('torch._logging')))"
    )
    assert out == "[]\n" and err == ""


def test_an_empty_value_is_off():
    assert run(BACKWARD, TORCH_LOGS="") == ("", "")


# --- names in TORCH_LOGS ----------------------------------------------------------------------------------


def test_autograd_at_debug_tells_of_nodes_built_and_run_and_gradients_accumulated():
    lines = messages(run(BACKWARD, TORCH_LOGS="+autograd")[1])
    text = [message for _, _, message in lines]
    assert text[0] == "Built: <MulBackward0 #0> for f32[3] with next nodes: [<AccumulateGrad>, None]"
    assert text[1] == "Built: <SumBackward0 #1> for f32[] with next nodes: [<MulBackward0 #0>]"
    assert "Executing: <SumBackward0 #1> with grad_outputs: [f32[]]" in text
    assert "Executing: <AccumulateGrad> with grad_outputs: [f32[3]]" in text
    accumulated = [t for t in text if t.startswith("Accumulating: f32[3] into .grad of a leaf f32[3]")]
    assert [t.rsplit(", ", 1)[1] for t in accumulated] == ["the first one", "added to what it holds"]
    assert {level for level, _, _ in lines} == {"V", "I"}
    assert all(file.startswith("torch/csrc/autograd/") for _, file, _ in lines)


def test_autograd_at_info_tells_of_passes_and_at_error_of_nothing():
    lines = messages(run(BACKWARD, TORCH_LOGS="autograd")[1])
    assert [(level, m) for level, _, m in lines] == [("I", "backward from 1 outputs through 3 nodes")] * 2
    assert run(BACKWARD, TORCH_LOGS="-autograd") == ("", "")


def test_allocator_tells_of_allocations_and_releases():
    code = """
        import torch
        x = torch.empty(1000, dtype=torch.uint8)
        address = x.data_ptr()
        print(hex(address))
        del x
        torch.empty(50_000_000, dtype=torch.uint8)
    """
    out, err = run(code, TORCH_LOGS="allocator")
    text = [message for _, _, message in messages(err)]
    address = out.strip()
    assert re.match(rf"\[__allocator\] allocate 1000 bytes at {address}, .*; tensors hold 1024 bytes", text[0])
    assert re.match(rf"\[__allocator\] free 1024 bytes at {address}; tensors hold 0 bytes", text[1])
    assert any("allocate 50000000 bytes" in t and "mapped from the system" in t for t in text)


def test_registration_tells_of_operators_and_kernels():
    code = """
        import torch
        library = torch.library.Library("log_test", "DEF")
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", lambda x: x, "CPU")
    """
    text = [message for _, _, message in messages(run(code, TORCH_LOGS="registration")[1])]
    assert text[0].startswith("[__registration] def log_test::f(Tensor x) -> Tensor")
    assert text[1].startswith("[__registration] impl log_test::f for CPU by ")


def test_onednn_tells_of_primitives_created_and_reused():
    code = """
        import torch
        if "oneDNN" not in torch.__config__.show():
            raise SystemExit(3)
        x, w = torch.ones(1, 3, 16, 16), torch.ones(8, 3, 3, 3)
        for _ in range(3):
            torch.nn.functional.conv2d(x, w)
    """
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TORCH_")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env={**clean, "TORCH_LOGS": "onednn"}, capture_output=True, text=True
    )
    if done.returncode == 3:
        pytest.skip("this build has no oneDNN")
    text = [m for _, _, m in messages(done.stderr) if "convolution" in m]
    shapes = "convolution forward float32 src [1, 3, 16, 16] weights [8, 3, 3, 3] dst [1, 8, 14, 14]"
    used = text[0].removeprefix(f"[__onednn] create {shapes} by ")
    assert used in ("jit:avx2", "jit:avx512_core", "jit:sse41") or used.startswith("brg"), text[0]
    assert text[1:] == [f"[__onednn] reuse {shapes} by {used}"] * 2


def test_dispatch_is_the_trace_of_calls(tmp_path):
    path = tmp_path / "log.txt"
    err = run("import torch; torch.ones(2) + 1", TORCH_LOGS="dispatch", TORCH_LOGS_OUT=str(path))[1]
    assert "[call] op=[aten::add.Tensor], key=[CPU]" in err and path.read_text() == err


def test_build_tells_the_options_of_this_binary():
    out, err = run("import torch; print(torch.__config__.show())", TORCH_LOGS="build")
    assert [m.removeprefix("[__build] ") for _, _, m in messages(err)] == out.rstrip("\n").split("\n")


def test_dataloader_and_serialization_tell_what_they_do(tmp_path):
    code = f"""
        import torch
        for batch in torch.utils.data.DataLoader(range(4), batch_size=2, num_workers=1):
            pass
        path = {str(tmp_path / "x.pt")!r}
        torch.save({{"a": torch.ones(3)}}, path)
        torch.load(path)
    """
    lines = messages(run(code, TORCH_LOGS="dataloader,serialization")[1])
    text = "\n".join(message for _, _, message in lines)
    assert "[__dataloader] worker 0 of 1 started, pid " in text
    assert "[__dataloader] batch 1 asked of worker 0: indices [2, 3]" in text
    assert "[__dataloader] batch 1 arrived from worker 0: Tensor" in text
    assert "[__dataloader] workers end, pids [" in text
    assert f"[__serialization] saved {tmp_path}/x.pt: 1 storages of 12 bytes" in text
    assert f"[__serialization] load {tmp_path}/x.pt: weights_only=True" in text
    assert "[__serialization] loaded storage 0: 12 bytes of torch.float32 for cpu" in text
    files = {file for _, file, _ in lines}
    assert files == {"torch/utils/data/_multi.py", "torch/serialization/_save.py", "torch/serialization/_load.py"}


def test_all_turns_on_what_is_not_off_by_default():
    text = [m for _, _, m in messages(run(BACKWARD, TORCH_LOGS="+all")[1])]
    assert any(m.startswith("Executing:") for m in text) and any("[__build]" in m for m in text)
    assert not any("[__allocator]" in m for m in text)


def test_modules_by_their_names():
    code = """
        import torch, logging
        logging.getLogger("json.decoder").debug("inside")
        logging.getLogger("json").info("itself")
    """
    assert [(level, m) for level, _, m in messages(run(code, TORCH_LOGS="+json")[1])] == [("V", "inside"), ("I", "itself")]


@pytest.mark.parametrize("value", ["nonesuch", "autograd,nonesuch", "+no.such.module", "++autograd"])
def test_unknown_names_are_refused_with_the_known_ones(value):
    err = run("import torch", ok=False, TORCH_LOGS=value)[1]
    assert f"ValueError: \nInvalid log settings: {value}" in err
    assert "all, allocator, autograd, build, dataloader, dispatch, onednn, registration, serialization, torch" in err


@pytest.mark.parametrize("value", ["help", "+help", "autograd,help"])
def test_help(value):
    err = run("import torch", ok=False, TORCH_LOGS=value)[1]
    for name in ("TORCH_LOGS_OUT", "TORCH_LOGS_FORMAT", "  autograd", "  allocator ", "  onednn "):
        assert name in err


# --- where and how ----------------------------------------------------------------------------------------


def test_out_writes_to_the_file_as_well(tmp_path):
    path = tmp_path / "log.txt"
    err = run(BACKWARD, TORCH_LOGS="+autograd,build", TORCH_LOGS_OUT=str(path))[1]
    assert path.read_text() == err and "Executing:" in err and "[__build]" in err


def test_a_crash_loses_no_line(tmp_path):
    path = tmp_path / "log.txt"
    code = BACKWARD + "    import os; os.kill(os.getpid(), 9)"
    err = run(code, ok=False, TORCH_LOGS="+autograd", TORCH_LOGS_OUT=str(path))[1]
    assert path.read_text() == err and err.count("Accumulating:") == 2


def test_format_is_that_of_python_and_of_cpp_lines():
    fmt = "%(levelname)-8s|%(message)s|%(name)s|%(filename)s|100%%"
    lines = run(BACKWARD, TORCH_LOGS="autograd,build", TORCH_LOGS_FORMAT=fmt)[1].splitlines()
    assert lines[0].startswith("INFO    |torch ")
    assert lines[-1] == "INFO    |backward from 1 outputs through 3 nodes|torch.autograd|engine.cpp|100%"
    assert run(BACKWARD, TORCH_LOGS="autograd", TORCH_LOGS_FORMAT="basic")[1].startswith("INFO:torch.autograd:backward from")


def test_every_line_of_a_message_and_of_a_traceback_has_the_prefix():
    code = """
        import torch, logging
        log = logging.getLogger("torch.autograd.some")
        log.warning("one\\ntwo")
        try:
            1 / 0
        except ZeroDivisionError:
            log.exception("bad")
    """
    lines = messages(run(code, TORCH_LOGS="autograd")[1])
    text = [m for _, _, m in lines]
    assert text[:3] == ["one", "two", "bad"] and text[-1] == "ZeroDivisionError: division by zero"
    assert "Traceback (most recent call last):" in text


def test_lines_of_threads_do_not_mix():
    code = """
        import threading, torch
        def work():
            for _ in range(200):
                x = torch.ones(3, requires_grad=True)
                (x * 2).sum().backward()
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    """
    lines = messages(run(code, TORCH_LOGS="+autograd")[1])
    assert sum(m.startswith("Accumulating") for _, _, m in lines) == 800


# --- set_logs, getArtifactLogger, registration ------------------------------------------------------------


def test_set_logs_turns_on_and_off_again():
    code = """
        import logging, torch
        def step():
            x = torch.ones(3, requires_grad=True)
            (x * 2).sum().backward()
        step()
        torch._logging.set_logs(autograd=logging.INFO)
        step()
        torch._logging.set_logs(autograd=logging.DEBUG, allocator=True)
        step()
        torch._logging.set_logs()
        step()
    """
    text = [m for _, _, m in messages(run(code)[1])]
    assert sum(m.startswith("backward from") for m in text) == 2
    assert sum(m.startswith("Executing") for m in text) == 3
    assert any(m.startswith("[__allocator] allocate 12 bytes") for m in text)


def test_set_logs_refuses_what_it_does_not_know():
    code = """
        import logging, torch
        def attempt(error, text, **settings):
            try:
                torch._logging.set_logs(**settings)
            except error as problem:
                assert text in str(problem), problem
            else:
                raise AssertionError(settings)
        attempt(TypeError, "unexpected keyword argument 'nonesuch'", nonesuch=True)
        attempt(ValueError, "Expected bool to enable artifact allocator, received 1", allocator=1)
        attempt(ValueError, "Unrecognized log level for log autograd: True, valid level values are: 50,40,30,20,10,0",
                autograd=True)
        attempt(ValueError, "Unrecognized log level for log autograd: x", autograd="x")
        attempt(ValueError, "no.such.module", modules={"no.such.module": logging.DEBUG})
    """
    assert run(code) == ("", "")


def test_the_environment_has_precedence_over_set_logs():
    code = "import logging, torch\n    torch._logging.set_logs(autograd=logging.DEBUG)\n" + BACKWARD
    text = [m for _, _, m in messages(run("    " + code, TORCH_LOGS="build")[1]) if "[__build]" not in m]
    assert text == ["TORCH_LOGS is set in the environment: the call of set_logs is ignored"]


def test_set_logs_by_module_names():
    code = """
        import logging, torch
        torch._logging.set_logs(modules={"json": logging.DEBUG, "registration": True})
        logging.getLogger("json.tool").debug("inside")
        torch.library.Library("log_test2", "DEF").define("f() -> ()")
    """
    text = [m for _, _, m in messages(run(code)[1])]
    assert text[0] == "inside" and text[1].startswith("[__registration] def log_test2::f() -> ()")


def test_artifact_loggers_and_registration_of_ones_own():
    code = """
        import logging, torch
        from torch._logging import _internal
        _internal.register_log("mine", "some.package")
        _internal.register_artifact("plans", "What is planned.", visible=True)
        _internal.register_artifact("bare", "Without a prefix.", off_by_default=True, log_format="")
        log = torch._logging.getArtifactLogger("some.package.part", "plans")
        bare = torch._logging.getArtifactLogger("some.package.part", "bare")
        def tell(n):
            log.debug("plan %d", n)
            bare.debug("bare %d", n)
            logging.getLogger("some.package.other").debug("other %d", n)
        tell(1)
        torch._logging.set_logs(plans=True)
        tell(2)
        torch._logging.set_logs(mine=logging.DEBUG)
        tell(3)
        torch._logging.set_logs(bare=True)
        tell(4)
        assert log.name == "some.package.part.__plans"
        assert "plans" in _internal.help_message() and "bare" not in _internal.help_message()
        assert "bare" in _internal.help_message(verbose=True)
        try:
            torch._logging.getArtifactLogger("x", "nonesuch")
        except ValueError as problem:
            assert "not registered" in str(problem) and "allocator" in str(problem)
        else:
            raise AssertionError
    """
    lines = run(code)[1].splitlines()
    text = [LINE.match(line)[7] if LINE.match(line) else line for line in lines]
    assert text == ["[__plans] plan 2", "[__plans] plan 3", "other 3", "bare 4"]


def test_a_registered_log_is_known_to_the_environment_setting_too():
    code = """
        import logging, os, torch
        from torch._logging import _internal
        _internal.register_log("mine", ["some.package", "another.package"])
        os.environ["TORCH_LOGS"] = "+mine"
        _internal._init_logs()
        logging.getLogger("some.package.a").debug("one")
        logging.getLogger("another.package").debug("two")
        assert _internal.log_state.log_qname_to_level == {"some.package": 10, "another.package": 10}
    """
    assert [m for _, _, m in messages(run(code)[1])] == ["one", "two"]


def test_small_helpers():
    code = """
        import logging, torch, warnings
        from torch._logging import LazyString, hide_warnings, warning_once
        log = logging.getLogger("torch.helpers")
        for n in (1, 1, 2):
            warning_once(log, "once %d", n)
        log.info("never %s", LazyString(lambda: 1 / 0))
        assert str(LazyString(lambda a, b: a + b, "x", b="y")) == "xy"
        with hide_warnings(lambda message, *rest: "shown" in str(message)):
            warnings.warn("shown")
            warnings.warn("hid" + "den")
    """
    err = run(code)[1]
    assert err.count("once 1") == 1 and err.count("once 2") == 1 and "never" not in err
    assert "UserWarning: shown" in err and "UserWarning: hidden" not in err


# --- TORCH_CPP_LOG_LEVEL ----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["INFO", "0"])
def test_cpp_log_level_shows_what_is_loaded(level):
    code = "import torch; torch.ones(64, 64) @ torch.ones(64, 64)"
    err = run(code, TORCH_CPP_LOG_LEVEL=level)[1]
    if "libtorch" not in err:
        pytest.skip("this build loads no library for matrix products")
    assert re.match(r"\[I\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ aten/src/ATen/native/common/NativeLibraries.cpp:\d+\] loaded /", err)
    assert run(code)[1] == "" and run(code, TORCH_CPP_LOG_LEVEL="ERROR")[1] == ""


def test_cpp_log_level_that_is_none():
    assert (
        "TORCH_CPP_LOG_LEVEL=foo is not one of INFO, WARNING, ERROR, FATAL" in run("import torch", TORCH_CPP_LOG_LEVEL="foo")[1]
    )
