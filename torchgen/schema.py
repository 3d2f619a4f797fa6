"""Operator schemas: `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace


class SchemaError(ValueError):
    pass


@dataclass(frozen=True)
class Type:
    base: str  # "Tensor", "int", "Scalar", ...
    is_list: bool = False
    list_size: int | None = None
    optional: bool = False  # the whole is optional: `int[]?`
    element_optional: bool = False  # the elements are optional: `Tensor?[]`
    alias: str | None = None  # "a" of Tensor(a)
    mutable: bool = False  # the ! of Tensor(a!)

    @property
    def is_tensor_like(self) -> bool:
        return self.base == "Tensor"

    @property
    def is_tensor(self) -> bool:
        return self.base == "Tensor" and not self.is_list

    @property
    def plain(self) -> Type:
        return replace(self, alias=None, mutable=False)

    def __str__(self) -> str:
        s = self.base
        if self.alias and not self.is_list:
            s += f"({self.alias}{'!' if self.mutable else ''})"
        if self.element_optional:
            s += "?"
        if self.is_list:
            if self.alias:
                s += f"({self.alias}{'!' if self.mutable else ''})"
            s += f"[{self.list_size if self.list_size is not None else ''}]"
        if self.optional:
            s += "?"
        return s


@dataclass(frozen=True)
class Argument:
    name: str
    type: Type
    default: str | None = None
    kwarg_only: bool = False
    out: bool = False

    def __str__(self) -> str:
        return f"{self.type} {self.name}" + (f"={self.default}" if self.default is not None else "")


@dataclass(frozen=True)
class Return:
    type: Type
    name: str | None = None

    def __str__(self) -> str:
        return f"{self.type} {self.name}" if self.name else str(self.type)


@dataclass(frozen=True)
class Schema:
    name: str  # "add", "add_"
    overload: str  # "Tensor" or ""
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    namespace: str = "aten"
    tags: tuple[str, ...] = field(default=())

    @property
    def full_name(self) -> str:
        return self.name + (f".{self.overload}" if self.overload else "")

    @property
    def cpp_name(self) -> str:
        """A C++ identifier that is unique to the overload: add_Tensor."""
        return self.name + (f"_{self.overload}" if self.overload else "")

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.out)

    @property
    def inputs(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if not a.out)

    def python_name(self, a: Argument) -> str:
        """The name of an argument of the Python function: self is `input` there, unless that is another argument."""
        return "input" if a.name == "self" and all(b.name != "input" for b in self.arguments) else a.name

    def __str__(self) -> str:
        parts, starred = [], False
        for a in self.arguments:
            if a.kwarg_only and not starred:
                parts.append("*")
                starred = True
            parts.append(str(a))
        rets = ", ".join(map(str, self.returns))
        rets = rets if len(self.returns) == 1 else f"({rets})"
        return f"{self.namespace}::{self.full_name}({', '.join(parts)}) -> {rets}"


_TYPE = re.compile(
    r"^(?P<base>[A-Za-z_]\w*)(?:\((?P<alias>[\w|* >-]+?)(?P<mut>!)?\))?(?P<eopt>\?)?"
    r"(?:\((?P<lalias>[\w|* >-]+?)(?P<lmut>!)?\))?(?P<list>\[(?P<size>\d*)\])?(?P<opt>\?)?$"
)


def parse_type(text: str) -> Type:
    m = _TYPE.match(text.strip())
    if not m:
        raise SchemaError(f"not a schema type: {text!r}")
    is_list = m["list"] is not None
    optional, element_optional = m["opt"] is not None, m["eopt"] is not None
    if not is_list:
        optional, element_optional = optional or element_optional, False
    alias = m["alias"] or m["lalias"]
    return Type(
        base=m["base"],
        is_list=is_list,
        list_size=int(m["size"]) if m["size"] else None,
        optional=optional,
        element_optional=element_optional,
        alias=alias.strip() if alias else None,
        mutable=bool(m["mut"] or m["lmut"]),
    )


def split_commas(text: str) -> list[str]:
    """Splits at commas outside brackets and quotes."""
    parts, depth, quote, current = [], 0, "", ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
            continue
        current += c
    if current.strip():
        parts.append(current.strip())
    return parts


def _parse_argument(text: str, kwarg_only: bool) -> Argument:
    m = re.match(r"^(?P<type>.+?)\s+(?P<name>\w+)(?:\s*=\s*(?P<default>.+))?$", text)
    if not m:
        raise SchemaError(f"not a schema argument: {text!r}")
    t = parse_type(m["type"])
    return Argument(m["name"], t, m["default"], kwarg_only, out=kwarg_only and t.mutable)


def parse_schema(text: str) -> Schema:
    m = re.match(
        r"^(?:(?P<ns>\w+)::)?(?P<name>\w+)(?:\.(?P<overload>\w+))?\s*\((?P<args>.*)\)\s*->\s*(?P<rets>.+)$", text.strip()
    )
    if not m:
        raise SchemaError(f"not an operator schema: {text!r}")
    arguments, kwarg_only = [], False
    for part in split_commas(m["args"]):
        if part == "*":
            kwarg_only = True
        else:
            arguments.append(_parse_argument(part, kwarg_only))
    rets = m["rets"].strip()
    returns = []
    for part in split_commas(rets[1:-1] if rets.startswith("(") else rets):
        pieces = part.rsplit(" ", 1)
        named = len(pieces) == 2 and re.match(r"^[A-Za-z_]\w*$", pieces[1])
        returns.append(Return(parse_type(pieces[0] if named else part), pieces[1] if named else None))
    return Schema(m["name"], m["overload"] or "", tuple(arguments), tuple(returns), m["ns"] or "aten")
