"""The components and artifacts of this library. C++ uses the same names: c10/util/Logging.cpp."""

from torch._logging._registry import register_artifact, register_log

register_log("torch", "torch")
register_log("autograd", "torch.autograd")

register_artifact(
    "allocator", "Every allocation and release of tensor memory, with what is held and cached.", visible=True, off_by_default=True
)
register_artifact("build", "The options, compiler and libraries of this binary.", visible=True)
register_artifact("dataloader", "Workers of data loaders: start, batches sent and taken, end.", visible=True)
register_artifact(
    "dispatch",
    "Every call of an operator with its dispatch key, as torch.utils.dispatch_trace prints it.",
    visible=True,
    off_by_default=True,
)
register_artifact("onednn", "Primitives of oneDNN that are created or used again, with their shapes.", visible=True)
register_artifact("registration", "Operators and kernels that programs register.", visible=True)
register_artifact("serialization", "Files that torch.save and torch.load write and read.", visible=True)
