"""A library that this build does not use."""


def is_available():
    return False


is_built = is_available
