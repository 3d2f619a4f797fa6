"""Fuzzer: random shapes, strides and parameters for benchmarks, within bounds."""

import itertools
import math

import numpy as np

import torch

__all__ = ["Fuzzer", "FuzzedParameter", "ParameterAlias", "FuzzedTensor"]

_ATTEMPTS = 10000
_DISTRIBUTIONS = ("uniform", "loguniform")


class ParameterAlias:
    """A value in a distribution that refers to another parameter."""

    def __init__(self, alias_to):
        self.alias_to = alias_to

    def __repr__(self):
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A named number that is drawn anew for each sample.

    Between minval and maxval (both possible), "uniform" or "loguniform", whole where minval is; or distribution: a dict
    of values to their probabilities. strict: drawn once for each sample, and not again where that sample is out of
    bounds, which would favour the values that rarely are."""

    def __init__(self, name, minval=None, maxval=None, distribution=None, strict=False):
        self._name, self._minval, self._maxval, self.strict = name, minval, maxval, strict
        if isinstance(distribution, dict):
            if minval is not None or maxval is not None:
                raise AssertionError("When passing a custom distribution, 'minval' and 'maxval' must be None")
            total = math.fsum(distribution.values())
            if min(distribution.values(), default=0) < 0 or abs(total - 1) > 1e-6:
                raise AssertionError(f"Distribution is not normalized: the probabilities add up to {total}")
            self._values, self._weights = list(distribution), [p / total for p in distribution.values()]
        else:
            if distribution not in _DISTRIBUTIONS:
                raise AssertionError(f"Unknown distribution: {distribution}; known are {', '.join(_DISTRIBUTIONS)} and dicts")
            if minval is None or maxval is None or minval > maxval or (distribution == "loguniform" and minval <= 0):
                raise AssertionError(f"{distribution} between {minval} and {maxval} is empty or has no bound")
        self._distribution = distribution

    @property
    def name(self):
        """The key of its value."""
        return self._name

    def sample(self, state):
        """A value, drawn by a numpy RandomState."""
        if isinstance(self._distribution, dict):
            return self._values[int(state.choice(len(self._values), p=self._weights))]
        low, high = self._minval, self._maxval
        whole = isinstance(low, int) and isinstance(high, int)
        if self._distribution == "uniform":
            return int(state.randint(low, high + 1)) if whole else float(state.uniform(low, high))
        value = math.exp(state.uniform(math.log(low), math.log(high)))
        return min(max(round(value), low), high) if whole else float(value)


class FuzzedTensor:
    """A tensor whose shape consists of numbers and of names of parameters.

    steps: distance of neighbours along each dimension, in elements, numbers or names; probability_contiguous: with
    which its dimensions are in order; min_elements, max_elements, max_allocation_bytes: samples outside are drawn
    again; dim_parameter: a parameter that says how many of the dimensions there are; roll_parameter: one that says how
    far the order of dimensions is rotated; tensor_constructor(size, dtype, **parameters) makes the elements."""

    def __init__(
        self,
        name,
        size,
        steps=None,
        probability_contiguous=0.5,
        min_elements=None,
        max_elements=None,
        max_allocation_bytes=None,
        dim_parameter=None,
        roll_parameter=None,
        dtype=torch.float32,
        cuda=False,
        tensor_constructor=None,
    ):
        if steps is not None and len(steps) > len(size):
            raise AssertionError(f"FuzzedTensor {name}: {len(steps)} steps for {len(size)} dimensions")
        self._name, self._size, self._dtype, self._cuda = name, tuple(size), dtype, cuda
        self._steps = (*(steps or ()), *[1] * (len(size) - len(steps or ())))
        self._probability_contiguous = probability_contiguous
        self._min_elements, self._max_elements, self._max_bytes = min_elements, max_elements, max_allocation_bytes
        self._dim_parameter, self._roll_parameter = dim_parameter, roll_parameter
        self._constructor = tensor_constructor or self.default_tensor_constructor

    @property
    def name(self):
        """The key of the tensor."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size, dtype, **kwargs):
        """Normal numbers between 0 and 1 for real and complex types, small whole numbers for others."""
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype)
        if dtype == torch.bool:
            return torch.randint(0, 2, size=size).to(dtype)
        return torch.randint(1, 127, size=size, dtype=dtype)

    def _numbers(self, params):
        """(size, steps) with the values of parameters."""
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def resolve(entry):
            if isinstance(entry, str) and entry not in params:
                raise ValueError(f"FuzzedTensor {self._name}: {entry!r} is no number and no parameter")
            return int(params[entry]) if isinstance(entry, str) else entry

        return tuple(map(resolve, self._size[:dim])), tuple(map(resolve, self._steps[:dim]))

    def satisfies_constraints(self, params):
        """Whether its number of elements and bytes are within bounds."""
        size, steps = self._numbers(params)
        allocated = math.prod(n * step for n, step in zip(size, steps)) * torch.empty((), dtype=self._dtype).element_size()
        count = math.prod(size)
        return (
            (self._max_bytes is None or allocated <= self._max_bytes)
            and (self._min_elements is None or count >= self._min_elements)
            and (self._max_elements is None or count <= self._max_elements)
        )

    def _make_tensor(self, params, state):
        size, steps = self._numbers(params)
        order = np.arange(len(size))
        if len(size) > 1 and state.rand() > self._probability_contiguous:
            while len(order) > 1 and (order == np.arange(len(size))).all():
                order = state.permutation(order)
        if self._roll_parameter is not None:
            order = np.roll(order, params[self._roll_parameter])
        raw = self._constructor([size[d] * steps[d] for d in order], dtype=self._dtype, **params)
        if self._cuda:
            raw = raw.cuda()
        tensor = raw.permute(tuple(int(d) for d in np.argsort(order)))
        tensor = tensor[tuple(slice(None, None, step) for step in steps)]
        facts = {
            "numel": tensor.numel(),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }
        return tensor, facts


def _flat(entries):
    for entry in entries:
        yield from entry if isinstance(entry, (list, tuple)) else (entry,)


class Fuzzer:
    """Draws parameters, and tensors whose shapes are made of them.

    parameters, tensors: lists, or lists of lists; constraints: functions of the parameters as keywords' dict that say
    whether a sample is wanted; seed: the same seed gives the same samples."""

    def __init__(self, parameters, tensors, constraints=None, seed=None):
        self._parameters, self._tensors = list(_flat(parameters)), list(_flat(tensors))
        self._constraints = tuple(constraints or ())
        self._seed = int(np.random.RandomState().randint(0, 2**31)) if seed is None else seed
        names = [p.name for p in itertools.chain(self._parameters, self._tensors)]
        if len(set(names)) != len(names):
            raise ValueError(f"Fuzzer: the names {sorted(names)} are not all different")
        self._rejections = self._generated = 0

    @property
    def rejection_rate(self):
        """The part of drawn parameters that were not within bounds, None before anything was drawn."""
        return self._rejections / self._generated if self._generated else None

    def _draw(self, state, strict):
        params = {p.name: strict[p.name] if p.strict else p.sample(state) for p in self._parameters}
        for name, value in params.items():
            seen = {name}
            while isinstance(value, ParameterAlias):
                if value.alias_to not in params or value.alias_to in seen:
                    raise ValueError(f"Fuzzer: {name} is an alias of {value.alias_to}, which is no other parameter")
                seen.add(value.alias_to)
                value = params[value.alias_to]
            params[name] = value
        return params

    def _params(self, state):
        strict = {p.name: p.sample(state) for p in self._parameters if p.strict}
        for _ in range(_ATTEMPTS):
            self._generated += 1
            params = self._draw(state, strict)
            if all(c(params) for c in self._constraints) and all(t.satisfies_constraints(params) for t in self._tensors):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    def take(self, n):
        """n samples: (tensors by name, facts about them by name, parameters by name)."""
        state = np.random.RandomState(self._seed)
        for _ in range(n):
            params = self._params(state)
            made = {t.name: t._make_tensor(params, state) for t in self._tensors}
            yield {k: v[0] for k, v in made.items()}, {k: v[1] for k, v in made.items()}, params
