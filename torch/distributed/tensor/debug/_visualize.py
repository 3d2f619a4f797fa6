"""visualize_sharding: which process has which part of a DTensor, as a table."""

from __future__ import annotations

from typing import Any

from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor.placement_types import Shard, chunk_range


def _ranges(shape: tuple[int, ...], placements: Any, sizes: tuple[int, ...], place: list[int]) -> tuple[tuple[int, int], ...]:
    """Where the part at a place of the mesh begins and ends, in each dimension."""
    ranges = [(0, size) for size in shape]
    for placement, size, index in zip(placements, sizes, place):
        if isinstance(placement, Shard):
            start, end = ranges[placement.dim]
            first, last = chunk_range(end - start, size, index)
            ranges[placement.dim] = start + first, start + last
    return tuple(ranges)


def _parts(dtensor: DTensor) -> dict[tuple[tuple[int, int], ...], list[int]]:
    """The ranks that have each part; parts without elements are left out."""
    mesh = dtensor.device_mesh
    found: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for place in (mesh.mesh >= 0).nonzero().tolist():
        ranges = _ranges(tuple(dtensor.shape), dtensor.placements, tuple(mesh.mesh.shape), place)
        if all(start < end for start, end in ranges):
            found.setdefault(ranges, []).append(int(mesh.mesh[tuple(place)]))
    return found


def _cells(dtensor: DTensor) -> list[list[str]]:
    """The table: names of columns, then rows with theirs."""
    parts = {r if len(r) == 2 else (r[0], (0, 1)): ranks for r, ranks in _parts(dtensor).items()}
    rows, columns = sorted({rows for rows, _ in parts}), sorted({columns for _, columns in parts})
    table = [["", *(f"Col {start}-{end - 1}" for start, end in columns)]]
    for row in rows:
        cells = [parts.get((row, column)) for column in columns]
        names = ["" if c is None else f"{dtensor.device_mesh.device_type}:{','.join(map(str, sorted(c)))}" for c in cells]
        table.append([f"Row {row[0]}-{row[1] - 1}", *names])
    return table


def _print(table: list[list[str]]) -> None:
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    for row in [table[0], ["-" * width for width in widths], *table[1:]]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def visualize_sharding(dtensor: Any, header: str = "", use_rich: bool = False) -> None:
    """Prints which process has which part of a DTensor. The first process of the mesh prints.

    Args:
        dtensor (DTensor): with 1 or 2 dimensions; nothing is printed if it has no elements
        header (str, default ""): a line above the table
        use_rich (bool, default False): draw it by the package rich

    Raises:
        TypeError: no DTensor
        RuntimeError: it has other dimensions
        ValueError: `use_rich`, without the package

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
        >>> from torch.distributed.tensor.debug import visualize_sharding
        >>> visualize_sharding(distribute_tensor(torch.ones(4, 6), init_device_mesh("cpu", (1,)), [Shard(0)]))
                 Col 0-5
        -------  -------
        Row 0-3  cpu:0
        >>> torch.distributed.destroy_process_group()
    """
    if not isinstance(dtensor, DTensor):
        raise TypeError(f"visualize_sharding(): expected a DTensor, got {type(dtensor).__name__}")
    if dtensor.numel() == 0:
        return
    if dtensor.ndim not in (1, 2):
        raise RuntimeError(f"visualize_sharding(): expected a DTensor of 1 or 2 dimensions, got {dtensor.ndim}")
    place = dtensor.device_mesh.get_coordinate()
    if place is None or any(place):
        return
    table = _cells(dtensor)
    if not use_rich:
        if header:
            print(header)
        _print(table)
        return
    try:
        import rich.console
        import rich.table
    except ImportError:
        raise ValueError("visualize_sharding(): use_rich needs the package rich") from None
    drawn = rich.table.Table(*table[0], title=header or None, show_lines=True)
    for row in table[1:]:
        drawn.add_row(*row)
    rich.console.Console().print(drawn)
