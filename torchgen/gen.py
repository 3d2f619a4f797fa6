"""Writes the generated sources: python -m torchgen.gen --source-path aten/src/ATen --out-dir build/generated

A file is rewritten only when its content changes, so editing an entry recompiles only the files that contain it.
C++ files are written per family (Ops_upsample.cpp); see torchgen/shards.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict

import yaml

from torchgen.backends import JOINING
from torchgen.batching import check_rules, names_header, table_header
from torchgen.derivatives import node_name
from torchgen.docs import DocsError
from torchgen.formulas import FormulaFunctions, check_formulas
from torchgen.model import Entry, Operator, copy_entry, operators_of, read_entry
from torchgen.schema import SchemaError
from torchgen.shards import family_shards, hash_shards
from torchgen.writers import autograd, docs, index, ops, python, stubs


class LineLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """A YAML loader that records the line at which each entry begins."""


def _mapping(loader: LineLoader, node: yaml.MappingNode) -> dict:
    result = loader.construct_mapping(node, deep=True)
    if any(k.value == "func" for k, _ in node.value):
        result["__line__"] = node.start_mark.line + 1
    return result


LineLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_entries(source_path: str) -> list[Entry]:
    """All entries of all families' native_functions.yaml files."""
    folder = os.path.join(source_path, "native")
    entries = []
    for family in sorted(os.listdir(folder)):
        name = f"{family}/native_functions.yaml"
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        with open(path) as f:
            for raw in yaml.load(f, Loader=LineLoader) or []:
                line = raw.pop("__line__")
                try:
                    entries.append(read_entry(raw, line))
                    entries[-1].file = name
                    entries[-1].family = family
                except Exception as e:
                    raise SystemExit(f"{name}:{line}: {e}") from e
    _number_nodes(entries)
    by_name = {e.schema.full_name: e for e in entries}
    for e in entries:
        name = e.forwards or e.foreach
        if name and name not in by_name:
            raise SystemExit(f"{e.place}: {e.schema.full_name} forwards to {name}, which is no entry")
        e.target = by_name[name] if name else None
    _check_derivatives(entries)
    return _with_copies(entries)


def _check_derivatives(entries: list[Entry]) -> None:
    """An entry says what its gradient is, or that it has none: a result without a history would be a silent zero."""
    for e in entries:
        s = e.schema
        says = e.derivatives or not e.differentiable or e.composite_implicit or e.forwards or e.foreach
        passes = any(a.type.is_tensor_like for a in s.arguments) and any(r.type.is_tensor_like for r in s.returns)
        if passes and not says:
            raise SystemExit(
                f"{e.place}: {s.full_name} has no derivatives; an operator without a gradient says `autograd: false`, one whose "
                f"gradient is not written yet no_derivative({s.full_name!r}) for each input"
            )


def _with_copies(entries: list[Entry]) -> list[Entry]:
    """The entries, each followed by its NAME_copy if it has one."""
    found = []
    for e in entries:
        found.append(e)
        try:
            found += [copy_entry(e, node_name(e) if e.derivatives else None)] if e.copy else []
        except SchemaError as error:
            raise SystemExit(f"{e.place}: {error}") from error
    return found


def _number_nodes(entries: list[Entry]) -> None:
    """Node names: the overloads of one name are numbered, AddBackward0, AddBackward1."""
    count: dict[str, int] = defaultdict(int)
    for e in entries:
        if e.derivatives and not e.node:
            base = node_name(e)
            e.node = base[:-1] + str(count[base])
            count[base] += 1


def outputs(entries: list[Entry], source_root: str) -> dict[str, tuple[str, str]]:
    """path -> (kind, text), for every file to write."""
    all_ops: list[Operator] = []
    by_base: dict[str, list[tuple[Entry, list[Operator]]]] = defaultdict(list)
    pairs = []
    for e in entries:
        made = operators_of(e)
        all_ops += made
        by_base[e.base].append((e, made))
        pairs.append((e, made))
    names = [o.schema.cpp_name for o in all_ops]
    if len(set(names)) < len(names):
        first: dict[str, Operator] = {}
        for o in all_ops:
            other = first.setdefault(o.schema.cpp_name, o)
            if other is not o:
                raise SystemExit(f"{o.entry.place}: operator {o.schema.full_name} is there already, from {other.entry.place}")
    functions = FormulaFunctions(source_root)
    try:
        check_formulas(entries, functions)
    except SchemaError as e:
        raise SystemExit(str(e)) from e
    check_rules(entries, source_root)
    files: dict[str, tuple[str, str]] = {}
    bases = sorted(by_base)
    for base in bases:
        group = by_base[base]
        flat = [o for _, made in group for o in made]
        files[f"ATen/ops/{base}_ops.h"] = ("header", ops.ops_header(flat))
        files[f"ATen/ops/{base}.h"] = ("header", ops.function_header(flat, base))
        files[f"ATen/ops/{base}_native.h"] = ("header", ops.native_header(group))
    files["ATen/Functions.h"] = ("header", ops.BANNER + "#pragma once\n" + "".join(f"#include <ATen/ops/{b}.h>\n" for b in bases))
    files["ATen/core/TensorMethods.inc"] = ("header", ops.methods_inc(all_ops))
    files["ATen/functorch/BatchRuleNames.h"] = ("header", names_header(entries))
    files["ATen/functorch/BatchRuleTable.h"] = ("header", table_header(entries))
    files["ATen/core/dispatch/ExplicitOperators.h"] = ("header", ops.explicit_header(all_ops))
    known = set(bases)
    shards = family_shards(all_ops)
    for shard, flat in shards.items():
        recorded, headers = autograd.autograd_source(flat), autograd.autograd_headers(flat, known, functions)
        files[f"Ops_{shard}.cpp"] = ("aten", ops.ops_source(shard, flat, recorded, headers))
    for key in JOINING:
        theirs = {shard: mine for shard, flat in shards.items() if (mine := ops.backend_operators(key, flat))}
        for shard, mine in theirs.items():
            files[f"Kernels_{key}_{shard}.cpp"] = (key.lower(), ops.backend_source(key, shard, mine))
        if theirs:
            files[f"Kernels_{key}.cpp"] = (key.lower(), ops.backend_registry_source(key, list(theirs)))
    files["TensorMethods.cpp"] = ("aten", ops.methods_source(all_ops, bases))
    files["OperatorRegistry.cpp"] = ("aten", ops.registry_source(list(shards)))
    bound = python.bindings(pairs)
    for k, mine in enumerate(hash_shards(bound)):
        needed = {o.entry.base for group in mine.values() for o in group}
        files[f"python_ops_{k}.cpp"] = ("python", python.python_source(mine, needed))
    try:
        texts = docs.Docs(bound, source_root)
        files["python_tables.cpp"] = (
            "python",
            python.tables_source(bound, lambda name, method: docs.literal(texts.of(name, method))),
        )
        files.update(docs.manual_files(texts))
        for path, text in stubs.stubs(bound, source_root, texts.body).items():
            files[path] = ("pyi", text)
    except DocsError as e:
        raise SystemExit(str(e)) from e
    files["torch/_operator_index.json"] = ("pyi", index.index_text(pairs))
    return files


def write_if_changed(path: str, text: str) -> bool:
    try:
        with open(path) as f:
            if f.read() == text:
                return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        f.write(text)
    os.replace(path + ".new", path)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source-path", required=True, help="the folder aten/src/ATen")
    parser.add_argument("--out-dir", required=True)
    parser.add_argument("--print-outputs", action="store_true", help="list `kind path` of what would be written, and stop")
    args = parser.parse_args()
    root = os.path.normpath(os.path.join(args.source_path, "..", "..", ".."))
    files = outputs(read_entries(args.source_path), root)
    if args.print_outputs:
        for path, (kind, _) in files.items():
            print(kind, os.path.join(args.out_dir, path))
        return 0
    for path, (_, text) in files.items():
        write_if_changed(os.path.join(args.out_dir, path), text)
    stale = os.path.join(args.out_dir, "ATen", "ops")
    generated = {os.path.basename(p) for p in files if p.startswith("ATen/ops/")}
    for name in os.listdir(stale):
        if name not in generated:
            os.remove(os.path.join(stale, name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
