"""Dummy operators of realistic shape, to see what the build costs when the library has several times as many.

As with real operators, a family has 40 entries: elementwise operators with in-place and out= forms and a derivative,
reductions with a meta function, binary operators, and composites.
"""

from __future__ import annotations

from pathlib import Path

ENTRIES_PER_FAMILY = 40

UNARY = """- func: {name}(Tensor self) -> Tensor
  variants: function, method, inplace, out
  structured: TensorIteratorBase
  meta: unary_op
  dispatch: {{CPU: {family}_unary}}
  derivatives: {{self: grad * {name}(self)}}
"""
REDUCTION = """- func: {name}(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
  variants: function, method, out
  structured: true
  dispatch: {{CPU: {family}_reduction}}
  derivatives: {{self: grad * self}}
"""
BINARY = """- func: {name}(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method, inplace, out
  structured: TensorIteratorBase
  meta: binary_op
  dispatch: {{CPU: {family}_binary}}
  derivatives: {{self: grad, other: grad * alpha}}
"""
COMPOSITE = """- func: {name}(Tensor self, Tensor? weight=None, int[2] stride=1, float eps=1e-05, str mode="mean") -> Tensor
  variants: function
"""
# (entry, how many operators of the registry it stands for)
KINDS = ((UNARY, 3), (REDUCTION, 2), (BINARY, 3), (COMPOSITE, 1))

SOURCE = """// Kernels of dummy operators.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
{includes}
namespace at {{

namespace meta {{
{metas}}}  // namespace meta

namespace native {{
void {family}_unary(TensorIteratorBase&) {{}}
void {family}_binary(TensorIteratorBase&, const Scalar&) {{}}
void {family}_reduction(const Tensor&, OptionalIntArrayRef, bool, std::optional<ScalarType>, const Tensor&) {{}}
{composites}}}  // namespace native
}}  // namespace at
"""
META = """void {name}(MetaBase& m, const Tensor& self, OptionalIntArrayRef, bool, std::optional<ScalarType> dtype) {{
  m.set_output(0, {{}}, self.options().dtype(dtype.value_or(self.scalar_type())));
}}
"""
FUNCTION = """Tensor {name}(const Tensor& self, const std::optional<Tensor>&, IntArrayRef, double, std::string_view) {{
  return self;
}}
"""


def add_operators(native: Path, count: int) -> int:
    """Adds families with at least `count` operators of the registry. Returns how many there are."""
    added = families = 0
    while added < count:
        family = f"synthetic_{families}"
        families += 1
        folder = native / family
        folder.mkdir()
        entries, metas, composites, includes = [], [], [], []
        for k in range(ENTRIES_PER_FAMILY):
            kind, operators = KINDS[k % len(KINDS)]
            name = f"{family}_op{k}"
            entries.append(kind.format(name=name, family=family))
            includes.append(f"#include <ATen/ops/{name}_native.h>\n")
            if kind is REDUCTION:
                metas.append(META.format(name=name))
            if kind is COMPOSITE:
                composites.append(FUNCTION.format(name=name))
            added += operators
        (folder / "native_functions.yaml").write_text("# Dummy operators.\n\n" + "\n".join(entries))
        text = SOURCE.format(family=family, metas="".join(metas), composites="".join(composites), includes="".join(includes))
        (folder / f"{family}.cpp").write_text(text)
    return added
