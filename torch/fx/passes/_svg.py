"""Draws a graph as SVG without graphviz: layers from top to bottom, each node below the nodes that it uses."""

from __future__ import annotations

from html import escape

_ROW, _PADDING, _LETTER, _GAP_X, _GAP_Y = 16, 8, 7, 30, 40
# The colors that graphviz has by these names.
_HEX = {
    "AliceBlue": "#f0f8ff", "LemonChiffon1": "#fffacd", "LightGrey": "#d3d3d3", "PowderBlue": "#b0e0e6", "CadetBlue1": "#98f5ff",
    "Coral": "#ff7f50", "DarkOliveGreen1": "#caff70", "DarkSeaGreen1": "#c1ffc1", "GhostWhite": "#f8f8ff", "Khaki1": "#fff68f",
    "LavenderBlush1": "#fff0f5", "LightSkyBlue": "#87cefa", "MistyRose1": "#ffe4e1", "MediumPurple1": "#ab82ff",
    "PaleTurquoise2": "#aeeeee", "PaleGreen1": "#9aff9a", "PeachPuff1": "#ffdab9", "Salmon": "#fa8072", "SteelBlue1": "#63b8ff",
    "Thistle1": "#ffe1ff",
}  # fmt: skip


def layers_of(names: list[str], edges: list[tuple[str, str]]) -> list[list[str]]:
    """The nodes by their distance from the top; `names` is in the order of execution."""
    depth: dict[str, int] = {}
    used: dict[str, list[str]] = {name: [] for name in names}
    for source, target in edges:
        used[target].append(source)
    layers: list[list[str]] = []
    for name in names:
        depth[name] = max((depth[source] + 1 for source in used[name]), default=0)
        while len(layers) <= depth[name]:
            layers.append([])
        layers[depth[name]].append(name)
    place: dict[str, float] = {}
    for layer in layers:  # below the middle of what a node uses, so that fewer lines cross
        middle = {n: sum(place[s] for s in used[n]) / len(used[n]) if used[n] else place.get(n, 0.0) for n in layer}
        layer.sort(key=lambda n: middle[n])
        for k, name in enumerate(layer):
            place[name] = k - (len(layer) - 1) / 2
    return layers


def svg(title: str, rows: dict[str, list[str]], colors: dict[str, str], edges: list[tuple[str, str]]) -> str:
    """The picture.

    Args:
        title (str): of the picture
        rows (dict): the lines of text of each node, in the order of execution
        colors (dict): of the nodes, by graphviz's names
        edges (list): (used node, node that uses it)
    """
    layers = layers_of(list(rows), edges)
    width = {name: 2 * _PADDING + _LETTER * max(map(len, lines)) for name, lines in rows.items()}
    height = {name: 2 * _PADDING + _ROW * len(lines) for name, lines in rows.items()}
    totals = [sum(width[n] for n in layer) + _GAP_X * (len(layer) - 1) for layer in layers]
    whole = max(totals, default=0)
    corner: dict[str, tuple[float, float]] = {}
    y = _PADDING
    for layer, total in zip(layers, totals):
        x = _PADDING + (whole - total) / 2
        for name in layer:
            corner[name] = x, y
            x += width[name] + _GAP_X
        y += max(height[n] for n in layer) + _GAP_Y
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole + 2 * _PADDING:g}" height="{max(y - _GAP_Y, 0) + _PADDING:g}" '
        'font-family="monospace" font-size="12">',
        f"<title>{escape(title)}</title>",
        '<defs><marker id="arrow" markerWidth="8" markerHeight="6" refX="8" refY="3" orient="auto">'
        '<path d="M0,0 L8,3 L0,6 z"/></marker></defs>',
    ]
    for source, target in edges:
        x1, y1 = corner[source][0] + width[source] / 2, corner[source][1] + height[source]
        x2, y2 = corner[target][0] + width[target] / 2, corner[target][1]
        bend = (y1 + y2) / 2
        parts.append(
            f'<path d="M{x1:g},{y1:g} C{x1:g},{bend:g} {x2:g},{bend:g} {x2:g},{y2:g}" fill="none" stroke="black" '
            'marker-end="url(#arrow)"/>'
        )
    for name, lines in rows.items():
        x, y = corner[name]
        parts.append(
            f'<g><title>{escape(name)}</title><rect x="{x:g}" y="{y:g}" width="{width[name]}" height="{height[name]}" rx="6" '
            f'fill="{_HEX.get(colors[name], colors[name])}" stroke="black"/>'
        )
        parts += [
            f'<text x="{x + _PADDING:g}" y="{y + _PADDING + _ROW * (k + 0.75):g}">{escape(t)}</text>' for k, t in enumerate(lines)
        ]
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])
