"""Functions of torch are pickled by reference, under the names that PyTorch uses."""

import copy
import pickle
import types

import pytest

import torch
import torch.nn.functional as F

SPACES = {"torch": torch, "functional": F, "special": torch.special, "linalg": torch.linalg, "Tensor": torch.Tensor}
KINDS = types.BuiltinFunctionType, types.FunctionType, types.MethodDescriptorType


def functions(space):
    for name in dir(space):
        f = getattr(space, name, None)
        # A name that this build lacks is a function that raises an error, so there is no object to refer to.
        if isinstance(f, KINDS) and not name.startswith("__") and f.__qualname__ != "_missing.<locals>.missing":
            if getattr(f, "__module__", "") != "torch._operators":
                yield name, f


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("protocol", [0, 2, pickle.HIGHEST_PROTOCOL])
def test_every_function(space, protocol):
    for name, f in functions(SPACES[space]):
        assert pickle.loads(pickle.dumps(f, protocol)) is f, name


def test_copies_are_the_function():
    assert copy.deepcopy(torch.relu) is torch.relu and copy.copy(F.gelu) is F.gelu
    assert copy.deepcopy({"activation": torch.tanh})["activation"] is torch.tanh


@pytest.mark.parametrize("f,form", [
    (torch.relu, b"c__builtin__\ngetattr\np0\n(ctorch._C\n_VariableFunctionsClass\np1\nVrelu\np2\ntp3\nRp4\n."),
    (F.avg_pool2d, b"ctorch._C._nn\navg_pool2d\np0\n."),
    (torch.special.expit, b"ctorch._C._special\nspecial_expit\np0\n."),
])  # fmt: skip
def test_the_bytes_are_those_of_pytorch(f, form):
    assert pickle.dumps(f, 0) == form and pickle.loads(form) is f


def test_a_module_that_holds_one():
    class Net(torch.nn.Module):
        activation = None

    net = Net()
    net.activation = torch.relu
    assert pickle.loads(pickle.dumps(net.activation))(torch.tensor(-1.0)) == 0
    method = pickle.loads(pickle.dumps(torch.ones(2).add))
    assert method(1).tolist() == [2, 2]
