"""The normal distribution and the scaled error function."""

from cases.special_bessel import positive

import torch

CASES = {
    "compute": {
        "erfcx": positive(torch.special.erfcx),
        "ndtr": positive(torch.special.ndtr),
        "log_ndtr": positive(lambda x: torch.special.log_ndtr(-x)),
        "ndtri": positive(lambda x: torch.special.ndtri(x / 20)),
    },
}
