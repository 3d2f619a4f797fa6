"""Where Python's modules lie: prefixes that traces leave out of file names."""

from __future__ import annotations

import os
import site
import sys


def _prefix_regex() -> list[str]:
    """The folders of Python's modules, the longest first, each with a separator at its end."""
    folders = {*site.getsitepackages(), *(path for path in sys.path if path), sys.prefix, sys.base_prefix}
    absolute = {os.path.abspath(folder).rstrip(os.sep) + os.sep for folder in folders}
    return sorted(absolute, key=len, reverse=True)
