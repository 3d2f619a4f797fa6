"""Repositories of GitHub for `torch.hub`: which are trusted, and where their files are; downloads those that are not there."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
import zipfile
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

# An archive of a repository at a branch, tag or commit.
ARCHIVE = "https://github.com/{owner}/{name}/zipball/{ref}"
TRUSTED_OWNERS = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")
TRUSTED_LIST = "trusted_list"


def parse(repo: str, what: str) -> tuple[str, str, str]:
    """(owner, name, ref) of "owner/name:ref"; the ref is empty where none is given."""
    owner, slash, rest = repo.partition("/")
    name, colon, ref = rest.partition(":")
    if not (owner and slash and name) or "/" in name or (colon and not ref):
        raise ValueError(f"torch.hub.{what}: expected a repository as 'owner/name' or 'owner/name:ref', got {repo!r}")
    return owner, name, ref


def check_trust(owner: str, name: str, folder: str, trust_repo: Any, what: str) -> None:
    """Ask, warn or remember, before code of a repository runs."""
    if trust_repo not in (True, False, None, "check"):
        raise ValueError(f"torch.hub.{what}: trust_repo must be True, False, None or 'check', got {trust_repo!r}")
    path, entry = os.path.join(folder, TRUSTED_LIST), f"{owner}_{name}"
    known: list[str] = []
    if os.path.exists(path):
        with open(path) as file:
            known = file.read().split()
    if entry in known or owner in TRUSTED_OWNERS:
        return
    if trust_repo is None:
        warnings.warn(
            f"torch.hub.{what}: code of {owner}/{name} runs, which is not in the list of trusted repositories: trust_repo=True "
            "puts it there, trust_repo='check' asks",
            stacklevel=4,
        )
        return
    if trust_repo is not True:
        answer = input(f"Code of {owner}/{name} is about to run. Do you trust it, and shall it be remembered? (y/N) ")
        if answer.strip().lower() not in ("y", "yes"):
            raise RuntimeError(f"torch.hub.{what}: {owner}/{name} is not trusted")
    os.makedirs(folder, exist_ok=True)
    with open(path, "a") as file:
        file.write(entry + "\n")


def folder_of(owner: str, name: str, ref: str, folder: str, force_reload: bool, verbose: bool, what: str) -> str:
    """Where the files of a repository are, downloaded if they are not there, or again."""
    refs = [ref] if ref else ["main", "master"]
    places = [os.path.join(folder, f"{owner}_{name}_{each.replace('/', '_')}") for each in refs]
    if not force_reload:
        for place in places:
            if os.path.isdir(place):
                if verbose:
                    print(f"Using cache found in {place}", file=sys.stderr)
                return place
    for each, place in zip(refs, places):
        try:
            _download(owner, name, each, folder, place)
        except HTTPError as problem:
            if problem.code != 404:
                raise
            continue
        except URLError as problem:
            raise URLError(
                f"torch.hub.{what}: {owner}/{name} cannot be downloaded ({problem.reason}); put its files into {place}, "
                "or pass a local folder with source='local'"
            ) from None
        return place
    raise ValueError(f"torch.hub.{what}: GitHub has no {' or '.join(refs)} of {owner}/{name}")


def _download(owner: str, name: str, ref: str, folder: str, place: str) -> None:
    url = ARCHIVE.format(owner=quote(owner), name=quote(name), ref=quote(ref))
    headers = {"User-Agent": "torch.hub"}
    if os.environ.get("GITHUB_TOKEN"):
        headers["Authorization"] = f"token {os.environ['GITHUB_TOKEN']}"
    os.makedirs(folder, exist_ok=True)
    print(f'Downloading: "{url}" to {place}')
    with tempfile.TemporaryDirectory(dir=folder) as work:
        archive = os.path.join(work, "archive.zip")
        with urlopen(Request(url, headers=headers)) as source, open(archive, "wb") as out:
            shutil.copyfileobj(source, out)
        with zipfile.ZipFile(archive) as files:
            tops = {entry.split("/")[0] for entry in files.namelist()}
            if len(tops) != 1:
                raise RuntimeError(f"torch.hub: expected one folder in {url}, got {sorted(tops)}")
            files.extractall(os.path.join(work, "files"))
        shutil.rmtree(place, ignore_errors=True)
        os.replace(os.path.join(work, "files", tops.pop()), place)
