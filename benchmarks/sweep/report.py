"""What the sweep says: means by family, the slowest cases, changes since another sweep, a picture."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

MIN_MEAN, MIN_RATIO = 1.5, 0.95  # budgets of a family and of a case
MIN_SHARE, MIN_PEAK_SHARE = 0.7, 0.85  # of the bandwidth past the caches, and of the speed of large products
# Families with a few instructions for each element: past the caches, memory limits them.
BOUND_BY_MEMORY = {
    "arithmetic", "bitwise", "comparison", "complex", "dropout", "embedding", "factories", "fill", "flip", "grids", "joining",
    "masked", "minmax", "norm", "padding", "reduce", "repeat", "resize", "shuffle", "ternary", "unary", "views_shape",
    "views_split", "views_strided",
}  # fmt: skip


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def limit(row, bandwidth):
    """What holds a case back: the call itself, memory, or the kernel."""
    if row["ours"] < 3e-6:
        return "call"
    share = row["bytes"] / row["ours"] / bandwidth
    return f"memory, {share:4.0%} of the bandwidth" if share >= MIN_SHARE else f"kernel, {share:4.0%} of the bandwidth"


def peak_share(name, row, bandwidth, peaks):
    """The share of a large product's speed, for cases that need more time for their operations than for their memory."""
    fields = name.split()
    peak = peaks.get(f"{fields[1]} {fields[-2]}")
    operations = row.get("operations", 0)
    if not peak or " large " not in name or operations / peak < row["bytes"] / bandwidth:
        return None
    return operations / peak / row["ours"]


def print_shares(rows, bandwidth, peaks):
    products = {name: share for name, row in rows.items() if (share := peak_share(name, row, bandwidth, peaks))}
    large = {name: row for name, row in rows.items() if " large " in name and name.split("/")[0] in BOUND_BY_MEMORY}
    moved = [row["bytes"] / row["ours"] / bandwidth for row in large.values()]
    for shares, target, what in (
        (moved, MIN_SHARE, "the bandwidth of a copy"),
        (list(products.values()), MIN_PEAK_SHARE, "the speed of a large product"),
    ):
        if shares:
            half = sorted(shares)[len(shares) // 2]
            print(f"past the caches: half of {len(shares)} cases reach {half:.0%} of {what} or more, "
                  f"{sum(s >= target for s in shares)} reach {target:.0%}")  # fmt: skip
    for name, share in sorted(products.items(), key=lambda item: item[1])[:5]:
        if share < MIN_PEAK_SHARE:
            print(f"  {share:4.0%}  {name}")


def by_family(rows):
    found = defaultdict(list)
    for name, row in rows.items():
        found[name.split("/")[0]].append(row["ratio"])
    return dict(sorted(found.items(), key=lambda item: mean(item[1])))


def print_report(rows, bandwidth, shown, peaks, first_slower):
    families = by_family(rows)
    print(f"\n{'family':24}{'cases':>7}{'mean':>8}{'worst':>8}{'slower':>8}   (the peer's time divided by ours)")
    for family, ratios in families.items():
        slower = sum(r < MIN_RATIO for r in ratios)
        mark = "  under budget" if mean(ratios) < MIN_MEAN or slower else ""
        print(f"{family:24}{len(ratios):7}{mean(ratios):8.2f}{min(ratios):8.2f}{slower:8}{mark}")
    ratios = [row["ratio"] for row in rows.values()]
    threads = defaultdict(list)
    for name, row in rows.items():
        threads[" ".join(name.split()[-2:])].append(row["ratio"])
    print(", ".join(f"{n}: mean {mean(found):.2f} of {len(found)}" for n, found in sorted(threads.items())))
    slower = sum(r < MIN_RATIO for r in ratios)
    again = sum("first_ratio" in row for row in rows.values())
    print(f"\n{len(ratios)} cases: mean {mean(ratios):.2f}, {slower} slower than the peer "
          f"({first_slower} at first, of which {again} were timed again)")  # fmt: skip
    print_shares(rows, bandwidth, peaks)
    print(f"\nthe slowest {shown}:")
    for name, row in sorted(rows.items(), key=lambda item: item[1]["ratio"])[:shown]:
        print(f"{row['ratio']:7.2f}  {row['ours'] * 1e6:12.1f} us  {name:70} {limit(row, bandwidth)}")


def print_changes(rows, before, shown):
    """Cases whose ratio changed most."""
    common = {n: rows[n]["ratio"] / before[n]["ratio"] for n in rows if n in before}
    if not common:
        print("no case is in both sweeps")
        return
    print(f"\n{len(common)} cases in both: the ratio changed by a factor of {mean(list(common.values())):.3f} in the mean")
    for name, change in sorted(common.items(), key=lambda item: item[1])[:shown]:
        print(f"{change:7.2f}  {name}: {before[name]['ratio']:.2f} to {rows[name]['ratio']:.2f}")


def write_picture(rows, path: Path) -> None:
    """A dot for each case, in a column for each family; the line is the peer's speed."""
    families = by_family(rows)
    width, height, top = 60 + 18 * len(families), 420, 20

    def y(ratio):
        return top + (height - 150) * (1 - (math.log2(min(max(ratio, 1 / 32), 32)) + 5) / 10)

    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="10">'
    parts = [head, f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(-5, 6):
        line = y(2.0**power)
        parts.append(f'<line x1="40" x2="{width}" y1="{line:.1f}" y2="{line:.1f}" stroke="{"black" if power == 0 else "#ddd"}"/>')
        parts.append(f'<text x="4" y="{line + 3:.1f}">{2.0**power:g}</text>')
    for k, (family, ratios) in enumerate(families.items()):
        x = 52 + 18 * k
        for n, ratio in enumerate(ratios):
            color = "#c33" if ratio < MIN_RATIO else "#36a"
            parts.append(f'<circle cx="{x + n % 7 - 3}" cy="{y(ratio):.1f}" r="1.5" fill="{color}" fill-opacity="0.5"/>')
        middle = f"{y(mean(ratios)):.1f}"
        parts.append(f'<line x1="{x - 7}" x2="{x + 7}" y1="{middle}" y2="{middle}" stroke="black" stroke-width="2"/>')
        parts.append(f'<text transform="translate({x + 3},{height - 122}) rotate(60)">{family}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")
