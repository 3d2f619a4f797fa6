"""The steps that the generator knows; a step is a function of the state that adds a line, or gives None."""

OPS: list[tuple[float, object]] = []


def op(weight):
    """Registers a step; one of weight 2 comes twice as often as one of weight 1."""

    def register(f):
        OPS.append((weight, f))
        return f

    return register
