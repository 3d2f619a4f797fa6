"""Random numbers of CUDA devices: PyTorch's streams, states, and generators."""

import pytest
from gpus import two_devices

import torch


def test_numbers_are_those_of_a_gpu():
    """What PyTorch prints on any GPU for these seeds: fewer elements than one round of the device's threads."""
    torch.manual_seed(0)
    expected = [-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284, -1.0745, -0.3631]
    torch.testing.assert_close(torch.randn(10, device="cuda").cpu(), torch.tensor(expected), rtol=0, atol=6e-5)
    torch.manual_seed(0)
    expected = [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967]
    torch.testing.assert_close(torch.rand(6, device="cuda").cpu(), torch.tensor(expected), rtol=0, atol=6e-5)
    torch.manual_seed(42)
    torch.testing.assert_close(torch.randn(3, device="cuda").cpu(), torch.tensor([0.1940, 2.1614, -0.1721]), rtol=0, atol=6e-5)


FILLS = {
    "uniform_": ((-1.0, 3.0), 1.0, 4 / 12**0.5),
    "normal_": ((2.0, 3.0), 2.0, 3.0),
    "exponential_": ((2.0,), 0.5, 0.5),
    "geometric_": ((0.25,), 4.0, 12**0.5),
    "bernoulli_": ((0.3,), 0.3, 0.21**0.5),
    "log_normal_": ((0.0, 0.25), 1.0317, 0.2620),
}


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_mean_and_deviation(name, dtype):
    arguments, mean, deviation = FILLS[name]
    torch.manual_seed(1)
    x = getattr(torch.empty(200, 100, dtype=dtype, device="cuda").t(), name)(*arguments).double().cpu()
    assert x.mean().item() == pytest.approx(mean, abs=0.04 * deviation)
    assert x.std().item() == pytest.approx(deviation, rel=0.05)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64, torch.float32])
def test_integers(dtype):
    x = torch.randint(3, 60, (5000,), dtype=dtype, device="cuda").cpu()
    assert x.min() == 3 and x.max() == 59 and len(x.unique()) == 57


def test_wide_range_reaches_both_ends():
    x = torch.randint(-(2**40), 2**40, (5000,), device="cuda").cpu()
    assert x.min() < -(2**39) and x.max() > 2**39


def test_probabilities():
    p = torch.tensor([0.0, 1.0, 0.25]).expand(4000, 3).contiguous().cuda()
    x = torch.bernoulli(p).cpu()
    assert not x[:, 0].any() and x[:, 1].all() and x[:, 2].mean().item() == pytest.approx(0.25, abs=0.03)


def test_complex_numbers():
    torch.manual_seed(0)
    x = torch.randn(10000, dtype=torch.complex64, device="cuda").cpu()
    assert x.real.std().item() == pytest.approx(0.5**0.5, rel=0.05) == pytest.approx(x.imag.std().item(), rel=0.05)


def test_state_and_offset():
    generator = torch.Generator("cuda")
    assert generator.device == torch.device("cuda", 0) and generator.initial_seed() == 67280421310721
    generator.manual_seed(5)
    torch.rand(3, device="cuda", generator=generator)
    assert generator.get_offset() == 4
    state = generator.get_state()
    assert state.tolist() == [5, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]
    first = torch.rand(3, device="cuda", generator=generator)
    assert torch.equal(first, torch.rand(3, device="cuda", generator=generator.clone_state().set_state(state)))
    with pytest.raises(RuntimeError, match="multiple of 4"):
        generator.set_offset(3)


def test_generators_that_share_a_state():
    generator = torch.Generator("cuda").manual_seed(5)
    other = generator.graphsafe_get_state()
    expected = torch.rand(6, device="cuda", generator=generator.clone_state())
    assert torch.equal(torch.rand(6, device="cuda", generator=other), expected) and generator.get_offset() == 4
    generator.manual_seed(7)
    assert other.initial_seed() == 7 and other.get_offset() == 0
    third = torch.Generator("cuda").manual_seed(9)
    assert generator.graphsafe_set_state(third) is generator
    assert generator.initial_seed() == 9 and other.initial_seed() == 7
    torch.rand(6, device="cuda", generator=generator)
    assert third.get_offset() == 4 and other.get_offset() == 0
    with pytest.raises(TypeError, match="expected a Generator, but got int"):
        generator.graphsafe_set_state(3)
    with pytest.raises(RuntimeError, match="cannot take the state of one of cpu"):
        generator.graphsafe_set_state(torch.Generator())


@two_devices
def test_default_generators():
    torch.manual_seed(3)
    assert [g.initial_seed() for g in torch.cuda.default_generators] == [3, 3]
    torch.cuda.manual_seed_all(4)
    assert torch.cuda.initial_seed() == 4
    with torch.cuda.device(1):
        torch.cuda.manual_seed(6)
    assert [g.initial_seed() for g in torch.cuda.default_generators] == [4, 6]
    state = torch.cuda.get_rng_state()
    with torch.random.fork_rng([0]):
        torch.rand(100, device="cuda")
    assert torch.equal(state, torch.cuda.get_rng_state())


def test_generator_of_another_device_is_refused():
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        torch.rand(3, device="cuda", generator=torch.Generator())
    with pytest.raises(RuntimeError, match="generator"):
        torch.rand(3, generator=torch.Generator("cuda"))
