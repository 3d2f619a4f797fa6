"""Order."""

from cases.shared import matrix

CASES = {"memory": {"sort": matrix(lambda x: x.sort(1))}}
