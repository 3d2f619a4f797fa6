"""What torch.library is made of: schemas out of annotations, custom operators, derivatives, rules of layers, and checks."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(
    __name__, ("autograd", "custom_ops", "fake_impl", "infer_schema", "opcheck", "rules", "triton", "utils")
)
