"""Prints how much of PyTorch's interface exists: names by namespace, and operator overloads by kind.

    python -m tools.api_coverage                 the counts
    python -m tools.api_coverage --missing       the counts, and the missing names
    python -m tools.api_coverage --facts FOLDER  where public_names.json and aten_schemas.txt are (../shared/api)

A name counts if it exists and works; names that only raise an error do not count. An overload counts
if it is in the registry; test/test_ops_overloads.py calls each of them. Schemas that differ from PyTorch's are listed.
docs/absent_operators.md gives the reason for overloads that are missing on purpose; they are counted apart. docs/absent_names.md
gives reasons for names; those are counted as missing, and --missing lists only the ones without a reason.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# The kind of an overload is that of the first pattern that its operator's name matches.
KINDS = {
    "sparse": r"sparse|coalesce|to_dense|crow_indices|col_indices|row_indices|^_?indices|^_?values|hspmm",
    "quantized": r"quantiz|^q_|fake_quant|fbgemm|int_repr|_empty_affine|_empty_per_channel|dequant|qscheme|fused_moving",
    "nested": r"nested|jagged|padded",
    "other backends": r"cudnn|miopen|cuda|_mps|xpu|vulkan|metal|mtia|_cslt|triton|_efficient|_flash_attention|mkldnn|nnpack|xnn",
    "dense": "",
}


def kind_of(operator: str) -> str:
    return next(kind for kind, pattern in KINDS.items() if re.search(pattern, operator))


def absent_patterns(page: str = "absent_operators.md") -> list[str]:
    """The patterns of a page in docs/."""
    text = (ROOT / "docs" / page).read_text()
    return re.findall(r"^- `(.+)`$", text, re.M)


def is_explained(name: str, schema: str, patterns: list[str]) -> bool:
    """Whether docs/absent_operators.md says why an overload is missing."""
    return "Tensor" not in schema or any(re.fullmatch(p, name) for p in patterns)


def is_name_explained(name: str, patterns: list[str]) -> bool:
    """Whether docs/absent_names.md says why a name is missing."""
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def schemas(facts: Path) -> dict[str, str]:
    """Overload ("add.Tensor") -> PyTorch's schema."""
    found = {}
    for line in (facts / "aten_schemas.txt").read_text().splitlines():
        text = line.removeprefix("aten::")
        found[text.split("(", 1)[0]] = text
    return found


def ours() -> dict[str, str]:
    import torch

    names = [n.removeprefix("aten::") for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")]
    return {n: str(torch._C._dispatch_get_schema("aten::" + n.partition(".")[0], n.partition(".")[2])) for n in names}


def plain(schema: str) -> str:
    """A schema without irrelevant details: spaces, the kind of quotes, the notation of numbers."""
    text = schema.removeprefix("aten::").replace('"', "'").replace(" ", "")
    text = re.sub(r"=(\d[\d.]*e-?\d+)", lambda m: f"={float(m[1])}", text)
    return re.sub(r"(\d)\.0?(?=[,)\]])", r"\1", text)


def is_here(place: str, name: str) -> bool:
    try:
        space: object = importlib.import_module("torch")
        for part in place.split(".")[1:]:
            if isinstance(space, type(sys)):
                try:
                    importlib.import_module(f"{space.__name__}.{part}")
                except ImportError:
                    pass
            space = getattr(space, part)
        return hasattr(space, name)
    except (AttributeError, ImportError, RuntimeError):
        return False


def report(title: str, here: int, total: int, explained: int = 0) -> None:
    reasons = f", and a reason for {explained}" if explained else ""
    print(f"{title:44} {here:5} of {total:5}  {100 * here / total:5.1f} %{reasons}")


def listed(names: list[str]) -> None:
    print(textwrap.fill(" ".join(sorted(names)), 126, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False))


def report_names(facts: Path, show_missing: bool) -> None:
    total_here = total = total_explained = 0
    patterns = absent_patterns("absent_names.md")
    for place, names in json.loads((facts / "public_names.json").read_text()).items():
        if not names:
            continue
        owner = place.removesuffix(" (dunder)")
        absent = [name for name in names if not is_here(owner, name)]
        missing = [name for name in absent if not is_name_explained(f"{owner}.{name}", patterns)]
        explained = len(absent) - len(missing)
        report(place, len(names) - len(absent), len(names), explained)
        if missing and show_missing:
            listed(missing)
        total_here += len(names) - len(absent)
        total += len(names)
        total_explained += explained
    report("all names", total_here, total, total_explained)


def report_overloads(facts: Path, show_missing: bool) -> None:
    theirs, mine = schemas(facts), ours()
    groups: dict[str, list[str]] = defaultdict(list)
    for name in theirs:
        groups[kind_of(name.split(".")[0])].append(name)
    patterns = absent_patterns()
    for kind, names in groups.items():
        absent = [name for name in names if name not in mine]
        missing = [name for name in absent if kind != "dense" or not is_explained(name, theirs[name], patterns)]
        if kind == "dense":
            print(f"overloads: {len(absent) - len(missing)} dense ones are missing on purpose (docs/absent_operators.md)")
        total = len(names) - (len(absent) - len(missing))
        report(f"overloads: {kind}", total - len(missing), total)
        if missing and show_missing:
            listed(missing)
    report("all overloads", sum(name in mine for name in theirs), len(theirs))
    different = [name for name in theirs if name in mine and plain(theirs[name]) != plain(mine[name])]
    print(f"schemas that differ: {len(different)}")
    for name in different:
        print(f"    PyTorch  {theirs[name]}\n    here     {mine[name].removeprefix('aten::')}")
    extra = sorted(set(mine) - set(theirs))
    print(f"overloads that PyTorch lacks: {len(extra)}  {' '.join(extra)}")


def main() -> int:
    # Names do not depend on devices, and the emulated one may have sanitizers, which end a process that did not load them first.
    os.environ.setdefault("TORCH_CUDA_EMULATED", "0")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--facts", type=Path, default=ROOT.parent / "shared" / "api", help="the folder of PyTorch's names and schemas"
    )
    parser.add_argument("--missing", action="store_true", help="list what is missing")
    args = parser.parse_args()
    if not (args.facts / "aten_schemas.txt").exists():
        print(f"api_coverage: there is no {args.facts}/aten_schemas.txt; name the folder that has it with --facts")
        return 2
    report_names(args.facts, args.missing)
    report_overloads(args.facts, args.missing)
    return 0


if __name__ == "__main__":
    sys.exit(main())
