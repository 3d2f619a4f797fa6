"""Where the state of a rendezvous is: a key of a store."""

from __future__ import annotations

import base64
import binascii
import datetime
import os
import tempfile
from typing import Any

from torch.distributed import DistError, FileStore, Store, TCPStore
from torch.distributed.elastic._meeting import is_this_machine
from torch.distributed.elastic.rendezvous.api import (
    RendezvousConnectionError,
    RendezvousParameters,
    RendezvousStateError,
)
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import RendezvousBackend
from torch.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint

DEFAULT_PORT = 29400
_EMPTY = "-"  # a state that was not set yet


class C10dRendezvousBackend(RendezvousBackend):
    """Keeps the state in a store.

    Args:
        store (Store): the store
        run_id (str): the name of the job

    Raises:
        ValueError: no name
    """

    def __init__(self, store: Store, run_id: str) -> None:
        if not run_id:
            raise ValueError("C10dRendezvousBackend: expected a name as run_id, got an empty one")
        self._store, self._key = store, f"torch.rendezvous.{run_id}"
        self._call("compare_set", self._key, "", _EMPTY)

    @property
    def name(self) -> str:
        """ "c10d"."""
        return "c10d"

    def get_state(self) -> tuple[bytes, Any] | None:
        """The state, and a token of it; None if it was not set."""
        return self._decoded(self._call("get", self._key))

    def set_state(self, state: bytes, token: Any | None = None) -> tuple[bytes, Any, bool] | None:
        """Sets the state, if it is still the one of the token.

        Args:
            state (bytes): the state
            token (object, optional): that of the state before; None: there was none

        Returns:
            the state that is there now, its token, and whether it is this one
        """
        text = base64.b64encode(state).decode()
        if token is None:
            token = _EMPTY
        elif not isinstance(token, bytes):  # of another backend
            found = self.get_state()
            return None if found is None else (*found, False)
        else:
            token = token.decode()
        now = self._call("compare_set", self._key, token, text)
        found = self._decoded(now)
        return None if found is None else (*found, found[0] == state)

    def _decoded(self, value: bytes) -> tuple[bytes, Any] | None:
        if value == _EMPTY.encode():
            return None
        try:
            return base64.b64decode(value, validate=True), value
        except binascii.Error as error:
            raise RendezvousStateError(f"rendezvous: the state in the store cannot be read: {error}") from error

    def _call(self, name: str, *args: Any) -> bytes:
        try:
            return getattr(self._store, name)(*args)  # type: ignore[no-any-return]
        except (ValueError, RuntimeError, DistError) as error:
            raise RendezvousConnectionError(f"rendezvous: the store does not answer: {error}") from error


def _tcp_store(params: RendezvousParameters, timeout: datetime.timedelta) -> Store:
    host, port = parse_rendezvous_endpoint(params.endpoint, DEFAULT_PORT)
    serves = params.get_as_bool("is_host")
    # This machine serves the store if it was asked to, or if the host is this machine and nobody else does.
    for is_server in [serves] if serves is not None else [True, False] if is_this_machine(host) else [False]:
        try:
            return TCPStore(host, port, None, is_server, timeout, wait_for_workers=False)
        except (ValueError, RuntimeError) as error:
            failure = error
    raise RendezvousConnectionError(f"rendezvous: no connection with {host}:{port}: {failure}") from failure


def _file_store(params: RendezvousParameters) -> Store:
    path = params.endpoint
    if not path:
        handle, path = tempfile.mkstemp()
        os.close(handle)
    return FileStore(path, -1)


def create_backend(params: RendezvousParameters) -> tuple[C10dRendezvousBackend, Store]:
    """Makes the backend and its store.

    Args:
        params (RendezvousParameters): endpoint HOST:PORT, and the settings `store_type` ("tcp" or "file"), `is_host` and
            `read_timeout`

    Returns:
        both

    Raises:
        ValueError: another type of store, or a timeout that is not above 0
        RendezvousConnectionError: there is no connection
    """
    kind = str(params.get("store_type", "tcp")).strip().lower()
    seconds: Any = params.get_as_int("read_timeout", 60)
    if seconds <= 0:
        raise ValueError(f"rendezvous: expected a read_timeout above 0, got {seconds}")
    if kind not in ("tcp", "file"):
        raise ValueError(f"rendezvous: expected 'tcp' or 'file' as store_type, got {kind!r}")
    store = _tcp_store(params, datetime.timedelta(seconds=seconds)) if kind == "tcp" else _file_store(params)
    return C10dRendezvousBackend(store, params.run_id), store
