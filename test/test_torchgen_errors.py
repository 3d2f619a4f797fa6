"""Mistakes in an entry are reported by torchgen, with the yaml file and the line."""

import pytest
from surroundings import ROOT

pytest.importorskip("yaml")
if not (ROOT / "torchgen").exists():
    pytest.skip("the source tree is not here", allow_module_level=True)

from torchgen.gen import outputs, read_entries  # noqa: E402

from tools.setup_helpers.link import UNDEFINED, explained  # noqa: E402  isort: skip

GOOD = "- func: cube(Tensor self) -> Tensor\n  variants: function, method\n"

MISTAKES = {
    "unknown type": (
        "- func: cube(Tensr self) -> Tensor\n",
        r"x/native_functions\.yaml:3: cube: argument 'self' has the unknown type 'Tensr'; did you mean Tensor\?",
    ),
    "unknown result": ("- func: cube(Tensor self) -> Matrix\n", r"yaml:3: cube: a result has the unknown type 'Matrix'"),
    "twice": (GOOD + "\n" + GOOD, r"x/native_functions\.yaml:6: operator cube is there already, from x/native_functions\.yaml:3"),
    "no schema": ("- func: cube(Tensor self)\n", r"yaml:3: not an operator schema"),
    "unknown field": (GOOD + "  variant: function\n", r"yaml:3: .*unknown fields \['variant'\]"),
    "unknown variant": (
        "- func: cube(Tensor self) -> Tensor\n  variants: methd\n",
        r"yaml:3: cube: unknown variants \['methd'\]",
    ),
    "unknown key": (GOOD + "  dispatch: {CPUU: cube}\n", r"yaml:3: cube: unknown dispatch key CPUU"),
    "a stub and a meta kernel": (
        GOOD + "  dispatch: {CPU, Meta: cube_stub}\n",
        r"yaml:3: cube: cube_stub is a stub, which computes on every backend that is not Meta\. .*structured: true",
    ),
    "a stub without a device": (
        "- func: cube(int n) -> Tensor\n  dispatch: {CPU: cube_stub}\n",
        r"yaml:3: cube: cube_stub is a stub, but no argument says on which device",
    ),
    "two kernels of a structured operator": (
        GOOD + "  structured: true\n  dispatch: {CPU: cube_cpu, CUDA: cube_cuda}\n",
        r"yaml:3: cube: a structured operator has one kernel, not cube_cpu, cube_cuda; .* is a stub",
    ),
    "structured in place with a function": (
        "- func: cube_(Tensor(a!) self) -> Tensor(a!)\n  structured: true\n  dispatch: {CPU: cube_}\n",
        r"yaml:3: cube_: an operator that exists in-place only is structured by `structured: true` and a stub",
    ),
    "a typo in a formula": (
        GOOD + "  dispatch: {CPU: cube}\n  derivatives: {self: grda * 3 * self * self}\n",
        r"yaml:3: cube: the formula for self names 'grda', .*; did you mean 'grad'\?",
    ),
    "a function that is not there": (
        GOOD + "  dispatch: {CPU: cube}\n  derivatives:\n    self: cube_backwrd(grad, self)\n",
        r"yaml:3: cube: the formula for self names 'cube_backwrd'",
    ),
    "None for what is no tensor": (
        "- func: cube(Tensor self, int n) -> Tensor\n  undefined: [n]",
        r"yaml:3: cube: `undefined` names tensor arguments, not \['n'\]",
    ),
    "a derivative of nothing": (
        GOOD + "  dispatch: {CPU: cube}\n  derivatives: {other: grad}\n",
        r"yaml:3: cube: derivative of 'other', which is no argument",
    ),
    "no derivative": (
        GOOD + "  dispatch: {CPU: cube}\n",
        r"yaml:3: cube has no derivatives; an operator without a gradient says `autograd: false`",
    ),
    "a batching rule that is not there": (
        GOOD + "  batching: allong_dim\n",
        r"yaml:3: cube: there is no rule 'allong_dim' for batching, no `const RuleEntry allong_dim` in aten",
    ),
    "a copy of no view": (GOOD + "  copy: true\n", r"yaml:3: cube: `copy: true` is for views"),
    "forwards to nothing": (GOOD + "  forwards: square\n", r"yaml:3: cube forwards to square, which is no entry"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(mistake, tmp_path):
    text, message = MISTAKES[mistake]
    (tmp_path / "native" / "x").mkdir(parents=True)
    (tmp_path / "native" / "x" / "native_functions.yaml").write_text("# Entries of a test.\n\n" + text)
    with pytest.raises(SystemExit, match=message):
        outputs(read_entries(str(tmp_path)), str(tmp_path))


INDEX = {
    "aten::cube": {"entry": "x:3", "kernels": ["cube_stub"]},
    "aten::solid.out": {"entry": "x:9", "kernels": ["solid_kernel"]},
}


@pytest.mark.parametrize("output, line", [
    ("mold: error: undefined symbol: "
     "at::native::DispatchStub<void (*)(at::TensorIteratorBase&), at::native::cube_stub_tag>::AVX512\n>>> ",
     "aten/src/ATen/native/x/native_functions.yaml:3: operator aten::cube: "
     "no file in native/x/cpu has REGISTER_DISPATCH(cube_stub, ...) for AVX512"),
    ("mold: error: undefined symbol: at::native::solid_kernel(at::Tensor const&, at::Tensor const&)\n",
     "aten/src/ATen/native/x/native_functions.yaml:9: operator aten::solid.out: no file defines its kernel, "
     "at::native::solid_kernel(at::Tensor const&, at::Tensor const&)"),
    ("ld: Ops_x.cpp:(.text+0x1): undefined reference to `at::meta::solid_out(at::MetaBase&)'\n",
     "aten/src/ATen/native/x/native_functions.yaml:9: operator aten::solid.out: "
     "no file defines its meta function, at::meta::solid_out(at::MetaBase&)"),
    ("undefined symbol: cblas_sgemm\n", ""),
])  # fmt: skip
def test_missing_kernels_are_named(output, line):
    (symbol,) = UNDEFINED.findall(output)
    assert explained(symbol.strip(), INDEX) == line


def test_batching_rules_of_kinds():
    from torchgen.batching import batching_of

    rules = {e.schema.full_name: batching_of(e) for e in read_entries(str(ROOT / "aten" / "src" / "ATen"))}
    assert rules["add.Tensor"] == rules["relu"] == "elementwise"
    assert rules["sum.dim_IntList"] == rules["max.dim"] == "over_dims" and rules["argmax"] == "over_dim_or_all"
    assert rules["select.int"] == rules["transpose.int"] == "view_along_dim" and rules["permute"] == "permute"
    assert rules["cumsum"] == "along_dim" and rules["addmm"] == "addmm" and rules["linear"] is None
