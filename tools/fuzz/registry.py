"""The steps that the generator knows. A step is a function of the state that adds a line or returns None."""

OPS: list[tuple[float, object]] = []


def op(weight):
    """Registers a step. A step of weight 2 is chosen twice as often as one of weight 1."""

    def register(f):
        OPS.append((weight, f))
        return f

    return register
