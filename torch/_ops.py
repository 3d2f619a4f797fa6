"""`torch.ops`: every registered operator by namespace, name and overload: `torch.ops.aten.add.Tensor`."""

from torch import _C
from torch._dispatch_library import get_schema, tags_of


class OpOverload:
    """One overload of an operator."""

    def __init__(self, packet, qualified, overload):
        call, redispatch, tags = _C._get_operation_overload(qualified, overload)
        call._set_owner(self)
        self._op, self._op_dk, self.tags = call, redispatch, tags_of.get((qualified, overload), tags)
        self._schema = get_schema(qualified, overload)
        self._overloadpacket, self._qualified = packet, qualified
        self._overloadname = overload or "default"
        self.namespace = qualified.split("::")[0]
        self.__name__ = f"{packet.__name__}.{self._overloadname}"
        self.__qualname__ = self._name = qualified + ("." + overload if overload else "")
        self.__module__ = packet.__module__
        self.py_kernels, self.python_key_table = {}, {}

    def __call__(self, /, *args, **kwargs):
        return self._op(*args, **kwargs)

    def py_impl(self, key):
        """A decorator that registers a kernel written in Python.

        `key` is a dispatch key, a class of dispatch modes, whose handler gets the mode first, or a class of tensors that
        defines `__torch_dispatch__`. The registration lasts, and `py_kernels` and `python_key_table` list it.
        """
        from torch._python_kernels import register

        return register(self, key)

    def py_functionalize_impl(self, function):
        """Register a rule for functional tensors: `function(api, *args)`, where `api` wraps and unwraps them."""
        from torch._subclasses.functional_tensor import FunctionalTensorMode, PythonFunctionalizeAPI

        self.py_impl(FunctionalTensorMode)(lambda mode, *args, **kwargs: function(PythonFunctionalizeAPI(mode), *args, **kwargs))
        return function

    def redispatch(self, keyset, /, *args, **kwargs):
        """Call the kernel for a set of dispatch keys, without those already handled."""
        return _C._dispatch_call_for_keys(self._qualified, self._schema.overload_name, keyset, args, kwargs)

    def decompose(self, *args, **kwargs):
        """What a composite operator computes from others; NotImplemented for an operator that has kernels of its own."""
        composite = self.py_kernels.get(_C.DispatchKey.CompositeImplicitAutograd) if self.py_kernels else None
        if composite is not None:
            return composite(*args, **kwargs)
        return _C._dispatch_decompose(self._qualified, self._schema.overload_name, args, kwargs)

    def _can_decompose(self):
        if _C.DispatchKey.CompositeImplicitAutograd in self.py_kernels:
            return True
        return _C._dispatch_can_decompose(self._qualified, self._schema.overload_name)

    @property
    def is_view(self):
        """Whether a result shares the memory of an argument that the operator does not change."""
        return any("(" in str(r.type) and "!" not in str(r.type) for r in self._schema.returns)

    def __hash__(self):
        return hash(self._op)

    def __repr__(self):
        return f"<OpOverload(op='{self.namespace}.{self._overloadpacket.__name__}', overload='{self._overloadname}')>"

    def __str__(self):
        return f"{self.namespace}.{self.__name__}"

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _find, (self.namespace, self._overloadpacket.__name__, self._overloadname)

    @property
    def op(self):
        return self._op

    @property
    def overloadpacket(self):
        return self._overloadpacket

    def name(self):
        return self._name

    def has_kernel_for_any_dispatch_key(self, keys):
        return _C._dispatch_has_kernel_for_any_dispatch_key(self._name, keys)

    def has_kernel_for_dispatch_key(self, key):
        return _C._dispatch_has_kernel_for_dispatch_key(self._name, key)


class OpOverloadPacket:
    """All overloads of an operator; a call selects one by its arguments."""

    def __init__(self, qualified, name, call, overloads):
        self._qualified_op_name, self.__name__, self._op, self._overload_names = (
            qualified,
            name,
            call,
            overloads,
        )
        call._set_owner(self)
        self.__module__ = "torch._ops." + qualified.split("::")[0]
        self._dir = []

    def __call__(self, /, *args, **kwargs):
        return self._op(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(
                f"'{self}' can't have an overload name beginning with '__' and the underlying op "
                f"{self.__dict__.get('_op')} has no attribute {name} either."
            )
        overload = "" if name == "default" else name
        if overload not in self._overload_names:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        found = OpOverload(self, self._qualified_op_name, overload)
        setattr(self, name, found)
        self._dir.append(name)
        return found

    def overloads(self):
        return [name or "default" for name in self._overload_names]

    def __iter__(self):
        return iter(self._dir)

    def __dir__(self):
        return sorted({*self.overloads(), *self.__dict__})

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self._qualified_op_name.replace('::', '.')}')>"

    def __str__(self):
        return self._qualified_op_name.replace("::", ".")

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        namespace, name = self._qualified_op_name.split("::")
        return _find, (namespace, name, None)


class _OpNamespace:
    def __init__(self, name):
        self.name, self.__name__ = name, f"torch.ops.{name}"

    def __getattr__(self, op):
        if op in ("__file__", "__path__", "__spec__", "__wrapped__"):
            raise AttributeError(op)
        qualified = f"{self.name}::{op}"
        try:
            call, overloads = _C._jit_get_operation(qualified)
        except RuntimeError:
            call = None
        if call is None:
            from torch._absent import is_absent, text

            place = f"torch.ops.{self.name}"
            if is_absent(place, op):
                raise AttributeError(text(f"{place}.{op}"))
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{op}'")
        packet = OpOverloadPacket(qualified, op, call, overloads)
        setattr(self, op, packet)
        return packet

    def __repr__(self):
        return f"<namespace torch.ops.{self.name}>"


class _Ops:
    """The namespaces, created on first use."""

    __file__ = "_ops.py"

    def __init__(self):
        self.loaded_libraries = set()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "prim":
            import torch._prim_operators  # noqa: F401
        space = _OpNamespace(name)
        setattr(self, name, space)
        return space

    def load_library(self, path):
        """Load a shared library, whose static initialisers register operators."""
        import ctypes
        import os

        path = os.path.abspath(path)
        ctypes.CDLL(path)
        self.loaded_libraries.add(path)


ops = _Ops()


def _find(namespace, name, overload):
    packet = getattr(getattr(ops, namespace), name)
    return packet if overload is None else getattr(packet, overload)
