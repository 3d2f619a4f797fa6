"""Models from a folder or from the cache, by the functions of a `hubconf.py`.

`load` and its relatives take a local folder, or a repository of GitHub, which is downloaded into the cache folder unless it is
there. `load_state_dict_from_url` and `download_url_to_file` fetch a single file.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError  # noqa: F401
from urllib.parse import urlparse
from urllib.request import Request, urlopen

import torch

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

ENV_GITHUB_TOKEN, ENV_TORCH_HOME, ENV_XDG_CACHE_HOME = "GITHUB_TOKEN", "TORCH_HOME", "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
VAR_DEPENDENCY, MODULE_HUBCONF = "dependencies", "hubconf.py"
READ_DATA_CHUNK = 128 * 1024
_list = list
_hub_dir: str | None = None

try:
    from tqdm import tqdm
except ImportError:

    class tqdm:  # type: ignore[no-redef]
        """Shows progress without the package tqdm."""

        def __init__(self, total: int | None = None, disable: bool = False, **options: Any) -> None:
            self.total, self.disable, self.n = total, disable, 0

        def update(self, n: int) -> None:
            self.n += n
            if not self.disable:
                share = f"{100 * self.n / self.total:.1f}%" if self.total else f"{self.n} bytes"
                sys.stderr.write(f"\r{share}")
                sys.stderr.flush()

        def close(self) -> None:
            if not self.disable:
                sys.stderr.write("\n")

        def __enter__(self) -> tqdm:
            return self

        def __exit__(self, *problem: object) -> None:
            self.close()


def _get_torch_home() -> str:
    cache = os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of cached files.

    Returns:
        what `set_dir` was given, or "hub" in $TORCH_HOME, $XDG_CACHE_HOME/torch or ~/.cache/torch

    Example:
        >>> torch.hub.get_dir().endswith("hub")
        True
    """
    return _hub_dir if _hub_dir is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set the folder of cached files.

    Args:
        d (str): the folder

    Example:
        >>> before = torch.hub.get_dir()
        >>> torch.hub.set_dir(before)
    """
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


def _folder_of(repo: str, source: str, what: str, force_reload: bool, trust_repo: Any, verbose: bool) -> str:
    """Where the files of a repository are, of which code may run."""
    from torch import _hub_repository

    if source not in ("github", "local"):
        raise ValueError(f"torch.hub.{what}: unknown source {source!r}, expected 'github' or 'local'")
    if source == "local":
        return repo
    owner, name, ref = _hub_repository.parse(repo, what)
    _hub_repository.check_trust(owner, name, get_dir(), trust_repo, what)
    return _hub_repository.folder_of(owner, name, ref, get_dir(), force_reload, verbose, what)


@contextlib.contextmanager
def _on_path(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


_add_to_sys_path = _on_path


def _import_module(name: str, path: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"torch.hub: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _hubconf(folder: str) -> Any:
    return _import_module(MODULE_HUBCONF, os.path.join(folder, MODULE_HUBCONF))


def _entry(module: Any, name: Any) -> Any:
    if not isinstance(name, str):
        raise ValueError(f"torch.hub: the model must be given as a str, got {type(name).__name__}")
    missing = [p for p in getattr(module, VAR_DEPENDENCY, None) or () if importlib.util.find_spec(p) is None]
    if missing:
        raise RuntimeError(f"torch.hub: the repository needs packages that are not installed: {', '.join(missing)}")
    function = getattr(module, name, None)
    if not callable(function):
        raise RuntimeError(f"torch.hub: {MODULE_HUBCONF} has no function {name!r}")
    return function


def list(
    github: str, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = None, verbose: bool = True
) -> _list[str]:  # fmt: skip
    """Names of the models in a repository.

    Args:
        github (str): "owner/name" or "owner/name:ref", or a local folder
        force_reload (bool, default False): download it even if it is in the cache
        skip_validation (bool, default False): of no effect
        trust_repo (bool or str, optional): True: remember that the repository is trusted; False or "check": ask, unless that is
            remembered; None: warn
        verbose (bool, default True): say where the files are

    Returns:
        the names

    Raises:
        URLError: the repository cannot be downloaded

    Example:
        >>> torch.hub.list("no repository")
        Traceback (most recent call last):
        ValueError: ...
    """
    local = os.path.isfile(os.path.join(github, MODULE_HUBCONF))
    folder = _folder_of(github, "local" if local else "github", "list", force_reload, trust_repo, verbose)
    with _on_path(folder):
        module = _hubconf(folder)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(
    github: str, model: str, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = None
) -> str | None:  # fmt: skip
    """The docstring of a model's function.

    Args:
        github (str): "owner/name" or "owner/name:ref", or a local folder
        model (str): its name
        force_reload (bool, default False): download it even if it is in the cache
        skip_validation (bool, default False): of no effect
        trust_repo (bool or str, optional): True: remember that the repository is trusted; False or "check": ask, unless that is
            remembered; None: warn

    Returns:
        the docstring

    Raises:
        URLError: the repository cannot be downloaded

    Example:
        >>> torch.hub.help("no repository", "model")
        Traceback (most recent call last):
        ValueError: ...
    """
    local = os.path.isfile(os.path.join(github, MODULE_HUBCONF))
    folder = _folder_of(github, "local" if local else "github", "help", force_reload, trust_repo, True)
    with _on_path(folder):
        return _entry(_hubconf(folder), model).__doc__


def load(
    repo_or_dir: str, model: str, *args: Any, source: str = "github", trust_repo: Any = None, force_reload: bool = False,
    verbose: bool = True, skip_validation: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """Call a function of a folder's `hubconf.py`.

    Args:
        repo_or_dir (str): "owner/name" or "owner/name:ref" of GitHub; a folder with source="local"
        model (str): the function
        *args (Any): its arguments
        source (str, default "github"): or "local"
        trust_repo (bool or str, optional): True: remember that the repository is trusted; False or "check": ask, unless that is
            remembered; None: warn
        force_reload (bool, default False): download it even if it is in the cache
        verbose (bool, default True): say where the files are
        skip_validation (bool, default False): of no effect
        **kwargs (Any): its arguments

    Returns:
        what the function returns

    Raises:
        ValueError: another source
        RuntimeError: the repository is not trusted, or has no such function
        URLError: the repository cannot be downloaded
        FileNotFoundError: the folder has no hubconf.py

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "hubconf.py"), "w") as file:
        ...         _ = file.write("def double(x): return 2 * x")
        ...     torch.hub.load(folder, "double", 3, source="local")
        6
    """
    folder = _folder_of(repo_or_dir, source.lower(), "load", force_reload, trust_repo, verbose)
    with _on_path(folder):
        return _entry(_hubconf(folder), model)(*args, **kwargs)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Fetch a file; it appears under its name only when it is whole.

    Args:
        url (str): where it is
        dst (str): the file to write
        hash_prefix (str, optional): what its SHA-256 begins with
        progress (bool, default True): show a bar on stderr

    Raises:
        URLError: it cannot be fetched
        RuntimeError: its hash is another one

    Example:
        >>> torch.hub.download_url_to_file("file:///no/such/file", "here", progress=False)
        Traceback (most recent call last):
        urllib.error.URLError: ...
    """
    dst = os.path.expanduser(dst)
    with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as response:
        length = response.headers.get("Content-Length")
        handle, partial = tempfile.mkstemp(prefix=os.path.basename(dst), suffix=".partial", dir=os.path.dirname(dst) or ".")
        try:
            _receive(response, handle, int(length) if length else None, hash_prefix, progress, url)
            os.chmod(partial, 0o666 & ~_umask())
            shutil.move(partial, dst)
        finally:
            if os.path.exists(partial):
                os.remove(partial)


def _receive(response, handle, total, hash_prefix, progress, url):
    digest = hashlib.sha256()
    with (
        os.fdopen(handle, "wb") as file,
        tqdm(total=total, disable=not progress, unit="B", unit_scale=True, unit_divisor=1024) as bar,
    ):
        while chunk := response.read(READ_DATA_CHUNK):
            file.write(chunk)
            digest.update(chunk)
            bar.update(len(chunk))
    if hash_prefix is not None and not digest.hexdigest().startswith(hash_prefix):
        got = digest.hexdigest()[: len(hash_prefix)]
        raise RuntimeError(f"torch.hub: the hash of {url} begins with {got!r}, expected {hash_prefix!r}")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False,
    file_name: str | None = None, weights_only: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Load a file of weights, from the cache if it is there.

    Args:
        url (str): where it is
        model_dir (str, optional): the folder that keeps it; by default "checkpoints" in the cache
        map_location (str, device, dict or function, optional): as for `torch.load`
        progress (bool, default True): show a bar on stderr
        check_hash (bool, default False): the name ends in "-HASH.ext": check it
        file_name (str, optional): the name in the folder
        weights_only (bool, default False): as for `torch.load`

    Returns:
        what the file holds

    Raises:
        URLError: it cannot be fetched

    Example:
        >>> torch.hub.load_state_dict_from_url("file:///no/such/file.pth", progress=False)
        Traceback (most recent call last):
        urllib.error.URLError: ...
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    place = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(place):
        sys.stdout.write(f'Downloading: "{url}" to {place}\n')
        found = HASH_REGEX.search(os.path.basename(place)) if check_hash else None
        download_url_to_file(url, place, found[1] if found else None, progress=progress)
    if zipfile.is_zipfile(place) and "data.pkl" not in "".join(_names(place)):
        return _from_zip(place, folder, map_location, weights_only)
    return torch.load(place, map_location=map_location, weights_only=weights_only)


def _names(place: str) -> _list[str]:
    with zipfile.ZipFile(place) as archive:
        return archive.namelist()


def _from_zip(place, folder, map_location, weights_only):
    """A checkpoint that was zipped, as files of the first versions were."""
    warnings.warn("torch.hub: zipped checkpoints are deprecated; save with torch.save instead", FutureWarning, stacklevel=3)
    with zipfile.ZipFile(place) as archive:
        members = archive.infolist()
        if len(members) != 1 or os.path.basename(members[0].filename) != members[0].filename:
            raise RuntimeError(f"torch.hub: expected one file in {place}, got {[member.filename for member in members]}")
        archive.extractall(folder)
    return torch.load(os.path.join(folder, members[0].filename), map_location=map_location, weights_only=weights_only)
