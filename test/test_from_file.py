"""torch.from_file: tensors over the memory of files."""

import numpy as np
import pytest

import torch


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.complex128, torch.bfloat16])
def test_shared_tensors_write_to_the_file(tmp_path, dtype):
    path = str(tmp_path / "values")
    x = torch.from_file(path, shared=True, size=5, dtype=dtype)
    assert x.eq(0).all() and x.dtype == dtype and (tmp_path / "values").stat().st_size == 5 * dtype.itemsize
    x.fill_(3)
    assert torch.from_file(path, size=5, dtype=dtype).eq(3).all()
    longer = torch.from_file(path, shared=True, size=7, dtype=dtype)
    assert longer[:5].eq(3).all() and longer[5:].eq(0).all()


def test_private_tensors_leave_the_file(tmp_path):
    path = tmp_path / "values"
    np.arange(4, dtype=np.int32).tofile(path)
    x = torch.from_file(str(path), size=4, dtype=torch.int32)
    x.add_(1)
    assert x.tolist() == [1, 2, 3, 4] and np.fromfile(path, np.int32).tolist() == [0, 1, 2, 3]
    y = torch.ops.aten.from_file.out(str(path), size=3, out=torch.empty(0, dtype=torch.int32))
    assert y.tolist() == [0, 1, 2]


def test_the_memory_outlives_the_name(tmp_path):
    path = tmp_path / "values"
    np.ones(3, dtype=np.float32).tofile(path)
    x = torch.from_file(str(path), size=3)
    path.unlink()
    assert x.sum() == 3 and torch.from_file(__file__).shape == (0,)


def test_errors(tmp_path):
    path = str(tmp_path / "values")
    with pytest.raises(RuntimeError, match="cannot open"):
        torch.from_file(path, size=1)
    torch.from_file(path, shared=True, size=2)
    with pytest.raises(RuntimeError, match="has 8 bytes, but 12"):
        torch.from_file(path, size=3)
    with pytest.raises(RuntimeError, match="negative"):
        torch.from_file(path, size=-1)
    with pytest.raises(RuntimeError, match="too large"):
        torch.from_file(path, size=2**62)
    with pytest.raises(RuntimeError, match="not a file of bytes"):
        torch.from_file(str(tmp_path), size=1)
