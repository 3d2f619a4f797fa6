"""How the processes of a job find each other: see `rendezvous`."""

from torch.distributed import is_available

if is_available():
    from torch.distributed._rendezvous import register_rendezvous_handler, rendezvous
else:
    from torch.distributed._not_there import not_there as _not_there

    _not_there("torch.distributed", globals()).refuses("register_rendezvous_handler rendezvous")

__all__ = ["register_rendezvous_handler", "rendezvous"]
