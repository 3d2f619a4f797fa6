"""Settings of cuDNN; of no effect on a CPU."""

from torch import _lazy

enabled, benchmark, deterministic, allow_tf32, benchmark_limit = True, False, False, True, 10


def is_available():
    return False


def version():
    return None

_lazy.names_what_is_absent(__name__)
