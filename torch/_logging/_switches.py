"""Switches that Python code tests before it logs: None, or the `debug` method of an artifact's logger.

if _switches.dataloader:
    _switches.dataloader("worker %d started", number)
"""

dataloader = None
serialization = None
