"""Walking over a module's tree, and changing all of its tensors."""

from __future__ import annotations

import torch
from torch.nn.parameter import Parameter, is_lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, overload

    from typing_extensions import Self

    from torch import Tensor
    from torch.nn.modules.module import Module
    from torch.types import Device


class TraverseMixin:
    """What Module offers to list and convert what it holds.

    Example:
        >>> len(list(nn.Linear(2, 3).parameters()))
        2
    """

    if TYPE_CHECKING:
        _parameters: dict[str, Parameter | None]
        _buffers: dict[str, Tensor | None]
        _modules: dict[str, Module | None]

        def _get_name(self) -> str: ...

    def _named_members(
        self,
        get_members_fn: Callable[..., Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[Any]:
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or (remove_duplicate and member in seen):
                    continue
                seen.add(member)
                yield (path + "." if path else "") + name, member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once, in the order of registration: what an optimizer takes.

        Args:
            recurse (bool, default True): whether to go into child modules

        Returns:
            an iterator

        Example:
            >>> [tuple(p.shape) for p in nn.Linear(2, 3).parameters()]
            [(3, 2), (3,)]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self,
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their dotted names.

        Args:
            prefix (str, default ""): what names begin with
            recurse (bool, default True): whether to go into child modules
            remove_duplicate (bool, default True): give what is shared only once

        Returns:
            an iterator of pairs

        Example:
            >>> [name for name, _ in nn.Sequential(nn.Linear(2, 3)).named_parameters()]
            ['0.weight', '0.bias']
        """
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once, in the order of registration.

        Args:
            recurse (bool, default True): whether to go into child modules

        Returns:
            an iterator

        Example:
            >>> len(list(nn.BatchNorm1d(2).buffers()))
            3
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self,
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their dotted names.

        Args:
            prefix (str, default ""): what names begin with
            recurse (bool, default True): whether to go into child modules
            remove_duplicate (bool, default True): give what is shared only once

        Returns:
            an iterator of pairs

        Example:
            >>> [name for name, _ in nn.BatchNorm1d(2).named_buffers()]
            ['running_mean', 'running_var', 'num_batches_tracked']
        """
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """The modules directly below, each once.

        Returns:
            an iterator

        Example:
            >>> list(nn.Sequential(nn.ReLU(), nn.Tanh()).children())
            [ReLU(), Tanh()]
        """
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, each once, with their names.

        Returns:
            an iterator of pairs

        Example:
            >>> list(nn.Sequential(nn.ReLU(), nn.Tanh()).named_children())
            [('0', ReLU()), ('1', Tanh())]
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and everything below it.

        Args:
            remove_duplicate (bool, default True): give what is shared only once

        Returns:
            an iterator

        Example:
            >>> [type(m).__name__ for m in nn.Sequential(nn.ReLU(), nn.Tanh()).modules()]
            ['Sequential', 'ReLU', 'Tanh']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self,
        memo: set[Module] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Module]]:
        """This module and everything below it with dotted names; this one has the name `prefix`.

        Args:
            memo (set[Module] or None): modules to leave out; those given are added
            prefix (str, default ""): what names begin with
            remove_duplicate (bool, default True): give what is shared only once

        Returns:
            an iterator of pairs

        Example:
            >>> [name for name, _ in nn.Sequential(nn.ReLU(), nn.Tanh()).named_modules()]
            ['', '0', '1']
        """
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

    def get_submodule(self, target: str) -> Module:
        """The module at a dotted path.

        Args:
            target (str): the path; '' is this module

        Raises:
            AttributeError: there is none

        Example:
            >>> nn.Sequential(nn.Sequential(nn.ReLU())).get_submodule("0.0")
            ReLU()
        """
        found = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, TraverseMixin):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Puts a module at a dotted path.

        Args:
            target (str): the path
            module (Module): what is put there
            strict (bool, default False): something must be there already

        Raises:
            ValueError: the path is empty, or `module` is none
            AttributeError: the path leads nowhere

        Example:
            >>> m = nn.Sequential(nn.ReLU())
            >>> m.set_submodule("0", nn.Tanh())
            >>> m[0]
            Tanh()
        """
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

    def _get_tensor(self, target: str, kind: str, is_expected: Any) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if not is_expected(module, name):
            raise AttributeError(f"`{name}` is not {kind}")
        return getattr(module, name)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path.

        Args:
            target (str): the path

        Raises:
            AttributeError: there is none

        Example:
            >>> nn.Sequential(nn.Linear(2, 3)).get_parameter("0.bias").shape
            torch.Size([3])
        """
        return self._get_tensor(target, "an nn.Parameter", lambda m, name: isinstance(getattr(m, name), Parameter))

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path.

        Args:
            target (str): the path

        Raises:
            AttributeError: there is none

        Example:
            >>> nn.Sequential(nn.BatchNorm1d(2)).get_buffer("0.running_var")
            tensor([1., 1.])
        """
        return self._get_tensor(target, "a buffer", lambda m, name: name in m._buffers)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Calls `fn(module)` for everything below, then for this module.

        Args:
            fn (Callable[[Module], object]): what is called, for initial values for example

        Returns:
            the module

        Example:
            >>> m = nn.Linear(1, 2).apply(lambda module: nn.init.ones_(module.weight))
            >>> m.weight.sum().item()
            2.0
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> Self:
        """Replace every parameter, gradient and buffer by `fn` of it.

        A parameter stays the same object where that is possible.
        """
        if recurse:
            for module in self.children():
                module._apply(fn)
        overwrite = torch.__future__.get_overwrite_module_params_on_conversion()
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            with torch.no_grad():
                new = fn(parameter)
            keep = not overwrite and torch._has_compatible_shallow_copy_type(parameter, new)
            gradient = parameter.grad
            if keep:
                parameter.data = new
            else:
                self._parameters[name] = parameter = Parameter(new, parameter.requires_grad)
            if gradient is not None:
                with torch.no_grad():
                    new_gradient = fn(gradient)
                parameter.grad = new_gradient.requires_grad_(gradient.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    if TYPE_CHECKING:

        @overload
        def to(
            self,
            device: Device = None,
            dtype: torch.dtype | None = None,
            non_blocking: bool = False,
            *,
            memory_format: torch.memory_format | None = None,
        ) -> Self: ...

        @overload
        def to(
            self, dtype: torch.dtype, non_blocking: bool = False, *, memory_format: torch.memory_format | None = None
        ) -> Self: ...

        @overload
        def to(self, tensor: Tensor, non_blocking: bool = False, *, memory_format: torch.memory_format | None = None) -> Self: ...

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves or converts the module in place: `to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`.

        Only floating point and complex tensors change their type.

        Args:
            *args (Any): `device`, `dtype`, `non_blocking`, or a `tensor` whose device and type are taken; keyword
                `memory_format` for 4-D and 5-D ones
            **kwargs (Any): `device`, `dtype`, `non_blocking`, or a `tensor` whose device and type are taken; keyword
                `memory_format` for 4-D and 5-D ones

        Returns:
            the module

        Raises:
            TypeError: the type is neither floating point nor complex

        Example:
            >>> nn.Linear(1, 1).to(torch.float64).weight.dtype
            torch.float64
        """
        device, dtype, non_blocking, memory_format = torch._C._nn._parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")

        def convert(tensor):
            new_dtype = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            if memory_format is not None and not is_lazy(tensor) and tensor.dim() in (4, 5):
                return tensor.to(device, new_dtype, non_blocking, memory_format=memory_format)
            return tensor.to(device, new_dtype, non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device: Device, recurse: bool = True) -> Self:
        """Moves to a device without copying: the values are left undefined.

        Args:
            device (device or None): where to
            recurse (bool, default True): whether to go into child modules

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1, device="meta").to_empty(device="cpu").weight.device
            device(type='cpu')
        """
        return self._apply(lambda tensor: torch.empty_like(tensor, device=device), recurse)

    def type(self, dst_type: torch.dtype | str) -> Self:
        """Converts all parameters and buffers, whole numbers too.

        Args:
            dst_type (dtype or str): the type, or its name as `Tensor.type` takes it

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).type(torch.float64).weight.dtype
            torch.float64
        """
        return self._apply(lambda tensor: tensor.type(dst_type))

    def cpu(self) -> Self:
        """Moves all parameters and buffers to the CPU.

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).cpu().weight.device
            device(type='cpu')
        """
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to a GPU, which this version has no kernels for.

        Args:
            device (int or torch.device or None): which one; None: the current

        Returns:
            the module

        Raises:
            RuntimeError: there is no such device

        Example:
            >>> nn.ReLU().cuda()
            ReLU()
        """
        return self._apply(lambda tensor: tensor.cuda(device))

    def xpu(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to an Intel GPU, which this version has no kernels for.

        Args:
            device (int or torch.device or None): which one; None: the current

        Returns:
            the module

        Raises:
            RuntimeError: there is no such device

        Example:
            >>> nn.ReLU().xpu()
            ReLU()
        """
        return self._apply(lambda tensor: tensor.to(torch.device("xpu", device) if isinstance(device, int) else "xpu"))

    def ipu(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to an IPU, which this version has no kernels for.

        Args:
            device (int or torch.device or None): which one; None: the current

        Returns:
            the module

        Raises:
            RuntimeError: there is no such device

        Example:
            >>> nn.ReLU().ipu()
            ReLU()
        """
        return self._apply(lambda tensor: tensor.to(torch.device("ipu", device) if isinstance(device, int) else "ipu"))

    def mtia(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to an MTIA accelerator, which this version has no kernels for.

        Args:
            device (int or torch.device or None): which one; None: the current

        Returns:
            the module

        Raises:
            RuntimeError: there is no such device

        Example:
            >>> nn.ReLU().mtia()
            ReLU()
        """
        return self._apply(lambda tensor: tensor.to(torch.device("mtia", device) if isinstance(device, int) else "mtia"))

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Says whether all parameters here and below are trained.

        Args:
            requires_grad (bool, default True): False freezes them

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).requires_grad_(False).weight.requires_grad
            False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros.

        Args:
            set_to_none (bool, default True): forget them, which saves memory

        Example:
            >>> m = nn.Linear(1, 1)
            >>> m(torch.ones(1)).sum().backward()
            >>> m.zero_grad()
            >>> m.weight.grad is None
            True
        """
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    parameter.grad = parameter.grad.detach().zero_()

    def share_memory(self) -> Self:
        """Moves all parameters and buffers into shared memory, so that other processes see changes.

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).share_memory().weight.is_shared()
            True
        """
        return self._apply(lambda tensor: tensor.share_memory_())

    def half(self) -> Self:
        """Converts all floating point parameters and buffers to float16.

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).half().weight.dtype
            torch.float16
        """
        return self._convert_floating(torch.float16)

    def float(self) -> Self:
        """Converts all floating point parameters and buffers to float32.

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).double().float().weight.dtype
            torch.float32
        """
        return self._convert_floating(torch.float32)

    def double(self) -> Self:
        """Converts all floating point parameters and buffers to float64.

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).double().weight.dtype
            torch.float64
        """
        return self._convert_floating(torch.float64)

    def bfloat16(self) -> Self:
        """Converts all floating point parameters and buffers to bfloat16.

        Returns:
            the module

        Example:
            >>> nn.Linear(1, 1).bfloat16().weight.dtype
            torch.bfloat16
        """
        return self._convert_floating(torch.bfloat16)

    def _convert_floating(self, dtype: torch.dtype | None) -> Self:
        return self._apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)
