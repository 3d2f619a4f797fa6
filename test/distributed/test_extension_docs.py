"""What the extension of torch.distributed binds has docstrings, with examples that run."""

from __future__ import annotations

import doctest

import pytest
from ranks import needs_gloo

import torch
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(60)]
NO_EXAMPLE = {"Backend"}  # its functions are those of torch.distributed


def classes():
    from torch._C import _distributed_c10d

    return {name: c for name, c in vars(_distributed_c10d).items() if isinstance(c, type) and not name.startswith("_")}


def test_classes_are_documented():
    found = classes()
    assert len(found) > 15
    for name, bound in found.items():
        first = (bound.__doc__ or "").splitlines()[0]
        assert first.endswith("."), name
        assert ">>> " in bound.__doc__ or name in NO_EXAMPLE, name
        for attribute, value in vars(bound).items():
            if isinstance(value, property) and not attribute.startswith("_"):
                assert (value.__doc__ or "").endswith("."), f"{name}.{attribute}"


def test_examples_run():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    failures = []
    for name, bound in classes().items():
        runner.run(parser.get_doctest(bound.__doc__, {"torch": torch, "nn": nn}, name, None, 0), out=failures.append)
    assert not failures, "".join(failures)
