"""torchrun: starts the processes of a distributed program, and watches them.

    torchrun --nproc-per-node 2 train.py --lr 0.1            on one machine
    torchrun --nnodes 2 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint HOST:29400 train.py      on each of two

A program gets its rank and the others' address by environment variables, which `init_process_group` reads. The same as
`python -m torch.distributed.run`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import uuid
from collections.abc import Sequence

from torch.distributed import DistError, is_available
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.distributed.launcher.api import LaunchConfig

__all__ = [
    "config_from_args", "determine_local_world_size", "get_args_parser", "get_rdzv_endpoint", "get_use_env", "main", "parse_args",
    "parse_min_max_nnodes", "run",
]  # fmt: skip

_DEFAULT_PORT = 29500
_C10D_PORT = 29400


def get_args_parser() -> argparse.ArgumentParser:
    """The parser of the command line.

    Returns:
        the parser
    """
    parser = argparse.ArgumentParser(prog="torchrun", description="Starts the processes of a distributed program.")

    def option(name: str, *, short: str | None = None, **about: object) -> None:
        spellings = [f"--{name}"] + ([f"--{name.replace('-', '_')}"] if "-" in name else []) + ([short] if short else [])
        parser.add_argument(*spellings, **about)  # type: ignore[arg-type]

    option("nnodes", default="1", help="machines: a number, or the least and the greatest number, as in 1:4")
    option("nproc-per-node", default="1", help="processes on this machine: a number, auto or cpu for one per core")
    option("rdzv-backend", default="static", help="how machines meet: static, with ranks given, c10d, or a registered name")
    option("rdzv-endpoint", default="", help="HOST:PORT where they meet")
    option("rdzv-id", default="none", help="a name of the job")
    option("rdzv-conf", default="", help="more settings: timeout, last_call_timeout, is_host, as KEY=VALUE,...")
    option("standalone", action="store_true", help="one machine, at a free port")
    option("max-restarts", type=int, default=0, help="how often the processes are started again after a failure")
    option("monitor-interval", type=float, default=0.1, help="seconds between looks at the processes")
    option("start-method", default="spawn", choices=["spawn", "fork", "forkserver"], help="of no effect")
    option("event-log-handler", default="null", help="the handler of events: null or console")
    option("role", default="default", help="a name of the processes")
    option("module", short="-m", action="store_true", help="the program is a module, as for python -m")
    option("no-python", action="store_true", help="the program is started without python")
    option("run-path", action="store_true", help="the program is a path of a script, run by runpy")
    option("log-dir", default=None, help="a folder for logs")
    option("redirects", short="-r", default="0", help="streams that go to files: 1 stdout, 2 stderr, 3 both, or 0:1,1:3 by rank")
    option("tee", short="-t", default="0", help="streams that go to files and the console")
    option("local-ranks-filter", default="", help="local ranks whose output the console shows, as in 0,1")
    option("node-rank", type=int, default=None, help="the rank of this machine, for static")
    option("master-addr", default=None, help="the address of machine 0, for static")
    option("master-port", type=int, default=None, help="a port of machine 0, for static")
    option("local-addr", default=None, help="the address of this machine, for a registered rendezvous")
    option("signals-to-handle", default="SIGTERM,SIGINT,SIGHUP,SIGQUIT", help="signals that are passed on")
    option("shutdown-timeout", type=float, default=None, help="seconds between a signal and SIGKILL; 30 by default")
    parser.add_argument("training_script", help="the program")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    # As everywhere in torchrun: PET_NNODES sets the default of --nnodes.
    for action in parser._actions:
        value = os.environ.get(f"PET_{action.dest.upper()}")
        if value is not None and action.option_strings and action.dest != "help":
            action.default = action.type(value) if callable(action.type) else (value == "1" if action.nargs == 0 else value)
    return parser


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """Reads a command line.

    Args:
        args (list of str, optional): the arguments; those of the process by default

    Returns:
        the options
    """
    return get_args_parser().parse_args(args)


def _processes(text: str) -> int:
    if text in ("auto", "cpu"):
        return len(os.sched_getaffinity(0))
    if text in ("gpu", "xpu"):
        raise ValueError(f"torchrun: --nproc-per-node {text}: this version of torch works on the CPU")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"torchrun: --nproc-per-node: expected a number of at least 1, auto or cpu, got {text!r}")
    return int(text)


def _nodes(text: str) -> tuple[int, int]:
    low, colon, high = text.partition(":")
    if not low.isdigit() or (colon and not high.isdigit()) or int(low) < 1 or int(high or low) < int(low):
        raise ValueError(f"torchrun: --nnodes: expected a number, or two as in 1:4, got {text!r}")
    return int(low), int(high or low)


def _endpoint(text: str, port: int) -> tuple[str, int]:
    host, colon, number = text.rpartition(":") if text.count(":") == 1 or text.startswith("[") else (text, "", "")
    if colon and not number.isdigit():
        raise ValueError(f"torchrun: --rdzv-endpoint: expected HOST:PORT, got {text!r}")
    return (host or "localhost").strip("[]"), int(number) if number else port


def _command(args: argparse.Namespace) -> list[str]:
    if args.no_python:
        if args.module:
            raise ValueError("torchrun: give --no-python or --module, not both")
        return [args.training_script, *args.training_script_args]
    python = [os.environ.get("PYTHON_EXEC", sys.executable), "-u"]
    if args.run_path:
        python += ["-c", "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"]
    return [*python, *(["-m"] if args.module else []), args.training_script, *args.training_script_args]


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """The least and the greatest number of machines.

    Args:
        nnodes (str): a number, or two as in 1:4

    Returns:
        both

    Raises:
        ValueError: it is neither
    """
    return _nodes(nnodes)


def determine_local_world_size(nproc_per_node: str) -> int:
    """How many processes run on this machine.

    Args:
        nproc_per_node (str): a number, "auto" or "cpu"

    Returns:
        the number

    Raises:
        ValueError: it is none of these
    """
    return _processes(nproc_per_node)


def get_rdzv_endpoint(args: argparse.Namespace) -> str:
    """Where machines meet.

    Args:
        args (Namespace): the options

    Returns:
        HOST:PORT; "" if the options do not say it
    """
    if args.rdzv_backend == "static" and not args.rdzv_endpoint:
        return f"{args.master_addr or '127.0.0.1'}:{args.master_port or (_DEFAULT_PORT if args.nnodes != '1' else 0)}"
    return args.rdzv_endpoint


def get_use_env(args: argparse.Namespace) -> bool:
    """Whether programs get their local rank by an environment variable only, and not by an argument.

    Args:
        args (Namespace): the options

    Returns:
        True
    """
    return getattr(args, "use_env", True)


def config_from_args(args: argparse.Namespace) -> tuple[LaunchConfig, str, list[str]]:
    """The options as settings of `torch.distributed.launcher.elastic_launch`.

    Args:
        args (Namespace): the options

    Returns:
        the settings, the program, and its arguments
    """
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, Std
    from torch.distributed.launcher.api import LaunchConfig

    low, high = _nodes(args.nnodes)
    conf: dict[str, object] = dict(pair.split("=", 1) for pair in args.rdzv_conf.split(",") if "=" in pair)
    backend, endpoint = args.rdzv_backend, get_rdzv_endpoint(args)
    if args.standalone:
        backend, endpoint = "c10d", "localhost:0"
    if backend == "static":
        conf["rank"] = args.node_rank or 0
    shown = {int(rank) for rank in args.local_ranks_filter.split(",")} if args.local_ranks_filter else None
    logs = DefaultLogsSpecs(args.log_dir, Std.from_str(args.redirects), Std.from_str(args.tee), shown)
    config = LaunchConfig(
        low, high, _processes(args.nproc_per_node), logs, args.rdzv_id, args.role, endpoint, backend, conf,
        max_restarts=args.max_restarts, monitor_interval=args.monitor_interval, start_method=args.start_method,
        signals_to_handle=args.signals_to_handle, shutdown_timeout=args.shutdown_timeout,
        event_log_handler=args.event_log_handler, local_addr=args.local_addr,
    )  # fmt: skip
    program, *rest = _command(args)
    return config, program, rest


def _place(args: argparse.Namespace, low: int, high: int) -> tuple[str, int, bool | None, int | None]:
    """Where machines meet: host, port, whether this one serves the store (None: if it can), and its rank, if that is given."""
    if args.standalone:
        if high > 1:
            raise ValueError("torchrun: --standalone is for one machine")
        return "127.0.0.1", 0, True, None
    if args.rdzv_backend == "c10d":
        return *_endpoint(args.rdzv_endpoint, _C10D_PORT), None, None
    if low != high:
        raise ValueError("torchrun: --nnodes: a range needs --rdzv-backend c10d")
    host, port = args.master_addr or "127.0.0.1", args.master_port or _DEFAULT_PORT
    if args.rdzv_endpoint:
        host, port = _endpoint(args.rdzv_endpoint, port)
    node_rank = 0 if args.node_rank is None else args.node_rank
    if not 0 <= node_rank < high:
        raise ValueError(f"torchrun: --node-rank: expected 0 to {high - 1}, got {node_rank}")
    if high == 1 and args.master_port is None and not args.rdzv_endpoint:
        port = 0  # nobody else has to know it
    return host, port, node_rank == 0, node_rank


def _run_by_handler(args: argparse.Namespace) -> None:
    """Runs a program whose machines meet by a handler that is registered."""
    from torch.distributed.elastic.rendezvous.registry import known_backends
    from torch.distributed.launcher.api import launch_agent

    known = known_backends(args.rdzv_backend)
    if args.rdzv_backend not in known:
        raise ValueError(f"torchrun: --rdzv-backend: expected one of {', '.join(known)}, got {args.rdzv_backend!r}")
    config, program, rest = config_from_args(args)
    launch_agent(config, program, rest)


def _check_event_log_handler(name: str) -> None:
    if name == "null":
        return
    from torch.distributed.elastic.events import get_logging_handler

    try:
        get_logging_handler(name)
    except KeyError as error:
        raise ValueError(f"torchrun: --event-log-handler: {error.args[0]}") from None


def run(args: argparse.Namespace) -> None:
    """Runs a program with the options of `parse_args`.

    Args:
        args (Namespace): the options

    Raises:
        ChildFailedError: a worker failed
    """
    if not is_available():
        raise RuntimeError("torchrun: this build of torch works in one process; torch.distributed.is_available() is False")
    from torch.distributed.elastic._agent import Job, run_job
    from torch.distributed.elastic._meeting import Meeting

    low, high = _nodes(args.nnodes)
    _check_event_log_handler(args.event_log_handler)
    if not args.standalone and args.rdzv_backend not in ("static", "c10d"):
        return _run_by_handler(args)
    conf = dict(pair.split("=", 1) for pair in args.rdzv_conf.split(",") if "=" in pair)
    timeout = float(conf.get("join_timeout", conf.get("timeout", 600)))
    last_call = float(conf.get("last_call_timeout", 30))
    run_id = str(uuid.uuid4()) if args.standalone or args.rdzv_id == "none" and high == 1 else args.rdzv_id
    host, port, serves, node_rank = _place(args, low, high)
    if "is_host" in conf and args.rdzv_backend == "c10d" and not args.standalone:
        serves = conf["is_host"].lower() in ("1", "true", "yes")
    shutdown = args.shutdown_timeout
    if shutdown is None:
        shutdown = float(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", 30))
    shown = [int(rank) for rank in args.local_ranks_filter.split(",")] if args.local_ranks_filter else None
    signals: list[int] = [signal.Signals[name.strip()] for name in args.signals_to_handle.split(",") if name.strip()]
    job = Job(
        _command(args), args.training_script, _processes(args.nproc_per_node), run_id.replace("/", "_"), args.max_restarts,
        args.monitor_interval, args.role, args.log_dir, args.redirects, args.tee,
        shown, shutdown, signals, args.event_log_handler,
    )  # fmt: skip
    if args.log_dir is not None:
        os.makedirs(args.log_dir, exist_ok=True)
    run_job(job, Meeting(host, port, run_id, low, high, serves, timeout, last_call, node_rank))


def main(args: Sequence[str] | None = None) -> None:
    """The command `torchrun`.

    Args:
        args (list of str, optional): the arguments; those of the process by default
    """
    options = parse_args(args)
    try:
        run(options)
    except ChildFailedError as error:
        print(error.format_msg(), file=sys.stderr, flush=True)
        sys.exit(1)
    except (ValueError, RuntimeError, TimeoutError, DistError, OSError) as error:
        print(f"{error}", file=sys.stderr, flush=True)
        sys.exit(1)
    except BaseException as error:
        number = getattr(error, "number", getattr(error, "sigval", None))  # a signal that was passed on
        if number is None:
            raise
        print(f"{error}", file=sys.stderr, flush=True)
        sys.exit(128 + number)


if __name__ == "__main__":
    main()
