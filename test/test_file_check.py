"""torch.testing.FileCheck and assert_allclose."""

from __future__ import annotations

import pytest

import torch
from torch.testing import FileCheck, assert_allclose

PASSES = [
    (lambda f: f.check("a").check("b"), "a b"), (lambda f: f.check_not("a"), "b"), (lambda f: f.check_count("a", 2), "a a a"),
    (lambda f: f.check_count("a", 2, exactly=True), "a a"), (lambda f: f.check_same("a"), "b a"),
    (lambda f: f.check("x").check_same("a"), "x b a"), (lambda f: f.check("x").check_next("a"), "x\n a"),
    (lambda f: f.check_dag("a").check_dag("b"), "b a"), (lambda f: f.check_regex("a+b").check("c"), "xaaab c"),
    (lambda f: f.check("x").check_not("y").check("z"), "x z y"),
    (lambda f: f.check_source_highlighted("bc"), "abcd\n ~~ <--- HERE"),
    (lambda f: f.check_dag("a").check_dag("b").check_not("d").check("c"), "b a c d"),
]  # fmt: skip
FAILS = [
    (lambda f: f.check("b").check("a"), "a b", "not found"), (lambda f: f.check_not("b"), "b", "was found"),
    (lambda f: f.check_count("a", 2, exactly=True), "a a a", "was found"), (lambda f: f.check_count("a", 3), "a a", "not found"),
    (lambda f: f.check("x").check_same("a"), "x\n a", "1 lines below"),
    (lambda f: f.check("x").check_next("a"), "x\n\n a", "2 lines"),
    (lambda f: f.check_regex("a+b"), "x", "not found"), (lambda f: f.check_source_highlighted("a"), "a", "underlined"),
    (lambda f: f, "x", "no checks"), (lambda f: f.check("x").check_not("y").check("z"), "x y z", "was found"),
    (lambda f: f.check("z").check_not("y"), "x z y", "was found"),
    (lambda f: f.check("a").check_dag("b").check_dag("c"), "c a b", "not"),
]  # fmt: skip


@pytest.mark.parametrize("build, text", PASSES)
def test_passes(build, text):
    assert build(FileCheck()).run(text) is None


@pytest.mark.parametrize("build, text, problem", FAILS)
def test_fails(build, text, problem):
    with pytest.raises(RuntimeError, match=problem):
        build(FileCheck()).run(text)


def test_checks_of_a_file():
    checks = "# CHECK: x\n# CHECK-NEXT: y\nother\n// CHECK-NOT: q\n# CHECK-COUNT-2: z\n# CHECK-COUNT-EXACTLY-1: w\n"
    FileCheck().run(checks, "x\ny\nz z w q")
    FileCheck().run(checks_file=checks, test_file="x\ny\nz z w")
    for text in ("x\nz", "x\ny q z z w", "x\ny z w", "x\ny z z w w"):
        with pytest.raises(RuntimeError, match="CHECK"):
            FileCheck().run(checks, text)
    with pytest.raises(TypeError, match="expected"):
        FileCheck().run()
    with pytest.raises(TypeError, match="a str"):
        FileCheck().check(3)
    assert repr(FileCheck().check("a").check_not("b")) == "FileCheck(CHECK: a, CHECK-NOT: b)"


def test_assert_allclose():
    with pytest.warns(FutureWarning, match="assert_close"):
        assert_allclose(torch.ones(2), torch.ones(2, dtype=torch.float64) + 5e-5)
        assert_allclose([1.0, float("nan")], [1, float("nan")])
        assert_allclose(torch.ones(2), torch.zeros(2), rtol=0, atol=2)
        for actual, expected in (([1.0], [2.0]), (torch.ones(2), torch.ones(2) + 1e-3)):
            with pytest.raises(AssertionError, match="not close"):
                assert_allclose(actual, expected)
