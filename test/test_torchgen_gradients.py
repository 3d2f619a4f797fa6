"""Gradients that one formula computes together, with those of a list among them."""

import pytest
from surroundings import ROOT

pytest.importorskip("yaml")
if not (ROOT / "torchgen").exists():
    pytest.skip("the source tree is not here", allow_module_level=True)

from torchgen.derivatives import build_node  # noqa: E402
from torchgen.gen import read_entries  # noqa: E402
from torchgen.model import operators_of  # noqa: E402
from torchgen.writers.autograd import node_source  # noqa: E402

ENTRY = """
- func: cube(Tensor self, Tensor[] others, Tensor last) -> Tensor
  dispatch: {CPU: cube}
  derivatives: {"last, others, self": "std::make_tuple(grad, grads, grad_input_mask)"}
"""


def generated(text, tmp_path):
    (tmp_path / "native" / "x").mkdir(parents=True)
    (tmp_path / "native" / "x" / "native_functions.yaml").write_text(text)
    (entry,) = read_entries(str(tmp_path))
    return node_source(build_node(operators_of(entry)[0]), entry.place)


def test_list_between_tensors(tmp_path):
    """It is computed if any of its gradients is asked for: those from its first edge to that of the next argument."""
    text = generated(ENTRY, tmp_path)
    assert "others_at = self_at + 1;" in text and "last_at = others_at + num_outputs() - 2;" in text
    assert (
        "if (task_should_compute_any(others_at, last_at)) put_list(grad_inputs, others_at, std::move(std::get<1>(computed)));"
        in text
    )
    assert "if (task_should_compute_output(last_at)) grad_inputs[last_at] = std::move(std::get<0>(computed));" in text
    mask = "task_should_compute_output(last_at), task_should_compute_any(others_at, last_at), task_should_compute_output(self_at)"
    assert f"grad_input_mask{{{{{mask}}}}}" in text


def test_list_at_the_end(tmp_path):
    text = generated(ENTRY.replace("Tensor[] others, Tensor last", "Tensor last, Tensor[] others"), tmp_path)
    assert "if (task_should_compute_any(others_at, num_outputs())) put_list(" in text
