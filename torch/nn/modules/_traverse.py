"""Walking over a module's tree, and changing all of its tensors."""

import torch
from torch.nn.parameter import Parameter, is_lazy


class TraverseMixin:
    """What Module offers to list and convert what it holds."""

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix,
                                     remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or (remove_duplicate and member in seen):
                    continue
                seen.add(member)
                yield (path + "." if path else "") + name, member

    def parameters(self, recurse=True):
        """All parameters, each once, in the order of registration."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, parameter) of all parameters."""
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self):
        for _, module in self.named_children():
            yield module

    def named_children(self):
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self):
        for _, module in self.named_modules():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(dotted name, module) of this module and everything below it, each module once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = (prefix + "." if prefix else "") + name
                yield from module.named_modules(memo, below, remove_duplicate)

    def get_submodule(self, target):
        """The module at the dotted path `target`."""
        found = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, TraverseMixin):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target, module, strict=False):
        """Put `module` at the dotted path `target`; with `strict` something must be there already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, TraverseMixin):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), TraverseMixin):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _get_tensor(self, target, kind, wanted):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if not wanted(module, name):
            raise AttributeError(f"`{name}` is not {kind}")
        return getattr(module, name)

    def get_parameter(self, target):
        return self._get_tensor(target, "an nn.Parameter", lambda m, name: isinstance(getattr(m, name),
                                                                                      Parameter))

    def get_buffer(self, target):
        return self._get_tensor(target, "a buffer", lambda m, name: name in m._buffers)

    def apply(self, fn):
        """Call `fn(module)` on all children, then on this module. Returns self."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        """Replace every parameter, gradient and buffer by `fn` of it. A parameter stays the same object if
        it can."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        overwrite = torch.__future__.get_overwrite_module_params_on_conversion()
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            with torch.no_grad():
                fresh = fn(parameter)
            keep = not overwrite and torch._has_compatible_shallow_copy_type(parameter, fresh)
            gradient = parameter.grad
            if keep:
                parameter.data = fresh
            else:
                self._parameters[name] = parameter = Parameter(fresh, parameter.requires_grad)
            if gradient is not None:
                with torch.no_grad():
                    fresh_gradient = fn(gradient)
                parameter.grad = fresh_gradient.requires_grad_(gradient.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Move or convert, in place: `to(device)`, `to(dtype)`, `to(tensor)`, `to(memory_format=...)`.

        Only floating point and complex tensors change dtype."""
        device, dtype, non_blocking, memory_format = torch._C._nn._parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired "
                            f"dtype={dtype}")

        def convert(tensor):
            wanted = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            if memory_format is not None and not is_lazy(tensor) and tensor.dim() in (4, 5):
                return tensor.to(device, wanted, non_blocking, memory_format=memory_format)
            return tensor.to(device, wanted, non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Move to `device` without copying: the values are left undefined."""
        return self._apply(lambda tensor: torch.empty_like(tensor, device=device), recurse)

    def type(self, dst_type):
        return self._apply(lambda tensor: tensor.type(dst_type))

    def cpu(self):
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device=None):
        return self._apply(lambda tensor: tensor.cuda(device))

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    parameter.grad = parameter.grad.detach().zero_()

    def share_memory(self):
        return self._apply(lambda tensor: tensor.share_memory_())


def _floating(dtype):
    def convert(self):
        return self._apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)

    convert.__doc__ = f"Convert all floating point parameters and buffers to {dtype}."
    return convert


for _name, _dtype in (("half", torch.float16), ("float", torch.float32), ("double", torch.float64),
                      ("bfloat16", torch.bfloat16)):
    _convert = _floating(_dtype)
    _convert.__name__ = _name
    setattr(TraverseMixin, _name, _convert)
