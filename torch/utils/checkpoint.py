"""Less memory for more computation: parts of a network whose activations are computed again in backward."""

import torch


class _Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, keep_random, *args):
        ctx.function, ctx.keep_random = function, keep_random
        ctx.random = torch.get_rng_state() if keep_random else None
        ctx.places = [k for k, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        ctx.others = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        ctx.save_for_backward(*[args[k] for k in ctx.places])
        with torch.no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        args = list(ctx.others)
        for k, tensor in zip(ctx.places, ctx.saved_tensors):
            args[k] = tensor.detach().requires_grad_(tensor.requires_grad)
        with torch.random.fork_rng(enabled=ctx.keep_random), torch.enable_grad():
            if ctx.keep_random:
                torch.set_rng_state(ctx.random)
            outputs = ctx.function(*args)
        outputs = (outputs,) if isinstance(outputs, torch.Tensor) else outputs
        pairs = [(y, g) for y, g in zip(outputs, grads) if isinstance(y, torch.Tensor) and y.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward([y for y, _ in pairs], [g for _, g in pairs])
        return (None, None, *[arg.grad if isinstance(arg, torch.Tensor) else None for arg in args])


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, context_fn=None,
               determinism_check="default",
               debug=False, **kwargs):
    """`function(*args, **kwargs)`, keeping only the arguments: backward runs the function again."""
    if kwargs:
        inner = function

        def function(*positional):
            return inner(*positional, **kwargs)

    return _Recompute.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, preserve_rng_state=True):
    """A sequence of modules in `segments` pieces, all but the last of them checkpointed."""
    modules = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)
    size = len(modules) // segments

    def run(part):
        def forward(x):
            for module in part:
                x = module(x)
            return x

        return forward

    for k in range(segments - 1):
        input = checkpoint(run(modules[k * size:(k + 1) * size]), input,
                           preserve_rng_state=preserve_rng_state)
    return run(modules[(segments - 1) * size:])(input)
