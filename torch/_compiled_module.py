"""The module that torch.compile returns for a module."""

from torch.nn import Module


class OptimizedModule(Module):
    """Stands for the module `_orig_mod`, whose calls, attributes and training mode it has.

    Names of parameters begin with "_orig_mod.", as in PyTorch's checkpoints of compiled modules.
    """

    def __init__(self, module):
        super().__init__()
        self._modules["_orig_mod"] = module

    def forward(self, *args, **kwargs):
        return self._modules["_orig_mod"](*args, **kwargs)

    def __getattr__(self, name):
        modules = self.__dict__.get("_modules", {})
        if name == "_orig_mod" and name in modules:
            return modules[name]
        if "_orig_mod" not in modules:  # while it is being created or unpickled
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(modules["_orig_mod"], name)

    def __setattr__(self, name, value):
        modules = self.__dict__.get("_modules", {})
        if name == "_orig_mod" or "_orig_mod" not in modules or name in self.__dict__ and name != "training":
            return super().__setattr__(name, value)
        if name == "training":
            self.__dict__[name] = value
        return setattr(modules["_orig_mod"], name, value)

    def __delattr__(self, name):
        return super().__delattr__(name) if name in self.__dict__ else delattr(self._orig_mod, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(self._orig_mod)})
