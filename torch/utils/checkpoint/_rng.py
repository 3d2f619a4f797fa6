"""The state of the random number generators at a checkpoint."""

import contextlib

import torch


class DefaultDeviceType:
    """The accelerator whose generators are kept beside the CPU's."""

    _default_device_type = "cuda"

    @staticmethod
    def set_device_type(device="cuda"):
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type():
        return DefaultDeviceType._default_device_type


def get_device_states(*args):
    """([device indices], [generator states]) of the accelerators that tensors among the arguments are on."""
    found = sorted({arg.get_device() for arg in args if isinstance(arg, torch.Tensor) and arg.device.type not in ("cpu", "meta")})
    module = getattr(torch, DefaultDeviceType.get_device_type(), None)
    return found, [module.get_rng_state(index) for index in found]


def set_device_states(devices, states, *, device_type=None):
    """Undo `get_device_states`."""
    module = getattr(torch, device_type or DefaultDeviceType.get_device_type(), None)
    for index, state in zip(devices, states):
        module.set_rng_state(state, index)


class KeptStates:
    """The states as they are now, for `restored()` later; nothing if `keep` is false."""

    def __init__(self, keep, args):
        self.keep = keep
        if keep:
            self.cpu = torch.get_rng_state()
            self.devices, self.states = get_device_states(*args)

    @contextlib.contextmanager
    def restored(self):
        """Inside, the generators go on from the kept states; afterwards from where they were."""
        if not self.keep:
            yield
            return
        with torch.random.fork_rng(devices=self.devices):
            torch.set_rng_state(self.cpu)
            set_device_states(self.devices, self.states)
            yield
