"""Functions of torch.cuda, under the name of the module that PyTorch has them in."""

from torch.cuda import (  # noqa: F401
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
