"""Meshes of processes: their groups, their slices, and what is wrong with one."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def grid(rank, size):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    sums = []
    for name in ("dp", "tp"):
        x = torch.tensor([float(rank)])
        dist.all_reduce(x, group=mesh.get_group(name))
        sums.append(x.item())
    flat = mesh._flatten("all")
    x = torch.ones(1)
    dist.all_reduce(x, group=flat.get_group())
    part = mesh["tp"]
    assert mesh["tp"] is part and part == mesh["tp"] and mesh["dp", "tp"] is mesh and mesh["all"] == flat
    assert dist.get_process_group_ranks(part.get_group()) == part.mesh.tolist()
    assert mesh["tp", "dp"].mesh.tolist() == [[0, 2], [1, 3]]
    again = dist.DeviceMesh.from_group([mesh.get_group(0), mesh.get_group(1)], "cpu", [[0, 1], [2, 3]])
    assert again.get_group(1) is mesh.get_group("tp")
    return (
        mesh.get_coordinate(), mesh.get_local_rank("tp"), part.mesh.tolist(), part.get_local_rank(), sums, x.item(),
        (mesh.size(), mesh.size(0), mesh.ndim, mesh.shape, flat.shape), repr(mesh), [len(g) for g in map(
            dist.get_process_group_ranks, mesh.get_all_groups())],
    )  # fmt: skip


def cube(rank, size):
    mesh = dist.init_device_mesh("cpu", (1, 2, 2), mesh_dim_names=("pp", "dp", "tp"))
    both = mesh["pp", "dp"]._flatten()
    assert mesh["pp_dp"] is both
    torn = dist.init_device_mesh("cpu", (4,), mesh_dim_names=("world",))._unflatten("world", (2, 2), ("a", "b"))
    assert torn["b"].mesh.tolist() == mesh["tp"].mesh.tolist()
    return both.mesh.tolist(), mesh["dp", "tp"].mesh.tolist()


def partial_mesh(rank, size):
    mesh = dist.DeviceMesh("cpu", [1, 0])
    if rank == 2:
        with pytest.raises(RuntimeError, match="rank 2 is not in the mesh"):
            mesh.get_local_rank()
    return mesh.get_coordinate()


def mistakes(rank, size):
    for call, error, text in (
        (lambda: dist.init_device_mesh("cpu", (2,), mesh_dim_names=("a", "b")), RuntimeError, "2 names for a mesh of 1"),
        (lambda: dist.init_device_mesh("cpu", (1, 2), mesh_dim_names=("a", "a")), RuntimeError, "twice"),
        (lambda: dist.init_device_mesh("cpu:0", (2,)), RuntimeError, "without an index"),
        (lambda: dist.init_device_mesh("cuda", (2,)), RuntimeError, "no device of the type"),
        (lambda: dist.init_device_mesh("cpu", (3,)), RuntimeError, "has the rank 2"),
        (lambda: dist.DeviceMesh("cpu", [0, 0]), RuntimeError, "twice"),
        (lambda: dist.init_device_mesh("cpu", (2,))["a"], RuntimeError, "no names"),
        (lambda: dist.init_device_mesh("cpu", (1, 2)).get_group(), RuntimeError, "which one"),
        (lambda: dist.init_device_mesh("cpu", (2,), mesh_dim_names=("a",))["b"], KeyError, "no dimension 'b'"),
    ):
        with pytest.raises(error, match=text):
            call()


def test_grid():
    found = run_ranks(grid, 4)
    text = "DeviceMesh((dp=2, tp=2), 'cpu')"
    for rank, (coordinate, local, row, own, sums, total, sizes, shown, groups) in enumerate(found):
        i, j = divmod(rank, 2)
        assert (coordinate, local, row, own) == ((i, j), j, [2 * i, 2 * i + 1], j)
        assert sums == [2 * j + 2, 4 * i + 1] and total == 4
        assert sizes == (4, 2, 2, (2, 2), (4,)) and shown == text and groups == [2, 2]


def test_flattened_slices():
    assert run_ranks(cube, 4) == [([rank % 2, rank % 2 + 2], [[0, 1], [2, 3]]) for rank in range(4)]


def test_mesh_of_some_ranks():
    assert run_ranks(partial_mesh, 3) == [(1,), (0,), None]


def test_mistakes():
    run_ranks(mistakes, 2)


def backends(rank, size):
    """Backends of single dimensions, by number and by name."""

    def of(mesh):
        return [dist.get_backend(group) for group in mesh.get_all_groups()]

    names = {"mesh_dim_names": ("dp", "tp")}
    found = [
        of(dist.init_device_mesh("cpu", (2, 1), **names, backend_override={0: "fake"})),
        of(dist.init_device_mesh("cpu", (2, 1), **names, backend_override={"tp": ("fake", None), "dp": "gloo"})),
        of(dist.DeviceMesh("cpu", [[0], [1]], backend_override=(("fake", None), (None, None)))),
        of(dist.init_device_mesh("cpu", (2, 1), **names)._flatten("all", "fake")),
        of(dist.init_device_mesh("cpu", (2,))._unflatten(0, (2, 1), ("a", "b"), {"a": "fake"})),
        of(dist.init_device_mesh("cpu", (1, 2), **names)["tp"]._unflatten(0, (2, 1), ("a", "b"), {"b": "fake"})),
    ]
    for override, message in (
        ({"pp": "fake"}, "'pp'"), ({2: "fake"}, "0 to 1"), ({0: "fake", "dp": "fake"}, "dimension 0 twice"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=message):
            dist.init_device_mesh("cpu", (2, 1), **names, backend_override=override)
    with pytest.raises(TypeError, match="expected the name of a backend"):
        dist.init_device_mesh("cpu", (2, 1), backend_override={0: 3})
    with pytest.raises(ValueError, match="1 entries for a mesh of 2 dimensions"):
        dist.DeviceMesh("cpu", [[0], [1]], backend_override=(("fake", None),))
    return found


def test_backends_of_dimensions():
    expected = [["fake", "gloo"], ["gloo", "fake"], ["fake", "gloo"], ["fake"], ["fake", "gloo"], ["gloo", "fake"]]
    assert run_ranks(backends, 2) == [expected] * 2
