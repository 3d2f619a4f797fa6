"""The level of logs."""


def get_log_level() -> str:
    """The level of the logs of agents.

    Returns:
        "WARNING"
    """
    return "WARNING"
