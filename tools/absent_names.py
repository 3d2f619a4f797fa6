"""Writes the tables of PyTorch's public names that this version does not have, from test/data/public_names.txt.

    python -m tools.absent_names            reports what is out of date, with exit status 1
    python -m tools.absent_names --write    writes torch/_absent_names.py and the list in torch/_absent_methods.py

Run it after adding names.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES, TABLE, METHODS = (ROOT / p for p in ("test/data/public_names.txt", "torch/_absent_names.py", "torch/_absent_methods.py"))

HEADER = '''"""Public names of PyTorch that are not here yet; written by `python -m tools.absent_names --write`.

MODULES lists whole modules; TABLE has names by the module that they belong to. Those of Tensor are in `_absent_methods`.
"""

MODULES = """
{modules}
"""

TABLE = {{
{table}
}}
'''


def public_names() -> dict[str, list[str]]:
    """PyTorch's modules under "modules", and its other names by the module or type that they belong to."""
    found: dict[str, list[str]] = {}
    place = ""
    for line in NAMES.read_text().splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            place, line = line.split(":", 1)
        found.setdefault(place, []).extend(line.split())
    return found


def module_is_here(name: str) -> bool:
    """Whether a module can be imported. Imports only the packages that contain it."""
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of a package around it
        return False


def place_is_here(place: str) -> bool:
    return place == "torch.Tensor" or place.startswith("torch.ops.") or module_is_here(place)


def owner(place: str) -> object:
    """The module, type or namespace of operators at a dotted path."""
    import torch

    found: object = torch
    for part in place.split(".")[1:]:
        if isinstance(found, type(torch)):
            try:
                __import__(f"{found.__name__}.{part}")
            except ImportError:
                pass
        found = getattr(found, part)
    return found


def absent() -> dict[str, list[str]]:
    """The names that only PyTorch has: whole modules under "modules", and other names by module or type.

    Names and modules inside an absent module are not listed.
    """
    names = public_names()
    modules = [m for m in names.pop("modules") if not module_is_here(m)]
    found = {"modules": [m for m in modules if m.rpartition(".")[0] not in modules]}
    for place, listed in names.items():
        if place_is_here(place):
            space = owner(place)
            missing = sorted(name for name in listed if not hasattr(space, name))
            if missing:
                found[place] = missing
    return found


def filled(names: list[str], indent: str = "") -> str:
    return textwrap.fill(
        " ".join(names), 126, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def files(found: dict[str, list[str]]) -> dict[Path, str]:
    """File -> text, for the files that hold the table."""
    found = dict(found)
    modules, methods = found.pop("modules"), found.pop("torch.Tensor", [])
    table = "\n".join(f'    "{place}": """\n{filled(listed)}\n""",' for place, listed in found.items())
    text = re.sub(r'(?<=NAMES = """\n).*?(?=""")', lambda _: filled(methods) + "\n", METHODS.read_text(), count=1, flags=re.S)
    return {TABLE: HEADER.format(modules=filled(modules), table=table), METHODS: text}


def main() -> int:
    # Names do not depend on devices, and the emulated one may have sanitizers, which end a process that did not load them first.
    os.environ.setdefault("TORCH_CUDA_EMULATED", "0")
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--write", action="store_true", help="write the files")
    args = parse.parse_args()
    stale = {path: text for path, text in files(absent()).items() if not path.exists() or path.read_text() != text}
    for path, text in stale.items():
        print(f"{path.relative_to(ROOT)} {'written' if args.write else 'is out of date'}")
        if args.write:
            path.write_text(text)
    return 1 if stale and not args.write else 0


if __name__ == "__main__":
    sys.exit(main())
