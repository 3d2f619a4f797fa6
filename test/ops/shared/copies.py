"""Entries of NAME_copy operators, made from those of their views: the same values in memory of their own."""

from dataclasses import replace

import torch

# index_copy copies into a tensor; _make_dual has a level.
NO_VIEWS = "index", "_foreach", "_to", "_make_dual"


def packed(args):
    """view(2, 3) takes its sizes as one list elsewhere."""
    if len(args) > 1 and all(type(a) is int for a in args):
        return (args,)
    return args


def copy_of(op):
    """The entry of op's NAME_copy, or None."""
    name = op.name.split(".")[-1] + "_copy"
    overloads = getattr(torch.ops.aten, name, None)
    if overloads is None or op.name.split(".")[-1] in NO_VIEWS:
        return None
    function = getattr(torch, name, overloads)
    sizes = name in ("view_copy", "permute_copy", "expand_copy")

    def call(x, *args, **kwargs):
        return function(x, *(packed(args) if sizes else args), **kwargs)

    def make(dtype):
        return [s for s in op.make(dtype) if name != "split_copy" or type(s.args[0]) is int]

    forms = {"make": make, "method": False, "inplace": False, "out": False, "view": False}
    return replace(op, name=name, call=call, errors=(), **forms)
