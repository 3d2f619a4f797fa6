"""torch._C._dispatch_*: the registry's entries for an operator, and sets of dispatch keys."""

import re

import pytest

import torch
from torch._C import DispatchKey, DispatchKeySet

DUMP_LINE = re.compile(r"(\w+)(\[alias\])?( \(inactive\))?: registered at (.+) :: (.+) \[ (boxed )?(unboxed )?\]")


@pytest.fixture
def library():
    lib = torch.library.Library("dispatch_table_test", "DEF")
    lib.define("f(Tensor x, int[] sizes, Tensor? y=None) -> (Tensor, Tensor)")
    yield lib
    lib._destroy()


def dump(name):
    """What _dispatch_dump says: its heading as a dict, and the registrations as tuples."""
    lines = torch._C._dispatch_dump(name).splitlines()
    heading = dict(line.split(": ", 1) for line in lines[:4])
    assert list(heading) == ["name", "schema", "debug", "alias analysis kind"]
    found = [DUMP_LINE.fullmatch(line) for line in lines[4:]]
    assert all(found), lines
    return heading, [m.groups() for m in found]


def table(name):
    return dict(line.split(": ", 1) for line in torch._C._dispatch_dump_table(name).splitlines())


def test_dump_of_a_generated_operator():
    heading, kernels = dump("aten::add.Tensor")
    assert heading["name"] == "aten::add.Tensor" and heading["schema"].startswith("aten::add.Tensor(Tensor self, ")
    assert [(k[0], bool(k[1])) for k in kernels] == [("CPU", False), ("Meta", False), ("Autograd", True)]
    assert re.match(r"aten/src/ATen/native/arithmetic/cpu/\w+\.cpp:\d+ \(add_stub\)", kernels[0][3])
    assert kernels[0][4] == "(Tensor _0, Tensor _1, Scalar _2) -> Tensor _0" and kernels[0][5:] == ("boxed ", "unboxed ")


def test_dump_of_a_composite():
    (kernel,) = dump("aten::outer")[1]
    assert kernel[:2] == ("CompositeImplicitAutograd", "[alias]") and "(at::native::outer)" in kernel[3]


def test_dump_of_an_operator_made_at_run_time(library):
    library.impl("f", lambda x, sizes, y=None: (x, x), "CPU")
    heading, kernels = dump("dispatch_table_test::f")
    assert re.search(r"test_dispatch_table\.py:\d+$", heading["debug"])
    assert kernels[0][0] == "CPU" and "test_dispatch_table.py" in kernels[0][3] and kernels[0][4:] == ("(none)", "boxed ", None)


def test_a_newer_registration_hides_the_older():
    before = torch._C._dispatch_dump("aten::cosh")
    override = torch.library.Library("aten", "IMPL")
    override.impl("cosh", lambda x: x + 40, "CPU")
    try:
        rows = [(k[0], bool(k[2])) for k in dump("aten::cosh")[1] if k[0] == "CPU"]
        assert rows == [("CPU", True), ("CPU", False)]
        assert torch.ones(1).cosh().item() == 41 and "test_dispatch_table" in table("aten::cosh")["CPU"]
    finally:
        override._destroy()
    assert torch._C._dispatch_dump("aten::cosh") == before and torch.ones(1).cosh().item() < 2


def test_table_says_why():
    rows = table("aten::add.Tensor")
    assert rows["CPU"].endswith("[kernel]") and "VariableType::add_Tensor" in rows["AutogradCPU"]
    assert rows["AutogradCPU"].endswith("[autograd kernel]") and rows["Tracer"] == "fallthrough [backend fallback]"
    assert "SparseCPU" not in rows and not any("UNKNOWN" in key for key in rows)
    assert table("aten::conv2d")["CUDA"].endswith("[math kernel]")
    assert table("aten::empty.out")["Meta"].endswith("[default backend kernel]")


def test_alias_keys_give_way(library):
    library.impl("f", lambda x, sizes, y=None: (x, x), "CompositeImplicitAutograd")
    library.impl("f", lambda x, sizes, y=None: (x, x), "CPU")
    rows = table("dispatch_table_test::f")
    assert rows["CPU"].endswith("[kernel]") and rows["CUDA"].endswith("[math kernel]")


def test_every_operator_has_a_dump_and_a_table():
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::"):
            heading, kernels = dump(name)
            assert heading["name"] == name and kernels and table(name), name


def test_whether_there_is_a_kernel():
    has, computed = torch._C._dispatch_has_kernel_for_dispatch_key, torch._C._dispatch_has_computed_kernel_for_dispatch_key
    assert has("aten::add.Tensor", "CPU") and has("aten::add.Tensor", DispatchKey.CPU)
    assert not has("aten::add.Tensor", "Python") and has("aten::add.Tensor", "Autograd")
    assert has("aten::conv2d", "CompositeImplicitAutograd") and not has("aten::conv2d", "CPU") and computed("aten::conv2d", "CPU")
    assert torch._C._dispatch_has_kernel("aten::add.Tensor") and not torch._C._dispatch_has_kernel("aten::nothing")
    either = DispatchKeySet(DispatchKey.CPU) | DispatchKeySet(DispatchKey.SparseCPU)
    assert torch._C._dispatch_has_kernel_for_any_dispatch_key("aten::add.Tensor", either)
    assert torch._C._dispatch_kernel_for_dispatch_key_is_fallthrough("aten::add.Tensor", "Tracer")
    assert torch.ops.aten.add.Tensor.has_kernel_for_dispatch_key(DispatchKey.CPU)


def test_names_that_are_none():
    assert torch._C._dispatch_dump("aten::nothing") == torch._C._dispatch_dump_table("aten::nothing") == ""
    with pytest.raises(RuntimeError, match="aten::nothing does not exist"):
        torch._C._dispatch_has_kernel_for_dispatch_key("aten::nothing", "CPU")
    with pytest.raises(RuntimeError, match="could not parse dispatch key: Pencil"):
        torch._C._dispatch_has_kernel_for_dispatch_key("aten::add.Tensor", "Pencil")
    for ask in (torch._C._dispatch_dump, torch._C._dispatch_dump_table, torch._C._dispatch_keys, torch._C._dispatch_has_kernel):
        with pytest.raises(TypeError):
            ask(3)


def test_registrations(capfd):
    at_cpu = torch._C._dispatch_get_registrations_for_dispatch_key("CPU")
    everything = torch._C._dispatch_get_registrations_for_dispatch_key()
    assert "aten::add.Tensor" in at_cpu and "aten::conv2d" not in at_cpu and set(at_cpu) < set(everything)
    assert "aten::conv2d" in torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
    torch._C._dispatch_print_registrations_for_dispatch_key("CPU")
    assert capfd.readouterr().out.splitlines() == at_cpu


def test_keys_of_tensors():
    plain = torch._C._dispatch_keys(torch.ones(1))
    tracked = torch._C._dispatch_keys(torch.ones(1, requires_grad=True))
    assert plain.has(DispatchKey.CPU) and not plain.has(DispatchKey.Meta) and DispatchKey.AutogradCPU in tracked
    assert tracked.highestPriorityTypeId() is DispatchKey.AutogradCPU and repr(plain) == "DispatchKeySet(CPU)"
    assert torch._C._dispatch_keys(torch.ones(1, device="meta")).has(DispatchKey.Meta)


def test_key_sets():
    cpu, meta = DispatchKeySet(DispatchKey.CPU), DispatchKeySet(DispatchKey.Meta)
    both = cpu | meta
    assert both == DispatchKeySet(DispatchKey.CPU, DispatchKey.Meta) and both & cpu == cpu
    assert meta.add(DispatchKey.CPU) == both and hash(both) == hash(meta | cpu)
    # Removing a functionality keeps the backends.
    tracked = cpu.add(DispatchKey.AutogradCPU)
    assert tracked.remove(DispatchKey.AutogradCPU) == cpu and not cpu.remove(DispatchKey.CPU).has(DispatchKey.CPU)
    assert (tracked - DispatchKeySet(DispatchKey.AutogradCPU)) == cpu and cpu.raw_repr() == 65537
    assert DispatchKeySet.from_raw_repr(both.raw_repr()) == both and both != cpu and cpu != 3
    with pytest.raises(TypeError):
        cpu | 3
    with pytest.raises(TypeError):
        DispatchKeySet(3)


def test_keys():
    key = DispatchKey.CPU
    assert str(key) == "DispatchKey.CPU" and key.name == "CPU" and int(key) == key.value
    assert torch._C._dispatch_key_parse("CPU") is key and torch._C._dispatch_key_name(DispatchKey.Autograd) == "Autograd"
    assert torch._C._dispatch_is_alias_key(DispatchKey.Autograd) and not torch._C._dispatch_is_alias_key(key)
    assert {"CPU", "AutogradCPU", "CompositeImplicitAutograd"} <= set(DispatchKey.__members__)
    with pytest.raises(TypeError):
        DispatchKey()
    with torch._C._AutoDispatchBelowAutograd():
        assert torch._C._dispatch_tls_local_exclude_set().has(DispatchKey.AutogradOther)
        assert torch._C._dispatch_tls_is_dispatch_key_excluded(DispatchKey.AutogradCPU)
    assert not torch._C._dispatch_tls_is_dispatch_key_included(DispatchKey.AutogradCPU)
