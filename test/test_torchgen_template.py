"""The templates that torchgen writes C++ from."""

import pytest
from surroundings import ROOT

if not (ROOT / "torchgen").exists():
    pytest.skip("the source tree is not here", allow_module_level=True)

from torchgen import template  # noqa: E402


@pytest.fixture
def fill(tmp_path, monkeypatch):
    function = "//// function\n$result f($arguments) {\n  $body\n  $after\n}\n"
    text = f"What this is for.\n\n{function}\n//// list\n${{name}}s = {{\n$rows\n}};\n"
    (tmp_path / "t.cpp").write_text(text)
    monkeypatch.setattr(template, "_FOLDER", str(tmp_path))
    template._templates.cache_clear()
    yield lambda *args, **values: template.fill("t.cpp", *args, **values)
    template._templates.cache_clear()


def test_values_take_the_indentation_of_their_place(fill):
    text = fill("function", result="int", arguments="", body="if (x) {\n  y();\n}", after=["return 1;"])
    assert text == "int f() {\n  if (x) {\n    y();\n  }\n  return 1;\n}"


def test_empty_lines_vanish(fill):
    assert fill("function", result="void", arguments="int a", body=[], after="") == "void f(int a) {\n}"


def test_lists_are_lines(fill):
    assert fill("list", name="row", rows=["1,", "2"]) == "rows = {\n1,\n2\n};"


def test_names_are_checked(fill):
    with pytest.raises(ValueError, match=r"t\.cpp: the template list has no \$extra"):
        fill("list", name="row", rows="1", extra="2")
    with pytest.raises(KeyError, match="rows"):
        fill("list", name="row")
