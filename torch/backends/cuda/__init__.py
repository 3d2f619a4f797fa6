"""Settings of GPU libraries; of no effect on a CPU."""

from torch import _lazy


class _Switches:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Switches()


def is_built():
    return False


def flash_sdp_enabled():
    return True


def mem_efficient_sdp_enabled():
    return True


def math_sdp_enabled():
    return True

_lazy.names_what_is_absent(__name__)
