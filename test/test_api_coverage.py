"""The registry beside PyTorch's list of operators: no overload of its own, no schema that differs."""

import json

import pytest
from surroundings import ROOT

FACTS = ROOT.parent / "shared" / "api"
if not (ROOT / "tools" / "api_coverage.py").exists() or not (FACTS / "aten_schemas.txt").exists():
    pytest.skip("PyTorch's names and schemas are not here", allow_module_level=True)

from tools import api_coverage  # noqa: E402


def test_overloads_are_pytorchs():
    assert not set(api_coverage.ours()) - set(api_coverage.schemas(FACTS))


def test_schemas_agree():
    theirs = api_coverage.schemas(FACTS)
    different = {
        n: (s, theirs[n]) for n, s in api_coverage.ours().items() if api_coverage.plain(s) != api_coverage.plain(theirs[n])
    }
    assert not different


def test_kinds():
    kinds = {n: api_coverage.kind_of(n) for n in ("add", "to_sparse", "fake_quantize_per_tensor_affine", "_cudnn_rnn")}
    assert kinds == {
        "add": "dense",
        "to_sparse": "sparse",
        "fake_quantize_per_tensor_affine": "quantized",
        "_cudnn_rnn": "other backends",
    }


def test_names_that_only_raise_are_not_here():
    assert api_coverage.is_here("torch.nn", "Linear") and not api_coverage.is_here("torch.export", "export")


def test_reasons_for_missing_overloads_are_of_use():
    """A pattern of docs/absent_operators.md that fits nothing, or something that is here, is out of date."""
    theirs, mine = api_coverage.schemas(FACTS), api_coverage.ours()
    for pattern in api_coverage.absent_patterns():
        fits = {n for n in theirs if api_coverage.is_explained(n, "Tensor", [pattern])}
        assert fits - set(mine), f"{pattern} fits no missing overload"


def test_reasons_for_missing_names_are_of_use():
    """A pattern of docs/absent_names.md that fits no missing name is out of date."""
    public = json.loads((FACTS / "public_names.json").read_text())
    names = [(place.removesuffix(" (dunder)"), name) for place, listed in public.items() for name in listed]
    names += [("torch.optim", "sparse_adam"), ("torch", "sparse"), ("torch", "nested"), ("torch", "export")]
    absent = [f"{place}.{name}" for place, name in names if not api_coverage.is_here(place, name)]
    for pattern in api_coverage.absent_patterns("absent_names.md"):
        assert any(api_coverage.is_name_explained(name, [pattern]) for name in absent), f"{pattern} fits no missing name"
