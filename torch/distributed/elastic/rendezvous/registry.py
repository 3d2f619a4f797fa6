"""The kinds of rendezvous that are there, and those that installed packages bring."""

from __future__ import annotations

import importlib.metadata
import logging

from torch.distributed.elastic.rendezvous.api import RendezvousHandler, RendezvousParameters, rendezvous_handler_registry

__all__ = ["get_rendezvous_handler"]

_log = logging.getLogger(__name__)
_PLUGINS = "torchrun.handlers"


def _static(params: RendezvousParameters) -> RendezvousHandler:
    from torch.distributed.elastic.rendezvous.static_tcp_rendezvous import create_rdzv_handler

    return create_rdzv_handler(params)


def _c10d(params: RendezvousParameters) -> RendezvousHandler:
    from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import create_backend
    from torch.distributed.elastic.rendezvous.dynamic_rendezvous import create_handler

    backend, store = create_backend(params)
    return create_handler(store, backend, params)


def register_default_handlers() -> None:
    """Registers "static" and "c10d"."""
    rendezvous_handler_registry.register("static", _static)
    rendezvous_handler_registry.register("c10d", _c10d)


def _register_plugins() -> None:
    """Registers what installed packages have as entry points `torchrun.handlers`.

    An entry point is a function without arguments that gives a creator of handlers; its name is that of the kind.
    """
    for plugin in importlib.metadata.entry_points(group=_PLUGINS):
        try:
            rendezvous_handler_registry.register(plugin.name, plugin.load()())
        except Exception:  # of another package: torchrun works without it
            _log.warning("the rendezvous %r of %s cannot be registered", plugin.name, plugin.value, exc_info=True)


def known_backends(requested: str) -> list[str]:
    """The names of the kinds that are registered; installed packages are asked if the one that is looked for is not."""
    if requested not in rendezvous_handler_registry._registry:
        _register_plugins()
    return sorted(rendezvous_handler_registry._registry)


def get_rendezvous_handler(params: RendezvousParameters) -> RendezvousHandler:
    """Makes the handler of a kind that is registered, or that an installed package brings as an entry point `torchrun.handlers`.

    Args:
        params (RendezvousParameters): the kind and its settings

    Returns:
        the handler

    Raises:
        ValueError: nobody has registered such a kind
    """
    known_backends(params.backend)
    return rendezvous_handler_registry.create_handler(params)
