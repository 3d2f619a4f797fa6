"""Warnings about broadcasting that once was an error; kept as switches of no effect."""


class Warning:
    """A switch that is kept and has no effect."""

    enabled = False


broadcast_warning, keepdim_warning = Warning(), Warning()
