"""The call tree as SVG: one box per call, indented by depth."""

from html import escape

ROW, STEP, WIDTH, CHAR = 40, 36, 380, 6.7


def _tree(e):
    """(depth, title, detail) rows: the path of the call that was made, or what the operators consist of."""
    if e.path:
        for r in e.path:
            place = f"{r.kernel} {r.file.rpartition('/')[2]}:{r.line}" if r.line else r.kernel
            time = f"  {r.microseconds:.3g} us" if r.microseconds >= 0 else ""
            yield r.depth + 1, f"{r.op} [{r.key}]{time}", place or r.args
        return
    for o in e.operators:
        yield 1, o.name, o.yaml.rpartition("/")[2]
        for k in o.kernels:
            yield 2, f"{k.name or k.symbol} [{k.key}]", k.place.rpartition("/")[2]
        for name in o.calls:
            yield 3, f"aten::{name}", ""


def svg(e):
    rows = [(0, e.name, e.entries[0][1] if e.entries else ""), *_tree(e)]
    width = max(STEP * d + max(WIDTH, CHAR * max(len(t), len(s)) + 20) for d, t, s in rows) + 20
    height = ROW * len(rows) + 16
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" font-family="monospace" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    last_at = {}
    for k, (depth, title, detail) in enumerate(rows):
        x, y = 10 + STEP * depth, 10 + ROW * k
        parent = last_at.get(depth - 1)
        if parent is not None:
            px = 10 + STEP * (depth - 1) + 12
            out.append(f'<path d="M{px} {parent + ROW - 8} V{y + 15} H{x}" fill="none" stroke="#888"/>')
        last_at[depth] = y
        box = max(WIDTH, CHAR * max(len(title), len(detail)) + 20)
        fill = "#dbe9ff" if depth == 0 else "#eef7ee" if depth == 1 else "#fafafa"
        out.append(f'<rect x="{x}" y="{y}" width="{box:.0f}" height="{ROW - 8}" rx="3" fill="{fill}" stroke="#555"/>')
        out.append(f'<text x="{x + 8}" y="{y + 13}">{escape(title)}</text>')
        out.append(f'<text x="{x + 8}" y="{y + 26}" fill="#666">{escape(detail)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
