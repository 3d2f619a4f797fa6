"""Normalisation by statistics of the batch, or of each instance."""

# ruff: noqa: F822  (the lazy classes are made in a loop)
import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, show
from torch.nn.modules.module import Module
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class _NormBase(Module):
    """Settings, parameters and running statistics."""

    _version = 2

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
                 device=None,
                 dtype=None, *, bias=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.register_parameter("weight", empty_parameter(num_features, device, dtype) if affine else None)
        self.register_parameter("bias", empty_parameter(num_features, device,
                                                        dtype) if affine and bias else None)
        kept = track_running_stats
        self.register_buffer("running_mean", torch.zeros(num_features, device=device,
                                                         dtype=dtype) if kept else None)
        self.register_buffer("running_var", torch.ones(num_features, device=device,
                                                       dtype=dtype) if kept else None)
        count = torch.tensor(0, dtype=torch.long, device=device) if kept else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self):
        """Mean 0, variance 1, no batches seen."""
        if not self.track_running_stats:
            return
        for buffer, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            buffer.fill_(value)

    def reset_parameters(self):
        """Weight 1 and bias 0; the statistics anew."""
        self.reset_running_stats()
        for parameter, fill in ((self.weight, init.ones_), (self.bias, init.zeros_)):
            if parameter is not None:
                fill(parameter)

    def _check_input_dim(self, input):
        if input.dim() not in self._accepted:
            names = " or ".join(f"{dims}D" for dims in self._accepted)
            raise ValueError(f"expected {names} input (got {input.dim()}D input)")

    def extra_repr(self):
        text = f"{self.num_features}, " + show(self, "eps", "momentum", "affine")
        return text + f", bias={self.bias is not None}, " + show(self, "track_running_stats")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked  # files older than this buffer
            state_dict[key] = own if own is not None and not own.is_meta else torch.tensor(0,
                                                                                           dtype=torch.long)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
                                      unexpected_keys, error_msgs)


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        training = self.training
        factor = 0.0 if self.momentum is None else self.momentum
        mean, var = self.running_mean, self.running_var
        if training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # a plain average over all batches so far
                factor = 1.0 / float(self.num_batches_tracked)
        elif mean is None and var is None:
            training = True
        if training and not self.track_running_stats:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, training, factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """Over (N, C) or (N, C, L)."""

    _accepted = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Over (N, C, H, W)."""

    _accepted = (4,)


class BatchNorm3d(_BatchNorm):
    """Over (N, C, D, H, W)."""

    _accepted = (5,)


class SyncBatchNorm(_BatchNorm):
    """BatchNorm; with one process, as here, there is nobody to share statistics with."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
                 process_group=None,
                 device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """`module` with every batch norm below it replaced."""
        result = module
        if isinstance(module, _BatchNorm):
            result = cls(module.num_features, module.eps, module.momentum, module.affine,
                         module.track_running_stats,
                         process_group)
            if module.affine:
                result.weight, result.bias = module.weight, module.bias
            result.running_mean, result.running_var = module.running_mean, module.running_var
            result.num_batches_tracked, result.training = module.num_batches_tracked, module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


class _InstanceNorm(_NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False,
                 device=None,
                 dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        self._check_input_dim(input)
        channels = -self._spatial - 1
        if input.size(channels) != self.num_features:
            text = (f"expected input's size at dim={input.dim() + channels} to match num_features "
                    f"({self.num_features}), "
                    f"but got: {input.size(channels)}.")
            if self.affine:
                raise ValueError(text)
            import warnings

            warnings.warn(text + " num_features has no meaning without affine.", stacklevel=2)
        single = input.dim() == self._spatial + 1
        result = F.instance_norm(input.unsqueeze(0) if single else input, self.running_mean, self.running_var,
                                 self.weight,
                                 self.bias, self.training or not self.track_running_stats,
                                 0.0 if self.momentum is None else self.momentum, self.eps)
        return result.squeeze(0) if single else result


class InstanceNorm1d(_InstanceNorm):
    """Over (N, C, L) or (C, L)."""

    _accepted, _spatial = (2, 3), 1


class InstanceNorm2d(_InstanceNorm):
    """Over (N, C, H, W) or (C, H, W)."""

    _accepted, _spatial = (3, 4), 2


class InstanceNorm3d(_InstanceNorm):
    """Over (N, C, D, H, W) or (C, D, H, W)."""

    _accepted, _spatial = (4, 5), 3


class _LazyNorm:
    """Mixed into a norm: num_features comes from the first input."""

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None,
                 *,
                 bias=True):
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            self.bias = UninitializedParameter(device=device, dtype=dtype) if bias else None
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)
        self._handle = self.register_forward_pre_hook(_LazyNorm._infer)

    def reset_parameters(self):
        if self.num_features != 0:
            super().reset_parameters()

    def _infer(self, args):
        kind = self.cls_to_become
        self._check_input_dim(args[0])
        self.num_features = args[0].shape[1]
        for tensor in (self.weight, self.bias, self.running_mean, self.running_var):
            if tensor is not None and is_lazy(tensor):
                tensor.materialize((self.num_features,))
        kind.reset_parameters(self)
        self._handle.remove()
        del self.__dict__["_handle"]
        self.__class__ = kind


for _kind in (BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d):
    _name = "Lazy" + _kind.__name__
    globals()[_name] = type(_name, (_LazyNorm, _kind), {
        "cls_to_become": _kind, "__module__": __name__, "__doc__": f"{_kind.__name__} with num_features "
                                                                   "from its input."})
__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyInstanceNorm1d",
    "LazyInstanceNorm2d", "LazyInstanceNorm3d",
]  # fmt: skip
