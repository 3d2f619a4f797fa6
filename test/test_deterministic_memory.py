"""torch.utils.deterministic: what new memory has in deterministic mode."""

import pytest

import torch
import torch.utils.deterministic as settings

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.float8_e5m2)
INTS = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64)


@pytest.fixture(autouse=True)
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    settings.fill_uninitialized_memory = True


MAKERS = {
    "empty": lambda dtype: torch.empty(3, 4, dtype=dtype),
    "channels_last": lambda dtype: torch.empty(2, 3, 4, 5, dtype=dtype, memory_format=torch.channels_last),
    "empty_like": lambda dtype: torch.empty_like(torch.zeros(7), dtype=dtype),
    "empty_strided": lambda dtype: torch.empty_strided((3, 2), (1, 3), dtype=dtype),
    "empty_permuted": lambda dtype: torch.empty_permuted((2, 3), (1, 0), dtype=dtype),
    "new_empty": lambda dtype: torch.zeros(2, dtype=dtype).new_empty(5),
    "new_empty_strided": lambda dtype: torch.zeros(2, dtype=dtype).new_empty_strided((2, 2), (1, 2)),
    "resize_": lambda dtype: torch.zeros(0, dtype=dtype).resize_(6),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, torch.bool, torch.complex64], ids=str)
def test_new_memory_has_values(name, dtype):
    x = MAKERS[name](dtype)
    if dtype is torch.bool:
        assert x.all()
    elif dtype in INTS:
        assert set(x.flatten().tolist()) == {torch.iinfo(dtype).max}
    else:
        assert (x if dtype.is_complex else x.float()).isnan().all()


def test_what_a_resize_adds():
    x = torch.arange(3.0).resize_(5)
    assert x[:3].tolist() == [0, 1, 2]
    assert x[3:].isnan().all()
    assert x.resize_(2).tolist() == [0, 1]


def test_the_setting():
    assert settings.fill_uninitialized_memory is True
    torch.full((4096,), 3.0)  # memory that is likely to be used again
    settings.fill_uninitialized_memory = False
    assert not torch.empty(4096).isnan().all()
    with pytest.raises(TypeError, match="must be a bool, got int"):
        settings.fill_uninitialized_memory = 1


def test_the_usual_mode_leaves_memory_alone():
    torch.use_deterministic_algorithms(False)
    torch.full((4096,), 3.0)
    assert not torch.empty(4096).isnan().all()


def test_meta_tensors_have_none():
    assert torch.empty(3, device="meta").shape == (3,)
