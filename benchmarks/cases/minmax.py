"""Extremes over dimensions."""

from cases.shared import matrix

CASES = {"memory": {"max(1)": matrix(lambda x: x.max(1))}}
