"""Code of graphs whose inputs or outputs are nested containers, which the code takes apart and builds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torch.fx import _pytree as fx_pytree
from torch.fx._codegen import CodeGen
from torch.utils import _pytree as pytree


class _PyTreeInfo(NamedTuple):
    """The arguments of the original function, and the structures of its inputs and its output."""

    orig_args: list[str]
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """Takes the original arguments, whose leaves are the placeholders."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs: Any) -> Any:
        return pytree.arg_tree_leaves(*inputs)

    def process_outputs(self, out: Any) -> Any:
        if not isinstance(out, (list, tuple)):
            out = [out]
        if self.pytree_info.out_spec is None:
            raise AssertionError("the structure of the output is not known")
        return pytree.tree_unflatten(out, self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        if not self.pytree_info:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        names = self.pytree_info.orig_args
        names = names[1:] if names and names[0] == "self" else names
        head = super().gen_fn_def(list(names), maybe_return_annotation, expanded_def=expanded_def)
        if not free_vars:
            return head
        plain = [variable.split(":")[0].split("=")[0].strip().lstrip("*") for variable in free_vars]
        spec, given = self.pytree_info.in_spec, ", ".join(name.lstrip("*") for name in names)
        if [child.type for child in spec.children_specs] == [tuple, dict]:
            of_args, of_kwargs = spec.children_specs[0].num_children, spec.children_specs[1].context
            keywords = ", ".join(f"'{key}':{name}" for key, name in zip(of_kwargs, names[of_args:]))
            given = f"([{', '.join(names[:of_args])}], {{{keywords}}})"
        else:
            given = f"[{given}]"
        return f"{head}\n    {', '.join(plain)}, = fx_pytree.tree_flatten_spec({given}, self._in_spec)"

    def generate_output(self, output_args: Any, *, descs: Any = None, repr_fn: Callable[[Any], str] | None = None) -> str:
        shown = repr_fn or repr
        if not self.pytree_info or self.pytree_info.out_spec is None:
            return f"return {shown(output_args)}"
        items = output_args if isinstance(output_args, (list, tuple)) else [output_args]
        return f"return pytree.tree_unflatten([{', '.join(map(shown, items))}], self._out_spec)"


__all__ = ["_PyTreeCodeGen", "_PyTreeInfo", "fx_pytree"]
