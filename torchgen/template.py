"""Templates of the C++ that torchgen writes: torchgen/templates/*.cpp.in.

A file holds several templates, each below a line `//// NAME`. In a template, `$name` is replaced by a value. A value of several lines
gets the indentation of the placeholder. A line that consists of placeholders is removed if they are empty.
"""

from __future__ import annotations

import functools
import os
import re

_FOLDER = os.path.join(os.path.dirname(__file__), "templates")
_PLACEHOLDER = re.compile(r"\$(\w+)|\$\{(\w+)\}")


@functools.cache
def _templates(file: str) -> dict[str, list[str]]:
    """Template -> its lines."""
    found: dict[str, list[str]] = {}
    with open(os.path.join(_FOLDER, file)) as f:
        for line in f.read().splitlines():
            if line.startswith("//// "):
                current = found.setdefault(line[5:].strip(), [])
            elif found:
                current.append(line)
    for lines in found.values():
        while lines and not lines[-1].strip():  # the empty line before the next template
            lines.pop()
    return found


def fill(file: str, template: str, **values: str | list[str]) -> str:
    """The text of a template, without a newline at the end. A list gives one line per element."""
    texts = {name: "\n".join(v) if isinstance(v, list) else v for name, v in values.items()}
    used = set()

    def value(match: re.Match) -> str:
        name = match[1] or match[2]
        used.add(name)
        return texts[name]

    result = []
    for line in _templates(file)[template]:
        indentation = line[: len(line) - len(line.lstrip())]
        text = _PLACEHOLDER.sub(value, line)
        if not text.strip() and _PLACEHOLDER.search(line):
            continue
        result.append(text.replace("\n", "\n" + indentation))
    unknown = texts.keys() - used
    if unknown:
        raise ValueError(f"{file}: the template {template} has no ${', $'.join(sorted(unknown))}")
    return "\n".join(result)
