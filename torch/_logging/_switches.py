"""What the Python parts of the library ask before they log: None, or the `debug` of an artifact's logger.

if _switches.dataloader:
    _switches.dataloader("worker %d started", number)
"""

dataloader = None
serialization = None
