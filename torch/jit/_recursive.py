"""How modules would be compiled with what they contain; there is nothing to remember of it."""


class ConcreteTypeStore:
    """Types of compiled modules by the Python class: none."""

    def __init__(self):
        self.type_store = {}
        self.methods_compiled = set()


concrete_type_store = ConcreteTypeStore()
