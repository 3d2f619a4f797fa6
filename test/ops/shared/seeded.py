"""The numbers of a seeded generator, for references of random operators."""

import numpy as np

import torch


class Words:
    """The generator after manual_seed(0)."""

    def __init__(self):
        self.raw = np.random.RandomState(0)._bit_generator.random_raw
        self.second = None

    def word(self):
        return int(self.raw())

    def wide(self):
        return self.word() << 32 | self.word()

    def uniform(self):
        """A double in [0, 1)."""
        return (self.wide() & (2**53 - 1)) * 2.0**-53

    def narrow(self, digits):
        return (self.word() & (2**digits - 1)) * 2.0**-digits

    def normal(self):
        """Box and Muller: two at a time."""
        if self.second is not None:
            value, self.second = self.second, None
            return value
        angle, radius = 2 * np.pi * self.uniform(), np.sqrt(-2 * np.log1p(-self.uniform()))
        self.second = radius * np.sin(angle)
        return radius * np.cos(angle)


GENERATOR = torch.Generator()  # of samples; an operator on another device is given one of that device


def seed():
    """The default generators and the one of samples, as they are at the start of every call."""
    torch.manual_seed(0)
    GENERATOR.manual_seed(0)


def generator_for(args, kwargs):
    devices = [torch.device(kwargs["device"])] if "device" in kwargs else [x.device for x in args if isinstance(x, torch.Tensor)]
    if not devices or devices[0].type in ("cpu", "meta"):
        return GENERATOR
    return torch.Generator(devices[0]).manual_seed(0)


def draws(f):
    """Marks a function that draws random numbers, and gives the same ones in every call."""
    f.draws = True
    return f


def seeded(f):
    @draws
    def call(*args, **kwargs):
        seed()
        if kwargs.get("generator") is GENERATOR:
            kwargs["generator"] = generator_for(args, kwargs)
        return f(*args, **kwargs)

    return call


LOOSE = {"method": False, "noncontiguous": False, "tolerance": 1e-5}
