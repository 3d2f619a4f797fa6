"""Pooling: averages, maxima, their adaptive and fractional forms, and what undoes them."""

import torch
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable, repeat
from torch.nn.functional._common import has_torch_function_unary as _overridden

avg_pool1d, adaptive_avg_pool1d = _VF.avg_pool1d, _VF.adaptive_avg_pool1d
avg_pool2d, avg_pool3d = _nn.avg_pool2d, _nn.avg_pool3d

__all__ = ["avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
           "adaptive_avg_pool3d",
           "lp_pool1d", "lp_pool2d", "lp_pool3d"]


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Largest value of each window; `stride` is the kernel size if not given."""
    if _overridden(input):
        return handle_torch_function(max_pool2d, (input,), input, kernel_size, stride=stride, padding=padding,
                                     dilation=dilation, ceil_mode=ceil_mode, return_indices=return_indices)
    if stride is None:
        stride = kernel_size
    if return_indices:
        return _nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _VF.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool(dims, plain, with_indices):
    @overridable(1)
    def pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        stride = kernel_size if stride is None else stride
        chosen = with_indices if return_indices else plain
        return chosen(input, kernel_size, stride, padding, dilation, ceil_mode)

    pool.__name__ = pool.__qualname__ = f"max_pool{dims}d"
    pool.__doc__ = "Largest value of each window; `return_indices` gives their places too."
    return pool


max_pool1d = _max_pool(1, _VF.max_pool1d, _VF.max_pool1d_with_indices)
max_pool3d = _max_pool(3, _VF.max_pool3d, _nn.max_pool3d_with_indices)


def _adaptive_size(output_size, input, dims):
    """One number a dimension, None standing for the input's own."""
    sizes = repeat(output_size, dims)
    return [length if wanted is None else wanted for wanted, length in zip(sizes, input.size()[-len(sizes):])]


@overridable(1)
def adaptive_avg_pool2d(input, output_size):
    """Averages over windows that cut the image into `output_size`."""
    return _nn.adaptive_avg_pool2d(input, _adaptive_size(output_size, input, 2))


@overridable(1)
def adaptive_avg_pool3d(input, output_size):
    """Averages over windows that cut the volume into `output_size`."""
    return _nn.adaptive_avg_pool3d(input, _adaptive_size(output_size, input, 3))


def _adaptive_max(dims, with_indices):
    @overridable(1)
    def pool(input, output_size, return_indices=False):
        sizes = output_size if dims == 1 else _adaptive_size(output_size, input, dims)
        found = with_indices(input, sizes)
        return found if return_indices else found[0]

    pool.__name__ = pool.__qualname__ = f"adaptive_max_pool{dims}d"
    pool.__doc__ = "Maxima over windows that cut the input into `output_size`."
    return pool


adaptive_max_pool1d = _adaptive_max(1, _VF.adaptive_max_pool1d)
adaptive_max_pool2d = _adaptive_max(2, _nn.adaptive_max_pool2d)
adaptive_max_pool3d = _adaptive_max(3, _nn.adaptive_max_pool3d)


def _fractional(dims, operator):
    @overridable(1)
    def pool(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
             _random_samples=None):
        name = f"fractional_max_pool{dims}d"
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            ratios = repeat(output_ratio, dims)
            output_size = [int(length * ratio) for length, ratio in zip(input.size()[-dims:], ratios)]
        if _random_samples is None:
            batch = 1 if input.dim() == dims + 1 else input.size(0)
            _random_samples = torch.rand(batch, input.size(-dims - 1), dims, dtype=input.dtype,
                                         device=input.device)
        found = operator(input, repeat(kernel_size, dims), repeat(output_size, dims), _random_samples)
        return found if return_indices else found[0]

    pool.__name__ = pool.__qualname__ = f"fractional_max_pool{dims}d"
    pool.__doc__ = "Maxima over windows of randomly varying step (Graham 2015)."
    return pool


fractional_max_pool2d = _fractional(2, _nn.fractional_max_pool2d)
fractional_max_pool3d = _fractional(3, _nn.fractional_max_pool3d)


def _unpool_size(input, kernel, stride, padding, wanted):
    natural = [(length - 1) * step + size - 2 * edge
               for length, size, step, edge in zip(input.size()[-len(kernel):], kernel, stride, padding)]
    if wanted is None:
        return natural
    wanted = list(wanted)
    if len(wanted) == len(kernel) + 2:
        wanted = wanted[2:]
    if len(wanted) != len(kernel):
        raise ValueError(f"output_size should be a sequence containing {len(kernel)} or {len(kernel) + 2} "
                         "elements, but it "
                         f"has a length of '{len(wanted)}'")
    for d, (length, step) in enumerate(zip(natural, stride)):
        if not length - step < wanted[d] < length + step:
            shown = tuple(wanted)
            raise ValueError(f'invalid output_size "{shown}" (dim {d} must be between {length - step} and '
                             f'{length + step})')
    return wanted


def _unpool(dims):
    @overridable(2)
    def unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel, edge = repeat(kernel_size, dims), repeat(padding, dims)
        step = kernel if stride is None else repeat(stride, dims)
        size = _unpool_size(input, kernel, step, edge, output_size)
        if dims == 1:
            return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)
        return _nn.max_unpool2d(input, indices, size) if dims == 2 else _nn.max_unpool3d(input, indices, size,
                                                                                         step, edge)

    unpool.__name__ = unpool.__qualname__ = f"max_unpool{dims}d"
    unpool.__doc__ = "Put pooled maxima back where they were, among zeros."
    return unpool


max_unpool1d, max_unpool2d, max_unpool3d = _unpool(1), _unpool(2), _unpool(3)


def _lp(dims, average):
    @overridable(1)
    def pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        mean = average(input.pow(norm_type), kernel_size, kernel_size if stride is None else stride, 0,
                       ceil_mode)
        size = 1
        for length in repeat(kernel_size, dims):
            size *= length
        return (mean.sign() * mean.abs().relu()).mul(size).pow(1.0 / norm_type)

    pool.__name__ = pool.__qualname__ = f"lp_pool{dims}d"
    pool.__doc__ = "(sum of x ** p) ** (1 / p) over each window."
    return pool


lp_pool1d, lp_pool2d, lp_pool3d = _lp(1, avg_pool1d), _lp(2, avg_pool2d), _lp(3, avg_pool3d)


def _with_indices(pool):
    def with_indices(*args, **kwargs):
        return pool(*args, **{**kwargs, "return_indices": True})

    with_indices.__name__ = with_indices.__qualname__ = pool.__name__ + "_with_indices"
    return with_indices


for _pool in (max_pool1d, max_pool2d, max_pool3d, adaptive_max_pool1d, adaptive_max_pool2d,
              adaptive_max_pool3d,
              fractional_max_pool2d, fractional_max_pool3d):
    globals()[_pool.__name__ + "_with_indices"] = _with_indices(_pool)
    __all__ += [_pool.__name__, _pool.__name__ + "_with_indices"]
__all__ += ["max_unpool1d", "max_unpool2d", "max_unpool3d"]
