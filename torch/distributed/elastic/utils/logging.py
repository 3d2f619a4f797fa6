"""Loggers of agents."""

from __future__ import annotations

import logging
import os
import sys


def get_logger(name: str | None = None) -> logging.Logger:
    """A logger with the level of the environment variable LOGLEVEL.

    Args:
        name (str, optional): its name; that of the calling module by default

    Returns:
        the logger
    """
    logger = logging.getLogger(name or sys._getframe(1).f_globals.get("__name__"))
    logger.setLevel(os.environ.get("LOGLEVEL", "WARNING"))
    return logger
