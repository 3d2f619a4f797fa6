"""Signatures of Python names, for inspect.signature and for the argument lists of docstrings.

A name with several overloads has one Python signature: that of the overload that covers most of the others, plus the
other overloads' arguments as keywords. An argument that is missing in some overload has the default `...`.
"""

from __future__ import annotations

from dataclasses import dataclass

from torchgen.model import Operator
from torchgen.schema import Argument
from torchgen.schema_types import TYPES
from torchgen.writers.python import _varargs
from torchgen.writers.stubs import KEYWORDS, Signature, signatures

SCALAR_TYPES = {"long": "torch.int64", "4": "torch.int64", "float": "torch.float32"}
MEMORY_FORMATS = {"0": "torch.contiguous_format", "contiguous_format": "torch.contiguous_format"}


@dataclass
class Parameter:
    name: str
    type: str
    default: str | None  # as a docstring shows it
    literal: str | None  # as inspect can read it
    keyword_only: bool = False
    star: bool = False  # *size
    optional: bool = False  # takes None
    required: bool = False  # every overload has it


def type_name(a: Argument) -> str:
    t = TYPES[a.type.base].word
    if a.type.is_list:
        element = t + (" or None" if a.type.element_optional else "")
        if a.type.base in ("int", "SymInt"):
            return "int or tuple of ints" if a.type.list_size else "tuple of ints"
        return f"sequence of {element}s" if not a.type.element_optional else f"sequence of {element}"
    return t


def _default(a: Argument) -> tuple[str | None, str | None]:
    """The default as a docstring shows it, and as inspect reads it."""
    d = a.default
    if d is None:
        return None, None
    if a.type.base == "ScalarType" and d in SCALAR_TYPES:
        return SCALAR_TYPES[d], "None"
    if a.type.base == "MemoryFormat" and d in MEMORY_FORMATS:
        return MEMORY_FORMATS[d], "None"
    if a.type.is_list and d.startswith("["):
        items = [i.strip() for i in d[1:-1].split(",") if i.strip()]
        d = items[0] if len(set(items)) == 1 and a.type.list_size else "()" if not items else f"({', '.join(items)})"
    elif a.type.base == "float" and d not in ("None",):
        d = repr(float(d))
    elif a.type.base == "Scalar" and d.endswith("."):
        d += "0"
    elif d in ("Mean", "Sum"):
        d = str({"Mean": 1, "Sum": 2}[d])
    return d, d


def parameters_of(sig: Signature, method: bool) -> list[Parameter]:
    found = []
    star, after_star = _varargs(sig.schema), False
    for a in sig.schema.arguments:
        if a.out or (method and a.name == "self"):
            continue
        name = sig.schema.python_name(a) + "_" * (a.name in KEYWORDS)
        if star and a.type.is_list and not a.type.list_size and not a.type.optional and not a.kwarg_only and not after_star:
            found.append(Parameter(name, "int...", None, None, star=True))
            after_star = True
            continue
        default, literal = _default(a)
        if default is None and sig.options and a.kwarg_only:
            default = literal = "None"
        found.append(Parameter(name, type_name(a), default, literal, a.kwarg_only or after_star, optional=a.type.optional))
    if sig.options:
        found.append(Parameter("requires_grad", "bool", "False", "False", True))
    if sig.outs and not method:
        found.append(Parameter("out", "Tensor" if sig.outs == 1 else "tuple of Tensors", "None", "None", True))
    return found


def positional(params: list[Parameter]) -> list[str]:
    return [p.name for p in params if not p.keyword_only]


def merged(ops: list[Operator], method: bool) -> list[Parameter]:
    """One list of parameters for all overloads of a name."""
    lists = [parameters_of(s, method) for s in signatures(ops)]
    # Overloads that differ only in types count once: add(Tensor, Tensor) represents add(Tensor, Number).
    different = list({frozenset(p.name for p in params) - {"out"}: params for params in reversed(lists)}.values())[::-1]

    def covers(big: list[Parameter], small: list[Parameter]) -> bool:
        names, order = {p.name for p in big}, positional(big)
        return names >= {p.name for p in small} and [n for n in order if n in positional(small)] == positional(small)

    scores = [(sum(covers(big, small) for small in different), len(positional(big))) for big in different]
    main = different[scores.index(max(scores))]
    optional = {p.name for params in lists for p in params if p.optional}
    result = [Parameter(**vars(p)) for p in main]
    known = {p.name for p in result}
    for params in lists:
        for p in params:
            if p.name not in known:
                known.add(p.name)
                result.append(Parameter(**{**vars(p), "keyword_only": True, "star": False}))
                if p.star:
                    result[-1].type = "tuple of ints"
    everywhere = set.intersection(*({p.name for p in params} for params in lists))
    for p in result:
        types = list(
            dict.fromkeys(q.type for params in lists for q in params if q.name == p.name and not (q.star and not p.star))
        )
        if p.star:
            types = ["int...", *(t for t in types if t not in ("int...", "tuple of ints", "int"))]
        p.type = _join_types(types)
        with_default = next((q for params in lists for q in params if q.name == p.name and q.default is not None), None)
        if with_default and p.literal is None and not p.star:
            p.default, p.literal = with_default.default, with_default.literal
        p.required = p.name in everywhere and p.default is None
        if p.name not in everywhere and p.default is None and not p.star:
            p.literal = "None" if p.name in optional else "..."
            p.default = "None" if p.name in optional else None
    needed = False  # parameters after one with a default need a default too
    for p in result:
        if p.keyword_only or p.star:
            continue
        needed = needed or p.literal is not None
        if needed and p.literal is None:
            p.literal = "..."
    out = [p for p in result if p.name == "out"]
    return [p for p in result if p.name != "out"] + out


def _join_types(types: list[str]) -> str:
    if "int..." in types:
        rest = [t for t in types if t != "int..."]
        return " or ".join(["ints, or a tuple of them", *rest])
    words = list(dict.fromkeys(w for t in types for w in t.split(" or ")))
    return " or ".join(words)


def text_signature(params: list[Parameter], method: bool) -> str:
    """The text between the parentheses of __text_signature__."""
    parts, starred = ["$self"] if method else [], False
    for p in params:
        if p.star:
            parts.append("*" + p.name)
            starred = True
            continue
        if p.keyword_only and not starred:
            parts.append("*")
            starred = True
        parts.append(p.name + (f"={p.literal}" if p.literal is not None else ""))
    return ", ".join(parts)


# Arguments whose types are omitted where overloads are listed.
COMMON = ("dtype", "layout", "device", "pin_memory", "requires_grad", "memory_format", "generator", "out")
ANNOTATIONS = {"tuple of ints": "tuple[int, ...]", "int or tuple of ints": "int | tuple[int, ...]"}


def forms(name: str, ops: list[Operator], method: bool) -> list[str]:
    """One line per overload. An overload that another one extends by keywords is left out."""
    sigs = signatures(ops)
    lists = [parameters_of(s, method) for s in sigs]

    def adds_keywords(big: list[Parameter], small: list[Parameter]) -> bool:
        extra = [p for p in big if p.name not in {q.name for q in small}]
        same = [(p.name, p.type) for p in big if not p.keyword_only] == [(p.name, p.type) for p in small if not p.keyword_only]
        return bool(extra) and same and all(p.keyword_only and p.optional for p in extra)

    return [
        _form(name, params, result_type(sig))
        for sig, params in zip(sigs, lists, strict=True)
        if not any(adds_keywords(other, params) for other in lists)
    ]


def _form(name: str, params: list[Parameter], result: str) -> str:
    parts, starred = [], False
    for p in params:
        if p.keyword_only and not starred:
            parts.append("*")
            starred = True
        starred = starred or p.star
        if p.name in COMMON and p.literal is not None:
            parts.append(f"{p.name}={p.default}")
            continue
        kind = "int" if p.star else ANNOTATIONS.get(p.type, p.type)
        if kind.startswith("sequence of "):
            kind = "Sequence[" + kind.removeprefix("sequence of ").removesuffix("s").replace(" or ", " | ") + "]"
        kind += " | None" if p.optional else ""
        parts.append(f"{'*' * p.star}{p.name}: {kind}" + (f" = {p.default}" if p.default is not None else ""))
    return f"{name}({', '.join(parts)}) -> {result}"


def result_type(sig: Signature) -> str:
    types = [f"tuple of {TYPES[r.type.base].word}s" if r.type.is_list else TYPES[r.type.base].word for r in sig.schema.returns]
    if not types:
        return "None"
    if len(types) == 1:
        return types[0]
    if all(r.name for r in sig.schema.returns):
        return f"({', '.join(r.name or '' for r in sig.schema.returns)})"
    return f"({', '.join(types)})"
